"""Results that may be either of two documents. They are refused.

A result with two usual ids of different values may be either document. Two results with
one id and another index (or collection) are two documents with one name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from pytest_relevance._ids import BYTES, id_field_of
from pytest_relevance._text import quoted, shown
from pytest_relevance.results.responses import reading
from pytest_relevance.results.responses.attributes import own_names
from pytest_relevance.results.responses.ids import id_text, only

# --- the usual ids --------------------------------------------------------------------

_STEMS = (("id",), ("doc", "id"), ("document", "id"), ("object", "id"), ("doc", "no"))
"""The words of the usual ids."""


def _spellings(first: str, *others: str) -> Iterator[str]:
    """Spell a usual id in every usual way: `doc_id`, `docid`, `docId`, `DocId`,
    `DOC_ID` ...
    """
    words = (first, *others)
    snake, joined = "_".join(words), "".join(words)
    capitals = "".join(word.capitalize() for word in others)
    uppers = "".join(word.upper() for word in others)
    yield from (snake, "-".join(words), joined, f"_{snake}")
    yield from (snake.upper(), joined.upper())
    for beginning in (first, first.capitalize()):
        yield from (beginning + capitals, beginning + uppers)


def _usual_ids() -> frozenset[str]:
    names = {*reading.ID_NAMES}
    for words in _STEMS:
        names.update(_spellings(*words))
    return frozenset(names)


USUAL_IDS = _usual_ids()
"""The names under which a result may carry an id, whether or not it is read from
there.
"""

_NOT_READ = sorted(USUAL_IDS.difference(reading.ID_NAMES))
_ORDER = {name: place for place, name in enumerate([*reading.ID_NAMES, *_NOT_READ])}
"""The usual ids in the order in which they are read; those that are not read come
last.
"""

# --- two ids of one result ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CarriedId:
    """An id that a result carries: the path to it, and its text."""

    path: str
    text: str

    @property
    def holder(self) -> str:
        """The nested document that the path leads into; empty for an own field."""
        return self.path.partition(".")[0] if "." in self.path else ""


def refuse_two_ids(
    documents: Sequence[Any], results: Sequence[object], judged: Collection[str]
) -> None:
    """Raise `UnreadableRanking` for a document that carries two usual ids of different
    values.

    `_id` is the id of a hit whose `_source` has another one, unless both are `judged`.
    """
    columns = _id_columns(documents, reading.Fields(documents))
    if len(columns) < 2:
        return
    for number, values in enumerate(zip(*columns.values(), strict=True), 1):
        carried = []
        for path, value in zip(columns, values, strict=True):
            text = _carried_text(value)
            if text:
                carried.append(CarriedId(path=path, text=text))
        other = _other_document(carried, judged)
        if other is None:
            continue
        first = _beside(other, carried)
        raise reading.UnreadableRanking(
            f"result {number} of {len(results)} has two ids, {first.path} {quoted(first.text)} and "
            f"{other.path} {quoted(other.text)}; write id_field: {first.path} or id_field: {other.path} "
            f"in the case file: {shown(results[number - 1], 200)}"
        )


def _id_columns(
    documents: Sequence[Any], fields: reading.Fields
) -> dict[str, list[Any]]:
    """Read the usual ids that documents carry, their own and those of nested documents.

    `{path: values}`, in the order in which they are read as ids.
    """
    columns = _own_id_columns(documents, fields)
    for holder in reading.NESTED:
        nested = fields.first_of((holder,))
        if all(document is None for document in nested):
            continue
        inner = [document if _has_fields(document) else None for document in nested]
        for name, values in _own_id_columns(inner, reading.Fields(inner)).items():
            columns[f"{holder}.{name}"] = values
    return columns


def _own_id_columns(
    documents: Sequence[Any], fields: reading.Fields
) -> dict[str, list[Any]]:
    """Read the usual ids among the documents' own fields: `{name: values}`."""
    columns = {}
    for name in sorted(_usual_names(documents), key=_ORDER.__getitem__):
        values = fields.first_of((name,))
        if any(value is not None for value in values):
            columns[name] = values
    return columns


def _usual_names(documents: Sequence[Any]) -> Set[str]:
    """Find the names of usual ids that documents may have."""
    if set(map(type, documents)) == {dict}:
        return USUAL_IDS.intersection(set().union(*documents))
    names: set[str] = set()
    seen: set[type] = set()
    for document in documents:
        kind = type(document)
        if kind is dict:
            names.update(USUAL_IDS.intersection(document))
        elif kind not in seen and _has_fields(document):
            seen.add(kind)
            names.update(reading.ID_NAMES)
            names.update(USUAL_IDS.intersection(own_names(document)))
    return names


def _has_fields(value: object) -> bool:
    """Whether a value may be a document: no text, no number, no list."""
    if type(value) is dict:  # nearly all are, and the check of abstract classes is slow
        return True
    without = (*reading.WITHOUT_FIELDS, *BYTES, list)
    return value is not None and not isinstance(value, without)


def _carried_text(value: object) -> str | None:
    """Return the text by which ids of one result are compared; None for a value that is
    no id.

    A whole float counts as its integer: in a data frame integers become floats if one
    is missing.
    """
    value = only(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, BYTES):
        return bytes(value).decode(errors="replace")
    return id_text(value)


def _other_document(
    carried: Sequence[CarriedId], judged: Collection[str]
) -> CarriedId | None:
    """Find an id that names another document than the first id; None if there is
    none.
    """
    for other in carried[1:]:
        if not _name_one_document(carried[0], other, judged):
            return other
    return None


def _beside(other: CarriedId, carried: Sequence[CarriedId]) -> CarriedId:
    """Choose how a message calls the first id: by a field beside the other one, if it
    is there too.
    """
    first = carried[0]
    for same in carried:
        if same.text == first.text and same.holder == other.holder:
            return same
    return first


_HOLDERS_OF_HITS = ("_source", "fields", "meta")
"""Where a hit of Elasticsearch or OpenSearch has the fields of its document."""


def _name_one_document(
    first: CarriedId, other: CarriedId, judged: Collection[str]
) -> bool:
    """Whether two ids of a result are known to name one document."""
    if first.text == other.text:
        return True
    if first.text in judged and other.text in judged:
        return False
    if first.path == "_id" and other.holder in _HOLDERS_OF_HITS:
        return True
    # Vespa: "id:namespace:type::7" is the document whose own id is 7
    is_of_vespa = first.path == "id" and other.holder == "fields"
    has_inner_id = first.text.startswith("id:") and first.text.endswith(
        f"::{other.text}"
    )
    return is_of_vespa and has_inner_id


# --- one id in two indexes ------------------------------------------------------------

INDEXES = (
    "_index",
    "_federation.indexUid",
    "indexUid",
    "collection",
    "_collection_name",
    "metadata._collection_name",
)
"""Where a result says which index or collection it is from.

Of Elasticsearch and OpenSearch, Meilisearch, Typesense and Weaviate, and LangChain's
Qdrant.
"""


def refuse_several_indexes(
    documents: Sequence[Any], ids: Sequence[str], names: Sequence[str]
) -> None:
    """Raise `UnreadableRanking` for two results with one id that come from two indexes.

    `names` are the fields that the ids may be read from.
    """
    if len(set(ids)) == len(ids):
        return
    fields = reading.Fields(documents)
    for path in INDEXES:
        indexes = [id_text(index) for index in fields.first_of((path,))]
        pair = _first_in_two_indexes(ids, indexes)
        if pair is not None:
            field = _field_of_id(documents[pair.second], names)
            raise _in_two_indexes(pair, path, field)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two results with one id, by their indexes in the list, and the search indexes
    they are from.
    """

    id: str
    first: int
    second: int
    index_of_first: str
    index_of_second: str


def _first_in_two_indexes(
    ids: Sequence[str], indexes: Sequence[str | None]
) -> _Pair | None:
    """Find two results with one id and another index; None if there are none."""
    seen: dict[str, tuple[int, str]] = {}
    for number, (id_, index) in enumerate(zip(ids, indexes, strict=True)):
        if index is None:
            continue
        first, index_of_first = seen.setdefault(id_, (number, index))
        if index != index_of_first:
            return _Pair(
                id=id_,
                first=first,
                second=number,
                index_of_first=index_of_first,
                index_of_second=index,
            )
    return None


def _in_two_indexes(pair: _Pair, path: str, field: str) -> reading.UnreadableRanking:
    """Return the exception for two results with one id.

    `path`: the field with the search index. `field`: the field with the id.
    """
    template = id_field_of(f"{{{path}}}/{{{field}}}")
    example = template.join([pair.index_of_first, pair.id])
    return reading.UnreadableRanking(
        f"results {pair.first + 1} and {pair.second + 1} have one id, {quoted(pair.id)}, but not one {path}: it is "
        f"{quoted(pair.index_of_first)} and {quoted(pair.index_of_second)}; if these are two documents, write id_field: "
        f'"{template.written}" in the case file, and judge {quoted(example)}; if they are one, write id_field: '
        f'"{{{field}}}"'
    )


def _field_of_id(document: Any, names: Sequence[str]) -> str:
    """Return the path that the id of a document was read from."""
    fields = reading.Fields([document])
    for nested in ((), reading.NESTED):
        for name in names:
            if fields.first_of((name,), nested)[0] is not None:
                return name
    return names[0]
