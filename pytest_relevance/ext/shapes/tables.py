"""Read tables of Arrow, LanceDB, pandas, polars and DuckDB, and cursors of databases.

A table has a row for each result.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pytest_relevance._text import counted, quoted
from pytest_relevance.results.responses.errors import (
    ONE_QUERY,
    UnreadableRanking,
    unreadable,
)
from pytest_relevance.results.responses.fields import ID_NAMES
from pytest_relevance.results.responses.iterators import close, read_items_async
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.shapes import ResponseShape, of_type, refusing
from pytest_relevance.results.responses.values import attribute, has_attribute

Row = Sequence[object]

_QUERIES = ("query", "query_id", "qid", "query_index")
"""Names of a column that says which of several queries a row is for."""

# --- rows and columns -----------------------------------------------------------------


def rows_as_mappings(
    columns: Iterable[object], rows: Iterable[Row]
) -> list[dict[str, object]]:
    """Return the rows of a table as mappings.

    `columns`: the names of the columns. Raises `UnreadableRanking` if two columns have
        the same name, if a row has another number of values than there are columns, or
        if the rows are the results of several queries.
    """
    names = [str(column) for column in columns]
    for name in names:
        if names.count(name) > 1:
            raise UnreadableRanking(
                f"search returned a table with two columns named {quoted(name)}; rename one"
            )
    mappings: list[dict[str, object]] = []
    for row in rows:
        values = list(row)
        if len(values) != len(names):
            raise UnreadableRanking(
                f"search returned a table with {counted(len(names), 'column')}, and a "
                f"row with {counted(len(values), 'value')}; do not share a connection "
                "between threads without a lock"
            )
        mappings.append(dict(zip(names, values, strict=True)))
    for name in _QUERIES:
        if name in names:
            _refuse_several_queries(mappings, name)
    return mappings


def _refuse_several_queries(rows: Sequence[Mapping[str, object]], name: str) -> None:
    """Raise `UnreadableRanking` if a column with queries names more than one.

    `name`: the name of the column.
    """
    # compared as text, because a value may be a list, and NaN is not equal to NaN
    queries = {str(row[name]) for row in rows}
    if len(queries) > 1:
        returned = f"a table with the results of {len(queries)} queries"
        raise unreadable(f"{returned} (column {quoted(name)})", rows, ONE_QUERY)


_TO_LIST = ("to_pylist", "to_list", "tolist", "copy")
"""Methods that make a list of a column: of Arrow, pandas or polars, numpy, a list."""


def _rows_of(columns: Iterable[Any]) -> list[tuple[object, ...]]:
    """Return the rows of a table that is given by its columns."""
    lists = []
    for column in columns:
        method = next(name for name in _TO_LIST if has_attribute(column, name))
        lists.append(getattr(column, method)())
    return [*zip(*lists, strict=True)]


# --- Arrow, LanceDB -------------------------------------------------------------------


def _is_arrow(response: object) -> bool:
    """Say whether a response is a table, a batch, a reader or a column of Arrow."""
    return has_attribute(response, "to_pylist") or has_attribute(response, "read_all")


def _read_arrow(response: Any, options: ReadOptions) -> Sequence[object]:
    """Return the rows of a table, a batch or a reader, or the values of a column."""
    if has_attribute(response, "read_all"):
        return _read_batches(response, options)
    if has_attribute(response, "columns"):
        return rows_as_mappings(response.schema.names, _rows_of(response.columns))
    values: Sequence[object] = response.to_pylist()
    return values


def _read_batches(reader: Any, options: ReadOptions) -> Sequence[object]:
    """Return rows from a reader of batches, and stop reading when there are enough."""
    rows: list[Row] = []
    names = reader.schema.names
    try:
        for batch in reader:
            rows += _rows_of(batch.columns)
            if len(rows) >= options.most:
                break
    finally:
        close(reader)
    return rows_as_mappings(names, rows[: options.most])


_is_scalar = of_type("pyarrow", "Scalar")


def _fields_of_scalar(scalar: Any) -> Mapping[str, object] | None:
    """Return the fields of a struct of Arrow, or the id if it is a plain scalar.

    Return None for any other object.
    """
    if not _is_scalar(scalar):
        return None
    value = scalar.as_py()
    return value if isinstance(value, Mapping) else {"id": value}


ARROW = ResponseShape(
    name="arrow", fits=_is_arrow, results=_read_arrow, fields=_fields_of_scalar
)
LANCEDB = ResponseShape(
    name="lancedb",
    fits=of_type("lancedb", "LanceQueryBuilder"),
    results=lambda query, options: _read_arrow(query.to_arrow(), options),
)

# --- pandas, polars -------------------------------------------------------------------


def _is_frame(response: object) -> bool:
    return (
        has_attribute(response, "columns")
        and has_attribute(response, "shape")
        and hasattr(type(response), "__getitem__")
    )


def _read_frame(frame: Any, options: ReadOptions) -> Sequence[object]:
    """Return the rows of a data frame.

    An index with a name is a column too, if no column has this name.
    """
    names = [*frame.columns]
    columns = [frame[name] for name in names]
    index: Any = attribute(frame, "index")
    name = getattr(index, "name", None)
    if isinstance(name, str) and name not in [str(column) for column in names]:
        names.append(name)
        columns.append(index)
    return rows_as_mappings(names, _rows_of(columns))


def _is_series(response: object) -> bool:
    names = {kind.__name__ for kind in type(response).__mro__}
    index = attribute(response, "index")
    return "Series" in names and hasattr(type(index), "__iter__")


FRAME = ResponseShape(name="frame", fits=_is_frame, results=_read_frame)
SERIES = ResponseShape(
    name="series",
    fits=_is_series,
    results=refusing(
        "a Series",
        "return list(series) if its values are the ids, list(series.index) if not",
    ),
)
LAZY_FRAME = ResponseShape(
    name="lazy-frame",
    fits=of_type("polars", "LazyFrame"),
    results=refusing("a LazyFrame of polars", "return frame.collect()"),
)

# --- DuckDB, database cursors ---------------------------------------------------------


def _can_fetch(response: object) -> bool:
    if not has_attribute(response, "fetchall"):
        return False
    fetchall = getattr(response, "fetchall", None)
    return callable(fetchall) and not inspect.iscoroutinefunction(fetchall)


def _fetch(cursor: Any, most: int) -> list[Any]:
    """Return at most `most` rows of a cursor, and leave the cursor open.

    All rows are returned if the cursor is not iterable and has no `fetchmany`.
    """
    if hasattr(type(cursor), "__iter__"):
        return [*islice(cursor, most)]
    if has_attribute(cursor, "fetchmany"):
        return [*cursor.fetchmany(most)]
    return [*cursor.fetchall()]


def _is_relation(response: object) -> bool:
    """Say whether a response is a relation of DuckDB.

    Its `shape` is not read, because that would run a query.
    """
    columns = attribute(response, "columns")
    return _can_fetch(response) and isinstance(columns, (list, tuple))


RELATION = ResponseShape(
    name="relation",
    fits=_is_relation,
    results=lambda relation, options: rows_as_mappings(
        relation.columns, _fetch(relation, options.most)
    ),
)


@dataclass(frozen=True, slots=True)
class ReadCursor:
    """The rows that were read from an asynchronous cursor, and its `description`."""

    description: Any
    rows: list[Any]

    def fetchall(self) -> list[Any]:
        """Return the rows, as a cursor of PEP 249 does."""
        return self.rows


def _is_cursor(response: object) -> bool:
    return _can_fetch(response) and has_attribute(response, "description")


def _read_cursor(cursor: Any, options: ReadOptions) -> Sequence[object]:
    """Return the rows of a cursor (PEP 249), as tuples or as mappings.

    Tuples become mappings if one of these holds:

    - the suite says which column has the id, or a column is named like an id
    - the case needs texts, and a column is named like a text
    - the first column is named like a title, which would be taken for the id
    """
    description = cursor.description  # it may be gone once the rows are read
    rows = _fetch(cursor, options.most)
    names = [str(column[0]) for column in description or ()]
    if set(map(type, rows)) != {tuple}:
        return rows
    has_id = options.id_names is not ID_NAMES or not set(names).isdisjoint(ID_NAMES)
    has_text = not set(names).isdisjoint(options.text_names)
    if has_id or has_text or names[0] in options.title_names:
        return rows_as_mappings(names, rows)
    return rows


def _wait_for_cursor(cursor: Any, most: int) -> Awaitable[ReadCursor] | None:
    if not has_attribute(cursor, "description"):
        return None
    return _read_cursor_async(cursor, most)


async def _read_cursor_async(cursor: Any, most: int) -> ReadCursor:
    rows = await read_items_async(cursor, most)
    return ReadCursor(cursor.description, rows)


CURSOR = ResponseShape(
    name="cursor", fits=_is_cursor, results=_read_cursor, wait=_wait_for_cursor
)
