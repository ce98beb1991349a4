"""Files of rows as columns of text: cells between commas, semicolons or bars (CSV), tabs, or any white space.

A million rows are read in about half a second, as fast as pandas reads them, and the line of each row is known.
"""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from io import BytesIO, TextIOWrapper
from itertools import accumulate, compress, islice
from operator import itemgetter
from sys import intern
from threading import Lock
from typing import Any

from pytest_relevance.judgments.problems import Problems
from pytest_relevance.judgments.source import Source

WHITE = "white space"
"""The separator of columns that any number of spaces and tabs separates."""

MOST_WRONG = 100
"""The number of wrong rows after which no more are looked for."""

Chunk = tuple[Sequence[int], list[list[str]]]
"""Some rows: the lines in which they begin, and their cells."""

_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
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
        repetitive: set[int] = set()
        numbers = array("L")
        problems = Problems(self._source.file, MOST_WRONG)
        for lines, rows in self._chunks():
            if set(map(len, rows)) - {self._width}:
                for line, row in zip(lines, rows, strict=True):
                    if len(row) != self._width:
                        problems.add(self._wrong_width(len(row)), line)
                if problems.full:
                    break
                continue
            if not numbers:
                repetitive = {number for number in wanted if 2 * len({row[number] for row in rows}) <= len(rows)}
            numbers.extend(lines)
            for column, number in zip(columns, wanted, strict=True):
                texts = map(itemgetter(number), rows)
                column.extend(map(intern, texts) if number in repetitive else texts)  # equal texts share memory
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

    def _chunks(self) -> Iterator[Chunk]:
        """The rows that are not blank, without the header."""
        chunks = self._csv_chunks() if self._is_csv else self._line_chunks()
        if self._header:
            for lines, rows in chunks:
                if rows:
                    yield lines[1:], rows[1:]
                    break
        yield from chunks

    def _csv_chunks(self) -> Iterator[Chunk]:
        try:
            yield from csv_chunks(self._source.data, self._separator)
        except csv.Error as error:
            line = _line_of_wrong_row(self._source.data, self._separator)
            self._source.refuse(_wrong_quotes(str(error)), line)

    def _line_chunks(self) -> Iterator[Chunk]:
        text, split = self._source.text, self._split
        has_comments = self._comments and (text.startswith("#") or "\n#" in text)
        file = TextIOWrapper(BytesIO(self._source.data), "utf-8-sig")
        begins = 1
        while lines := list(islice(file, _AT_A_TIME)):
            numbers: Sequence[int] = range(begins, begins + len(lines))
            begins += len(lines)
            if has_comments or any(map(str.isspace, lines)):
                kept = [not line.isspace() and not (has_comments and line.startswith("#")) for line in lines]
                numbers, lines = list(compress(numbers, kept)), list(compress(lines, kept))
            yield numbers, list(map(split, lines))

    @cached_property
    def _split(self) -> Callable[[str], list[str]]:
        if self._separator == "\t":
            return _tab_cells
        text = self._source.text
        return white_cells if any(character in text for character in _OTHER_BLANKS) else str.split


def csv_chunks(data: bytes, separator: str) -> Iterator[Chunk]:
    """Read the rows of a CSV that are not blank, and the lines in which they begin. Cells may be of any length.

    Raises:
        csv.Error: quotes are not closed, or stand where CSV has none.
    """
    reader = _csv_reader(data, separator)
    while True:
        read = reader.line_num
        with _cells_of_any_length():
            rows = list(islice(reader, _AT_A_TIME))
        if not rows:
            return
        lines: Sequence[int] = range(read + 1, reader.line_num + 1)
        if len(lines) > len(rows):  # line breaks in quoted cells
            ends = accumulate((1 + len(_LINE_BREAK.findall("\0".join(row))) for row in rows), initial=read + 1)
            lines = list(ends)[:-1]
        if min(map(len, rows)) < 2:  # a blank line is no row; a row of blank cells is one
            kept = [len(row) > 1 or bool("".join(row).strip()) for row in rows]
            lines, rows = list(compress(lines, kept)), list(compress(rows, kept))
        yield lines, rows


def _csv_reader(data: bytes, separator: str) -> Any:
    text = TextIOWrapper(BytesIO(data), "utf-8-sig", newline="")
    return csv.reader(text, delimiter=separator, strict=True)


def _line_of_wrong_row(data: bytes, separator: str) -> int:
    """The line in which the first row begins that cannot be read."""
    reader = _csv_reader(data, separator)
    begins = 1
    with _cells_of_any_length(), suppress(csv.Error):
        for _ in reader:
            begins = reader.line_num + 1
    return begins


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
