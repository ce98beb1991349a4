"""Read tables in Parquet by column or by row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import chain
from operator import attrgetter
from typing import Any, NoReturn

from pytest_relevance._ids import exact_text
from pytest_relevance._problems import Place, Problems
from pytest_relevance._source import Source
from pytest_relevance._text import found, quoted


class ParquetTable:
    """A table in Parquet.

    `names`: the names of its columns, without the index that pandas wrote.

    Reading raises FileError if the file is damaged or pyarrow is not installed.
    """

    header_line: int = 0

    def __init__(self, source: Source) -> None:
        self.source = source
        schema = self.read(attrgetter("schema_arrow"))
        indexes = (schema.pandas_metadata or {}).get("index_columns", ())
        self.names: list[str] = [name for name in schema.names if name not in indexes]

    def columns(self, wanted: Iterable[int]) -> list[list[Any]]:
        """Return the cells of some columns of any types. `wanted` are indexes."""
        return [self._read_column(column).to_pylist() for column in wanted]

    def cells(
        self, texts: Iterable[int], numbers_or_names: Iterable[int] = ()
    ) -> list[list[Any]]:
        """Return a list of cells for each column, the columns of `texts` first.

        Columns are given by their indexes. In `texts`, such as ids, a missing cell is
        "". In `numbers_or_names`, such as grades, a missing cell and NaN are None.
        Raises FileError for other types of texts, and for columns of lists or structs.
        """
        columns: list[list[Any]] = []
        for column in texts:
            columns.append(self._texts(column, self._read_column(column)))
        for column in numbers_or_names:
            columns.append(self._numbers_or_names(column, self._read_column(column)))
        return columns

    def blocks(
        self, texts: Iterable[int], numbers_or_names: Iterable[int] = ()
    ) -> Iterator[list[list[Any]]]:
        """Yield a list of cells for each column, in parts of at most `BLOCK` rows each.

        The arguments and the cells are those of `cells`. So a table can be read that
        has too many cells for the memory.
        """
        readers = [(column, self._texts) for column in texts]
        readers += [(column, self._numbers_or_names) for column in numbers_or_names]
        names = [self.names[column] for column, _ in readers]
        groups: int = self.read(attrgetter("num_row_groups"))
        for group in range(groups):
            rows = self._read_group(group, names)
            for start in range(0, rows.num_rows, BLOCK):
                part = rows.slice(start, BLOCK)
                cells = []
                for column, read in readers:
                    cells.append(read(column, part.column(self.names[column])))
                yield cells

    def place(self, row: int) -> Place:
        """Return the place of a row: its number, from 0."""
        return Place(path=f"row {row}")

    def records(self, problems: Problems) -> Iterator[tuple[int, Mapping[str, object]]]:
        """Return (number from 1, {name: value}) for each row. There are no problems."""

        def batches_of(file: Any) -> list[Any]:
            return list(file.iter_batches(columns=self.names, use_threads=False))

        batches = self.read(batches_of)
        return enumerate(chain.from_iterable(batch.to_pylist() for batch in batches), 1)

    def read(self, use: Callable[[Any], Any]) -> Any:
        """Open the file, call `use` with it, and return what `use` returns."""
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

    def _texts(self, column: int, values: Any) -> list[str]:
        """Return values of a column as texts. Raises FileError for other types."""
        cells = values.to_pylist()
        # Impala, and Spark by an option, write texts as bytes
        with suppress(UnicodeDecodeError):
            cells = [cell.decode() if type(cell) is bytes else cell for cell in cells]
        if not _TEXT_TYPES.issuperset(map(type, cells)):
            cells = [exact_text(cell) or cell for cell in cells]
        for cell in cells:
            if type(cell) not in _TEXT_TYPES:
                self._refuse_id(column, cell)
        return ["" if cell is None else str(cell) for cell in cells]

    def _refuse_id(self, column: int, cell: object) -> NoReturn:
        values = f"{type(cell).__name__} ({found(cell)})"
        if isinstance(cell, float):
            values = "floats"
        name = quoted(self.names[column])
        self.source.refuse(
            f"the column {name} holds {values}, and an id is text or an integer; write it as text"
        )

    def _numbers_or_names(self, column: int, values: Any) -> list[Any]:
        """Return values of a column of grades or scores; None for a missing one."""
        if values.type.num_fields:
            self.source.refuse(
                f"the column {quoted(self.names[column])} holds values of the type {values.type}, and a grade or a "
                "score is one number or name; write a row for each"
            )
        cells: list[Any] = []
        for cell in values.to_pylist():
            if isinstance(cell, Decimal):
                cell = float(cell)
            is_nan = cell != cell
            cells.append(None if is_nan else cell)
        return cells

    def _read_group(self, group: int, names: Sequence[str]) -> Any:
        """Return some columns of a group of rows, of which a large file has several."""

        def read(file: Any) -> Any:
            return file.read_row_group(group, names, use_threads=False)

        return self.read(read)

    def _read_column(self, column: int) -> Any:
        def read(file: Any) -> Any:
            return file.read([self.names[column]], use_threads=False).column(0)

        return self.read(read)


BLOCK = 10_000
"""How many rows `blocks` yields at a time."""

_TEXT_TYPES = frozenset({str, int, type(None)})
"""The types of values in a column of texts."""
