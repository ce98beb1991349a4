"""Compute what each document costs of the nDCG@k of a ranking.

`breakdown` calls it for a failing case when its report is made.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import dataclass

from pytest_relevance.metrics import ndcg
from pytest_relevance.results.scored_ranking import ScoredRanking


@dataclass(frozen=True, slots=True)
class Loss:
    """The nDCG@k that a document, or a passage, costs.

    `loss`: (discounted gain at the ideal rank - that at the own rank) / IDCG. Below
    0 the document ranks above its ideal rank.
    `rank`: where the search returned the document, from 1; None if it did not.
    `document`: the id, or the quote of the passage. None if several documents that were
    not returned share the loss. They have one gain, and there are fewer ideal ranks for
    this gain than documents.
    `candidates`: how many documents share the loss.
    `places`: how many ideal ranks there are for the candidates.
    `grade`: the grade of the document; the highest grade if several share the loss.
    """

    document: str | None
    grade: float
    rank: int | None
    loss: float
    places: int = 1
    candidates: int = 1


def losses_of(ranking: ScoredRanking) -> tuple[Loss, ...]:
    """Return what documents cost of nDCG@k, the largest loss first.

    () if the ideal ranking has no gain.
    """
    if not ranking.ideal_dcg:
        return ()
    places = _FreePlaces(ranking)
    losses = _ranked_losses(ranking, places)
    if ranking.settings.ideal != "returned":
        losses += _missing_losses(ranking, places)
    losses.sort(key=_loss_order)
    return tuple(losses)


def _loss_order(loss: Loss) -> tuple[float, float, bool, int]:
    """Return the sort key of a loss: the largest first, then by grade and rank."""
    return -loss.loss, -loss.grade, loss.rank is None, loss.rank or 0


class _FreePlaces:
    """The ideal ranks that no document has taken yet.

    `by_gain`: {gain: the discounted gains at the free ideal ranks, best first}.
    `left`: {gain: how many judged documents have not taken a rank yet}.
    """

    def __init__(self, ranking: ScoredRanking) -> None:
        gains = ranking.settings.gains
        self.left = Counter(gains[grade] for grade in ranking.graded.judged)
        self.by_gain: dict[float, deque[float]] = defaultdict(deque)
        best = ndcg.discounted_gains(ranking.best, ranking.settings)
        for grade, discounted in zip(ranking.best, best, strict=True):
            self.by_gain[gains[grade]].append(discounted)

    def take(self, gain: float) -> float:
        """Return the discounted gain at the best free rank of this gain, and take it.

        0 if no rank is free.
        """
        self.left[gain] -= 1
        places = self.by_gain[gain]
        return places.popleft() if places else 0.0


def _ranked_losses(ranking: ScoredRanking, places: _FreePlaces) -> list[Loss]:
    """Return the losses of documents with a rank, which take the best ideal ranks."""
    losses = []
    for ranked in ranking.ranked:
        gain = ranking.settings.gains[ranked.grade]
        loss = places.take(gain) - ranked.discounted
        if gain > 0 or loss:
            share = loss / ranking.ideal_dcg
            losses.append(Loss(ranked.name, ranked.grade, ranked.rank, share))
    return losses


def _missing_losses(ranking: ScoredRanking, places: _FreePlaces) -> list[Loss]:
    """Return the losses of documents that were not returned.

    Documents with one gain share the ideal ranks of this gain that are still free.
    """
    losses = []
    for gain, free in places.by_gain.items():
        if not free:
            continue
        named = _missing_with_gain(ranking, gain)
        if len(free) == places.left[gain] == len(named):
            share = sum(free) / len(free) / ranking.ideal_dcg
            for document, grade in named:
                losses.append(Loss(document, grade, None, share))
        else:
            of_all = Loss(
                document=None,
                grade=_highest_grade(ranking, gain),
                rank=None,
                loss=sum(free) / ranking.ideal_dcg,
                places=len(free),
                candidates=places.left[gain],
            )
            losses.append(of_all)
    return losses


def _missing_with_gain(ranking: ScoredRanking, gain: float) -> list[tuple[str, float]]:
    """Return (document, grade) for documents with a gain and without a known rank."""
    named = []
    for document, grade in ranking.missing:
        if document not in ranking.deeper and ranking.settings.gains[grade] == gain:
            named.append((document, grade))
    return named


def _highest_grade(ranking: ScoredRanking, gain: float) -> float:
    """Return the highest grade among the judged documents with a gain."""
    gains = ranking.settings.gains
    return max(grade for grade in ranking.graded.judged if gains[grade] == gain)
