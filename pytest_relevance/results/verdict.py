"""Decide the verdict of a case by its score, floor and expectations.

`scoring` calls `decide` for each case after its expectations were judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan

from pytest_relevance.metrics.interval import interval
from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.ndcg import GradedRanking
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import (
    FLOOR,
    TOO_FEW_JUDGED,
    CaseConditions,
    Outcome,
)
from pytest_relevance.results.case_result import (
    FAILED,
    INCONCLUSIVE,
    MEASURED,
    PASSED,
    CaseResult,
    ndcg_at,
)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a case demands of the score of its top k.

    `min_ndcg`: the floor of nDCG@k; None if there is none.
    `min_judged`: the least share of judged results in the top k, from 0 to 1.
    """

    k: int
    settings: Settings
    min_ndcg: float | None = None
    min_judged: float = 0.0


@dataclass(frozen=True, slots=True)
class ScoredTop:
    """The score of the top k of a ranking, and how much of it is judged.

    `score`: nDCG@k; NaN if it is not defined.
    `lower`, `upper`: the lowest and the highest score that unjudged results allow.
    `size`: how many different documents there are.
    `judged`: how many of these have a judgment.
    """

    score: float
    lower: float
    upper: float
    judged: int
    size: int

    @classmethod
    def of_result(cls, result: CaseResult) -> ScoredTop:
        """Return the score of the top k that a result has."""
        value, (lower, upper) = result.score, result.interval
        return cls(
            score=nan if value is None else value,
            lower=nan if lower is None else lower,
            upper=nan if upper is None else upper,
            judged=result.evaluation.judged,
            size=result.evaluation.top,
        )


def score_top(
    graded: GradedRanking, conditions: CaseConditions, metric: Metric | None = None
) -> ScoredTop:
    """Return the score of the top k, with how many of its documents are judged.

    `metric`: by default nDCG@k. A score by another metric, as known items have, has no
        interval: no result counts as unjudged.
    """
    k, settings = conditions.k, conditions.settings
    ndcg = ndcg_at(k)
    value = score(metric or ndcg, graded, settings)
    in_top = graded.grades[:k]
    repeated = sum(1 for index in graded.repeated if index < k)
    unjudged = in_top.count(None) - repeated
    lower = upper = value
    if unjudged and not isnan(value) and metric in (None, ndcg):
        lower, upper = interval(
            graded,
            k,
            conditions.lowest,
            conditions.highest,
            settings,
            present=value,
        )
    size = len(in_top) - repeated
    return ScoredTop(value, lower, upper, judged=size - unjudged, size=size)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of a case.

    `reasons`: why it does not pass; those about scores come first.
    """

    name: str
    reasons: tuple[Outcome, ...] = ()


def decide(limits: Limits, top: ScoredTop, outcomes: Sequence[Outcome]) -> Verdict:
    """Return the verdict of a case.

    The first rule that applies decides. Scores are nDCG@k and the metrics of `expect:`.

    1. A case without a floor and without expectations is measured.
    2. A case fails if it misses an expectation that is not a score. It fails if its
       nDCG@k is below the floor whatever grades its unjudged results have.
    3. If too few results are judged, a case with a score is inconclusive. But an nDCG@k
       that is above the floor, whatever grades its unjudged results have, counts.
    4. A case fails if a score is below its floor.
    5. A case passes.
    """
    if limits.min_ndcg is None and not outcomes:
        return Verdict(MEASURED)
    unmet = [outcome for outcome in outcomes if not outcome.met]
    others = [outcome for outcome in unmet if not outcome.is_score]
    scores = [outcome for outcome in unmet if outcome.is_score]
    side = _side_of_floor(limits, top)
    if side != _ABOVE:
        scores = [*_missed_floor(limits, top), *scores]
    if others or side == _BELOW:
        return Verdict(FAILED, (*scores, *others))
    if side == _OPEN or any(outcome.is_score for outcome in outcomes):
        too_few = too_few_judged(limits.min_judged, top)
        if too_few:
            return Verdict(INCONCLUSIVE, (*too_few, *scores))
    return Verdict(FAILED, tuple(scores)) if scores else Verdict(PASSED)


_ABOVE, _BELOW, _OPEN = "above", "below", "open"


def _side_of_floor(limits: Limits, top: ScoredTop) -> str:
    """Return whether nDCG@k is certainly `_ABOVE` or `_BELOW` its floor, or `_OPEN`.

    It is open if grades of unjudged results decide, or if the interval of nDCG@k is not
    known. A case without a floor is above.
    """
    floor = limits.min_ndcg
    if floor is None:
        return _ABOVE
    if not is_bounded(limits.settings):
        return _OPEN
    if top.lower >= floor:
        return _ABOVE
    return _OPEN if top.upper >= floor else _BELOW  # a NaN is below


def _missed_floor(limits: Limits, top: ScoredTop) -> list[Outcome]:
    """Return the reason for a score that misses its floor; [] if the floor is met."""
    floor = limits.min_ndcg
    if floor is None or top.score >= floor:
        return []
    reason = Outcome(
        name=ndcg_at(limits.k).text,
        kind=FLOOR,
        met=False,
        value=defined(top.score),
        bound=floor,
    )
    return [reason]


def too_few_judged(
    min_judged: float, top: ScoredTop, *, by_people: bool = False
) -> tuple[Outcome, ...]:
    """Return the reason that too few of the top documents are judged to decide.

    () if enough are judged.

    `min_judged`: the least share of judged documents, from 0 to 1.
    `by_people`: whether only people's judgments count.
    """
    # not multiplied: 11 / 20 equals 0.55, but 0.55 * 20 is more than 11 by rounding
    if not top.size or top.judged / top.size >= min_judged:
        return ()
    reason = Outcome(
        name="min_judged",
        kind=TOO_FEW_JUDGED,
        met=False,
        value=top.judged,
        bound=min_judged,
        within=top.size,
        by_people=by_people,
    )
    return (reason,)


def is_bounded(settings: Settings) -> bool:
    """Say whether `metrics.interval` knows the scores that unjudged results allow."""
    return settings.ideal == "judged" and settings.unjudged == "zero"


def defined(score: float) -> float | None:
    """Return a score; None for NaN."""
    return None if score != score else float(score)
