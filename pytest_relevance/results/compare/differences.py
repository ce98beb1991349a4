"""The differences of two runs in figures: a row for each metric and variant with its test, and the means by tag.

All are second - first, over the cases where both scores are defined, weighted by the weights of the cases.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pytest_relevance._text import quoted
from pytest_relevance.metrics.compiled import Floats, Indexes, Mask
from pytest_relevance.metrics.graded import GradedRanking
from pytest_relevance.metrics.names import Metric
from pytest_relevance.metrics.scalar import ranks_needed, score
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.metrics.significance import bootstrap_interval, effect_size, holm, randomisation_test
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.compare.incompatibilities import Metrics
from pytest_relevance.results.compare.pairing import Pair
from pytest_relevance.results.records.run_info import RecordError

TIE = 1e-9
"""The largest difference that is due to rounding: scores that are no farther apart count as the same."""

CONFIDENCE = 0.95

BOOTSTRAP_RESAMPLES = 10_000

MANY_PAIRS = 50_000
"""The number of pairs above which signs and pairs are drawn less often: a draw costs a random number for each pair."""

_FEW_DRAWS = (5_000, 500)


@dataclass(frozen=True, slots=True, eq=False)
class ScoreColumn:
    """The scores of all pairs of results by a metric, in arrays of shape (pairs,); NaN where one is not defined.

    `applies` marks the pairs that it is the score of: all of them, or those whose own nDCG@k it is.
    """

    metric: str
    first: Floats
    second: Floats
    applies: Mask

    def among(self, indexes: Indexes) -> Indexes:
        """The pairs at these indexes to which the metric applies."""
        return indexes[self.applies[indexes]]


@dataclass(frozen=True, slots=True)
class Means:
    """The means of both runs over `queries` cases, and how many of these became better, worse, or stayed the same."""

    queries: int
    first: float
    second: float
    difference: float
    better: int
    worse: int
    same: int


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two runs by a metric, in one variant of the search (None: there are no variants).

    `undefined` is how many cases have no score by the metric. `low` to `high` is the bootstrap interval of the
    difference at 95 %; `p` is the p-value of the randomisation test, `adjusted_p` the one after Holm over the metrics
    of the variant; `effect` is Cohen's d of the pairs. NaN where something is not defined. `least_p` is the lowest
    adjusted p-value that is possible with as many cases that changed.
    """

    variant: str | None
    metric: str
    means: Means
    undefined: int
    low: float
    high: float
    p: float
    adjusted_p: float
    effect: float
    least_p: float


@dataclass(frozen=True, slots=True)
class TagDifference:
    """The means of the cases with a tag."""

    variant: str | None
    metric: str
    tag: str
    means: Means


def tested(
    columns: Sequence[ScoreColumn],
    weights: Floats,
    variants: Mapping[str | None, Indexes],
    *,
    resamples: int,
    seed: int,
) -> tuple[Difference, ...]:
    """Test each metric in each variant. `weights` has shape (pairs,); `variants` are the indexes of their pairs."""
    rows: list[Difference] = []
    for variant, indexes in variants.items():
        chosen = [(column, column.among(indexes)) for column in columns]
        family = [_tested(variant, column, own, weights, resamples, seed) for column, own in chosen if own.size]
        adjusted, least = holm([row.p for row in family]), holm([row.least_p for row in family])
        rows += map(lambda row, p, least_p: replace(row, adjusted_p=p, least_p=least_p), family, adjusted, least)
    return tuple(rows)


def _tested(
    variant: str | None, column: ScoreColumn, chosen: Indexes, weights: Floats, resamples: int, seed: int
) -> Difference:
    found = means(column, chosen, weights)
    # sorted by score, so that the same signs are drawn for the same scores in whatever order the cases ran
    chosen = chosen[np.lexsort((weights[chosen], column.second[chosen], column.first[chosen]))]
    first, second = column.first[chosen], column.second[chosen]
    second = np.where(np.abs(second - first) <= TIE, first, second)  # no difference by rounding alone
    shares = weights[chosen] if np.ptp(weights[chosen]) else None  # the test is faster without weights
    draws = _FEW_DRAWS if chosen.size > MANY_PAIRS else (resamples, BOOTSTRAP_RESAMPLES)
    test = randomisation_test(first, second, weights=shares, resamples=min(resamples, draws[0]), seed=seed)
    interval = bootstrap_interval(first, second, weights=shares, confidence=CONFIDENCE, resamples=draws[1], seed=seed)
    effect = effect_size(first, second, weights=shares)
    undefined = int(chosen.size) - found.queries
    return Difference(
        variant, column.metric, found, undefined, interval.low, interval.high, test.p, test.p, effect, test.least_p
    )


def means(column: ScoreColumn, chosen: Indexes, weights: Floats) -> Means:
    """The weighted means over the chosen pairs, where both scores are defined."""
    first, second, shares = column.first[chosen], column.second[chosen], weights[chosen]
    defined = ~(np.isnan(first) | np.isnan(second))
    first, second, shares = first[defined], second[defined], shares[defined]
    if not first.size:
        return Means(0, math.nan, math.nan, math.nan, 0, 0, 0)
    total = math.fsum(shares)
    one, two = (math.fsum(scores * shares) / total for scores in (first, second))
    changes = second - first
    better, worse = int((changes > TIE).sum()), int((changes < -TIE).sum())
    return Means(int(first.size), one, two, two - one, better, worse, int(first.size) - better - worse)


def by_tag(
    columns: Sequence[ScoreColumn], weights: Floats, variants: Mapping[str | None, Indexes], tags: Mapping[str, Indexes]
) -> tuple[TagDifference, ...]:
    """The means of each variant, metric and tag, the largest drop of each metric first; `tags` are indexes of pairs."""
    rows: list[TagDifference] = []
    for variant, indexes in variants.items():
        for column in columns:
            chosen = column.among(indexes)
            own = {tag: np.intersect1d(tagged, chosen, assume_unique=True) for tag, tagged in tags.items()}
            figures = {tag: means(column, pairs, weights) for tag, pairs in own.items() if pairs.size}
            found = [TagDifference(variant, column.metric, tag, figure) for tag, figure in figures.items()]
            rows += sorted(found, key=_drop)
    return tuple(rows)


def _drop(row: TagDifference) -> tuple[float, str]:
    """Sort key: the largest drop comes first, what is not defined last."""
    difference = row.means.difference
    return math.inf if math.isnan(difference) else difference, row.tag


def score_columns(pairs: Sequence[Pair], metrics: Metrics) -> tuple[ScoreColumn, ...]:
    """A column for each metric; without `metrics` for the nDCG@k of each k, which applies to the cases of that k alone.

    Raises ValueError for a metric that looks at more of a ranking than is known of it, and for a grade that has no
    gain; `RecordError` for grades that are not among the judgments.
    """
    first, second = (_scores([pair[side] for pair in pairs], metrics) for side in (0, 1))
    columns = []
    for metric in metrics or sorted({two.metric for _, two in pairs}, key=lambda metric: metric.k or 0):
        one, two = (np.array([scores.get(metric.text, math.nan) for scores in run]) for run in (first, second))
        applies = np.array([metric.text in scores for scores in second])
        columns.append(ScoreColumn(metric.text, one, two, applies))
    return tuple(columns)


def _scores(results: Sequence[CaseResult], metrics: Metrics) -> list[dict[str, float]]:
    """The scores of each result by the name of the metric, or its own nDCG@k; NaN where one is not defined."""
    scales: dict[Settings, Settings] = {}
    found = []
    for result in results:
        graded, scores = None, {}
        for metric in metrics or (result.metric,):
            recorded = result.scores.get(metric.text)
            scores[metric.text] = math.nan if recorded is None else recorded
            if metric.text in result.scores or not result.judgments:
                continue
            require_ranks(result, metric)
            graded = graded or _checked_grades(result)
            settings = result.settings
            if settings.max_grade is None and (metric.measure == "ERR" or settings.ideal == "max"):
                if settings not in scales:
                    scales[settings] = replace(settings, max_grade=_highest_grade(results, settings))
                settings = scales[settings]
            try:
                scores[metric.text] = score(metric, graded, settings)
            except (ValueError, OverflowError) as error:  # a grade without a gain
                raise ValueError(f"the case {quoted(result.id)} has no {metric.text}: {error}") from None
        found.append(scores)
    return found


def _highest_grade(results: Sequence[CaseResult], settings: Settings) -> float | None:
    """The maximum grade of results whose settings have none: the highest grade of their judgments."""
    return max(max(result.judgments, default=0) for result in results if result.settings == settings) or None


def _checked_grades(result: CaseResult) -> GradedRanking:
    graded = result.graded
    for grade in {*graded.grades} - {None}:
        if graded.grades.count(grade) > graded.judged.count(grade):
            raise RecordError(f"the record of {quoted(result.id)} has grades that its judgments lack; make it again")
    return graded


def require_ranks(result: CaseResult, metric: Metric) -> None:
    """Raise a ValueError where a metric looks at more of a ranking than is known of it.

    Either a part of the ranking was kept, or it is as long as the search was asked for, and may go on.
    """
    needed = ranks_needed(metric, result.settings)
    kept = len(result.documents)
    if needed is not None and needed <= kept:
        return
    record_it = "name the metric in an expectation of the case, so that it is recorded"
    asked = f"the search of {quoted(result.id)} was asked for {result.depth}"
    if len(set(result.documents)) < result.returned:
        why = f"of the ranking of {quoted(result.id)} the first {kept} were kept: {record_it}"
    elif needed is not None and (result.reaches_depth or (result.returned and result.returned == result.depth)):
        why = f"{asked}: {record_it}"
    elif needed is None and result.is_cut:
        why = f"{asked}: set a depth in the case file (depth: 1000) and record the run again, or name a cutoff"
    else:
        return
    raise ValueError(f"{metric.text} takes {'all of it' if needed is None else f'{needed} ranks'}, and {why}")
