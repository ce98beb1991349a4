"""Compute each measure for one query, in plain Python.

All functions share these conventions:

- Relevant means that the grade is at least `rel` of the metric. An unjudged result is
  not relevant and has no gain.
- A document that was returned twice counts at its first rank. The later copy keeps its
  rank and has no gain. With `unjudged="skip"` it is left out before any cutoff, as
  unjudged results are.
- With `negative="zero"` a negative grade has no gain. It counts as unjudged for Judged,
  Bpref and `unjudged="skip"`.
- If a measure is not defined, its function returns NaN. With `undefined="zero"`
  `measures.score` makes 0.0 of it, unless a lower score is better.

DCG and nDCG are in `ndcg`.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence

from .metric import Metric
from .ndcg import (
    GradedRanking,
    dcg_of,
    highest_grade,
    ndcg,
    returned_grades,
    scored_grades,
    skips_unjudged,
)
from .settings import Settings

Grades = Sequence[float | None]
"""The grades of results, best first; None for an unjudged result or a later copy."""


def top_grades(metric: Metric, graded: GradedRanking, settings: Settings) -> Grades:
    """Return the grades of the top k that a metric scores.

    None stands for an unjudged result or a later copy. With `unjudged="skip"` these are
    judged results only. Do not change the list.
    """
    return scored_grades(graded, settings)[: metric.k]


def relevant_ranks(
    metric: Metric, graded: GradedRanking, settings: Settings
) -> list[int]:
    """Return the ranks (from 1) of the relevant results in the top k."""
    ranks = []
    for rank, grade in enumerate(top_grades(metric, graded, settings), start=1):
        if grade is not None and grade >= metric.rel:
            ranks.append(rank)
    return ranks


def results_in_top(metric: Metric, graded: GradedRanking, settings: Settings) -> int:
    """Return how many different results are in the top k."""
    count = len(top_grades(metric, graded, settings))
    if not skips_unjudged(graded, settings):
        for index in graded.repeated:
            if metric.k is None or index < metric.k:
                count -= 1
    return count


def relevant_judgments(metric: Metric, graded: GradedRanking) -> int:
    """Return how many documents or passages are judged relevant, returned or not."""
    count = 0
    for grade in graded.judged:
        if grade >= metric.rel:
            count += 1
    return count


def relevant_returned(metric: Metric, graded: GradedRanking, settings: Settings) -> int:
    """Return how many relevant documents, or relevant passages, are in the top k."""
    if not graded.found:
        return len(relevant_ranks(metric, graded, settings))
    count = 0
    for grade in returned_grades(graded, metric.k):
        if grade >= metric.rel:
            count += 1
    return count


def normalized_dcg(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Compute nDCG: DCG / DCG of the ideal ranking. `ndcg.ndcg` says when it is NaN."""
    return ndcg(graded, settings, metric.k)


def discounted_cumulated_gain(
    metric: Metric, graded: GradedRanking, settings: Settings
) -> float:
    """Compute DCG: the sum of gain / discount over the top k. Always defined.

    For passages see `ndcg.dcg_of`. Source: Järvelin & Kekäläinen 2002.
    """
    return dcg_of(graded, settings, metric.k)


def cumulated_gain(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Compute CG: the sum of the grades in the top k, whatever the gain.

    If passages were judged, these are the grades of the found passages. Always defined.
    Source: Järvelin & Kekäläinen 2002.
    """
    grades: Grades = top_grades(metric, graded, settings)
    if graded.found:
        grades = returned_grades(graded, metric.k)
    total = 0.0
    for grade in grades:
        if grade is None:
            continue
        if grade > 0 or settings.negative == "keep":
            total += grade
    return total


def precision(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Compute P@k: relevant results in the top k / k, also for a shorter ranking.

    Without a cutoff: relevant results / results, and 0 without a result (trec_eval's
    set_P). A later copy of a document is not a result. Always defined. Source:
    trec_eval.
    """
    relevant = len(relevant_ranks(metric, graded, settings))
    if metric.k is not None:
        return relevant / metric.k
    results = results_in_top(metric, graded, settings)
    return relevant / results if results else 0.0


def recall(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Compute R@k: relevant results in the top k / all relevant documents.

    If passages were judged: found relevant passages / all relevant passages. Not
    defined without a relevant document or passage. Source: trec_eval.
    """
    total = relevant_judgments(metric, graded)
    if not total:
        return math.nan
    return relevant_returned(metric, graded, settings) / total


def capped_recall(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Compute Rcap@k: relevant results in the top k / the smaller of k and R.

    R is the number of all relevant documents. So k relevant results score 1 even if
    there are more relevant documents; R@k is then below 1. Not defined without a
    relevant document.

    Source: Thakur et al. 2021, as BEIR computes it (`recall_cap`, R_cap@k), there with
    a relevance level of 1.
    """
    possible = relevant_judgments(metric, graded)
    if metric.k is not None:
        possible = min(metric.k, possible)
    if not possible:
        return math.nan
    return len(relevant_ranks(metric, graded, settings)) / possible


def all_returned(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Compute All@k: 1 if all relevant documents are in the top k, else 0.

    If passages were judged: 1 if all relevant passages are found in the top k. Not
    defined without a relevant document or passage.
    """
    found = recall(metric, graded, settings)
    return found if math.isnan(found) else float(found >= 1)


def characters(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Compute characters@k: the sum of the lengths of the texts of the top k.

    Not defined if nothing was returned: an empty ranking is not the best one. Not
    defined if documents were judged: then no texts are known.
    """
    if not graded.found:
        return math.nan
    return float(sum(graded.lengths[: metric.k]))


def average_precision(
    metric: Metric, graded: GradedRanking, settings: Settings
) -> float:
    """Compute AP: the sum of the precision at each relevant result, divided by R.

    The sum is over the relevant results in the top k. R is the number of all relevant
    documents, also with a cutoff. Not defined without a relevant document. Source:
    trec_eval.
    """
    total = relevant_judgments(metric, graded)
    if not total:
        return math.nan
    precisions = 0.0
    for found, rank in enumerate(relevant_ranks(metric, graded, settings), start=1):
        precisions += found / rank
    return precisions / total


def reciprocal_rank(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Compute RR: 1 / rank of the first relevant result in the top k, else 0.

    Always defined. Source: trec_eval.
    """
    ranks = relevant_ranks(metric, graded, settings)
    return 1.0 / ranks[0] if ranks else 0.0


def success(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Compute Success@k: 1 if there is a relevant result in the top k, else 0.

    Always defined. Source: trec_eval.
    """
    return 1.0 if relevant_ranks(metric, graded, settings) else 0.0


def expected_reciprocal_rank(
    metric: Metric, graded: GradedRanking, settings: Settings
) -> float:
    """Compute ERR: the sum over the top k of p R / rank.

    R = (2^grade - 1) / 2^max is the probability that a result satisfies the user, and p
    is the probability that the user reaches its rank. The maximum is `max_grade`, by
    default the highest grade among the judgments. (gdeval, which ir_measures calls,
    fixes it at 4. `max_grade=4` gives its figures.) A grade below 0 never satisfies, as
    in gdeval. The gain setting has no part in it. Always defined. Raises ValueError if
    a judgment is above `max_grade`.

    Source: Chapelle et al. 2009.
    """
    top = highest_grade(graded, settings)
    if top is None:
        return 0.0
    total = 0.0
    reached = 1.0
    for rank, grade in enumerate(top_grades(metric, graded, settings), start=1):
        if grade is None or grade <= 0:
            continue
        satisfied = satisfaction(grade, top)
        total += reached * satisfied / rank
        reached *= 1.0 - satisfied
    return total


def satisfaction(grade: float, top: float) -> float:
    """Return the probability (2^grade - 1) / 2^top that a document satisfies, for ERR.

    Grades above 1,023 do not overflow, because both powers are divided first.
    """
    return float(2.0 ** (grade - top) - 2.0 ** (-top))


def rank_biased_precision(
    metric: Metric, graded: GradedRanking, settings: Settings
) -> float:
    """Compute RBP: (1 - p) times the sum of p^(rank - 1) over the relevant results.

    The sum is over the top k. Relevance is binary. p is 0.8 by default, as in
    ir_measures. (trec_eval 10's rbp is graded, with a p of 0.9: `gRBP(p=0.9)`.) Always
    defined.

    Source: Moffat & Zobel 2008.
    """
    total = 0.0
    weight = 1.0
    for grade in top_grades(metric, graded, settings):
        if grade is not None and grade >= metric.rel:
            total += weight
        weight *= metric.p
    return (1.0 - metric.p) * total


def graded_rank_biased_precision(
    metric: Metric, graded: GradedRanking, settings: Settings
) -> float:
    """Compute gRBP: (1 - p) times the sum of g p^(rank - 1) over the top k.

    g is the grade divided by the highest grade of the query, if that is above 1, else
    the grade itself. A grade below 0 has no gain. The highest grade is that of the
    query's own judgments, whatever `max_grade` is. The gain setting has no part in it.
    Always defined.

    Source: Moffat & Zobel 2008, as trec_eval 10 computes its rbp (m_rbp.c), but with a
    default p of 0.8, not 0.9.
    """
    top = max(1.0, max(graded.judged, default=1.0))
    total = 0.0
    weight = 1.0
    for grade in top_grades(metric, graded, settings):
        if grade is not None and grade > 0:
            total += grade / top * weight
        weight *= metric.p
    return (1.0 - metric.p) * total


def judged_share(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Compute Judged@k: judged results / results in the top k, 0 without a result.

    A ranking shorter than k is divided by what was returned, as in ir_measures. A later
    copy of a document is not a result. Always defined. (trec_eval 10 divides by k: its
    unj_k is 1 - Judged@k if k results were returned.)
    """
    results = results_in_top(metric, graded, settings)
    if not results:
        return 0.0
    judged = 0
    for grade in top_grades(metric, graded, settings):
        if _counts_as_judged(grade, settings):
            judged += 1
    return judged / results


def _counts_as_judged(grade: float | None, settings: Settings) -> bool:
    """Say whether a result counts as judged, by its grade; None is an unjudged result.

    A result with a negative grade does not count with `negative="zero"`.
    """
    if grade is None:
        return False
    return grade >= 0 or settings.negative == "keep"


def bpref(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Compute Bpref: the mean over R relevant documents of 1 - min(n, R) / min(N, R).

    N documents are judged and not relevant, and n of them rank above the relevant one.
    A relevant document that was not returned counts 0. Not defined without a relevant
    document.

    Source: Buckley & Voorhees 2004, as trec_eval computes it.
    """
    total = relevant_judgments(metric, graded)
    if not total:
        return math.nan
    irrelevant = 0
    for judgment in graded.judged:
        if judgment < metric.rel and _counts_as_judged(judgment, settings):
            irrelevant += 1
    bound = min(irrelevant, total)
    above = 0
    preferences = 0.0
    for grade in scored_grades(graded, settings):
        if grade is None:
            continue
        if grade >= metric.rel:
            preference = 1.0
            if above:
                preference -= min(above, total) / bound
            preferences += preference
        elif _counts_as_judged(grade, settings):
            above += 1
    return preferences / total


def r_precision(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Compute Rprec: relevant results in the top R / R, with R relevant documents.

    Not defined without a relevant document. Source: trec_eval.
    """
    total = relevant_judgments(metric, graded)
    if not total:
        return math.nan
    # Rprec has no cutoff of its own, so these are the ranks in the whole ranking.
    ranks = relevant_ranks(metric, graded, settings)
    return bisect_right(ranks, total) / total


_INFAP_EPSILON = 0.00001


def inferred_average_precision(
    metric: Metric, graded: GradedRanking, settings: Settings
) -> float:
    """Compute infAP: AP, estimated from judgments of a sample of the pool.

    The pool is the documents that were to be judged. With `negative="zero"` a negative
    grade means that a document is in the pool and not in the sample. An unjudged
    document is outside the pool. Not defined without a relevant document.

    Source: Yilmaz & Aslam 2006, as trec_eval computes it, with its smoothing of
    0.00001.
    """
    total = relevant_judgments(metric, graded)
    if not total:
        return math.nan
    relevant = 0
    irrelevant = 0
    unsampled = 0
    inferred = 0.0
    for above, grade in enumerate(scored_grades(graded, settings)):
        if grade is None:
            continue
        if grade >= metric.rel:
            inferred += inferred_precision(
                above=above,
                relevant=relevant,
                irrelevant=irrelevant,
                unsampled=unsampled,
            )
            relevant += 1
        elif _counts_as_judged(grade, settings):
            irrelevant += 1
        else:
            unsampled += 1
    return inferred / total


def inferred_precision(
    *, above: int, relevant: int, irrelevant: int, unsampled: int
) -> float:
    """Return the precision that infAP estimates at a relevant result.

    `above`: how many results rank above it.
    `relevant`, `irrelevant`: how many of them are judged relevant, and not relevant.
    `unsampled`: how many of them are in the pool without a judgment.
    """
    if not above:
        return 1.0
    sampled = relevant + irrelevant
    pooled = (sampled + unsampled) / above
    smoothed = (relevant + _INFAP_EPSILON) / (sampled + 2 * _INFAP_EPSILON)
    return 1.0 / (above + 1.0) + (above / (above + 1.0)) * pooled * smoothed
