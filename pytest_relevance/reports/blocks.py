"""What reports are made of: sentences, tables, and the sections of a report in Markdown.

A terminal shows them as aligned lines of a given width, Markdown as sections, each of which is left out as a whole
where a report is longer than allowed, and a notebook as HTML. Texts of users are escaped and cut for a terminal, and
stand in code spans in Markdown, where nothing is a link, a mention or markup.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from pytest_relevance._text import NUMBER, TEXT, counted, harmless, html_table, listed
from pytest_relevance.reports.markdown_text import code_span, escaped, short_code_span
from pytest_relevance.reports.recognition import REPORT_MARK
from pytest_relevance.reports.styled_lines import (
    DIM,
    PLAIN,
    STRONG,
    Line,
    Span,
    folded_lines,
    styled_line,
    wrapped,
)
from pytest_relevance.reports.terminal_text import (
    WIDEST,
    cut,
    cut_middle,
    display_width,
    folded,
)

LEFT, RIGHT = TEXT, NUMBER
"""The alignments of a column."""

USER = "user"
"""The style of a span that a user wrote: Markdown shows it in a code span."""

ARROW = "\u00a0\u2192\u00a0"
"""In Markdown between before and after, with no-break spaces, so that a narrow column keeps them in one line."""

MORE_HINT = " (-v shows all)"
"""How a terminal shows the rest of a list."""

LONGEST_CELL, _WIDEST_CELL = 80, 40
"""The columns that a text of a user takes in a table in Markdown before it is cut, and in one of its lines."""

_WANTED_TITLE = 28  # columns of a title in a table

_NARROWEST = 12  # columns of text that is cut as far as can be


class Column(NamedTuple):
    """A column of a table; widths are in terminal columns.

    `title`: its head, None where the title to its left covers it too. `gap`: the blanks before it. `at_least`: its
    minimum width. `most`: the width to which longer text is always cut. `least`: the width to which text is cut where
    the table is too wide, or less where that does not suffice; None: it is never cut. Columns are cut from left to
    right. Before any is cut, columns with a `yields` are left out, those with the highest number first, until every
    other column has the width that it `wants` (by default its `least`). `middle`: cut text in its middle. `is_code`:
    Markdown shows the text in code spans.
    """

    title: str | None = ""
    align: str = LEFT
    gap: int = 2
    at_least: int = 0
    most: int = sys.maxsize
    least: int | None = None
    wants: int | None = None
    yields: int = 0
    middle: bool = False
    is_code: bool = False


def document_columns(title: str = "document") -> tuple[Column, Column]:
    """The columns of an id and its title. Where there is not room for both, long ids are cut first, then titles.

    Columns that yield are left out where a title would have too little room.
    """
    titles = Column(None, least=8, wants=_WANTED_TITLE, middle=True, is_code=True)
    return (Column(title, least=24, middle=True, is_code=True), titles)


MOST_CHARACTERS = 20_000
"""How long a report in Markdown is by default, so that somebody reads it: a comment on GitHub holds 65,536."""


class Cell(NamedTuple):
    """A cell made of styled spans, or one that covers several columns."""

    spans: Line
    columns: int = 1


def styled(text: str, style: str, columns: int = 1) -> Cell:
    """A cell of one span."""
    return Cell(((text, style),), columns)


Row = Sequence[tuple[int, Cell]]
"""The cells of a row, each with the index of the column that it begins in; the last columns may have none."""


@dataclass(slots=True, eq=False, repr=False)
class Table:
    """Columns and rows; without rows nothing is shown. There is a head where any column has a title.

    `indent` is in blanks. `title` stands above the table, `note` below it; `hint` follows the note in a terminal alone.
    """

    columns: Sequence[Column]
    rows: list[Row] = field(default_factory=list)
    indent: int = 0
    title: str = ""
    note: str = ""
    hint: str = ""

    def add(self, *cells: str | Cell, style: str = PLAIN) -> None:
        """Add a row of cells from left to right. `style` applies to those that are plain text."""
        row, index = [], 0
        for each in cells:
            cell = styled(each, style) if isinstance(each, str) else each
            row.append(
                (
                    index,
                    cell._replace(
                        spans=tuple((harmless(text), how) for text, how in cell.spans)
                    ),
                )
            )
            index += cell.columns
        self.rows.append(row)

    def lines(self, columns: int = WIDEST) -> list[Line]:
        """The table as styled lines, at most `columns` wide where cutting the columns that allow it suffices."""
        if not self.rows:
            return []
        title = [styled_line(self.title, STRONG)] if self.title else []
        note = [styled_line(self.note + self.hint, DIM)] if self.note else []
        return [*title, *self.row_lines(columns), *note]

    def row_lines(self, columns: int = WIDEST) -> list[Line]:
        """The line of the head, where there is one, and of each row."""
        rows = self._with_head()
        widths = self._widths(rows, columns)
        return [self._line(row, widths) for row in rows]

    def markdown(self) -> list[str]:
        """The table as lines of Markdown."""
        if not self.rows:
            return []
        widths = self._natural(self.rows)
        used = [
            (index, column)
            for index, column in enumerate(self.columns)
            if widths[index]
        ]
        head = [column.title or "" for _, column in used]
        align = ["---:" if column.align == RIGHT else "---" for _, column in used]
        body = [
            [_in_markdown(dict(row).get(index), column) for index, column in used]
            for row in self.rows
        ]
        title = (
            [f"**{self.title[0].upper()}{self.title[1:]}**", ""] if self.title else []
        )
        note = ["", self.note.strip()] if self.note else []
        return [
            *title,
            *(f"| {' | '.join(cells)} |" for cells in (head, align, *body)),
            *note,
        ]

    def html(self) -> str:
        """The table as HTML for a notebook."""
        if not self.rows:
            return ""
        widths = self._natural(self.rows)
        used = [index for index, width in enumerate(widths) if width]
        columns = [
            (self.columns[index].title or "", self.columns[index].align)
            for index in used
        ]
        cells = [{index: _text(cell) for index, cell in row} for row in self.rows]
        return html_table(
            columns,
            [[row.get(index, "") for index in used] for row in cells],
            self.title,
            self.note,
        )

    def _with_head(self) -> Sequence[Row]:
        if not any(column.title for column in self.columns):
            return self.rows
        head: list[tuple[int, Cell]] = []
        for index, column in enumerate(self.columns):
            if column.title is not None:
                head.append((index, styled(harmless(column.title), STRONG)))
            else:
                first, cell = head[-1]
                head[-1] = first, cell._replace(columns=cell.columns + 1)
        return [head, *self.rows]

    def _natural(self, rows: Sequence[Row]) -> list[int]:
        """The width of each column before the table is cut to fit: that of its widest cell, at most its `most`."""
        used = {
            index
            for row in self.rows
            for index, cell in row
            if cell.columns == 1 and _text(cell)
        }
        widths = [column.at_least for column in self.columns]
        for row in rows:
            for index, cell in row:
                if cell.columns == 1 and index in used:
                    widths[index] = max(widths[index], _width(cell))
        return [
            min(each, column.most)
            for each, column in zip(widths, self.columns, strict=True)
        ]

    def _widths(self, rows: Sequence[Row], room: int) -> list[int]:
        """The width of each column, 0 for one that is left out."""
        natural = self._without_yielding(rows, room)
        widths = [*natural]
        for narrowest in (sys.maxsize, _NARROWEST):
            over = self._total(widths) - room
            for index, column in enumerate(self.columns):
                least = (
                    widths[index]
                    if column.least is None
                    else min(column.least, narrowest)
                )
                if over > 0 and widths[index] > least:
                    less = min(over, widths[index] - least)
                    widths[index] -= less
                    over -= less
        return self._widened(rows, widths)

    def _widened(self, rows: Sequence[Row], widths: Sequence[int]) -> list[int]:
        """The widths, more where a cell that covers several columns is wider than these."""
        wider = [*widths]
        for row in rows:
            for index, cell in row:
                if cell.columns > 1:
                    covered, there = self._covered(index, cell, wider)
                    wider[covered[-1] if covered else index] += max(
                        0, _width(cell) - there
                    )
        return wider

    def _without_yielding(self, rows: Sequence[Row], room: int) -> list[int]:
        """The widths before the table is cut to fit, 0 for the columns that yield because others want their room."""
        natural = self._natural(rows)
        wants = [
            column.least if column.wants is None else column.wants
            for column in self.columns
        ]
        for number in sorted(
            {column.yields for column in self.columns} - {0}, reverse=True
        ):
            wanted = [
                each if most is None else min(each, most)
                for each, most in zip(natural, wants, strict=True)
            ]
            if self._total(self._widened(rows, wanted)) > room:
                pairs = zip(self.columns, natural, strict=True)
                natural = [
                    0 if column.yields == number else each for column, each in pairs
                ]
        return natural

    def _total(self, widths: Sequence[int]) -> int:
        """The width of the table whose columns have these widths, with its indent and the gaps between columns."""
        used = [
            (each, column.gap)
            for each, column in zip(widths, self.columns, strict=False)
            if each
        ]
        return (
            self.indent
            + sum(each + gap for each, gap in used)
            - (used[0][1] if used else 0)
        )

    def _covered(
        self, index: int, cell: Cell, widths: Sequence[int]
    ) -> tuple[list[int], int]:
        """The columns that a cell covers and that are not left out, and how wide they are together."""
        used = [each for each in range(index, index + cell.columns) if widths[each]]
        return used, sum(widths[each] for each in used) + sum(
            self.columns[each].gap for each in used[1:]
        )

    def _line(self, row: Row, widths: Sequence[int]) -> Line:
        spans: list[Span] = []
        for index, cell in row:
            covered, room = self._covered(index, cell, widths)
            if not covered:
                continue
            column = self.columns[index]
            shown = _fitted(cell.spans, room, cut_middle if column.middle else cut)
            blanks = " " * (room - sum(display_width(part) for part, _ in shown))
            before, after = (blanks, "") if column.align == RIGHT else ("", blanks)
            gap = " " * (self.columns[covered[0]].gap if spans else self.indent)
            spans += [(gap + before, PLAIN), *shown, (after, PLAIN)]
        return _joined(spans)


def _fitted(spans: Line, room: int, shorten: Callable[[str, int], str]) -> Line:
    """Spans cut to `room` columns: the longest alone, or where hardly any of it would be left, all joined into one."""
    longest = max(spans, key=lambda span: display_width(span[0]), default=("", PLAIN))
    left = (
        room - sum(display_width(part) for part, _ in spans) + display_width(longest[0])
    )
    if left >= display_width(longest[0]):
        return spans
    if left < _NARROWEST:
        return ((shorten("".join(text for text, _ in spans), room), longest[1]),)
    return tuple(
        (shorten(text, left), style) if (text, style) == longest else (text, style)
        for text, style in spans
    )


def _width(cell: Cell) -> int:
    return display_width(_text(cell))


def _text(cell: Cell) -> str:
    return "".join(text for text, _ in cell.spans)


def _in_markdown(cell: Cell | None, column: Column) -> str:
    """The text of a cell: what users wrote in code spans, cut where it is long; the words of the report escaped."""
    if cell is None or not _text(cell).strip():
        return ""
    if column.is_code and cell.columns == 1:
        return code_span(_text(cell).strip(), in_cell=True)
    return "".join(_span_in_markdown(*span) for span in cell.spans).strip()


def _span_in_markdown(words: str, style: str) -> str:
    if style == USER:
        # a code span in a table does not wrap
        lines = folded(cut(harmless(words), LONGEST_CELL), _WIDEST_CELL)
        return "<br>".join(code_span(each, in_cell=True) for each in lines)
    shown = escaped(words).replace(" -> ", ARROW)
    return f"**{shown}**" if style == STRONG else shown


def _joined(spans: Iterable[Span]) -> Line:
    """Neighbouring spans of one style joined, without blanks at the end. Blanks show no style: they join any span."""
    joined: list[Span] = [("", PLAIN)]
    for words, style in spans:
        before, of_before = joined[-1]
        if not before.strip():
            joined[-1] = before + words, style
        elif style == of_before or not words.strip():
            joined[-1] = before + words, of_before
        else:
            joined.append((words, style))
    last, style = joined[-1]
    return *joined[:-1], (last.rstrip(), style)


FAILURE = "failure"
"""The name of a section about one failure: these are counted where they are left out."""


class Sentence(NamedTuple):
    """A sentence with texts of users in it, and its style in a terminal.

    A terminal folds it over indented lines: the text at its blanks, or between its `parts`, where there are any.
    """

    text: str
    style: str = PLAIN
    parts: tuple[str, ...] = ()

    def lines(self, columns: int) -> list[Line]:
        """The sentence for a terminal."""
        if not self.parts:
            return folded_lines(self.text, self.style, columns)
        return wrapped(
            f"{harmless(self.text)}  ",
            map(harmless, self.parts),
            columns,
            "   ",
            self.style,
        )

    def markdown(self) -> str:
        """The sentence in a code span, so that nothing in it is read as markup, a link or a mention."""
        return short_code_span("   ".join([self.text.strip(), *self.parts]))


Block = Sentence | Table


def lines_of(blocks: Iterable[Block], columns: int) -> list[Line]:
    """Blocks one below the other, for a terminal of so many columns."""
    return [spans for block in blocks for spans in block.lines(columns)]


class Section(NamedTuple):
    """A part of a report in Markdown that is shown or left out as a whole. The line about what is left out names it.

    The text may be given by a function, which is not called where there is no room.
    """

    content: str | Callable[[], str]
    name: str

    @property
    def text(self) -> str:
        """The Markdown."""
        return self.content if isinstance(self.content, str) else self.content()


def table_sections(name: str, tables: Iterable[Table]) -> Iterable[Section]:
    """A section for each table that has rows; all have the same name where they are left out."""
    return (
        Section("\n".join(table.markdown()), name) for table in tables if table.rows
    )


def list_section(items: Iterable[Sentence], name: str) -> Iterable[Section]:
    """A section that is a list of sentences; none where there is none."""
    text = "\n".join(f"- {item.markdown()}" for item in items)
    return [Section(text, name)] if text else []


def details(summary: str, lines: Iterable[str]) -> str:
    """A folded part of a report in Markdown: HTML that is always shown, and lines of Markdown inside."""
    return "\n".join(
        [f"<details><summary>{summary}</summary>", "", *lines, "", "</details>"]
    )


def joined_sections(
    sections: Iterable[Section], most: int | None = MOST_CHARACTERS
) -> str:
    """Sections one after the other; where these are longer than `most` characters, the last ones are left out.

    The first one stays, however long it is. A line at the end says what is left out. `most=None` leaves out nothing.
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
    """What is left out: `Left out, as this report has at most 20,000 characters: 39 failures.`"""
    counts = Counter(names)
    parts = [
        counted(count, name) if name == FAILURE else name
        for name, count in counts.items()
    ]
    return f"Left out, as this report has at most {most:,} characters: {listed(parts, 'and')}."


def heading(sentence: str, mark: str) -> str:
    """The beginning of a report: the HTML comment by which it is recognised as one, and its sentence as a heading."""
    return f"<!-- {REPORT_MARK} -->\n### {mark} {escaped(sentence)}"
