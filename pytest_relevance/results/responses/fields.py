"""Read the fields of documents: of results, of an index, and of a catalogue.

`read_fields` returns the values that expectations look at. Such a value is a text, a
number, a boolean, None, or a list of these. None is an explicit null, or NaN of a data
frame, and meets no condition. If a document does not have the field, its value is an
`Absent`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from enum import Enum
from functools import partial
from numbers import Number
from typing import Any

from pytest_relevance._text import closest, first_few, listed, quoted
from pytest_relevance.results.responses.errors import BadResult, read_each
from pytest_relevance.results.responses.values import (
    attribute,
    has_dimensions,
    is_keyed,
    is_row,
    own_names,
    plain_text,
)

ID_NAMES = ("id", "_id", "doc_id", "docid", "document_id", "objectID")
TITLE_NAMES = ("title", "name")
"""The usual names of an id and of a title, in the order in which they are tried."""

TEXT_NAMES = ("page_content", "content", "text", "chunk", "body", "document")
"""The usual names of the text of a result, in the order in which messages name them."""

NESTED = ("_source", "document", "fields", "meta", "metadata", "payload")
"""The fields of a result that may hold the document.

They are of Elasticsearch and OpenSearch, Typesense, Vespa and elasticsearch-dsl, and of
vector databases and their clients.
"""

SCALARS = frozenset({str, int})
"""The types of ids that are results by themselves."""

WITHOUT_FIELDS = (str, bytes, Number)
"""Types of values that have no fields."""


_Get = Callable[[str], object]
"""Gets a document's own field by its name; None for one that is not there."""

_NO_FIELDS: dict[str, object] = {}
_NONE = frozenset({type(None)})


class Fields:
    """Reads the fields of documents, one field of all documents at a time.

    Usually all documents have a field, or none has it, so this is fast.

    `names`: the names of all fields if all documents are dicts; None if not known.
    """

    def __init__(self, documents: Sequence[Any]) -> None:
        kinds = set(map(type, documents))
        self.names: frozenset[object] | None = None
        self._getters: Sequence[_Get]
        if kinds == {dict}:
            self.names = frozenset().union(*documents)
            self._getters = [document.get for document in documents]
        elif kinds <= SCALARS:
            self.names = frozenset()
            self._getters = [_NO_FIELDS.get] * len(documents)
        else:
            self._getters = [_getter(document) for document in documents]

    def first_of(self, names: Sequence[str], nested: Iterable[str] = ()) -> list[Any]:
        """Return for each document the first of these fields that exists; else None.

        `nested`: names of fields with nested documents, which may have the field.
        """
        values: list[Any] | None = None
        for column in self._columns(names, nested):
            values = column if values is None else _filled(values, column)
            # types are compared, because an object may define its own ==
            if _NONE.isdisjoint(map(type, values)):
                break
        return [None] * len(self._getters) if values is None else values

    def _columns(
        self, names: Sequence[str], nested: Iterable[str]
    ) -> Iterator[list[Any]]:
        """Yield the values of all documents, for each place where a field may be.

        A name with dots may be a key as it is, or lead into nested documents.
        """
        for name in names:
            if self._may_have(name):
                yield [get(name) for get in self._getters]
            if "." in name and self._may_have(name.partition(".")[0]):
                yield [_at_path(get, name) for get in self._getters]
        for holder in nested:
            if self._may_have(holder):
                inner = Fields([get(holder) for get in self._getters])
                yield inner.first_of(names)

    def _may_have(self, name: str) -> bool:
        return self.names is None or name in self.names


def _filled(values: list[Any], column: list[Any]) -> list[Any]:
    """Return the values, with those of `column` in the place of None."""
    pairs = zip(values, column, strict=True)
    return [new if old is None else old for old, new in pairs]


def _at_path(get: _Get, path: str) -> object:
    """Return the value at a path with dots; None if there is none.

    `get`: gets a field of the outermost document. A name may itself have a dot.
    """
    outer, _, inner = path.partition(".")
    get_inner = _getter(get(outer))
    value = get_inner(inner)
    if value is None and "." in inner:
        return _at_path(get_inner, inner)
    return value


def _getter(document: Any) -> _Get:
    """Return the function that returns a document's own field by its name."""
    if isinstance(document, Mapping):
        return document.get
    if document is None or isinstance(document, WITHOUT_FIELDS):
        return _NO_FIELDS.get
    if is_keyed(document):
        return lambda name: _item(document, name)
    return lambda name: attribute(document, name)


def _item(row: Any, name: str) -> object:
    """Return the value of a row under a name; None if the row lacks the name."""
    try:
        return row[name]
    except (KeyError, IndexError):  # sqlite3.Row raises the second
        return None


# --- which fields there are -----------------------------------------------------------

MOST_FIELDS = 12
"""How many fields a message names."""


def fields_there(document: Any) -> str:
    """Return the fields of a document in words: `id, product.sku and title`.

    The fields are those of `field_paths`. They are sorted, so that equal documents have
    equal texts. "" if there are none.
    """
    return first_few(field_paths(document), MOST_FIELDS)


def only_there(document: Any) -> str:
    """Return which fields a document has, for the end of a clause: `, only id and sku`.

    "" if it has none.
    """
    there = fields_there(document)
    return f", only {there}" if there else ""


def field_paths(document: Any) -> list[str]:
    """Return the paths of the fields of a document, sorted.

    These are its own fields that are not None, and the keys of the mappings in them:
    `meta.title`. Deeper mappings are not opened, and the value of such a key may be
    None.
    """
    get = _getter(document)
    paths: list[str] = []
    for name in own_names(document):
        value = get(name)
        if isinstance(value, Mapping) and value:
            paths += [f"{name}.{key}" for key in value]
        elif value is not None:
            paths.append(str(name))
    return sorted(paths)


def did_you_mean_field(path: str, document: Any) -> str:
    """Return which field was probably meant: `; did you mean metadata.source?`.

    "" if none is close. A field of the same name in another mapping is closer than
    one of a similar name.
    """
    name = path.rpartition(".")[2].casefold()
    paths = field_paths(document)
    by_name: dict[str, str] = {}
    for there in paths:
        by_name.setdefault(there.rpartition(".")[2].casefold(), there)
    if name in by_name:
        return f"; did you mean {by_name[name]}?"
    by_spelling = {**by_name, **{there: there for there in paths}}
    spelling = closest(path, tuple(by_spelling)) or closest(name, tuple(by_name))
    return f"; did you mean {by_spelling[spelling]}?" if spelling else ""


# --- fields for expectations ----------------------------------------------------------

_PLAIN = frozenset({str, int, bool})
_AS_THEY_ARE = frozenset({*_PLAIN, type(None)})
_NO_VALUE = object()


@dataclass(frozen=True, slots=True)
class Absent:
    """The value of a field that a document does not have.

    `there`: for each source that was asked, a sentence about the fields it has.
    """

    there: tuple[str, ...] = ()


def read_fields(
    documents: Sequence[Any], paths: Mapping[str, int], source: str
) -> dict[str, list[Any]]:
    """Return {path: values} for fields of documents.

    `paths`: {path: number of documents that the field is read from}.
    `source`: what messages call the origin of the documents.

    Raises `UnreadableRanking` for a value that is neither a scalar nor a list of
    scalars.
    """
    documents = documents[: max(paths.values())]
    fields = Fields(documents)
    columns = {}
    for path, count in paths.items():
        values = fields.first_of((path,), NESTED)[:count]
        if not set(map(type, values)) <= _PLAIN:
            read = partial(_read, path, source)
            values = read_each(read, documents, documents[:count], values)
        columns[path] = values
    return columns


def _read(path: str, source: str, document: Any, value: Any) -> Any:
    """Return a field of a document as plain Python; `Absent` if it lacks the field.

    `value`: what `Fields` found; None if the field is null, missing or in a list of
    objects.
    """
    if value is None:
        value = _find_anywhere(document, path)
    if value is _NO_VALUE:
        there = fields_there(document) or "no fields"
        meant = did_you_mean_field(path, document)
        return Absent((f"{source} has {there}{meant}",))
    return plain_value(value, path)


def _find_anywhere(document: Any, path: str) -> Any:
    """Return the value at a path, in a document or in a document inside.

    `_NO_VALUE` if there is none.
    """
    fields = Fields([document])
    holders = [document]
    for name in NESTED:
        holders += fields.first_of([name])
    for holder in holders:
        value = _find(holder, path)
        if value is not _NO_VALUE:
            return value
    return _NO_VALUE


def _find(document: Any, path: str) -> Any:
    """Return the value at a path; `_NO_VALUE` if there is none.

    For a list of objects, return the values of all objects that have the path. This is
    the slow way, for documents in which `Fields` found nothing.
    """
    if isinstance(document, list) or (isinstance(document, tuple) and is_row(document)):
        values = [_find(item, path) for item in document]
        return [value for value in values if value is not _NO_VALUE] or _NO_VALUE
    outer, _, inner = path.partition(".")
    names = own_names(document)
    fields = Fields([document])
    if path in names:
        return fields.first_of([path])[0]
    if inner and outer in names:
        return _find(fields.first_of([outer])[0], inner)
    return _NO_VALUE


def plain_value(value: Any, path: str) -> Any:
    """Return a value as plain Python. Raises `BadResult` for an object."""
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if isinstance(value, (list, tuple, set, frozenset)) or has_dimensions(value):
        return _joined(value, path)
    if isinstance(value, Enum):  # which may be a text or an integer, too
        return plain_value(value.value, path)
    if isinstance(value, str):
        return plain_text(value)
    # None stands for NaN, and for what pandas has for it. Arrays have no single ==.
    if kind.__name__ in ("NAType", "NaTType") or value != value:
        return None
    if kind.__module__ == "numpy":
        return plain_value(value.item(), path)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Number) and hasattr(value, "__float__"):
        return float(value)
    if isinstance(value, (date, time)):
        return value.isoformat()
    if kind.__name__ == "UUID":
        return str(value)
    inner = [f"{path}.{name}" for name in value] if isinstance(value, Mapping) else []
    advice = f"; write {listed(inner)}" if inner else ""
    raise BadResult(
        f"has a field {quoted(path)} that is not text, a number, a boolean or a list of these{advice}"
    )


def _joined(values: Iterable[Any], path: str) -> list[Any]:
    """Return the values of a list as plain Python; lists in it are joined."""
    joined: list[Any] = []
    for value in values:
        plain = plain_value(value, path)
        joined += plain if isinstance(plain, list) else [plain]
    return joined
