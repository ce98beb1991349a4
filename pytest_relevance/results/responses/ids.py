"""Read the ids of results.

The id comes from the fields that `id_field` names, or from the usual fields.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from functools import partial
from numbers import Real
from typing import Any

from pytest_relevance._ids import BYTES, IdField, exact_text
from pytest_relevance._text import listed, quoted, shown
from pytest_relevance.results.responses.errors import (
    MADE_UP,
    BadResult,
    read_each,
    type_in_words,
)
from pytest_relevance.results.responses.fields import (
    ID_NAMES,
    NESTED,
    TEXT_NAMES,
    WITHOUT_FIELDS,
    Fields,
    did_you_mean_field,
    only_there,
)
from pytest_relevance.results.responses.values import (
    answers_for_others,
    are_texts,
    has_dimensions,
    is_integer,
    own_names,
    plain_text,
)

# --- ids ------------------------------------------------------------------------------


def id_text(value: object) -> str | None:
    """Return an id as text; None for a value that cannot be an id.

    A text stays as it is. An integer (numpy's too) becomes its digits. A UUID, an
    ObjectId and a whole Decimal become their text.
    """
    if isinstance(value, str):
        return plain_text(value)
    if is_integer(value):
        return str(operator.index(value))  # type: ignore[arg-type]
    return exact_text(value)


def why_no_id(value: object) -> str:
    """Return the end of a message "an id that is ...": what it is, and what to do."""
    advice = "return ids as text or integers"
    if value is None:
        return f"None; {advice}"
    if isinstance(value, BYTES):
        kind = type(value).__name__
        is_view = isinstance(value, memoryview)
        decoded = "bytes(id).decode()" if is_view else "id.decode()"
        return f"{kind}, {shown(value)}; return text: {decoded}"
    if isinstance(value, Real) and not isinstance(value, bool):
        if float(value).is_integer():
            advice += (
                " (integers become floats in a data frame's column if one is missing)"
            )
        advice += ", and scores as (id, score) pairs"
        return (
            f"a float, {shown(value)}, whose text could be that of another id; {advice}"
        )
    return f"{type_in_words(value)}, {shown(value)}; {advice}"


def read_ids(
    documents: Sequence[Any],
    results: Sequence[object],
    id_field: IdField | None,
) -> list[str]:
    """Return the ids of documents.

    `results`: the results that the documents come from, for messages.
    `id_field`: the field that the suite names; None for the usual ones.

    Raises `UnreadableRanking` for a result without an id, or with an id that is neither
    text nor an integer.
    """
    if id_field is not None and id_field.is_template:
        return _ids_of_template(documents, results, id_field)
    names = ID_NAMES if id_field is None else id_field.paths
    if id_field is None:
        values = Fields(documents).first_of(names, NESTED)
    else:
        values = first_values(documents, names)
    if are_texts(values):
        return values
    read = partial(_id_of, names=names, is_usual=id_field is None)
    return read_each(read, results, documents, values)


def first_values(documents: Sequence[Any], paths: Sequence[str]) -> list[Any]:
    """Return for each document the value at the first path that has one; else None.

    NaN and missing values of pandas are returned only if no path has another value.
    """
    fields = Fields(documents)
    values: list[Any] = [None] * len(documents)
    for path in paths:
        for index, value in enumerate(fields.first_of((path,), NESTED)):
            if is_absent(values[index]) and value is not None:
                values[index] = value
    return values


def is_absent(value: object) -> bool:
    """Say whether a value is None, NaN, or a missing value of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def only(value: object) -> object:
    """Return the item of a list with one item; any other value as it is.

    Elasticsearch returns lists in `fields`.
    """
    return value[0] if isinstance(value, (list, tuple)) and len(value) == 1 else value


def fields_of(document: Any) -> Mapping[str, Any]:
    """Return the own fields of a document as a mapping."""
    if isinstance(document, Mapping):
        return document
    fields = Fields([document])
    return {name: fields.first_of((name,))[0] for name in own_names(document)}


def has_fields(value: object) -> bool:
    """Say whether a value may have fields: a mapping or an object, and not a list."""
    if type(value) is dict:  # nearly all are, and the check of abstract classes is slow
        return True
    without = (*WITHOUT_FIELDS, *BYTES, list)
    return value is not None and not isinstance(value, without)


# --- the id of one document -----------------------------------------------------------


def _id_of(
    document: Any, field: object, *, names: Sequence[str], is_usual: bool
) -> str:
    """Return the id of a document: a field, or the whole document if it has no fields.

    `field`: the value of the first of `names` that the document has; None if it has
        none of them.
    `names`: the fields that may have the id.
    `is_usual`: whether `names` are the usual names of ids, not those of `id_field`.

    Raises `BadResult` if the document has no id, or if the value cannot be one.
    """
    value = document if field is None else only(field)
    text = id_text(value)
    if text:
        return text
    if text == "":
        raise BadResult("has an empty id")
    if field is None and _may_have_fields(document):
        raise BadResult(_why_without_id(document, names, is_usual=is_usual))
    raise BadResult(f"has an id that is {why_no_id(value)}")


def _may_have_fields(document: object) -> bool:
    without = (*WITHOUT_FIELDS, *BYTES)
    return document is not None and not isinstance(document, without)


def _why_without_id(document: Any, names: Sequence[str], *, is_usual: bool) -> str:
    """Return why a document has no id, and what to do: the end of a sentence.

    `names`: the fields that were tried.
    `is_usual`: whether these are the usual names, because the suite has no `id_field`.
    """
    if has_dimensions(document):
        return "is an array or a table; return it alone, or arrays as a tuple: (distances, labels)"
    there = only_there(document)
    if not there and answers_for_others(document):
        return MADE_UP
    if is_usual:
        missing, remedy = f"id ({listed(names)})", "name the field with"
    else:
        blocked = _where_a_path_ends(document, names)
        if blocked:
            return blocked
        missing, remedy = f"field {listed(map(quoted, names))}", "correct"
        there += did_you_mean_field(names[0], document)
    has_bytes = isinstance(document, Mapping) and any(
        isinstance(name, BYTES) for name in document
    )
    if has_bytes:
        decode = "decode the response (decode_responses=True)"
        return f"has no {missing}{there}: the names of its fields are bytes; {decode}"
    instead = ""
    if is_usual and _has_text(document):
        instead = ", or judge texts: write passages in the place of judgments of ids"
    return f"has no {missing}{there}; {remedy} id_field in the case file{instead}"


def _has_text(document: Any) -> bool:
    """Say whether a document has one of the usual fields of texts."""
    (text,) = Fields([document]).first_of(TEXT_NAMES, NESTED)
    return isinstance(text, str)


def _where_a_path_ends(document: Any, paths: Sequence[str]) -> str:
    """Return why a path leads to nothing although its first field exists; else ""."""
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
            kind = type_in_words(value)
            return (
                f"has no field {quoted(path)}: {quoted(outer)} is {kind}, not a mapping "
                "of fields"
            )
    return ""


# --- templates ------------------------------------------------------------------------


def _ids_of_template(
    documents: Sequence[Any], results: Sequence[object], template: IdField
) -> list[str]:
    """Return the ids of documents, each joined from the fields of a template.

    Raises `UnreadableRanking` for a document that lacks a field.
    """
    columns = [first_values(documents, [path]) for path in template.paths]

    def join(document: Any, *values: object) -> str:
        texts = []
        for path, value in zip(template.paths, values, strict=True):
            texts.append(_part_of_id(document, path, value, template))
        return template.join(texts)

    return read_each(join, results, documents, *columns)


def _part_of_id(document: Any, path: str, value: object, template: IdField) -> str:
    """Return the text of one field of a template. Raises `BadResult` without one."""
    where = f"which id_field {quoted(str(template.written))} needs"
    value = only(value)
    if is_absent(value):
        there = only_there(document)
        raise BadResult(f"has no field {quoted(path)}, {where}{there}")
    text = id_text(value)
    if text == "":
        raise BadResult(f"has an empty field {quoted(path)}, {where}")
    if text is None:
        why = why_no_id(value)
        raise BadResult(f"has a field {quoted(path)}, {where}, that is {why}")
    return text
