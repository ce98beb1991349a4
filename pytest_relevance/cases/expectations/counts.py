"""The expectations of figures that are not scores: `results` and `latency`."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance.cases.bounds import COUNT, TIME
from pytest_relevance.cases.expectations.kind import ExpectationKind, Made
from pytest_relevance.cases.location import WRONG, Location
from pytest_relevance.cases.model import Expectation


def check_results(key: str, value: object, at: Location) -> Made:
    """Check a number of results. A plain number means exactly that many."""
    example = f'{key}: 0, {key}: 5 (exactly) or {key}: ">= 1"'
    bound = COUNT.check(value, at, example=example)
    if bound is WRONG:
        return WRONG
    expected = Expectation(
        kind=key, written=key, comparison=bound.comparison, bound=int(bound.value)
    )
    return [expected]


def check_latency(key: str, value: object, at: Location) -> Made:
    """Check a duration with its unit. It becomes seconds; plain `200 ms` means at most that."""
    example = f'{key}: "<= 200 ms" or {key}: "< 1.5 s"'
    bound = TIME.check(value, at, example=example)
    if bound is WRONG:
        return WRONG
    expected = Expectation(
        kind=key, written=key, comparison=bound.comparison, bound=bound.value
    )
    return [expected]


KINDS: Sequence[ExpectationKind] = (
    ExpectationKind(
        name="results",
        check=check_results,
        about='How many documents are returned: 0, 5 (exactly) or ">= 1".',
        schema=COUNT.schema,
    ),
    ExpectationKind(
        name="latency",
        check=check_latency,
        about='How long the search may take: "<= 200 ms" or "< 1.5 s".',
        schema=TIME.schema,
    ),
)
