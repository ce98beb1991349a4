"""Columns and cells: the parts of a table of a report.

A cell holds styled spans. A column says how its cells are aligned, and what is done
with it if the table is wider than the terminal. Widths are in terminal columns.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass

from pytest_relevance._notebook_html import NUMBER, TEXT
from pytest_relevance._text import harmless
from pytest_relevance.reports.styled_lines import Line
from pytest_relevance.reports.terminal_text import cut, cut_middle, display_width

LEFT, RIGHT = TEXT, NUMBER
"""The alignments of a column."""

USER = "user"
"""The style of a span that a user wrote: Markdown shows it in a code span."""

_WANTED_BY_TITLES = 28
"""How wide a column of titles is to stay while other columns can be left out."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    title:       the head of the column. None: the head of the column to the left
                 covers this column too.
    align:       LEFT or RIGHT.
    gap:         how many blanks stand before the column.
    min_width:   the least width, also of an empty column.
    max_width:   longer texts are always cut.
    cut_to:      if the table is too wide, texts are cut to this width, and to 12 if
                 that does not suffice. None: texts are never cut.
    wanted:      the width that the column keeps as long as columns with a `drop_order`
                 can be left out. None: `cut_to`.
    drop_order:  the column is left out if other columns lack room, the highest number
                 first. 0: the column is never left out.
    cut_last:    texts are cut only if all other columns are cut to 12 already.
    shorten:     the function that cuts a text to so many terminal columns.
    is_code:     whether Markdown shows the texts in code spans.
    """

    title: str | None = ""
    align: str = LEFT
    _: KW_ONLY
    gap: int = 2
    min_width: int = 0
    max_width: int = sys.maxsize
    cut_to: int | None = None
    wanted: int | None = None
    drop_order: int = 0
    cut_last: bool = False
    shorten: Callable[[str, int], str] = cut
    is_code: bool = False


def document_columns(title: str = "document") -> tuple[Column, Column]:
    """Return a column of ids and a column of titles below one head, `title`.

    If the table is too wide, long ids are cut first, in their middle. Then titles are
    cut at their end.
    """
    ids = Column(title, cut_to=24, shorten=cut_middle, is_code=True)
    titles = Column(None, cut_to=8, wanted=_WANTED_BY_TITLES, is_code=True)
    return ids, titles


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of styled spans, which covers `colspan` columns."""

    spans: Line
    colspan: int = 1

    @property
    def text(self) -> str:
        """The text without styles."""
        return "".join(text for text, _ in self.spans)

    @property
    def width(self) -> int:
        """How many columns the text takes in a terminal."""
        return display_width(self.text)

    def harmless(self) -> Cell:
        """Return the cell with harmless texts (`_text.harmless`)."""
        spans = tuple((harmless(text), style) for text, style in self.spans)
        return Cell(spans, self.colspan)


def styled_cell(text: str, style: str, colspan: int = 1) -> Cell:
    """Return a cell of one span."""
    return Cell(((text, style),), colspan)


Row = Sequence[Cell]
"""The cells of a row from left to right. The last columns may have none."""


def cells_with_columns(row: Row) -> Iterator[tuple[int, Cell]]:
    """Yield (index of its first column, cell) for each cell of a row."""
    index = 0
    for cell in row:
        yield index, cell
        index += cell.colspan
