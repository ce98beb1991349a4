"""Read JSON objects as the rows of a table, with their places in the file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO, TextIOWrapper
from itertools import chain, islice
from typing import Any, NoReturn

from pytest_relevance._json_text import NumberAsWritten, as_text, found_json
from pytest_relevance._problems import Place, Problems
from pytest_relevance._source import Source
from pytest_relevance._text import listed, quoted


class ObjectTable:
    """JSON objects as the rows of a table. Their keys are the `names` of its columns.

    The file has a list of objects, an object on each line, or a single object.

    Raises:
        FileError: an entry of the list, or a line, is not an object.
    """

    header_line: int = 0

    def __init__(self, source: Source) -> None:
        self.source = source
        self.rows: list[dict[str, Any]] = []
        wrong = {}
        for number, entry in enumerate(source.entries):
            if isinstance(entry, dict):
                self.rows.append(entry)
            else:
                wrong[number] = f"expected an object, found {found_json(entry)}"
        self._refuse(wrong)
        self.names: list[str] = list(dict.fromkeys(chain.from_iterable(self.rows)))

    def columns(self, wanted: Iterable[int]) -> list[list[Any]]:
        """Return the cells of some columns of any types; None for a missing cell.

        `wanted` are indexes.
        """
        columns = []
        for column in wanted:
            name = self.names[column]
            columns.append([row.get(name) for row in self.rows])
        return columns

    def cells(
        self, texts: Iterable[int], numbers_or_names: Iterable[int] = ()
    ) -> list[list[Any]]:
        """Return a list of cells for each column, the columns of `texts` first.

        Columns are given by their indexes. In `texts`, such as ids, a number becomes
        text with the digits of the file, and a missing, null or blank cell is "". In
        `numbers_or_names`, such as grades, a missing or null cell is None. Raises
        FileError for other types.
        """
        columns: list[list[Any]] = []
        for column in texts:
            cells = self._column(column, "text or a number")
            columns.append([as_text(cell) or "" for cell in cells])
        for column in numbers_or_names:
            columns.append(self._column(column, "a number or a name"))
        return columns

    def blocks(
        self, texts: Iterable[int], numbers_or_names: Iterable[int] = ()
    ) -> Iterator[list[list[Any]]]:
        """Yield a list of cells for each column (see `cells`), all rows in one part.

        Nothing is yielded if there are no rows. All rows are in memory already.
        """
        if self.rows:
            yield self.cells(texts, numbers_or_names)

    def place(self, row: int) -> Place:
        """Return the place of a row: its line in JSON Lines, or its path in JSON."""
        return self.source.place(self.source.path_of_entry(row))

    def require(self, column: int) -> None:
        """Raise FileError if an object lacks a key, which may be misspelt there.

        `column`: the index of the key in `names`.
        """
        name = self.names[column]
        lacking = {}
        for number, row in enumerate(self.rows):
            if name not in row:
                keys = listed([quoted(key) for key in row], "and")
                lacking[number] = f"{quoted(name)} is missing; found {keys or 'no key'}"
        self._refuse(lacking)

    def _column(self, column: int, expected: str) -> list[Any]:
        """Return the cells of a column. Raises FileError for values of other types.

        `expected`: which values are allowed, for the message.
        """
        name = self.names[column]
        (cells,) = self.columns([column])
        if not _CELL_TYPES.issuperset(map(type, cells)):
            wrong = {}
            for number, cell in enumerate(cells):
                if type(cell) not in _CELL_TYPES:
                    found = found_json(cell)
                    wrong[number] = f"{quoted(name)} is {expected}, found {found}"
            self._refuse(wrong)
        return cells

    def _refuse(self, wrong: Mapping[int, str]) -> None:
        """Raise one FileError for all wrong rows, {row: message}, if there are any."""
        problems = Problems(self.source.file)
        for row, message in wrong.items():
            problems.add(message, self.place(row))
        problems.raise_if_any()


_CELL_TYPES = frozenset({str, NumberAsWritten, type(None)})
"""The types of the values in columns that are read."""


class LinesOfObjects:
    """JSON Lines, read one line at a time, with Python's numbers.

    `names`: the keys of the first 100 objects.

    Raises:
        FileError: no line has an object.
    """

    SAMPLE = 100

    def __init__(self, source: Source) -> None:
        self.source = source
        problems = Problems(source.file)
        first = [values for _, values in islice(self.records(problems), self.SAMPLE)]
        self.names = list(dict.fromkeys(chain.from_iterable(first)))
        if not first and problems.found:
            self._refuse_text()

    def records(self, problems: Problems) -> Iterator[tuple[int, Mapping[str, object]]]:
        """Yield (line, object) for each object. Other lines are added to `problems`.

        Blank lines are skipped.
        """
        lines = TextIOWrapper(BytesIO(self.source.data), "utf-8")
        for number, line in enumerate(lines, 1):
            if line.isspace():
                continue
            try:
                values = json.loads(line)
                advice = ""
            except (ValueError, RecursionError):
                values = None
                advice = "; is it truncated?"
            if isinstance(values, dict):
                yield number, values
                continue
            message = f"expected a JSON object, found {quoted(line.strip(), 60)}"
            problems.add(f"{message}{advice}", Place(line=number))

    def _refuse_text(self) -> NoReturn:
        """Raise one FileError for a file without an object in its first lines."""
        first = self.source.header.line.strip()
        self.source.refuse(
            f"expected a JSON object on each line, and no line has one; the file begins with {quoted(first, 60)}; is "
            "it truncated, or one JSON text over several lines?",
            Place(line=1),
        )
