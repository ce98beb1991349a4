"""Bare rows and tables as search libraries and databases return them, and the exceptions of what cannot be read.

A bare row is `(id,)`, `(id, score)`, `(id, title)` or `(id, title, score)`. It has no names, so its parts are
distinguished by type: a text in second place is a title, a number is a score. Where the types allow two readings the
rows are refused. Tables are data frames, a pandas Series, relations and cursors of databases: they are recognised by
their attributes and the name of their type, and none of their libraries is imported.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Iterable, Sequence
from itertools import pairwise
from numbers import Integral, Number, Real
from typing import Any, NamedTuple

from pytest_relevance._text import quoted, shown

ROWS = "(id, score), (id, title) or (id, title, score) row"


class UnreadableRanking(ValueError):
    """Raised where a response is no ranking. The message shows what came back and what is understood."""


class NoResults(UnreadableRanking):
    """Raised where a response has no results in any place that is known here."""


class BadResult(Exception):
    """Why a result cannot be read: the end of a sentence that begins with the result's number."""


def one_result(response: object) -> UnreadableRanking:
    """The exception for a result that is not in a list, to be raised by the caller."""
    return UnreadableRanking(f"search returned one result, {shown(response)}; return a list of results, best first")


def kind_of(value: object) -> str:
    """The type of a value as prose: `a dict`, `an int`."""
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def is_mock(value: object) -> bool:
    """Whether a value is a mock of unittest.mock, which has every attribute that it is asked for."""
    return any(base.__name__ == "NonCallableMock" for base in type(value).__mro__)


class BareRow(NamedTuple):
    """The parts of a bare row. `document` is an id, or a mapping or an object that has one."""

    document: object
    title: str | None = None
    score: object = None


def is_row(result: object) -> bool:
    """Whether a result is a row without names."""
    return isinstance(result, (tuple, list)) and not hasattr(result, "_fields")


def read_row(row: Sequence[Any]) -> BareRow:
    """The parts of a bare row. Raises `BadResult` for a row of another shape."""
    if len(row) == 2 and is_score(row[1]):
        return BareRow(row[0], score=row[1])
    if isinstance(row, tuple):
        if len(row) == 1:
            return BareRow(row[0])
        if len(row) in (2, 3) and is_id(row[0]) and isinstance(row[1], str) and (len(row) == 2 or is_score(row[2])):
            return BareRow(row[0], title=row[1], score=row[2] if len(row) == 3 else None)
    if len(row) == 2 and isinstance(row[0], Real) and isinstance(row[1], str) and not isinstance(row[0], Integral):
        raise BadResult("is a (score, id) pair; return (id, score) pairs")
    if isinstance(row, list) and row and all(map(is_id, row)):
        raise BadResult(
            "is a list, which could be the ids of one query of several, or a row; "
            "return the ids of one query, or a tuple for each row"
        )
    raise BadResult(f"is no {ROWS}; return ids, such rows as tuples, or mappings or objects with an id")


def is_one_row(values: tuple[Any, ...]) -> bool:
    """Whether a tuple has the types of one row, which a list of ids does not have."""
    if len(values) == 3:
        return is_id(values[0]) and isinstance(values[1], str) and _is_number(values[2])
    if len(values) != 2 or not is_id(values[0]) or not _is_number(values[1]):
        return False
    return isinstance(values[0], str) or not isinstance(values[1], Integral)


def ambiguity(results: Sequence[Any]) -> str:
    """Why rows that are well-formed one by one allow two readings together; empty where they do not."""
    if not results or not all(is_row(row) and len(row) == 2 and is_integer(row[0]) for row in results):
        return ""
    if all(is_integer(second) for _, second in results):
        return (
            f"pairs of integers, {shown(results[0])} first, of which either may be the id; "
            "return (id, float(score)) pairs, or mappings with an id and a score"
        )
    if all(isinstance(second, str) for _, second in results):
        steps = [(one[0], two[0]) for one, two in pairwise(results)]
        if all(first >= second for first, second in steps) and any(first == second for first, second in steps):
            return (
                f"pairs of an integer and a text, {shown(results[0])} first, which could be (id, title) or, as the "
                "integers descend and some are equal, (score, id); return mappings with an id and a title or a score"
            )
    return ""


def is_score(value: object) -> bool:
    """Whether a value is a number, or None for a score that is not there.

    What numpy, torch and the like call a scalar has `__float__`; so have their arrays, which have a shape.
    """
    return value is None or _is_number(value)


def is_id(value: object) -> bool:
    """Whether a value could be an id: a text, an integer, a UUID."""
    return isinstance(value, str) or is_integer(value) or type(value).__name__ == "UUID"


def _is_number(value: Any) -> bool:
    return hasattr(value, "__float__") and not isinstance(value, bool) and not has_dimensions(value)


def has_dimensions(value: Any) -> bool:
    """Whether a value is an array of numbers, which may convert itself to one number or warn that it does."""
    shape: Any = getattr(value, "shape", None)
    return bool(shape)


def is_integer(value: object) -> bool:
    """Whether a value is an integer, of Python or of a library; True and False are none."""
    if type(value) is int:
        return True
    if isinstance(value, bool) or not hasattr(type(value), "__index__") or is_mock(value) or has_dimensions(value):
        return False
    try:
        operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


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
