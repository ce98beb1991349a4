"""The rule by which a gate that is not met failed before, whatever its figure is."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.cases.model import Gate
from pytest_relevance.gates.failed_before import (
    CaseValue,
    FigureBefore,
    GateValues,
    NotKnown,
    Weighted,
    collect_values,
    failed_before,
)
from pytest_relevance.gates.metric_scores import ScoresOfCases
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.results.case_result import weighted_mean as mean
from pytest_relevance.results.records.run_info import AcceptedCase


def both(before: float, now: float) -> CaseValue:
    return CaseValue(before, now, 1, 1, 1)


def only_now(value: float) -> CaseValue:
    return CaseValue(None, value, 1, 1, 1)


def only_before(value: float) -> CaseValue:
    return CaseValue(value, None, 1, 1, 1)


def least(values: Sequence[Weighted]) -> float:
    return min(value for value, _ in values)


def test_the_figure_may_be_a_mean() -> None:
    assert failed_before(GateValues([both(0.5, 0.5)]), mean, bound=0.9)
    assert failed_before(GateValues([both(0.5, 0.6), only_before(0.4)]), mean, 0.9)
    assert not failed_before(GateValues([both(0.85, 0.85), only_now(0.1)]), mean, 0.9)
    assert not failed_before(GateValues([both(0.5, 0.4), only_now(0.9)]), mean, 0.9)
    assert not failed_before(GateValues([both(0.9, 0.9), only_now(0.1)]), mean, 0.9)
    assert not failed_before(GateValues([only_before(0.5), only_now(0.5)]), mean, 0.9)


def test_the_figure_may_be_the_least_value() -> None:
    cases = [both(0.2, 0.2), both(0.8, 0.3)]
    assert failed_before(GateValues(cases), least, bound=0.5)
    assert failed_before(GateValues([*cases, only_now(0.3)]), least, bound=0.5)
    assert not failed_before(GateValues([*cases, only_now(0.1)]), least, bound=0.5)
    assert failed_before(GateValues([*cases, only_before(0.1)]), least, bound=0.5)


def test_cases_that_only_one_of_both_has_are_counted() -> None:
    values = GateValues([both(0.5, 0.5), only_now(0.1), *[only_before(0.2)] * 2])
    before = FigureBefore(
        reference="main.jsonl",
        figure=0.85,
        only_now=values.only_now,
        only_before=values.only_before,
        is_known=False,
    )
    said = "; 0.850 in main.jsonl (1 case is only here, 2 cases are only there)"
    assert before.text(3) == said
    assert replace(before, figure=None).text(3) == ""


def test_what_the_reference_does_not_keep_is_not_known() -> None:
    gate = Gate("gate", "mean", ((parse_metric("P@1"), 0.9),))
    scores = ScoresOfCases(parse_metric("P@1"))
    of_old_version = AcceptedCase("gone", None, weight=None)
    without_the_score = AcceptedCase("gone", None, weight=1, scores={"nDCG@10": 1.0})
    for case in (of_old_version, without_the_score):
        with pytest.raises(NotKnown):
            collect_values(gate, scores, [], [case])
    not_defined = AcceptedCase("gone", None, weight=1, scores={"P@1": None})
    assert collect_values(gate, scores, [], [not_defined]).cases == []


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=5),
    st.lists(st.floats(0, 1), min_size=1, max_size=5),
)
def test_cases_below_the_reference_hide_nothing(
    accepted: list[float], added: list[float]
) -> None:
    cases = [both(value, value) for value in accepted]
    below = mean([(value, 1) for value in accepted]) - 0.01
    values = GateValues([*cases, *(only_now(min(value, below)) for value in added)])
    assert not failed_before(values, mean, bound=1)
