"""List the measures in `MEASURES`, and score one ranking by any of them.

A new measure is a function in `formulas` and a row of `MEASURES`.
docs/reference/metrics.md says what each measure is. `matrix` computes the common ones
for many queries at once, to the same bits. A property test compares the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pytest_relevance._text import message_of, shown

from . import formulas
from .metric import DEFAULT_PERSISTENCE, Metric, MetricError
from .ndcg import GradedRanking
from .settings import Settings, check_number

ScoreFunction = Callable[[Metric, GradedRanking, Settings], float]


def score(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Return the score of one ranking by one metric.

    The score is NaN if the measure is not defined, or 0.0 with `undefined="zero"`. If a
    lower score is better, it stays NaN, because 0.0 would be the best score.

    Raises:
        ValueError: a grade has no gain under these settings, or is above `max_grade`.
        MetricError: a metric of a project's own raised an exception, or returned
            neither a number nor None.
    """
    if metric.is_own:
        value = own_metric(metric, graded, settings)
    else:
        value = MEASURES[metric.measure].score(metric, graded, settings)
    if math.isnan(value) and settings.undefined == "zero":
        return math.nan if is_lower_better(metric) else 0.0
    return value


def ranks_needed(metric: Metric, settings: Settings) -> int | None:
    """Return how many ranks a score depends on; None if it depends on all."""
    if metric.is_similarity:
        return metric.k  # the settings do not change it
    if settings.unjudged == "skip":
        return None
    if metric.measure == "nDCG" and settings.ideal == "returned":
        return None
    return metric.k


def is_reciprocal_rank(metric: Metric) -> bool:
    """Say whether a score is 1 / the rank of the first relevant document."""
    measure = MEASURES.get(metric.measure)
    return measure is not None and measure.is_reciprocal_rank


def is_lower_better(metric: Metric) -> bool:
    """Say whether a lower score is better."""
    measure = MEASURES.get(metric.measure)
    return measure is not None and measure.is_lower_better


def needs_texts(metric: Metric) -> bool:
    """Say whether a metric looks at the texts of results."""
    measure = MEASURES.get(metric.measure)
    return measure is not None and measure.needs_texts


def least_digits(metric: Metric) -> int:
    """Return how many decimals of a score are shown at least: 0 for characters."""
    return 0 if needs_texts(metric) else 3


def suits_known_items(metric: Metric) -> bool:
    """Say whether a metric has a meaning for known items.

    True if the metric looks only at where the relevant documents are, is a project's
    own, or compares two rankings.
    """
    measure = MEASURES.get(metric.measure)
    return measure is None or measure.suits_known_items


def largest_score(metric: Metric) -> float:
    """Return the highest score that a metric can give.

    Infinity for a measure without a bound, such as DCG, and for a project's own metric.
    """
    if metric.is_own:
        return math.inf
    if metric.is_similarity or MEASURES[metric.measure].is_bounded:
        return 1.0
    return math.inf


def own_metric(metric: Metric, graded: GradedRanking, settings: Settings) -> float:
    """Return the score by a project's own metric; NaN if its function returns None.

    The function gets copies of the grades, which it may change. Raises MetricError if
    the function is not known, raises an exception, or returns neither a finite number
    nor None.
    """
    if metric.function is None:
        raise MetricError(
            f"{metric.text} is a metric of a project's own, which only a run of that "
            "project can compute"
        )
    grades = list(formulas.top_grades(metric, graded, settings))
    try:
        value = metric.function(grades, list(graded.judged), metric.k)
    except (KeyboardInterrupt, MetricError):
        raise
    except BaseException as error:  # pytest.skip too: a metric may not skip its case
        message = f"{type(error).__name__}: {message_of(error)}".partition("\n")[0]
        raise MetricError(f"the metric {metric.text} raised {message}") from error
    if value is None:
        return math.nan
    try:
        check_number(metric.text, value)
        return float(value)
    except (ValueError, OverflowError):
        raise MetricError(
            f"the metric {metric.text} returned {shown(value, 60)}; it returns a finite "
            "number, or None if it is not defined"
        ) from None


@dataclass(frozen=True, slots=True)
class Measure:
    """One row of the table of measures.

    `about`: what the measure is, in one line.
    `score`: computes the measure for one query.
    `cutoff`: whether `@k` is written: "optional", "required" or "none".
    `parameters`: which of "rel" and "p" may be written behind the name.
    `aliases`: other names of the measure, in small letters.
    `default_p`: the persistence if none is written.
    `is_bounded`: whether a score is at most 1.
    `is_certain`: whether a score is always defined, and does not depend on the grades
    of unjudged results.
    `is_reciprocal_rank`: whether a score is 1 / the rank of the first relevant result.
    `is_lower_better`: whether a lower score is better.
    `needs_texts`: whether the measure looks at the texts of results, which only cases
        with passages have.
    `depends_on`: which of the settings gain, discount, ideal and max_grade change the
        measure. The other settings change every measure.
    `takes_passages`: whether the measure has a meaning for passages. Several results
        may hold one passage, and one result may hold several.
    `suits_known_items`: whether the measure has a meaning if nothing is known of the
        other results: it looks only at where the relevant documents are.
    """

    name: str
    about: str
    score: ScoreFunction
    cutoff: str = "optional"
    parameters: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    default_p: float = DEFAULT_PERSISTENCE
    is_bounded: bool = True
    is_certain: bool = False
    is_reciprocal_rank: bool = False
    is_lower_better: bool = False
    needs_texts: bool = False
    depends_on: frozenset[str] = frozenset()
    takes_passages: bool = False
    suits_known_items: bool = False


def _by_name(*measures: Measure) -> dict[str, Measure]:
    return {measure.name: measure for measure in measures}


MEASURES: Mapping[str, Measure] = _by_name(
    Measure(
        name="nDCG",
        about="DCG divided by the DCG of the ideal ranking.",
        score=formulas.normalized_dcg,
        aliases=("ndcg_cut", "normalized dcg", "normalised dcg"),
        depends_on=frozenset({"gain", "ideal"}),  # the discount cancels
        takes_passages=True,
    ),
    Measure(
        name="DCG",
        about="sum of gain / discount over the ranks.",
        score=formulas.discounted_cumulated_gain,
        is_bounded=False,
        depends_on=frozenset({"gain", "discount"}),
        takes_passages=True,
    ),
    Measure(
        name="CG",
        about="sum of the grades.",
        score=formulas.cumulated_gain,
        is_bounded=False,
        takes_passages=True,
    ),
    Measure(
        name="P",
        about=(
            "share of relevant documents among the top k; without a "
            "cutoff, among what was returned."
        ),
        score=formulas.precision,
        parameters=("rel",),
        aliases=("precision", "prec"),
        takes_passages=True,
    ),
    Measure(
        name="R",
        about="share of all relevant documents that were returned.",
        score=formulas.recall,
        parameters=("rel",),
        aliases=("recall",),
        takes_passages=True,
        suits_known_items=True,
    ),
    Measure(
        name="Rcap",
        about=(
            "relevant documents in the top k, divided by the smaller of k and the "
            "number of all relevant documents."
        ),
        score=formulas.capped_recall,
        cutoff="required",
        parameters=("rel",),
        aliases=("r_cap", "recall_cap", "capped recall"),
    ),
    Measure(
        name="AP",
        about="mean over all relevant documents of the precision at their rank.",
        score=formulas.average_precision,
        parameters=("rel",),
        aliases=("map", "map_cut", "average precision"),
    ),
    Measure(
        name="RR",
        about="1 / rank of the first relevant document.",
        score=formulas.reciprocal_rank,
        parameters=("rel",),
        aliases=("mrr", "recip_rank", "reciprocal rank"),
        is_reciprocal_rank=True,
        takes_passages=True,
        suits_known_items=True,
    ),
    Measure(
        name="ERR",
        about="expected reciprocal rank at which a reader is satisfied.",
        score=formulas.expected_reciprocal_rank,
        depends_on=frozenset({"max_grade"}),
    ),
    Measure(
        name="RBP",
        about=(
            "rank-biased precision: the precision seen by a reader who "
            "goes on with probability p (0.8 unless written)."
        ),
        score=formulas.rank_biased_precision,
        parameters=("p", "rel"),
    ),
    Measure(
        name="gRBP",
        about=(
            "graded RBP: each grade counts as its share of the query's "
            "highest grade (p is 0.8 unless written)."
        ),
        score=formulas.graded_rank_biased_precision,
        parameters=("p",),
        aliases=("graded rbp",),
    ),
    Measure(
        name="Success",
        about="1 if a relevant document is in the top k, else 0.",
        score=formulas.success,
        cutoff="required",
        parameters=("rel",),
        aliases=("hit", "hits", "hit rate", "hit_rate", "hitrate"),
        takes_passages=True,
        suits_known_items=True,
    ),
    Measure(
        name="All",
        about="1 if all relevant documents or passages are in the top k, else 0.",
        score=formulas.all_returned,
        cutoff="required",
        parameters=("rel",),
        aliases=("recall_all",),
        takes_passages=True,
        suits_known_items=True,
    ),
    Measure(
        name="characters",
        about="sum of the lengths of the texts of the top k; only with passages.",
        score=formulas.characters,
        cutoff="required",
        is_bounded=False,
        is_certain=True,
        is_lower_better=True,
        needs_texts=True,
        takes_passages=True,
    ),
    Measure(
        name="Judged",
        about="share of the results in the top k that are judged.",
        score=formulas.judged_share,
        cutoff="required",
        is_certain=True,
    ),
    Measure(
        name="Bpref",
        about=(
            "share of relevant documents that are ranked above judged "
            "non-relevant ones."
        ),
        score=formulas.bpref,
        cutoff="none",
        parameters=("rel",),
    ),
    Measure(
        name="Rprec",
        about="precision at rank R, the number of relevant documents.",
        score=formulas.r_precision,
        cutoff="none",
        parameters=("rel",),
        aliases=("r-prec", "r-precision"),
    ),
    Measure(
        name="infAP",
        about="average precision inferred from an incompletely judged pool.",
        score=formulas.inferred_average_precision,
        cutoff="none",
        parameters=("rel",),
    ),
)
"""The measures of a ranking and its judgments, by name."""
