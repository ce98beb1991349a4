"""Tables as aligned lines: how wide each column becomes, and how a row is written.

If a table is too wide, it is narrowed in steps until it fits (see `Column`):

1. Columns that may be left out are left out.
2. Texts are cut from left to right, to the width `cut_to` of their column.
3. The widest texts are cut down to 12.
4. Steps 2 and 3 are repeated for the columns that are to be cut last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_relevance.reports.cells import RIGHT, Cell, Column, Row, cells_with_columns
from pytest_relevance.reports.styled_lines import PLAIN, Line, Span
from pytest_relevance.reports.terminal_text import display_width

_NARROWEST = 12
"""The width below which no text is cut."""


@dataclass(frozen=True, slots=True)
class TableLayout:
    """Lays out a table: its columns, its head, its rows, and its indent in blanks.

    The head may be empty. A list of widths has an entry for each column, 0 for a column
    that is left out.
    """

    columns: Sequence[Column]
    head: Row
    rows: Sequence[Row]
    indent: int

    def fitted_widths(self, room: int) -> list[int]:
        """Return the widths of the columns, so that the table is at most `room` wide.

        The table stays wider if its columns may not be cut that far.
        """
        widths = self._natural_widths()
        widths = self._without_dropped_columns(widths, room)
        for cut_last in (False, True):
            cut_to = []
            for column in self.columns:
                cut_to.append(column.cut_to if column.cut_last == cut_last else None)
            widths = self._cut_from_left_to_right(widths, cut_to, room)
            widths = self._cut_the_widest(widths, cut_to, room)
        return self._widened_for_wide_cells(widths)

    def line(self, row: Row, widths: Sequence[int]) -> Line:
        """Return a row as a line: its cells, cut and aligned to the widths."""
        spans: list[Span] = []
        for index, cell in cells_with_columns(row):
            covered = _covered_columns(index, cell, widths)
            if not covered:
                continue
            column = self.columns[index]
            gap = self.columns[covered[0]].gap if spans else self.indent
            room = self._covered_width(covered, widths)
            shown = _fitted_spans(cell, room, column)
            blanks = " " * (room - Cell(shown).width)
            spans.append((" " * gap, PLAIN))
            if column.align == RIGHT:
                spans.append((blanks, PLAIN))
            spans += shown
            if column.align != RIGHT:
                spans.append((blanks, PLAIN))
        return _joined(spans)

    def _natural_widths(self) -> list[int]:
        """Return the widths that the texts need, at most `max_width` of each column.

        A column without text in any row has width 0, even if it has a head.
        """
        used = columns_with_text(self.rows)
        widths = [column.min_width for column in self.columns]
        for row in [self.head, *self.rows]:
            for index, cell in cells_with_columns(row):
                if cell.colspan == 1 and index in used:
                    widths[index] = max(widths[index], cell.width)
        for index, column in enumerate(self.columns):
            widths[index] = min(widths[index], column.max_width)
        return widths

    def _without_dropped_columns(self, widths: Sequence[int], room: int) -> list[int]:
        """Return widths in which columns are left out (width 0) to make room.

        Columns are left out by their `drop_order`, until the remaining columns have the
        widths that they want.
        """
        kept = list(widths)
        drop_orders = {column.drop_order for column in self.columns} - {0}
        for drop_order in sorted(drop_orders, reverse=True):
            wanted = self._widened_for_wide_cells(self._wanted_widths(kept))
            if self._table_width(wanted) <= room:
                break
            for index, column in enumerate(self.columns):
                if column.drop_order == drop_order:
                    kept[index] = 0
        return kept

    def _wanted_widths(self, widths: Sequence[int]) -> list[int]:
        """Return the widths, each at most `wanted` or else `cut_to` of its column."""
        wanted = []
        for width, column in zip(widths, self.columns, strict=True):
            most = column.cut_to if column.wanted is None else column.wanted
            wanted.append(width if most is None else min(width, most))
        return wanted

    def _cut_from_left_to_right(
        self, widths: Sequence[int], cut_to: Sequence[int | None], room: int
    ) -> list[int]:
        """Return narrower widths, none below the `cut_to` of its column."""
        excess = self._table_width(widths) - room
        cut_widths = []
        for width, least in zip(widths, cut_to, strict=True):
            cut_width = width
            if excess > 0 and least is not None and width > least:
                cut_width = max(least, width - excess)
                excess -= width - cut_width
            cut_widths.append(cut_width)
        return cut_widths

    def _cut_the_widest(
        self, widths: Sequence[int], cut_to: Sequence[int | None], room: int
    ) -> list[int]:
        """Return widths in which the widest columns are narrower, none below 12.

        A column whose `cut_to` is None keeps its width.
        """
        cut_widths = list(widths)
        may_be_cut = [index for index, least in enumerate(cut_to) if least is not None]
        excess = self._table_width(widths) - room
        while excess > 0 and may_be_cut:
            widest = max(may_be_cut, key=cut_widths.__getitem__)
            if cut_widths[widest] <= _NARROWEST:
                break
            cut_widths[widest] -= 1
            excess -= 1
        return cut_widths

    def _widened_for_wide_cells(self, widths: Sequence[int]) -> list[int]:
        """Return widths in which each cell over several columns has enough room.

        If a cell lacks room, the last of its columns is made wider.
        """
        wider = list(widths)
        for row in [self.head, *self.rows]:
            for index, cell in cells_with_columns(row):
                if cell.colspan == 1:
                    continue
                covered = _covered_columns(index, cell, wider)
                missing = cell.width - self._covered_width(covered, wider)
                if missing > 0:
                    wider[covered[-1] if covered else index] += missing
        return wider

    def _table_width(self, widths: Sequence[int]) -> int:
        used = [index for index, width in enumerate(widths) if width]
        return self.indent + self._covered_width(used, widths)

    def _covered_width(self, covered: Sequence[int], widths: Sequence[int]) -> int:
        """Return the width of some columns side by side, with the gaps between them."""
        texts = sum(widths[index] for index in covered)
        gaps = sum(self.columns[index].gap for index in covered[1:])
        return texts + gaps


def columns_with_text(rows: Iterable[Row]) -> set[int]:
    """Return the indexes of the columns that have text in some row.

    The text of a cell that covers several columns does not count.
    """
    used = set()
    for row in rows:
        for index, cell in cells_with_columns(row):
            if cell.colspan == 1 and cell.text:
                used.add(index)
    return used


def _covered_columns(index: int, cell: Cell, widths: Sequence[int]) -> list[int]:
    """Return the indexes of the columns that a cell covers and that are not left out.

    `index`: the index of its first column.
    """
    covered = range(index, index + cell.colspan)
    return [each for each in covered if widths[each]]


def _fitted_spans(cell: Cell, room: int, column: Column) -> Line:
    """Return the spans of a cell, cut to `room`.

    Only the longest span is cut, if enough of it is left. Otherwise all spans become
    one, which is cut.
    """
    excess = cell.width - room
    if excess <= 0:
        return cell.spans
    longest = max(cell.spans, key=lambda span: display_width(span[0]))
    longest_text, longest_style = longest
    left = display_width(longest_text) - excess
    if left < _NARROWEST:
        return ((column.shorten(cell.text, room), longest_style),)
    cut_span = (column.shorten(longest_text, left), longest_style)
    return tuple(cut_span if span == longest else span for span in cell.spans)


def _joined(spans: Iterable[Span]) -> Line:
    """Return spans with neighbours of one style joined, and no blanks at the end.

    Blanks show no style, so they join any span.
    """
    joined: list[Span] = [("", PLAIN)]
    for text, style in spans:
        last_text, last_style = joined[-1]
        if not last_text.strip():
            joined[-1] = (last_text + text, style)
        elif style == last_style or not text.strip():
            joined[-1] = (last_text + text, last_style)
        else:
            joined.append((text, style))
    last_text, last_style = joined[-1]
    joined[-1] = (last_text.rstrip(), last_style)
    return tuple(joined)
