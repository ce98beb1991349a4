"""The gates of a comparison: means that drop, single cases that drop, new errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance import Comparison, Run, compare_runs
from pytest_relevance.results.case_result import ERROR
from pytest_relevance.results.compare.gates import judge
from pytest_relevance.results.gates import GateFinding

if TYPE_CHECKING:
    from tests.results.conftest import Maker


def scores(make: Maker, *found: float | None, variant: str | None = None) -> Run:
    """A run of so many cases with these scores."""
    cases = [make.result(f"q{number}", ["b1"], judgments={"b1": 3}, variant=variant) for number in range(len(found))]
    for case, score in zip(cases, found, strict=True):
        case.scores = {"nDCG@10": score}
    return Run(cases)


def compared(make: Maker, first: list[float], second: list[float]) -> Comparison:
    return compare_runs(scores(make, *first), scores(make, *second))


def test_a_mean_that_drops_by_more_than_it_may(make: Maker) -> None:
    gates = judge(compared(make, [0.75, 0.75], [0.7, 0.7]), {"nDCG@10": 0.02})
    assert not gates.passed
    assert gates.findings == (
        GateFinding(False, "nDCG@10 dropped by more than 0.02: from 0.750 to 0.700 (-0.050, p 0.500)"),
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [(0.75, 0.73), (0.3, 0.28), (0.9, 0.88), (0.52, 0.5), (0.5, 0.5), (0.5, 0.9)],
    ids=str,
)
def test_a_drop_of_exactly_what_is_allowed_passes(make: Maker, first: float, second: float) -> None:
    found = compared(make, [first], [second])
    assert judge(found, {"nDCG@10": 0.02}).passed
    assert judge(found, max_case_drop=0.02).passed
    assert judge(found, {"nDCG@10": 0.019}).passed == (second >= first)


def test_a_drop_too_small_for_three_decimals_is_shown_with_more(make: Maker) -> None:
    (finding,) = judge(compared(make, [0.8, 0.8], [0.79996, 0.79996]), {"nDCG@10": 0.02}).findings
    assert finding.text.startswith("nDCG@10 dropped by no more than 0.02: from 0.80000 to 0.79996 (-0.00004, ")


def test_a_drop_that_is_not_significant_passes_where_p_is_given(make: Maker) -> None:
    found = compared(make, [0.9, *[0.5] * 8], [0.5, *[0.1, 0.9] * 4])
    assert not judge(found, {"nDCG@10": 0.02}).passed
    gates = judge(found, {"nDCG@10": 0.02}, p=0.05)
    assert gates.passed
    assert "dropped by more than 0.02, but not significantly at 0.05" in gates.findings[0].text
    many = compared(make, [0.9] * 12, [0.8] * 12)
    assert not judge(many, {"nDCG@10": 0.02}, p=0.05).passed


def test_the_p_value_is_the_one_that_is_adjusted_for_several_metrics(make: Maker) -> None:
    four = ["P@1", "nDCG@2", "RR", "AP"]
    first, second, judgments = swapped(fell=8, rose=1)
    assert not compare_runs(first, second, "P@1", judgments=judgments).judge({"P@1": 0.1}, p=0.05).passed
    found = compare_runs(first, second, four, judgments=judgments)
    assert [(row.p, row.adjusted_p, row.least_p) for row in found.metrics] == [(20 / 512, 80 / 512, 4 * 2 / 512)] * 4
    assert found.judge({"P@1": 0.1}, p=0.05).passed


def swapped(*, fell: int, rose: int = 0) -> tuple[dict[str, list[str]], dict[str, list[str]], dict[str, Any]]:
    """Two runs and their judgments: queries whose one relevant document fell from the first rank, or rose to it."""
    best, worst = ["a", "b"], ["b", "a"]
    queries = [f"q{number}" for number in range(fell + rose)]
    first = {query: best if number < fell else worst for number, query in enumerate(queries)}
    second = {query: worst if number < fell else best for number, query in enumerate(queries)}
    return first, second, {query: {"a": 1, "b": 0} for query in queries}


def test_a_drop_that_too_few_changes_could_ever_show_to_be_significant_fails() -> None:
    first, second, judgments = swapped(fell=5)
    first |= {f"same {number}": ["a", "b"] for number in range(195)}
    second |= {query: first[query] for query in first if query.startswith("same")}
    judgments |= {query: {"a": 1, "b": 0} for query in first}
    gates = compare_runs(first, second, "P@1", judgments=judgments).judge({"P@1": 0.02}, p=0.05)
    assert not gates.passed
    assert gates.findings[0].text.endswith(
        "; p 0.05 does not count, as 5 changed queries cannot give a p-value below 0.0625: the drop alone decides"
    )


def test_what_a_p_value_can_be_is_that_after_the_adjustment() -> None:
    first, second, judgments = swapped(fell=6)
    alone = compare_runs(first, second, "P@1", judgments=judgments)
    assert alone.metrics[0].least_p == 0.03125
    four = compare_runs(first, second, ["P@1", "nDCG@2", "RR", "AP"], judgments=judgments)
    gates = four.judge({"P@1": 0.1}, p=0.05)
    assert not gates.passed
    assert "6 changed queries cannot give a p-value below 0.125" in gates.findings[0].text


def test_a_single_case_that_drops_while_the_mean_stays(make: Maker) -> None:
    found = compared(make, [0.9, 0.2, 0.5, 0.5], [0.2, 0.9, 0.5, 0.5])
    assert found.judge({"nDCG@10": 0}).passed
    gates = found.judge({"nDCG@10": 0}, max_case_drop=0.3)
    assert not gates.passed
    assert [mover.query for mover in gates.drops] == ["q0"]
    assert gates.findings[-1] == GateFinding(False, '1 case dropped by more than 0.3: "q0" (-0.700)')


def test_several_cases_are_counted_and_the_worst_are_named(make: Maker) -> None:
    gates = judge(compared(make, [0.9] * 5, [0.5, 0.1, 0.4, 0.3, 0.2]), max_case_drop=0.3)
    assert [mover.query for mover in gates.drops] == ["q1", "q4", "q3", "q2", "q0"]
    assert gates.findings[0].text == (
        '5 cases dropped by more than 0.3: "q1" (-0.800), "q4" (-0.700), "q3" (-0.600) and 2 more'
    )


def test_every_variant_is_judged_on_its_own(make: Maker) -> None:
    def run(bm25: float, hybrid: float) -> Run:
        return Run([*scores(make, bm25, variant="bm25").results, *scores(make, hybrid, variant="hybrid").results])

    gates = compare_runs(run(0.5, 0.5), run(0.9, 0.4)).judge({"ndcg@10": 0.02})
    assert [(finding.text[:20], finding.is_met) for finding in gates.findings] == [
        ('nDCG@10 of "bm25" dr', True),
        ('nDCG@10 of "hybrid" ', False),
    ]


def test_a_metric_that_is_nowhere_defined_can_not_pass(make: Maker) -> None:
    gates = compare_runs(scores(make, None), scores(make, None)).judge({"nDCG@10": 1})
    assert gates.findings == (
        GateFinding(False, "nDCG@10 is not defined for any case, so that nothing can be said of it"),
    )


def test_a_new_error_fails_whatever_the_gates_are(make: Maker) -> None:
    broken = Run([*scores(make, 0.5).results, make.without_score("boots", ERROR)])
    whole = Run([*scores(make, 0.5).results, make.result("boots", [])])
    gates = compare_runs(whole, broken, common=True).judge()
    assert gates.findings == (GateFinding(False, '1 case ended in an error that was none before: "boots"'),)
    assert compare_runs(broken, whole, common=True).judge().passed
    assert compare_runs(broken, broken, common=True).judge().passed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"max_drop": {"nDCG@5": 0.1}},
            'max_drop: nDCG@5 was not compared; it may be nDCG@10; did you mean "nDCG@10"?',
        ),
        ({"max_drop": {"nDGC@10": 0.1}}, "did you mean nDCG"),
        ({"max_drop": {"nDCG@10": -0.1}}, "max_drop of nDCG@10 is by how much a score may drop, from 0 to 1 for"),
        ({"max_drop": {"nDCG@10": 2}}, "from 0 to 1 for nDCG@10, such as 0.02, not 2"),
        ({"max_drop": {"nDCG@10": float("nan")}}, "such as 0.02, not nan"),
        ({"max_case_drop": -1}, "max_case_drop is by how much a score may drop"),
        ({"max_case_drop": 1.5}, "max_case_drop is by how much a score may drop, from 0 to 1 for nDCG@10"),
        ({"max_drop": {"nDCG@10": 0.1}, "p": 0}, "p is above 0 and at most 1, such as 0.05, not 0"),
        ({"max_drop": {"nDCG@10": 0.1}, "p": 5}, "p is above 0 and at most 1"),
        ({"p": 0.05}, "p says when a drop of a mean counts; give max_drop with it"),
    ],
)
def test_a_gate_that_cannot_be_meant(make: Maker, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match="^.*" + message.replace("?", r"\?")):
        compared(make, [1], [1]).judge(**arguments)
