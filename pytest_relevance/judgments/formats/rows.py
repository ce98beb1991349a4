"""Files of rows as columns of text: cells between commas, semicolons or bars (CSV), tabs, or any white space.

A million rows are read in about half a second, as fast as pandas reads them, and the line of each row is known.
"""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from io import BytesIO, TextIOWrapper
from itertools import islice
from operator import itemgetter
from threading import Lock

from pytest_relevance.judgments.problems import Problems
from pytest_relevance.judgments.source import Source

WHITE = "white space"
"""The separator of columns that any number of spaces and tabs separates."""

MOST_WRONG = 100
"""The number of wrong rows after which no more are looked for."""

_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_BLANKS = re.compile(r"[ \t]+")
_OTHER_BLANKS = "".join(character for character in map(chr, range(0x3001)) if character.isspace()).translate(
    dict.fromkeys(map(ord, " \t\r\n"))
)
"""Characters that `str.split` separates at and these files do not, such as a no-break space: they are part of an id."""

_LONGEST_CELL = 2**31 - 1  # what a C long has room for on every platform
_AT_A_TIME = 200  # rows: few enough that they are freed before the garbage collector looks at them
_LIMIT = Lock()
_NAMES = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}


class Rows:
    """The rows of a file: the separator of its columns, their number, and whether the first row is a header.

    Between commas, semicolons and bars a cell may be quoted as in CSV. Between tabs it is quoted only as a whole, so
    that a text may have quotes; in white space never. `comments`: whether lines that begin with # are left out.
    """

    def __init__(
        self, source: Source, separator: str, width: int, *, header: bool = False, comments: bool = False
    ) -> None:
        self._source = source
        self._separator = separator
        self._width = width
        self._header = header
        self._comments = comments
        self._lines: Sequence[int] = ()

    def columns(self, wanted: Sequence[int]) -> list[list[str]]:
        """Read the cells of some columns, without the header.

        Raises:
            JudgmentFileError: rows have another number of cells, or quotes are wrong; with the lines.
        """
        columns: list[list[str]] = [[] for _ in wanted]
        numbers = array("L")
        problems = Problems(self._source.file, MOST_WRONG)
        rows = self._numbered()
        if self._header:
            next(rows, None)
        while chunk := list(islice(rows, _AT_A_TIME)):
            lines, cells = zip(*chunk, strict=True)
            if set(map(len, cells)) != {self._width}:
                for line, row in chunk:
                    if len(row) != self._width:
                        problems.add(self._wrong_width(len(row)), line)
                if problems.full:
                    break
                continue
            numbers.extend(lines)
            for column, number in zip(columns, wanted, strict=True):
                column.extend(map(itemgetter(number), cells))
        problems.check()
        self._lines = numbers
        return columns

    def line(self, row: int) -> int:
        """The line in which a row begins, once the columns have been read; the header is no row."""
        return self._lines[row]

    def _wrong_width(self, count: int) -> str:
        found = f"{count} column{'s' if count != 1 else ''}"
        cure = "mend the line"
        if count < self._width:
            cure = "mend the line (a file that ends so is truncated)"
        elif self._is_csv:
            cure = "put a cell with a separator in it in quotes"
        separator = _NAMES.get(self._separator, self._separator)
        return f"found {found} where there are {self._width}, separated by {separator}; {cure}"

    @property
    def _is_csv(self) -> bool:
        return self._separator in (",", ";", "|")

    def _numbered(self) -> Iterator[tuple[int, list[str]]]:
        """Each row that is not blank, the header too, and the line it begins in."""
        if self._is_csv:
            yield from self._numbered_csv()
            return
        split = self._split
        for number, line in enumerate(TextIOWrapper(BytesIO(self._source.data), "utf-8-sig"), 1):
            if not line.isspace() and not (self._comments and line.startswith("#")):
                yield number, split(line)

    @cached_property
    def _split(self) -> Callable[[str], list[str]]:
        if self._separator == "\t":
            return _tab_cells
        text = self._source.text
        return white_cells if any(character in text for character in _OTHER_BLANKS) else str.split

    def _numbered_csv(self) -> Iterator[tuple[int, list[str]]]:
        begins = 1
        try:
            for ends, row in csv_rows(self._source.data, self._separator):
                if len(row) > 1 or "".join(row).strip():  # a blank line is no row; a row of blank cells is one
                    yield begins, row
                begins = ends + 1
        except csv.Error as error:
            self._source.refuse(_wrong_quotes(str(error)), begins)


def csv_rows(data: bytes, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Read the rows of a CSV, blank lines too, and the line in which each ends. Cells may be of any length.

    Raises:
        csv.Error: quotes are not closed, or stand where CSV has none.
    """
    text = TextIOWrapper(BytesIO(data), "utf-8-sig", newline="")
    reader = csv.reader(text, delimiter=separator, strict=True)
    while True:
        rows: list[tuple[int, list[str]]] = []
        error = None
        with _cells_of_any_length():
            try:
                for row in islice(reader, _AT_A_TIME):
                    rows.append((reader.line_num, row))  # noqa: PERF401 - those before an error count
            except csv.Error as found:
                error = found
        yield from rows
        if error is not None:
            raise error
        if len(rows) < _AT_A_TIME:
            return


@contextmanager
def _cells_of_any_length() -> Iterator[None]:
    """Lift the csv module's limit of 128 KiB per cell. It is that of the whole process, so it is restored."""
    with _LIMIT:
        limit = csv.field_size_limit(_LONGEST_CELL)
        try:
            yield
        finally:
            csv.field_size_limit(limit)


def _wrong_quotes(error: str) -> str:
    """Explain what the csv module says of the quotes in a row."""
    if "end of data" in error:
        return "a quoted cell in this row never ends; is the file truncated?"
    if "expected after" in error:
        return 'a quoted cell in this row goes on behind its closing quote; a quote within quotes is written twice, ""'
    return f"the row that begins here cannot be read: {error}"


def white_cells(line: str) -> list[str]:
    """Split a line at spaces and tabs; other white space, such as a no-break space, is part of an id."""
    return _BLANKS.split(line.strip(" \t\r\n"))


def _tab_cells(line: str) -> list[str]:
    cells = line.rstrip("\n").split("\t")
    if '"' not in line:
        return cells
    return [cell[1:-1].replace('""', '"') if _QUOTED.fullmatch(cell) else cell for cell in cells]
