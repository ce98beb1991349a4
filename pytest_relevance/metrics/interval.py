"""Compute the lowest and the highest nDCG that unjudged results of a ranking allow."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from .ndcg import GradedRanking, dcg, ideal_grades, ndcg
from .settings import Settings, discount_table


def interval(
    graded: GradedRanking,
    k: int | None,
    lowest: float,
    highest: float,
    settings: Settings,
    *,
    present: float | None = None,
) -> tuple[float, float]:
    """Return the lowest and the highest nDCG@k that the unjudged results allow.

    Each unjudged result in the top k may have any grade from `lowest` to `highest` of
    the scale. Later copies of a document, and documents with a negative grade, are not
    unjudged results, whatever `negative` is.

    The lower end is the least nDCG@k that grades of the unjudged results give. The
    upper end is a bound: no grades exceed it, and perhaps none reach it. `_OpenRanking`
    says how both are found. The interval always contains the present nDCG@k, in which
    an unjudged result has no gain.

    Both ends are the present nDCG@k if there are no unjudged results, with `ideal`
    other than "judged", and with `unjudged` other than "zero". Both are NaN (0.0 with
    `undefined="zero"`) if the present ideal DCG is 0.

    `present`: the present nDCG@k, if the caller knows it already.

    Raises ValueError if a grade has no gain under these settings. With `ideal` other
    than "judged" also if passages were judged, or with "max" if a grade is above
    `max_grade`.
    """
    if present is None:
        present = ndcg(graded, settings, k)
    if math.isnan(present) and settings.undefined == "zero":
        present = 0.0
    if settings.ideal != "judged" or settings.unjudged != "zero":
        return present, present
    unjudged = unjudged_indexes(graded, k)
    ideal = ideal_grades(graded, settings, k)
    if not unjudged or not ideal:
        return present, present
    if not settings.increasing:
        lowest, highest = _by_gain(lowest, highest, settings)
    ranking = _OpenRanking(
        graded=graded,
        unjudged=unjudged,
        ideal=ideal,
        k=k,
        lowest=lowest,
        highest=highest,
        settings=settings,
    )
    lower = min(ranking.least_ndcg(), present)
    upper = max(min(1.0, ranking.upper_bound()), present)
    return lower, upper


def unjudged_indexes(graded: GradedRanking, k: int | None) -> list[int]:
    """Return the indexes (from 0) of the unjudged results in the top k.

    Later copies of a result are left out.
    """
    indexes = []
    for index, grade in enumerate(graded.grades[:k]):
        if grade is None and index not in graded.repeated:
            indexes.append(index)
    return indexes


def _by_gain(lowest: float, highest: float, settings: Settings) -> tuple[float, float]:
    """Return the two grades from `lowest` to `highest` with the least and most gain.

    `settings`: with a mapping as its gain, which need not rise with the grades.
    """
    assert not isinstance(settings.gain, str)
    grades = [lowest]
    for grade in settings.gain:
        if lowest < grade < highest:
            grades.append(grade)
    grades.append(highest)
    gain_of = settings.gains.__getitem__
    return min(grades, key=gain_of), max(grades, key=gain_of)


@dataclass(frozen=True, slots=True)
class _OpenRanking:
    """A ranking with unjudged results in its top k.

    `unjudged`: the indexes (from 0) of the unjudged results in the top k, without
        later copies.
    `ideal`: the grades of the present ideal ranking.
    `lowest`, `highest`: the grades with the least and the greatest gain that an
        unjudged result may have.
    """

    graded: GradedRanking
    unjudged: Sequence[int]
    ideal: Sequence[float]
    k: int | None
    lowest: float
    highest: float
    settings: Settings

    def upper_bound(self) -> float:
        """Return a bound that no nDCG@k exceeds.

        It is the DCG@k with the highest grade for all unjudged results, divided by the
        present ideal DCG@k. A negative DCG is divided by the ideal DCG that has the new
        grades too, because a larger ideal brings nDCG nearer to 0.
        """
        filled = self._filled([self.highest] * len(self.unjudged))
        best = dcg(filled.grades, self.settings)
        ideal = self.ideal
        if best < 0:
            ideal = ideal_grades(filled, self.settings, self.k)
        return best / dcg(ideal, self.settings)

    def least_ndcg(self) -> float:
        """Return the least nDCG@k over all grades of the unjudged results.

        For n = 0, 1, ... the n deepest unjudged results get the highest grade, and the
        others the lowest. The ideal ranking has these grades too. The least of these
        nDCGs is the least over all grades.
        """
        dcgs = self._dcgs_by_deepest()
        ideals = self._ideals_by_deepest()
        candidates = [found / best for found, best in zip(dcgs, ideals, strict=True)]
        deepest = candidates.index(min(candidates))
        # Computed again as every score is, so that it compares exactly with floors.
        others = len(self.unjudged) - deepest
        worst = self._filled([self.lowest] * others + [self.highest] * deepest)
        return ndcg(worst, self.settings, self.k)

    def _filled(self, grades: Sequence[float]) -> GradedRanking:
        """Return the top k, in which the unjudged results have these grades.

        `grades`: for each unjudged result, from rank 1 down.
        """
        filled = self.graded.grades[: self.k]
        for index, grade in zip(self.unjudged, grades, strict=True):
            filled[index] = grade
        return GradedRanking(
            grades=filled, repeated=(), judged=[*self.graded.judged, *grades]
        )

    def _dcgs_by_deepest(self) -> list[float]:
        """Return a DCG@k for each n from 0 to the number of unjudged results.

        The n deepest unjudged results have the highest grade, the others the lowest.
        """
        top = self.graded.grades[: self.k]
        low = self.settings.gains[self.lowest]
        high = self.settings.gains[self.highest]
        discounts = discount_table(self.settings.discount, len(top))
        total = dcg(top, self.settings)
        for index in self.unjudged:
            total += low / discounts[index]
        totals = [total]
        for index in reversed(self.unjudged):
            total += (high - low) / discounts[index]
            totals.append(total)
        return totals

    def _ideals_by_deepest(self) -> list[float]:
        """Return an ideal DCG@k for each n from 0 to the number of unjudged results.

        n unjudged results have the highest grade, the others the lowest. For example,
        the judged gains are 3 and 1, the lowest gain is 0, the highest is 3,
        and two results are unjudged. The ideal rankings have the gains

        - n = 0: 3, 1, 0, 0
        - n = 1: 3, 3, 1, 0
        - n = 2: 3, 3, 3, 1

        Results with equal gains are added at once. So a ranking with thousands of
        unjudged results needs no sorting for each n.
        """
        low = self.settings.gains[self.lowest]
        high = self.settings.gains[self.highest]
        unjudged = len(self.unjudged)
        judged = Counter(self.settings.gains[grade] for grade in self.ideal)
        ranks = len(self.ideal) + unjudged if self.k is None else self.k
        sums = _sums_of_reciprocals(self.settings.discount, ranks)
        totals = []
        for deepest in range(unjudged + 1):
            counts = judged.copy()
            counts[high] += deepest
            counts[low] += unjudged - deepest
            totals.append(_best_dcg(counts, sums))
        return totals


def _best_dcg(counts: Mapping[float, int], sums: Sequence[float]) -> float:
    """Return the DCG of results in the best order. Gains below 0 are left out.

    `counts`: {gain: the number of results that have it}.
    `sums`: the sums of 1 / discount over the first 0, 1, ... ranks that count.
    """
    last = len(sums) - 1
    total = 0.0
    rank = 0
    for gain in sorted(counts, reverse=True):
        if gain > 0:
            end = min(rank + counts[gain], last)
            total += gain * (sums[end] - sums[rank])
            rank = end
    return total


@lru_cache(maxsize=64)
def _sums_of_reciprocals(discount: str, ranks: int) -> list[float]:
    """Return the sums of 1 / discount over the first 0, 1, ..., `ranks` ranks."""
    discounts = discount_table(discount, ranks)[:ranks]
    return list(accumulate((1.0 / value for value in discounts), initial=0.0))
