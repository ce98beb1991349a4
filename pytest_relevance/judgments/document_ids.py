"""Find the columns of a table, or the keys of an object, with the ids of documents.

By default the ids are in one column with a usual name (`columns.SPELLINGS`). `id_field`
of the file names other columns. If `id_field` of the suite is a template, and the file
has a column for one of its fields besides the id, the file is read with that template.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_relevance._ids import FileIds, IdField
from pytest_relevance._text import did_you_mean, listed, quoted
from pytest_relevance.judgments.columns import (
    column_called,
    find_columns,
    plain_name,
    shown_names,
)

ID_FIELD = "id_field"

_INDEX_NAMES = ("_index", "_federation.indexUid", "indexUid", "collection")
"""The names of a column that says which index or collection a judged document is in."""

_IDS = frozenset({"id", "docid", "documentid", "objectid", "docno"})
"""The plain names of the last parts of paths that lead to an id."""

_INDEXES = frozenset({"index", "indexuid", "indexname", "collection", "collectionname"})
"""The plain names of an index or a collection.

A file may use another of them than a result.
"""

_FEWEST_ROWS = 3
"""The least number of rows that a column of row numbers is recognised by."""

_SAY_WHICH = f"say which columns have the id: {{file: ..., {ID_FIELD}: ...}}"


class NoColumn(ValueError):
    """The columns that `id_field` names are missing, or do not hold ids."""


@dataclass(frozen=True, slots=True)
class DocumentColumns:
    """The columns that the ids of documents are made of. Their numbers count from 0.

    `field`: the paths of `id_field`.
    `numbers`: the column of each path; None if the table has no column for it.
    `names`: the names of all columns of the table.
    """

    field: IdField
    numbers: tuple[int | None, ...]
    names: tuple[str, ...]

    @property
    def main(self) -> int:
        """Return the number of the last of the columns that the table has."""
        return self.read[-1]

    @property
    def read(self) -> list[int]:
        """Return the numbers of the columns that the table has."""
        return [number for number in self.numbers if number is not None]

    def join(self, values: Sequence[str]) -> str:
        """Return the id of a document, from its values in the columns `read`.

        With a template, all values are joined. Otherwise the id is the first value that
        is not empty. The result is "" if all values are empty.

        Raises `NoColumn` if some values of a template are empty, but not all.
        """
        if not self.field.is_template:
            return next(filter(None, values), "")
        if not any(values):
            return ""
        for number, value in zip(self.read, values, strict=True):
            if not value:
                raise NoColumn(
                    f"the document has no {quoted(self.names[number])}, which "
                    f"{_shown(self.field)} needs"
                )
        return self.field.join(values)


def document_columns(ids: FileIds, names: Sequence[str]) -> DocumentColumns | None:
    """Return the columns that `id_field` names for documents.

    None if it names none: then the column has a usual name. Raises `NoColumn` if one of
    the columns is missing.
    """
    if ids.of_file is not None:
        return _named_columns(ids.of_file, names)
    if ids.of_suite is not None and ids.of_suite.is_template:
        return _columns_of_template(ids.of_suite, names)
    return None


def main_column(ids: FileIds, names: Sequence[str]) -> int | None:
    """Return the number of the column that `id_field` names for documents, or None.

    Of several columns the last one is returned. None if `id_field` names no column, or
    one that is missing.
    """
    try:
        found = document_columns(ids, names)
    except NoColumn:
        return None
    return None if found is None else found.main


def _named_columns(field: IdField, names: Sequence[str]) -> DocumentColumns:
    """Return the columns that the file's own `id_field` names.

    Raises `NoColumn` if no path has a column, or if a part of a template has none.
    """
    numbers = tuple(column_called(names, path) for path in field.paths)
    found = DocumentColumns(field, numbers, tuple(names))
    for path, number in zip(field.paths, numbers, strict=True):
        if number is None and (field.is_template or not found.read):
            raise NoColumn(
                f"there is no column {quoted(path)}, which {ID_FIELD} names; the columns are "
                f"{shown_names(names)}{did_you_mean(path, names)}"
            )
    return found


def _columns_of_template(
    template: IdField, names: Sequence[str]
) -> DocumentColumns | None:
    """Return the columns for the template that is the suite's `id_field`.

    None if no part but the id has a column: then the ids of the file are whole already.
    Raises `NoColumn` if only some parts have a column, or two parts have the same one.
    """
    numbers = tuple(_column_of_field(path, names) for path in template.paths)
    beside_id = []
    missing = []
    for path, number in zip(template.paths, numbers, strict=True):
        if number is None:
            missing.append(quoted(path))
        elif not _is_id(path):
            beside_id.append(quoted(names[number]))
    if not beside_id:
        return None
    if missing:
        raise NoColumn(
            f"there is a column {listed(beside_id, 'and')} and none for "
            f"{listed(missing, 'and')} of {_shown(template)}; {_SAY_WHICH}"
        )
    if len(set(numbers)) < len(numbers):
        raise NoColumn(
            f"one column stands for two fields of {_shown(template)}; {_SAY_WHICH}"
        )
    return DocumentColumns(template, numbers, tuple(names))


def _column_of_field(path: str, names: Sequence[str]) -> int | None:
    """Return the number of the column for a field of results; None if there is none.

    The column is, in turn:

    1. one with exactly this name, but not `id`, which may identify a row or a query
    2. for the id of a document: the usual column of documents
    3. one that is called like the path, or like its last part, in another spelling
    4. for the name of an index: one with another usual name for it
    """
    last = path.rpartition(".")[2]
    if path in names and path != "id":
        return list(names).index(path)
    if _is_id(path):
        document = find_columns(names, ("document",)).get("document")
        if document is not None:
            return document
    for name in (path, last):
        number = column_called(names, name)
        if number is not None:
            return number
    if plain_name(last) in _INDEXES:
        for number, name in enumerate(names):
            if plain_name(name) in _INDEXES:
                return number
    return None


def _shown(field: IdField) -> str:
    return f"{ID_FIELD} {quoted(str(field.written))}"


def _is_id(path: str) -> bool:
    return plain_name(path.rpartition(".")[2]) in _IDS


def keys_of_documents(names: Iterable[object]) -> list[str]:
    """Return the names that can only mean a document, such as `docid`; never `id`."""
    return [str(name) for name in names if plain_name(name) in _IDS - {"id"}]


def row_with_two_ids(ids: Sequence[str], others: Sequence[str]) -> int | None:
    """Return the first row (from 0) with two different ids; None if there is none.

    An empty id is not compared.
    """
    for row, (one, other) in enumerate(zip(ids, others, strict=True)):
        if one and other and one != other:
            return row
    return None


def refuse_row_numbers(
    columns: DocumentColumns, cells: Sequence[Sequence[str]]
) -> None:
    """Raise `NoColumn` if a column of the id is called `index` and only counts rows.

    pandas writes such a column.

    `cells`: the values of each column in `columns.read`.
    """
    for number, column in zip(columns.read, cells, strict=True):
        name = columns.names[number]
        if plain_name(name) == "index" and _numbers_rows(column):
            raise NoColumn(
                f"the column {quoted(name)} numbers the rows, and "
                f"{_shown(columns.field)} takes it for a part of the id; take the "
                f"column out, or {_SAY_WHICH}"
            )


def _numbers_rows(column: Sequence[str]) -> bool:
    """Say whether a column counts its rows, from 0 or from 1."""
    from_zero = [str(row) for row in range(len(column))]
    from_one = [str(row + 1) for row in range(len(column))]
    return len(column) >= _FEWEST_ROWS and list(column) in (from_zero, from_one)


def index_column(names: Iterable[str]) -> str | None:
    """Return the name of the column with the index of a document; None without one."""
    there = set(names)
    for name in _INDEX_NAMES:
        if name in there:
            return name
    return None


@dataclass(frozen=True, slots=True)
class JudgedIn:
    """A judgment of a document in one index, with its grade as the file has it."""

    query: str
    document: str
    index: str
    grade: object


class Indexes:
    """Finds documents that have different grades in two indexes.

    Such documents are a mistake in a file that is read without a template, since only
    the id tells documents apart there.

    `index`, `document`: the names of the columns of the index and of the id.
    """

    def __init__(self, index: str, document: str) -> None:
        self._index = index
        self._document = document
        self._known: dict[tuple[str, str], JudgedIn] = {}

    def why_two(self, judged: JudgedIn) -> str:
        """Return a message if the document has another grade in another index; else "".

        The judgment is compared with the first one of its query and document.
        """
        known = self._known.setdefault((judged.query, judged.document), judged)
        if known.index == judged.index or known.grade == judged.grade:
            return ""
        template = f"{{{self._index}}}/{{{self._document}}}"
        return (
            f"query {quoted(judged.query, 40)}: the document {quoted(judged.document)} has another grade in "
            f"{self._index} {quoted(judged.index)} than in {quoted(known.index)}; if these are two documents, write "
            f"{ID_FIELD}: {quoted(template)} in the case file"
        )
