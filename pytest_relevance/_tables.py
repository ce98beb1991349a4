"""Tables: CSV, TSV, columns between white space, Parquet, and JSON objects; read by column or by row, with places.

A million rows are read in about half a second, as fast as pandas reads them. The line in which a row begins is counted
only when a message needs it.
"""

from __future__ import annotations

import csv
import json
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from functools import cached_property
from io import BytesIO, TextIOWrapper
from itertools import chain, filterfalse, islice
from operator import attrgetter, itemgetter
from sys import intern
from threading import Lock
from types import SimpleNamespace
from typing import Any, NoReturn

from pytest_relevance._ids import exact_text
from pytest_relevance._problems import Place, Problems
from pytest_relevance._source import NumberAsWritten, Source, as_text, found_json
from pytest_relevance._text import counted, found, listed, quoted

WHITE = "white space"
"""The separator of columns that any number of spaces and tabs separates."""

FORMULA = re.compile(" *[=+@\\t\\r\uff1d\uff0b\uff0d\uff20-]")
"""The beginning of a cell that a spreadsheet would calculate: `= + - @`, their fullwidth forms, tab, carriage return.

A cell that matches is written with a space in front, and read without its first space. The pattern means the same in
JavaScript.
"""

_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_BLANKS = re.compile(r"[ \t]+")
_OTHER_BLANKS = {
    character for character in map(chr, range(0x3001)) if character.isspace()
} - set(" \t\r\n")
"""Characters that `str.split` separates at and these files do not, such as a no-break space: they are part of an id."""

_LONGEST_CELL = 2**31 - 1  # what a C long has room for on every platform
_AT_A_TIME = 200  # rows: few enough that they are freed before the garbage collector looks at them
_LIMIT = Lock()
_NAMES = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}


class TextTable:
    """A table in text: the names of its columns, their separator, and whether the first row is a header.

    By default, all of this comes from the header of the source. Between commas, semicolons and bars a cell may be
    quoted as in CSV. Between tabs it is quoted only as a whole, so that a text may have quotes; in white space never.
    `comments`: whether lines that begin with # are left out.
    """

    header_line: int = 1

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

    def columns(self, wanted: Iterable[int]) -> list[list[str]]:
        """Read the cells of some columns, without the header.

        Raises:
            FileError: rows have another number of cells, or quotes are wrong; with the lines.
        """
        wanted = list(wanted)
        columns: list[list[str]] = [[] for _ in wanted]
        repetitive: set[int] | None = None
        try:
            for rows in self._chunks():
                if set(map(len, rows)) != {len(self.names)}:
                    self._refuse_rows()
                if repetitive is None:
                    repetitive = {
                        number
                        for number in wanted
                        if 2 * len({row[number] for row in rows}) <= len(rows)
                    }
                for column, number in zip(columns, wanted, strict=True):
                    texts = map(itemgetter(number), rows)
                    column.extend(
                        map(intern, texts) if number in repetitive else texts
                    )  # equal texts share memory
        except csv.Error:
            self._refuse_rows()
        return columns

    def cells(
        self, texts: Iterable[int], numbers: Iterable[int] = ()
    ) -> list[list[Any]]:
        """Read columns of texts (ids among them) and of numbers, in this order, as `columns` does.

        A text that is missing is "". Texts are read without the space that `escaped` puts before a formula.
        """
        texts = list(texts)
        columns = self.columns([*texts, *numbers])
        return [*map(_unescaped, columns[: len(texts)]), *columns[len(texts) :]]

    def place(self, row: int) -> Place:
        """The position of a row: the line in which it begins. The header is no row."""
        return Place(line=self._lines[row])

    def records(self, problems: Problems) -> Iterator[tuple[int, Mapping[str, object]]]:
        """Each row as {name: cell} with its line, read one by one; rows of another width become problems."""
        for line, row in self.rows():
            if len(row) == len(self.names):
                yield line, dict(zip(self.names, row, strict=True))
            else:
                problems.add(self.wrong_width(len(row)), Place(line=line))

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The rows without the header and the line in which each begins, one by one."""
        rows = self._csv_rows() if self._is_csv else self._line_rows()
        return islice(rows, self._first, None)

    @cached_property
    def _lines(self) -> Sequence[int]:
        with cells_of_any_length():
            return array("L", (line for line, _ in self.rows()))

    def _chunks(self) -> Iterator[list[list[str]]]:
        """The rows without the header, some at a time: the fastest way to read them."""
        rows: Iterator[list[str]]
        if self._is_csv:
            rows = filter(
                _is_row,
                csv.reader(self.lines(), delimiter=self._separator, strict=True),
            )
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
        """The text as a file, whose lines end in a line feed.

        A carriage return within a cell of a CSV stays; elsewhere it ends a line.
        """
        return TextIOWrapper(
            BytesIO(self.source.data), "utf-8", newline="" if self._is_csv else None
        )

    @cached_property
    def split(self) -> Callable[[str], list[str]]:
        """The function that splits a line at tabs or white space. It ignores the end of the line."""
        if self._separator == "\t":
            return _tab_cells
        data = self.source.data
        others = filter(str.isascii, _OTHER_BLANKS) if data.isascii() else _OTHER_BLANKS
        return (
            white_cells
            if any(character.encode() in data for character in others)
            else str.split
        )

    def _refuse_rows(self) -> NoReturn:
        """Refuse the rows that cannot be read, or have another number of cells."""
        problems = Problems(self.source.file)
        with cells_of_any_length():
            for _ in self.records(problems):
                if problems.is_full:
                    break
        problems.raise_if_any()
        raise AssertionError("the table could not be read, but each of its rows can")

    def wrong_width(self, count: int) -> str:
        """Say that a row has this number of cells, and how to mend it."""
        width, advice = len(self.names), "mend the line"
        if count < width:
            advice = "mend the line (a file that ends so is truncated)"
        elif self._is_csv:
            advice = "put a cell with a separator in it in quotes"
        separator = _NAMES.get(self._separator, self._separator)
        return f"found {counted(count, 'column')} where there are {width}, separated by {separator}; {advice}"


class ParquetTable:
    """A table in Parquet. `names` are the names of its columns, without the index that pandas wrote.

    Raises:
        FileError: the file is damaged (in any call), or pyarrow is not installed.
    """

    header_line: int = 0

    def __init__(self, source: Source) -> None:
        self.source = source
        schema = self.read(attrgetter("schema_arrow"))
        indexes = (schema.pandas_metadata or {}).get("index_columns", ())
        self.names: list[str] = [name for name in schema.names if name not in indexes]

    def cells(
        self, texts: Iterable[int], numbers: Iterable[int] = ()
    ) -> list[list[Any]]:
        """Read columns of texts (ids among them) and of numbers, in this order.

        A text that is missing is "", a number that is missing or NaN is None. Refuses values of other types.
        """
        return [*map(self._texts, texts), *map(self._numbers, numbers)]

    def place(self, row: int) -> Place:
        """The position of a row: its number, from 0."""
        return Place(path=f"row {row}")

    def records(self, problems: Problems) -> Iterator[tuple[int, Mapping[str, object]]]:
        """Each row as {name: value} with its number, from 1."""
        batches = self.read(
            lambda file: list(file.iter_batches(columns=self.names, use_threads=False))
        )
        return enumerate(chain.from_iterable(batch.to_pylist() for batch in batches), 1)

    def read(self, use: Callable[[Any], Any]) -> Any:
        """Open the file, and return what `use` makes of it."""
        try:
            from pyarrow import BufferReader, parquet
        except ImportError:
            self.source.refuse(
                "reading Parquet needs pyarrow: pip install pytest-relevance[parquet]"
            )
        try:
            # `parquet.read_table` would load pandas
            with parquet.ParquetFile(BufferReader(self.source.data)) as file:
                return use(file)
        except Exception as error:  # whatever pyarrow raises for a damaged file
            self.source.refuse(
                f"the Parquet file cannot be read: {' '.join(str(error).split())}"
            )

    def values_of(self, column: int) -> list[object]:
        """Read a column of any type, as Python's values."""
        values: list[object] = self._values(column).to_pylist()
        return values

    def _texts(self, column: int) -> list[str]:
        cells = self._values(column).to_pylist()
        with suppress(
            UnicodeDecodeError
        ):  # Impala, and Spark by an option, write texts as bytes
            cells = [cell.decode() if type(cell) is bytes else cell for cell in cells]
        if not set(map(type, cells)) <= {str, int, type(None)}:
            cells = [exact_text(cell) or cell for cell in cells]
        wrong = next(
            (cell for cell in cells if type(cell) not in (str, int, type(None))), None
        )
        if wrong is not None:
            what = (
                "floats"
                if isinstance(wrong, float)
                else f"{type(wrong).__name__} ({found(wrong)})"
            )
            name = quoted(self.names[column])
            self.source.refuse(
                f"the column {name} holds {what}, and an id is text or an integer; write it as text"
            )
        return ["" if cell is None else str(cell) for cell in cells]

    def _numbers(self, column: int) -> list[Any]:
        values = self._values(column)
        if values.type.num_fields:
            self.source.refuse(
                f"the column {quoted(self.names[column])} holds values of the type {values.type}, and a grade or a "
                "score is one number or name; write a row for each"
            )
        cells = (
            float(cell) if isinstance(cell, Decimal) else cell
            for cell in values.to_pylist()
        )
        return [None if cell != cell else cell for cell in cells]

    def _values(self, column: int) -> Any:
        return self.read(
            lambda file: file.read([self.names[column]], use_threads=False)
        ).column(0)


class ObjectTable:
    """JSON objects as the rows of a table: a list of them, one on each line, or a single one. Their keys are `names`.

    Raises:
        FileError: what is in the list, or on a line, is no object.
    """

    header_line: int = 0

    def __init__(self, source: Source) -> None:
        self.source = source
        rows = source.entries
        self.rows = [row for row in rows if isinstance(row, dict)]
        if len(self.rows) < len(rows):
            wrong = [
                number for number, row in enumerate(rows) if not isinstance(row, dict)
            ]
            self._refuse(
                {
                    number: f"expected an object, found {found_json(rows[number])}"
                    for number in wrong
                }
            )
        self.names: list[str] = list(dict.fromkeys(chain.from_iterable(self.rows)))

    def cells(
        self, texts: Iterable[int], numbers: Iterable[int] = ()
    ) -> list[list[Any]]:
        """Read columns of texts (ids among them) and of numbers, in this order; numbers keep their digits.

        A text that is missing is "", a number None. Refuses values of other types.
        """
        columns = [self._column(column, "text or a number") for column in texts]
        columns = [[as_text(cell) or "" for cell in column] for column in columns]
        return [
            *columns,
            *(self._column(column, "a number or a name") for column in numbers),
        ]

    def place(self, row: int) -> Place:
        """The position of a row: its line in JSON Lines, else its path."""
        return self.source.place(self.source.path_of_entry(row))

    def require(self, column: int) -> None:
        """Refuse the objects that lack a key, which may be misspelt there."""
        name = self.names[column]
        lacking = {
            row: listed(map(quoted, keys), "and")
            for row, keys in enumerate(self.rows)
            if name not in keys
        }
        self._refuse(
            {
                row: f"{quoted(name)} is missing; found {keys or 'no key'}"
                for row, keys in lacking.items()
            }
        )

    def _column(self, column: int, what: str) -> list[Any]:
        name = self.names[column]
        cells = [row.get(name) for row in self.rows]
        if not _IN_COLUMNS.issuperset(map(type, cells)):
            wrong = {
                row: found_json(cell)
                for row, cell in enumerate(cells)
                if type(cell) not in _IN_COLUMNS
            }
            self._refuse(
                {
                    row: f"{quoted(name)} is {what}, found {found}"
                    for row, found in wrong.items()
                }
            )
        return cells

    def _refuse(self, wrong: Mapping[int, str]) -> None:
        """Refuse the rows of {row: what is wrong with it} in one error; an empty mapping refuses nothing."""
        problems = Problems(self.source.file)
        for row, message in wrong.items():
            problems.add(message, self.place(row))
        problems.raise_if_any()


_IN_COLUMNS = frozenset({str, NumberAsWritten, type(None)})
"""The types of the values in columns that are read."""


class LinesOfObjects:
    """JSON Lines, read one by one and with Python's numbers. `names` are the keys of the first objects."""

    SAMPLE = 100

    def __init__(self, source: Source) -> None:
        self.source = source
        problems = Problems(source.file)
        first = [values for _, values in islice(self.records(problems), self.SAMPLE)]
        self.names = list(dict.fromkeys(chain.from_iterable(first)))
        if not first and problems.found:
            self._refuse_text()

    def records(self, problems: Problems) -> Iterator[tuple[int, Mapping[str, object]]]:
        """Each object with its line; what is no object is a problem."""
        for number, line in enumerate(
            TextIOWrapper(BytesIO(self.source.data), "utf-8"), 1
        ):
            if not line.isspace():
                try:
                    values = json.loads(line)
                    advice = ""
                except (ValueError, RecursionError):
                    values = None
                    advice = "; is it truncated?"
                if isinstance(values, dict):
                    yield number, values
                else:
                    found_text = quoted(line.strip(), 60)
                    problems.add(
                        f"expected a JSON object, found {found_text}{advice}",
                        Place(line=number),
                    )

    def _refuse_text(self) -> NoReturn:
        """Refuse a file without an object on any of the first lines: one message says it for all lines."""
        first = self.source.header.line.strip()
        self.source.refuse(
            f"expected a JSON object on each line, and no line has one; the file begins with {quoted(first, 60)}; is "
            "it truncated, or one JSON text over several lines?",
            Place(line=1),
        )


Table = TextTable | ParquetTable | ObjectTable


def table_of(source: Source) -> Table:
    """The table in a file: Parquet, JSON objects, or text whose first line is a header."""
    if source.is_parquet:
        return ParquetTable(source)
    return ObjectTable(source) if source.looks_like_json else TextTable(source)


@contextmanager
def cells_of_any_length() -> Iterator[None]:
    """Lift the csv module's limit of 128 KiB per cell. The limit is global to the process, so it is restored."""
    with _LIMIT:
        limit = csv.field_size_limit(_LONGEST_CELL)
        try:
            yield
        finally:
            csv.field_size_limit(limit)


def _is_row(row: list[str]) -> bool:
    """Whether a row is more than a blank line. A row of several blank cells is."""
    return len(row) > 1 or bool("".join(row).strip())


def _wrong_quotes(error: str) -> str:
    """Explain an error of the csv module: the quotes in a row are wrong."""
    if "end of data" in error:
        return "a quoted cell in this row never ends; is the file truncated?"
    return 'a quoted cell in this row goes on behind its closing quote; a quote within quotes is written twice, ""'


def white_cells(line: str) -> list[str]:
    """Split a line at spaces and tabs; other white space, such as a no-break space, is part of an id."""
    return _BLANKS.split(line.strip(" \t\r\n"))


def _tab_cells(line: str) -> list[str]:
    """Split a line at tabs; a cell may be quoted as a whole."""
    cells = line.rstrip("\n").split("\t")
    if '"' not in line:
        return cells
    return [
        cell[1:-1].replace('""', '"') if _QUOTED.fullmatch(cell) else cell
        for cell in cells
    ]


def escaped(text: str) -> str:
    """Put a space in front of text that begins like a `FORMULA`, so that no spreadsheet calculates it."""
    return f" {text}" if FORMULA.match(text) else text


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Rows as CSV between commas. Lines end in a line feed."""
    lines: list[str] = []
    # the writer ends rows in \r\n, so that every version of Python quotes both characters in a cell
    csv.writer(SimpleNamespace(write=lines.append), lineterminator="\r\n").writerows(
        rows
    )
    return "".join(f"{line[:-2]}\n" for line in lines)


def _unescaped(cells: list[str]) -> list[str]:
    """Remove the space that Quepid and `escaped` put in front of what begins like a `FORMULA`."""
    if "\n " not in "\n".join(["", *cells]):
        return cells  # no cell begins with a space; one search in all is fast, and there may be millions
    marked = {cell for cell in set(cells) if cell[:1] == " " and FORMULA.match(cell)}
    return [cell[1:] if cell in marked else cell for cell in cells] if marked else cells
