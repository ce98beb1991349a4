"""What becomes of a verdict where there is a baseline."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_relevance.cases.build import case_from_values
from pytest_relevance.results.baseline import Entry, Since, since
from pytest_relevance.results.held import held, standing
from pytest_relevance.results.ranking import Ranking
from pytest_relevance.results.scoring import Scored, score_case

JUDGMENTS = {"a": 3, "b": 1, "c": 0}


def looked_at(
    accepted: str, ranking: str, *, tolerance: float = 0.05, depth: int = 10, **values: Any
) -> tuple[Since, Scored]:
    """A case and its baseline, rankings being the letters of a text."""
    case = case_from_values({"query": "watch", "judgments": JUDGMENTS, **values})
    scored = score_case(case, Ranking(tuple(ranking)))
    found = since(Entry("watch", None, "watch", {}, depth, tuple(accepted)), scored, tolerance)
    return found, held(found, scored)


def test_a_regression_fails_a_case_without_a_floor() -> None:
    found, scored = looked_at("ab", "ba")
    assert standing(found) == "regression"
    assert (scored.verdict, scored.reasons) == (
        "failed",
        ("nDCG@10 0.710 is 0.290 below the baseline 1.000, more than the tolerance 0.050",),
    )


def test_its_reason_goes_before_the_others() -> None:
    _, scored = looked_at("ab", "cba", min_ndcg=0.9, expect={"first": "a"})
    assert scored.reasons == (
        "nDCG@10 0.541 is 0.459 below the baseline 1.000, more than the tolerance 0.050",
        "nDCG@10 0.541 is below 0.900",
        'first: rank 1 has "c", expected "a" (at rank 3)',
    )


def test_a_drop_within_the_tolerance_and_a_rise_change_nothing() -> None:
    for accepted, ranking, tolerance, standing_then in (("ab", "ba", 0.3, "within"), ("ba", "ab", 0.05, "improvement")):
        found, scored = looked_at(accepted, ranking, tolerance=tolerance, min_ndcg=0.5)
        assert standing(found) == standing_then
        assert (scored.verdict, scored.reasons) == ("passed", ())


def test_a_stale_entry_fails_a_case_that_passes_otherwise() -> None:
    found, scored = looked_at("ab", "ab", min_ndcg=0.5, k=5)
    assert standing(found) == "stale"
    assert scored.verdict == "failed"
    assert scored.reasons == (
        "the baseline is stale: the depth was 10 and is 5; --relevance-update accepts the present ranking",
    )


def test_figures_have_as_many_digits_as_it_takes_to_see_the_drop() -> None:
    found, scored = looked_at("abc", "acb", tolerance=0.0, judgments={"a": 12, "b": 1, "c": 0})
    assert found.is_regression
    (reason,) = scored.reasons
    figures = [word.rstrip(",") for word in reason.split() if word[0].isdigit()]
    now, drop, before, tolerance = figures
    assert now != before
    assert drop != tolerance


@pytest.mark.parametrize(
    ("ranking", "values", "verdict"),
    [
        ("xyzw", {"min_judged": 0.5}, "inconclusive"),  # the unjudged results may be better than what they replaced
        ("xyzw", {}, "failed"),
        ("cxyzwv", {"min_judged": 0.5, "k": 10, "judgments": {"a": 3, "b": 3, "d": 3, "c": 0}}, "inconclusive"),
        ("xyzw", {"min_judged": 0.5, "expect": {"first": "a"}}, "failed"),  # fails by itself
    ],
)
def test_too_few_judged_results_leave_a_drop_open(ranking: str, values: dict[str, Any], verdict: str) -> None:
    found, scored = looked_at("ab", ranking, **values)
    assert found.is_regression
    assert scored.verdict == verdict
    drop = next(reason for reason in scored.reasons if "below the baseline" in reason)
    assert scored.reasons.index(drop) == (verdict == "inconclusive")


def test_a_drop_that_no_grade_could_make_up_for_fails_however_few_are_judged() -> None:
    judgments = {"a": 3, "b": 3, "d": 3, "c": 0}
    found, scored = looked_at("abd", "cex", k=3, depth=3, judgments=judgments, min_judged=0.9)
    assert found.is_regression
    assert found.score is not None
    assert scored.upper < found.score - 0.05
    assert scored.verdict == "failed"
