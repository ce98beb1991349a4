"""A ranking with grades in place of documents, its DCG and its ideal: what every measure of one query starts from.

The order of summation is part of the definition: one rank after the other, best first, always dividing by the discount.
That is what makes a perfect ranking score exactly 1.0 and what equals trec_eval to the last bit. `batch` and `gains`
compute the same with numpy; a change here needs the same change there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, truediv
from typing import NamedTuple

from .settings import Settings, discount_table


@dataclass(slots=True)
class GradedRanking:
    """A ranking as the measures see it: grades in place of documents.

    `grades`: the grade at each rank, best first; None for an unjudged result and for a later copy of a document.
    `repeated`: the 0-based indexes of those later copies.
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


def grade_ranking(ranking: Sequence[str], judgments: Mapping[str, float]) -> GradedRanking:
    """Look the documents of a ranking up in the judgments of its query (ids on both sides are text)."""
    grades: list[float | None] = list(map(judgments.get, ranking))
    judged = list(judgments.values())
    if len(set(ranking)) == len(ranking):
        return GradedRanking(grades, (), judged)
    seen: set[str] = set()
    repeated = []
    for index, document in enumerate(ranking):
        if document in seen:
            grades[index] = None
            repeated.append(index)
        seen.add(document)
    return GradedRanking(grades, tuple(repeated), judged)


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
        return [index for index, grade in enumerate(graded.grades) if grade is not None and grade >= 0]
    return [index for index, grade in enumerate(graded.grades) if grade is not None]


def dcg(grades: Sequence[float | None], settings: Settings, k: int | None = None) -> float:
    """Sum gain / discount over the first `k` ranks (all without `k`), one rank after the other."""
    if k is not None and k < len(grades):
        grades = grades[:k]
    gains = map(settings.gains.__getitem__, grades)
    # Not sum(): from Python 3.12 on it compensates, which is another order.
    return reduce(add, map(truediv, gains, discount_table(settings.discount, len(grades))), 0.0)


def dcg_terms(grades: Sequence[float | None], settings: Settings, k: int | None = None) -> list[Term]:
    """Give the summands of `dcg`, a row a rank; the last `total` is what `dcg` returns."""
    gains = settings.gains
    terms = []
    total = 0.0
    discounts = discount_table(settings.discount, len(grades))
    for rank, (grade, discount) in enumerate(zip(grades[:k], discounts, strict=False), start=1):
        gain = gains[grade]
        discounted = gain / discount
        total += discounted
        terms.append(Term(rank, grade, gain, discount, discounted, total))
    return terms


def ideal_grades(graded: GradedRanking, settings: Settings, k: int | None = None) -> list[float]:
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
        return sorted((grade for grade in pool if gains[grade] > 0), key=lambda grade: (gains[grade], grade))[::-1][:k]
    best = sorted(pool, reverse=True)
    if k is not None:
        del best[k:]
    if best and gains[best[0]] > 0 >= gains[best[-1]]:
        return [grade for grade in best if gains[grade] > 0]
    return best if best and gains[best[-1]] > 0 else []


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
