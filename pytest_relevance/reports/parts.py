"""The parts of a summary, and how they are shortened to a number of lines.

If the summary is too long, its parts lose entries, one part after the other. Each part
keeps a least number of entries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pytest_relevance.reports.blocks import CommandLine, Sentence
from pytest_relevance.reports.styled_lines import DIM, Line, plain_text, styled_line
from pytest_relevance.reports.terminal_text import cut

MOST_LINES = 28
"""How many lines the end of a run has at most.

With the heading of the section and pytest's last line these are 30.
"""

SHORTENED = "(shortened: -v shows all)"

_LONGEST_SENTENCES = (3, 2, 1)
"""The most lines of a sentence. Smaller numbers are tried if larger ones do not fit."""


class Listing(Protocol):
    """Rows of which a terminal may show only the first: a table, or a list of cases."""

    @property
    def rows(self) -> Sequence[object]:
        """Return all rows of the listing."""

    def first(self, count: int) -> Listing:
        """Return the listing with only the first `count` rows."""

    def lines(self, columns: int) -> list[Line]:
        """Return the rows as lines; an empty list if there are no rows.

        `columns`: the width of a line in columns.
        """


Entries = Sentence | CommandLine | Listing
"""What a part consists of: single entries, and listings of several."""


@dataclass(frozen=True, slots=True)
class Part:
    """Blocks that belong together. An entry is a sentence, a command or a table row.

    `least`: how many entries are kept if there is not room for all.
    `is_whole`: whether each sentence that is shown keeps all its lines.
    """

    blocks: Sequence[Entries]
    least: int
    is_whole: bool = False

    @property
    def size(self) -> int:
        """Return how many entries the part has."""
        return sum(_size(block) for block in self.blocks)

    def lines(self, width: int, entries: int, longest: int | None = None) -> list[Line]:
        """Return the first `entries` entries of the part as lines.

        If sentences or commands are left out, a last line counts them. [] if `entries`
        is 0.

        `width`: the width of a line in columns.
        `longest`: the most lines of a sentence; a longer one ends in `...`. None for
            any number, as in a part that `is_whole`.
        """
        lines: list[Line] = []
        left = entries
        hidden = 0
        for block in self.blocks:
            if not isinstance(block, Sentence | CommandLine):
                lines += block.first(left).lines(width)
            elif left:
                lines += _clipped(block, width, None if self.is_whole else longest)
            else:
                hidden += 1
            left = max(left - _size(block), 0)
        if hidden and entries:
            lines.append(styled_line(f"    and {hidden:,} more", DIM))
        return lines


def _size(block: Entries) -> int:
    return 1 if isinstance(block, Sentence | CommandLine) else len(block.rows)


def _clipped(
    block: Sentence | CommandLine, width: int, longest: int | None
) -> list[Line]:
    """Return the lines of a block; a sentence longer than `longest` ends in `...`."""
    lines = block.lines(width)
    if longest is None or len(lines) <= longest or not isinstance(block, Sentence):
        return lines
    *kept, last = lines[:longest]
    _, style = last[0]
    beginning = cut(plain_text([last]), width - 4).removesuffix("...")
    return [*kept, styled_line(f"{beginning} ...", style)]


def lines_of_parts(
    parts: Mapping[str, Part],
    turns: Sequence[str],
    width: int,
    most: int | None,
) -> list[Line]:
    """Return the lines of the parts, at most `most`; None for any number.

    If there are more, the parts lose entries, one part after the other. If there are
    still too many, sentences lose lines. The last line says that the summary is
    shortened.

    `parts`: {name: part}, in the order in which they are shown.
    `turns`: the names of all parts, in the order in which they are shortened.
    """
    whole = []
    for part in parts.values():
        whole += part.lines(width, part.size)
    if most is None or len(whole) <= most:
        return whole
    shown = _Shortened(parts, turns, width, most - 1)
    for longest in _LONGEST_SENTENCES:
        shown.fit(longest, {name: part.least for name, part in parts.items()})
    shown.fit(_LONGEST_SENTENCES[-1], dict.fromkeys(parts, 0))
    return [*shown.all_lines(), styled_line(SHORTENED, DIM)]


class _Shortened:
    """Parts, and how much of each is shown."""

    def __init__(
        self, parts: Mapping[str, Part], turns: Sequence[str], width: int, most: int
    ) -> None:
        self._parts = parts
        self._turns = turns
        self._width = width
        self._most = most
        self._entries = {name: min(part.size, most) for name, part in parts.items()}
        self._lines: dict[str, list[Line]] = {}

    def all_lines(self) -> list[Line]:
        """Return the lines of all parts, as shown now."""
        lines = []
        for of_part in self._lines.values():
            lines += of_part
        return lines

    def fit(self, longest: int, least: Mapping[str, int]) -> None:
        """Remove entries from the parts in turn, until the lines are few enough.

        `longest`: the most lines of a sentence.
        `least`: {name: how many entries of the part stay}.
        """
        for name in self._parts:
            self._show(name, longest)
        for name in self._turns:
            while self._is_too_long() and self._entries[name] > least[name]:
                self._entries[name] -= 1
                self._show(name, longest)

    def _is_too_long(self) -> bool:
        return len(self.all_lines()) > self._most

    def _show(self, name: str, longest: int) -> None:
        """Set the lines of a part to those of its remaining entries."""
        part = self._parts[name]
        self._lines[name] = part.lines(self._width, self._entries[name], longest)
