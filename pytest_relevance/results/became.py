"""Say in one word how a case compares with its reference, for example `got worse`.

All reports use these words. The reference is the baseline, a record, or the first of
two runs. Neither the verdict of the case nor pytest's outcome matters. So `compare A B`
gives the same words as a run B that was compared with A.

Reports and counts call `became` for each case when the run has ended.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pytest_relevance.cases.expectation import SIMILARITY
from pytest_relevance.metrics.measures import largest_score
from pytest_relevance.metrics.metric import ROUNDING
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


@dataclass(frozen=True, slots=True)
class _Shift:
    """Whether a case is worse or better than its reference, by more than is allowed.

    `only_of_rankings`: whether the case is worse or better only in how similar it is to
        another ranking.
    """

    is_worse: bool
    is_better: bool
    only_of_rankings: bool = False


def became_of(change: Change) -> str:
    """Return how a case compares with its reference, for example `GOT_WORSE`.

    The scores are by the metric of the change. If this is the metric of the case
    itself, the floor and the expectations of the case count too. For example:

    - nDCG@10 fell from 0.8 to 0.7, and the tolerance is 0.05: `GOT_WORSE`
    - nDCG@10 fell from 0.8 to 0.78, and the floor is 0.7: `WITHIN_TOLERANCE`
    - the same, and the floor is 0.79: `GOT_WORSE`
    """
    if lacks_judgments(change):
        change = replace(change, metric=None)
    found = change.found if _is_by_own_metric(change) else None
    if change.case.status == SKIPPED or (found is None and change.before is None):
        return NOT_COMPARED
    if found is None:
        shift = _shift_of_scores(change)
    elif found.standing == LOST:
        return UNSCORED
    elif found.standing in WITHOUT_COMPARISON:
        return NOT_COMPARED
    else:
        shift = _shift_since_reference(change.case, found)
    if shift.only_of_rankings:
        return CHANGED
    if shift.is_worse:
        return IN_DOUBT if _is_inconclusive(change) else GOT_WORSE
    if shift.is_better:
        return GOT_BETTER
    if change.score_before is None or change.score_after is None:
        return UNSCORED if found is None else _without_score(change.case, found)
    return WITHIN_TOLERANCE if abs(change.difference) > ROUNDING else SAME


def _is_by_own_metric(change: Change) -> bool:
    """Say whether a case is compared by its own metric, nDCG@k or that of known items.

    Only then do the floor and the expectations of the case count.
    """
    return change.metric in (None, change.case.metric.text)


def lacks_judgments(change: Change) -> bool:
    """Say whether a case has no judgments, and the metric compares rankings.

    Then the floor and the expectations of the case say what became of it.
    """
    if change.metric is None or not is_similarity(change.metric):
        return False
    if change.found is None or change.found.score is not None:
        return False
    return not change.case.evaluation.is_judged


def _shift_since_reference(result: CaseResult, found: BaselineComparison) -> _Shift:
    """Return whether a case is worse or better, by its score and all its demands.

    `found`: the comparison with the accepted ranking of the reference.
    """
    # a drop that filled grades hide is a regression too
    fell = found.standing == REGRESSION
    return _Shift(
        is_worse=fell or found.newly_failing,
        is_better=found.standing == IMPROVEMENT or found.newly_met,
        only_of_rankings=found.newly_failing and not fell and only_changed(result),
    )


def _shift_of_scores(change: Change) -> _Shift:
    """Return whether a case is worse or better, by its two scores and its floor."""
    before, after = change.score_before, change.score_after
    if before is None or after is None:
        return _Shift(is_worse=False, is_better=False)
    difference = after - before
    if change.metric is not None and is_similarity(change.metric):
        fell, rose = difference < -ROUNDING, difference > ROUNDING
        return _Shift(is_worse=fell, is_better=rose, only_of_rankings=fell or rose)
    limit = tolerance_of(change) + ROUNDING
    floor = change.case.conditions.floor if _is_by_own_metric(change) else None
    newly_missed = floor is not None and after < floor <= before
    newly_met = floor is not None and before < floor <= after
    return _Shift(
        is_worse=difference < -limit or newly_missed,
        is_better=difference > limit or newly_met,
    )


def _without_score(result: CaseResult, found: BaselineComparison) -> str:
    """Return how a case without a score compares, if its demands are met as before.

    - `UNSCORED`: the case lost its score, or has no demands
    - `CHANGED`: an expectation that compares rankings is missed, and the accepted
      ranking is empty
    - `WITHIN_TOLERANCE`: an expectation that compares rankings finds them different in
      another way
    - `SAME`: all other cases
    """
    outcomes = result.evaluation.outcomes
    if found.lost or not outcomes or result.verdict in WITHOUT_SCORE:
        return UNSCORED
    if found.found_nothing and not result.ranking.documents:
        return SAME
    for outcome in outcomes:
        if outcome.kind == SIMILARITY and (outcome.value or 0.0) < 1 - ROUNDING:
            is_new = found.found_nothing and not outcome.met
            return CHANGED if is_new else WITHIN_TOLERANCE
    return SAME


def _is_inconclusive(change: Change) -> bool:
    """Say whether too few results of a case are judged for a verdict."""
    verdict = change.case.verdict
    if change.found is not None and change.found.verdict:
        verdict = change.found.verdict
    return verdict == INCONCLUSIVE


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
