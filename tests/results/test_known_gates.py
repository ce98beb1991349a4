"""The rule by which a gate that is not met failed before, whatever its figure is."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.cases.model import Gate
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.results.known_gates import (
    GateCase,
    GateSides,
    NotKnown,
    Scores,
    Weighted,
    failed_before,
    mean,
    sides_of,
)
from pytest_relevance.results.records.run_info import AcceptedCase


def both(before: float, now: float) -> GateCase:
    return GateCase(before, now, 1, 1)


def only_now(value: float) -> GateCase:
    return GateCase(None, value, 1, 1)


def only_before(value: float) -> GateCase:
    return GateCase(value, None, 1, 1)


def least(values: Sequence[Weighted]) -> float:
    return min(value for value, _ in values)


def test_the_figure_may_be_a_mean() -> None:
    assert failed_before(GateSides([both(0.5, 0.5)]), mean, bound=0.9)
    assert failed_before(GateSides([both(0.5, 0.6), only_before(0.4)]), mean, 0.9)
    assert not failed_before(GateSides([both(0.85, 0.85), only_now(0.1)]), mean, 0.9)
    assert not failed_before(GateSides([both(0.5, 0.4), only_now(0.9)]), mean, 0.9)
    assert not failed_before(GateSides([both(0.9, 0.9), only_now(0.1)]), mean, 0.9)
    assert not failed_before(GateSides([only_before(0.5), only_now(0.5)]), mean, 0.9)


def test_the_figure_may_be_the_least_value() -> None:
    cases = [both(0.2, 0.2), both(0.8, 0.3)]
    assert failed_before(GateSides(cases), least, bound=0.5)
    assert failed_before(GateSides([*cases, only_now(0.3)]), least, bound=0.5)
    assert not failed_before(GateSides([*cases, only_now(0.1)]), least, bound=0.5)
    assert failed_before(GateSides([*cases, only_before(0.1)]), least, bound=0.5)


def test_what_the_reference_does_not_keep_is_not_known() -> None:
    gate = Gate("gate", "mean", ((parse_metric("P@1"), 0.9),))
    scores = Scores(parse_metric("P@1"))
    of_old_version = AcceptedCase("gone", None, weight=None)
    without_the_score = AcceptedCase("gone", None, weight=1, scores={"nDCG@10": 1.0})
    for case in (of_old_version, without_the_score):
        with pytest.raises(NotKnown):
            sides_of(gate, scores, [], [case])
    not_defined = AcceptedCase("gone", None, weight=1, scores={"P@1": None})
    assert sides_of(gate, scores, [], [not_defined]).cases == []


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=5),
    st.lists(st.floats(0, 1), min_size=1, max_size=5),
)
def test_cases_below_the_reference_hide_nothing(
    accepted: list[float], added: list[float]
) -> None:
    cases = [both(value, value) for value in accepted]
    below = mean([(value, 1) for value in accepted]) - 0.01
    sides = GateSides([*cases, *(only_now(min(value, below)) for value in added)])
    assert not failed_before(sides, mean, bound=1)
