"""Read tables in text, by column or by row, with places: CSV, TSV, and white space.

A million rows are read in about half a second, as fast as pandas reads them. The line
in which a row begins is counted only when a message needs it.
"""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from io import BytesIO, TextIOWrapper
from itertools import filterfalse, islice
from operator import itemgetter
from sys import intern
from typing import Any, NoReturn

from pytest_relevance._csv_cells import cells_of_any_length, unescaped
from pytest_relevance._problems import Place, Problems
from pytest_relevance._source import Source

WHITE = "white space"
"""The separator of columns that any number of spaces and tabs separates."""

_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_BLANKS = re.compile(r"[ \t]+")


def _other_blanks() -> set[str]:
    """Return the blanks that belong to a cell here, although `str.split` splits there.

    For example, a no-break space is part of an id.
    """
    blanks = set()
    for code in range(0x3001):
        character = chr(code)
        if character.isspace() and character not in " \t\r\n":
            blanks.add(character)
    return blanks


_OTHER_BLANKS = _other_blanks()

_AT_A_TIME = 200
"""How many rows are read at a time.

With more, the garbage collector takes longer: the columns of 300,000 rows of TSV took
0.57 s with 200 rows at a time, 0.79 s with 5000, and 1.15 s with all.
"""

BLOCK = 10_000
"""How many rows `blocks` of a table yields at a time, about."""

_NAMES = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
"""The names of separators in messages."""


class TextTable:
    """A table in text: CSV, TSV, or columns between white space.

    `names`: the names of its columns; by default the names in the header of the source.
    `separator`: the text between cells; by default the separator of the header.
    `comments`: whether lines that begin with # are left out.

    Between commas, semicolons and bars a cell may be quoted as in CSV. Between tabs a
    cell is quoted only as a whole, so that a text may have quotes. In white space no
    cell is quoted.
    """

    def __init__(
        self,
        source: Source,
        names: Sequence[str] | None = None,
        separator: str = "",
        *,
        comments: bool = False,
    ) -> None:
        self.source = source
        self.names = source.header.names if names is None else list(names)
        self._separator = separator or source.header.separator
        self._first = int(names is None)
        self._comments = comments and b"#" in source.data
        self._is_csv = self._separator in (",", ";", "|")

    @property
    def header_line(self) -> int:
        """Return the number of the line with the header, from 1."""
        return self.source.header.number

    def columns(self, wanted: Iterable[int]) -> list[list[str]]:
        """Return the cells of some columns, without the header. `wanted` are indexes.

        Raises:
            FileError: rows have another number of cells, or quotes are wrong; with the
                lines.
        """
        wanted = list(wanted)
        columns: list[list[str]] = [[] for _ in wanted]
        if not wanted:
            return columns
        repetitive: set[int] | None = None
        for rows in self._whole_chunks():
            if repetitive is None:
                repetitive = _repetitive_columns(rows, wanted)
            for column, number in zip(columns, wanted, strict=True):
                texts = map(itemgetter(number), rows)
                if number in repetitive:
                    texts = map(intern, texts)  # equal texts share memory
                column.extend(texts)
        return columns

    def cells(
        self, texts: Iterable[int], numbers_or_names: Iterable[int] = ()
    ) -> list[list[Any]]:
        """Return a list of cells for each column, the columns of `texts` first.

        Columns are given by their indexes. All cells are text, as in `columns`, with ""
        for a missing one. In `texts`, such as ids, the space is taken off that
        `escaped` puts before a formula.
        """
        texts = list(texts)
        columns = self.columns([*texts, *numbers_or_names])
        return _with_unescaped(columns, len(texts))

    def blocks(
        self, texts: Iterable[int], numbers_or_names: Iterable[int] = ()
    ) -> Iterator[list[list[Any]]]:
        """Yield a list of cells for each column, in parts of about `BLOCK` rows each.

        The arguments and the cells are those of `cells`. So a table can be read that
        has too many cells for the memory.
        """
        texts = list(texts)
        wanted = [*texts, *numbers_or_names]
        columns: list[list[Any]] = [[] for _ in wanted]
        read = 0
        for rows in self._whole_chunks():
            for column, number in zip(columns, wanted, strict=True):
                column.extend(map(itemgetter(number), rows))
            read += len(rows)
            if read >= BLOCK:
                yield _with_unescaped(columns, len(texts))
                columns = [[] for _ in wanted]
                read = 0
        if read:
            yield _with_unescaped(columns, len(texts))

    def place(self, row: int) -> Place:
        """Return the place of a row: the line in which it begins.

        `row` counts from 0, without the header.
        """
        return Place(line=self._lines[row])

    def records(self, problems: Problems) -> Iterator[tuple[int, Mapping[str, object]]]:
        """Yield each row as {name: cell}, with its line.

        A row with another number of cells becomes a problem.
        """
        for line, row in self.rows():
            if len(row) == len(self.names):
                yield line, dict(zip(self.names, row, strict=True))
            else:
                problems.add(self.wrong_width(len(row)), Place(line=line))

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Return the rows below the header, each with the line in which it begins."""
        rows = self._csv_rows() if self._is_csv else self._line_rows()
        return islice(rows, self._first, None)

    @cached_property
    def _lines(self) -> Sequence[int]:
        with cells_of_any_length():
            return array("L", (line for line, _ in self.rows()))

    def _whole_chunks(self) -> Iterator[list[list[str]]]:
        """Yield the rows below the header, in lists of at most `_AT_A_TIME`.

        Raises FileError if rows have another number of cells than the header, or if
        quotes are wrong.
        """
        try:
            for rows in self._chunks():
                if set(map(len, rows)) != {len(self.names)}:
                    self._refuse_rows()
                yield rows
        except csv.Error:
            self._refuse_rows()

    def _chunks(self) -> Iterator[list[list[str]]]:
        """Yield the rows below the header, in lists. Raises csv.Error."""
        rows: Iterator[list[str]]
        if self._is_csv:
            reader = csv.reader(self.lines(), delimiter=self._separator, strict=True)
            rows = filter(_is_row, reader)
        else:
            lines: Iterable[str] = filterfalse(str.isspace, self.lines())
            if self._comments:
                lines = (line for line in lines if not line.startswith("#"))
            rows = map(self.split, lines)
        rows = islice(rows, self._first, None)
        while True:
            with cells_of_any_length():
                chunk = list(islice(rows, _AT_A_TIME))
            if not chunk:
                return
            yield chunk

    def _csv_rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield each row of CSV that is not blank, with the line in which it begins."""
        reader = csv.reader(self.lines(), delimiter=self._separator, strict=True)
        begins = 1
        try:
            for row in reader:
                if _is_row(row):
                    yield begins, row
                begins = reader.line_num + 1
        except csv.Error as error:
            self.source.refuse(_wrong_quotes(str(error)), Place(line=begins))

    def _line_rows(self) -> Iterator[tuple[int, list[str]]]:
        for number, line in enumerate(self.lines(), 1):
            if not line.isspace() and not (self._comments and line.startswith("#")):
                yield number, self.split(line)

    def lines(self) -> TextIOWrapper:
        """Return the text as an open file, whose lines end in a line feed.

        A carriage return within a cell of a CSV stays. Any other one ends a line.
        """
        newline = "" if self._is_csv else None
        return TextIOWrapper(BytesIO(self.source.data), "utf-8", newline=newline)

    @cached_property
    def split(self) -> Callable[[str], list[str]]:
        """Return the function that splits a line into cells, at tabs or at white space.

        The end of the line is left out.
        """
        if self._separator == "\t":
            return _tab_cells
        data = self.source.data
        for character in _OTHER_BLANKS:
            may_be_there = character.isascii() or not data.isascii()
            if may_be_there and character.encode() in data:
                return white_cells
        return str.split

    def _refuse_rows(self) -> NoReturn:
        problems = Problems(self.source.file)
        with cells_of_any_length():
            for _ in self.records(problems):
                if problems.is_full:
                    break
        problems.raise_if_any()
        raise AssertionError("the table could not be read, but each of its rows can")

    def wrong_width(self, count: int) -> str:
        """Return the message about a row that has `count` cells, and how to mend it."""
        width = len(self.names)
        advice = "mend the line"
        if count < width:
            advice = "mend the line (a file that ends so is truncated)"
        elif self._is_csv:
            advice = "put a cell with a separator in it in quotes"
        separator = _NAMES.get(self._separator, self._separator)
        return (
            f"expected {width} columns, separated by {separator}, found {count}; "
            f"{advice}"
        )


def _with_unescaped(columns: list[list[Any]], texts: int) -> list[list[Any]]:
    """Return columns of cells. The first `texts` columns are unescaped."""
    unescaped_texts = [unescaped(column) for column in columns[:texts]]
    return unescaped_texts + columns[texts:]


def _repetitive_columns(
    rows: Sequence[Sequence[str]], columns: Iterable[int]
) -> set[int]:
    """Return the columns in which each text occurs twice or more on average."""
    repetitive = set()
    for column in columns:
        texts = {row[column] for row in rows}
        if len(texts) <= len(rows) / 2:
            repetitive.add(column)
    return repetitive


def _is_row(row: list[str]) -> bool:
    """Say whether a row is more than a blank line. Several blank cells are a row."""
    return len(row) > 1 or bool("".join(row).strip())


def _wrong_quotes(error: str) -> str:
    if "end of data" in error:
        return "a quoted cell in this row never ends; is the file truncated?"
    return (
        "a quoted cell in this row goes on after its closing quote; write a quote "
        'within quotes twice, ""'
    )


def white_cells(line: str) -> list[str]:
    """Return the cells of a line, split at spaces and tabs.

    Other white space, such as a no-break space, is part of an id.
    """
    return _BLANKS.split(line.strip(" \t\r\n"))


def _tab_cells(line: str) -> list[str]:
    """Return the cells of a line, split at tabs. A cell may be quoted as a whole."""
    cells = line.rstrip("\n").split("\t")
    if '"' not in line:
        return cells
    unquoted = []
    for cell in cells:
        if _QUOTED.fullmatch(cell):
            cell = cell[1:-1].replace('""', '"')
        unquoted.append(cell)
    return unquoted
