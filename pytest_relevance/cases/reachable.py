"""Floors and expectations that no ranking can meet.

A floor above the best score that the case's own judgments allow is a mistake in the
case, not in the search. So are two expectations that leave a document no rank. What
else expectations rule out together shows when the case runs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import floor, inf, isnan

from pytest_relevance._text import quoted
from pytest_relevance.cases.location import Location, Wrong
from pytest_relevance.cases.model import (
    METRIC,
    ROUNDING,
    AllowedRanks,
    Case,
    Expectation,
    Terms,
    kind_of,
)
from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import build_metric
from pytest_relevance.metrics.ndcg import GradedRanking
from pytest_relevance.metrics.settings import Settings

# Two expectations of a document


@dataclass(frozen=True, slots=True)
class _Claim:
    """What one expectation says of a document."""

    expected: Expectation
    ranks: AllowedRanks


def check_contradictions(
    expect: Sequence[Expectation], k: int, at: Location
) -> Wrong | None:
    """Report two expectations that leave a document no rank, at the one that is written
    last.
    """
    by_document: dict[str, list[_Claim]] = {}
    for expected in expect:
        allowed = kind_of(expected).allowed_ranks(expected, k)
        for document, ranks in allowed.items():
            by_document.setdefault(document, []).append(_Claim(expected, ranks))
    result: Wrong | None = None
    for document, claims in by_document.items():
        below = max(claims, key=lambda claim: claim.ranks.highest)
        above = min(claims, key=lambda claim: claim.ranks.lowest)
        if below.ranks.highest > above.ranks.lowest:
            there, here = sorted((below, above), key=claims.index)
            result = _refuse_contradiction(document, here, there, at)
    return result


def _refuse_contradiction(
    document: str, here: _Claim, there: _Claim, at: Location
) -> Wrong:
    """Report at one expectation that another one excludes it."""
    other = f"expect.{there.expected.kind}"
    if there.expected.inherited:
        other += " of the suite"
    return at.refuse(
        f"{quoted(document)} can have no rank that {other} allows as well; change one of "
        "them",
        "expect",
        *here.ranks.path,
    )


# Floors


def has_floor(
    min_ndcg: float | None, expect: Sequence[Expectation], terms: Terms
) -> bool:
    """Whether a floor could be above the best score that the judgments of a case allow.

    Without `ideal: max` the best ranking has an nDCG of 1, so that no floor is above
    it.
    """
    if min_ndcg is not None and terms.settings.ideal == "max":
        return True
    return any(expected.needs_judgments for expected in expect)


def check_reachable(case: Case, at: Location) -> None:
    """Report the floors that no ranking can reach. The terms of the case have the range
    of grades.
    """
    if case.min_ndcg is not None and case.settings.ideal == "max":
        floor_of_ndcg = Expectation(
            kind=METRIC,
            written="min_ndcg",
            metric=build_metric("nDCG", case.k),
            bound=case.min_ndcg,
        )
        _check_floor(floor_of_ndcg, case, at.under("min_ndcg"))
    for expected in case.expect:
        if expected.needs_judgments:
            _check_floor(expected, case, at.under("expect", expected.written))


def _check_floor(expected: Expectation, case: Case, at: Location) -> None:
    """Report the floor of a metric that not even the best ranking of the judged
    documents reaches.
    """
    metric = expected.metric
    assert metric is not None
    if not case.judgments:
        at.refuse(
            f"{metric.text} needs judgments, and the case has none; add judgments"
        )
        return
    if metric.is_own:  # the best value that its function could return is not known
        return
    best = -inf
    for ranking in best_rankings(case.judgments.values(), case.settings):
        reached = score(metric, ranking, case.settings)
        if isnan(reached):
            at.refuse(
                f"{metric.text} is not defined, as no judged document is relevant; judge "
                f"one {_relevant_to(metric)}"
            )
            return
        if not _is_above(expected, reached):
            return
        best = max(best, reached)
    at.refuse(_unreachable(expected, metric, best))


def _relevant_to(metric: Metric) -> str:
    return "that is" if metric.measure == "nDCG" else f"{metric.rel:g} or higher"


def _is_above(expected: Expectation, reached: float) -> bool:
    """Whether a score is too low for an expectation."""
    if expected.comparison in (">=", "=="):
        return expected.bound > reached + ROUNDING
    return expected.comparison == ">" and expected.bound >= reached


def _unreachable(expected: Expectation, metric: Metric, best: float) -> str:
    """Say how far a floor is out of reach, and what to do."""
    # rounded down, so that it can be written as the floor
    possible = floor((best + ROUNDING) * 10_000) / 10_000
    whose, advice = "the", "lower it"
    if expected.inherited:
        whose = "the suite's"
        advice = f"write {metric.text} under expect of the case"
    return (
        f"{whose} floor {expected.bound:g} of {metric.text} is above {possible:.10g}, the "
        f"best that the judgments of the case allow; {advice}, or judge more documents"
    )


def best_rankings(
    judged: Collection[float], settings: Settings
) -> Iterator[GradedRanking]:
    """Make rankings of judged documents. For any measure, one of them is the best there
    can be.

    `judged` are their grades. Measures of relevance and of grades (P, AP, CG, ERR ...)
    are best by descending grade, those of gain by descending gain, and both without
    documents that lower the score. Judged is best with all. A single result is best if
    the divisor grows with what is returned (nDCG without a cutoff and `ideal: max`, P
    without a cutoff).
    """
    grades = list(judged)
    by_grade = sorted(grades, reverse=True)
    with_gain = [grade for grade in grades if settings.gains[grade] > 0]
    with_gain.sort(key=lambda grade: (settings.gains[grade], grade))
    by_gain = list(reversed(with_gain))
    above_0 = [grade for grade in by_grade if grade > 0]
    for ranked in (by_grade, by_gain, by_gain[:1], by_grade[:1], above_0):
        yield GradedRanking(list(ranked), (), grades)
