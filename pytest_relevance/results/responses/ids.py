"""Which document a result is: the id, from the fields that `id_field` names or from the
usual fields.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from functools import partial
from numbers import Real
from typing import Any

from pytest_relevance._ids import BYTES, IdField, exact_text
from pytest_relevance._text import listed, quoted, shown
from pytest_relevance.results.responses import reading
from pytest_relevance.results.responses.attributes import answers_for_others, own_names
from pytest_relevance.results.responses.values import has_dimensions, is_integer

_TEXT = frozenset({str})


def id_text(value: object) -> str | None:
    """Return an id as text; None for a value that is no id.

    Text is itself. An integer (numpy's too) is its digits. A UUID, an ObjectId and a
    whole Decimal are their text.
    """
    if isinstance(value, str):
        # exactly str: a subclass may call another text its own, and does not travel
        # to the controller of pytest-xdist
        return str.__str__(value)
    if is_integer(value):
        return str(operator.index(value))  # type: ignore[arg-type]
    return exact_text(value)


def why_no_id(value: object) -> str:
    """Say what a value is that is no id, and what to return: the end of "an id that is
    ...".
    """
    cure = "return ids as text or integers"
    if value is None:
        return f"None; {cure}"
    if isinstance(value, BYTES):
        kind = type(value).__name__
        is_view = isinstance(value, memoryview)
        decoded = "bytes(id).decode()" if is_view else "id.decode()"
        return f"{kind}, {shown(value)}; return text: {decoded}"
    if isinstance(value, Real) and not isinstance(value, bool):
        if float(value).is_integer():
            cure += " (integers become floats in a data frame's column where one is missing)"
        cure += ", and scores as (id, score) pairs"
        return f"a float, {shown(value)}, whose text could be another one's; {cure}"
    return f"{reading.kind_of(value)}, {shown(value)}; {cure}"


def read_ids(
    documents: Sequence[Any],
    results: Sequence[object],
    id_field: IdField | None,
) -> list[str]:
    """Read the ids of documents.

    `results`: what the documents come from, for messages. Raises `UnreadableRanking`
    for a result without an id.
    """
    if id_field is not None and id_field.is_template:
        return _ids_of_template(documents, results, id_field)
    names = reading.ID_NAMES if id_field is None else id_field.paths
    if id_field is None:
        values = reading.Fields(documents).first_of(names, reading.NESTED)
    else:
        values = first_values(documents, names)
    if set(map(type, values)) <= _TEXT and "" not in values:
        return values
    read = partial(_id_of, names=names, is_usual=id_field is None)
    return reading.read_each(read, results, documents, values)


def first_values(documents: Sequence[Any], paths: Sequence[str]) -> list[Any]:
    """Read of each document the value at the first path that it has; None if it has
    none.
    """
    fields = reading.Fields(documents)
    values: list[Any] = [None] * len(documents)
    for path in paths:
        for index, value in enumerate(fields.first_of((path,), reading.NESTED)):
            if _is_absent(values[index]) and value is not None:
                values[index] = value
    return values


def _is_absent(value: object) -> bool:
    """Whether a value stands for nothing: None, NaN, or a missing value of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def only(value: object) -> object:
    """Return the single item of a list: the `fields` of Elasticsearch are lists."""
    return value[0] if isinstance(value, (list, tuple)) and len(value) == 1 else value


def fields_of(document: Any) -> Mapping[str, Any]:
    """Return the own fields of a document as a mapping."""
    if isinstance(document, Mapping):
        return document
    fields = reading.Fields([document])
    return {name: fields.first_of((name,))[0] for name in own_names(document)}


# --- the id of one document -----------------------------------------------------------


def _id_of(
    document: Any, field: object, *, names: Sequence[str], is_usual: bool
) -> str:
    """Return the id of a document: a field, or the document itself if it has no fields.

    `field` is the value of its first field among `names`. `is_usual`: these are the
    usual names. Raises `BadResult`.
    """
    value = document if field is None else only(field)
    text = id_text(value)
    if text:
        return text
    if text == "":
        raise reading.BadResult("has an empty id")
    if field is None and _may_have_fields(document):
        raise reading.BadResult(_why_without_id(document, names, is_usual=is_usual))
    raise reading.BadResult(f"has an id that is {why_no_id(value)}")


def _may_have_fields(document: object) -> bool:
    without = (*reading.WITHOUT_FIELDS, *BYTES)
    return document is not None and not isinstance(document, without)


def _why_without_id(document: Any, names: Sequence[str], *, is_usual: bool) -> str:
    """Say why a document has no field with an id, and what to do."""
    if has_dimensions(document):
        return "is an array or a table; return it alone, or arrays as a tuple: (distances, labels)"
    there = _only_there(document)
    if not there and answers_for_others(document):
        return reading.MADE_UP
    if is_usual:
        missing, remedy = f"id ({listed(names)})", "name the field with"
    else:
        blocked = _where_a_path_ends(document, names)
        if blocked:
            return blocked
        missing, remedy = f"field {listed(map(quoted, names))}", "correct"
        there += reading.did_you_mean_field(names[0], document)
    has_bytes = isinstance(document, Mapping) and any(
        isinstance(name, BYTES) for name in document
    )
    if has_bytes:
        decode = "decode the response (decode_responses=True)"
        return f"has no {missing}{there}: the names of its fields are bytes; {decode}"
    return f"has no {missing}{there}; {remedy} id_field in the case file"


def _where_a_path_ends(document: Any, paths: Sequence[str]) -> str:
    """Say why a path leads to nothing though its first field is there; empty if it is
    not there.
    """
    if not isinstance(document, Mapping):
        return ""
    for path in paths:
        if path in document:
            return (
                f"has a field {quoted(path)} that is None; return an id for each result"
            )
        if path.isdecimal() and int(path) in document:
            return (
                f"has no field {quoted(path)}, but one with the number {path} as its "
                "name; make the names text"
            )
        outer, _, inner = path.partition(".")
        value = document.get(outer)
        if inner and isinstance(value, (str, list, tuple)):
            kind = reading.kind_of(value)
            return (
                f"has no field {quoted(path)}: {quoted(outer)} is {kind}, not a mapping "
                "of fields"
            )
    return ""


def _only_there(document: Any) -> str:
    """Say which fields a document has: `, only sku and title`."""
    there = reading.fields_there(document)
    return f", only {there}" if there else ""


# --- templates ------------------------------------------------------------------------


def _ids_of_template(
    documents: Sequence[Any], results: Sequence[object], template: IdField
) -> list[str]:
    """Join the ids of documents. A document that lacks a field of the template is
    refused.
    """
    columns = [first_values(documents, [path]) for path in template.paths]

    def join(document: Any, *values: object) -> str:
        texts = []
        for path, value in zip(template.paths, values, strict=True):
            texts.append(_part_of_id(document, path, value, template))
        return template.join(texts)

    return reading.read_each(join, results, documents, *columns)


def _part_of_id(document: Any, path: str, value: object, template: IdField) -> str:
    """Return the text of one field of a template. Raises `BadResult` if there is
    none.
    """
    where = f"which id_field {quoted(str(template.written))} needs"
    value = only(value)
    if _is_absent(value):
        there = _only_there(document)
        raise reading.BadResult(f"has no field {quoted(path)}, {where}{there}")
    text = id_text(value)
    if text == "":
        raise reading.BadResult(f"has an empty field {quoted(path)}, {where}")
    if text is None:
        why = why_no_id(value)
        raise reading.BadResult(f"has a field {quoted(path)}, {where}, that is {why}")
    return text
