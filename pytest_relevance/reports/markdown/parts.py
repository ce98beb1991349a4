"""What all reports in Markdown share: sections that are left out as a whole, and user text that stays text.

User text stands in code spans, so that no mention, link, reference or markup in it comes alive.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from pytest_relevance._text import counted, harmless, listed
from pytest_relevance.reports.headline import BETTER, BROKEN, FINE, NOTHING, WORSE, Headline
from pytest_relevance.reports.table import MOST_CHARACTERS, code, cut, escaped
from pytest_relevance.reports.text import REPORT_MARK
from pytest_relevance.results.rankings.rank_changes import Move

FAILURE = "failure"
"""The name of a section about one failure: these are counted where they are left out."""

LONGEST_TITLE, LONGEST_TEXT = 80, 300
"""The columns that a query or a title takes in a table, and a sentence, before it is cut."""

ARROW = "\u00a0\u2192\u00a0"
"""Between before and after, with no-break spaces, so that a narrow column keeps them in one line."""

_MARKS = {WORSE: "\u274c", BROKEN: "\u274c", BETTER: "\u2705", FINE: "\u2705", NOTHING: "\u26a0\ufe0f"}


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report that is left out as a whole: its Markdown, and what it is called where it is left out.

    The Markdown may be given by a function, which is not called where there is no room.
    """

    content: str | Callable[[], str]
    name: str

    @property
    def text(self) -> str:
        """The Markdown."""
        return self.content if isinstance(self.content, str) else self.content()


def joined_sections(sections: Iterable[Section], most: int | None = MOST_CHARACTERS) -> str:
    """Sections one after the other; where these are longer than `most` characters, the last ones are left out.

    The first is there whatever its length. A line at the end says what is left out. None: there is room for all.
    """
    found = [*sections]
    names = [section.name for section in found]
    texts: list[str] = []
    room = sys.maxsize if most is None or len(found) < 2 else most + len("\n")
    for section in found:
        texts.append(section.text)
        room -= len(texts[-1]) + len("\n\n")
        if room < 0:
            break
    if most is None or room >= 0:
        return "\n\n".join(texts) + "\n"
    room = most - len(_left_out(names, most)) - len("\n")
    ends = accumulate(len(text) + len("\n\n") for text in texts)
    count = max(1, sum(end <= room for end in ends))
    return "\n\n".join([*texts[:count], _left_out(names[count:], most)]) + "\n"


def _left_out(names: Sequence[str], most: int) -> str:
    """What is left out: `Left out, as this report has at most 65,000 characters: 39 failures.`"""
    counts = Counter(names)
    parts = [counted(count, name) if name == FAILURE else name for name, count in counts.items()]
    return f"Left out, as this report has at most {most:,} characters: {listed(parts, 'and')}."


def heading(said: Headline) -> str:
    """The beginning of a report: a comment by which it is known as one, and its sentence as a heading."""
    return f"<!-- {REPORT_MARK} -->\n### {_MARKS[said.kind]} {escaped(said.text)}"


def cell_code(text: str, longest: int = LONGEST_TITLE) -> str:
    """User text for a cell of a table: a code span, cut where it is long."""
    return code(cut(harmless(text), longest), in_cell=True)


def span(text: str) -> str:
    """User text for a sentence: a code span, cut where it is long."""
    return code(cut(harmless(text), LONGEST_TEXT))


def lost_code(move: Move | None, titles: Mapping[str, str]) -> str:
    """A document that fell, for a cell, with its ranks: `` `Boots` 1 → gone``; empty for no document."""
    if move is None:
        return ""
    if move.first is None:  # no baseline has it
        place = f"rank {move.second}" if move.second else "not returned"
    else:
        place = f"{move.first}{ARROW}{move.second or 'gone'}"
    return f"{_title_code(move, titles)} {place}"


def gained_code(move: Move | None, titles: Mapping[str, str]) -> str:
    """A document that rose, for a cell, with its ranks: `` `Boots` new → 1``; empty for no document."""
    return "" if move is None else f"{_title_code(move, titles)} {move.first or 'new'}{ARROW}{move.second}"


def on_top_code(move: Move | None, titles: Mapping[str, str]) -> str:
    """A document that rose, for a cell, with its rank where that is not the first: ``rank 4: `Boots` ``."""
    if move is None:
        return ""
    return (f"rank {move.second}: " if move.second != 1 else "") + _title_code(move, titles)


def _title_code(move: Move, titles: Mapping[str, str]) -> str:
    """The title of a document, or its id where it has none."""
    return cell_code(titles.get(move.document) or move.document)


def shown_of(shown: int, of: int) -> str:
    """How many entries of a list are shown: ` (5 of 44)`, ` (3)` where all are."""
    return f" ({shown:,} of {of:,})" if shown < of else f" ({of:,})"
