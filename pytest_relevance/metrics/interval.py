"""The interval of nDCG that the unjudged results leave open; it is reported with every score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from .graded import GradedRanking, dcg, ideal_grades, ndcg
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
    """Give the least and the greatest nDCG@k that the unjudged results in the top k leave open.

    Each of these u results may have any grade from `lowest` to `highest` of the scale. The lower end is the least nDCG
    over j = 0..u when the j deepest of them have the highest grade and the others the lowest, the ideal recomputed with
    these judgments: no other grading gives less. The upper end is min(1, DCG with all of them at the highest grade /
    the present ideal DCG): some grading may reach it, none exceeds it. Where negative grades make that DCG negative, it
    is divided by the ideal DCG with all of them at the highest grade, as a larger ideal then brings nDCG nearer to 0.
    Highest and lowest are determined by gain, where a mapping of gains does not rise with the grades. The interval
    contains the score: where the lowest grade has a gain of its own, the lower end is the score, in which an unjudged
    result has none.

    Both ends are the score itself when u is 0 and for `ideal` and `unjudged` other than "judged" and "zero", where
    nothing of the kind is defined; both are NaN (0.0 with `undefined="zero"`) when the present ideal DCG is 0. A later
    copy of a document is not an unjudged result, nor is a document with a negative grade, whatever `negative` says.
    `present` is the score, for a caller who knows it already.
    """
    if present is None:
        present = ndcg(graded, settings, k)
    if present != present and settings.undefined == "zero":
        present = 0.0
    grades = graded.grades[:k]
    later_copies = set(graded.repeated)
    holes = [index for index, grade in enumerate(grades) if grade is None and index not in later_copies]
    if not holes or settings.ideal != "judged" or settings.unjudged != "zero":
        return present, present
    ideal = ideal_grades(graded, settings, k)
    if not ideal:
        return present, present

    if not settings.increasing:
        lowest, highest = _by_gain(lowest, highest, settings)
    filled = list(grades)
    for index in holes:
        filled[index] = highest
    best = dcg(filled, settings)
    if best < 0:
        ideal_at_best = ideal_grades(GradedRanking(filled, (), [*graded.judged, *[highest] * len(holes)]), settings, k)
        upper = best / dcg(ideal_at_best, settings)
    else:
        upper = min(1.0, best / dcg(ideal, settings))

    deepest = _worst_count(grades, holes, ideal, k, lowest, highest, settings)
    hypothetical = [lowest] * (len(holes) - deepest) + [highest] * deepest
    for index, grade in zip(holes, hypothetical, strict=True):
        filled[index] = grade
    # The one that was found is computed as every score is, so that the ends compare exactly with floors and scores.
    lower = dcg(filled, settings) / dcg(
        ideal_grades(GradedRanking(filled, (), [*graded.judged, *hypothetical]), settings, k), settings
    )
    return min(lower, present), max(upper, present)


def _by_gain(lowest: float, highest: float, settings: Settings) -> tuple[float, float]:
    """Find the grades of a scale with the least and the greatest gain, where a mapping gives the gains."""
    assert not isinstance(settings.gain, str)
    grades = [lowest, *(grade for grade in settings.gain if lowest < grade < highest), highest]
    return min(grades, key=settings.gains.__getitem__), max(grades, key=settings.gains.__getitem__)


@lru_cache(maxsize=64)
def _sums(discount: str, ranks: int) -> list[float]:
    """The sums of 1 / discount over the first 0, 1, ... `ranks` ranks."""
    return [0.0, *accumulate(1.0 / value for value in discount_table(discount, ranks)[:ranks])]


def _worst_count(
    grades: Sequence[float | None],
    holes: Sequence[int],
    ideal: Sequence[float],
    k: int | None,
    lowest: float,
    highest: float,
    settings: Settings,
) -> int:
    """Find how many of the deepest holes at the highest grade make nDCG least.

    Every candidate differs from the one before in one hole, and its ideal is a list of equal gains in runs: with prefix
    sums of 1 / discount each candidate costs a step for each different gain, not a step for each rank.
    """
    gains = settings.gains
    low, high = gains[lowest], gains[highest]
    length = len(ideal) + len(holes) if k is None else k
    discounts = discount_table(settings.discount, max(length, len(grades)))
    prefix = _sums(settings.discount, length)

    counts = dict.fromkeys((low, high), 0)
    for grade in ideal:
        counts[gains[grade]] = counts.get(gains[grade], 0) + 1
    runs = [(gain, counts[gain]) for gain in sorted(counts, reverse=True) if gain > 0]

    numerator = dcg(grades, settings) + sum(low / discounts[index] for index in holes)
    least, found = math.inf, 0
    for deepest in range(len(holes) + 1):
        if deepest:
            numerator += (high - low) / discounts[holes[-deepest]]
        denominator = 0.0
        rank = 0
        for gain, count in runs:
            if gain == high:
                count += deepest
            if gain == low:
                count += len(holes) - deepest
            end = min(rank + count, length)
            denominator += gain * (prefix[end] - prefix[rank])
            rank = end
            if rank == length:
                break
        value = numerator / denominator
        if value < least:
            least, found = value, deepest
    return found
