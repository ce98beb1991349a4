"""Read the rows of any table as {name: value}: CSV, Parquet, JSON objects, JSON Lines.

Golden sets of other tools come in all of them. A value is as the file has it. In a CSV
it is text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._json_text import JsonPath, found_json
from pytest_relevance._problems import FileError, Place, Problems
from pytest_relevance._source import Source
from pytest_relevance._tables import table_of
from pytest_relevance._text_table import TextTable
from pytest_relevance.ext.formats.query_rows import cells_of
from pytest_relevance.judgments.columns import SPELLINGS, folded

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
    """The names of columns, or of keys, which are found in any spelling.

    `retrieval_context` and `retrievalContext` are one name.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.all = tuple(names)
        self._by_folded: dict[str, str] = {}
        for name in names:
            self._by_folded.setdefault(folded(name), name)

    def find(self, *wanted: str) -> str | None:
        """Return the name of the first wanted one that is there; None without any."""
        for name in wanted:
            found = self._by_folded.get(folded(name))
            if found is not None:
                return found
        return None

    def find_usual(self, *kinds: str) -> str | None:
        """Return the name with a usual spelling of a kind, such as `qid`; None without.

        Kinds are keys of `SPELLINGS`, for example `query_id`. Of several, the first one
        that has a name counts.
        """
        for kind in kinds:
            spellings = SPELLINGS[kind]
            found = self.find(*spellings)
            if found is not None:
                return found
        return None

    def has(self, *wanted: str) -> bool:
        """Say whether all wanted names are there."""
        return all(self.find(name) is not None for name in wanted)


def names_in(source: Source, under: str = "") -> Names:
    """Return the names of the columns of a file; no names if the file is no table.

    `under`: the key under which a JSON object has its rows, if it has one. Otherwise
        the rows are the entries of the file.
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
    """Return the rows of a file. `under` is as for `names_in`.

    Raises:
        FileError: the table is damaged, or an entry of a JSON list is not an object.
    """
    if source.looks_like_json:
        return _objects(source, under)
    table = table_of(source)
    if isinstance(table, TextTable):
        columns: Sequence[Sequence[object]] = table.cells(range(len(table.names)))
    else:
        columns = [cells_of(table, number) for number in range(len(table.names))]
    rows = []
    for number, cells in enumerate(zip(*columns, strict=True)):
        values = dict(zip(table.names, cells, strict=True))
        rows.append(Row(values, table.place(number)))
    return rows


def _objects(source: Source, under: str) -> list[Row]:
    problems = Problems(source.file)
    rows = []
    for number, entry in enumerate(_entries(source, under)):
        place = source.place(_path(source, under, number))
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


def _path(source: Source, under: str, number: int) -> JsonPath:
    return (under, number) if under else source.path_of_entry(number)
