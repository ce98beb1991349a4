"""Floors and expectations that no ranking can meet.

A floor above the best score that the case's own judgments allow is a mistake in the case, not
in the search. So are two expectations that leave a document no rank. What else expectations
rule out together shows when the case runs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import floor, inf, isnan

from pytest_relevance._text import quoted
from pytest_relevance.cases.expectations.documents import AT_MOST, BELOW
from pytest_relevance.cases.location import Location, Wrong
from pytest_relevance.cases.model import ROUNDING, Case, Expectation, Terms
from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import build_metric
from pytest_relevance.metrics.ndcg import GradedRanking
from pytest_relevance.metrics.settings import Settings

# Two expectations of a document


@dataclass(frozen=True, slots=True)
class _AllowedRanks:
    """The highest and the lowest rank that an expectation allows a document.

    `lowest` is infinity if the document may be absent.
    """

    highest: int
    lowest: float
    expected: Expectation


def check_contradictions(
    expect: Sequence[Expectation], k: int, at: Location
) -> Wrong | None:
    """Report two expectations that leave a document no rank, at the one that is written last."""
    by_document: dict[str, list[_AllowedRanks]] = {}
    for expected in expect:
        for number, document in enumerate(expected.documents, start=1):
            allowed = _allowed_ranks(expected, number, k)
            if allowed is not None:
                by_document.setdefault(document, []).append(allowed)
    result: Wrong | None = None
    for document, of_document in by_document.items():
        below = max(of_document, key=lambda allowed: allowed.highest)
        above = min(of_document, key=lambda allowed: allowed.lowest)
        if below.highest > above.lowest:
            there, here = sorted((below, above), key=of_document.index)
            result = _refuse_contradiction(document, here.expected, there.expected, at)
    return result


def _allowed_ranks(expected: Expectation, number: int, k: int) -> _AllowedRanks | None:
    """Say which ranks an expectation allows its document of this number; None for any rank."""
    within = expected.within or k
    if expected.kind == "first":
        return _AllowedRanks(number, number, expected)
    if expected.kind == "include":
        return _AllowedRanks(1, within, expected)
    if expected.kind == "exclude":
        return _AllowedRanks(within + 1, inf, expected)
    if expected.kind != "within":
        return None
    if expected.comparison == AT_MOST:
        return _AllowedRanks(1, within, expected)
    if expected.comparison == BELOW:
        return _AllowedRanks(within + 1, inf, expected)
    return _AllowedRanks(within, within, expected)


def _refuse_contradiction(
    document: str, here: Expectation, there: Expectation, at: Location
) -> Wrong:
    """Report at one expectation that another one excludes it."""
    other = f"expect.{there.kind}"
    if there.inherited:
        other += " of the suite"
    message = (
        f"{quoted(document)} can have no rank that {other} allows as well; change one of "
        "them"
    )
    if here.kind == "within":
        return at.refuse(message, "expect", here.kind, document)
    return at.refuse(message, "expect", here.kind)


# Floors


def has_floor(
    min_ndcg: float | None, expect: Sequence[Expectation], terms: Terms
) -> bool:
    """Whether a floor could be above the best score that the judgments of a case allow.

    Without `ideal: max` the best ranking has an nDCG of 1, so that no floor is above it.
    """
    if min_ndcg is not None and terms.settings.ideal == "max":
        return True
    return any(expected.kind == "metric" for expected in expect)


def check_reachable(case: Case, at: Location) -> None:
    """Report the floors that no ranking can reach. The terms of the case have the range of grades."""
    if case.min_ndcg is not None and case.settings.ideal == "max":
        floor_of_ndcg = Expectation(
            kind="metric",
            written="min_ndcg",
            metric=build_metric("nDCG", case.k),
            bound=case.min_ndcg,
        )
        _check_floor(floor_of_ndcg, case, at.under("min_ndcg"))
    for expected in case.expect:
        if expected.kind == "metric":
            _check_floor(expected, case, at.under("expect", expected.written))


def _check_floor(expected: Expectation, case: Case, at: Location) -> None:
    """Report the floor of a metric that not even the best ranking of the judged documents reaches."""
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
    """Make rankings of judged documents. For any measure, one of them is the best there can be.

    `judged` are their grades. Measures of relevance and of grades (P, AP, CG, ERR ...) are best
    by descending grade, those of gain by descending gain, and both without documents that lower
    the score. Judged is best with all. A single result is best if the divisor grows with what is
    returned (nDCG without a cutoff and `ideal: max`, P without a cutoff).
    """
    grades = list(judged)
    by_grade = sorted(grades, reverse=True)
    with_gain = [grade for grade in grades if settings.gains[grade] > 0]
    with_gain.sort(key=lambda grade: (settings.gains[grade], grade))
    by_gain = list(reversed(with_gain))
    above_0 = [grade for grade in by_grade if grade > 0]
    for ranked in (by_grade, by_gain, by_gain[:1], by_grade[:1], above_0):
        yield GradedRanking(list(ranked), (), grades)
