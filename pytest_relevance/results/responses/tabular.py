"""Results in rows and columns: data frames, a pandas Series, relations and cursors of databases.

They are recognised by their attributes and the name of their type; none of their libraries is imported here.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from numbers import Integral, Number
from typing import Any

from pytest_relevance._text import quoted, shown
from pytest_relevance.results.responses.refusals import UnreadableRanking


def table_rows(response: Any, id_names: Sequence[str], title_names: Sequence[str]) -> Sequence[object] | None:
    """The rows of a table in their order; None for any other value. Raises `UnreadableRanking` if ambiguous."""
    kind = type(response)
    if hasattr(kind, "collect") and hasattr(kind, "collect_schema"):  # a lazy frame of polars
        response = response.collect()
    if is_series(response):
        return _series_rows(response, id_names)
    if hasattr(response, "fetchall") and not inspect.iscoroutinefunction(response.fetchall):
        columns = getattr(response, "columns", None)
        if isinstance(columns, (list, tuple)):  # a relation of DuckDB, whose shape would be a query of its own
            return _named(list(map(str, columns)), response.fetchall())
        if hasattr(response, "description"):
            return _cursor_rows(response, id_names, title_names)
    if hasattr(response, "columns") and hasattr(response, "shape"):
        return _frame_rows(response)
    return None


def is_series(response: object) -> bool:
    """Whether a response is a Series of pandas, or of a library with the same interface: values with an index."""
    named = any(base.__name__ == "Series" for base in type(response).__mro__)
    return named and not callable(getattr(response, "index", len))


def _frame_rows(frame: Any) -> Sequence[object]:
    """The rows of a data frame (pandas, polars, Arrow) as mappings; a named index is a column too."""
    if hasattr(frame, "to_pylist"):  # Arrow, whose columns have no names of their own
        rows: list[object] = frame.to_pylist()
        return rows
    columns: list[tuple[str, Iterable[object]]] = [(str(name), frame[name]) for name in frame.columns]
    index: Any = getattr(frame, "index", None)
    if isinstance(name := getattr(index, "name", None), str) and name not in dict(columns):
        columns.append((name, index))
    _refuse_double([name for name, _ in columns], "a data frame")
    names = [name for name, _ in columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*(column for _, column in columns), strict=True)]


def _cursor_rows(cursor: Any, id_names: Sequence[str], title_names: Sequence[str]) -> Sequence[object]:
    """The rows of a cursor (PEP 249): mappings, where the rows are bare and the name of a column is that of an id.

    They are mappings too where the first column has the name of a title: a bare row would take it for the id.
    """
    description = cursor.description  # it may be gone once the rows are read
    rows = list(cursor) if hasattr(type(cursor), "__iter__") else cursor.fetchall()
    names = [str(column[0]) for column in description or ()]
    if set(map(type, rows)) != {tuple} or not (set(names) & set(id_names) or names[0] in title_names):
        return list(rows)
    return _named(names, rows)


def _named(names: Sequence[str], rows: Iterable[Sequence[object]]) -> Sequence[object]:
    _refuse_double(names, "rows")
    return [dict(zip(names, row, strict=True)) for row in rows]


def _refuse_double(names: Sequence[str], what: str) -> None:
    double = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if double is not None:
        raise UnreadableRanking(f"search returned {what} with two columns named {quoted(double)}; rename one")


def _series_rows(series: Any, id_names: Sequence[str]) -> Sequence[object]:
    """The results of a Series, whose ids are its values (a column of ids) or its index (scores by id).

    A Series or index with the name of an id field decides; without one, the types do where only one of the two can be
    ids.
    """
    values, index = list(series), list(series.index)
    if series.name in id_names or not values:
        return values
    numbers = all(isinstance(value, Number) and not isinstance(value, bool) for value in values)
    is_numbered = all(isinstance(label, Integral) for label in index)
    floats = numbers and not all(isinstance(value, Integral) for value in values)
    if series.index.name in id_names or (floats and all(isinstance(label, str) for label in index)):
        other = "score" if numbers else "title"
        return [{id_names[0]: label, other: value} for label, value in zip(index, values, strict=True)]
    if is_numbered and (not numbers or index == list(range(len(index)))):
        return values
    if not numbers and not any(isinstance(value, str) for value in values):  # documents, whatever the index says
        return values
    raise UnreadableRanking(
        f"search returned a Series, {shown(series, 200)}, whose ids could be its values or its index; "
        "return list(series) or list(series.index)"
    )
