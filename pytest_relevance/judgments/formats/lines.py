"""Files of rows, read through pandas: columns of text by the million, and the line of a row when it is asked for.

pandas reads the rows; what it would let pass (a row that is too short) is looked for afterwards, and a file that has
any trouble is read again, slowly and with line numbers, to say where.
"""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO, StringIO
from itertools import islice
from threading import Lock

from pytest_relevance.judgments.problems import FileProblem, JudgmentFileError
from pytest_relevance.judgments.source import Source

WHITE = r"\s+"
"""The separator of columns between which there is any white space."""

MOST_WRONG = 100
_BOM = b"\xef\xbb\xbf"
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_BLANKS = re.compile(r"[ \t]+")
_LINE_END = re.compile(r"\r\n|\r|\n")
_LONGEST_CELL = 2**31 - 1  # what a C long holds everywhere
_AT_A_TIME = 1000
_LIMIT = Lock()
_NAMES = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars", WHITE: "white space"}


@dataclass(frozen=True)
class Rows:
    """A file of rows: how its columns are separated, how many there are, whether the first row is a header.

    Between commas, semicolons and bars a cell may be quoted as in CSV. Between tabs it is only where all of it is, so
    that a text may have quotes; in white space never. `comments`: whether lines that begin with # are none.
    """

    source: Source
    separator: str
    width: int
    header: bool = False
    comments: bool = False

    @property
    def is_csv(self) -> bool:
        """Whether cells may be quoted, and then go over several lines."""
        return self.separator in (",", ";", "|")

    def columns(self, wanted: Sequence[int]) -> list[list[str]]:
        """The cells of some columns, without the header. `JudgmentFileError` names the lines with another width."""
        from pandas.errors import ParserError

        try:
            cells = self._quick(wanted)
        except (ParserError, UnicodeDecodeError):
            cells = None
        if cells is None:
            rows = list(self.careful())
            cells = [[row[column] for _, row in rows] for column in wanted]
        return cells

    def line(self, row: int) -> int | None:
        """The line in which a row begins; the header is no row."""
        return self._lines[row] if row < len(self._lines) else None

    @cached_property
    def _lines(self) -> Sequence[int]:
        return array("L", (line for line, _ in self.careful()))  # for who asks about one row asks about others

    def careful(self) -> Iterator[tuple[int, list[str]]]:
        """Each row with its line, in Python. Ends in `JudgmentFileError` where rows have another width."""
        problems = []
        rows = self._numbered()
        if self.header:
            next(rows, None)
        for line, row in rows:
            if len(row) == self.width:
                yield line, row
                continue
            problems.append(FileProblem(self._wrong_width(row), line))
            if len(problems) == MOST_WRONG:
                break
        if problems:
            raise JudgmentFileError(self.source.file, problems)

    def _wrong_width(self, row: Sequence[str]) -> str:
        count = f"{len(row)} column{'s' if len(row) != 1 else ''}"
        return (
            f"found {count} where there are {self.width}, separated by {_NAMES.get(self.separator, self.separator)}; "
            f"{self._cure(len(row))}"
        )

    def _cure(self, count: int) -> str:
        if count < self.width:
            return "mend the line (a file that ends so is truncated)"
        return "put a cell with a separator in it in quotes" if self.is_csv else "mend the line"

    @cached_property
    def _text(self) -> str:
        text = self.source.text
        if self.comments and ("\n#" in text or text.startswith("#")):
            text = re.sub(r"^#.*$", "", text, flags=re.MULTILINE)  # the lines stay, for their numbers
        return text

    def _quick(self, wanted: Sequence[int]) -> list[list[str]] | None:
        """The columns by pandas, or None when a row may be too short for them."""
        import pandas

        text = self._text
        data = self.source.data
        frame = pandas.read_csv(
            BytesIO(data if text is self.source.text and not data.startswith(_BOM) else text.encode()),
            sep=self.separator,
            header=None,
            names=range(self.width),
            skiprows=self._header_lines,
            dtype=object,
            keep_default_na=False,
            na_filter=False,
            quoting=csv.QUOTE_MINIMAL if self.is_csv else csv.QUOTE_NONE,
            encoding="utf-8",
        )
        if not isinstance(frame.index, pandas.RangeIndex):
            return None  # the rows are wider: pandas took the first column for an index
        if self.is_csv and '"' in text:
            if not self._is_well_quoted():
                return None
        elif self._may_be_short(text, frame):
            return None
        cells: list[list[str]] = [frame[column].tolist() for column in wanted]
        if self.separator == "\t" and '"' in text:
            cells = [_unquoted(column) for column in cells]
        return cells

    @cached_property
    def _header_lines(self) -> int:
        """How many lines come before the first row."""
        if not self.header:
            return 0
        rows = self._numbered()
        next(rows)
        following = next(rows, None)
        return following[0] - 1 if following is not None else self.source.text.count("\n") + 1

    def _may_be_short(self, text: str, frame: object) -> bool:
        """Whether a row may lack cells, which pandas fills up without a word."""
        last: list[str] = frame[self.width - 1].tolist()  # type: ignore[index]
        if "" not in last:
            return False
        if self.separator == WHITE:
            return True
        return text.count(self.separator) != (len(last) + bool(self._header_lines)) * (self.width - 1)

    def _is_well_quoted(self) -> bool:
        """Whether every quote stands where CSV has one, and every row is as wide as the others.

        pandas lets a quote that is never closed, or stands within a cell, swallow what follows without a word.
        """
        reader = csv.reader(StringIO(self._text, newline=""), delimiter=self.separator, strict=True)
        try:  # a cell of more than 128 KiB is an error here, and read with care
            return all(len(row) == self.width or not "".join(row).strip() for row in reader)
        except csv.Error:
            return False

    def _numbered(self) -> Iterator[tuple[int, list[str]]]:
        """Each row that is not blank, the header too, and the line it begins in."""
        if not self.is_csv:
            for number, line in enumerate(_LINE_END.split(self._text), 1):
                if line.strip():
                    yield number, white_cells(line) if self.separator == WHITE else _unquoted(line.split("\t"))
            return
        begins = 1
        try:
            for ends, row in csv_rows(self._text, self.separator):
                if len(row) > 1 or "".join(row).strip():  # a blank line is no row; a row of blank cells is one
                    yield begins, row
                begins = ends + 1
        except csv.Error as error:
            self.source.refuse(_wrong_quotes(str(error)), begins)


def csv_rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV, blank lines too, and the line in which each ends. Cells may be of any length.

    Raises csv.Error for quotes that stand where CSV has none.
    """
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
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
    """Lift the limit of Python's reader of CSV, 128 KiB a cell. It is the whole process's, and put back."""
    with _LIMIT:
        limit = csv.field_size_limit(_LONGEST_CELL)
        try:
            yield
        finally:
            csv.field_size_limit(limit)


def _wrong_quotes(error: str) -> str:
    """What Python's reader of CSV says of the quotes in a row, and what to do about it."""
    if "end of data" in error:
        return "a quoted cell in this row never ends; is the file truncated?"
    if "expected after" in error:
        return 'a quoted cell in this row goes on behind its closing quote; a quote within quotes is written twice, ""'
    return f"the row that begins here cannot be read: {error}"


def white_cells(line: str) -> list[str]:
    """The cells of a line between spaces and tabs; other white space, such as a no-break space, is part of an id."""
    return _BLANKS.split(line.strip(" \t\r"))


def _unquoted(cells: Sequence[str]) -> list[str]:
    return [cell[1:-1].replace('""', '"') if cell[:1] == '"' and _QUOTED.fullmatch(cell) else cell for cell in cells]


def separator_of(line: str) -> str:
    """What separates the cells of a header: the one of tab, comma, semicolon and bar that makes the most of them."""
    return max(("\t", ",", ";", "|"), key=line.count)


def header_of(line: str, separator: str) -> list[str]:
    """The names in a header line, which a carriage return outside quotes ends too, as it ends every row."""
    try:
        names = next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        names = next(csv.reader([line.partition("\r")[0]], delimiter=separator), [])
    return [name.strip() for name in names]
