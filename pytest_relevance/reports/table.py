"""A table of columns, rows and styles, rendered as aligned text of a given width or as Markdown.

The text of cells may come from users: it is escaped for a terminal, or put in code spans in Markdown. Columns without
any text are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from pytest_relevance.reports.markdown import code, escaped
from pytest_relevance.reports.text import PLAIN, STRONG, WIDEST, Line, cut, cut_middle, harmless, width

LEFT, RIGHT = "<", ">"

_NARROWEST = 12  # columns of text that is cut as far as can be


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; widths are in terminal columns.

    `title`: its head, None where the title to its left covers it too. `gap`: the blanks before it. `at_least`: its
    minimum width. `most`: the width that longer text is cut to in any case. `least`: where the table is too wide, text
    is cut down to so much; None: it is never cut. Columns are cut from left to right; those that `may_go` are left out
    before any text is cut further. `middle`: cut text in its middle. `is_code`: Markdown shows the text in code spans.
    """

    title: str | None = ""
    align: str = LEFT
    gap: int = 2
    at_least: int = 0
    most: int | None = None
    least: int | None = None
    may_go: bool = False
    middle: bool = False
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell made of styled spans, or one that covers several columns. `markdown` replaces the spans in Markdown."""

    spans: Line
    columns: int = 1
    markdown: str = ""


@dataclass(frozen=True, slots=True)
class TableRow:
    """Cells from left to right, the last ones may be absent. `style` applies to the cells that are plain text."""

    cells: Sequence[str | Cell]
    style: str = PLAIN


def styled(text: str, style: str, columns: int = 1) -> Cell:
    """A cell of one span."""
    return Cell(((text, style),), columns)


def markdown_cell(markdown: str) -> Cell:
    """A cell of a table that is rendered as Markdown alone; what users wrote must be escaped in it already."""
    return Cell(((markdown, PLAIN),), markdown=markdown)


@dataclass(slots=True)
class Table:
    """Columns and rows. There is a head where any column has a title. `indent` is in blanks."""

    columns: Sequence[Column]
    rows: list[TableRow] = field(default_factory=list)
    indent: int = 0

    def add(self, *cells: str | Cell, style: str = PLAIN) -> None:
        """Add a row."""
        self.rows.append(TableRow(cells, style))

    def lines(self, columns: int = WIDEST) -> list[Line]:
        """The table as styled lines, at most `columns` wide where cutting the columns that allow it suffices."""
        placed = [list(_placed(row)) for row in self._all_rows()]
        widths = self._widths(placed, columns)
        return [self._line(row, widths) for row in placed]

    def width(self) -> int:
        """The width of the table in terminal columns before it is cut to fit."""
        return self._together(self._natural([list(_placed(row)) for row in self._all_rows()]))

    def markdown(self) -> list[str]:
        """The table as lines of Markdown."""
        placed = [list(_placed(row)) for row in self.rows]
        widths = self._natural(placed)
        used = [index for index, _ in enumerate(self.columns) if widths[index]]
        head = [self.columns[index].title or "" for index in used]
        align = ["---:" if self.columns[index].align == RIGHT else "---" for index in used]
        body = [[self._in_markdown(row, index) for index in used] for row in placed]
        return [f"| {' | '.join(cells)} |" for cells in (head, align, *body)]

    def _in_markdown(self, row: Sequence[tuple[int, Cell]], index: int) -> str:
        if markdown := "".join(cell.markdown for first, cell in row if first == index):
            return markdown
        text = "".join(text for first, cell in row if first == index for text, _ in cell.spans).strip()
        is_code = self.columns[index].is_code and all(cell.columns == 1 for first, cell in row if first == index)
        return code(text, in_cell=True) if text and is_code else escaped(text)

    def _all_rows(self) -> list[TableRow]:
        titles = [column.title for column in self.columns]
        if not any(titles):
            return self.rows
        cells: list[str | Cell] = []
        for index, title in enumerate(titles):
            if title is not None:
                covered = sum(1 for _ in takewhile(lambda other: other is None, titles[index + 1 :]))
                cells.append(styled(title, STRONG, 1 + covered))
        return [TableRow(cells, STRONG), *self.rows]

    def _natural(self, placed: Sequence[Sequence[tuple[int, Cell]]]) -> list[int]:
        """The width of each column before the table is cut to fit: at most its `most`."""
        widths = [column.at_least for column in self.columns]
        for row in placed:
            for index, cell in row:
                if cell.columns == 1:
                    widths[index] = max(widths[index], _width(cell))
        return [
            each if column.most is None else min(each, column.most)
            for each, column in zip(widths, self.columns, strict=True)
        ]

    def _widths(self, placed: Sequence[Sequence[tuple[int, Cell]]], room: int) -> list[int]:
        """The width of each column, 0 for one that is left out."""
        widths = self._natural(placed)
        if self._cut(widths, room, [column.least for column in self.columns]):
            going = [column.may_go for column in self.columns]
            widths = [0 if goes else each for goes, each in zip(going, self._natural(placed), strict=True)]
            self._cut(widths, room, [None if column.least is None else _NARROWEST for column in self.columns])
        for row in placed:
            for index, cell in row:
                if cell.columns > 1:
                    covered, there = self._covered(index, cell, widths)
                    widths[covered[-1] if covered else index] += max(0, _width(cell) - there)
        return widths

    def _cut(self, widths: list[int], room: int, least: Sequence[int | None]) -> bool:
        """Cut columns until the table fits; return whether it is still too wide."""
        over = self._together(widths) - room
        for index, narrowest in enumerate(least):
            if over > 0 and narrowest is not None and widths[index] > narrowest:
                less = min(over, widths[index] - narrowest)
                widths[index] -= less
                over -= less
        return over > 0

    def _together(self, widths: Sequence[int]) -> int:
        used = [(each, column.gap) for each, column in zip(widths, self.columns, strict=True) if each]
        return self.indent + sum(each + gap for each, gap in used) - (used[0][1] if used else 0)

    def _covered(self, index: int, cell: Cell, widths: Sequence[int]) -> tuple[list[int], int]:
        """The columns that a cell covers and that are not left out, and how wide they are together."""
        used = [each for each in range(index, index + cell.columns) if widths[each]]
        return used, sum(widths[each] for each in used) + sum(self.columns[each].gap for each in used[1:])

    def _line(self, row: Sequence[tuple[int, Cell]], widths: Sequence[int]) -> Line:
        spans: list[tuple[str, str]] = []
        before = " " * self.indent
        for index, cell in row:
            covered, room = self._covered(index, cell, widths)
            if not covered:
                continue
            column = self.columns[index]
            shown = [(_cut_text(text, room, column), style) for text, style in cell.spans]
            blanks = " " * (room - sum(width(text) for text, _ in shown))
            _append(spans, before + (blanks if column.align == RIGHT else ""), PLAIN)
            for text, style in shown:
                _append(spans, text, style)
            _append(spans, blanks if column.align == LEFT else "", PLAIN)
            following = self.columns[covered[-1] + 1 :]
            before = " " * next(
                (each.gap for each, used in zip(following, widths[covered[-1] + 1 :], strict=True) if used), 0
            )
        while spans and not spans[-1][0].rstrip():
            spans.pop()
        if spans:
            spans[-1] = spans[-1][0].rstrip(), spans[-1][1]
        return tuple(spans) or (("", PLAIN),)


def _placed(row: TableRow) -> Iterator[tuple[int, Cell]]:
    """The cells of a row with the column that each begins in, their text harmless."""
    index = 0
    for cell in row.cells:
        if isinstance(cell, str):
            yield index, Cell(((harmless(cell), row.style),))
            index += 1
        else:
            spans = tuple((harmless(text), style) for text, style in cell.spans)
            yield index, Cell(spans, cell.columns, cell.markdown)
            index += cell.columns


def _width(cell: Cell) -> int:
    return sum(width(text) for text, _ in cell.spans)


def _cut_text(text: str, columns: int, column: Column) -> str:
    return cut_middle(text, columns) if column.middle else cut(text, columns)


def _append(spans: list[tuple[str, str]], text: str, style: str) -> None:
    """Append text to a line; blanks, which have no style to see, become part of the span before them."""
    if not text:
        return
    if spans and (spans[-1][1] == style or text.isspace() or spans[-1][0].isspace()):
        before, of_before = spans[-1]
        spans[-1] = before + text, style if before.isspace() else of_before
    else:
        spans.append((text, style))
