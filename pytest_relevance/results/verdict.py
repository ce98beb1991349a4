"""The verdict of a case: its score and its outcomes, judged by its floor and its
expectations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_relevance.cases.model import Case
from pytest_relevance.results.case_parts import FLOOR, TOO_FEW_JUDGED, Outcome
from pytest_relevance.results.case_result import (
    FAILED,
    INCONCLUSIVE,
    MEASURED,
    PASSED,
    ndcg_at,
)


@dataclass(frozen=True, slots=True)
class ScoredTop:
    """The score of the top k of a ranking, and how much of it is judged.

    `score`: nDCG@k; NaN if it is not defined.
    `lower`, `upper`: the interval that the unjudged results leave to the score.
    `judged`: how many of the `size` different documents have a judgment.
    """

    score: float
    lower: float
    upper: float
    judged: int
    size: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of a case, and its reasons: those about scores come first."""

    name: str
    reasons: tuple[Outcome, ...] = ()


def decide(case: Case, top: ScoredTop, outcomes: Sequence[Outcome]) -> Verdict:
    """Decide the verdict of a case.

    1. An unmet expectation other than a score fails.
    2. An interval that is wholly below the floor fails.
    3. Too few judged results are inconclusive, if a score decides. The floor does not,
       if the interval is wholly above it.
    4. A score below its floor fails. Floors of other metrics are scores too, without an
       interval.
    """
    if case.min_ndcg is None and not outcomes:
        return Verdict(MEASURED)
    unmet = [outcome for outcome in outcomes if not outcome.met]
    scores = [outcome for outcome in unmet if outcome.is_score]
    others = [outcome for outcome in unmet if not outcome.is_score]
    scores_decide = any(outcome.is_score for outcome in outcomes)
    is_below = False
    if case.min_ndcg is not None:
        floor, has_interval = case.min_ndcg, is_bounded(case)
        if not top.score >= floor:  # true of NaN, too
            scores.insert(0, _missed_floor(case, floor, top.score))
        is_above = has_interval and top.lower >= floor
        is_below = has_interval and not top.upper >= floor
        scores_decide = scores_decide or not is_above
    if others or is_below:
        return Verdict(FAILED, (*scores, *others))
    if scores_decide:
        too_few = too_few_judged(case, top.judged, top.size)
        if too_few:
            return Verdict(INCONCLUSIVE, (*too_few, *scores))
    return Verdict(FAILED, tuple(scores)) if scores else Verdict(PASSED)


def _missed_floor(case: Case, floor: float, score: float) -> Outcome:
    return Outcome(
        name=ndcg_at(case.k).text,
        kind=FLOOR,
        met=False,
        value=defined(score),
        bound=floor,
    )


def too_few_judged(case: Case, judged: int, size: int) -> tuple[Outcome, ...]:
    """Return the reason why a score decides nothing: too little of the top is judged.

    Empty if enough is judged. `size` is how many documents the top has.
    """
    # the quotients are compared: 11 / 20 equals 0.55 as it is written, but 0.55 * 20 is
    # more than 11
    if not size or judged / size >= case.min_judged:
        return ()
    reason = Outcome(
        name="min_judged",
        kind=TOO_FEW_JUDGED,
        met=False,
        value=judged,
        bound=case.min_judged,
        within=size,
    )
    return (reason,)


def is_bounded(case: Case) -> bool:
    """Say whether the interval has every score that grades of unjudged results give."""
    return case.settings.ideal == "judged" and case.settings.unjudged == "zero"


def defined(score: float) -> float | None:
    """Return a score, or None for NaN."""
    return None if score != score else float(score)
