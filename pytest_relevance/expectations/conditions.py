"""Conditions on fields of results: whether a value meets one, and why that may not be
known.
"""

from __future__ import annotations

from typing import Any

from pytest_relevance._text import found as described
from pytest_relevance._text import quoted
from pytest_relevance.cases.bounds import COMPARE
from pytest_relevance.cases.model import Case, FieldCondition
from pytest_relevance.results.field_values import scalars_in
from pytest_relevance.results.responses.fields import Absent
from pytest_relevance.results.responses.ranking import Ranking


def meets_condition(condition: FieldCondition, value: Any) -> bool:
    """Whether any value of a field meets a condition. A null meets none."""
    return any(_scalar_meets(condition, one) for one in scalars_in(value))


def _scalar_meets(condition: FieldCondition, value: Any) -> bool:
    comparison, wanted = condition.comparison, condition.values
    if comparison == "==":
        return any(_are_equal(value, one) for one in wanted)
    if comparison == "contains":
        is_within: bool = str(wanted[0]).casefold() in value.casefold()
        return is_within
    return COMPARE[comparison](value, wanted[0])  # type: ignore[arg-type]


def _are_equal(value: object, wanted: object) -> bool:
    """Whether two values are equal. 1 equals True in Python, and not here."""
    return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)


def why_unknown_fields(case: Case, ranking: Ranking) -> str:
    """Say why expectations on fields are not decided: a line for each field that a
    result lacks; usually empty.

    A field that cannot be compared as the case asks has a line too. The first result of
    each field is named.
    """
    lines: dict[str, str] = {}
    for expected in case.expect:
        for condition in expected.conditions:
            path = condition.path
            absent = (Absent(),) * len(ranking.ids)
            values = (ranking.fields or {}).get(path, absent)
            for index, value in enumerate(values[: expected.within or case.k]):
                why = _why_unknown(condition, value)
                if why:
                    document = quoted(ranking.ids[index])
                    line = f"{expected.written}: document {document} at rank {index + 1} {why}"
                    lines.setdefault(path, line)
                    break
    return "\n".join(lines.values())


def _why_unknown(condition: FieldCondition, value: object) -> str:
    """Say why a condition on a value is neither met nor unmet; empty if it is one of
    both.
    """
    path = quoted(condition.path)
    if isinstance(value, Absent):
        there = "; ".join(value.there) or "the search returned ids alone"
        return f"has no field {path}: {there}"
    if condition.comparison == "at_most":
        return ""
    if condition.comparison == "==":
        return _why_never_equal(condition, value)
    is_text = condition.comparison == "contains"
    for one in scalars_in(value):
        if isinstance(one, str) != is_text or isinstance(one, bool):
            wanted = f"{condition.comparison} compares numbers"
            if is_text:
                wanted = "contains looks at texts"
            return f"has {described(one)} as {path}, and {wanted}"
    return ""


def _why_never_equal(condition: FieldCondition, value: object) -> str:
    """Say that a value is the wanted one in another type.

    `none: {used: true}` would hold forever if a CSV has the text "true".
    """
    if meets_condition(condition, value):
        return ""
    for one in scalars_in(value):
        for wanted in condition.values:
            if _differ_in_type_alone(one, wanted):
                return (
                    f"has {described(one)} as {quoted(condition.path)}, which never equals "
                    f"{described(wanted)}; write it as it is"
                )
    return ""


def _differ_in_type_alone(value: object, wanted: object) -> bool:
    """Whether one of two values is the text of the other, a number or a boolean, or 0
    or 1 and the other a boolean.
    """
    if isinstance(value, bool) != isinstance(wanted, bool) and value == wanted:
        return True  # SQLite has no booleans
    if isinstance(value, str) == isinstance(wanted, str):
        return False
    return str(value).casefold() == str(wanted).casefold()
