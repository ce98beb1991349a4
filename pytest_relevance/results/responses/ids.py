"""Which document a result is: the id, from the fields that `id_field` names or from the usual fields.

What can be read in two ways is refused. A result with two usual ids of different values
may be either document. Two results with one id and another index (or collection) are
two documents with one name.
"""

import operator
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from functools import partial
from numbers import Real
from typing import Any, NamedTuple

from pytest_relevance._ids import BYTES, IdField, exact_text, id_field_of
from pytest_relevance._text import listed, quoted, shown
from pytest_relevance.results.responses import reading
from pytest_relevance.results.responses.attributes import answers_for_others, own_names

_TEXT = frozenset({str})

_STEMS = (("id",), ("doc", "id"), ("document", "id"), ("object", "id"), ("doc", "no"))
"""The words of the usual ids."""


def _spellings() -> Iterator[str]:
    """Spell the usual ids in every usual way: `doc_id`, `docid`, `docId`, `DocId`, `DOC_ID` ..."""
    for words in _STEMS:
        first, *others = words
        capitals = [word.capitalize() for word in others]
        uppers = [word.upper() for word in others]
        yield from ("_".join(words), "-".join(words), "".join(words))
        yield from ("".join([first, *capitals]), "".join([first, *uppers]))
        yield from (
            "".join([first.capitalize(), *capitals]),
            "".join([first.capitalize(), *uppers]),
        )
        yield from ("_".join(words).upper(), "".join(words).upper())
        yield "_" + "_".join(words)


USUAL_IDS = frozenset({*reading.ID_NAMES, *_spellings()})
"""The names under which a result may carry an id, whether or not it is read from there."""

_ORDER = {
    name: place
    for place, name in enumerate(
        [*reading.ID_NAMES, *sorted(USUAL_IDS.difference(reading.ID_NAMES))]
    )
}
"""The usual ids in the order in which they are read; those that are not read come last."""

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

_OF_A_HIT = ("_source", "fields", "meta")
"""Where a hit of Elasticsearch or OpenSearch has the fields of its document."""


class CarriedId(NamedTuple):
    """An id that a result carries: the path to it, and its text."""

    path: str
    text: str


def id_text(value: object) -> str | None:
    """Give an id as text; None for a value that is no id.

    Text is itself. An integer (numpy's too) is its digits. A UUID, an ObjectId and a
    whole Decimal are their text.
    """
    if isinstance(value, str):
        # exactly str, and not what a subclass calls its text: enums have another, and none travel to xdist's controller
        return str.__str__(value)
    if reading.is_integer(value):
        return str(operator.index(value))  # type: ignore[arg-type]
    return exact_text(value)


def why_no_id(value: object) -> str:
    """Say what a value is that is no id, and what to return: the end of "an id that is ..."."""
    cure = "return ids as text or integers"
    if value is None:
        return f"None; {cure}"
    if isinstance(value, BYTES):
        return (
            f"{type(value).__name__}, {shown(value)}; return text: {_decoded_as(value)}"
        )
    if isinstance(value, Real) and not isinstance(value, bool):
        if float(value).is_integer():
            cure += " (integers become floats in a data frame's column where one is missing)"
        cure += ", and scores as (id, score) pairs"
        return f"a float, {shown(value)}, whose text could be another one's; {cure}"
    return f"{reading.kind_of(value)}, {shown(value)}; {cure}"


def _decoded_as(value: object) -> str:
    return "bytes(id).decode()" if isinstance(value, memoryview) else "id.decode()"


def read_ids(
    documents: Sequence[Any],
    results: Sequence[object],
    id_field: IdField | None,
    judged: Collection[str] = (),
) -> list[str]:
    """Read the ids of documents. Messages show the `results` that they come from.

    `judged` are the judged ids of the case. Raises `UnreadableRanking` for a result
    without an id, and for ids that may be of two documents.
    """
    if id_field is not None and id_field.is_template:
        return _ids_of_template(documents, results, id_field)
    names = reading.ID_NAMES if id_field is None else id_field.paths
    if id_field is None:
        refuse_two_ids(documents, results, judged)
        values = reading.Fields(documents).first_of(names, reading.NESTED)
    else:
        values = first_values(documents, names)
    ids = values
    if not (set(map(type, values)) == _TEXT and "" not in values):
        read = partial(_id_of, is_usual=id_field is None, names=names)
        ids = reading.read_each(read, results, documents, values)
    _refuse_several_indexes(documents, ids, names)
    return ids


def first_values(documents: Sequence[Any], paths: Sequence[str]) -> list[Any]:
    """Give of each document the value at the first path that it has; None where it has none of them."""
    fields = reading.Fields(documents)
    found: list[Any] = [None] * len(documents)
    for path in paths:
        for index, value in enumerate(fields.first_of((path,), reading.NESTED)):
            if _is_absent(found[index]) and value is not None:
                found[index] = value
    return found


def _is_absent(value: object) -> bool:
    """Whether a value stands for nothing: None, NaN, or a missing value of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def only(value: object) -> object:
    """Give the single item of a list: Elasticsearch's `fields` are lists."""
    return value[0] if isinstance(value, (list, tuple)) and len(value) == 1 else value


def _id_of(
    document: Any, field: object, *, is_usual: bool, names: Sequence[str]
) -> str:
    """Give the id of a document: its field, or the document itself if it has no fields. Raises `BadResult`."""
    value = document if field is None else only(field)
    text = id_text(value)
    if text:
        return text
    if text == "":
        raise reading.BadResult("has an empty id")
    if (
        field is None
        and document is not None
        and not isinstance(document, (*reading.WITHOUT_FIELDS, *BYTES))
    ):
        if reading.has_dimensions(document):
            raise reading.BadResult(
                "is an array or a table; return it alone, or arrays as a tuple: (distances, labels)"
            )
        if is_usual:
            spelled, remedy = f"id ({listed(names)})", "name the field with"
        else:
            spelled, remedy = f"field {listed(map(quoted, names))}", "correct"
        there = _only_there(document)
        if not there and answers_for_others(document):
            raise reading.BadResult(reading.MADE_UP)
        if not is_usual:
            blocked = _where_a_path_ends(document, names)
            if blocked:
                raise reading.BadResult(blocked)
            there += reading.did_you_mean_field(names[0], document)
        if isinstance(document, Mapping) and any(map(_is_bytes, document)):
            raise reading.BadResult(
                f"has no {spelled}{there}: the names of its fields are bytes; decode the response (decode_responses=True)"
            )
        raise reading.BadResult(
            f"has no {spelled}{there}; {remedy} id_field in the case file"
        )
    raise reading.BadResult(f"has an id that is {why_no_id(value)}")


def _where_a_path_ends(document: Any, paths: Sequence[str]) -> str:
    """Say why a path leads to nothing though its first field is there; empty if it is not there."""
    if not isinstance(document, Mapping):
        return ""
    for path in paths:
        if path in document:
            return (
                f"has a field {quoted(path)} that is None; return an id for each result"
            )
        outer, _, inner = path.partition(".")
        if path.isdecimal() and int(path) in document:
            return f"has no field {quoted(path)}, but one with the number {path} as its name; make the names text"
        value = document.get(outer)
        if not inner or value is None or isinstance(value, Mapping):
            continue
        if isinstance(value, (str, list, tuple)):
            kind = reading.kind_of(value)
            return f"has no field {quoted(path)}: {quoted(outer)} is {kind}, not a mapping of fields"
    return ""


def _is_bytes(value: object) -> bool:
    return isinstance(value, BYTES)


def _only_there(document: Any) -> str:
    """Say which fields a document has: `, only sku and title`."""
    there = reading.fields_there(document)
    return f", only {there}" if there else ""


# --- templates --------------------------------------------------------------------------------------------------------


def _ids_of_template(
    documents: Sequence[Any], results: Sequence[object], template: IdField
) -> list[str]:
    """Join the ids of documents. A document that lacks a field of the template is refused."""
    columns = [first_values(documents, [path]) for path in template.paths]

    def joined(document: Any, *values: object) -> str:
        texts = []
        for path, value in zip(template.paths, values, strict=True):
            texts.append(_part_of_id(document, path, value, template))
        return template.join(texts)

    return reading.read_each(joined, results, documents, *columns)


def _part_of_id(document: Any, path: str, value: object, template: IdField) -> str:
    """Give the text of one field of a template. Raises `BadResult` if the document has none."""
    where = f"which id_field {quoted(str(template.written))} needs"
    value = only(value)
    if _is_absent(value):
        raise reading.BadResult(
            f"has no field {quoted(path)}, {where}{_only_there(document)}"
        )
    text = id_text(value)
    if text == "":
        raise reading.BadResult(f"has an empty field {quoted(path)}, {where}")
    if text is None:
        raise reading.BadResult(
            f"has a field {quoted(path)}, {where}, that is {why_no_id(value)}"
        )
    return text


# --- two ids of one result --------------------------------------------------------------------------------------------


def refuse_two_ids(
    documents: Sequence[Any], results: Sequence[object], judged: Collection[str]
) -> None:
    """Raise `UnreadableRanking` for a document that carries two usual ids of different values.

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
                carried.append(CarriedId(path, text))
        pair = _conflict(carried, judged)
        if pair is None:
            continue
        first, second = pair
        raise reading.UnreadableRanking(
            f"result {number} of {len(results)} has two ids, {first.path} {quoted(first.text)} and "
            f"{second.path} {quoted(second.text)}; write id_field: {first.path} or id_field: {second.path} "
            f"in the case file: {shown(results[number - 1], 200)}"
        )


def _id_columns(
    documents: Sequence[Any], fields: reading.Fields
) -> dict[str, list[Any]]:
    """Read the usual ids that documents carry, their own and those of nested documents: {path: values}.

    They are in the order in which they are read as ids.
    """
    columns = _own_id_columns(documents, fields)
    for holder in reading.NESTED:
        nested = fields.first_of((holder,))
        if all(each is None for each in nested):
            continue
        inner = [each if _has_fields(each) else None for each in nested]
        for name, values in _own_id_columns(inner).items():
            columns[f"{holder}.{name}"] = values
    return columns


def _own_id_columns(
    documents: Sequence[Any], fields: reading.Fields | None = None
) -> dict[str, list[Any]]:
    """Read the usual ids among the documents' own fields: {name: values}."""
    names = _usual_names(documents)
    if not names:
        return {}
    fields = fields or reading.Fields(documents)
    columns = {}
    for name in sorted(names, key=_ORDER.__getitem__):
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
    return value is not None and not isinstance(
        value, (*reading.WITHOUT_FIELDS, *BYTES, list)
    )


def _conflict(
    carried: Sequence[CarriedId], judged: Collection[str]
) -> tuple[CarriedId, CarriedId] | None:
    """Find two ids of a document that name two documents; None if there is one document alone."""
    for other in carried[1:]:
        if not _name_one_document(carried[0], other, judged):
            return _beside(other, carried), other
    return None


def _beside(other: CarriedId, carried: Sequence[CarriedId]) -> CarriedId:
    """Choose how a message calls the id that is read: by a field beside the other one if it is there too."""
    holder = _holder_of(other.path)
    for each in carried:
        if each.text == carried[0].text and _holder_of(each.path) == holder:
            return each
    return carried[0]


def _holder_of(path: str) -> str:
    """Give the name of the nested document that a path leads into; empty for an own field."""
    return path.partition(".")[0] if "." in path else ""


def _name_one_document(
    first: CarriedId, other: CarriedId, judged: Collection[str]
) -> bool:
    """Whether two ids of a result are known to name one document."""
    if first.text == other.text:
        return True
    if first.text in judged and other.text in judged:
        return False
    holder = _holder_of(other.path)
    if first.path == "_id" and holder in _OF_A_HIT:
        return True
    # Vespa: "id:namespace:type::7" is the document whose own id is 7
    return (
        first.path == "id"
        and holder == "fields"
        and first.text.startswith("id:")
        and first.text.endswith(f"::{other.text}")
    )


def _carried_text(value: object) -> str | None:
    """Give the text by which ids of one result are compared; None for a value that is no id.

    A whole float counts as its integer: in a data frame integers become floats if one is
    missing.
    """
    value = only(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, BYTES):
        return bytes(value).decode(errors="replace")
    return id_text(value)


# --- one id in two indexes --------------------------------------------------------------------------------------------


def _refuse_several_indexes(
    documents: Sequence[Any], ids: Sequence[str], names: Sequence[str]
) -> None:
    """Raise `UnreadableRanking` for two results with one id that come from two indexes."""
    if len(set(ids)) == len(ids):
        return
    fields = reading.Fields(documents)
    for path in INDEXES:
        first: dict[str, int] = {}
        indexes = [id_text(index) for index in fields.first_of((path,))]
        for number, (document, index) in enumerate(zip(ids, indexes, strict=True)):
            if index is None:
                continue
            earlier = first.setdefault(document, number)
            other = indexes[earlier]
            if other is not None and other != index:
                field = _field_of_id(documents[number], names)
                raise _in_two_indexes(
                    document, path, field, other, index, earlier, number
                )


def _in_two_indexes(
    document: str,
    path: str,
    field: str,
    one: str,
    other: str,
    earlier: int,
    number: int,
) -> reading.UnreadableRanking:
    template = id_field_of(f"{{{path}}}/{{{field}}}")
    example = template.join([one, document])
    return reading.UnreadableRanking(
        f"results {earlier + 1} and {number + 1} have one id, {quoted(document)}, but not one {path}: it is "
        f"{quoted(one)} and {quoted(other)}; if these are two documents, write id_field: "
        f'"{template.written}" in the case file, and judge {quoted(example)}; if they are one, write id_field: '
        f'"{{{field}}}"'
    )


def _field_of_id(document: Any, names: Sequence[str]) -> str:
    """Give the path that the id of a document was read from."""
    fields = reading.Fields([document])
    for nested in ((), reading.NESTED):
        for name in names:
            if fields.first_of((name,), nested)[0] is not None:
                return name
    return names[0]


def fields_of(document: Any) -> Mapping[str, Any]:
    """Give the own fields of a document as a mapping."""
    if isinstance(document, Mapping):
        return document
    fields = reading.Fields([document])
    return {name: fields.first_of((name,))[0] for name in own_names(document)}
