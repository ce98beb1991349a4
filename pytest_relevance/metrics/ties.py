"""Compute the lowest and the highest nDCG over the orders of results with equal scores.

An engine may return results with equal scores in any order. Adjacent results with
exactly equal scores are tied. A result without a score is not tied with any other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from .ndcg import GradedRanking, ndcg
from .settings import Settings


def tied_groups(scores: Sequence[float | None]) -> list[range]:
    """Return the groups of adjacent results with equal scores, as indexes from 0."""
    groups = []
    start = 0
    for end in range(1, len(scores) + 1):
        is_tied = end < len(scores) and scores[end] == scores[start]
        if is_tied and scores[start] is not None:
            continue
        if end - start > 1:
            groups.append(range(start, end))
        start = end
    return groups


def tie_interval(
    graded: GradedRanking,
    scores: Sequence[float | None],
    k: int,
    settings: Settings,
) -> tuple[float, float] | None:
    """Return the least and the greatest nDCG@k over the orders of tied results.

    Within each group the results are sorted by their gains: the lowest first for the
    least nDCG, the highest first for the greatest. Unjudged results have no gain.

    None if there is only one order, or if the score is not defined. None also with
    `ideal="returned"`, because that ideal changes with the results that the cutoff
    leaves out.

    `scores`: the score of the search for each result; None for a result without one.
    """
    if settings.ideal == "returned":
        return None
    groups = tied_groups(scores)
    if settings.unjudged == "zero":  # else unjudged results give way to those below k
        groups = [group for group in groups if group.start < k]
    if not groups:
        return None
    gains = settings.gains
    least = ndcg(_ordered(graded, groups, gains.__getitem__), settings, k)
    greatest = ndcg(_ordered(graded, groups, lambda grade: -gains[grade]), settings, k)
    if math.isnan(least):
        return None
    return least, greatest


def _ordered(
    graded: GradedRanking,
    groups: Sequence[range],
    order: Callable[[float | None], float],
) -> GradedRanking:
    """Return the ranking with the grades of each group sorted by `order`, ascending."""
    grades = list(graded.grades)
    for group in groups:
        tied = slice(group.start, group.stop)
        grades[tied] = sorted(grades[tied], key=order)
    return GradedRanking(grades=grades, repeated=(), judged=graded.judged)
