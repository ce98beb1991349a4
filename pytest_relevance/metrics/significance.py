"""Compare two runs over the same queries: randomisation test, effect size, bootstrap, Holm's correction.

The randomisation test is the recommended one (Smucker, Allan & Carterette, CIKM 2007; Urbano, Lima & Hanjalic, SIGIR
2019). Scores are sequences of shape (Q,), a score per query, in the same order for both runs. All results describe
second - first. Pairs in which either score is NaN are left out. For the t-test, Wilcoxon's test and the sign test pass
the same scores to `scipy.stats`.

The test of few changes is in plain Python (`exact_p`, `drawn_p`), for a run that must not import numpy.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from operator import add
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy.typing as npt

    from .compiled import Floats

_MOST_SIGNS = 1_000_000_000
"""The most signs that are drawn: 100,000 flips of 10,000 pairs."""

_BLOCK = 1 << 20
"""The number of random bytes, or of drawn indexes, in memory at a time."""

EXACT_PAIRS = 20
"""The most differing pairs for which all sign flips are counted: 2^20 sums."""

PLAIN_PAIRS = 128
"""The most differing pairs whose flips are drawn here: 100,000 flips of 128 take as long as importing numpy."""

_DRAWN = 20_000
"""How many flips are drawn at a time."""

TOLERANCE = 1e-12
"""Sums closer than this are equal: they differ by rounding alone. Relative to the sum of the absolute differences."""


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
    Sums that differ by less than 1e-12 of the sum of absolute differences are equal. Without a differing pair p is 1,
    without any pair NaN. With n differing pairs p is at least 2 / 2^n, and at least 1 / (resamples + 1) where flips are
    drawn: that is `least_p`.

    Raises:
        ValueError: the scores are not two sequences of one length, a weight is not a finite number above 0, or
            `resamples` is below 1 where flips are drawn.
    """
    differences, shares = _differences(first, second, weights)
    mean = float(differences @ shares)
    if not differences.size:
        return PairedTest(math.nan, math.nan, 0)
    terms = (differences * shares)[differences != 0]
    least = least_p(terms.tolist())
    if terms.size <= EXACT_PAIRS:
        return PairedTest(mean, exact_p(terms.tolist()), differences.size, least_p=least)
    _check_resamples(resamples)
    resamples = min(resamples, max(1_000, _MOST_SIGNS // terms.size))
    if terms.size <= PLAIN_PAIRS:
        p = drawn_p(terms.tolist(), resamples, seed)
    else:
        found = abs(float(terms.sum())) - TOLERANCE * float(abs(terms).sum())
        p = (_count_flips(terms, found, resamples, seed) + 1) / (resamples + 1)
    return PairedTest(mean, p, differences.size, resamples, max(least, 1 / (resamples + 1)))


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
    return mean / deviation if deviation > TOLERANCE * abs(mean) else math.copysign(math.inf, mean)


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
    import numpy as np

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
    import numpy as np

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


def _count_flips(terms: Floats, found: float, resamples: int, seed: int) -> int:
    """Count the random flips whose sum is at least `found` away from 0.

    A random byte flips eight terms at once: it selects one of their 256 signed sums.
    """
    import numpy as np

    groups = -(-terms.size // 8)
    signs = np.where(np.arange(256) >> np.arange(8)[:, None] & 1, 1.0, -1.0)  # the eight that each byte encodes
    tables = np.pad(terms, (0, 8 * groups - terms.size)).reshape(groups, 8) @ signs
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


def exact_p(terms: Sequence[float]) -> float:
    """The two-sided p-value that the mean of the terms is 0: the share of sign flips at least as far from 0.

    `terms` are at most `EXACT_PAIRS` differences other than 0, each multiplied by its weight. 1 where there are none.
    """
    least = abs(fsum(terms)) - TOLERANCE * fsum(map(abs, terms))
    if least <= 0:
        return 1.0
    half = len(terms) // 2  # each of the 2^n sums is one of a flip of the first half and one of the second
    first, second = _all_flips(terms[:half]), sorted(_all_flips(terms[half:]))
    count = sum(len(second) - bisect_left(second, least - one) + bisect_right(second, -least - one) for one in first)
    return count / (len(first) * len(second))


def drawn_p(terms: Sequence[float], resamples: int, seed: int) -> float:
    """The p-value of `exact_p`, estimated from random flips: (count + 1) / (resamples + 1).

    A random byte flips eight terms at once: it selects one of their 256 signed sums.
    """
    least = abs(fsum(terms)) - TOLERANCE * fsum(map(abs, terms))
    tables = [_all_flips(terms[start : start + 8]) for start in range(0, len(terms), 8)]
    tables = [table * (256 // len(table)) for table in tables]
    source, count = Random(int(seed)), 0  # numpy's integers are no seeds for Python
    for start in range(0, resamples, _DRAWN):
        sums = [0.0] * min(_DRAWN, resamples - start)
        for table in tables:
            sums = [*map(add, sums, map(table.__getitem__, source.randbytes(len(sums))))]
        count += sum(abs(each) >= least for each in sums)
    return (count + 1) / (resamples + 1)


def least_p(terms: Sequence[float]) -> float:
    """The lowest p-value that so many terms can have: of the 2^n flips, the 2 of equal signs are farthest from 0.

    n counts the terms that matter: flipping one of less than `TOLERANCE` of the whole makes no other sum.
    """
    smallest = TOLERANCE * fsum(map(abs, terms))
    return 2.0 ** (1 - max(sum(abs(term) > smallest for term in terms), 1))


def _all_flips(terms: Sequence[float]) -> list[float]:
    """The sums of all 2^n sign flips of n terms."""
    sums = [0.0]
    for term in terms:
        sums = [each - term for each in sums] + [each + term for each in sums]
    return sums
