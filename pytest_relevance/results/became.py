"""Compare a case with its reference in one word, which every report takes: `got worse`.

The reference is the baseline, a record, or the first of two runs. The verdict of the
case does not matter, nor does pytest's outcome. So a comparison of two runs gives the
same words as the second run gave when it was compared with the first.
"""

from __future__ import annotations

from pytest_relevance.cases.model import ROUNDING, SIMILARITY
from pytest_relevance.metrics.measures import largest_score
from pytest_relevance.metrics.names import is_similarity, metric_named
from pytest_relevance.registry import EXPECTATIONS
from pytest_relevance.results.case_parts import (
    IMPROVEMENT,
    LOST,
    REGRESSION,
    WITHOUT_COMPARISON,
    BaselineComparison,
)
from pytest_relevance.results.case_result import (
    INCONCLUSIVE,
    SKIPPED,
    WITHOUT_SCORE,
    CaseResult,
)
from pytest_relevance.results.changes import Change

GOT_WORSE = "got worse"
"""The case newly misses a floor or an expectation, or fell by more than the tolerance.

A case that also newly meets a floor or an expectation got worse.
"""

IN_DOUBT = "inconclusive"
"""The case got worse, but too few results are judged (`min_judged`)."""

CHANGED = "changed"
"""All that the case newly misses are demands that compare rankings, such as overlap.

It did not get worse. A case that returned nothing did.
"""

GOT_BETTER = "got better"
"""The case newly meets a floor or an expectation, or rose by more than the
tolerance.
"""

WITHIN_TOLERANCE = "within the tolerance"
"""The score changed, by no more than the tolerance.

Without a score: the ranking changed, by no more than an expectation allows.
"""

SAME = "the same"
"""Neither the score nor an expectation changed."""

UNSCORED = "without a score"
"""The case has no score now, or had none, and no floor or expectation changed."""

NOT_COMPARED = ""
"""The case is new, was skipped, or cannot be compared with its reference."""


def became(result: CaseResult) -> str:
    """Return how a result compares with its reference, for example `GOT_WORSE`."""
    return became_of(Change.since_baseline(result))


def became_of(change: Change) -> str:
    """Return how a case compares with its reference, by the metric of the change.

    The result is one of the constants above. By the nDCG@k of the case, its floor and
    expectations count too. The tolerance is that of the case; it is 0 for metrics that
    are not between 0 and 1, as DCG and CG.
    """
    if change.case.status == SKIPPED:
        return NOT_COMPARED
    is_by_own_metric = change.metric in (None, change.case.metric.text)
    if change.found is not None and (is_by_own_metric or lacks_judgments(change)):
        return _since_reference(change, change.found)
    if change.before is None:
        return NOT_COMPARED
    return _between(change, is_by_own_metric=is_by_own_metric)


def lacks_judgments(change: Change) -> bool:
    """Say whether a case is compared by a metric of rankings for want of judgments."""
    compares_rankings = change.metric is not None and is_similarity(change.metric)
    no_score_before = change.found is not None and change.found.score is None
    return (
        compares_rankings and no_score_before and not change.case.evaluation.is_judged
    )


def _since_reference(change: Change, found: BaselineComparison) -> str:
    """Return how a case compares with its reference, as the run has found out."""
    result = change.case
    if found.standing == LOST:
        return UNSCORED
    if found.standing in WITHOUT_COMPARISON:
        return NOT_COMPARED
    # a drop that filled grades hide is a regression too
    if found.standing == REGRESSION:
        return _worse(change)
    if found.newly_failing:
        return CHANGED if only_changed(result) else _worse(change)
    if found.standing == IMPROVEMENT or found.newly_met:
        return GOT_BETTER
    if change.score_before is None or change.score_after is None:
        return _without_score(result)
    return WITHIN_TOLERANCE if abs(change.difference) > ROUNDING else SAME


def _without_score(result: CaseResult) -> str:
    """Return what became of a case without nDCG whose demands are met as before.

    If expectations compare its rankings, they say whether these differ.
    """
    if not result.evaluation.outcomes or result.verdict in WITHOUT_SCORE:
        return UNSCORED
    for outcome in result.evaluation.outcomes:
        if outcome.kind == SIMILARITY and (outcome.value or 0.0) < 1 - ROUNDING:
            return WITHIN_TOLERANCE
    return SAME


def _between(change: Change, *, is_by_own_metric: bool) -> str:
    """Return how the scores of two runs compare, and whether the floor is met."""
    before, after = change.score_before, change.score_after
    if before is None or after is None:
        return UNSCORED
    difference = after - before
    if change.metric is not None and is_similarity(change.metric):
        return CHANGED if abs(difference) > ROUNDING else SAME
    limit = tolerance_of(change) + ROUNDING
    floor = change.case.conditions.floor if is_by_own_metric else None
    if difference < -limit:
        return _worse(change)
    if floor is not None and after < floor <= before:
        return _worse(change)
    if difference > limit or (floor is not None and before < floor <= after):
        return GOT_BETTER
    return WITHIN_TOLERANCE if abs(difference) > ROUNDING else SAME


def _worse(change: Change) -> str:
    verdict = change.case.verdict
    if change.found is not None and change.found.verdict:
        verdict = change.found.verdict
    return IN_DOUBT if verdict == INCONCLUSIVE else GOT_WORSE


def only_changed(result: CaseResult) -> bool:
    """Say whether all that a case newly misses are comparisons of rankings."""
    newly_missed = [each for each in result.evaluation.reasons if each.is_new]
    return bool(result.ranking.documents) and all(
        EXPECTATIONS.get_or_unknown(reason.kind).compares_rankings
        for reason in newly_missed
    )


def tolerance_of(change: Change) -> float:
    """Return by how much the score may fall: 0 for a metric with scores above 1."""
    metric = change.case.metric
    if change.metric is not None:
        metric = metric_named(change.metric)
    return 0.0 if largest_score(metric) > 1 else change.case.conditions.tolerance
