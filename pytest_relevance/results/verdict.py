"""Decide the verdict of a case by its score, floor and expectations."""

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
    `lower`, `upper`: the lowest and the highest score that unjudged results allow.
    `judged`: how many of the `size` different documents have a judgment.
    """

    score: float
    lower: float
    upper: float
    judged: int
    size: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of a case.

    `reasons`: why it does not pass; those about scores come first.
    """

    name: str
    reasons: tuple[Outcome, ...] = ()


def decide(case: Case, top: ScoredTop, outcomes: Sequence[Outcome]) -> Verdict:
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
    if case.min_ndcg is None and not outcomes:
        return Verdict(MEASURED)
    unmet = [outcome for outcome in outcomes if not outcome.met]
    others = [outcome for outcome in unmet if not outcome.is_score]
    scores = [outcome for outcome in unmet if outcome.is_score]
    side = _side_of_floor(case, top)
    if side != _ABOVE:
        scores = [*_missed_floor(case, top), *scores]
    if others or side == _BELOW:
        return Verdict(FAILED, (*scores, *others))
    if side == _OPEN or any(outcome.is_score for outcome in outcomes):
        too_few = too_few_judged(case, top.judged, top.size)
        if too_few:
            return Verdict(INCONCLUSIVE, (*too_few, *scores))
    return Verdict(FAILED, tuple(scores)) if scores else Verdict(PASSED)


_ABOVE, _BELOW, _OPEN = "above", "below", "open"


def _side_of_floor(case: Case, top: ScoredTop) -> str:
    """Say if nDCG@k is above or below its floor for all grades of unjudged results.

    Return `_OPEN` if that depends on their grades, or if the interval of nDCG@k is not
    known. A case without a floor is `_ABOVE`.
    """
    floor = case.min_ndcg
    if floor is None:
        return _ABOVE
    if not is_bounded(case):
        return _OPEN
    if top.lower >= floor:
        return _ABOVE
    return _OPEN if top.upper >= floor else _BELOW  # a NaN is below


def _missed_floor(case: Case, top: ScoredTop) -> list[Outcome]:
    """Return the reason for a score that misses its floor; [] if it does not."""
    floor = case.min_ndcg
    if floor is None or top.score >= floor:
        return []
    reason = Outcome(
        name=ndcg_at(case.k).text,
        kind=FLOOR,
        met=False,
        value=defined(top.score),
        bound=floor,
    )
    return [reason]


def too_few_judged(case: Case, judged: int, size: int) -> tuple[Outcome, ...]:
    """Return the reason that too few of the top documents are judged to decide.

    () if enough are judged. `size` is how many documents the top has.
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
    """Say whether the interval has all scores that unjudged results allow."""
    return case.settings.ideal == "judged" and case.settings.unjudged == "zero"


def defined(score: float) -> float | None:
    """Return a score; None for NaN."""
    return None if score != score else float(score)
