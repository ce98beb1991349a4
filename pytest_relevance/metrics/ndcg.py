"""Compute DCG and nDCG of a ranking.

The documents are looked up first, so that a ranking is a list of grades. The other
measures are in `formulas`.

The order of summation is part of the definition: rank after rank, best first, always
dividing by the discount. So a perfect ranking scores exactly 1.0, and every score
equals trec_eval's to the last bit. `matrix` and script/metrics.js of the HTML page
compute the same; a change here needs the same change there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .settings import Settings, discount_table

Held = Sequence[Sequence[int]]
"""For each result of a ranking, the indexes (from 0) of the passages that it holds."""


@dataclass(slots=True)
class GradedRanking:
    """A ranking as the measures see it: grades in place of documents.

    `grades`: the grade at each rank, best first. None for an unjudged result and for a
    later copy of a document.
    `repeated`: the indexes (from 0) of the later copies.
    `judged`: the grades of all judged documents of the query, returned or not, in any
    order.

    If passages were judged in place of documents (`grade_passages`):

    `found`: for each result, the grades of the passages that are found at it, which
    means that no earlier result holds them. Empty if documents were judged.
    `lengths`: the number of characters of each text.
    `held`: for each result, the indexes (from 0) in `judged` of the passages that it
        holds, also of those that earlier results hold.
    `grades`: the highest grade that is found at each result; 0 for a result that holds
    no passage. None for a repeat: a result that holds only passages that were found
    above.
    `judged`: the grades of all passages, found or not.
    """

    grades: list[float | None]
    repeated: tuple[int, ...]
    judged: Sequence[float]
    found: Sequence[Sequence[float]] = ()
    lengths: Sequence[int] = ()
    held: Held = ()


@dataclass(frozen=True, slots=True)
class Term:
    """One summand of a DCG.

    `rank`: from 1.
    `grade`: None for an unjudged result.
    `discounted`: gain / discount.
    `total`: the sum of `discounted` up to this rank.
    """

    rank: int
    grade: float | None
    gain: float
    discount: float
    discounted: float
    total: float


def grade_ranking(
    ranking: Sequence[str], judgments: Mapping[str, float]
) -> GradedRanking:
    """Return a ranking with the grade of each document, from {document: grade}."""
    grades = list(map(judgments.get, ranking))
    repeated = repeated_indexes(ranking)
    for index in repeated:
        grades[index] = None
    return GradedRanking(
        grades=grades, repeated=repeated, judged=list(judgments.values())
    )


def grade_passages(
    held: Held,
    grades: Sequence[float],
    lengths: Sequence[int] = (),
) -> GradedRanking:
    """Return a ranking with the grades of the passages that are found at each rank.

    A passage is found at the first result that holds it.

    `held`: for each result, the indexes (from 0) of the passages that it holds. Indexes
        beyond `grades` do not count: they are of texts without a grade.
    `grades`: the grade of each passage.
    `lengths`: the number of characters of each result.
    """
    seen: set[int] = set()
    found: list[list[float]] = []
    highest: list[float | None] = []
    repeated = []
    graded: list[list[int]] = []
    for index, all_held in enumerate(held):
        passages = [passage for passage in all_held if passage < len(grades)]
        graded.append(passages)
        new = [grades[passage] for passage in passages if passage not in seen]
        seen.update(passages)
        found.append(new)
        if new:
            highest.append(max(new))
        elif passages:
            highest.append(None)
            repeated.append(index)
        else:
            highest.append(0.0)
    return GradedRanking(
        grades=highest,
        repeated=tuple(repeated),
        judged=grades,
        found=found,
        lengths=lengths,
        held=graded,
    )


def repeated_indexes(ranking: Sequence[str]) -> tuple[int, ...]:
    """Return the indexes (from 0) of the later copies of documents; () if there are
    none.
    """
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
    """Return the ranking without the later copies of documents."""
    return list(dict.fromkeys(ranking))


def skips_unjudged(graded: GradedRanking, settings: Settings) -> bool:
    """Say whether unjudged results are left out, so that later results move up.

    False if passages were judged: then no result is unjudged.
    """
    return settings.unjudged == "skip" and not graded.found


def scored_indexes(graded: GradedRanking, settings: Settings) -> Sequence[int]:
    """Return the indexes (from 0) of the results that are scored.

    With `unjudged="zero"` all results are scored. With "skip" the judged results are
    scored, but results with a grade below 0 only with `negative="keep"`. If passages
    were judged, no result is unjudged, and all results are scored.
    """
    if not skips_unjudged(graded, settings):
        return range(len(graded.grades))
    indexes = []
    for index, grade in enumerate(graded.grades):
        if grade is None:
            continue
        if grade >= 0 or settings.negative == "keep":
            indexes.append(index)
    return indexes


def scored_grades(graded: GradedRanking, settings: Settings) -> list[float | None]:
    """Return the grades that are scored, best rank first.

    Do not change the list: it may be `graded.grades` itself.
    """
    if not skips_unjudged(graded, settings):
        return graded.grades
    return [graded.grades[index] for index in scored_indexes(graded, settings)]


def dcg(
    grades: Sequence[float | None], settings: Settings, k: int | None = None
) -> float:
    """Return the DCG: the sum of gain / discount over the first `k` ranks, or all."""
    if k is not None:
        grades = grades[:k]
    gains = settings.gains
    discounts = discount_table(settings.discount, len(grades))
    # Not by sum(): from Python 3.12 on it compensates for rounding.
    total = 0.0
    for grade, discount in zip(grades, discounts, strict=False):
        total += gains[grade] / discount
    return total


def dcg_of(graded: GradedRanking, settings: Settings, k: int | None = None) -> float:
    """Return the DCG of the first `k` ranks, or of all.

    If passages were judged, each found passage adds its gain at its rank. One result
    may hold many passages. So the DCG is limited: it is at most the DCG of the found
    passages placed one a rank, best first, cut at k. Then it is never above the DCG of
    the ideal ranking.
    """
    if not graded.found:
        return dcg(scored_grades(graded, settings), settings, k)
    one_a_rank = best_first(returned_grades(graded, k), settings, k)
    return min(_sum_of_passages(graded, settings, k), dcg(one_a_rank, settings))


def _sum_of_passages(graded: GradedRanking, settings: Settings, k: int | None) -> float:
    """Return the sum of gain / discount over the passages found in the top k."""
    gains = settings.gains
    top = graded.found[:k]
    discounts = discount_table(settings.discount, len(top))
    total = 0.0
    for grades, discount in zip(top, discounts, strict=False):
        for grade in grades:
            total += gains[grade] / discount
    return total


def added_by_passages(
    graded: GradedRanking, settings: Settings, k: int | None = None
) -> dict[int, float]:
    """Return {passage: by how much it raises the DCG}, for those found in the top k.

    A passage is its index (from 0) in `graded.judged`. The passages are added rank by
    rank, and within a rank the highest gain first. The values add up to the DCG, with
    the limit that `dcg_of` describes.
    """
    added: dict[int, float] = {}
    grades: list[float] = []
    total = before = 0.0
    top = graded.held[:k]
    discounts = discount_table(settings.discount, len(top))
    for held, discount in zip(top, discounts, strict=False):
        gains = {index: settings.gains[graded.judged[index]] for index in held}
        for index in sorted(held, key=gains.__getitem__, reverse=True):
            if index in added:
                continue
            total += gains[index] / discount
            grades.append(graded.judged[index])
            limit = dcg(best_first(grades, settings, k), settings)
            added[index] = min(total, limit) - before
            before = min(total, limit)
    return added


def dcg_terms(
    grades: Sequence[float | None], settings: Settings, k: int | None = None
) -> list[Term]:
    """Return the summands of a DCG, one for each rank. The last `total` is the DCG."""
    top = grades[:k]
    discounts = discount_table(settings.discount, len(top))
    total = 0.0
    terms = []
    for index, grade in enumerate(top):
        gain = settings.gains[grade]
        discounted = gain / discounts[index]
        total += discounted
        terms.append(
            Term(
                rank=index + 1,
                grade=grade,
                gain=gain,
                discount=discounts[index],
                discounted=discounted,
                total=total,
            )
        )
    return terms


def terms_of_ranking(
    graded: GradedRanking, settings: Settings, k: int | None = None
) -> list[Term]:
    """Return the summands of the DCG of a ranking, one for each scored result.

    If passages were judged, the gain of a rank is the sum over the passages that are
    found there, and the grade is the highest of theirs. `total` is the DCG down to the
    rank, with the limit that `dcg_of` describes.
    """
    if not graded.found:
        return dcg_terms(scored_grades(graded, settings), settings, k)
    top = graded.found[:k]
    discounts = discount_table(settings.discount, len(top))
    terms = []
    total = 0.0
    for index, grades in enumerate(top):
        gain = 0.0
        for grade in grades:
            gain += settings.gains[grade]
            total += settings.gains[grade] / discounts[index]
        one_a_rank = best_first(returned_grades(graded, index + 1), settings, k)
        terms.append(
            Term(
                rank=index + 1,
                grade=graded.grades[index],
                gain=gain,
                discount=discounts[index],
                discounted=gain / discounts[index],
                total=min(total, dcg(one_a_rank, settings)),
            )
        )
    return terms


def discounted_gains(grades: Sequence[float | None], settings: Settings) -> list[float]:
    """Return gain / discount at each rank."""
    return [term.discounted for term in dcg_terms(grades, settings)]


def ideal_grades(
    graded: GradedRanking, settings: Settings, k: int | None = None
) -> list[float]:
    """Return the grades of the ideal ranking, best first, at most `k`.

    Grades without a gain above 0 are left out.

    `ideal="judged"`: all judgments of the query, as in trec_eval. `ideal="returned"`:
    all results of the ranking, also below k, as in scikit-learn. `ideal="max"`: the
    highest grade at each of `k` ranks. Without `k` there are as many ranks as different
    results, or with `unjudged="skip"` as judged results.

    Raises ValueError if passages were judged, and `ideal` is "returned" or "max". These
    ideals grow with what the results hold. So a ranking that finds one passage more
    might score lower.
    """
    if graded.found and settings.ideal != "judged":
        raise ValueError(ideal_of_passages(settings.ideal))
    if settings.ideal == "max":
        return _highest_everywhere(graded, settings, k)
    pool: Iterable[float] = graded.judged
    if settings.ideal == "returned":
        pool = returned_grades(graded)
    return best_first(pool, settings, k)


def ideal_of_passages(ideal: str) -> str:
    """Return what is wrong with an `ideal` other than "judged" for passages."""
    return f"with passages the ideal ranking has all passages, one a rank; ideal is judged, not {ideal}"


def returned_grades(graded: GradedRanking, k: int | None = None) -> list[float]:
    """Return the grades of the judged results, or of the passages, in the top k."""
    if not graded.found:
        return [grade for grade in graded.grades[:k] if grade is not None]
    grades: list[float] = []
    for found in graded.found[:k]:
        grades += found
    return grades


def best_first(
    grades: Iterable[float], settings: Settings, k: int | None = None
) -> list[float]:
    """Return the grades with a gain above 0, the highest gain first, at most `k`."""
    gains = settings.gains
    if settings.increasing:
        ordered = sorted(grades, reverse=True)
    else:
        ordered = sorted(grades, key=lambda grade: (gains[grade], grade), reverse=True)
    best = ordered[:k]
    while best and gains[best[-1]] <= 0:
        best.pop()
    return best


def _highest_everywhere(
    graded: GradedRanking, settings: Settings, k: int | None
) -> list[float]:
    """Return the grades of the ideal ranking with `ideal="max"`, all the highest grade.

    [] if the highest grade has no gain.
    """
    top = highest_grade(graded, settings)
    if top is None or settings.gains[top] <= 0:
        return []
    if k is not None:
        return [top] * k
    results = len(scored_indexes(graded, settings))
    if not skips_unjudged(graded, settings):
        results -= len(graded.repeated)
    return [top] * results


def highest_grade(graded: GradedRanking, settings: Settings) -> float | None:
    """Return `max_grade` if the settings have one, else the highest judgment.

    None if there are no judgments either. Raises ValueError if a judgment is above
    `max_grade`.
    """
    highest = max(graded.judged, default=None)
    if settings.max_grade is None:
        return highest
    if highest is not None and highest > settings.max_grade:
        raise ValueError(f"grade {highest:g} is above max_grade {settings.max_grade:g}")
    return settings.max_grade


def has_gain_at(graded: GradedRanking, index: int, settings: Settings) -> bool:
    """Say whether the result at an index (from 0) has a gain above 0."""
    if graded.found:
        return any(settings.gains[grade] > 0 for grade in graded.found[index])
    grade = graded.grades[index]
    return grade is not None and settings.gains[grade] > 0


def has_gain(graded: GradedRanking, settings: Settings) -> bool:
    """Say whether a judged document has a gain above 0. If not, nDCG is not defined."""
    gains = settings.gains
    if settings.increasing:
        return bool(graded.judged) and gains[max(graded.judged)] > 0
    return any(gains[grade] > 0 for grade in graded.judged)


def ndcg(graded: GradedRanking, settings: Settings, k: int | None = None) -> float:
    """Return nDCG: the DCG divided by the DCG of the ideal ranking (`ideal_grades`).

    NaN if no judged document has a gain above 0. With `ideal="returned"` or "max", 0.0
    if a judged document has a gain, and no returned document has one.

    Source: Järvelin & Kekäläinen 2002. trec_eval's ndcg has gain "linear",
    `negative="zero"` and `undefined="zero"`.

    Raises:
        ValueError: a grade has no gain under these settings, or with `ideal="max"` it
            is above `max_grade`, or `ideal_grades` raises.
    """
    ideal = ideal_grades(graded, settings, k)
    if settings.ideal == "judged":
        if not ideal:
            return math.nan
    elif not has_gain(graded, settings):
        return math.nan
    elif not ideal:
        return 0.0
    return dcg_of(graded, settings, k) / dcg(ideal, settings)
