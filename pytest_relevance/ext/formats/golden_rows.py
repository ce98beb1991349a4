"""Read the rows of a table as {name: value}: CSV, Parquet, JSON objects, JSON Lines.

Golden sets of other tools come in all of these formats. A value has the type that it
has in the file. In a CSV every value is text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._json_text import found_json
from pytest_relevance._problems import FileError, Place, Problems
from pytest_relevance._source import Source
from pytest_relevance._tables import table_of
from pytest_relevance._text_table import TextTable
from pytest_relevance.judgments.columns import SPELLINGS, find_column

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
        names: dict[str, None] = {}
        for entry in _entries(source, under)[:_LOOKED_AT]:
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
    if source.looks_like_json:
        return _objects(source, under)
    table = table_of(source)
    columns: Sequence[Sequence[object]]
    if isinstance(table, TextTable):
        columns = table.cells(range(len(table.names)))
    else:
        columns = table.columns(range(len(table.names)))
    rows = []
    for number, cells in enumerate(zip(*columns, strict=True)):
        values = dict(zip(table.names, cells, strict=True))
        rows.append(Row(values, table.place(number)))
    return rows


def _objects(source: Source, under: str) -> list[Row]:
    problems = Problems(source.file)
    rows = []
    for number, entry in enumerate(_entries(source, under)):
        path = (under, number) if under else source.path_of_entry(number)
        place = source.place(path)
        if isinstance(entry, dict):
            rows.append(Row(entry, place))
        else:
            problems.add(f"expected an object, found {found_json(entry)}", place)
    problems.raise_if_any()
    return rows


def _entries(source: Source, under: str) -> Sequence[object]:
    if not under:
        return source.entries
    entries = source.json_object.get(under)
    return entries if isinstance(entries, list) else []
