"""Compute means, test and interval of the scores of two sets of results.

A run with a baseline, the gates of a run and `compare` take their figures from this
module. So all of them print the same p-value and the same interval.

A difference is second - first. It is a mean over the cases with both scores, with the
weights of the cases. Pairs are sorted by their keys before random draws, so equal
results have equal p-values.

`mean_change` compares a run with its baseline.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from pytest_relevance.metrics import significance
from pytest_relevance.metrics.measures import ranks_needed, suits_known_items
from pytest_relevance.metrics.metric import ROUNDING, Metric
from pytest_relevance.metrics.names import is_own, is_similarity, metric_named
from pytest_relevance.results.case_result import (
    SKIPPED,
    WITHOUT_SCORE,
    CaseResult,
    percentile,
    values_needed,
    weighted_mean,
)
from pytest_relevance.results.changes import Change

RESAMPLES = 100_000
"""How many flips of signs a test draws by default."""


@dataclass(frozen=True, slots=True)
class ScorePair:
    """The scores of one case in both sets of results.

    `key`: the file, the id and the variant of the case ("" without one).
    """

    key: tuple[str, str, str]
    first: float
    second: float
    weight: float

    @property
    def change(self) -> float:
        """Return second - first; 0 if they differ by rounding alone."""
        change = self.second - self.first
        return change if abs(change) > ROUNDING else 0.0

    @property
    def second_without_rounding(self) -> float:
        """Return the second score; the first one if only rounding differs."""
        return self.second if self.change else self.first


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of cases by a metric, in one variant of the search.

    `pairs`: the cases with a score in both sets of results.
    `undefined`: how many more cases there are, without such scores.
    """

    variant: str | None
    metric: str
    pairs: Sequence[ScorePair]
    undefined: int = 0


@dataclass(frozen=True, slots=True)
class Means:
    """The weighted means of the scores in both sets.

    `queries`: how many cases have both scores.
    `rose`, `fell`, `same`: how many of them rose or fell by any amount, and stayed.
    """

    queries: int
    first: float
    second: float
    difference: float
    rose: int
    fell: int
    same: int


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference by a metric, in one variant of the search.

    `variant`: None if there are no variants.
    `undefined`: how many cases have no score by the metric.
    `low`, `high`: the bootstrap interval of the mean difference at 95 %.
    `p`: the p-value of the randomisation test.
    `adjusted_p`: the p-value adjusted after Holm over the metrics of the variant.
    `effect`: the effect size: Cohen's d of the pairs.
    `least_p`: the lowest adjusted p-value that this number of changed cases can give.

    A figure that is not defined is NaN.
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


def key_of(result: CaseResult) -> tuple[str, str, str]:
    """Return the key of a result by which pairs are sorted: file, id and variant."""
    return result.file, result.id, result.variant or ""


def has_relevant(result: CaseResult, metric: str) -> bool:
    """Say whether a case counts in the mean of a metric.

    A case counts if it has a relevant judgment, or if its judgments are not known. For
    a metric that compares rankings, or is the project's own, every case counts. A known
    item counts only for metrics that need no judgments of other results.
    """
    if is_similarity(metric) or is_own(metric):
        return True
    if result.is_known_item and not suits_known_items(metric_named(metric)):
        return False
    if result.metric.text in result.evaluation.scores:
        return result.score is not None
    if not result.evaluation.judgments:
        return True
    gains = result.conditions.settings.gains
    return any(gains[grade] > 0 for grade in result.evaluation.judgments)


def means_of(pairs: Sequence[ScorePair]) -> Means:
    """Return both weighted means, and how many scores rose, fell and stayed.

    Without a pair the means are NaN.
    """
    if not pairs:
        return Means(0, math.nan, math.nan, math.nan, 0, 0, 0)
    first = weighted_mean((pair.first, pair.weight) for pair in pairs)
    second = weighted_mean((pair.second, pair.weight) for pair in pairs)
    changes = [pair.change for pair in pairs]
    rose = sum(1 for change in changes if change > 0)
    fell = sum(1 for change in changes if change < 0)
    return Means(
        queries=len(pairs),
        first=first,
        second=second,
        difference=second - first,
        rose=rose,
        fell=fell,
        same=len(pairs) - rose - fell,
    )


def differences_of(
    family: Iterable[Scores], *, resamples: int = RESAMPLES, seed: int = 0
) -> list[Difference]:
    """Return the tested differences, with p-values adjusted together after Holm."""
    rows = [_tested(scores, resamples, seed) for scores in family]
    adjusted = significance.holm([row.p for row in rows])
    least = significance.holm([row.least_p for row in rows])
    return [
        replace(row, adjusted_p=p, least_p=low)
        for row, p, low in zip(rows, adjusted, least, strict=True)
    ]


def untested(scores: Scores) -> Difference:
    """Return the difference of the means without a test: all other figures are NaN.

    Similarities of two rankings are not tested: in the first run each of them is 1.
    """
    return Difference(
        variant=scores.variant,
        metric=scores.metric,
        means=means_of(scores.pairs),
        undefined=scores.undefined,
        low=math.nan,
        high=math.nan,
        p=math.nan,
        adjusted_p=math.nan,
        effect=math.nan,
        least_p=math.nan,
    )


def _tested(scores: Scores, resamples: int, seed: int) -> Difference:
    """Return a difference with its interval, its p-value and its effect size."""
    pairs = sorted(scores.pairs, key=_order_of_pair)
    test = _test(pairs, resamples, seed)
    low, high = _interval(pairs, seed)
    effect = significance.effect_size(
        [pair.first for pair in pairs],
        [pair.second_without_rounding for pair in pairs],
        weights=[pair.weight for pair in pairs],
    )
    return replace(
        untested(scores),
        low=low,
        high=high,
        p=test.p,
        adjusted_p=test.p,
        effect=effect,
        least_p=test.least_p,
    )


def _test(
    pairs: Sequence[ScorePair], resamples: int, seed: int
) -> significance.FlipTest:
    """Return the test whether the mean change of pairs is 0; NaN without a pair."""
    if not pairs:
        return significance.FlipTest(p=math.nan, least_p=math.nan)
    terms = [pair.change * pair.weight for pair in pairs if pair.change]
    return significance.sign_flip_test(terms, resamples=resamples, seed=seed)


@dataclass(frozen=True, slots=True)
class MeanChange:
    """The change of the mean nDCG@k over the cases that have a score now and before.

    `p`: the p-value of the paired randomisation test, with the weights of the cases.
    `low`, `high`: the bootstrap interval of the mean change at 95 %.
    `total`: how many cases have a score now, or should have one.
    """

    means: Means
    p: float
    low: float
    high: float
    total: int


def score_before(result: CaseResult, metric: str | None = None) -> float | None:
    """Return the score of the accepted ranking under the present judgments.

    `metric`: its name; by default nDCG@k. None if the baseline has no such score.
    """
    if result.baseline is None:
        return None
    if metric is None or metric == result.metric.text:
        return result.baseline.score
    return result.baseline.scores.get(metric)


@dataclass(frozen=True, slots=True)
class LatencyChange:
    """Figures of the latency, in seconds, as (before, now).

    `cases`: how many cases were called in the same way before and now.
    `p50`, `p95`: percentiles; None if there are too few cases for the percentile.
    `longest`: the greatest latency.
    """

    cases: int
    p50: tuple[float, float] | None
    p95: tuple[float, float] | None
    longest: tuple[float, float]


def latency_change(changes: Iterable[Change]) -> LatencyChange | None:
    """Return the change of the latency over cases that were called in the same way.

    None if there are no such cases.
    """
    before, after = [], []
    for change in changes:
        if change.before is None:
            continue
        was, now = change.before.latency, change.after.latency
        if was is not None and now is not None:
            before.append(was)
            after.append(now)
    if not before:
        return None
    percentiles: dict[int, tuple[float, float]] = {}
    for percent in (50, 95):
        if len(before) >= values_needed(percent):
            percentiles[percent] = (
                percentile(before, percent),
                percentile(after, percent),
            )
    return LatencyChange(
        cases=len(before),
        p50=percentiles.get(50),
        p95=percentiles.get(95),
        longest=(max(before), max(after)),
    )


def set_depths(metrics: Iterable[Metric], results: Iterable[CaseResult]) -> list[int]:
    """Return the different depths that case files set for some results, ascending.

    A result counts only if one of the metrics looks at its whole ranking.
    """
    asked = list(metrics)
    depths = set()
    for result in results:
        conditions = result.conditions
        if conditions.is_depth_set and conditions.depth:
            needed = [ranks_needed(metric, conditions.settings) for metric in asked]
            if None in needed:
                depths.add(conditions.depth)
    return sorted(depths)


def score_pairs(
    results: Iterable[CaseResult], metric: str | None = None
) -> list[ScorePair]:
    """Return the scores of the accepted and the present ranking, of cases with both.

    `metric`: the metric of the scores; by default nDCG@k.
    """
    return score_pairs_of(Change.since_baseline(result, metric) for result in results)


def alike_changes(changes: Iterable[Change]) -> list[Change]:
    """Return the changes whose scores can be averaged.

    Known items are scored by RR@k, and other cases by nDCG@k. So known items are left
    out if there are other cases. Changes by a metric that is named are all kept.
    """
    changes = list(changes)
    judged = []
    for change in changes:
        if change.metric is not None or not change.case.is_known_item:
            judged.append(change)
    return judged or changes


def score_pairs_of(changes: Iterable[Change]) -> list[ScorePair]:
    """Return the scores before and now of each change that has both.

    If a change names a metric, a case without relevant judgments is left out
    (`has_relevant`).
    """
    pairs = []
    for change in alike_changes(changes):
        before, after = change.score_before, change.score_after
        if before is None or after is None:
            continue
        case = change.case
        if change.metric is None or has_relevant(case, change.metric):
            weight = case.weight_of_change
            pairs.append(ScorePair(key_of(case), before, after, weight))
    return pairs


def mean_change(results: Iterable[CaseResult]) -> MeanChange | None:
    """Return the change of the mean nDCG@k of cases since their baseline.

    A query counts once for all its variants. None if no case has both scores.
    """
    return mean_change_of(Change.since_baseline(result) for result in results)


def mean_change_of(
    changes: Iterable[Change], *, resamples: int = RESAMPLES, seed: int = 0
) -> MeanChange | None:
    """Return the change of the mean of cases, by the metric of their changes.

    A query that ran in several variants counts once, with the means of its scores. None
    if no case has both scores.
    """
    changes = alike_changes(changes)
    scored = []
    for change in changes:
        if change.score_after is not None or _was_to_score(change.case):
            scored.append(key_of(change.case))
    pairs = by_query(score_pairs_of(changes))
    if not pairs:
        return None
    total = len(scored)
    variants = {variant for _, _, variant in scored}
    if len(variants) > 1:
        total = len({(file, case) for file, case, _ in scored})
    return change_of(pairs, total, resamples=resamples, seed=seed)


def _was_to_score(result: CaseResult) -> bool:
    """Say whether a case has a score, or has none because its search failed."""
    has_score = result.score is not None or result.verdict in WITHOUT_SCORE
    return has_score and result.status != SKIPPED


def by_query(pairs: Sequence[ScorePair]) -> list[ScorePair]:
    """Return a pair for each query, with the means of its scores in all variants.

    If all pairs are of one variant, they are returned as they are.
    """
    variants = set()
    pairs_of: dict[tuple[str, str], list[ScorePair]] = {}
    for pair in pairs:
        file, case, variant = pair.key
        variants.add(variant)
        pairs_of.setdefault((file, case), []).append(pair)
    if len(variants) < 2:
        return list(pairs)
    merged = []
    for (file, case), own in pairs_of.items():
        first = math.fsum(pair.first for pair in own) / len(own)
        second = math.fsum(pair.second for pair in own) / len(own)
        key = (file, case, "")
        merged.append(ScorePair(key, first, second, weight=own[0].weight))
    return merged


def change_of(
    pairs: Iterable[ScorePair],
    total: int,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> MeanChange:
    """Return the change of the mean of pairs.

    `total`: how many cases have a score now, or should have one.
    """
    ordered = tuple(sorted(pairs, key=_order_of_pair))
    return _change_of(ordered, total, resamples, seed)


def _order_of_pair(pair: ScorePair) -> tuple[tuple[str, str, str], float, float]:
    return pair.key, pair.first, pair.second


@lru_cache(maxsize=1)  # several parts of a report ask for the same cases
def _change_of(
    pairs: tuple[ScorePair, ...], total: int, resamples: int, seed: int
) -> MeanChange:
    """Return the change of the mean of pairs, with its p-value and its interval.

    `pairs`: in the order of their keys, so that equal pairs are computed once.
    `total`: how many cases have a score now, or should have one.
    """
    low, high = _interval(pairs, seed)
    return MeanChange(
        means=means_of(pairs),
        p=_test(pairs, resamples, seed).p,
        low=low,
        high=high,
        total=total,
    )


def _interval(pairs: Sequence[ScorePair], seed: int) -> tuple[float, float]:
    """Return (low, high): the interval of the mean change at 95 %.

    0 to 0 if no score changed; NaN without a pair.
    """
    if pairs and not any(pair.change for pair in pairs):
        return 0.0, 0.0  # numpy is not needed
    interval = significance.bootstrap_interval(
        [pair.first for pair in pairs],
        [pair.second_without_rounding for pair in pairs],
        weights=[pair.weight for pair in pairs],
        seed=seed,
    )
    return interval.low, interval.high
