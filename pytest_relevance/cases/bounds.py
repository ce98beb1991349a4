"""Comparisons and bounds: `0.6`, `">= 0.6"`, `"<= 200 ms"`, and what a bound may be.

`SCORE`, `SHARE`, `MOST`, `RANK`, `COUNT` and `TIME` are the kinds of bounds, for
expectations and gates. `MOST` is for scores of which a lower one is better.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pytest_relevance._text import found
from pytest_relevance.cases.expectation import Expectation
from pytest_relevance.cases.location import Location, Wrong
from pytest_relevance.cases.scalars import DECIMAL, is_number, number, scalar_value
from pytest_relevance.cases.schema_parts import (
    BOUND_OF_NUMBER,
    END,
    NULL,
    NUMBER,
    WHOLE,
    Schema,
    either,
)
from pytest_relevance.cases.schema_parts import SHARE as SHARE_SCHEMA
from pytest_relevance.cases.values import LARGEST_WHOLE
from pytest_relevance.metrics.metric import ROUNDING

COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
    "!=": operator.ne,
}
"""The comparisons of a value and its bound: `==` for scores and counts alone, `!=` for
fields alone.
"""

COMPARISON = r"(?s)\s*(>=|<=|==|>|<)\s*(.*?)\s*"
"""The pattern of a comparison. Its groups are the sign and the bound."""

_DURATION = r"([0-9.]+)\s*(ms|s)"
_PER_SECOND = {"ms": 1000, "s": 1}


def meets(expected: Expectation, score: float) -> bool:
    """Say whether a score meets the bound of a metric.

    With `==` rounding does not count: 3/5 meets `== 0.6` however it is rounded.
    """
    if expected.comparison == "==":
        return abs(score - expected.bound) <= ROUNDING
    return COMPARE[expected.comparison](score, expected.bound)


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound and its comparison: ">=" and 0.6."""

    comparison: str
    value: float


def implies(now: Bound, before: Bound, *, rounding: float = 0) -> bool:
    """Say whether every figure that meets `now` meets `before` too.

    If not, a test became looser. `rounding` is how far a figure may be from a bound
    with `==`.
    """
    if before.comparison == "!=" and now != before:
        below, above = Bound("<", before.value), Bound(">", before.value)
        return implies(now, below, rounding=rounding) or implies(
            now, above, rounding=rounding
        )
    if before.comparison in ("<", "<="):  # the signs are turned: x <= 3 is -x >= -3
        mirrored = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
        now = Bound(mirrored.get(now.comparison, now.comparison), -now.value)
        before = Bound(mirrored[before.comparison], -before.value)
    if before.comparison not in (">=", ">"):
        return now == before
    if now.comparison not in (">=", ">", "=="):
        return False
    least = now.value
    if now.comparison == "==":
        least -= rounding
    if before.comparison == ">" and now.comparison != ">":
        return least > before.value
    return least >= before.value


@dataclass(frozen=True, slots=True)
class BoundKind:
    """The rules for the bounds of one kind of figure: scores, ranks, times and so on.

    `plain`: the comparison of a bound that is written without one.
    `expected`: words for messages that describe an allowed bound.
    `is_allowed`: says whether a comparison and a bound may be written.
    `read`: returns the number in what is written; None if there is none.
    `schema`: the JSON Schema of what may be written.
    """

    plain: str
    expected: str
    is_allowed: Callable[[str, float], bool]
    read: Callable[[object], float | None]
    schema: Schema

    def check(self, value: object, at: Location, *, example: str) -> Bound | Wrong:
        """Return a written bound, or report a mistake.

        `example` shows in the message how to write a bound.
        """
        comparison, written = self.plain, value
        match = re.fullmatch(COMPARISON, value) if isinstance(value, str) else None
        if match is not None:
            comparison, written = match[1], scalar_value(match[2])
        bound = self.read(written)
        if bound is None or not self.is_allowed(comparison, bound):
            return at.refuse(
                f"expected {self.expected}, found {found(value)}; write {example}"
            )
        return Bound(comparison, bound)


def _read_number(value: object) -> float | None:
    return value if is_number(value) else None


def _read_seconds(value: object) -> float | None:
    """Return the seconds in a text such as `200 ms`; None for anything else."""
    match = re.fullmatch(_DURATION, value) if isinstance(value, str) else None
    if match is None:
        return None
    amount = number(match[1])
    if amount is None:
        return None
    # 700 ms and 0.7 s are one number
    return round(amount / _PER_SECOND[match[2]], 12)


def _is_any(comparison: str, bound: float) -> bool:
    return True


def _is_share(comparison: str, bound: float) -> bool:
    """Say whether a bound is from 0 to 1 and some score can meet it."""
    if (comparison, bound) in (("<", 0), (">", 1)):
        return False
    return 0 <= bound <= 1


def _is_most(comparison: str, bound: float) -> bool:
    return bound >= 0 and comparison in ("<", "<=")


def _is_rank(comparison: str, bound: float) -> bool:
    least = 2 if comparison in ("<", ">=") else 1
    return _is_whole(bound, least)


def _is_count(comparison: str, bound: float) -> bool:
    return _is_whole(bound, 1 if comparison == "<" else 0)


def _is_whole(bound: float, least: int) -> bool:
    return bound == int(bound) and least <= bound <= LARGEST_WHOLE


def _is_time(comparison: str, bound: float) -> bool:
    return bound > 0 and comparison in ("<", "<=")


SCORE = BoundKind(
    plain=">=",
    expected="a number",
    is_allowed=_is_any,
    read=_read_number,
    schema=either(NULL, NUMBER, BOUND_OF_NUMBER),
)
SHARE = BoundKind(
    plain=">=",
    expected="a number from 0 to 1",
    is_allowed=_is_share,
    read=_read_number,
    schema=either(
        NULL,
        SHARE_SCHEMA,
        {
            "type": "string",
            "pattern": rf"^\s*(?:[<>]=?|==)\s*(?:-?0|1)(?:\.[0-9]+)?\s*{END}",
        },
    ),
)
MOST = BoundKind(
    plain="<=",
    expected="the most that is allowed, a number",
    is_allowed=_is_most,
    read=_read_number,
    schema={
        "type": ["string", "number", "null"],
        "minimum": 0,
        "pattern": rf"^\s*<=?\s*{DECIMAL}\s*{END}",
    },
)
RANK = BoundKind(
    plain="<=",
    expected=f"a rank from 1 to {LARGEST_WHOLE:,}",
    is_allowed=_is_rank,
    read=_read_number,
    schema=either(WHOLE, BOUND_OF_NUMBER),
)
COUNT = BoundKind(
    plain="==",
    expected=f"a whole number from 0 to {LARGEST_WHOLE:,}",
    is_allowed=_is_count,
    read=_read_number,
    schema=either(NULL, {**WHOLE, "minimum": 0}, BOUND_OF_NUMBER),
)
TIME = BoundKind(
    plain="<=",
    expected="the longest time in ms or s",
    is_allowed=_is_time,
    read=_read_seconds,
    schema={
        "type": ["string", "null"],
        "pattern": rf"^(?:\s*<=?\s*)?{DECIMAL}\s*(?:ms|s)\s*{END}",
    },
)
