"""Floors and expectations that no ranking can miss: what an empty ranking, junk and the worst order all meet.

The other end of `limits`, where floors are refused that no ranking can reach. A floor of 0 is no mistake by itself
(with negative gains a score may lie below it), so that this is for warnings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pytest_relevance.cases.expectations import COMPARE, EXACT
from pytest_relevance.cases.limits import best_rankings
from pytest_relevance.cases.model import Case, Expectation
from pytest_relevance.metrics.names import build_metric
from pytest_relevance.metrics.scalar import GradedRanking, score
from pytest_relevance.metrics.settings import Settings


def unmissable(case: Case) -> list[str]:
    """What the case expects that every ranking meets, as it is written: `min_ndcg 0`, `P@5 >= 0`, `results >= 0`."""
    always = [
        f"{expected.written} {expected.comparison} {expected.bound:g}"
        for expected in case.expect
        if _always_met(expected, case)
    ]
    if case.min_ndcg is not None:
        floor = Expectation("metric", "min_ndcg", build_metric("nDCG", case.k), ">=", case.min_ndcg)
        if _always_met(floor, case):
            always.insert(0, f"min_ndcg {case.min_ndcg:g}")
    return always


def _always_met(expected: Expectation, case: Case) -> bool:
    if expected.kind == "results":
        return expected.comparison == ">=" and not expected.bound
    if expected.metric is None:
        return False
    for rankings in (worst_rankings, best_rankings):
        for ranking in rankings(case.judgments.values(), case.settings):
            if not _meets(expected, score(expected.metric, ranking, case.settings)):
                return False
    return True


def _meets(expected: Expectation, value: float) -> bool:
    if expected.comparison == "==":
        return abs(value - expected.bound) <= EXACT
    return COMPARE[expected.comparison](value, expected.bound)


def worst_rankings(judged: Collection[float], settings: Settings) -> Iterator[GradedRanking]:
    """Rankings of which one is the worst there can be, whatever the measure.

    Nothing at all, junk that nobody judged, what costs the most on top (by gain, and by grade for the measures that
    look at grades), alone and before everything else.
    """
    gains, grades = settings.gains, list(judged)
    by_gain = sorted(grades, key=gains.__getitem__)
    by_grade = sorted(grades)
    costly = [grade for grade in by_gain if gains[grade] < 0]
    negative = [grade for grade in by_grade if grade < 0]
    for ranked in ([], [None], costly, negative, by_gain, by_grade):
        yield GradedRanking([*ranked], (), grades)
