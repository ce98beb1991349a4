"""Compute the lowest and the highest nDCG over the orders of results with equal scores.

An engine may return results with equal scores in any order. Adjacent results with
exactly equal scores are tied. A result without a score is not tied with any other. If a
search sorts by further keys and returns their values, results are tied only if all
these values are equal, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .ndcg import GradedRanking, grade_passages, ndcg, skips_unjudged
from .settings import Settings


@dataclass(frozen=True, slots=True)
class TieInterval:
    """The least and the greatest nDCG@k over the orders of tied results.

    `may_go_on`: the last result that was returned is tied, and the search may have had
    more results. So the true interval may be wider.
    """

    least: float
    greatest: float
    may_go_on: bool = False


def tied_groups(
    scores: Sequence[float | None], sort_values: Sequence[object] = ()
) -> list[range]:
    """Return the indexes (from 0) of the results that are tied, group by group.

    `sort_values`: the values of the sort keys of each result, or none.
    """

    def are_tied(one: int, other: int) -> bool:
        if scores[one] is None or scores[one] != scores[other]:
            return False
        return not sort_values or sort_values[one] == sort_values[other]

    groups = []
    start = 0
    for end in range(1, len(scores) + 1):
        if end < len(scores) and are_tied(start, end):
            continue
        if end - start > 1:
            groups.append(range(start, end))
        start = end
    return groups


def untied_indexes(
    scores: Sequence[float | None], sort_values: Sequence[object]
) -> list[int]:
    """Return the indexes (from 0) of results that would be tied by their scores alone.

    Such a result has the same score as the result before, and another sort value.

    `sort_values`: the values of the sort keys of each result, or none at all.
    """
    if not sort_values:
        return []
    found = []
    for index in range(1, len(scores)):
        has_same_score = (
            scores[index] is not None and scores[index] == scores[index - 1]
        )
        if has_same_score and sort_values[index] != sort_values[index - 1]:
            found.append(index)
    return found


def tie_interval(
    graded: GradedRanking,
    scores: Sequence[float | None],
    k: int,
    settings: Settings,
    *,
    sort_values: Sequence[object] = (),
    has_more: bool = False,
) -> TieInterval | None:
    """Return the least and the greatest nDCG@k over the orders of tied results.

    None if no results are tied, or if the score is not defined. None also with
    `ideal="returned"`: this ideal changes with the results that the cutoff leaves out.

    Within each group of tied results, those with the lowest gains come first for the
    least nDCG, and those with the highest gains for the greatest. Unjudged results have
    no gain. If passages were judged, the gain of a result is the sum over the passages
    that it holds. If several results of a group hold one passage, an order may exist
    whose nDCG is beyond these ends. The nDCG of the present order never is.

    `scores`: the score of the search for each result; None for a result without one.
    `sort_values`: the values of the sort keys of each result, or none at all.
    `has_more`: whether the search may have had more results than it returned.

    Raises ValueError if a grade has no gain under these settings. With `ideal="max"`
    also if a grade is above `max_grade`, or if passages were judged.
    """
    if settings.ideal == "returned":
        return None
    groups = tied_groups(scores, sort_values)
    # If unjudged results are left out, results below k move up.
    if not skips_unjudged(graded, settings):
        groups = [group for group in groups if group.start < k]
    if not groups:
        return None
    gains = _gains_of_results(graded, settings)
    least = ndcg(_ordered(graded, groups, gains.__getitem__), settings, k)
    greatest = ndcg(_ordered(graded, groups, lambda index: -gains[index]), settings, k)
    if math.isnan(least):
        return None
    if graded.held:
        present = ndcg(graded, settings, k)
        least, greatest = min(least, present), max(greatest, present)
    is_last_tied = groups[-1].stop == len(scores)
    return TieInterval(least, greatest, may_go_on=has_more and is_last_tied)


def _gains_of_results(graded: GradedRanking, settings: Settings) -> list[float]:
    """Return the gain of each result; of a result with passages, the sum of theirs."""
    gains = settings.gains
    if not graded.held:
        return [gains[grade] for grade in graded.grades]
    sums = []
    for held in graded.held:
        sums.append(sum(gains[graded.judged[passage]] for passage in held))
    return sums


def _ordered(
    graded: GradedRanking, groups: Sequence[range], order: Callable[[int], float]
) -> GradedRanking:
    """Return the ranking with each group sorted by `order`, ascending.

    `order`: takes the index (from 0) of a result.
    """
    indexes = list(range(len(graded.grades)))
    for group in groups:
        indexes[group.start : group.stop] = sorted(group, key=order)
    if graded.held:
        held = [graded.held[index] for index in indexes]
        return grade_passages(held, graded.judged)
    grades = [graded.grades[index] for index in indexes]
    return GradedRanking(grades=grades, repeated=(), judged=graded.judged)
