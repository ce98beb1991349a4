"""How conditions on fields are written: `{category: phones, price: "< 100"}`.

Expectations on fields and passages have such conditions. `document_fields` of `results`
says whether a value meets one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from pytest_relevance._text import found
from pytest_relevance.cases.expectation import FieldCondition
from pytest_relevance.cases.location import WRONG, Location, Wrong, all_right
from pytest_relevance.cases.scalars import DECIMAL, is_number, number
from pytest_relevance.cases.schema_parts import (
    ANY_TEXT,
    END,
    Schema,
    about,
    either,
    list_of,
    mapping_of,
    object_with,
)

_COMPARISON = r"(?s)\s*(>=|<=|!=|==|=|>|<)\s*(.*?)\s*"
OF_NUMBERS = frozenset({">=", "<=", "!=", ">", "<"})
"""The comparisons of conditions that compare numbers, and no other values."""

_ALLOWED = (
    "text, a number, true or false, a list of these, a comparison or {contains: text}"
)

CheckOfField = Callable[[str, object, Location], FieldCondition | Wrong]
"""Checks the condition of one field. Takes its path, what is written, and the place."""


def check_conditions(
    value: object, check: CheckOfField, *, example: str, at: Location
) -> tuple[FieldCondition, ...] | Wrong:
    """Return the conditions of a mapping {field: condition}, or report mistakes.

    `check`: checks the condition of one field.
    `example`: shows in messages how the mapping is written.
    """
    if not isinstance(value, Mapping) or not value:
        return at.refuse(
            f"expected a mapping of conditions, found {found(value)}; write {example}"
        )
    checked = []
    for path, written in value.items():
        checked.append(_check_field(path, written, check, at))
    conditions = all_right(checked)
    return WRONG if conditions is WRONG else tuple(conditions)


def _check_field(
    path: object, written: object, check: CheckOfField, at: Location
) -> FieldCondition | Wrong:
    here = at.under(str(path))
    if isinstance(path, str) and all(path.split(".")):
        return check(path, written, here)
    return here.refuse(
        f"expected a name, or names with dots between them, found {found(path)}",
        at_key=True,
    )


def check_condition(
    path: str, written: object, at: Location, *, has_opposite: bool = True
) -> FieldCondition | Wrong:
    """Return the condition on a field, or report a mistake.

    A condition is written as a value, a list of values, a comparison, or a part of a
    text (`{contains: ...}`).

    `has_opposite`: whether the expectation `none` may have the condition too. Then a
        message proposes `none` in the place of `!=`.
    """
    if isinstance(written, Mapping):
        return _check_contains(path, written, at)
    if isinstance(written, str):
        match = re.fullmatch(_COMPARISON, written)
        if match is not None:
            return _check_comparison(path, match, at, has_opposite=has_opposite)
    values = tuple(written) if isinstance(written, (list, tuple)) else (written,)
    if not values or not all(map(_is_value, values)):
        return at.refuse(
            f"expected {_ALLOWED}, found {found(written)}; write {path}: red or "
            f"{path}: [red, blue]"
        )
    return FieldCondition(path, "==", values)


def check_response_condition(
    path: str, written: object, at: Location
) -> FieldCondition | Wrong:
    """Return the condition on a path of a response, or report a mistake.

    It is written as a condition on a field, or as null: nothing may be there.
    """
    if written is None:
        return FieldCondition(path, "==", (None,))
    return check_condition(path, written, at, has_opposite=False)


def _check_contains(
    path: str, written: Mapping[str, object], at: Location
) -> FieldCondition | Wrong:
    """Return the condition `{contains: text}`, or report a mistake."""
    text = written.get("contains")
    if len(written) != 1 or not isinstance(text, str) or not text:
        return at.refuse(
            f"expected {_ALLOWED}, found {found(written)}; write {path}: "
            "{contains: text}"
        )
    return FieldCondition(path, "contains", (text,))


def _check_comparison(
    path: str, written: re.Match[str], at: Location, *, has_opposite: bool
) -> FieldCondition | Wrong:
    """Return the condition `>= 10`, or report a mistake.

    `written`: a match of `_COMPARISON`: the comparison and its bound.
    """
    comparison, text = written[1], written[2]
    bound = number(text)
    if bound is not None and comparison not in ("==", "="):
        return FieldCondition(path, comparison, (bound,))
    advice = f'write {path}: ">= 10"'
    if has_opposite:
        advice += f", or none: {{{path}: ...}} for !="
    return at.refuse(
        "expected a comparison of numbers with >=, >, <=, < or !=, found "
        f"{found(written[0])}; {advice}"
    )


def _is_value(value: object) -> bool:
    """Say whether a field can be equal to a value: to `red`, but not to `>= 10`."""
    if isinstance(value, str):
        return not re.fullmatch(_COMPARISON, value)
    return isinstance(value, bool) or is_number(value)


_VALUE: Schema = {"type": ["number", "boolean", "null"]}
_TEXT_OR_COMPARISON: Schema = {
    "type": "string",
    "pattern": rf"^(?:\s*(?:[<>]=?|!=)\s*{DECIMAL}\s*{END}|(?!\s*(?:[<>=]|!=)))",
}
_PART_OF_TEXT = about(
    "A text within the field, in upper or lower case.",
    {"type": "string", "minLength": 1},
)
_CONDITION = either(
    _VALUE,
    _TEXT_OR_COMPARISON,
    list_of(ANY_TEXT, at_least=1),
    object_with({"contains": _PART_OF_TEXT}, required=("contains",)),
)
CONDITIONS_SCHEMA = mapping_of(_CONDITION)
