"""Tables of reports: as lines for a terminal, as Markdown, as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pytest_relevance._notebook_html import html_table
from pytest_relevance._text import harmless
from pytest_relevance.reports.cells import (
    RIGHT,
    USER,
    Cell,
    Column,
    Row,
    cells_with_columns,
    styled_cell,
)
from pytest_relevance.reports.markdown_text import code_span, escaped
from pytest_relevance.reports.styled_lines import DIM, PLAIN, STRONG, Line, styled_line
from pytest_relevance.reports.table_layout import TableLayout, columns_with_text
from pytest_relevance.reports.terminal_text import WIDEST, cut, folded

ARROW = "\u00a0->\u00a0"
"""What stands in Markdown between before and after.

It has no-break spaces, so that a narrow column keeps both in one line.
"""

MORE_HINT = " (-v shows all)"
"""How to see the rest of a list, for a terminal."""

LONGEST_CELL = 80
"""How wide a text of a user is in a table in Markdown before it is cut."""

_WIDEST_LINE_OF_CELL = 40


def limit(count: int, *, full: bool) -> int | None:
    """Return how many entries of a list to show: `count`; None (all) if `full`."""
    return None if full else count


@dataclass(slots=True, eq=False, repr=False)
class Table:
    """Columns and rows. A table without rows is not shown.

    `indent`: how many blanks stand before the first column.
    `title`: the text above the table.
    `note`: the text below the table.
    `hint`: the text after the note, only in a terminal.
    `total`: how many rows there are in all, also those that are left out. The title
        then ends with `(first 5 of 44)`. 0: the title has no numbers.
    """

    columns: Sequence[Column]
    rows: list[Row] = field(default_factory=list)
    indent: int = 0
    title: str = ""
    note: str = ""
    hint: str = ""
    total: int = 0

    def first(self, count: int) -> Table:
        """Return the table with only the first `count` rows."""
        if count >= len(self.rows):
            return self
        # the note already counts the rows
        total = self.total or (0 if self.note else len(self.rows))
        return replace(self, rows=self.rows[:count], total=total)

    @property
    def full_title(self) -> str:
        """Return the title with the number of rows, if there is a `total`."""
        if not self.title or not self.total:
            return self.title
        shown = f"{len(self.rows):,}"
        if self.total > len(self.rows):
            shown = f"first {shown} of {self.total:,}"
        return f"{self.title} ({shown})"

    def add(self, *cells: str | Cell, style: str = PLAIN) -> None:
        """Add a row of cells from left to right.

        `style`: the style of the cells that are texts.
        """
        row = []
        for each in cells:
            cell = styled_cell(each, style) if isinstance(each, str) else each
            row.append(cell.harmless())
        self.rows.append(row)

    def note_more(self, total: int, words: str = "more") -> None:
        """Set the note to `  ... 39 more`, if there are more rows than the table has.

        Then the hint is set too. Otherwise note and hint stay as they are.

        `total`: how many rows there are.
        """
        left_out = total - len(self.rows)
        if left_out > 0:
            self.note = f"  ... {left_out:,} {words}"
            self.hint = MORE_HINT

    def lines(self, columns: int = WIDEST) -> list[Line]:
        """Return the table as styled lines, at most `columns` wide if possible.

        [] if the table has no rows.
        """
        if not self.rows:
            return []
        lines = []
        if self.title:
            lines.append(styled_line(self.full_title, STRONG))
        lines += self.row_lines(columns)
        if self.note:
            lines.append(styled_line(self.note + self.hint, DIM))
        return lines

    def row_lines(self, columns: int) -> list[Line]:
        """Return the rows as lines, below the head if any column has a title.

        The lines are at most `columns` wide if possible.
        """
        head = self._head()
        layout = TableLayout(self.columns, head, self.rows, self.indent)
        widths = layout.fitted_widths(columns)
        lines = [layout.line(head, widths)] if head else []
        for row in self.rows:
            lines.append(layout.line(row, widths))
        return lines

    def markdown(self) -> list[str]:
        """Return the table as lines of Markdown; [] if the table has no rows.

        A column without text in any row is left out.
        """
        if not self.rows:
            return []
        lines = []
        if self.title:
            title = self.full_title
            lines += [f"**{title[0].upper()}{title[1:]}**", ""]
        used = sorted(columns_with_text(self.rows))
        columns = [self.columns[index] for index in used]
        lines.append(_markdown_row([column.title or "" for column in columns]))
        aligned = ["---:" if column.align == RIGHT else "---" for column in columns]
        lines.append(_markdown_row(aligned))
        for row in self.rows:
            cells = dict(cells_with_columns(row))
            texts = []
            for index, column in zip(used, columns, strict=True):
                texts.append(_cell_in_markdown(cells.get(index), column))
            lines.append(_markdown_row(texts))
        if self.note:
            lines += ["", self.note.strip()]
        return lines

    def html(self) -> str:
        """Return the table as HTML for a notebook; "" if the table has no rows.

        A column without text in any row is left out.
        """
        if not self.rows:
            return ""
        used = sorted(columns_with_text(self.rows))
        heads = []
        for index in used:
            column = self.columns[index]
            heads.append((column.title or "", column.align))
        rows = []
        for row in self.rows:
            cells = dict(cells_with_columns(row))
            rows.append([cells[index].text if index in cells else "" for index in used])
        return html_table(heads, rows, self.full_title, self.note)

    def _head(self) -> Row:
        """Return the row of the titles of the columns; () if no column has a title.

        A title also covers the columns to its right whose title is None.
        """
        if not any(column.title for column in self.columns):
            return ()
        head: list[Cell] = []
        for column in self.columns:
            if column.title is not None:
                head.append(styled_cell(harmless(column.title), STRONG))
            else:
                head[-1] = replace(head[-1], colspan=head[-1].colspan + 1)
        return head


def _markdown_row(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _cell_in_markdown(cell: Cell | None, column: Column) -> str:
    """Return a cell as Markdown: texts of users in code spans, other words escaped."""
    if cell is None or not cell.text.strip():
        return ""
    if column.is_code and cell.colspan == 1:
        return code_span(cell.text.strip(), in_cell=True)
    texts = [_span_in_markdown(text, style) for text, style in cell.spans]
    return "".join(texts).strip()


def _span_in_markdown(text: str, style: str) -> str:
    if style == USER:
        # GitHub does not break a code span, so a long text becomes several code spans
        lines = folded(cut(harmless(text), LONGEST_CELL), _WIDEST_LINE_OF_CELL)
        return "<br>".join(code_span(line, in_cell=True) for line in lines)
    shown = escaped(text).replace(" -> ", ARROW)
    return f"**{shown}**" if style == STRONG else shown
