"""A ranking with grades in place of documents: its DCG, its ideal, its nDCG and the interval of its nDCG.

All other measures of such a ranking are in `measures`.

The order of summation is part of the definition: one rank after the other, best first, always dividing by the discount.
That makes a perfect ranking score exactly 1.0, and every score equal trec_eval's to the last bit. `batch` and `hits`
compute the same with numpy; a change here needs the same change there.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from operator import truediv
from typing import NamedTuple

from .settings import Settings, discount_table

Scale = tuple[float, float]
"""The grades that a document may have: the lowest and the highest."""


@dataclass(slots=True)
class GradedRanking:
    """A ranking as the measures see it: grades in place of documents.

    `grades`: the grade at each rank, best first; None for an unjudged result and for a later copy of a document.
    `repeated`: the 0-based indexes of the later copies.
    `judged`: the grades of all judgments of the query, in any order, whether returned or not.
    """

    grades: list[float | None]
    repeated: tuple[int, ...]
    judged: Sequence[float]


class Term(NamedTuple):
    """One summand of a DCG: at `rank` (1-based) the `gain`, the `discount`, their quotient and the sum so far."""

    rank: int
    grade: float | None
    gain: float
    discount: float
    discounted: float
    total: float


def grade_ranking(
    ranking: Sequence[str], judgments: Mapping[str, float]
) -> GradedRanking:
    """Look the documents of a ranking up in the judgments of its query (ids on both sides are text)."""
    grades: list[float | None] = list(map(judgments.get, ranking))
    judged = list(judgments.values())
    repeated = repeated_indexes(ranking)
    for index in repeated:
        grades[index] = None
    return GradedRanking(grades, repeated, judged)


def repeated_indexes(ranking: Sequence[str]) -> tuple[int, ...]:
    """Give the 0-based indexes of the later copies of documents."""
    if len(set(ranking)) == len(ranking):
        return ()
    seen: set[str] = set()
    repeated = []
    for index, document in enumerate(ranking):
        if document in seen:
            repeated.append(index)
        seen.add(document)
    return tuple(repeated)


def without_copies(ranking: Sequence[str]) -> Sequence[str]:
    """Leave out the later copies of documents: the ranks below them close up."""
    return [*dict.fromkeys(ranking)]


def scored_grades(graded: GradedRanking, settings: Settings) -> list[float | None]:
    """Give the grades that are scored, in rank order: all results, or the judged ones with `unjudged="skip"`.

    Read only: it may be the ranking's own list.
    """
    if settings.unjudged == "zero":
        return graded.grades
    return [graded.grades[index] for index in scored_indexes(graded, settings)]


def scored_indexes(graded: GradedRanking, settings: Settings) -> Sequence[int]:
    """Give the 0-based index in the ranking of each result that `scored_grades` gives the grade of."""
    if settings.unjudged == "zero":
        return range(len(graded.grades))
    if settings.negative == "zero":
        return [
            index
            for index, grade in enumerate(graded.grades)
            if grade is not None and grade >= 0
        ]
    return [index for index, grade in enumerate(graded.grades) if grade is not None]


def dcg(
    grades: Sequence[float | None], settings: Settings, k: int | None = None
) -> float:
    """Sum gain / discount over the first `k` ranks (all without `k`), one rank after the other."""
    if k is not None and k < len(grades):
        grades = grades[:k]
    gains = settings.gains
    total = 0.0  # not by sum(): from Python 3.12 on it compensates for rounding, and gives other last bits
    for grade, discount in zip(
        grades, discount_table(settings.discount, len(grades)), strict=False
    ):
        total += gains[grade] / discount
    return total


def dcg_terms(
    grades: Sequence[float | None], settings: Settings, k: int | None = None
) -> list[Term]:
    """Give the summands of `dcg`, one for each rank; the last `total` is what `dcg` returns."""
    total, grades = 0.0, grades[:k]
    terms: list[Term] = []
    discounts = discount_table(settings.discount, len(grades))
    for grade, discount, discounted in zip(
        grades, discounts, discounted_gains(grades, settings), strict=False
    ):
        total += discounted
        terms.append(
            Term(
                len(terms) + 1,
                grade,
                settings.gains[grade],
                discount,
                discounted,
                total,
            )
        )
    return terms


def discounted_gains(grades: Sequence[float | None], settings: Settings) -> list[float]:
    """Give gain / discount of each rank."""
    return [
        *map(
            truediv,
            map(settings.gains.__getitem__, grades),
            discount_table(settings.discount, len(grades)),
        )
    ]


def ideal_grades(
    graded: GradedRanking, settings: Settings, k: int | None = None
) -> list[float]:
    """Give the grades of the ideal ranking, best first, cut at `k`; documents without a gain above 0 are left out.

    `ideal="judged"`: all judgments of the query (trec_eval). "returned": the whole ranking as it was passed (as
    scikit-learn does), before the cutoff. "max": `max_grade` at each of `k` ranks, or without `k` at as many as there
    are scored results: all distinct ones, or the judged ones with `unjudged="skip"`.
    """
    gains = settings.gains
    if settings.ideal == "max":
        top = highest_grade(graded, settings)
        if top is None or gains[top] <= 0:
            return []
        scored = len(scored_indexes(graded, settings))
        if settings.unjudged == "zero":
            scored -= len(graded.repeated)
        return [top] * (scored if k is None else k)
    pool: Iterable[float] = graded.judged
    if settings.ideal == "returned":
        pool = [grade for grade in graded.grades if grade is not None]
    if not settings.increasing:
        return sorted(
            (grade for grade in pool if gains[grade] > 0),
            key=lambda grade: (gains[grade], grade),
        )[::-1][:k]
    best = sorted(pool, reverse=True)[:k]
    while best and gains[best[-1]] <= 0:
        best.pop()
    return best


def highest_grade(graded: GradedRanking, settings: Settings) -> float | None:
    """Give the top of the scale: `max_grade`, or the highest grade of the judgments; None when there are none.

    Raises ValueError where a judgment is above `max_grade`.
    """
    highest = max(graded.judged, default=None)
    if settings.max_grade is None:
        return highest
    if highest is not None and highest > settings.max_grade:
        raise ValueError(f"grade {highest:g} is above max_grade {settings.max_grade:g}")
    return settings.max_grade


def has_gain(graded: GradedRanking, settings: Settings) -> bool:
    """Say whether any judged document has a gain above 0: without one, nDCG is not defined."""
    gains = settings.gains
    if settings.increasing:
        return bool(graded.judged) and gains[max(graded.judged)] > 0
    return any(gains[grade] > 0 for grade in graded.judged)


def ndcg(graded: GradedRanking, settings: Settings, k: int | None = None) -> float:
    """Give DCG / DCG of the ideal ranking (Järvelin & Kekäläinen 2002); see `ideal_grades` for what is ideal.

    NaN exactly when no judged document has a gain above 0. With relevant documents, but an ideal list that is empty
    because nothing relevant was returned (`ideal` "returned" or "max"), it is 0.0: a search that returns only
    irrelevant documents has a defined score. trec_eval's ndcg: gain "linear", `negative="zero"` and `undefined="zero"`.

    Raises:
        ValueError: a grade has no gain under these settings, or is above `max_grade` with `ideal="max"`.
    """
    ideal = ideal_grades(graded, settings, k)
    if settings.ideal != "judged" and not has_gain(graded, settings):
        return math.nan
    if not ideal:
        return math.nan if settings.ideal == "judged" else 0.0
    return dcg(scored_grades(graded, settings), settings, k) / dcg(ideal, settings)


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
    contains the score. An unjudged result has no gain in the score; where the lowest grade has one, the lower end is
    the score itself.

    Both ends are the score itself when u is 0 and for `ideal` and `unjudged` other than "judged" and "zero", where
    nothing of the kind is defined; both are NaN (0.0 with `undefined="zero"`) when the present ideal DCG is 0. A later
    copy of a document is not an unjudged result, nor is a document with a negative grade, whatever `negative` says.
    `present` is the score, for a caller who knows it already.
    """
    if present is None:
        present = ndcg(graded, settings, k)
    if present != present and settings.undefined == "zero":
        present = 0.0
    later_copies = set(graded.repeated)
    grades = graded.grades[:k]
    holes = [
        index
        for index, grade in enumerate(grades)
        if grade is None and index not in later_copies
    ]
    if not holes or settings.ideal != "judged" or settings.unjudged != "zero":
        return present, present
    ideal = ideal_grades(graded, settings, k)
    if not ideal:
        return present, present
    scale = (
        (lowest, highest)
        if settings.increasing
        else _by_gain(lowest, highest, settings)
    )
    lower, upper = _interval_ends(graded, holes, ideal, k, scale, settings)
    return min(lower, present), max(min(1.0, upper), present)


def _interval_ends(
    graded: GradedRanking,
    holes: Sequence[int],
    ideal: Sequence[float],
    k: int | None,
    scale: Scale,
    settings: Settings,
) -> tuple[float, float]:
    """Give the least nDCG and an upper bound; `holes` are the indexes of the unjudged results."""
    lowest, highest = scale
    highest_everywhere = _fill(graded, holes, [highest] * len(holes), k)
    best = dcg(highest_everywhere.grades, settings)
    upper = best / dcg(
        ideal_grades(highest_everywhere, settings, k) if best < 0 else ideal, settings
    )

    numerators = _dcgs_by_deepest(graded.grades[:k], holes, scale, settings)
    denominators = _ideals_by_deepest(ideal, len(holes), k, scale, settings)
    candidates = list(map(truediv, numerators, denominators))
    deepest = candidates.index(min(candidates))
    # Computed again as every score is, so that the interval compares exactly with floors and scores.
    worst = _fill(
        graded, holes, [lowest] * (len(holes) - deepest) + [highest] * deepest, k
    )
    lower = dcg(worst.grades, settings) / dcg(
        ideal_grades(worst, settings, k), settings
    )
    return lower, upper


def _fill(
    graded: GradedRanking, holes: Sequence[int], filling: Sequence[float], k: int | None
) -> GradedRanking:
    """Give the top k as if its unjudged results, at the indexes `holes`, were judged with the grades `filling`."""
    filled = graded.grades[:k]
    for index, grade in zip(holes, filling, strict=True):
        filled[index] = grade
    return GradedRanking(filled, (), [*graded.judged, *filling])


def _by_gain(lowest: float, highest: float, settings: Settings) -> Scale:
    """Find the grades of a scale with the least and the greatest gain, where a mapping gives the gains."""
    assert not isinstance(settings.gain, str)
    grades = [
        lowest,
        *(grade for grade in settings.gain if lowest < grade < highest),
        highest,
    ]
    return min(grades, key=settings.gains.__getitem__), max(
        grades, key=settings.gains.__getitem__
    )


@lru_cache(maxsize=64)
def _sums(discount: str, ranks: int) -> list[float]:
    """The sums of 1 / discount over the first 0, 1, ... `ranks` ranks."""
    return [
        0.0,
        *accumulate(1.0 / value for value in discount_table(discount, ranks)[:ranks]),
    ]


def _dcgs_by_deepest(
    grades: Sequence[float | None],
    holes: Sequence[int],
    scale: Scale,
    settings: Settings,
) -> list[float]:
    """Give the DCG with the highest grade in the 0, 1, ... deepest holes, and the lowest grade in the others."""
    low, high = map(settings.gains.__getitem__, scale)
    discounts = discount_table(settings.discount, len(grades))
    first = dcg(grades, settings) + sum(low / discounts[index] for index in holes)
    return list(
        accumulate(
            [(high - low) / discounts[index] for index in reversed(holes)],
            initial=first,
        )
    )


def _ideals_by_deepest(
    ideal: Sequence[float], holes: int, k: int | None, scale: Scale, settings: Settings
) -> list[float]:
    """Give the ideal DCG when 0, 1, ... of the holes have the highest grade, and the others the lowest.

    Equal gains stand together in an ideal list: with prefix sums of 1 / discount each DCG costs a step for each
    different gain, not a step for each rank.
    """
    low, high = map(settings.gains.__getitem__, scale)
    length = len(ideal) + holes if k is None else k
    prefix = _sums(settings.discount, length)
    counts = dict.fromkeys((low, high), 0)
    for grade in ideal:
        counts[settings.gains[grade]] = counts.get(settings.gains[grade], 0) + 1
    levels = [(gain, counts[gain]) for gain in sorted(counts, reverse=True) if gain > 0]
    totals = []
    for deepest in range(holes + 1):
        total, rank = 0.0, 0
        for gain, count in levels:
            if gain == high:
                count += deepest
            if gain == low:
                count += holes - deepest
            end = min(rank + count, length)
            total += gain * (prefix[end] - prefix[rank])
            rank = end
            if rank == length:
                break
        totals.append(total)
    return totals
