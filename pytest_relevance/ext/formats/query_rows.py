"""Check the rows of a file of queries: columns that nothing reads, and contradictions.

A row becomes a case with a query, an id, a weight, a note and params. Nothing reads
other columns, so messages name them. Two rows that differ only in such a column are
refused, because they would become one case.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pytest_relevance._json_text import NumberAsWritten, found_json
from pytest_relevance._object_table import ObjectTable
from pytest_relevance._problems import Place, Problem, Problems
from pytest_relevance._source import Source
from pytest_relevance._tables import Table
from pytest_relevance._text import listed, quoted
from pytest_relevance.ext.formats.collecting import params_of
from pytest_relevance.ext.formats.query_cells import is_blank
from pytest_relevance.judgments.formats import UnreadColumn
from pytest_relevance.judgments.grading import number_of

_DOCUMENT_COLUMNS = ("note", "params")
"""What each row of a table of judgments may say of its document."""

PARAMS = "params"
"""The key of a JSON object with the params of its query."""

_NAMING = ("query", "query_id")
"""What rows of one query have in common. In the other columns they must agree."""


def unread_numbers(table: Table, read: Collection[int]) -> list[int]:
    """Return the numbers of the columns of a table that are not in `read`.

    Columns without a name, and the key `params` of JSON objects, are left out.
    """
    found = []
    for number, name in enumerate(table.names):
        is_params = isinstance(table, ObjectTable) and name == PARAMS
        if name and number not in read and not is_params:
            found.append(number)
    return found


def unread_of_table(
    table: Table, read: Collection[int], *, beside_judgments: bool
) -> list[UnreadColumn]:
    """Return the columns of a table that `read` does not have, each with its place.

    `beside_judgments`: whether the table has judgments.
    """
    found = []
    for number in unread_numbers(table, read):
        name = table.names[number]
        place = Place(line=table.header_line)
        if isinstance(table, ObjectTable):
            first = next(row for row, keys in enumerate(table.rows) if name in keys)
            place = table.place(first)
        (cells,) = table.columns([number])
        is_empty = all(map(is_blank, cells))
        found.append(UnreadColumn(name, place, is_empty, beside_judgments))
    return found


@dataclass(frozen=True)
class QueryRows:
    """The rows of a file of queries.

    `columns`: {meaning: cells} of the columns that are read.
    `place`: a function that returns the position of a row in the file.
    `unread`: a function that returns {name: cells} of the other columns.
    `beside_judgments`: whether the table has judgments, and so several rows for a
        query. Then no row is left out, and no notice of similar queries is made.
    """

    source: Source
    columns: Mapping[str, Sequence[Any]]
    place: Callable[[int], Place]
    unread: Callable[[], Mapping[str, Sequence[object]]]
    beside_judgments: bool = False

    @cached_property
    def first_rows(self) -> Sequence[int]:
        """For each row, the number of the first row with the same id and text."""
        texts = self.columns["query"]
        ids = self.columns.get("query_id", texts)
        known: dict[tuple[object, object], int] = {}
        first_rows = []
        for row, pair in enumerate(zip(ids, texts, strict=True)):
            first_rows.append(known.setdefault(pair, row))
        return first_rows

    def take(self, numbers: Sequence[int]) -> QueryRows:
        """Return the rows with these numbers, from 0."""
        return replace(
            self,
            columns=_taken(self.columns, numbers),
            place=lambda row: self.place(numbers[row]),
            unread=lambda: _taken(self.unread(), numbers),
        )

    def shown_place(self, row: int) -> str:
        """Return the place of a row in words: `line 3`."""
        place = self.place(row)
        return f"line {place.line}" if place.line else place.path


def _taken(
    columns: Mapping[str, Sequence[Any]], numbers: Sequence[int]
) -> dict[str, Sequence[Any]]:
    """Return the cells of some rows, column by column."""
    taken: dict[str, Sequence[Any]] = {}
    for name, cells in columns.items():
        taken[name] = [cells[number] for number in numbers]
    return taken


def refuse_contradictions(rows: QueryRows) -> None:
    """Raise FileError if rows of one query differ, with each row that differs.

    All columns are compared, also columns that nothing reads. Only in a table of
    judgments, other columns than the weight may describe documents, and are not
    compared.
    """
    repeated = [row for row, first in enumerate(rows.first_rows) if first != row]
    if not repeated:
        return
    problems = Problems(rows.source.file)
    unread = {} if rows.beside_judgments else rows.unread()
    for row in repeated:
        first = rows.first_rows[row]
        problem = _difference(rows, first, row)
        if problem is None:
            problem = _unread_difference(rows, unread, first, row)
        if problem is not None:
            problems.add(problem.message, problem.place, alike=problem.alike)
        if problems.is_full:
            break
    problems.raise_if_any()


def _difference(rows: QueryRows, first: int, row: int) -> Problem | None:
    """Return the first difference of two rows in a column that is read; or None."""
    for what, cells in rows.columns.items():
        if what in _NAMING or (rows.beside_judgments and what in _DOCUMENT_COLUMNS):
            continue
        if _comparable(cells[first]) == _comparable(cells[row]):
            continue
        here, there = _shown_cell(cells[row]), _shown_cell(cells[first])
        advice = "keep one row, give each row an id of its own (a column query_id), or write merge: true"
        if rows.beside_judgments:
            advice = f"write the same {what} in all rows of a query, or give the column another name"
        query = quoted(str(rows.columns["query"][row]), 40)
        where = _position(rows, first)
        message = f"the query {query} has the {what} {there} {where} and {here} here; {advice}"
        return Problem(message, rows.place(row), alike=what)
    return None


def _comparable(cell: object) -> object:
    """Return a number for a cell with a number, None for a blank one, else its text."""
    if isinstance(cell, str):
        number = number_of(cell)
        return (cell.strip() or None) if number is None else number
    return cell or None


def _unread_difference(
    rows: QueryRows, unread: Mapping[str, Sequence[object]], first: int, row: int
) -> Problem | None:
    """Return the unread columns in which two rows differ as a mistake, or None."""
    names = [name for name, cells in unread.items() if cells[first] != cells[row]]
    if not names:
        return None
    here = _shown_cell(unread[names[0]][row])
    there = _shown_cell(unread[names[0]][first])
    query = quoted(str(rows.columns["query"][row]), 40)
    columns = "column" if len(names) == 1 else "columns"
    message = (
        f"the query {query} stands {_position(rows, first)} too. The rows differ "
        f"only in the {columns} {listed(map(quoted, names), 'and')} ({there} there, "
        f"{here} here), which nothing reads, and both would be one case. If the "
        f"search needs this value, write params: {{PARAMETER: {names[0]}}}. "
        "Otherwise write merge: true, which adds their weights, or keep one of the "
        "rows"
    )
    return Problem(message, rows.place(row), alike=tuple(names))


def _position(rows: QueryRows, row: int) -> str:
    preposition = "in" if rows.place(row).line else "at"
    return f"{preposition} {rows.shown_place(row)}"


def _shown_cell(cell: object) -> str:
    """Return a cell as a message shows it: text in quotes, other values as JSON."""
    if isinstance(cell, str) and not isinstance(cell, NumberAsWritten) and cell:
        return quoted(cell, 40)
    return found_json(cell)


def params_in(
    rows: Sequence[Mapping[str, object]], source: Source, place: Callable[[int], Place]
) -> list[dict[str, object]]:
    """Return the params of the query in each JSON object; {} if it has none.

    Raises:
        FileError: the params of a query are not an object.
    """
    problems = Problems(source.file)
    found = []
    for number, row in enumerate(rows):
        message = wrong_params(row)
        if message is not None:
            problems.add(message, place(number))
        found.append(params_of(row.get(PARAMS)))
    problems.raise_if_any()
    return found


def wrong_params(row: Mapping[str, object]) -> str | None:
    """Return what is wrong with the params of an object; None if nothing is."""
    params = row.get(PARAMS)
    if params is None or isinstance(params, dict):
        return None
    return (
        f'params are an object such as {{"locale": "de"}}, found {found_json(params)}'
    )
