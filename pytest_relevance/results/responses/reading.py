"""What the readers of responses share: the fields of results, bare rows, and the errors of what cannot be read.

A field is read from a mapping, an object or a row with names, or from a document nested in it. A bare row has no names:
it is `(id,)`, `(id, score)`, `(id, title)` or `(id, title, score)`, and its parts are distinguished by type: a text in
second place is a title, a number is a score. Rows whose types allow two readings are refused.
"""

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise
from numbers import Number
from typing import Any, NamedTuple, TypeVar

from pytest_relevance._ids import exact_text
from pytest_relevance._text import LONGEST_SHOWN, closest, first_few, shown
from pytest_relevance.results.responses.attributes import (
    attribute,
    has_attribute,
    is_keyed,
    is_mock,
    own_names,
)
from pytest_relevance.results.responses.iterators import MOST_READ

ID_NAMES = ("id", "_id", "doc_id", "docid", "document_id", "objectID")
TITLE_NAMES = ("title", "name")
"""The usual names of an id and of a title, in the order in which they are tried."""

NESTED = ("_source", "document", "fields", "meta", "metadata", "payload")
"""Where a document's own fields are within a result: in the hits of Elasticsearch and OpenSearch, Typesense, Vespa and
elasticsearch-dsl, and in what vector databases and their clients keep with a document."""

MOST_FIELDS = 12

SCALARS = frozenset({str, int})
_NONE = frozenset({type(None)})
WITHOUT_FIELDS = (str, bytes, Number)


class ReadOptions(NamedTuple):
    """How a response is read.

    `id_names` and `title_names` are the names of fields that have the id and the title, in the order in which they are
    tried; they decide between columns where a table allows several readings. `ids` gives the attribute `ids` of the
    fixture's value, which turns the labels of a vector index into ids: a sequence or a mapping, or None where there is
    none. It is called only where a response has labels. `most` is how many results of an iterator are read.
    `expects_response`: the case looks at the response itself, so suggestions or groups without results are no error.
    """

    id_names: Sequence[str] = ()
    title_names: Sequence[str] = ()
    ids: Callable[[], object] | None = None
    most: int = MOST_READ
    expects_response: bool = False


_Getter = Callable[[str], object]
_NO_FIELDS: dict[str, object] = {}


class Fields:
    """The fields of documents, read one field of all documents at a time: usually all have it, or none."""

    def __init__(self, documents: Sequence[Any]) -> None:
        self._names: frozenset[object] | None = (
            None  # of the fields, where they are known
        )
        kinds = set(map(type, documents))
        if kinds == {dict}:
            self._names = frozenset().union(*documents)
            self._getters: Sequence[_Getter] = [document.get for document in documents]
        elif kinds <= SCALARS:
            self._names, self._getters = frozenset(), [_NO_FIELDS.get] * len(documents)
        else:
            self._getters = [*map(_getter, documents)]

    @property
    def names(self) -> frozenset[object] | None:
        """The names of the fields, where they are known: those of mappings."""
        return self._names

    def first_of(self, names: Sequence[str], nested: Iterable[str] = ()) -> list[Any]:
        """The first of some fields of each document, its own or of one nested in it; None where it has none of them."""
        found: list[Any] = []
        for values in self._columns(names, nested):
            found = (
                [
                    new if old is None else old
                    for old, new in zip(found, values, strict=True)
                ]
                if found
                else values
            )
            if _NONE.isdisjoint(map(type, found)):  # values may have an == of their own
                break
        return found or [None] * len(self._getters)

    def _columns(
        self, names: Sequence[str], nested: Iterable[str]
    ) -> Iterator[list[Any]]:
        for name in names:
            if self._names is None or name in self._names:
                yield [get(name) for get in self._getters]
            if "." in name and (
                self._names is None or name.partition(".")[0] in self._names
            ):
                yield [_at_path(get, name) for get in self._getters]
        for holder in nested:
            if self._names is None or holder in self._names:
                yield Fields([get(holder) for get in self._getters]).first_of(names)


def _at_path(get: _Getter, path: str) -> object:
    """A field of a nested document, by its path; a name may have a dot in it."""
    outer, _, inner = path.partition(".")
    get = _getter(get(outer))
    found = get(inner)
    return _at_path(get, inner) if found is None and "." in inner else found


def _getter(document: Any) -> _Getter:
    """A function that gets a document's own field by its name; None for one that is not there."""
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


def fields_there(document: Any) -> str:
    """The names of the fields that a document has, but for those that are None: `id, product.sku and title`.

    Names in nested mappings have dots. They are sorted, so that equal documents have equal texts. Empty where there is
    none.
    """
    return first_few(field_paths(document), MOST_FIELDS)


def field_paths(document: Any) -> list[str]:
    """The paths of the fields that a document has, sorted."""
    found: list[str] = []
    for name in own_names(document):
        inner = _getter(document)(name)
        if isinstance(inner, Mapping) and inner:
            found += [f"{name}.{key}" for key in inner]
        elif inner is not None:
            found.append(str(name))
    return sorted(found)


def did_you_mean_field(path: str, document: Any) -> str:
    """Say which field of a document was probably meant: `; did you mean metadata.source?`. Empty if none is close.

    A field of the same name in another mapping is closer than one of a similar name.
    """
    name = path.rpartition(".")[2].casefold()
    by_name: dict[str, str] = {}
    for there in field_paths(document):
        by_name.setdefault(there.rpartition(".")[2].casefold(), there)
    if name in by_name:
        return f"; did you mean {by_name[name]}?"
    by_spelling = {**by_name, **{there: there for there in field_paths(document)}}
    spelling = closest(path, tuple(by_spelling)) or closest(name, tuple(by_name))
    return f"; did you mean {by_spelling[spelling]}?" if spelling else ""


# --- what cannot be read ----------------------------------------------------------------------------------------------

ONE_QUERY = "search for one query at a time, or give the fixture's value an attribute many that takes several"
"""What to do where a response has the results of several queries: the end of a message."""

_T = TypeVar("_T")


class UnreadableRanking(ValueError):
    """Raised where a response is no ranking. The message shows what came back and what is understood."""


class BadResult(Exception):
    """Why a result cannot be read: the end of a sentence that begins with the result's number."""


MADE_UP = (
    "has no fields but those that __getattr__ makes up, which could be any; "
    "return a mapping of its fields"
)

A_LIST = "return a list of results, best first"


def unreadable(
    what: str, response: object, advice: str, longest: int = 200
) -> UnreadableRanking:
    """The exception, to be raised by the caller: what a search returned, at most `longest` of it, and what to do."""
    found = f"{what}, {shown(response, longest)}" if what else shown(response, longest)
    return UnreadableRanking(f"search returned {found}; {advice}")


def kind_of(value: object) -> str:
    """The type of a value as prose: `a dict`, `an int`."""
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def read_each(
    read: Callable[..., _T], results: Sequence[object], *columns: Sequence[Any]
) -> list[_T]:
    """What is read of each row of columns; a message of one that cannot be read shows the result that it comes from."""
    found = []
    for index, values in enumerate(zip(*columns, strict=True)):
        try:
            found.append(read(*values))
        except BadResult as problem:
            where = f"result {index + 1} of {len(results)}"
            raise UnreadableRanking(
                f"{where} {problem}: {shown(results[index], 200)}"
            ) from None
    return found


def is_unsent_search(response: object) -> bool:
    """Whether a response is a `Search` of elasticsearch.dsl or opensearch-py, which is sent when it is iterated over.

    Iterating would give the hits without the other fields of the response; its method `execute` gives the response.
    """
    names = {kind.__name__ for kind in type(response).__mro__}
    return (
        bool(names & {"Search", "AsyncSearch"})
        and has_attribute(response, "execute")
        and has_attribute(response, "to_dict")
    )


ROWS = "(id, score), (id, title) or (id, title, score) row"


class BareRow(NamedTuple):
    """The parts of a bare row. `document` is an id, or a mapping or an object that has one."""

    document: object
    title: str | None = None
    score: object = None


def is_row(result: object) -> bool:
    """Whether a result is a row without names. Named tuples have them, and so have psycopg2's rows with keys."""
    if type(result) is tuple:
        return True
    return issubclass(type(result), (tuple, list)) and not (
        has_attribute(result, "_fields") or has_attribute(result, "keys")
    )


def read_row(row: Sequence[Any]) -> BareRow:
    """The parts of a bare row. Raises `BadResult` for a row of another shape."""
    if (
        len(row) == 2
        and is_score(row[1])
        and not (is_integer(row[1]) and _is_fraction(row[0]))
    ):
        return BareRow(row[0], score=row[1])
    if isinstance(row, tuple) and len(row) == 1:
        return BareRow(row[0])
    if (
        isinstance(row, tuple)
        and len(row) in (2, 3)
        and _is_id_before_a_title(row)
        and _is_title(row[1])
    ):
        if len(row) == 2 or is_score(row[2]):
            return BareRow(*row)
    elif len(row) == 2 and _is_fraction(row[0]):
        if not is_id(row[1]):
            return BareRow(row[1], score=row[0])
        raise BadResult(
            "is a (score, id) pair; return (id, score) pairs, with ids as text or integers"
        )
    raise BadResult(
        f"is no {ROWS}; return the results of one query: ids, such rows as tuples, or mappings or objects with an id "
        "(arrays of distances and labels as a tuple, not as lists)"
    )


def read_tuple(values: tuple[Any, ...]) -> Sequence[object]:
    """The results in a tuple. Raises `UnreadableRanking` for what may be something else: one row, or two columns."""
    ends_fit = len(values) in (2, 3) and is_id(values[0]) and _is_number(values[-1])
    is_like_row = (
        ends_fit
        and all(map(_is_title, values[1:-1]))
        and not all(map(is_integer, values))
    )
    are_like_columns = (
        len(values) == 2
        and all(map(is_row, values))
        and all(map(_is_text_or_integers, values))
    )
    if is_like_row or are_like_columns:
        what = (
            "a tuple that could be one row, columns side by side or a list of results"
        )
        raise unreadable(
            what, values, "return a list of rows, or a list of ids", LONGEST_SHOWN
        )
    return values


def _is_text_or_integers(parts: Sequence[Any]) -> bool:
    return all(isinstance(part, str) for part in parts) or all(map(is_integer, parts))


_BESIDE = SCALARS | {float, bool, type(None)}


def refuse_row_beside_value(kinds: Set[type], results: Sequence[Any]) -> None:
    """Raise `UnreadableRanking` for results that are rows and single values: `(ids, total)`, `(ids, cursor)`."""
    has_rows = any(issubclass(kind, (tuple, list)) for kind in kinds)
    is_hit_beside = (
        isinstance(results, tuple) and dict in kinds and not kinds.isdisjoint(SCALARS)
    )
    if is_hit_beside or (has_rows and not kinds.isdisjoint(_BESIDE)):
        advice = "return the results alone, without a total or a cursor beside them"
        rows = [
            index
            for index, part in enumerate(results)
            if isinstance(part, (tuple, list))
        ]
        if len(rows) == 1:
            advice = f"{advice}: return response[{rows[0]}]"
        raise unreadable("rows beside single values", results, advice, LONGEST_SHOWN)


def ambiguity(results: Sequence[Any]) -> str:
    """Why rows that are well-formed one by one allow two readings together; empty where they do not."""
    if not results or not all(
        is_row(row) and len(row) in (2, 3) and is_integer(row[0]) for row in results
    ):
        return ""
    numbers, others = (
        [operator.index(row[0]) for row in results],
        [row[1] for row in results],
    )
    # (rank, id): several integers from 0 or 1 on, beside words that are all different, as ids are and titles seldom
    is_numbered = len(numbers) > 1 and any(
        numbers == [*range(first, first + len(numbers))] for first in (0, 1)
    )
    are_words = all(isinstance(text, str) and len(text.split()) == 1 for text in others)
    is_ambiguous = is_numbered and are_words and len({*others}) == len(others)
    if not any(len(row) == 3 for row in results):
        # (score, id): integers that descend, some of them equal
        is_falling = all(one >= two for one, two in pairwise(numbers)) and len(
            {*numbers}
        ) < len(numbers)
        is_ambiguous |= all(map(is_integer, others)) or (
            is_falling and all(isinstance(each, str) for each in others)
        )
    if not is_ambiguous:
        return ""
    return (
        f"rows of an integer and another part, {shown(results[0])} first, of which either may be the id; return "
        "ids alone, mappings with an id and a title or a score, or (id, float(score)) pairs"
    )


def is_score(value: object) -> bool:
    """Whether a value is a number, or None for a score that is not there.

    What numpy, torch and the like call a scalar has `__float__`; so have their arrays, which have a shape.
    """
    return value is None or _is_number(value)


def is_id(value: object) -> bool:
    """Whether a value could be an id, and no score: a text, an integer, a UUID, an ObjectId."""
    if isinstance(value, str) or is_integer(value):
        return True
    return exact_text(value) is not None and not _is_number(value)


def _is_id_before_a_title(row: Sequence[Any]) -> bool:
    """Whether the first part of an (id, title) or (id, title, score) row could be an id, or an id that is missing.

    A Decimal may be a score in a row of two parts: (score, id).
    """
    first = row[0]
    if first is None or is_id(first):
        return True
    return len(row) == 3 and exact_text(first) is not None


def _is_title(value: object) -> bool:
    """Whether a value is a title, or None for one that is not there (NULL in a database)."""
    return value is None or isinstance(value, str)


def _is_number(value: Any) -> bool:
    return (
        hasattr(type(value), "__float__")
        and not isinstance(value, (bool, str))
        and not is_mock(value)
        and not has_dimensions(value)
    )


def _is_fraction(value: object) -> bool:
    """Whether a value is a number, of a type that may have a fraction: it can be a score and not an id."""
    return _is_number(value) and not is_integer(value)


def has_dimensions(value: Any) -> bool:
    """Whether a value is an array of numbers, which may convert itself to one number or warn that it does."""
    return bool(attribute(value, "shape"))


def is_integer(value: object) -> bool:
    """Whether a value is an integer, of Python or of a library; True and False are none."""
    if type(value) is int:
        return True
    if (
        isinstance(value, bool)
        or not hasattr(type(value), "__index__")
        or is_mock(value)
        or has_dimensions(value)
    ):
        return False
    try:
        operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True
