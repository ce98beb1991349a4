"""Say in one word how a case compares with its reference, for example `got worse`.

All reports use these words. The reference is the baseline, a record, or the first of
two runs. Neither the verdict of the case nor pytest's outcome matters. So `compare A B`
gives the same words as a run B that was compared with A.

Reports and counts call `became` for each case when the run has ended.
"""

from __future__ import annotations

from dataclasses import replace

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
"""The case newly misses demands, and all of them compare rankings, such as overlap.

If the case returns nothing now, it got worse instead.
"""

GOT_BETTER = "got better"
"""The case newly meets a floor or an expectation, or rose by more than the tolerance.

It misses no further floor or expectation.
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
    """Return how a case compares with its reference, for example `GOT_WORSE`.

    The scores are by the metric of the change. If this is the metric of the case
    itself, the floor and the expectations of the case count too.
    """
    if change.case.status == SKIPPED:
        return NOT_COMPARED
    if lacks_judgments(change):
        change = replace(change, metric=None)
    is_by_own_metric = change.metric in (None, change.case.metric.text)
    if change.found is not None and is_by_own_metric:
        return _since_reference(change, change.found)
    if change.before is None:
        return NOT_COMPARED
    return _between(change, is_by_own_metric=is_by_own_metric)


def lacks_judgments(change: Change) -> bool:
    """Say whether a case has no judgments, and the metric compares rankings.

    Then the floor and the expectations of the case say what became of it.
    """
    if change.metric is None or not is_similarity(change.metric):
        return False
    if change.found is None or change.found.score is not None:
        return False
    return not change.case.evaluation.is_judged


def _since_reference(change: Change, found: BaselineComparison) -> str:
    """Return how a case compares with its reference, by its floor and expectations.

    `found`: the comparison with the accepted ranking of the reference.
    """
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
        return UNSCORED if found.lost else _without_score(result, found)
    return WITHIN_TOLERANCE if abs(change.difference) > ROUNDING else SAME


def _without_score(result: CaseResult, found: BaselineComparison) -> str:
    """Return how a case without a score compares, if its demands are met as before.

    `SAME`, unless an expectation that compares rankings finds them different. Then it
    is `WITHIN_TOLERANCE`; or `CHANGED`, if the accepted ranking is empty and the
    expectation is missed.
    """
    if not result.evaluation.outcomes or result.verdict in WITHOUT_SCORE:
        return UNSCORED
    if found.found_nothing and not result.ranking.documents:
        return SAME
    for outcome in result.evaluation.outcomes:
        if outcome.kind == SIMILARITY and (outcome.value or 0.0) < 1 - ROUNDING:
            is_new = found.found_nothing and not outcome.met
            return CHANGED if is_new else WITHIN_TOLERANCE
    return SAME


def _between(change: Change, *, is_by_own_metric: bool) -> str:
    """Return how a case compares with its reference, by its scores before and now.

    `is_by_own_metric`: whether the metric is that of the case, so the floor counts.
    """
    before, after = change.score_before, change.score_after
    if before is None or after is None:
        return UNSCORED
    difference = after - before
    if change.metric is not None and is_similarity(change.metric):
        return CHANGED if abs(difference) > ROUNDING else SAME
    limit = tolerance_of(change) + ROUNDING
    floor = change.case.conditions.floor if is_by_own_metric else None
    newly_missed = floor is not None and after < floor <= before
    newly_met = floor is not None and before < floor <= after
    if difference < -limit or newly_missed:
        return _worse(change)
    if difference > limit or newly_met:
        return GOT_BETTER
    return WITHIN_TOLERANCE if abs(difference) > ROUNDING else SAME


def _worse(change: Change) -> str:
    """Return `IN_DOUBT` for a case with the verdict inconclusive, else `GOT_WORSE`."""
    verdict = change.case.verdict
    if change.found is not None and change.found.verdict:
        verdict = change.found.verdict
    return IN_DOUBT if verdict == INCONCLUSIVE else GOT_WORSE


def only_changed(result: CaseResult) -> bool:
    """Say whether a case newly misses only expectations that compare rankings.

    An empty ranking got worse, and did not only change.
    """
    if not result.ranking.documents:
        return False
    for reason in result.evaluation.reasons:
        if reason.is_new:
            kind = EXPECTATIONS.get_or_unknown(reason.kind)
            if not kind.compares_rankings:
                return False
    return True


def tolerance_of(change: Change) -> float:
    """Return by how much the score may fall: the tolerance of the case.

    0 for a metric whose scores may be above 1, such as DCG.
    """
    metric = change.case.metric
    if change.metric is not None:
        metric = metric_named(change.metric)
    return 0.0 if largest_score(metric) > 1 else change.case.conditions.tolerance
