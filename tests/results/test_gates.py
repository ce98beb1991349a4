"""What gates say of the cases of a file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import CaseResult, FileInfo
from pytest_relevance.results.case_parts import BaselineComparison
from pytest_relevance.results.gates import GateResult, judge_gates
from tests.helpers import recorded_gates

FILE = "shop.relevance.yaml"


def case(name: str, score: float | None = None, before: float | None = None, **values: Any) -> CaseResult:
    known: dict[str, Any] = {"verdict": "passed", "scores": {"nDCG@10": score}}
    if before is not None:
        known["baseline"] = BaselineComparison("within", before)
    return CaseResult(FILE, 3, name, **(known | values))


def verdict(gate: dict[str, Any], *cases: CaseResult) -> GateResult:
    file = FileInfo(FILE, totals=[("search", None, len(cases))], gates=recorded_gates(gate))
    (found,) = judge_gates(cases, {FILE: file})
    return found


def reasons(found: GateResult) -> tuple[str, ...]:
    return tuple(finding.text for finding in found.findings)


def test_a_mean_over_the_weights() -> None:
    cases = case("a", 1.0, weight=3), case("b", 0.2)
    assert reasons(verdict({"mean": {"nDCG@10": 0.8}}, *cases)) == ("mean nDCG@10 0.800, at least 0.800 (2 cases)",)
    assert verdict({"mean": {"nDCG@10": 0.8}}, *cases).outcome() == "passed"
    failed = verdict({"mean": {"nDCG@10": 0.81}}, *cases)
    assert (failed.outcome(), reasons(failed)) == ("failed", ("mean nDCG@10 0.800, below 0.810 (2 cases)",))


def test_scores_that_are_not_defined_are_left_out() -> None:
    cases = case("a", 0.5), case("b", None)
    assert reasons(verdict({"mean": {"nDCG@10": 0.5}}, *cases)) == ("mean nDCG@10 0.500, at least 0.500 (1 case)",)
    nothing = verdict({"mean": {"nDCG@10": 0.5}}, case("b", None))
    assert (nothing.outcome(), reasons(nothing)) == ("failed", ("mean nDCG@10 is not defined: no case has a score",))


def test_a_tag_chooses_the_cases() -> None:
    cases = case("a", 0.9, tags=("head",)), case("b", 0.1, tags=("tail",))
    assert verdict({"mean": {"nDCG@10": 0.9}, "tag": "head"}, *cases).outcome() == "passed"
    nothing = verdict({"mean": {"nDCG@10": 0.9}, "tag": "torso"}, *cases)
    assert (nothing.outcome(), nothing.message) == ("skipped", "not evaluated: no case with the tag torso ran")
    assert replace(nothing, is_required=True).outcome() == "failed"


def test_every_metric_of_a_gate_must_hold() -> None:
    both = case("a", scores={"nDCG@10": 0.9, "P@5": 0.2})
    failed = verdict({"mean": {"nDCG@10": 0.5, "P@5": 0.4}}, both)
    assert failed.outcome() == "failed"
    assert reasons(failed) == (
        "mean nDCG@10 0.900, at least 0.500 (1 case)",
        "mean P@5 0.200, below 0.400 (1 case)",
    )


def test_an_error_fails_every_gate() -> None:
    failed = verdict({"passing": 0.5}, case("a", 1.0), case("b", verdict="error"))
    assert failed.outcome() == "failed"
    assert reasons(failed) == ('1 case ended in an error: "b"', "1 of 2 cases pass (50.0%), at least 50%")


def test_the_share_that_passes() -> None:
    cases = [case(str(number), verdict="passed" if number > 0 else "failed") for number in range(20)]
    assert reasons(verdict({"passing": 0.95}, *cases)) == ("19 of 20 cases pass (95.0%), at least 95%",)
    failed = verdict({"passing": 0.955}, *cases)
    assert (failed.outcome(), reasons(failed)) == ("failed", ("19 of 20 cases pass (95.0%), less than 95.5%",))


def test_a_drop_of_the_mean() -> None:
    cases = [case(str(number), 0.7, 0.8) for number in range(10)]
    failed = verdict({"max_drop": {"nDCG@10": 0.02}}, *cases)
    assert failed.outcome() == "failed"
    assert reasons(failed) == (
        "mean nDCG@10 fell by 0.100, from 0.800 to 0.700 (95% -0.100 to -0.100, p 0.002, 10 cases); allowed is 0.02",
    )
    assert verdict({"max_drop": {"nDCG@10": 0.1}}, *cases).outcome() == "passed"


SIGNIFICANT = {"max_drop": {"nDCG@10": 0.02}, "p": 0.05}


def test_a_drop_that_is_not_significant() -> None:
    cases = [*(case(str(number), 0.1 + 0.8 * (number % 2), 0.5) for number in range(8)), case("lost", 0.1, 0.5)]
    assert verdict({"max_drop": {"nDCG@10": 0.02}}, *cases).outcome() == "failed"
    passed = verdict(SIGNIFICANT, *cases)
    assert passed.outcome() == "passed"
    assert reasons(passed)[0].endswith("p 1.000, 9 cases); allowed is 0.02 unless p > 0.05")


@pytest.mark.parametrize("unchanged", [0, 195])
def test_a_drop_that_too_few_changes_could_ever_show_to_be_significant_fails(unchanged: int) -> None:
    same = [case(f"same {number}", 0.5, 0.5 + 1e-16 * (number % 2)) for number in range(unchanged)]
    failed = verdict(SIGNIFICANT, *(case(str(number), 0.0, 1.0) for number in range(5)), *same)
    assert failed.outcome() == "failed"
    assert reasons(failed)[0].endswith(  # 2 / 2**5 at the least
        "; allowed is 0.02; p 0.05 does not count, as 5 changed queries cannot give a p-value below 0.0625: "
        "the drop alone decides"
    )
    enough = verdict(SIGNIFICANT, *(case(str(number), 0.0, 1.0) for number in range(6)), *same)
    assert enough.outcome() == "failed"
    assert "p 0.031, " in reasons(enough)[0]
    assert reasons(enough)[0].endswith("; allowed is 0.02 unless p > 0.05")


def test_one_query_that_fell_by_less_than_is_allowed_passes_whatever_p_could_be() -> None:
    passed = verdict(SIGNIFICANT, case("a", 0.49, 0.5))
    assert passed.outcome() == "passed"
    assert "does not count" not in reasons(passed)[0]


def test_a_level_below_what_the_randomisation_test_can_find_does_not_count() -> None:
    many = [case(str(number), 0.0, 1.0) for number in range(40)]
    failed = verdict({"max_drop": {"nDCG@10": 0.02}, "p": 1e-9}, *many)
    assert failed.outcome() == "failed"
    assert "p 1e-09 does not count, as 40 changed queries cannot give a p-value below 1e-05" in reasons(failed)[0]


def test_weights_that_are_next_to_nothing_are_no_changes() -> None:
    heavy = [case(str(number), 0.0, 1.0) for number in range(5)]
    light = [case(f"light {number}", 0.0, 1.0, weight=1e-14) for number in range(20)]
    assert verdict(SIGNIFICANT, *heavy, *light).outcome() == "failed"


def test_a_rise() -> None:
    passed = verdict({"max_drop": {"nDCG@10": 0}}, case("a", 0.9, 0.8))
    assert passed.outcome() == "passed"
    assert reasons(passed)[0].startswith("mean nDCG@10 rose by 0.100, from 0.800 to 0.900 (")


@pytest.mark.parametrize(
    ("now", "found"),
    [
        (0.8002, "rose by 0.0002, from 0.8000 to 0.8002 (95% +0.0002 to +0.0002, "),
        (0.79999, "fell by 0.00001, from 0.80000 to 0.79999 (95% "),
        (0.8 + 1e-10, "is unchanged, from 0.800 to 0.800 ("),
        (0.8, "is unchanged, from 0.800 to 0.800 ("),
    ],
)
def test_a_change_of_the_mean_too_small_for_three_decimals_is_shown_with_more(now: float, found: str) -> None:
    passed = verdict({"max_drop": {"nDCG@10": 0.02}}, case("a", now, 0.8), case("b", now, 0.8))
    assert passed.outcome() == "passed"
    assert reasons(passed)[0].startswith(f"mean nDCG@10 {found}")


def test_cases_without_a_baseline_are_left_out_and_named() -> None:
    passed = verdict({"max_drop": {"nDCG@10": 0.02}}, case("a", 0.8, 0.8), case("new", 0.1))
    assert passed.outcome() == "passed"
    assert reasons(passed)[1] == '1 case without a baseline left out: "new"'


def test_a_case_without_a_score_is_not_said_to_lack_a_baseline() -> None:
    unjudged = case("asdfgh", None, scores={}, baseline=BaselineComparison("within", None))
    passed = verdict({"max_drop": {"nDCG@10": 0.02}}, case("a", 0.8, 0.8), unjudged)
    assert (passed.outcome(), len(passed.findings)) == ("passed", 1)


def test_a_drop_is_not_defined_where_no_case_has_a_score() -> None:
    """An update of the baseline would not help: neither cases that ended in an error nor unjudged ones are compared."""
    failed = verdict({"max_drop": {"nDCG@10": 0.02}}, case("a", verdict="error", scores={}), case("b", None))
    assert failed.outcome() == "failed"
    assert reasons(failed) == ('1 case ended in an error: "a"', "mean nDCG@10 is not defined: no case has a score")
    failed = verdict({"max_drop": {"nDCG@10": 0.02}}, case("new", 0.1))
    assert failed.outcome() == "failed"
    assert reasons(failed)[0] == "nDCG@10 has no baseline, or a stale one; run with --relevance-update"


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.1, 10)), min_size=1, max_size=30))
def test_the_mean_that_is_found_is_met_as_a_bound(scored: list[tuple[float, float]]) -> None:
    cases = [case(str(number), score, weight=weight) for number, (score, weight) in enumerate(scored)]
    total = sum(weight for _, weight in scored)
    mean = min(1.0, max(0.0, sum(score * weight for score, weight in scored) / total))
    assert verdict({"mean": {"nDCG@10": mean}}, *cases).outcome() == "passed"
    if mean < 0.999:
        assert verdict({"mean": {"nDCG@10": mean + 0.001}}, *cases).outcome() == "failed"


def test_an_error_of_another_tag_fails_the_gate_too() -> None:
    failed = verdict({"passing": 1, "tag": "head"}, case("a", 1.0, tags=("head",)), case("b", verdict="error"))
    assert failed.outcome() == "failed"
    assert reasons(failed)[0] == '1 case ended in an error: "b"'
