"""Compare two runs over the same queries, and several raters of the same documents, with numpy.

For runs: randomisation test, effect size, bootstrap interval, Holm's correction; for raters: Krippendorff's alpha. The
randomisation test is a recommended one (Smucker, Allan & Carterette, CIKM 2007; Urbano, Lima & Hanjalic, SIGIR 2019).
Scores are sequences of shape (Q,), a score per query, in the same order for both runs. All results describe
second - first. Pairs in which either score is NaN are left out. For the t-test, Wilcoxon's test and the sign test pass
the same scores to `scipy.stats`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .compiled import Floats

EXACT_PAIRS = 20
"""The most differing pairs for which all sign flips are enumerated: 2^20 sums."""

_TOLERANCE = 1e-12
"""Sums closer than this are equal: they differ by rounding alone. Relative to the sum of the absolute differences."""

_MOST_SIGNS = 1_000_000_000
"""The most signs that are drawn: 100,000 flips of 10,000 pairs."""

_SIGNS = np.where(np.arange(256) >> np.arange(8)[:, None] & 1, 1.0, -1.0)
"""The eight signs that each byte encodes: shape (8, 256)."""

_BLOCK = 1 << 20
"""The number of random bytes, or of drawn indexes, in memory at a time."""


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The outcome of a two-sided randomisation test of two runs.

    `difference`: the (weighted) mean of second - first, which is the test statistic. `p`: the p-value; NaN without a
    pair. `pairs`: the number of queries with both scores. `resamples`: the number of random flips that were drawn; None
    where all flips were enumerated. `least_p`: the lowest p-value that this number of differing pairs can have,
    whatever their differences are; NaN without a pair.
    """

    difference: float
    p: float
    pairs: int
    resamples: int | None = None
    least_p: float = math.nan


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval of the (weighted) mean difference: `low` to `high` at `confidence`, around `difference`."""

    difference: float
    low: float
    high: float
    confidence: float
    resamples: int


def randomisation_test(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
    resamples: int = 100_000,
    seed: int = 0,
) -> PairedTest:
    """Test whether the mean difference is 0: the share of sign flips whose mean is at least as far from 0.

    Fisher's sign-flip test (Smucker et al. 2007), of the weighted mean with `weights` (shape (Q,), above 0). With at
    most 20 differing pairs all flips are enumerated and p is exact. With more, p is (count + 1) / (resamples + 1) over
    `resamples` flips drawn from `seed`; beyond 10,000 differing pairs fewer are drawn, a billion signs at most.
    Sums that differ by less than 1e-12 of the sum of |differences| are equal. Without a differing pair p is 1, without
    any pair NaN. With n differing pairs p is at least 2 / 2^n, and at least 1 / (resamples + 1) where flips are drawn:
    that is `least_p`.

    Raises:
        ValueError: the scores are not two sequences of one length, a weight is not a finite number above 0, or
            `resamples` is below 1 where flips are drawn.
    """
    differences, shares = _differences(first, second, weights)
    mean = float(differences @ shares)
    if not differences.size:
        return PairedTest(math.nan, math.nan, 0)
    terms = (differences * shares)[differences != 0]
    found = abs(float(terms.sum())) - _TOLERANCE * float(np.abs(terms).sum())
    if terms.size <= EXACT_PAIRS:
        sums = _all_flips(terms)
        p = int(np.count_nonzero(np.abs(sums) >= found)) / sums.size
        return PairedTest(mean, p, differences.size, least_p=_least_p(terms))
    _check_resamples(resamples)
    resamples = min(resamples, max(1_000, _MOST_SIGNS // terms.size))
    count = _count_flips(terms, found, resamples, seed)
    least = max(_least_p(terms), 1 / (resamples + 1))
    return PairedTest(mean, (count + 1) / (resamples + 1), differences.size, resamples, least)


def effect_size(first: npt.ArrayLike, second: npt.ArrayLike, *, weights: npt.ArrayLike | None = None) -> float:
    """Give the (weighted) mean difference in standard deviations of the differences (Cohen's d_z for pairs).

    0 when no pair differs, infinite when all differ by the same amount, NaN for fewer than two pairs. The variance is
    weighted as the mean is, times n / (n - 1).

    Raises:
        ValueError: the scores are not two sequences of one length, or a weight is not a finite number above 0.
    """
    differences, shares = _differences(first, second, weights)
    size = differences.size
    if size < 2:
        return math.nan
    if not differences.any():
        return 0.0
    mean = float(differences @ shares)
    deviation = math.sqrt(float((differences - mean) ** 2 @ shares) * size / (size - 1))
    return mean / deviation if deviation > _TOLERANCE * abs(mean) else math.copysign(math.inf, mean)


def bootstrap_interval(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Give the percentile bootstrap interval of the (weighted) mean difference (Efron & Tibshirani 1993, chapter 13).

    Queries are drawn with replacement `resamples` times from `seed`; beyond 5,000 queries fewer times, 50 million
    draws in all (but at least 1,000 times). All three numbers are NaN without a pair.

    Raises:
        ValueError: `confidence` is not between 0 and 1, `resamples` is below 1, the scores are not two sequences of
            one length, or a weight is not a finite number above 0.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is a number between 0 and 1, such as 0.95, not {confidence!r}")
    _check_resamples(resamples)
    differences, shares = _differences(first, second, weights)
    size = differences.size
    if not size:
        return Interval(math.nan, math.nan, math.nan, confidence, 0)
    resamples = min(resamples, max(1_000, 50_000_000 // size))
    generator = np.random.default_rng(seed)
    terms = differences * shares
    means = np.empty(resamples)
    block = max(1, _BLOCK // size)
    for start in range(0, resamples, block):
        drawn = generator.integers(0, size, (min(block, resamples - start), size), dtype=np.int32)
        if weights is None:
            means[start : start + block] = differences[drawn].mean(axis=1)
        else:
            means[start : start + block] = terms[drawn].sum(axis=1) / shares[drawn].sum(axis=1)
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    return Interval(float(terms.sum()), low, high, confidence, resamples)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust the p-values of several tests (one a metric) after Holm 1979; in the given order, NaN stays NaN."""
    defined = sorted((p, index) for index, p in enumerate(p_values) if not math.isnan(p))
    adjusted = [math.nan] * len(p_values)
    highest = 0.0
    for place, (p, index) in enumerate(defined):
        highest = max(highest, min(1.0, p * (len(defined) - place)))
        adjusted[index] = highest
    return adjusted


def _differences(first: npt.ArrayLike, second: npt.ArrayLike, weights: npt.ArrayLike | None) -> tuple[Floats, Floats]:
    """Give second - first where both are defined, and the share of each query in the mean (their sum is 1)."""
    before, after = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if before.ndim != 1 or before.shape != after.shape:
        raise ValueError(
            f"a paired test compares two lists of scores of the same queries; the shapes are {before.shape} "
            f"and {after.shape}"
        )
    defined = ~(np.isnan(before) | np.isnan(after))
    differences = (after - before)[defined]
    if weights is None:
        return differences, np.full(differences.size, 1.0 / max(differences.size, 1))
    heavy = np.asarray(weights, np.float64)
    if heavy.shape != before.shape or not (np.isfinite(heavy) & (heavy > 0)).all():
        raise ValueError("the weights are one finite number above 0 for each query")
    heavy = heavy[defined]
    return differences, heavy / (heavy.sum() or 1.0)


def _all_flips(terms: Floats) -> Floats:
    """Give the sums of all 2^n sign flips."""
    sums = np.zeros(1)
    for term in terms.tolist():
        sums = np.concatenate((sums - term, sums + term))
    return sums


def _least_p(terms: Floats) -> float:
    """Give the share of sign flips whose sum is as far from 0 as that of equal signs: 2 of the 2^n, else all.

    n counts the terms that matter: flipping one of less than `_TOLERANCE` of the whole makes no other sum.
    """
    sizes = np.abs(terms)
    effective = int(np.count_nonzero(sizes > _TOLERANCE * sizes.sum()))
    return 2.0 ** (1 - max(effective, 1))


def _count_flips(terms: Floats, found: float, resamples: int, seed: int) -> int:
    """Count the random flips whose sum is at least `found` away from 0.

    A random byte flips eight terms at once: it selects one of the 256 signed sums of these eight.
    """
    groups = -(-terms.size // 8)
    tables = np.pad(terms, (0, 8 * groups - terms.size)).reshape(groups, 8) @ _SIGNS
    source = np.random.PCG64(seed)
    block = min(resamples, max(2048, _BLOCK // groups))
    count = 0
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        words = source.random_raw(-(-groups * size // 8))
        picks = words.view(np.uint8)[: groups * size].reshape(groups, size)
        sums = np.zeros(size)
        for table, pick in zip(tables, picks, strict=True):
            sums += table[pick]
        count += int(np.count_nonzero(np.abs(sums) >= found))
    return count


def _check_resamples(resamples: int) -> None:
    if resamples < 1:
        raise ValueError(f"resamples is a whole number from 1 on, not {resamples!r}")


_Distance = Callable[[Floats, Floats], Floats]


def _nominal(values: Floats, counts: Floats) -> Floats:
    unequal: Floats = (values[:, None] != values).astype(np.float64)
    return unequal


def _ordinal(values: Floats, counts: Floats) -> Floats:
    """The ratings between two values, half of those at the ends included."""
    middles = np.cumsum(counts) - counts / 2
    return (middles[:, None] - middles) ** 2


def _interval(values: Floats, counts: Floats) -> Floats:
    return (values[:, None] - values) ** 2


def _ratio(values: Floats, counts: Floats) -> Floats:
    sums = values[:, None] + values
    shares = np.zeros(sums.shape)
    np.divide(values[:, None] - values, sums, out=shares, where=sums != 0)
    return shares**2


# The level of measurement, and the squared distance of two values, given how often each occurs.
LEVELS: Mapping[str, _Distance] = {"nominal": _nominal, "ordinal": _ordinal, "interval": _interval, "ratio": _ratio}


def krippendorff_alpha(ratings: Iterable[Sequence[float | None]], level: str = "ordinal") -> float:
    """Give Krippendorff's alpha: 1 less the disagreement within documents / that expected if ratings were shuffled.

    `ratings`: for each document the ratings it got, in any order and number; None and NaN are ratings that were not
    given. `level`: nominal, ordinal, interval or ratio. 1.0 is perfect agreement, 0.0 what chance gives, and below it
    raters contradict each other. NaN where no document has two ratings, or all ratings are the same: then nothing could
    have disagreed. Krippendorff, Content Analysis, 2004, chapter 11.

    Raises:
        ValueError: `level` is not a key of `LEVELS`, or the ratings of a document are a text.
    """
    if level not in LEVELS:
        raise ValueError(f"the level of measurement is one of {', '.join(LEVELS)}, not {level!r}")
    ratings = [*ratings]
    for of_one in ratings:
        if isinstance(of_one, str):  # the name of a column
            raise ValueError(
                f"the ratings of a document are numbers, not the text {of_one!r}; of a DataFrame with a row for each "
                "document and a column for each rater, pass `frame.to_numpy()`"
            )
    given = [[rating for rating in of_one if rating is not None and rating == rating] for of_one in ratings]
    given = [of_one for of_one in given if len(of_one) > 1]
    if not given:
        return math.nan
    sizes = np.array([len(of_one) for of_one in given])
    values, place = np.unique(
        np.array([rating for of_one in given for rating in of_one], np.float64), return_inverse=True
    )
    documents = np.repeat(np.arange(sizes.size), sizes)
    table = np.bincount(documents * values.size + place, minlength=sizes.size * values.size)
    table = table.reshape(sizes.size, values.size).astype(np.float64)
    weights = 1.0 / (sizes - 1)
    observed = (table * weights[:, None]).T @ table - np.diag(weights @ table)
    counts: Floats = table.sum(axis=0)
    expected = (np.outer(counts, counts) - np.diag(counts)) / (counts.sum() - 1)
    distances = LEVELS[level](values, counts)
    chance = float((expected * distances).sum())
    return 1.0 - float((observed * distances).sum()) / chance if chance else math.nan
