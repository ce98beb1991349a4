"""Every measure for one query, in plain Python; used by the items of a test run and by the breakdown of a query.

The arithmetic of DCG and nDCG is in `ndcg`. `batch` computes the same measures over many queries and agrees with this
module bit for bit; a property test checks this. A change here needs the same change there.

Conventions that every function shares:

- Relevant means grade >= `rel` of the metric. An unjudged result is not relevant and has no gain.
- A document that was returned twice counts at its first rank. The later copy keeps its rank, without gain; with
  `unjudged="skip"` it is left out together with the unjudged results, before any cutoff.
- With `negative="zero"` a negative grade has no gain and counts as unjudged for Judged, Bpref and `unjudged="skip"`.
- Where a measure is not defined the score is NaN, or 0.0 with `undefined="zero"`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from pytest_relevance._text import message_of, shown

from .names import Metric, MetricError
from .ndcg import GradedRanking, dcg, highest_grade, ndcg, scored_grades
from .settings import Settings, check_number

_NAN = math.nan


def score(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Score one ranking by one metric; NaN where the measure is not defined, or 0.0 with `undefined="zero"`.

    Raises:
        ValueError: a grade that the measure uses has no gain under these settings, or is above `max_grade`.
        MetricError: a metric of a project's own raised an exception, or returned neither a number nor None.
    """
    value = (_own if metric.is_own else SCORERS[metric.measure])(
        metric, graded, settings
    )
    if value != value and settings.undefined == "zero":
        return 0.0
    return value


def _own(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """A metric of a project's own: what its function returns for copies of the grades; NaN for None."""
    if metric.function is None:
        raise MetricError(
            f"{metric.text} is a metric of a project's own, which only a run of that project can compute"
        )
    try:
        value = metric.function(
            scored_grades(graded, settings)[: metric.k], [*graded.judged], metric.k
        )
    except (KeyboardInterrupt, SystemExit):
        raise
    except (
        BaseException
    ) as error:  # pytest.skip too: no metric decides that its case is not tested
        what = f"{type(error).__name__}: {message_of(error)}".partition("\n")[0]
        raise MetricError(f"the metric {metric.text} raised {what}") from error
    try:
        check_number(metric.text, 0 if value is None else value)
        return _NAN if value is None else float(value)
    except (ValueError, OverflowError):
        allowed = "a finite number, or None where it is not defined"
        raise MetricError(
            f"the metric {metric.text} returned {shown(value, 60)}; it returns {allowed}"
        ) from None


def ranks_needed(metric: Metric, settings: Settings) -> int | None:
    """Say how deep a ranking has to be known for its score by a metric; None for all of it."""
    is_all = settings.unjudged == "skip" or (
        metric.measure == "nDCG" and settings.ideal == "returned"
    )
    return (
        None if is_all and not metric.is_similarity else metric.k
    )  # no setting has a part in a similarity


def _ndcg(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """nDCG: DCG / DCG of the ideal ranking; see `ndcg.ndcg`."""
    return ndcg(graded, settings, metric.k)


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
    return sum(
        1
        for grade in scored_grades(graded, settings)[: metric.k]
        if grade is not None and grade >= rel
    )


def _returned(metric: Metric, graded: GradedRanking, settings: Settings) -> int:
    """Count the different results in the top k."""
    returned = len(scored_grades(graded, settings)[: metric.k])
    if settings.unjudged == "zero":
        returned -= sum(1 for index in graded.repeated if index < returned)
    return returned


def _all_relevant(metric: Metric, graded: GradedRanking) -> int:
    """Count the relevant judgments of the query."""
    rel = metric.rel
    return sum(1 for grade in graded.judged if grade >= rel)


def _precision(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """P@k: relevant results in the top k / k, also for a shorter ranking (trec_eval). Always defined.

    Without a cutoff: relevant results / results, 0 without a result (trec_eval's set_P). A later copy of a document is
    no result.
    """
    relevant = _relevant(metric, graded, settings)
    if metric.k is not None:
        return relevant / metric.k
    return (
        relevant / returned
        if (returned := _returned(metric, graded, settings))
        else 0.0
    )


def _recall(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """R@k: relevant results in the top k / all relevant (trec_eval). Not defined without a relevant document."""
    total = _all_relevant(metric, graded)
    return _relevant(metric, graded, settings) / total if total else _NAN


def _average_precision(
    metric: Metric, graded: GradedRanking, settings: Settings
) -> float:
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


def _reciprocal_rank(
    metric: Metric, graded: GradedRanking, settings: Settings
) -> float:
    """RR: 1 / rank of the first relevant result in the top k, else 0 (trec_eval). Always defined."""
    rel = metric.rel
    for rank, grade in enumerate(scored_grades(graded, settings)[: metric.k], start=1):
        if grade is not None and grade >= rel:
            return 1.0 / rank
    return 0.0


def _success(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Success@k: 1 if the top k contain a relevant result, else 0 (trec_eval). Always defined."""
    return 1.0 if _relevant(metric, graded, settings) else 0.0


def _expected_reciprocal_rank(
    metric: Metric, graded: GradedRanking, settings: Settings
) -> float:
    """ERR: the sum over the top k of p R / rank, R = (2^grade - 1) / 2^max, p the probability of reaching the rank.

    Chapelle et al. 2009. The maximum is `max_grade`, by default the highest grade there is; gdeval (and ir_measures,
    which calls it) fixes it at 4: `max_grade=4` reaches its figures. A grade below 0 never satisfies (R = 0, gdeval).
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
    """Give ERR's probability that a document of this grade satisfies the user: (2^grade - 1) / 2^top.

    Both powers are divided before they are subtracted, so that grades beyond 1,023 do not overflow.
    """
    return float(2.0 ** (grade - top) - 2.0 ** (-top))


def _rank_biased_precision(
    metric: Metric, graded: GradedRanking, settings: Settings
) -> float:
    """RBP: (1 - p) times the sum of p^(rank - 1) over the relevant results in the top k (Moffat & Zobel 2008).

    Binary by `rel`; p is 0.8 by default, as in ir_measures. What trec_eval 10 calls rbp is graded, with a p of 0.9:
    `gRBP(p=0.9)`. Always defined.
    """
    rel, p = metric.rel, metric.p
    total, weight = 0.0, 1.0
    for grade in scored_grades(graded, settings)[: metric.k]:
        if grade is not None and grade >= rel:
            total += weight
        weight *= p
    return (1.0 - p) * total


def _graded_rank_biased_precision(
    metric: Metric, graded: GradedRanking, settings: Settings
) -> float:
    """gRBP: (1 - p) times the sum of g p^(rank - 1) over the top k, where g is the grade scaled to 0..1.

    Moffat & Zobel 2008 as trec_eval 10 computes its rbp (m_rbp.c), whose p is 0.9 where it is 0.8 here by default. g is
    grade / highest grade of the query where that is above 1, and the grade itself otherwise. A grade below 0 has no
    gain. The highest grade is the highest among the query's own judgments, whatever `max_grade` says; the gain setting
    has no part in it. Always defined.
    """
    p, top = metric.p, max(1.0, max(graded.judged, default=1.0))
    total, weight = 0.0, 1.0
    for grade in scored_grades(graded, settings)[: metric.k]:
        if grade is not None and grade > 0:
            total += grade / top * weight
        weight *= p
    return (1.0 - p) * total


def _judged(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Judged@k: judged results in the top k / results in the top k, as ir_measures has it; 0 without a result.

    A ranking shorter than k is divided by what was returned, and a later copy of a document is no result. trec_eval
    10 divides by k: its unj_k is 1 - Judged@k where k results were returned. Always defined.
    """
    keep = settings.negative == "keep"
    top = scored_grades(graded, settings)[: metric.k]
    judged = sum(1 for grade in top if grade is not None and (keep or grade >= 0))
    return (
        judged / returned if (returned := _returned(metric, graded, settings)) else 0.0
    )


def _bpref(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Bpref: the mean over the R relevant documents of 1 - min(n, R) / min(N, R), 0 for one that was not returned.

    N documents are judged non-relevant; n of them stand above the relevant one. Buckley & Voorhees 2004 as trec_eval
    computes it. Not defined without a relevant document.
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
    """Rprec: relevant results in the top R / R, with R relevant documents (trec_eval). Not defined where R is 0."""
    total = _all_relevant(metric, graded)
    if not total:
        return _NAN
    rel = metric.rel
    return (
        sum(
            1
            for grade in scored_grades(graded, settings)[:total]
            if grade is not None and grade >= rel
        )
        / total
    )


_INFAP_EPSILON = 0.00001


def _inferred_average_precision(
    metric: Metric, graded: GradedRanking, settings: Settings
) -> float:
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
    """Give infAP's expected precision at a relevant result with `above` results above it.

    Of these `relevant` and `others` (judged, not relevant) were sampled, and `unsampled` are in the pool.
    """
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
    "gRBP": _graded_rank_biased_precision,
    "Success": _success,
    "Judged": _judged,
    "Bpref": _bpref,
    "Rprec": _r_precision,
    "infAP": _inferred_average_precision,
}
