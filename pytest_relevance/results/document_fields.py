"""Work with the values of fields of documents.

Values become text, are counted, are filled in from other sources, and are compared with
conditions. This happens while a case runs: when its response lacks fields that
expectations look at, and when the case is scored. Catalogues use the module too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from pytest_relevance._text import cut_to, found, quoted
from pytest_relevance.cases.bounds import COMPARE
from pytest_relevance.cases.expectation import FieldCondition
from pytest_relevance.results.responses.fields import Absent, read_fields
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.values import plain_text

AT_MOST_OF_VALUE = "at_most"
"""How a condition of `at_most` compares."""

_LONGEST_TEXT = 300
"""The characters of a text in an outcome. Descriptions would fill the records."""

_MOST_ITEMS = 100
"""The items of a list of a response in an outcome."""

Fields = Mapping[str, object]
"""The values of one document, by the names of their columns."""


def value_at(values: Fields, name: str) -> object:
    """Return the value of a column; None if there is none.

    Dots lead into nested objects if no column has the whole name.
    """
    if name in values or "." not in name:
        return values.get(name)
    value: object = values
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def text_of(value: object) -> str:
    """Return a value as text.

    The items of a list have commas between them, an object becomes JSON, and None and
    NaN become "".
    """
    if isinstance(value, str):
        return plain_text(value).strip()
    if isinstance(value, (list, tuple)):
        texts = [text_of(item) for item in value]
        return ", ".join(text for text in texts if text)
    if isinstance(value, (bool, Mapping)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return "" if value is None or value != value else str(value)


@dataclass(frozen=True, slots=True)
class FieldValues:
    """The fields of documents from a source, for example a catalogue.

    `source`: what messages call the source.
    `by_document`: {document: {field: value}}.
    `columns`: the sentence with which a message lists the fields of the source; () to
    list the fields of the document.
    """

    source: str
    by_document: Mapping[str, object]
    columns: Sequence[str] = ()


def absent_documents(ranking: Ranking, fields: Mapping[str, int]) -> list[str]:
    """Return the documents that lack a needed field, best first.

    `fields`: {field: how many of the first results need it}.
    """
    absent: set[int] = set()
    for path, count in fields.items():
        values = (ranking.fields or {}).get(path)
        for index in range(min(count, len(ranking.ids))):
            if values is None or type(values[index]) is Absent:
                absent.add(index)
    return [ranking.ids[index] for index in sorted(absent)]


def with_fields(
    ranking: Ranking, fields: Mapping[str, int], more: FieldValues
) -> Ranking:
    """Return the ranking with absent fields filled in from a source.

    `fields`: {field: how many of the first results need it}. A field that the source
        does not have either stays absent.

    Raises `UnreadableRanking` for a value that is neither a scalar nor a list of
    scalars.
    """
    filled = {}
    for path, count in fields.items():
        documents = ranking.ids[:count]
        values = (ranking.fields or {}).get(path, [Absent()] * len(documents))
        filled[path] = _filled_in(path, documents, values, more)
    return replace(ranking, fields=filled)


def _filled_in(
    path: str, documents: Sequence[str], values: Sequence[Any], more: FieldValues
) -> list[Any]:
    """Return the values of one field, with absent ones filled in from a source."""
    filled = list(values)
    known = []
    for index, value in enumerate(values):
        if type(value) is not Absent:
            continue
        if documents[index] in more.by_document:
            known.append(index)
        else:
            unknown = f"{more.source} does not have the document"
            filled[index] = Absent((*value.there, unknown))
    if not known:
        return filled
    of_known = [more.by_document[documents[index]] for index in known]
    found = read_fields(of_known, {path: len(known)}, more.source)[path]
    for index, value in zip(known, found, strict=True):
        if type(value) is Absent:
            there = more.columns or value.there
            value = Absent((*values[index].there, *there))
        filled[index] = value
    return filled


def scalars_in(value: Any) -> Sequence[Any]:
    """Return the single values of a field, without nulls; () if there are none.

    A list has its items as single values. Any other value is a single value itself.
    """
    if type(value) is list:
        return [one for one in value if one is not None]
    return () if value is None else (value,)


def brief_value(value: Any) -> Any:
    """Return a value as an outcome keeps it: long texts are cut, infinity is text."""
    if isinstance(value, list):
        return [brief_value(one) for one in value]
    if isinstance(value, str):
        return cut_to(value, _LONGEST_TEXT)
    return str(value) if value in (inf, -inf) else value


def cut_value(value: Any) -> Any:
    """Return a value of a response as an outcome keeps it: long lists are cut too.

    A list that is cut ends in `...`.
    """
    if isinstance(value, list) and len(value) > _MOST_ITEMS:
        return [*brief_value(value[:_MOST_ITEMS]), "..."]
    return brief_value(value)


def is_cut(value: object) -> bool:
    """Say whether a value of an outcome may be only the beginning of what was found."""
    if isinstance(value, (list, tuple)):
        return len(value) > _MOST_ITEMS or any(map(is_cut, value))
    return isinstance(value, str) and len(value) == _LONGEST_TEXT


def short_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return {path: value} for the values of a response that an outcome keeps whole.

    Long values are left out, and so is every `NoValue`.
    """
    short = {}
    for path, value in values.items():
        kept = cut_value(value)
        is_value = value is None or isinstance(value, (list, str, int, float))
        if is_value and not is_cut(kept):
            short[path] = kept
    return short


def has_value(value: Any) -> bool:
    """Say whether a value is not empty. Null, blank text and lists of these are empty.

    `value`: plain Python, with None in the place of NaN.
    """
    for one in scalars_in(value):
        if not isinstance(one, str) or one.strip():
            return True
    return False


def count_field_values(fields: Mapping[str, Sequence[Any]]) -> dict[str, int]:
    """Return {field: in how many results it has a value}.

    A field without results is left out.
    """
    counts = {}
    for path, values in fields.items():
        if values:
            counts[path] = sum(1 for value in values if has_value(value))
    return counts


def meets_condition(condition: FieldCondition, value: Any) -> bool:
    """Say whether any value of a field meets a condition. None meets no condition."""
    return any(_scalar_meets(condition, one) for one in scalars_in(value))


def _scalar_meets(condition: FieldCondition, value: Any) -> bool:
    """Say whether a single value of a field meets a condition."""
    comparison, wanted = condition.comparison, condition.values
    if comparison == "==":
        return any(_are_equal(value, one) for one in wanted)
    if comparison == "contains":
        is_within: bool = str(wanted[0]).casefold() in value.casefold()
        return is_within
    return COMPARE[comparison](value, wanted[0])  # type: ignore[arg-type]


def _are_equal(value: object, wanted: object) -> bool:
    """Say whether two values are equal. 1 equals True in Python, but not here."""
    return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)


def why_condition_unknown(condition: FieldCondition, value: object) -> str:
    """Return why a condition on a value cannot be decided; "" if it can.

    The text is the end of a sentence about the result: `has no field "price": ...`.
    """
    path = quoted(condition.path)
    if isinstance(value, Absent):
        there = "; ".join(value.there) or "the search returned ids alone"
        return f"has no field {path}: {there}"
    if condition.comparison == AT_MOST_OF_VALUE:
        return ""
    if condition.comparison == "==":
        return _why_never_equal(condition, value)
    is_text = condition.comparison == "contains"
    for one in scalars_in(value):
        if isinstance(one, str) != is_text or isinstance(one, bool):
            wanted = f"{condition.comparison} compares numbers"
            if is_text:
                wanted = "contains looks at texts"
            return f"has {found(one)} as {path}, and {wanted}"
    return ""


def _why_never_equal(condition: FieldCondition, value: object) -> str:
    """Return a message if a value differs from a wanted one only in its type; else "".

    Otherwise `none: {used: true}` would be met if the values are the text "true".
    """
    if meets_condition(condition, value):
        return ""
    for one in scalars_in(value):
        for wanted in condition.values:
            if _differ_in_type_alone(one, wanted):
                return (
                    f"has {found(one)} as {quoted(condition.path)}, which never equals "
                    f"{found(wanted)}; write it as it is"
                )
    return ""


def _differ_in_type_alone(value: object, wanted: object) -> bool:
    """Say whether two values look alike but have different types: 5 and "5"."""
    if isinstance(value, bool) != isinstance(wanted, bool) and value == wanted:
        return True  # SQLite has no booleans
    if isinstance(value, str) == isinstance(wanted, str):
        return False
    return str(value).casefold() == str(wanted).casefold()
