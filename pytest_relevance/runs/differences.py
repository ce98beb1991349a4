"""The differences of two runs in figures: a row a metric and variant with its test, and the means by tag.

All are second - first, over the cases where both scores are defined, weighted as the cases are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pytest_relevance.metrics.compiled import Floats, Indexes, Mask
from pytest_relevance.metrics.significance import bootstrap_interval, effect_size, holm, randomisation_test

TIE = 1e-9
"""Scores that are no farther apart are the same: rounding alone is no change."""

CONFIDENCE = 0.95

BOOTSTRAP_RESAMPLES = 10_000

_MANY_PAIRS = 50_000
_FEW_DRAWS = (5_000, 500)
"""How often signs and pairs are drawn where there are many pairs: each draw costs as many numbers as there are."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The scores of both runs by a metric, a pair of results after the other; NaN where one is not defined.

    `applies` to all pairs, or to those whose own nDCG@k it is.
    """

    metric: str
    first: Floats
    second: Floats
    applies: Mask


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
    """What a metric says of two runs, in one variant of the search (None: there are none).

    `undefined` cases have no score by it. `low` to `high` is the bootstrap interval of the difference at 95 %; `p` the
    randomisation test's, `adjusted_p` after Holm over the metrics of the variant; `effect` is Cohen's d of the pairs.
    NaN where something is not defined. `least_p` is the lowest adjusted p-value that is possible with as many cases
    that changed.
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
    columns: Sequence[Column],
    weights: Floats,
    variants: Mapping[str | None, Indexes],
    *,
    resamples: int,
    seed: int,
) -> tuple[Difference, ...]:
    """A row a variant and metric. `variants` are the indexes of the pairs of each."""
    rows: list[Difference] = []
    for variant, indexes in variants.items():
        family = []
        for column in columns:
            chosen = indexes[column.applies[indexes]]
            if chosen.size:
                family.append(_tested(variant, column, chosen, weights, resamples, seed))
        adjusted, least = holm([row.p for row in family]), holm([row.least_p for row in family])
        rows += [
            replace(row, adjusted_p=p, least_p=least_p) for row, p, least_p in zip(family, adjusted, least, strict=True)
        ]
    return tuple(rows)


def _tested(
    variant: str | None, column: Column, chosen: Indexes, weights: Floats, resamples: int, seed: int
) -> Difference:
    found = means(column, chosen, weights)
    # in an order of their own: whichever worker was first, the same signs are drawn for the same scores
    chosen = chosen[np.lexsort((weights[chosen], column.second[chosen], column.first[chosen]))]
    first = column.first[chosen]
    second = without_noise(first, column.second[chosen])
    shares = weights[chosen] if np.ptp(weights[chosen]) else None  # equal weights are none, which is faster
    draws = _FEW_DRAWS if chosen.size > _MANY_PAIRS else (resamples, BOOTSTRAP_RESAMPLES)
    test = randomisation_test(first, second, weights=shares, resamples=min(resamples, draws[0]), seed=seed)
    interval = bootstrap_interval(first, second, weights=shares, confidence=CONFIDENCE, resamples=draws[1], seed=seed)
    effect = effect_size(first, second, weights=shares)
    undefined = int(chosen.size) - found.queries
    return Difference(
        variant, column.metric, found, undefined, interval.low, interval.high, test.p, test.p, effect, test.least_p
    )


def means(column: Column, chosen: Indexes, weights: Floats) -> Means:
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
    columns: Sequence[Column],
    weights: Floats,
    variants: Mapping[str | None, Indexes],
    tags: Mapping[str, Indexes],
) -> tuple[TagDifference, ...]:
    """A row a variant, metric and tag, the largest drop of each metric first. `tags` are the indexes of the pairs."""
    rows: list[TagDifference] = []
    for variant, indexes in variants.items():
        for column in columns:
            is_own = np.zeros(column.applies.size, np.bool_)
            is_own[indexes] = column.applies[indexes]
            chosen = {tag: tagged[is_own[tagged]] for tag, tagged in tags.items()}
            found = [
                TagDifference(variant, column.metric, tag, means(column, own, weights))
                for tag, own in chosen.items()
                if own.size
            ]
            rows += sorted(found, key=_drop)
    return tuple(rows)


def _drop(row: TagDifference) -> tuple[float, str]:
    """The largest drop comes first, what is not defined last."""
    difference = row.means.difference
    return math.inf if math.isnan(difference) else difference, row.tag


def without_noise(first: Floats, second: Floats) -> Floats:
    """The second scores, the same as the first where rounding alone sets them apart."""
    return np.where(np.abs(second - first) <= TIE, first, second)
