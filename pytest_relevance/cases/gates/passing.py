"""The condition on how many cases pass: `passing: 0.95`."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance._text import found
from pytest_relevance.cases.gates.condition import PASSING, Condition
from pytest_relevance.cases.location import Location, Wrong
from pytest_relevance.cases.model import Gate
from pytest_relevance.cases.scalars import is_number


def check_passing(value: object, at: Location) -> float | Wrong:
    """Check the share of cases that must pass."""
    if is_number(value) and 0 < value <= 1:
        return value
    return at.refuse(
        "expected the share of cases that must pass, above 0 and up to 1, "
        f"found {found(value)}"
    )


def describe_share(gate: Gate) -> str:
    """Write the share of a gate: `0.95`."""
    return f"{gate.share:g}"


CONDITIONS: Sequence[Condition] = (
    Condition(
        name=PASSING,
        field="share",
        check=check_passing,
        describe=describe_share,
        about="The share of cases that must pass.",
        schema={"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    ),
)
