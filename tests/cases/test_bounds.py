"""Bounds: which bound implies which."""

from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.cases.bounds import COMPARE, Bound, implies, meets
from pytest_relevance.cases.expectation import Expectation
from pytest_relevance.metrics.metric import ROUNDING

NUMBERS = st.sampled_from([0, 0.5, 0.6, 1, 5, 2**53, 2**53 + 1, -1])
BOUNDS = st.builds(Bound, st.sampled_from([*COMPARE, "unknown"]), NUMBERS)
NEAR = (-1, -ROUNDING, -ROUNDING / 2, 0, ROUNDING / 2, ROUNDING, 1)


@given(BOUNDS, BOUNDS)
def test_what_meets_a_bound_meets_the_bound_that_it_implies(
    now: Bound, before: Bound
) -> None:
    figures = [bound.value + distance for bound in (now, before) for distance in NEAR]
    if now == before or "unknown" in (now.comparison, before.comparison):
        assert implies(now, before) == (now == before)
        return
    if implies(now, before):
        for figure in figures:
            if COMPARE[now.comparison](figure, now.value):
                assert COMPARE[before.comparison](figure, before.value)
    if implies(now, before, rounding=ROUNDING):
        for figure in figures:
            if meets(_expected(now), figure):
                assert meets(_expected(before), figure)


def _expected(bound: Bound) -> Expectation:
    return Expectation(
        kind="metric", written="P@5", comparison=bound.comparison, bound=bound.value
    )


def test_a_bound_that_leaves_a_number_out() -> None:
    five = Bound("!=", 5)
    for comparison, is_implied in (
        (">", True),
        ("<", True),
        (">=", False),
        ("<=", False),
    ):
        assert implies(Bound(comparison, 5), five) == is_implied
    assert implies(Bound("==", 4), five)
    assert not implies(Bound("!=", 4), five)
