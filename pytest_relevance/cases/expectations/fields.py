"""The expectations that look at fields of results: `every`, `some`, `none`, `at_most`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from pytest_relevance._text import found
from pytest_relevance.cases.expectations.kind import ExpectationKind, Made
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.model import Expectation, FieldCondition
from pytest_relevance.cases.scalars import DECIMAL, is_number, number
from pytest_relevance.cases.schema_parts import (
    ANY_TEXT,
    END,
    NULL,
    WHOLE,
    about,
    either,
    list_of,
    mapping_of,
    object_with,
    reference,
)
from pytest_relevance.cases.values import LARGEST_WHOLE, check_whole

AT_MOST = "at_most"

_RANK = "[1-9][0-9]{0,6}"
_OF_NUMBERS = r"(?s)\s*(>=|<=|!=|==|=|>|<)\s*(.*?)\s*"
_CONDITIONS = (
    "text, a number, true or false, a list of these, a comparison or {contains: text}"
)

_CheckField = Callable[[str, object, Location], FieldCondition | Wrong]


def check_conditions(key: str, value: object, at: Location) -> Made:
    """Check `every@5: {category: phones}`: the fields of the first 5 results, or of the top k."""
    return _check_fields(
        key, value, example="category: phones", check=_check_condition, at=at
    )


def check_at_most(key: str, value: object, at: Location) -> Made:
    """Check `at_most@5: {brand: 2}`: in how many of the first 5 results a value may be."""
    return _check_fields(key, value, example="brand: 2", check=_check_limit, at=at)


def _check_fields(
    key: str, value: object, *, example: str, check: _CheckField, at: Location
) -> Made:
    """Check a mapping of fields. `check` makes a condition of each, `example` is one."""
    kind, _, rank = key.partition("@")
    example = f"{kind}@5: {{{example}}}"
    within = int(rank) if re.fullmatch(_RANK, rank) else None
    if "@" in key and (within is None or within > LARGEST_WHOLE):
        return at.refuse(
            f"{kind} takes a rank from 1 to {LARGEST_WHOLE:,} after @; write {example}",
            at_key=True,
        )
    if not isinstance(value, Mapping) or not value:
        return at.refuse(
            f"expected a mapping of fields, found {found(value)}; write {example}"
        )
    conditions = []
    is_wrong = False
    for path, written in value.items():
        condition = _check_field(path, written, check=check, at=at.under(str(path)))
        if condition is WRONG:
            is_wrong = True
        else:
            conditions.append(condition)
    if is_wrong:
        return WRONG
    expected = Expectation(
        kind=kind, written=key, within=within, conditions=tuple(conditions)
    )
    return [expected]


def _check_field(
    path: object, written: object, *, check: _CheckField, at: Location
) -> FieldCondition | Wrong:
    """Check the name of a field, whose dots lead into nested ones, and what it has to be."""
    if isinstance(path, str) and all(path.split(".")):
        return check(path, written, at)
    message = f"expected the name of a field, found {found(path)}"
    return at.refuse(message, at_key=True)


def _check_limit(path: str, written: object, at: Location) -> FieldCondition | Wrong:
    """Check in how many results a value of a field may be."""
    most = check_whole(written, at)
    if most is WRONG:
        return WRONG
    return FieldCondition(path, AT_MOST, (most,))


def _check_condition(
    path: str, written: object, at: Location
) -> FieldCondition | Wrong:
    """Check what a field has to be: a value, a list of values, a comparison or a part of it."""
    if isinstance(written, Mapping):
        return _check_contains(path, written, at)
    match = re.fullmatch(_OF_NUMBERS, written) if isinstance(written, str) else None
    if match is not None:
        return _check_comparison(path, written, match=match, at=at)
    values = tuple(written) if isinstance(written, (list, tuple)) else (written,)
    if not values or not all(map(_is_value, values)):
        return at.refuse(
            f"expected {_CONDITIONS}, found {found(written)}; write {path}: red or "
            f"{path}: [red, blue]"
        )
    return FieldCondition(path, "==", values)


def _check_contains(
    path: str, written: Mapping[str, object], at: Location
) -> FieldCondition | Wrong:
    """Check `{contains: text}`."""
    text = written.get("contains")
    if len(written) != 1 or not isinstance(text, str) or not text:
        return at.refuse(
            f"expected {_CONDITIONS}, found {found(written)}; write {path}: "
            "{contains: text}"
        )
    return FieldCondition(path, "contains", (text,))


def _check_comparison(
    path: str, written: object, match: re.Match[str], at: Location
) -> FieldCondition | Wrong:
    """Check `>= 10`, which `match` divides into its sign and its bound."""
    comparison, text = match[1], match[2]
    bound = number(text)
    if bound is None or comparison in ("==", "="):
        return at.refuse(
            "expected a comparison of numbers with >=, >, <=, < or !=, found "
            f'{found(written)}; write {path}: ">= 10", or none: {{{path}: ...}} for !='
        )
    return FieldCondition(path, comparison, (bound,))


def _is_value(value: object) -> bool:
    """Whether a field can be equal to a value: a text that is not a comparison, a number, a boolean."""
    if isinstance(value, str):
        return not re.fullmatch(_OF_NUMBERS, value)
    return isinstance(value, bool) or is_number(value)


_CONDITION = either(
    {"type": ["number", "boolean", "null"]},
    {
        "type": "string",
        "pattern": (rf"^(?:\s*(?:[<>]=?|!=)\s*{DECIMAL}\s*{END}|(?!\s*(?:[<>=]|!=)))"),
    },
    list_of(ANY_TEXT, at_least=1),
    object_with(
        {
            "contains": about(
                "A text within the field, in upper or lower case.",
                {"type": "string", "minLength": 1},
            )
        },
        required=("contains",),
    ),
)
CONDITIONS = either(NULL, mapping_of(_CONDITION))

_REFERENCE = reference("conditions-on-fields")

KINDS: Sequence[ExpectationKind] = (
    ExpectationKind(
        name="every",
        check=check_conditions,
        about="Fields that each of the top k results has, {category: phones}; every@5: of the first 5.",
        schema=_REFERENCE,
        takes_rank=True,
    ),
    ExpectationKind(
        name="some",
        check=check_conditions,
        about="Fields that at least one of the top k results has; some@5: of the first 5.",
        schema=_REFERENCE,
        takes_rank=True,
    ),
    ExpectationKind(
        name="none",
        check=check_conditions,
        about="Fields that none of the top k results has; none@5: of the first 5.",
        schema=_REFERENCE,
        takes_rank=True,
    ),
    ExpectationKind(
        name=AT_MOST,
        check=check_at_most,
        about="In how many of the top k results a value of a field may be, {brand: 2}; at_most@5: of the first 5.",
        schema=either(NULL, mapping_of(WHOLE)),
        takes_rank=True,
    ),
)
