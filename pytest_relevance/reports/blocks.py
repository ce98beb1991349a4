"""The blocks that reports consist of: sentences, tables, and commands to copy.

A block is made once. A terminal shows it as lines, Markdown in a section, and a
notebook as HTML.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_relevance._text import harmless
from pytest_relevance.reports.markdown_text import short_code_span
from pytest_relevance.reports.styled_lines import (
    DIM,
    PLAIN,
    STRONG,
    Line,
    folded_lines,
    wrapped,
)
from pytest_relevance.reports.table import Table
from pytest_relevance.reports.terminal_text import display_width

_WIDEST_WORD = 7
"""The width of the column of words before commands, in terminal columns."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, which may contain texts of users, and its style in a terminal.

    A terminal folds the sentence over indented lines: between its `parts` if it has
    any, otherwise at its blanks.
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
        """Return the sentence in a code span: nothing in it is read as markup.

        A sentence wider than 300 columns is cut.
        """
        return short_code_span("   ".join([self.text.strip(), *self.parts]))


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command for a reader to copy, or a file to open.

    A terminal does not fold the command.

    `word`: what the command is for, for example `look` or `accept`. It stands before
        the command.
    `note`: what the command does. It is a comment of a shell after the command, or in
        the next line if there is no room.
    `is_file`: whether `command` is the name of a file to change.
    """

    word: str
    command: str
    note: str = ""
    is_file: bool = False

    def lines(self, columns: int) -> list[Line]:
        """Return the word, the command and the note as lines for a terminal."""
        word = f"{harmless(self.word):<{_WIDEST_WORD}}  "
        command = harmless(self.command)
        if not self.note:
            return [((word, STRONG), (command, PLAIN))]
        note = f"# {harmless(self.note)}"
        if display_width(f"{word}{command}  {note}") <= columns:
            return [((word, STRONG), (f"{command}  ", PLAIN), (note, DIM))]
        indent = " " * len(word)
        folded = folded_lines(f"{indent}{note}", DIM, columns, f"{indent}# ")
        return [((word, STRONG), (command, PLAIN)), *folded]

    def shell(self) -> str:
        """Return lines of a shell script: a comment with word and note, the command.

        The name of a file is in the comment, because it is no command.
        """
        said = f"{self.word}: {self.note}" if self.note else self.word
        if self.is_file:
            return f"# {harmless(said)} in {harmless(self.command)}"
        return f"# {harmless(said)}\n{harmless(self.command)}"


Block = Sentence | Table | CommandLine


def lines_of(blocks: Iterable[Block], columns: int) -> list[Line]:
    """Return blocks as lines for a terminal of so many columns."""
    lines = []
    for block in blocks:
        lines += block.lines(columns)
    return lines
