"""What the reports of a run and of a comparison consist of: sentences and tables.

A part of a report is made once, as blocks. A terminal shows blocks as lines, Markdown
in sections, and a notebook as HTML.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_relevance._text import harmless
from pytest_relevance.reports.markdown_text import short_code_span
from pytest_relevance.reports.styled_lines import (
    PLAIN,
    Line,
    folded_lines,
    styled_line,
    wrapped,
)
from pytest_relevance.reports.table import Table
from pytest_relevance.reports.terminal_text import display_width


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, which may contain texts of users, and its style in a terminal.

    A terminal folds the sentence over indented lines: between its `parts` if it has
    any, otherwise at the blanks of the text.
    """

    text: str
    style: str = PLAIN
    parts: tuple[str, ...] = ()

    def lines(self, columns: int) -> list[Line]:
        """Return the sentence as lines for a terminal of so many columns."""
        if not self.parts:
            return folded_lines(self.text, self.style, columns)
        parts = [harmless(part) for part in self.parts]
        head = f"{harmless(self.text)}  "
        return wrapped(head, parts, columns, separator="   ", style=self.style)

    def markdown(self) -> str:
        """Return the sentence in a code span: nothing in it is read as markup."""
        return short_code_span("   ".join([self.text.strip(), *self.parts]))


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command for a reader to copy, after the words that say what it does.

    A terminal does not fold the command. If there is no room, the command stands in a
    line of its own.
    """

    words: str
    command: str
    style: str = PLAIN

    def lines(self, columns: int) -> list[Line]:
        """Return the words and the command as lines for a terminal."""
        words, command = harmless(self.words), harmless(self.command)
        line = f"{words} {command}"
        if display_width(line) <= columns:
            return [styled_line(line, self.style)]
        lines = folded_lines(words, self.style, columns)
        return [*lines, styled_line(f"    {command}", self.style)]


Block = Sentence | Table | CommandLine


def lines_of(blocks: Iterable[Block], columns: int) -> list[Line]:
    """Return blocks as lines for a terminal of so many columns."""
    lines = []
    for block in blocks:
        lines += block.lines(columns)
    return lines
