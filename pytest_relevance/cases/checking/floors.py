"""Floors of scores that no ranking can reach, and those that every ranking meets.

A floor above the best score that the case's own judgments allow is a mistake in the case, not in the search. A floor
that every ranking meets is no mistake (with negative gains a score may lie below 0), but seldom meant: lint warns of
it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from math import floor, isnan, nan

from pytest_relevance.cases.checking.expectations import meets
from pytest_relevance.cases.model import Case, Expectation
from pytest_relevance.cases.problems import Location
from pytest_relevance.metrics.graded import GradedRanking
from pytest_relevance.metrics.names import Metric, build_metric
from pytest_relevance.metrics.scalar import score
from pytest_relevance.metrics.settings import Settings

_FLOOR = "min_ndcg"
_ROUNDING = 1e-9  # a floor that was computed elsewhere and rounded is not "above the best"


def needs_best(case: Case) -> bool:
    """Whether a floor of the case could be above the best score that its judgments allow."""
    return (case.min_ndcg is not None and case.settings.ideal == "max") or any(
        expected.metric is not None for expected in case.expect
    )


def check_reachable(case: Case, at: Location) -> None:
    """Report the floors that no ranking can reach, once the terms of the case are settled."""
    for expected in _expected(case):
        if expected.written != _FLOOR and expected.metric is not None:
            _check_reachable(expected, case, at.under("expect", expected.written))
        elif expected.written == _FLOOR and case.settings.ideal == "max":  # else the best ranking has an nDCG of 1
            _check_reachable(expected, case, at.under(_FLOOR))


def _expected(case: Case) -> Iterator[Expectation]:
    """What is expected of a case, its floor of nDCG@k first."""
    if case.min_ndcg is not None:
        yield Expectation("metric", _FLOOR, build_metric("nDCG", case.k), ">=", case.min_ndcg)
    yield from case.expect


def _check_reachable(expected: Expectation, case: Case, at: Location) -> None:
    metric = expected.metric
    assert metric is not None
    if not case.judgments:
        at.refuse(f"{metric.text} needs judgments, and the case has none; add judgments")
        return
    best = nan
    for ranking in best_rankings(case.judgments.values(), case.settings):
        reached = score(metric, ranking, case.settings)
        if isnan(reached):
            at.refuse(f"{metric.text} is not defined, as no judged document is relevant; {_advice(metric)}")
            return
        if not _is_above(expected, reached):
            return
        best = reached if isnan(best) else max(best, reached)
    possible = floor((best + _ROUNDING) * 10_000) / 10_000  # rounded down, so that it can be written as the floor
    whose = "the suite's" if expected.inherited else "the"
    what = f"{whose} floor {expected.bound:g} of {metric.text} is above {possible:.10g}, the best that the judgments"
    advice = f"write {metric.text} under expect of the case" if expected.inherited else "lower it"
    at.refuse(f"{what} of the case allow; {advice}, or judge more documents")


def _advice(metric: Metric) -> str:
    return "judge one that is" if metric.measure == "nDCG" else f"judge one {metric.rel:g} or higher"


def _is_above(expected: Expectation, reached: float) -> bool:
    if expected.comparison in (">=", "=="):
        return expected.bound > reached + _ROUNDING
    return expected.comparison == ">" and expected.bound >= reached


def always_met(case: Case) -> list[str]:
    """What a case expects that every ranking meets, as it is written: `min_ndcg 0`, `P@5 >= 0`, `results >= 0`."""
    always = [expected for expected in _expected(case) if _is_always_met(expected, case)]
    return [
        f"{_FLOOR} {each.bound:g}" if each.written == _FLOOR else f"{each.written} {each.comparison} {each.bound:g}"
        for each in always
    ]


def _is_always_met(expected: Expectation, case: Case) -> bool:
    if expected.metric is None:
        return expected.kind == "results" and expected.comparison == ">=" and not expected.bound
    judged, settings = case.judgments.values(), case.settings
    rankings = (*worst_rankings(judged, settings), *best_rankings(judged, settings))
    return all(meets(expected, score(expected.metric, ranking, settings)) for ranking in rankings)


def best_rankings(judged: Collection[float], settings: Settings) -> Iterator[GradedRanking]:
    """Rankings of judged documents, given by their grades, of which one is the best there can be for any measure.

    Measures of relevance and of grades (P, AP, CG, ERR ...) are best by descending grade, those of gain by descending
    gain, and both without documents that lower the score; Judged is best with all. A single result is best where the
    divisor grows with what is returned (nDCG without a cutoff and `ideal: max`, P without a cutoff).
    """
    gains, grades = settings.gains, list(judged)
    by_grade = sorted(grades, reverse=True)
    yield GradedRanking([*by_grade], (), grades)
    by_gain = sorted((grade for grade in grades if gains[grade] > 0), key=lambda grade: (gains[grade], grade))[::-1]
    for ranked in (by_gain, by_gain[:1], by_grade[:1], [grade for grade in by_grade if grade > 0]):
        yield GradedRanking([*ranked], (), grades)


def worst_rankings(judged: Collection[float], settings: Settings) -> Iterator[GradedRanking]:
    """Rankings of judged documents, given by their grades, of which one is the worst there can be for any measure.

    These are an empty ranking, one unjudged result, and the documents that lower the score most on top (by gain, and by
    grade for the measures that look at grades), alone and before all others.
    """
    gains, grades = settings.gains, list(judged)
    by_gain = sorted(grades, key=gains.__getitem__)
    by_grade = sorted(grades)
    negative_gains = [grade for grade in by_gain if gains[grade] < 0]
    negative_grades = [grade for grade in by_grade if grade < 0]
    for ranked in ([], [None], negative_gains, negative_grades, by_gain, by_grade):
        yield GradedRanking([*ranked], (), grades)
