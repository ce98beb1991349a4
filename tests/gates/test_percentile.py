"""Gates on the lowest cases: `min`, and the percentiles `p1` to `p50`."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import CaseResult, FileInfo
from pytest_relevance.gates.common_findings import finding_text
from pytest_relevance.gates.judging import GateResult, judge_gates
from pytest_relevance.gates.percentile import MIN_GATE, cases_needed, low_percentile
from pytest_relevance.results.case_parts import BaselineComparison
from pytest_relevance.results.records.run_info import AcceptedCase
from tests.helpers import case_result, gates_of

FILE = "shop.relevance.yaml"


def case(
    name: str, score: float | None, before: float | None = None, **values: Any
) -> CaseResult:
    known: dict[str, Any] = {
        "verdict": "passed",
        "scores": {"nDCG@10": score},
        "digest": "ab",
        "judgments": {3: 1},
    }
    if before is not None:
        known["baseline"] = BaselineComparison("within", before)
    return case_result(FILE, 3, name, **(known | values))


def alike(count: int, score: float, name: str = "q", **values: Any) -> list[CaseResult]:
    return [case(f"{name}{number}", score, **values) for number in range(count)]


def verdict(gate: dict[str, Any], *cases: CaseResult, **info: Any) -> GateResult:
    file = FileInfo(
        FILE, totals=[("search", None, len(cases))], gates=gates_of(gate), **info
    )
    (found,) = judge_gates(cases, {FILE: file})
    return found


def least(bound: float, *cases: CaseResult, **info: Any) -> GateResult:
    return verdict({"min": {"nDCG@10": bound}}, *cases, **info)


def message(judged: GateResult) -> str:
    """What a gate found: the bounds that are not met, or all if all are met."""
    return "; ".join(finding_text(each) for each in judged.unmet or judged.findings)


def behind(judged: GateResult) -> list[str]:
    """The cases because of which a gate is not met."""
    names = []
    for finding in judged.unmet:
        for each in MIN_GATE.cases_behind(judged.gate, finding, judged.results):
            names.append(each.result.id)
    return names


# The figure


def test_two_bad_cases_of_fifty_are_seen_by_min_alone() -> None:
    cases = [*alike(48, 1.0), case("boots", 0.0), case("hats", 0.0)]
    for gate, text in {
        "mean": "mean nDCG@10 0.960, at least 0.950 (50 cases)",
        "p5": 'p5 nDCG@10 1.000, at least 0.950 (50 cases); lowest 0.000 ("boots" and 1 more)',
    }.items():
        met = verdict({gate: {"nDCG@10": 0.95}}, *cases)
        assert (met.outcome(), message(met)) == ("passed", text)
    unmet = least(0.5, *cases)
    assert unmet.outcome() == "failed"
    assert message(unmet) == (
        'lowest nDCG@10 0.000 ("boots" and 1 more), below 0.500 (50 cases)'
    )
    assert behind(unmet) == ["boots", "hats"]


def test_a_percentile_is_not_met_if_more_cases_are_lower() -> None:
    cases = [*alike(47, 1.0), *alike(3, 0.2, "low")]
    unmet = verdict({"p5": {"nDCG@10": 0.5}}, *cases)
    assert unmet.outcome() == "failed"
    assert message(unmet) == (
        'p5 nDCG@10 0.200, below 0.500 (50 cases); lowest 0.200 ("low0" and 2 more)'
    )


@given(
    st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=130),
    st.integers(1, 50),
    st.sampled_from([0.25, 0.5, 1.0]),
)
def test_a_percentile_reaches_a_bound_if_fewer_percent_are_lower(
    scores: list[float], percent: int, bound: float
) -> None:
    found = low_percentile([(score, 1) for score in scores], percent)
    lower = sum(1 for score in scores if score < bound)
    assert (found >= bound) == (100 * lower < percent * len(scores))


def test_the_zeroth_percentile_is_the_lowest_score() -> None:
    assert low_percentile([(0.5, 1), (0.25, 9), (1.0, 1)], 0) == 0.25


def test_a_percentile_needs_enough_cases() -> None:
    needed = [cases_needed(gate) for gate in ("min", "p1", "p3", "p5", "p49", "p50")]
    assert needed == [1, 100, 34, 20, 3, 2]
    assert all(n * cases_needed(f"p{n}") >= 100 for n in range(1, 51))
    assert all(n * (cases_needed(f"p{n}") - 1) < 100 for n in range(1, 51))
    few = verdict({"p5": {"nDCG@10": 0.3}}, *alike(19, 1.0), case("gone", None))
    assert (few.outcome(), message(few)) == (
        "failed",
        'p5 nDCG@10 needs 20 cases with a score, found 19 of 20; 1 without a score: "gone"; '
        "write more cases, or write p6 or min",
    )
    assert behind(few) == []


@pytest.mark.parametrize(
    ("count", "is_sampled", "advice"),
    [
        (19, False, "write more cases, or write p6 or min"),
        (19, True, "draw more queries, or write p6"),
        (2, True, "draw more queries, or write p50"),
        (1, False, "write more cases, or write min"),
        (1, True, "draw more queries"),
    ],
)
def test_what_is_advised_for_a_percentile_with_too_few_cases(
    count: int, is_sampled: bool, advice: str
) -> None:
    """`min` is an error in a suite with a sample. A named percentile has a figure."""
    cases = alike(count, 1.0, is_sampled=is_sampled)
    said = message(verdict({"p1": {"nDCG@10": 0.3}}, *cases))
    assert said.split("; ")[-1] == advice
    for lowest in ("p6", "p50"):
        if lowest in advice:
            assert verdict({lowest: {"nDCG@10": 0.3}}, *cases).outcome() == "passed"


def test_a_bound_that_is_reached_up_to_rounding_is_met() -> None:
    assert least(0.3, case("a", 0.1 + 0.2)).outcome() == "passed"
    assert least(0.3, case("a", 0.3 - 1e-12)).outcome() == "passed"
    below = least(0.3, case("a", 0.29999))
    assert message(below) == 'lowest nDCG@10 0.29999 ("a"), below 0.30000 (1 case)'


def test_weights_have_no_part_in_it() -> None:
    cases = [case("heavy", 1.0, weight=1000), case("light", 0.1, weight=0.001)]
    assert least(0.5, *cases).outcome() == "failed"
    assert verdict({"p50": {"nDCG@10": 0.5}}, *cases).outcome() == "failed"


def test_a_tag_chooses_the_cases() -> None:
    cases = case("a", 0.9, tags=("head",)), case("b", 0.1, tags=("tail",))
    head = verdict({"min": {"nDCG@10": 0.5}, "tag": "head"}, *cases)
    assert message(head) == 'lowest nDCG@10 0.900 ("a"), at least 0.500 (1 case)'


def test_the_metrics_of_a_gate_have_a_finding_each() -> None:
    cases = [
        case("a", 1.0, scores={"nDCG@10": 1.0, "P@1": 0.0}),
        case("b", 0.2, scores={"nDCG@10": 0.2, "P@1": 1.0}),
    ]
    both = verdict({"min": {"nDCG@10": 0.1, "P@1": 0.5}}, *cases)
    assert both.outcome() == "failed"
    assert message(both) == 'lowest P@1 0.000 ("a"), below 0.500 (2 cases)'


# Of characters a lower number is better


def test_the_worst_number_of_characters_is_the_highest() -> None:
    cases = []
    for number in range(1, 21):
        scores = {"nDCG@10": 1.0, "characters@5": 1000.0 * number}
        cases.append(case(f"q{number}", 1.0, scores=scores))
    most = verdict({"min": {"characters@5": "<= 19500"}}, *cases)
    assert (most.outcome(), message(most)) == (
        "failed",
        'highest characters@5 20000 ("q20"), above 19500 (20 cases)',
    )
    assert behind(most) == ["q20"]
    low = verdict({"p10": {"characters@5": "<= 19500"}}, *cases)
    assert (low.outcome(), message(low)) == (
        "passed",
        'p10 characters@5 19000, at most 19500 (20 cases); highest 20000 ("q20")',
    )


# Which cases count


def test_cases_without_a_score_are_left_out_and_named() -> None:
    unjudged = [case(f"x{n}", None, judgments={}) for n in range(4)]
    irrelevant = case("none", None, scores={"nDCG@10": None, "P@5": 0.0})
    judged = case("a", 1.0, scores={"nDCG@10": 1.0, "P@5": 0.4})
    found = verdict({"min": {"P@5": 0.2}}, judged, irrelevant, *unjudged)
    assert found.outcome() == "passed"
    assert message(found) == (
        'lowest P@5 0.400 ("a"), at least 0.200 (1 of 6 cases; 5 without a score: '
        '"none", "x0", "x1" and 2 more)'
    )
    nothing = verdict({"min": {"P@5": 0}}, irrelevant)
    assert nothing.outcome() == "failed"
    assert message(nothing) == "P@5 is not defined: no case has a score"


@pytest.mark.parametrize("outcome", ["xfailed", "xpassed"])
def test_min_leaves_out_what_is_expected_to_fail_and_names_it(outcome: str) -> None:
    later = case("later", 0.0, verdict="failed", outcome=outcome)
    found = least(0.5, case("a", 0.9), later)
    assert (found.outcome(), message(found)) == (
        "passed",
        'lowest nDCG@10 0.900 ("a"), at least 0.500 (1 of 2 cases; 1 with xfail: "later")',
    )
    alone = least(0.5, later)
    assert (alone.outcome(), message(alone)) == (
        "failed",
        'min nDCG@10 needs 1 case with a score, found 0 of 1; 1 with xfail: "later"',
    )
    counts = verdict({"p50": {"nDCG@10": 0.5}}, case("a", 0.9), later)
    assert counts.outcome() == "failed"


def test_min_counts_a_case_that_was_not_expected_to_fail() -> None:
    """Nobody has marked it: it failed before, which is asked of the gate too."""
    known = BaselineComparison("within", 0.0, known=True)
    failed = case("a", 0.0, verdict="failed", outcome="xfailed", baseline=known)
    assert least(0.5, failed).outcome() == "failed"
    inconclusive = case("b", 0.0, verdict="inconclusive", outcome="skipped")
    assert least(0.5, inconclusive).outcome() == "failed"


def test_an_error_fails_the_gate_and_is_not_named_twice() -> None:
    found = least(0.5, case("a", 0.9), case("boom", None, verdict="error", scores={}))
    assert found.outcome() == "failed"
    assert [finding_text(finding) for finding in found.findings] == [
        '1 case ended in an error: "boom"',
        'lowest nDCG@10 0.900 ("a"), at least 0.500 (1 case)',
    ]


def test_a_ranking_that_was_cut_has_no_value() -> None:
    whole = case("a", 1.0, scores={"nDCG@10": 1.0, "AP": 1.0})
    cut = case("b", 1.0, reaches_depth=True)
    found = verdict({"min": {"AP": 0.5}}, whole, cut)
    assert found.outcome() == "failed"
    assert message(found).startswith("AP looks at the whole ranking, and the search")


# Rankings compared with accepted ones


def test_rankings_are_compared_with_the_accepted_ones() -> None:
    cases = [
        case("same", 1.0, scores={"overlap@10": 1.0}),
        case("other", 1.0, scores={"overlap@10": 0.1}),
        case("new", 1.0, scores={}),
    ]
    found = verdict({"min": {"overlap@10": 0.5}}, *cases)
    assert found.outcome() == "failed"
    assert message(found) == (
        'lowest overlap@10 0.100 ("other"), below 0.500 (2 of 3 cases; 1 without a score: "new")'
    )
    nothing = verdict({"min": {"overlap@10": 0.5}}, cases[2])
    assert message(nothing).startswith("overlap@10 has no baseline, or a stale one;")


# Grades of a machine


def test_the_figure_without_filled_grades_stands_beside_it() -> None:
    filled = case("a", 0.9, people_scores={"nDCG@10": 0.2})
    found = least(0.5, filled, case("b", 0.8))
    assert message(found) == (
        'lowest nDCG@10 0.800 ("b"), at least 0.500 (2 cases); 0.200 without filled grades'
    )


# New cases, and gates that failed before


def test_a_percentile_that_only_new_cases_meet_says_so() -> None:
    old = alike(2, 0.1, "old", baseline=BaselineComparison("within", 0.1))
    new = alike(8, 0.9, "new", baseline=BaselineComparison("new"))
    found = verdict({"p25": {"nDCG@10": 0.5}}, *old, *new)
    assert found.outcome() == "passed"
    assert message(found).endswith(
        "; 8 cases are new; over the 2 cases that the baseline has, the value is "
        "0.100, below 0.500"
    )


def before_and_now(
    gate: dict[str, Any], **scores: tuple[float | None, float | None]
) -> GateResult:
    """Judge a gate over cases by their score before and now; None if there is none."""
    cases, accepted = [], []
    for name, (before, now) in scores.items():
        if before is not None:
            kept = {"nDCG@10": before}
            accepted.append(AcceptedCase(name, None, weight=1, scores=kept))
        if now is not None:
            verdict_now = "passed" if now >= 0.5 else "failed"
            cases.append(case(name, now, before, verdict=verdict_now))
    return verdict(gate, *cases, expects_known=True, accepted=accepted)


MIN = {"min": {"nDCG@10": 0.5}}
MEDIAN = {"p50": {"nDCG@10": 0.5}}


@pytest.mark.parametrize("gate", [MIN, MEDIAN])
def test_a_gate_failed_before_if_the_same_cases_were_as_low(
    gate: dict[str, Any],
) -> None:
    known = before_and_now(gate, a=(0.2, 0.2), b=(0.1, 0.3), c=(0.9, 0.6))
    assert known.outcome() == "xfailed"
    assert "below 0.500 (3 cases)" in message(known)
    assert message(known).endswith(" in the baseline")


def test_a_low_case_that_was_deleted_hides_nothing() -> None:
    gone = before_and_now(MIN, a=(0.2, 0.2), b=(0.1, None))
    assert message(gone).endswith("; 0.100 in the baseline (1 case is only there)")
    assert gone.outcome() == "xfailed"
    assert before_and_now(MIN, a=(0.2, 0.1), b=(0.1, None)).outcome() == "failed"


@pytest.mark.parametrize(
    "changed",
    [
        {"a": (0.2, 0.1)},
        {"b": (0.9, 0.3)},  # the figure of min is that of a, as before
        {"b": (None, 0.3)},
        {"a": (0.2, 0.9), "b": (0.9, 0.2)},
    ],
)
def test_a_case_that_is_newly_low_is_no_known_failure(
    changed: dict[str, tuple[float | None, float | None]],
) -> None:
    scores: dict[str, tuple[float | None, float | None]] = {
        "a": (0.2, 0.2),
        "b": (0.9, 0.9),
        "c": (0.2, 0.2),
    }
    assert before_and_now(MIN, **scores).outcome() == "xfailed"
    assert before_and_now(MIN, **(scores | changed)).outcome() == "failed"
    assert before_and_now(MEDIAN, **(scores | changed)).outcome() in (
        "failed",
        "passed",
    )


def test_a_case_that_was_not_below_the_bound_did_not_fail_before() -> None:
    assert before_and_now(MIN, a=(0.6, 0.4)).outcome() == "failed"
    assert before_and_now(MIN, a=(0.4, 0.4)).outcome() == "xfailed"


@given(st.lists(st.tuples(*[st.sampled_from([0.1, 0.3, 0.6, 0.9])] * 2), min_size=2))
def test_no_case_that_fell_below_the_bound_is_hidden(
    scores: Sequence[tuple[float, float]],
) -> None:
    named: Any = {f"q{number}": pair for number, pair in enumerate(scores)}
    fell = any(now < 0.5 and now < before for before, now in scores)
    for gate in (MIN, MEDIAN):
        found = before_and_now(gate, **named).outcome()
        assert not (fell and found == "xfailed")


def test_a_fall_that_filled_grades_hide_is_no_known_failure() -> None:
    def graded(now_by_people: float) -> GateResult:
        people = {"nDCG@10": now_by_people}
        baseline = BaselineComparison("within", 0.3, people_scores={"nDCG@10": 0.3})
        low = case("a", 0.3, people_scores=people, baseline=baseline, verdict="failed")
        kept = AcceptedCase("a", None, weight=1, scores={"nDCG@10": 0.3})
        return verdict(MIN, low, expects_known=True, accepted=[kept])

    assert graded(0.3).outcome() == "xfailed"
    assert graded(0.2).outcome() == "failed"
