"""Read the rows of a table as {name: value}: CSV, Parquet, JSON objects, JSON Lines.

Golden sets of other tools come in all of these formats. A value has the type that it
has in the file. In a CSV every value is text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_relevance._object_table import ObjectTable
from pytest_relevance._problems import FileError, Place
from pytest_relevance._source import Source
from pytest_relevance._tables import table_of
from pytest_relevance._text_table import TextTable
from pytest_relevance.judgments.columns import SPELLINGS, find_column
from pytest_relevance.judgments.export_objects import rows_under

_LOOKED_AT = 100
"""How many objects are looked at to find the names of their keys."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table, or an object of a file.

    `values`: {name of the column, or key: value}.
    """

    values: Mapping[str, object]
    place: Place

    def get(self, name: str | None) -> object:
        """Return the value under a name; None if there is none."""
        return None if name is None else self.values.get(name)


class Names:
    """The names of the columns of a file, or of the keys of its objects.

    A name is found in any spelling: `retrieval_context` finds `retrievalContext`.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.all = tuple(names)

    def find(self, *wanted: str) -> str | None:
        """Return the first wanted name that the file has, in the spelling of the file.

        Return None if the file has none of them.
        """
        number = find_column(self.all, wanted)
        return None if number is None else self.all[number]

    def find_usual(self, *kinds: str) -> str | None:
        """Return the name of the first kind of column that the file has; None if none.

        Kinds are keys of `SPELLINGS`. For example, `qid` is of the kind `query_id`.
        """
        spellings: list[str] = []
        for kind in kinds:
            spellings += SPELLINGS[kind]
        return self.find(*spellings)

    def has(self, *wanted: str) -> bool:
        """Say whether all wanted names are there."""
        return all(self.find(name) is not None for name in wanted)


def names_in(source: Source, under: str = "") -> Names:
    """Return the names of the columns of a file; no names if it is not a table.

    In JSON these are the keys of the first `_LOOKED_AT` rows.

    `under`: the key of a JSON object that has the rows; "" if the rows are the entries
        of the file.
    """
    try:
        if source.is_parquet:
            return Names(table_of(source).names)
        if not source.looks_like_json:
            return Names(source.header.names)
        entries = source.json_object.get(under) if under else source.entries
        if not isinstance(entries, Sequence):
            return Names([])
        names: dict[str, None] = {}
        for entry in entries[:_LOOKED_AT]:
            if isinstance(entry, dict):
                names.update(dict.fromkeys(entry))
        return Names([*names])
    except FileError:
        return Names([])


def rows_in(source: Source, under: str = "") -> list[Row]:
    """Return the rows of a file.

    `under`: the key of a JSON object that has the rows; "" if the rows are the entries
        of the file.

    Raises:
        FileError: the table is damaged, or an entry of a JSON list is not an object.
    """
    table = table_of(rows_under(source, under) if under else source)
    records: list[dict[str, Any]] = []
    if isinstance(table, ObjectTable):
        records = table.rows
    else:
        numbers = range(len(table.names))
        is_text = isinstance(table, TextTable)
        columns = table.cells(numbers) if is_text else table.columns(numbers)
        for cells in zip(*columns, strict=True):
            records.append(dict(zip(table.names, cells, strict=True)))
    return [Row(values, table.place(row)) for row, values in enumerate(records)]
