"""The measures for one query, in plain Python: what an item of a test run and the breakdown of a query use.

`batch` computes the same measures over many queries and agrees with this module bit for bit; a property test holds the
two together. The order of summation is part of the definition (one rank after the other, best first, always dividing
by the discount): that is what makes a perfect ranking score exactly 1.0 and what equals trec_eval to the last bit. A
change here needs the same change in `batch`.

Conventions that every function shares:

- Relevant means grade >= `rel` of the metric. An unjudged result is not relevant and has no gain.
- A document that was returned twice counts at its first rank. The later copy keeps its rank, without gain; with
  `unjudged="skip"` it is left out together with the unjudged results, before any cutoff.
- With `negative="zero"` a negative grade has no gain and counts as unjudged for Judged, Bpref and `unjudged="skip"`.
- Where a measure is not defined the score is NaN, or 0.0 with `undefined="zero"`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .names import Metric
from .settings import Settings, discount_table

_NAN = math.nan


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


def score(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Score one ranking by one metric; NaN where the measure is not defined, or 0.0 with `undefined="zero"`."""
    value = SCORERS[metric.measure](metric, graded, settings)
    if value != value and settings.undefined == "zero":
        return 0.0
    return value


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
    gains = settings.gains
    if k is not None and k < len(grades):
        grades = grades[:k]
    total = 0.0
    for grade, discount in zip(grades, discount_table(settings.discount, len(grades)), strict=False):
        if grade is not None:
            total += gains[grade] / discount
    return total


def dcg_terms(grades: Sequence[float | None], settings: Settings, k: int | None = None) -> list[Term]:
    """Give the summands of `dcg`, a row a rank; the last `total` is what `dcg` returns."""
    gains = settings.gains
    terms = []
    total = 0.0
    discounts = discount_table(settings.discount, len(grades))
    for rank, (grade, discount) in enumerate(zip(grades[:k], discounts, strict=False), start=1):
        gain = 0.0 if grade is None else gains[grade]
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

    A judgment above `max_grade` is a ValueError.
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


def interval(
    graded: GradedRanking, k: int | None, lowest: float, highest: float, settings: Settings
) -> tuple[float, float]:
    """Give the least and the greatest nDCG@k that the unjudged results in the top k leave open.

    Each of these u results may have any grade from `lowest` to `highest` of the scale. The lower end is the least nDCG
    over j = 0..u when the j deepest of them have the highest grade and the others the lowest, the ideal recomputed with
    these judgments. The upper end is min(1, DCG with all of them at the highest grade / the present ideal DCG).

    Both ends are the score itself when u is 0 and for `ideal` and `unjudged` other than "judged" and "zero", where
    nothing of the kind is defined; both are NaN (0.0 with `undefined="zero"`) when the present ideal DCG is 0. A later
    copy of a document is not an unjudged result, nor is a document with a negative grade, whatever `negative` says.
    """
    present = score(Metric("nDCG", "nDCG", k), graded, settings)
    grades = graded.grades[:k]
    later_copies = set(graded.repeated)
    holes = [index for index, grade in enumerate(grades) if grade is None and index not in later_copies]
    if not holes or settings.ideal != "judged" or settings.unjudged != "zero" or not has_gain(graded, settings):
        return present, present

    filled = list(grades)
    for index in holes:
        filled[index] = highest
    upper = min(1.0, dcg(filled, settings) / dcg(ideal_grades(graded, settings, k), settings))

    deepest = _worst_count(grades, holes, ideal_grades(graded, settings, k), k, lowest, highest, settings)
    hypothetical = [lowest] * (len(holes) - deepest) + [highest] * deepest
    for index, grade in zip(holes, hypothetical, strict=True):
        filled[index] = grade
    # The one that was found is computed as every score is, so that the ends compare exactly with floors and scores.
    lower = dcg(filled, settings) / dcg(
        ideal_grades(GradedRanking(filled, (), [*graded.judged, *hypothetical]), settings, k), settings
    )
    return lower, upper


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
    prefix = [0.0]
    for discount in discounts[:length]:
        prefix.append(prefix[-1] + 1.0 / discount)

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


def _ndcg(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """nDCG: DCG / DCG of the ideal ranking (Järvelin & Kekäläinen 2002); see `ideal_grades` for what is ideal.

    Not defined exactly when no judged document has a gain above 0. With relevant documents, but an ideal list that is
    empty because nothing relevant was returned (`ideal` "returned" or "max"), it is 0.0: a search that returns only
    junk never looks undefined. trec_eval's ndcg: gain "linear", `negative="zero"` and `undefined="zero"`.
    """
    ideal = ideal_grades(graded, settings, metric.k)
    if settings.ideal != "judged" and not has_gain(graded, settings):
        return _NAN
    if not ideal:
        return _NAN if settings.ideal == "judged" else 0.0
    return dcg(scored_grades(graded, settings), settings, metric.k) / dcg(ideal, settings)


def _dcg(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """DCG: the sum of gain / discount over the top k (Järvelin & Kekäläinen 2002). Always defined."""
    return dcg(scored_grades(graded, settings), settings, metric.k)


def _cg(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """CG: the sum of the grades in the top k, whatever the gain (Järvelin & Kekäläinen 2002). Always defined."""
    total = 0.0
    for grade in scored_grades(graded, settings)[: metric.k]:
        if grade is not None and (grade > 0 or settings.negative == "keep"):
            total += grade
    return total


def _relevant(metric: Metric, graded: GradedRanking, settings: Settings) -> int:
    """Count the relevant results in the top k."""
    rel = metric.rel
    return sum(1 for grade in scored_grades(graded, settings)[: metric.k] if grade is not None and grade >= rel)


def _all_relevant(metric: Metric, graded: GradedRanking) -> int:
    """Count the relevant judgments of the query."""
    rel = metric.rel
    return sum(1 for grade in graded.judged if grade >= rel)


def _precision(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """P@k: relevant results in the top k / k, also for a shorter ranking (trec_eval). Always defined."""
    assert metric.k is not None
    return _relevant(metric, graded, settings) / metric.k


def _recall(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """R@k: relevant results in the top k / all relevant (trec_eval). Not defined without a relevant document."""
    total = _all_relevant(metric, graded)
    return _relevant(metric, graded, settings) / total if total else _NAN


def _average_precision(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """AP: the precision at each relevant result in the top k, summed, / all relevant, also with a cutoff (trec_eval).

    Not defined without a relevant document.
    """
    total = _all_relevant(metric, graded)
    if not total:
        return _NAN
    rel, found, precisions = metric.rel, 0, 0.0
    for rank, grade in enumerate(scored_grades(graded, settings)[: metric.k], start=1):
        if grade is not None and grade >= rel:
            found += 1
            precisions += found / rank
    return precisions / total


def _reciprocal_rank(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """RR: 1 / rank of the first relevant result in the top k, else 0 (trec_eval). Always defined."""
    rel = metric.rel
    for rank, grade in enumerate(scored_grades(graded, settings)[: metric.k], start=1):
        if grade is not None and grade >= rel:
            return 1.0 / rank
    return 0.0


def _success(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Success@k: 1 if the top k hold a relevant result, else 0 (trec_eval). Always defined."""
    return 1.0 if _relevant(metric, graded, settings) else 0.0


def _expected_reciprocal_rank(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """ERR: the sum over the top k of p R / rank, where R = (2^grade - 1) / 2^max and p is the chance to get there.

    Chapelle et al. 2009. The maximum is `max_grade`, by default the highest grade there is; gdeval (and ir_measures,
    which calls it) fixes it at 4: `max_grade=4` reaches its figures. A grade below 0 satisfies nobody (R = 0, gdeval).
    Always defined; the gain setting has no part in it.
    """
    top = highest_grade(graded, settings)
    total, reached = 0.0, 1.0
    for rank, grade in enumerate(scored_grades(graded, settings)[: metric.k], start=1):
        if grade is not None and top is not None and grade > 0:
            satisfied = satisfaction(grade, top)
            total += reached * satisfied / rank
            reached *= 1.0 - satisfied
    return total


def satisfaction(grade: float, top: float) -> float:
    """Give ERR's chance that a document of this grade satisfies: (2^grade - 1) / 2^top.

    Both powers are divided before they are subtracted, so that grades beyond 1,023 do not overflow.
    """
    return float(2.0 ** (grade - top) - 2.0 ** (-top))


def _rank_biased_precision(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """RBP: (1 - p) times the sum of p^(rank - 1) over the relevant results in the top k (Moffat & Zobel 2008).

    Binary by `rel`; p is 0.8 by default as in ir_measures (trec_eval 10: 0.9, and there grades above 1 are scaled to
    0..1 by the lowest and highest of the query, which is another measure). Always defined.
    """
    rel, p = metric.rel, metric.p
    total, weight = 0.0, 1.0
    for grade in scored_grades(graded, settings)[: metric.k]:
        if grade is not None and grade >= rel:
            total += weight
        weight *= p
    return (1.0 - p) * total


def _judged(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Judged@k: judged results in the top k / k, also for a shorter ranking (trec_eval 10). Always defined."""
    assert metric.k is not None
    keep = settings.negative == "keep"
    top = scored_grades(graded, settings)[: metric.k]
    return sum(1 for grade in top if grade is not None and (keep or grade >= 0)) / metric.k


def _bpref(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Bpref: the mean over all relevant of 1 - min(n, R) / min(N, R); n judged non-relevant results stand above, of N.

    Buckley & Voorhees 2004 as trec_eval computes it. Not defined without a relevant document.
    """
    total = _all_relevant(metric, graded)
    if not total:
        return _NAN
    rel, keep = metric.rel, settings.negative == "keep"
    others = sum(1 for grade in graded.judged if grade < rel and (keep or grade >= 0))
    bound = min(others, total)
    above, preferences = 0, 0.0
    for grade in scored_grades(graded, settings):
        if grade is None:
            continue
        if grade >= rel:
            preferences += 1.0 - min(above, total) / bound if above else 1.0
        elif keep or grade >= 0:
            above += 1
    return preferences / total


def _r_precision(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Rprec: relevant results in the top R / R, the number of relevant documents (trec_eval). Not defined without."""
    total = _all_relevant(metric, graded)
    if not total:
        return _NAN
    rel = metric.rel
    return sum(1 for grade in scored_grades(graded, settings)[:total] if grade is not None and grade >= rel) / total


_INFAP_EPSILON = 0.00001


def _inferred_average_precision(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """infAP: average precision estimated from a pool of which only a sample was judged (Yilmaz & Aslam 2006).

    As trec_eval computes it, with its smoothing of 0.00001. With `negative="zero"` a document with a negative grade is
    in the pool but was not sampled; an unjudged one is outside of the pool. Not defined without a relevant document.
    """
    total = _all_relevant(metric, graded)
    if not total:
        return _NAN
    rel, keep = metric.rel, settings.negative == "keep"
    relevant, others, unsampled, inferred = 0, 0, 0, 0.0
    for above, grade in enumerate(scored_grades(graded, settings)):
        if grade is None:
            continue
        if grade >= rel:
            inferred += inferred_precision(above, relevant, others, unsampled)
            relevant += 1
        elif keep or grade >= 0:
            others += 1
        else:
            unsampled += 1
    return inferred / total


def inferred_precision(above: int, relevant: int, others: int, unsampled: int) -> float:
    """Give infAP's expected precision at a relevant result with `above` results above it, of these the given kinds."""
    if not above:
        return 1.0
    pooled = (relevant + others + unsampled) / above
    smoothed = (relevant + _INFAP_EPSILON) / (relevant + others + 2 * _INFAP_EPSILON)
    return 1.0 / (above + 1.0) + (above / (above + 1.0)) * pooled * smoothed


SCORERS: Mapping[str, Callable[[Metric, GradedRanking, Settings], float]] = {
    "nDCG": _ndcg,
    "DCG": _dcg,
    "CG": _cg,
    "P": _precision,
    "R": _recall,
    "AP": _average_precision,
    "RR": _reciprocal_rank,
    "ERR": _expected_reciprocal_rank,
    "RBP": _rank_biased_precision,
    "Success": _success,
    "Judged": _judged,
    "Bpref": _bpref,
    "Rprec": _r_precision,
    "infAP": _inferred_average_precision,
}
