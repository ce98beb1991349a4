"""Reports in Markdown as sections. A section is shown or left out as a whole.

If a report is too long, its last sections are left out, and a last line names them. A
comment on GitHub holds at most 65,536 characters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pytest_relevance._text import counted, listed
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.markdown_text import words_in_markdown
from pytest_relevance.reports.table import Table

REPORT_MARK = "pytest-relevance report"
"""A text at the beginning of each report in HTML or Markdown, in a comment.

By this text a program recognises a report.
"""

MOST_CHARACTERS = 20_000
"""How long a report in Markdown is by default."""

FAILURE = "failure"
"""The name of a section about one failure.

The last line counts the sections with this name that are left out.
"""

_SEPARATOR = "\n\n"
_END = "\n"


@dataclass(frozen=True, slots=True)
class MarkdownSection:
    """A part of a report in Markdown, which is shown or left out as a whole.

    `content`: the Markdown, or a function that returns it. The function is not called
    if there is no room.
    `name`: the name of the section in the line about left-out sections.
    """

    content: str | Callable[[], str]
    name: str

    @property
    def text(self) -> str:
        """The Markdown of the section."""
        return self.content if isinstance(self.content, str) else self.content()


def table_sections(name: str, tables: Iterable[Table]) -> list[MarkdownSection]:
    """Return a section for each table that has rows. All have the same name."""
    sections = []
    for table in tables:
        if table.rows:
            sections.append(MarkdownSection("\n".join(table.markdown()), name))
    return sections


def list_section(items: Iterable[Sentence], name: str) -> list[MarkdownSection]:
    """Return a section that is a list of sentences; [] without sentences."""
    text = "\n".join(f"- {item.markdown()}" for item in items)
    return [MarkdownSection(text, name)] if text else []


def details(summary: str, lines: Iterable[str]) -> str:
    """Return lines of Markdown that unfold below a summary. `summary`: HTML."""
    begin = f"<details><summary>{summary}</summary>"
    return "\n".join([begin, "", *lines, "", "</details>"])


def heading(sentence: str, mark: str) -> str:
    """Return the beginning of a report: an identifying comment, and the headline."""
    return f"<!-- {REPORT_MARK} -->\n### {mark} {words_in_markdown(sentence)}"


def joined_sections(sections: Iterable[MarkdownSection], most: int | None) -> str:
    """Return the report of some sections, without the last ones if it gets too long.

    The first section stays, however long it is. A line at the end names what is left
    out.
    `most`: the most characters; None for any number.
    """
    sections = list(sections)
    if most is None or len(sections) < 2:
        return _joined(section.text for section in sections)
    texts = _texts_up_to(sections, most)
    if len(_joined(texts)) <= most:
        return _joined(texts)
    names = [section.name for section in sections]
    # the line is longest if it names all sections
    room = most - len(_left_out(names, most)) - len(_END)
    count = _number_that_fit(texts, room)
    return _joined([*texts[:count], _left_out(names[count:], most)])


def _joined(texts: Iterable[str]) -> str:
    return _SEPARATOR.join(texts) + _END


def _texts_up_to(sections: Iterable[MarkdownSection], most: int) -> list[str]:
    """Return the texts of the first sections, until they are too long together."""
    texts = []
    length = len(_END) - len(_SEPARATOR)
    for section in sections:
        text = section.text
        texts.append(text)
        length += len(_SEPARATOR) + len(text)
        if length > most:
            break
    return texts


def _number_that_fit(texts: Sequence[str], room: int) -> int:
    """Return how many of the first texts fit into `room` characters; at least 1."""
    count = 0
    used = 0
    for text in texts:
        used += len(text) + len(_SEPARATOR)
        if used > room:
            break
        count += 1
    return max(1, count)


def _left_out(names: Iterable[str], most: int) -> str:
    """Return the last line of a report, which names the sections that are left out.

    Example: `Left out, because this report has at most 20,000 characters: the tags and
    39 failures.`
    """
    parts = []
    for name, count in Counter(names).items():
        parts.append(counted(count, name) if name == FAILURE else name)
    return (
        f"Left out, because this report has at most {most:,} characters: "
        f"{listed(parts, 'and')}."
    )
