"""Refuse results if it is not clear which documents they are.

- A result with two different usual ids may be either document.
- Two results with equal ids in different indexes (or collections) are two documents.
- Texts may stand in the place of ids.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from pytest_relevance._ids import BYTES, id_field_of
from pytest_relevance._text import quoted, shown
from pytest_relevance.results.responses.errors import UnreadableRanking
from pytest_relevance.results.responses.fields import ID_NAMES, NESTED, Fields
from pytest_relevance.results.responses.ids import has_fields, id_text, only
from pytest_relevance.results.responses.values import own_names

# --- the usual ids --------------------------------------------------------------------

_STEMS = (("id",), ("doc", "id"), ("document", "id"), ("object", "id"), ("doc", "no"))
"""The words of the usual ids."""


def _spellings(first: str, *others: str) -> Iterator[str]:
    """Yield the usual spellings of a name: `doc_id`, `docId`, `DocId`, `DOC_ID` ..."""
    words = (first, *others)
    snake, joined = "_".join(words), "".join(words)
    capitals = "".join(word.capitalize() for word in others)
    uppers = "".join(word.upper() for word in others)
    yield from (snake, "-".join(words), joined, f"_{snake}")
    yield from (snake.upper(), joined.upper())
    for beginning in (first, first.capitalize()):
        yield from (beginning + capitals, beginning + uppers)


def _usual_ids() -> frozenset[str]:
    names = {*ID_NAMES}
    for words in _STEMS:
        names.update(_spellings(*words))
    return frozenset(names)


USUAL_IDS = _usual_ids()
"""The names under which a result may carry an id. Not all of them are read as ids."""

_NOT_READ = sorted(USUAL_IDS.difference(ID_NAMES))
_ORDER = {name: place for place, name in enumerate([*ID_NAMES, *_NOT_READ])}
"""The usual ids in the order in which they are read; last, those that are not read."""


# --- two ids of one result ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CarriedId:
    """An id that a result has: the path of its field, and its text."""

    path: str
    text: str

    @property
    def holder(self) -> str:
        """Return the name of the nested document with the id; "" for the result."""
        return self.path.partition(".")[0] if "." in self.path else ""


def refuse_two_ids(
    documents: Sequence[Any], results: Sequence[object], judged: Collection[str]
) -> None:
    """Raise `UnreadableRanking` for a document whose usual id fields differ.

    Exception: only `_id` and a field of `_source` differ, and at most one of the two is
    judged. Then `_id` is the id. The same holds for the `id` of Vespa beside the own id
    of the document.
    """
    columns = _id_columns(documents, Fields(documents))
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
        raise UnreadableRanking(
            f"result {number} of {len(results)} has two ids, {first.path} {quoted(first.text)} and "
            f"{other.path} {quoted(other.text)}; write id_field: {first.path} or id_field: {other.path} "
            f"in the case file: {shown(results[number - 1], 200)}"
        )


def _id_columns(documents: Sequence[Any], fields: Fields) -> dict[str, list[Any]]:
    """Return {path: values} for the usual ids of documents and of nested documents.

    The paths are in the order in which they are tried as ids.
    """
    columns = _own_id_columns(documents, fields)
    for holder in NESTED:
        nested = fields.first_of((holder,))
        if all(document is None for document in nested):
            continue
        inner = [document if has_fields(document) else None for document in nested]
        for name, values in _own_id_columns(inner, Fields(inner)).items():
            columns[f"{holder}.{name}"] = values
    return columns


def _own_id_columns(documents: Sequence[Any], fields: Fields) -> dict[str, list[Any]]:
    """Return {name: values} for the usual ids among the documents' own fields."""
    columns = {}
    for name in sorted(_usual_names(documents), key=_ORDER.__getitem__):
        values = fields.first_of((name,))
        if any(value is not None for value in values):
            columns[name] = values
    return columns


def _usual_names(documents: Sequence[Any]) -> Set[str]:
    """Return the usual names of ids that some of the documents have or may have."""
    if set(map(type, documents)) == {dict}:
        return USUAL_IDS.intersection(set().union(*documents))
    names: set[str] = set()
    seen: set[type] = set()
    for document in documents:
        kind = type(document)
        if kind is dict:
            names.update(USUAL_IDS.intersection(document))
        elif kind not in seen and has_fields(document):
            seen.add(kind)
            names.update(ID_NAMES)
            names.update(USUAL_IDS.intersection(own_names(document)))
    return names


def _carried_text(value: object) -> str | None:
    """Return the text by which the ids of one result are compared; None without an id.

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
    """Return the first id that names another document than `carried[0]`, or None."""
    for other in carried[1:]:
        if not _name_one_document(carried[0], other, judged):
            return other
    return None


def _beside(other: CarriedId, carried: Sequence[CarriedId]) -> CarriedId:
    """Return where the first id stands beside `other`; else `carried[0]`.

    A message names both ids. They are easier to compare in one nested document.
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
    """Say whether two ids that a document carries are known to name the same document.

    True for equal ids. Different ids that are both judged are two documents. Otherwise
    true for `_id` of Elasticsearch beside an id in its `_source`, and for the `id` of
    Vespa beside the document's own id.
    """
    if first.text == other.text:
        return True
    if first.text in judged and other.text in judged:
        return False
    if first.path == "_id" and other.holder in _HOLDERS_OF_HITS:
        return True
    # "id:namespace:type::7" of Vespa is the document whose own id is 7.
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
"""The fields of a result that name its index or collection.

They are of Elasticsearch and OpenSearch, Meilisearch, Typesense and Weaviate, and of
LangChain with Qdrant.
"""


def refuse_several_indexes(
    documents: Sequence[Any], ids: Sequence[str], names: Sequence[str]
) -> None:
    """Raise `UnreadableRanking` for results with one id from different indexes.

    `names`: the fields that the ids may be read from.
    """
    if len(set(ids)) == len(ids):
        return
    fields = Fields(documents)
    for path in INDEXES:
        indexes = [id_text(index) for index in fields.first_of((path,))]
        numbers: dict[str, int] = {}
        for number, (id_, index) in enumerate(zip(ids, indexes, strict=True)):
            if index is None:
                continue
            first = numbers.setdefault(id_, number)
            if index != indexes[first]:
                field = _field_of_id(documents[number], names)
                template = id_field_of(f"{{{path}}}/{{{field}}}")
                example = template.join([str(indexes[first]), id_])
                raise UnreadableRanking(
                    f"results {first + 1} and {number + 1} have the same id, "
                    f"{quoted(id_)}, and different values of {path}, "
                    f"{quoted(str(indexes[first]))} and {quoted(index)}. If these "
                    f'are two documents, write id_field: "{template.written}" in '
                    f"the case file, and judge {quoted(example)}. If they are one "
                    f'document, write id_field: "{{{field}}}"'
                )


def _field_of_id(document: Any, names: Sequence[str]) -> str:
    """Return the name of the field that the id of a document was read from.

    The name of a nested field is without its parent: `id` for `_source.id`.
    """
    fields = Fields([document])
    for nested in ((), NESTED):
        for name in names:
            if fields.first_of((name,), nested)[0] is not None:
                return name
    return names[0]


# --- texts in the place of ids --------------------------------------------------------

_FEWEST_WORDS = 15
"""How many words make a text prose. Titles, which may be ids, have fewer."""

_LONGEST_WITHOUT_SPACES = 60
"""More characters are prose in scripts that write no spaces, such as Chinese."""


def refuse_texts(ids: Sequence[str], judged: Collection[str]) -> None:
    """Raise `UnreadableRanking` if the ids are texts, and the case judges ids.

    Most ids have to be prose. If a judged id is prose too, texts are the ids.
    """
    if not ids or not judged or not _is_prose(ids[0]):
        return
    count = sum(map(_is_prose, ids))
    if count <= len(ids) / 2 or any(map(_is_prose, judged)):
        return
    raise UnreadableRanking(
        f"search returned texts in the place of ids, {shown(ids[0])} first, and the case judges ids; return ids, or "
        "judge texts: write passages in the place of the judgments"
    )


def _is_prose(text: str) -> bool:
    """Say whether a text is a sentence or more, and no usual id, URL or title."""
    if len(text) <= _LONGEST_WITHOUT_SPACES:
        return False
    words = len(text.split())
    has_no_spaces = words == 1 and not text.isascii() and "/" not in text
    return has_no_spaces or words >= _FEWEST_WORDS
