"""Gates: the means, drops and shares of a run, judged by one engine for a run beside
its baseline and for `compare`.
"""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import CaseResult, FileInfo, Run, compare_runs
from pytest_relevance.gates.common_findings import (
    ErrorsFinding,
    NoReferenceFinding,
    UndefinedFinding,
    WithoutEntryFinding,
    finding_text,
)
from pytest_relevance.gates.comparison_gates import (
    CaseDropsFinding,
    NewErrorsFinding,
)
from pytest_relevance.gates.drop import DropFinding
from pytest_relevance.gates.judging import GateResult, judge_gates
from pytest_relevance.gates.kind import Finding
from pytest_relevance.gates.latency import LatencyFinding
from pytest_relevance.gates.mean import MeanFinding
from pytest_relevance.gates.passing import PassingFinding
from pytest_relevance.reports.run.gates import cases_behind, gate_message
from pytest_relevance.results.case_parts import BaselineComparison
from pytest_relevance.results.case_result import percentile
from pytest_relevance.results.compare.differences import mean_change
from pytest_relevance.results.records.run_info import AcceptedCase, MovedCase
from tests.helpers import case_result, gates_of

FILE = "shop.relevance.yaml"


def case(
    name: str, score: float | None = None, before: float | None = None, **values: Any
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


def verdict(gate: dict[str, Any], *cases: CaseResult, **info: Any) -> GateResult:
    file = FileInfo(
        FILE, totals=[("search", None, len(cases))], gates=gates_of(gate), **info
    )
    (found,) = judge_gates(cases, {FILE: file})
    return found


def kinds(found: GateResult) -> list[tuple[type[Finding], bool]]:
    return [(type(finding), finding.is_met) for finding in found.findings]


def texts(found: GateResult) -> list[str]:
    return [*map(finding_text, found.findings)]


# Latencies


def timed(milliseconds: Sequence[float], **values: Any) -> list[CaseResult]:
    return [
        case(f"q{n}", latency=each / 1000, **values)
        for n, each in enumerate(milliseconds)
    ]


@pytest.mark.parametrize(
    ("bound", "milliseconds", "expected"),
    [
        ({"p95": "<= 19 ms"}, range(1, 21), "p95 19 ms, within 19 ms (20 cases, one at a time per process)"),
        ({"p95": "< 19 ms"}, range(1, 21), "p95 19 ms, not below 19 ms (20 cases, one at a time per process)"),
        ({"p95": "18 ms"}, range(20, 0, -1), "p95 19 ms, over 18 ms (20 cases, one at a time per process)"),
        ({"max": "19.9999 ms"}, range(1, 21), "max 20 ms, over 19.9999 ms (20 cases, one at a time per process)"),
        ({"mean": "2 ms"}, [3], "mean 3 ms, over 2 ms (1 case, one at a time per process)"),
        ({"p95": "9 s"}, range(1, 20), "p95 needs 20 cases searched one at a time per process, found 19 of 19"),
        ({"p99": "9 s"}, range(1, 100), "p99 needs 100 cases searched one at a time per process, found 99 of 99"),
        ({"p50": "9 s"}, [1], "p50 needs 2 cases searched one at a time per process, found 1 of 1"),
    ],
)  # fmt: skip
def test_a_figure_of_the_latency(
    bound: dict[str, str], milliseconds: Sequence[float], expected: str
) -> None:
    judged = verdict({"latency": bound}, *timed(milliseconds))
    (text,) = texts(judged)
    assert (
        re.sub(r"\.0+ ms", " ms", text).partition("; write")[0] == f"latency {expected}"
    )
    assert judged.outcome() == ("passed" if "within" in expected else "failed")


def test_latencies_of_searches_at_once_do_not_count() -> None:
    together = timed([9000], concurrency=2)
    at_once = [*together, *timed([9000], latency_shared=True), case("none")]
    judged = verdict({"latency": {"p90": "1 s"}}, *timed(range(1, 11)), *at_once)
    assert texts(judged) == [
        "latency p90 9 ms, within 1 s (10 of 13 cases, one at a time per process)"
    ]
    assert verdict({"latency": {"mean": "1 s"}}, *at_once).outcome() == "failed"
    gate = {"latency": {"mean": "1 s"}, "tag": "x"}
    (found,) = verdict(gate, *at_once, case("t", tags=("x",), latency=2)).unmet
    assert isinstance(found, LatencyFinding)
    assert (found.measured, found.counted) == (2, 1)


@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=300),
    st.sampled_from([50, 90, 95, 99, 100]),
)
def test_a_percentile_is_the_least_value_that_so_many_do_not_exceed(
    values: list[int], percent: int
) -> None:
    found = percentile(values, percent)
    assert 100 * sum(value <= found for value in values) >= percent * len(values)
    assert 100 * sum(value < found for value in values) < percent * len(values)


# Means


def test_a_mean_over_the_weights() -> None:
    cases = case("a", 1.0, weight=3), case("b", 0.2)
    met = verdict({"mean": {"nDCG@10": 0.8}}, *cases)
    assert met.outcome() == "passed"
    assert gate_message(met) == "mean nDCG@10 0.800, at least 0.800 (2 cases)"
    failed = verdict({"mean": {"nDCG@10": 0.8000001}}, *cases)
    assert failed.outcome() == "failed"
    assert gate_message(failed) == "mean nDCG@10 0.8000000, below 0.8000001 (2 cases)"
    equal = verdict({"mean": {"nDCG@10": 0.7}}, *[case("a", 0.7)] * 3)
    assert gate_message(equal).startswith("mean nDCG@10 0.700, ")


def test_a_mean_of_characters_is_at_most_its_bound() -> None:
    def read(name: str, now: int, before: int) -> CaseResult:
        scores = {"nDCG@10": 1.0, "characters@5": now}
        accepted = {"characters@5": float(before)}
        baseline = BaselineComparison("within", 1.0, scores=accepted)
        return case(name, scores=scores, baseline=baseline)

    cases = read("a", 9000, 9500), read("b", 15_500, 11_000)
    met = verdict({"mean": {"characters@5": "<= 12250"}}, *cases)
    assert texts(met) == ["mean characters@5 12250, at most 12250 (2 cases)"]
    failed = verdict({"mean": {"characters@5": "<= 12000"}}, *cases)
    assert texts(failed) == ["mean characters@5 12250, above 12000 (2 cases)"]
    assert failed.outcome() == "failed"
    assert [behind.id for behind in cases_behind(failed)] == ["b"]


def test_a_mean_of_characters_failed_before_if_it_was_no_lower() -> None:
    def read(now: int, before: int) -> CaseResult:
        scores = {"nDCG@10": 1.0, "characters@5": now}
        accepted = {"characters@5": float(before)}
        baseline = BaselineComparison("within", 1.0, scores=accepted)
        return case("a", scores=scores, baseline=baseline)

    gate = {"mean": {"characters@5": "<= 12000"}}
    accepted = [AcceptedCase("a", None, weight=1, scores={"characters@5": 14_000.0})]
    known = {"expects_known": True, "accepted": accepted}
    better = verdict(gate, read(13_000, 14_000), **known)
    assert better.outcome() == "xfailed"
    assert texts(better) == [
        "mean characters@5 13000, above 12000 (1 case); 14000 in the baseline"
    ]
    worse = verdict(gate, read(15_000, 14_000), **known)
    assert worse.outcome() == "failed"


def test_all_metrics_of_a_gate_are_means_of_the_cases_with_relevant_judgments() -> None:
    unjudged = [
        case(f"x{number}", scores={"nDCG@10": None, "P@5": 0.0}) for number in range(3)
    ]
    judged = case("a", scores={"nDCG@10": 0.9, "P@5": 0.6})
    found = verdict({"mean": {"nDCG@10": 0.5, "P@5": 0.6}}, judged, *unjudged)
    assert texts(found) == [
        "mean nDCG@10 0.900, at least 0.500 (1 of 4 cases, those with relevant judgments)",
        "mean P@5 0.600, at least 0.600 (1 of 4 cases, those with relevant judgments)",
    ]
    nothing = verdict({"mean": {"P@5": 0}}, *unjudged)
    assert kinds(nothing) == [(UndefinedFinding, False)]
    failed = verdict({"mean": {"nDCG@10": 0.5, "P@5": 0.7}}, judged)
    assert failed.outcome() == "failed"
    assert kinds(failed) == [(MeanFinding, True), (MeanFinding, False)]


def test_a_drop_by_any_metric_is_that_of_the_cases_with_relevant_judgments() -> None:
    def result(name: str, score: float | None, now: float, before: float) -> CaseResult:
        scores = BaselineComparison("within", score, scores={"P@5": before})
        return case(name, scores={"nDCG@10": score, "P@5": now}, baseline=scores)

    cases = [
        result("a", 0.5, 0.4, 0.6),
        *(result(f"x{number}", None, 0.0, 0.0) for number in range(9)),
    ]
    (found,) = verdict({"max_drop": {"P@5": 0.1}}, *cases).findings
    assert isinstance(found, DropFinding)
    assert (found.is_met, found.counted) == (False, 1)
    assert found.difference.means.difference == pytest.approx(-0.2)


def test_a_tag_chooses_the_cases() -> None:
    cases = case("a", 0.9, tags=("head",)), case("b", 0.1, tags=("tail",))
    gate = {"mean": {"nDCG@10": 0.9}}
    assert verdict({**gate, "tag": "head"}, *cases).outcome() == "passed"
    nothing = verdict({**gate, "tag": "torso"}, *cases)
    assert nothing.outcome() == "skipped"
    assert gate_message(nothing) == "not evaluated: no case with the tag torso ran"
    assert replace(nothing, is_required=True).outcome() == "failed"


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0.1, 10)), min_size=1, max_size=30)
)
def test_the_mean_that_is_found_is_met_as_a_bound(
    scored: list[tuple[float, float]],
) -> None:
    cases = [
        case(str(number), score, weight=weight)
        for number, (score, weight) in enumerate(scored)
    ]
    total = sum(weight for _, weight in scored)
    mean = min(1.0, max(0.0, sum(score * weight for score, weight in scored) / total))
    assert verdict({"mean": {"nDCG@10": mean}}, *cases).outcome() == "passed"
    if mean < 0.999:
        assert (
            verdict({"mean": {"nDCG@10": mean + 0.001}}, *cases).outcome() == "failed"
        )


# Shares


def shares(passing: int, failing: int, share: float) -> GateResult:
    cases = [case(f"p{number}") for number in range(passing)]
    cases += [case(f"f{number}", 0.5, verdict="failed") for number in range(failing)]
    return verdict({"passing": share}, *cases)


@pytest.mark.parametrize(
    ("passing", "failing", "share", "text"),
    [
        (19, 1, 0.95, "19 of 20 cases pass (95.0%), at least 95%"),
        (19, 1, 0.955, "19 of 20 cases pass (95.0%), less than 95.5%"),
        (189, 10, 0.95, "189 of 199 cases pass (94.97%), less than 95%"),
    ],
)
def test_the_share_that_passes(
    passing: int, failing: int, share: float, text: str
) -> None:
    found = shares(passing, failing, share)
    assert texts(found) == [text]
    assert found.outcome() == ("passed" if "at least" in text else "failed")


def test_what_was_only_measured_passes_nothing() -> None:
    measured = [case(f"x{number}", verdict="measured") for number in range(146)]
    judged = shares(30, 24, 0.8).results
    found = verdict({"passing": 0.8}, *judged, *measured)
    assert (found.outcome(), texts(found)) == (
        "failed",
        ["30 of 54 cases pass (55.6%), less than 80%; 146 cases were only measured"],
    )
    nothing = verdict({"passing": 0.8}, *measured[:1])
    assert (nothing.outcome(), texts(nothing)) == (
        "failed",
        ["no case has a floor or an expectation: 1 case was only measured"],
    )
    # these could fall below a baseline
    held = [case(f"h{number}", 0.5, 0.5, verdict="measured") for number in range(9)]
    found = verdict({"passing": 0.9}, *held, case("worse", 0.1, 0.5, verdict="failed"))
    (share,) = found.findings
    assert isinstance(share, PassingFinding)
    assert (share.passing, share.counted, share.is_met) == (9, 10, True)


# Cases that are new

ADDED = BaselineComparison("new")
KNOWN = BaselineComparison("within", 0.5)


@pytest.mark.parametrize(
    ("gate", "text"),
    [
        ({"mean": {"nDCG@10": 0.6}},
         "2 cases are new; over the 1 case that the baseline has, the value is "
         "0.500, below 0.600"),
        ({"passing": 0.6},
         "2 cases are new; over the 1 case that the baseline has, the value is "
         "0.0%, below 60%"),
    ],
)  # fmt: skip
def test_a_gate_that_only_new_cases_meet_says_so(
    gate: dict[str, Any], text: str
) -> None:
    old = case("old", 0.5, baseline=KNOWN, verdict="failed")
    new = case("easy", 1, baseline=ADDED), case("another", 1, baseline=ADDED)
    found = verdict(gate, old, *new)
    assert (found.outcome(), texts(found)[1:]) == ("passed", [text])
    assert texts(verdict({"mean": {"nDCG@10": 0.4}}, old, *new))[1:] == []

    moved = [
        MovedCase(each.id, None, "other.relevance.yaml", each.id, None) for each in new
    ]
    accepted = [replace(each, baseline=KNOWN) for each in new]
    assert texts(verdict(gate, old, *accepted, moved=moved))[1:] == [text]
    assert texts(verdict(gate, old, *accepted))[1:] == []


# Errors


def test_an_error_fails_every_gate_whatever_its_tag() -> None:
    broken = case("b", verdict="error"), case("c", verdict="not searched")
    good = case("a", 1.0, tags=("head",))
    failed = verdict({"passing": 0.3, "tag": "head"}, good, *broken)
    errors = [(ErrorsFinding, False), (ErrorsFinding, False)]
    assert kinds(failed) == [*errors, (PassingFinding, True)]
    said = '1 case ended in an error: "b"; 1 case was not searched: "c"'
    assert gate_message(failed) == said
    of_mean = verdict({"mean": {"nDCG@10": 0.9}}, good, *broken)
    assert kinds(of_mean) == [*errors, (MeanFinding, True)]


# Drops, of a run beside its baseline and of two runs

Scored = Sequence[tuple[str, float, float]]
"""Cases with their scores before and now."""


def of_a_run(
    found: Scored, bound: float, p: float | None = None, weight: float = 1
) -> DropFinding:
    cases = [case(name, now, before, weight=weight) for name, before, now in found]
    gate: dict[str, Any] = {"max_drop": {"nDCG@10": bound}}
    if p is not None:
        gate["p"] = p
    (drop,) = verdict(gate, *cases).findings
    assert isinstance(drop, DropFinding)
    return drop


def of_two_runs(
    found: Scored, bound: float, p: float | None = None, weight: float = 1
) -> DropFinding:
    before = [case(name, score, weight=weight) for name, score, _ in found]
    now = [case(name, score, weight=weight) for name, _, score in found]
    comparison = compare_runs(Run(before, name="main"), Run(now, name="branch"))
    (drop,) = comparison.judge({"nDCG@10": bound}, p=p).findings
    assert isinstance(drop, DropFinding)
    return drop


both = pytest.mark.parametrize("judge", [of_a_run, of_two_runs], ids=["run", "compare"])
Judge = Callable[..., DropFinding]


def alike(count: int, before: float, now: float) -> Scored:
    return [(str(number), before, now) for number in range(count)]


@both
def test_a_drop_of_the_mean(judge: Judge) -> None:
    found = judge(alike(10, 0.8, 0.7), 0.02)
    assert not found.is_met
    assert finding_text(found) == (
        "mean nDCG@10 fell by 0.100, from 0.800 to 0.700 (95% interval -0.100 to "
        "-0.100, p 0.002, 10 cases); allowed is 0.02"
    )
    assert judge(alike(10, 0.8, 0.7), 0.1).is_met
    assert judge([("a", 0.8, 0.9)], 0).is_met


@both
@pytest.mark.parametrize(
    ("before", "now"),
    [(0.75, 0.73), (0.3, 0.28), (0.9, 0.88), (0.52, 0.5), (0.5, 0.5)],
    ids=str,
)
def test_a_drop_of_exactly_what_is_allowed_is_met(
    judge: Judge, before: float, now: float
) -> None:
    assert judge([("a", before, now)], 0.02).is_met
    assert judge([("a", before, now)], 0.019).is_met == (now >= before)


@both
@pytest.mark.parametrize(
    ("now", "says"),
    [
        (
            0.8002,
            (
                "rose by 0.0002, from 0.8000 to 0.8002 (95% interval +0.0002 to "
                "+0.0002, "
            ),
        ),
        (0.79999, "fell by 0.00001, from 0.80000 to 0.79999 (95% "),
        (0.8 + 1e-10, "is unchanged, from 0.800 to 0.800 ("),
        (0.7799999, "fell by 0.0200001, from 0.800 to 0.780 ("),
    ],
)
def test_figures_have_the_decimals_that_they_need(
    judge: Judge, now: float, says: str
) -> None:
    assert finding_text(judge(alike(2, 0.8, now), 0.02)).startswith(
        f"mean nDCG@10 {says}"
    )


@both
def test_a_larger_drop_must_be_significant_where_there_is_a_p(judge: Judge) -> None:
    mixed = [(str(number), 0.5, 0.1 + 0.8 * (number % 2)) for number in range(8)]
    mixed.append(("lost", 0.5, 0.1))
    assert not judge(mixed, 0.02).is_met
    found = judge(mixed, 0.02, 0.05)
    assert found.is_met
    said = "p 1.000, 9 cases); allowed is 0.02 unless p > 0.05"
    assert finding_text(found).endswith(said)
    assert not judge(alike(12, 0.9, 0.8), 0.02, 0.05).is_met


@both
def test_a_gate_that_is_met_says_why_if_its_interval_is_below_0(judge: Judge) -> None:
    changes = (-0.24, 0.06, 0.02, -0.19, -0.09, -0.11, -0.03)
    mixed = [(str(number), 0.5, 0.5 + change) for number, change in enumerate(changes)]
    by_p = finding_text(judge(mixed, 0.02, 0.05))
    assert "(95% interval -0.159 to -0.011, p 0.094, 7 cases)" in by_p
    assert by_p.endswith("; the p-value decides, although the interval is below 0")
    by_bound = finding_text(judge(mixed, 0.2))
    assert by_bound.endswith(
        "; allowed is 0.2; the interval is below 0, and the drop is allowed"
    )


@both
@pytest.mark.parametrize("unchanged", [0, 195])
def test_a_p_that_so_few_changes_could_never_reach_does_not_count(
    judge: Judge, unchanged: int
) -> None:
    same = [
        (f"same {number}", 0.5, 0.5 + 1e-16 * (number % 2))
        for number in range(unchanged)
    ]
    found = judge([*alike(5, 1.0, 0.0), *same], 0.001, 0.05)
    assert (found.is_met, found.is_void) == (False, True)
    assert finding_text(found).endswith(
        "; allowed is 0.001; p 0.05 does not count, as 5 changed cases cannot give a p-value below 0.0625: "
        "the drop alone decides"
    )
    assert not judge([*alike(6, 1.0, 0.0), *same], 0.001, 0.05).is_void
    # so many signs are not drawn
    assert not judge(alike(40, 1.0, 0.0), 0.02, 1e-9).is_met
    small = judge([("a", 0.5, 0.49), *same], 0.02, 0.05)
    assert small.is_met
    assert "does not count" not in finding_text(small)


def at_random(seed: int, count: int = 60) -> list[tuple[str, float, float]]:
    draw = random.Random(seed)
    found = []
    for number in range(count):
        score = round(draw.random(), 3)
        now = round(score + draw.gauss(-0.045, 0.17), 3)
        found.append((f"q{number:02}", score, now))
    return found


@pytest.mark.parametrize("weight", [1, 0.7])
@pytest.mark.parametrize("count", [12, 20, 60])
def test_a_gate_compare_and_the_summary_have_one_p_in_whatever_order_the_cases_are(
    count: int, weight: float
) -> None:
    found = at_random(7, count)
    other = random.Random(1).sample(found, count)
    figures = set()
    p_values = set()
    for scored in (found, other):
        for judge in (of_a_run, of_two_runs):
            figures.add(judge(scored, 0.02, 0.05, weight).difference)
        cases = [case(name, now, before, weight=weight) for name, before, now in scored]
        change = mean_change(cases)
        p_values.add(change and change.p)
    (figure,) = figures
    assert p_values == {figure.p}


@both
def test_a_p_beside_its_bound_shows_on_which_side_it_is(judge: Judge) -> None:
    found = at_random(7)
    p = judge(found, 0.02, 0.05).difference.p
    for bound, is_met in ((p - 2e-6, True), (p, False), (p + 2e-6, False)):
        finding = judge(found, 0.02, bound)
        shown = re.search(r" p ([0-9.]+), 60 cases", finding_text(finding))
        assert (finding.is_met, finding.exceeds) == (is_met, True)
        assert shown is not None
        assert (float(shown[1]) > float(f"{bound:.{len(shown[1]) - 2}f}")) == is_met


def test_weights_that_are_next_to_nothing_are_no_changes() -> None:
    light = [case(f"light {number}", 0.0, 1.0, weight=1e-14) for number in range(20)]
    heavy = [case(str(number), 0.0, 1.0) for number in range(5)]
    gate = {"max_drop": {"nDCG@10": 0.02}, "p": 0.05}
    assert verdict(gate, *heavy, *light).outcome() == "failed"


def test_p_values_of_several_metrics_are_adjusted_in_a_gate_too() -> None:
    scores = {"nDCG@10": 0.5, "P@5": 0.5}
    before = BaselineComparison("within", 0.6, scores={"P@5": 0.6})
    cases = [case(str(number), scores=scores, baseline=before) for number in range(6)]
    found = verdict({"max_drop": {"nDCG@10": 0.02, "P@5": 0.02}, "p": 0.07}, *cases)
    first = found.findings[0]
    assert isinstance(first, DropFinding)
    assert (first.difference.p, first.difference.adjusted_p, found.outcome()) == (
        2 / 64,
        4 / 64,
        "failed",
    )
    assert "p (Holm) 0.062, 6 cases)" in finding_text(first)


# What a drop cannot be judged by


DROP_GATE = {"max_drop": {"nDCG@10": 0.02}}


def test_cases_without_a_baseline_are_left_out_and_named() -> None:
    known = case("a", 0.8, 0.8)
    passed = verdict(DROP_GATE, known, case("new", 0.1))
    assert kinds(passed) == [(DropFinding, True), (WithoutEntryFinding, True)]
    assert texts(passed)[1] == '1 case without a baseline left out: "new"'
    without_score = BaselineComparison("within", None)
    unjudged = case("asdfgh", None, scores={}, baseline=without_score)
    assert kinds(verdict(DROP_GATE, known, unjudged)) == [(DropFinding, True)]


def test_cases_of_the_reference_that_are_not_compared_are_counted() -> None:
    lost = [
        ("boots", None, "gone"),
        ("shoes", None, "gone"),
        ("hats", None, "unjudged"),
        ("boots", "bm25", "gone"),
    ]
    (text,) = texts(verdict(DROP_GATE, case("a", 0.8, 0.8), lost=lost))
    assert "1 of 4 cases; 2 are gone, 1 has no judgments now); allowed is" in text
    # a record of an older version does not have the tags of lost cases
    tagged = case("a", 0.8, 0.8, tags=("head",))
    (text,) = texts(verdict(DROP_GATE | {"tag": "head"}, tagged, lost=lost))
    assert "p 1.000, 1 case); allowed is 0.02" in text


def test_a_lost_case_counts_if_it_has_the_tag_and_a_score_in_the_reference() -> None:
    lost, accepted = [], []
    for name, tag, score in (
        ("scored", "head", 0.9),
        ("unjudged", "head", None),
        ("other", "tail", 0.9),
    ):
        lost.append((name, None, "gone"))
        accepted.append(AcceptedCase(name, None, 1, (tag,), {"nDCG@10": score}))
    tagged = case("a", 0.8, 0.8, tags=("head",))
    gate = DROP_GATE | {"tag": "head"}
    (text,) = texts(verdict(gate, tagged, lost=lost, accepted=accepted))
    assert "1 of 2 cases; 1 is gone); allowed is" in text
    at_5 = {"max_drop": {"nDCG@5": 0.02}}
    five = case("a", 0.8, 0.8, k=5, scores={"nDCG@5": 0.8})
    (text,) = texts(verdict(at_5, five, lost=lost, accepted=accepted))
    assert "1 of 3 cases; 2 are gone); allowed is" in text


def test_a_drop_is_not_defined_where_no_case_has_a_score() -> None:
    """An update of the baseline would not help: neither cases that ended in an error
    nor unjudged ones are compared.
    """
    failed = verdict(DROP_GATE, case("a", verdict="error", scores={}), case("b", None))
    assert kinds(failed) == [(ErrorsFinding, False), (UndefinedFinding, False)]


@pytest.mark.parametrize(
    ("against", "text"),
    {
        "": "nDCG@10 has no baseline, or a stale one; accept the rankings of today with --relevance-update, "
        "or compare with a record: --relevance-against=RUN",
        "main.jsonl": "nDCG@10 has no ranking in main.jsonl, or a stale one; make that record again",
    }.items(),
)
def test_a_drop_without_a_reference(against: str, text: str) -> None:
    found = verdict(DROP_GATE, case("new", 0.1), against=against)
    assert kinds(found)[0] == (NoReferenceFinding, False)
    assert texts(found)[0] == text


# What `compare` judges beside the means


def run_of(*scores: float | None, variant: str | None = None) -> Run:
    cases = []
    for number, score in enumerate(scores):
        cases.append(case(f"q{number}", score, variant=variant))
    return Run(cases)


def test_cases_that_drop_are_counted_and_the_worst_are_named() -> None:
    found = compare_runs(run_of(*[0.9] * 5), run_of(0.5, 0.1, 0.4, 0.3, 0.2))
    assert found.judge({"nDCG@10": 0.6}, max_case_drop=0.8).passed
    gates = found.judge({"nDCG@10": 0.6}, max_case_drop=0.3)
    assert not gates.passed
    assert [mover.case.query for mover in gates.drops] == ["q1", "q4", "q3", "q2", "q0"]
    of_mean, of_cases = gates.findings
    assert isinstance(of_mean, DropFinding)
    assert isinstance(of_cases, CaseDropsFinding)
    assert finding_text(of_cases) == (
        '5 cases dropped by more than 0.3: "q1" (-0.800), "q4" (-0.700), "q3" (-0.600) and 2 more'
    )


def test_every_variant_is_judged_on_its_own() -> None:
    def run(bm25: float, hybrid: float) -> Run:
        of_bm25, of_hybrid = (
            run_of(bm25, variant="bm25"),
            run_of(hybrid, variant="hybrid"),
        )
        return Run([*of_bm25.results, *of_hybrid.results])

    gates = compare_runs(run(0.5, 0.5), run(0.9, 0.4)).judge({"ndcg@10": 0.02})
    of_bm25, of_hybrid = gates.findings
    assert (of_bm25.is_met, of_hybrid.is_met) == (True, False)
    assert finding_text(of_bm25).startswith('mean nDCG@10 of "bm25" rose by 0.400')
    assert finding_text(of_hybrid).startswith('mean nDCG@10 of "hybrid" fell by 0.100')


def test_a_new_error_fails_whatever_the_gates_are() -> None:
    whole = run_of(0.5, 0.5)
    broken = Run([*run_of(0.5).results, case("q1", verdict="error")])
    (found,) = compare_runs(whole, broken, common=True).judge().findings
    assert isinstance(found, NewErrorsFinding)
    said = '1 case ended in an error, and was without one before: "q1"'
    assert (finding_text(found), found.is_met) == (said, False)
    assert compare_runs(broken, whole, common=True).judge().passed
    assert compare_runs(broken, broken, common=True).judge().passed


def test_what_is_nowhere_defined_cannot_pass() -> None:
    (found,) = compare_runs(run_of(None), run_of(None)).judge({"nDCG@10": 1}).findings
    assert (type(found), found.is_met) == (UndefinedFinding, False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_drop": {"nDCG@5": 0.1}}, 'nDCG@5 was not compared; it may be nDCG@10; did you mean "nDCG@10"?'),
        ({"max_drop": {"nDGC@10": 0.1}}, "did you mean nDCG"),
        ({"max_drop": {"nDCG@10": -0.1}}, "max_drop of nDCG@10 is by how much a score may drop, from 0 to 1 for"),
        ({"max_drop": {"nDCG@10": float("nan")}}, "such as 0.02, not nan"),
        ({"max_case_drop": 1.5}, "max_case_drop is by how much a score may drop, from 0 to 1 for nDCG@10"),
        ({"max_drop": {"nDCG@10": 0.1}, "p": 0}, "p is above 0 and at most 1, such as 0.05, not 0"),
        ({"p": 0.05}, "p says when a drop of a mean counts; give max_drop with it"),
    ],
)  # fmt: skip
def test_a_gate_that_cannot_be_meant(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match="^.*" + message.replace("?", r"\?")):
        compare_runs(run_of(1), run_of(1)).judge(**arguments)
