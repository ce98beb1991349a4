"""The columns of a file of queries that a user maps: `columns`, `params`, `sample`.

`columns` says which column has which key of a case, and `params` which column has which
parameter of the search. A sample is drawn by two more columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from pytest_relevance._problems import Place, Problems
from pytest_relevance._tables import Table
from pytest_relevance._text import did_you_mean, quoted
from pytest_relevance.ext.formats.column_paths import (
    ColumnPath,
    NoSuchColumn,
    find_path,
    paths_in,
)
from pytest_relevance.ext.formats.query_cells import WrongCell, is_blank, text_in
from pytest_relevance.judgments.columns import shown_names
from pytest_relevance.judgments.row_rules import (
    COLUMNS,
    ID,
    NOTE,
    PARAMS,
    QUERY,
    SAMPLE_BY,
    SAMPLE_PER,
    RowRules,
)

_QUERY_ID = "query_id"
_TEXTS = (QUERY, _QUERY_ID, NOTE)


@dataclass(frozen=True, slots=True)
class MappedColumn:
    """A column that the user names.

    `meaning`: `query`, `query_id`, another key of a case, `params.NAME` for a
        parameter, `sample.by` or `sample.per`.
    `option`: what names the column in the case file, for messages.
    `written`: its name as the user writes it.
    `path`: where it is in the table.
    """

    meaning: str
    option: str
    written: str
    path: ColumnPath


def _named(rules: RowRules) -> Iterator[tuple[str, str, str]]:
    """Yield (meaning, option, name) for each column that the user names."""
    for key, column in rules.columns:
        if column is not None:
            yield _QUERY_ID if key == ID else key, f"{COLUMNS}.{key}", column
    for name, column in rules.params:
        yield f"{PARAMS}.{name}", f"{PARAMS}.{name}", column
    if rules.sample_by is not None:
        yield SAMPLE_BY, SAMPLE_BY, rules.sample_by
    if rules.sample_per is not None:
        yield SAMPLE_PER, SAMPLE_PER, rules.sample_per


def mapped_columns(rules: RowRules, names: Sequence[str]) -> list[MappedColumn]:
    """Return the columns that the user names. Those that are not there are left out."""
    found = []
    for meaning, option, written in _named(rules):
        try:
            path = find_path(names, written)
        except NoSuchColumn:
            continue
        found.append(MappedColumn(meaning, option, written, path))
    return found


def refuse_missing_columns(table: Table, rules: RowRules) -> None:
    """Raise FileError if a column that the user names is not in the table."""
    problems = Problems(table.source.file)
    for _, option, written in _named(rules):
        try:
            find_path(table.names, written)
        except NoSuchColumn as error:
            problems.add(f"{option}: {error}", Place(line=table.header_line))
    problems.raise_if_any()


def read_mapped_columns(
    table: Table, rules: RowRules, found: dict[str, Sequence[Any]]
) -> None:
    """Add the cells of the columns that the user names to `found`, by their meanings.

    Columns that are in `found` already are not read again.

    Raises:
        FileError: a column has no value in any row, or a value that should be a text
            is not a text.
    """
    mapped = mapped_columns(rules, table.names)
    unread = [column for column in mapped if column.meaning not in found]
    numbers = sorted({column.path.number for column in unread})
    cells = dict(zip(numbers, table.columns(numbers), strict=True))
    for column in unread:
        values: Sequence[Any] = cells[column.path.number]
        if column.path.keys:
            values = [column.path.value(cell) for cell in values]
        if column.meaning in _TEXTS:
            values = _texts(table, column, values)
        found[column.meaning] = values
    for column in mapped:
        values = found[column.meaning]
        if values and all(map(is_blank, values)):
            _refuse_blank_column(table, column)


def _refuse_blank_column(table: Table, column: MappedColumn) -> NoReturn:
    """Raise FileError: a column, or a path in it, has no value in any row."""
    name = quoted(column.written)
    wrong = f"the column {name}, which {column.option} names, has no value in any row"
    if column.path.keys:
        (cells,) = table.columns([column.path.number])
        known = paths_in(table.names[column.path.number], cells[0])
        wrong = (
            f"there is no {name}, which {column.option} names; the first row has {shown_names(known)}"
            f"{did_you_mean(column.written, known)}"
        )
    table.source.refuse(wrong, Place(line=table.header_line))


def _texts(table: Table, column: MappedColumn, values: Sequence[object]) -> list[str]:
    """Return values as texts, "" for a blank one. Raises FileError for other types."""
    problems = Problems(table.source.file)
    texts = []
    for number, value in enumerate(values):
        try:
            texts.append("" if is_blank(value) else text_in(value))
        except WrongCell as error:
            message = f"expected text in {quoted(column.written)}, {error}"
            problems.add(message, table.place(number))
    problems.raise_if_any()
    return texts
