"""What the readers of responses share: names of ids, options, fields of documents,
errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any, TypeVar

from pytest_relevance._text import closest, first_few, shown
from pytest_relevance.results.responses.attributes import (
    attribute,
    is_keyed,
    own_names,
)
from pytest_relevance.results.responses.iterators import MOST_READ

ID_NAMES = ("id", "_id", "doc_id", "docid", "document_id", "objectID")
TITLE_NAMES = ("title", "name")
"""The usual names of an id and of a title, in the order in which they are tried."""

NESTED = ("_source", "document", "fields", "meta", "metadata", "payload")
"""Where a result may have the fields of its document.

In hits of Elasticsearch and OpenSearch, Typesense, Vespa and elasticsearch-dsl, and in
what vector databases and their clients keep with a document.
"""

SCALARS = frozenset({str, int})
"""The types of ids that are results by themselves."""

WITHOUT_FIELDS = (str, bytes, Number)
"""Types of values that have no fields."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a response is read.

    `id_names`, `title_names`: the fields that may have the id and the title, in the
    order in which they are tried. They decide between columns if a table allows several
    readings.
    `ids`: gives the attribute `ids` of the fixture's value, which turns labels of a
    vector index into ids: a sequence, a mapping, or None. It is called only if a
    response has labels.
    `most`: how many results of an iterator are read.
    `expects_response`: the case looks at the response itself, so suggestions or groups
    without results are no error.
    """

    id_names: Sequence[str] = ()
    title_names: Sequence[str] = ()
    ids: Callable[[], object] | None = None
    most: int = MOST_READ
    expects_response: bool = False


# --- what cannot be read --------------------------------------------------------------


class UnreadableRanking(ValueError):
    """Raised for a response that is no ranking. The message says what came back, and
    what to return.
    """


class BadResult(Exception):
    """Why a result cannot be read: the end of a sentence that begins with the result's
    number.
    """


A_LIST = "return a list of results, best first"
ONE_QUERY = "search for one query at a time, or give the fixture's value an attribute many that takes several"
A_MOCK = (
    "a mock has every attribute and no results; have it return what the search would, for example "
    'Mock(return_value=["id-1", "id-2"])'
)
"""What to do: the ends of messages."""

MADE_UP = (
    "has no fields but those that __getattr__ makes up, which could be any; "
    "return a mapping of its fields"
)
"""Why an object that answers to every name is no result."""


def unreadable(
    kind: str, response: object, advice: str, longest: int = 200
) -> UnreadableRanking:
    """Return an exception, to be raised by the caller.

    `kind`: what the search returned, in words. `advice`: what to do. `longest`: how
    much of the response is shown, in characters.
    """
    returned = shown(response, longest)
    if kind:
        returned = f"{kind}, {returned}"
    return UnreadableRanking(f"search returned {returned}; {advice}")


def kind_of(value: object) -> str:
    """Return the type of a value as prose: `a dict`, `an int`."""
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


_T = TypeVar("_T")


def read_each(
    read: Callable[..., _T], results: Sequence[object], *columns: Sequence[Any]
) -> list[_T]:
    """Call a function with each row of columns, and return what it returns.

    The function raises `BadResult` for a row that cannot be read. Then
    `UnreadableRanking` is raised, which shows the result that the row comes from.
    """
    values = []
    for index, row in enumerate(zip(*columns, strict=True)):
        try:
            values.append(read(*row))
        except BadResult as problem:
            where = f"result {index + 1} of {len(results)}"
            message = f"{where} {problem}: {shown(results[index], 200)}"
            raise UnreadableRanking(message) from None
    return values


# --- fields of documents --------------------------------------------------------------

_Get = Callable[[str], object]
"""Gets a document's own field by its name; None for one that is not there."""

_NO_FIELDS: dict[str, object] = {}
_NONE = frozenset({type(None)})


class Fields:
    """The fields of documents, read one field of all documents at a time.

    Usually all documents have a field, or none has it.
    """

    def __init__(self, documents: Sequence[Any]) -> None:
        kinds = set(map(type, documents))
        self._names: frozenset[object] | None = None
        self._getters: Sequence[_Get]
        if kinds == {dict}:
            self._names = frozenset().union(*documents)
            self._getters = [document.get for document in documents]
        elif kinds <= SCALARS:
            self._names = frozenset()
            self._getters = [_NO_FIELDS.get] * len(documents)
        else:
            self._getters = [_getter(document) for document in documents]

    @property
    def names(self) -> frozenset[object] | None:
        """The names of the fields, if they are known: those of mappings."""
        return self._names

    def first_of(self, names: Sequence[str], nested: Iterable[str] = ()) -> list[Any]:
        """Read of each document the first of some fields that it has.

        `nested`: the fields with documents in which the field may be instead. A
        document that has none of the fields has None.
        """
        values: list[Any] | None = None
        for column in self._columns(names, nested):
            values = column if values is None else _filled(values, column)
            # an object may have an == of its own, so types are compared
            if _NONE.isdisjoint(map(type, values)):
                break
        return [None] * len(self._getters) if values is None else values

    def _columns(
        self, names: Sequence[str], nested: Iterable[str]
    ) -> Iterator[list[Any]]:
        """Read the values of the fields that some documents may have, one field at a
        time.
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
        return self._names is None or name in self._names


def _filled(values: list[Any], column: list[Any]) -> list[Any]:
    """Take the value of a column in place of each None."""
    pairs = zip(values, column, strict=True)
    return [new if old is None else old for old, new in pairs]


def _at_path(get: _Get, path: str) -> object:
    """Get a field of a nested document by its path. A name may have a dot in it."""
    outer, _, inner = path.partition(".")
    get_inner = _getter(get(outer))
    value = get_inner(inner)
    if value is None and "." in inner:
        return _at_path(get_inner, inner)
    return value


def _getter(document: Any) -> _Get:
    """Return a function that gets a document's own field by its name."""
    if isinstance(document, Mapping):
        return document.get
    if document is None or isinstance(document, WITHOUT_FIELDS):
        return _NO_FIELDS.get
    if is_keyed(document):
        return lambda name: _item(document, name)
    return lambda name: attribute(document, name)


def _item(row: Any, name: str) -> object:
    try:
        return row[name]
    except (KeyError, IndexError):  # sqlite3.Row raises the second
        return None


# --- which fields there are -----------------------------------------------------------

MOST_FIELDS = 12
"""How many fields a message names."""


def fields_there(document: Any) -> str:
    """Name the fields that a document has, but for those that are None:
    `id, product.sku and title`.

    Names in nested mappings have dots. They are sorted, so that equal documents have
    equal texts. Empty if there are none.
    """
    return first_few(field_paths(document), MOST_FIELDS)


def field_paths(document: Any) -> list[str]:
    """Return the paths of the fields that a document has, sorted."""
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
    """Say which field of a document was probably meant:
    `; did you mean metadata.source?`.

    Empty if none is close. A field of the same name in another mapping is closer than
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


def attributes_of(result: object, *names: str) -> dict[str, object]:
    """Return the attributes of an object that are not None, by their names."""
    values = {name: getattr(result, name, None) for name in names}
    return {name: value for name, value in values.items() if value is not None}
