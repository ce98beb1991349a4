"""Tests between two runs over the same queries: is the difference of their means more than chance?

The paired t-test and the randomisation test are the recommended ones (Smucker, Allan & Carterette, CIKM 2007; Urbano,
Lima & Hanjalic, SIGIR 2019); Wilcoxon and sign tests are here because people ask for them, and err more often on large
sets. All are two-sided and speak of second - first. Pairs in which either score is NaN are left out.

A test with a new name is a function of this module and a row of `TESTS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .compiled import Floats
from .distributions import binomial_tail, normal_tail, signed_rank_tail, t_tail

# Up to so many differing pairs all sign flips are counted: 2^20 sums.
EXACT_PAIRS = 20
# Up to so many differing pairs the signed-rank distribution is exact.
EXACT_RANKS = 50

# Sums that differ by rounding alone are equal; relative to the sum of the absolute differences.
_TOLERANCE = 1e-12

# How many signs are drawn at most: 100,000 flips of 10,000 pairs.
_MOST_SIGNS = 1_000_000_000

# The eight signs that each byte stands for: shape (8, 256).
_SIGNS = np.where(np.arange(256) >> np.arange(8)[:, None] & 1, 1.0, -1.0)

# How many random bytes, or drawn indexes, are held at a time.
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The outcome of a test of two runs.

    `difference`: the (weighted) mean of second - first. `statistic`: what the test compares. `p`: the two-sided
    p-value; NaN where the test is not defined. `pairs`: how many queries had both scores. `resamples`: how many random
    flips were drawn; None for a test that draws none. `least_p`: the lowest p-value that as many differing pairs can
    have, whatever their differences are; NaN where it is not known.
    """

    test: str
    difference: float
    statistic: float
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
    """Flip the signs of the differences at random and count how often their mean is as far from 0 as it was found.

    Fisher's sign-flip test (Smucker et al. 2007), of the weighted mean with `weights`. Up to 20 differing pairs all
    flips are counted and p is exact; beyond, p is (count + 1) / (resamples + 1) with `resamples` drawn from `seed`,
    fewer where more than 10,000 pairs differ, so that no more than a billion signs are drawn.
    Sums that differ by less than 1e-12 of the sum of |differences| are the same. Without a differing pair p is 1,
    without any pair NaN. The statistic is the mean difference. No p is below 2 / 2^n for n differing pairs, nor below
    1 / (resamples + 1) where flips are drawn: that is `least_p`.
    """
    differences, shares = _differences(first, second, weights)
    mean = float(differences @ shares)
    if not differences.size:
        return PairedTest("randomisation", math.nan, math.nan, math.nan, 0)
    terms = (differences * shares)[differences != 0]
    found = abs(float(terms.sum())) - _TOLERANCE * float(np.abs(terms).sum())
    if terms.size <= EXACT_PAIRS:
        sums = _all_flips(terms)
        p = int(np.count_nonzero(np.abs(sums) >= found)) / sums.size
        return PairedTest("randomisation", mean, mean, p, differences.size, least_p=_least_p(terms))
    _check_resamples(resamples)
    resamples = min(resamples, max(1_000, _MOST_SIGNS // terms.size))
    count = _count_flips(terms, found, resamples, seed)
    least = max(_least_p(terms), 1 / (resamples + 1))
    return PairedTest("randomisation", mean, mean, (count + 1) / (resamples + 1), differences.size, resamples, least)


def paired_t_test(first: npt.ArrayLike, second: npt.ArrayLike) -> PairedTest:
    """Student's t-test of the mean difference, n - 1 degrees of freedom.

    NaN for fewer than two pairs; p is 1 when no pair differs and 0 when all differ by the same amount.
    """
    differences, _ = _differences(first, second, None)
    size = differences.size
    if size < 2:
        return PairedTest("t", float(differences.mean()) if size else math.nan, math.nan, math.nan, size)
    mean = float(differences.mean())
    error = float(differences.std(ddof=1)) / math.sqrt(size)
    if not differences.any():
        return PairedTest("t", 0.0, 0.0, 1.0, size)
    t = math.copysign(math.inf, mean) if error == 0 else mean / error
    return PairedTest("t", mean, t, t_tail(t, size - 1), size)


def wilcoxon_test(first: npt.ArrayLike, second: npt.ArrayLike) -> PairedTest:
    """Wilcoxon's signed-rank test on the ranks of |difference|: pairs that do not differ left out, ties at mean ranks.

    Exact (with ties too) up to 50 differing pairs, else by the normal approximation with its correction for ties. The
    statistic is the smaller of the two rank sums, as in scipy. p is 1 when no pair differs.
    """
    differences, _ = _differences(first, second, None)
    mean = float(differences.mean()) if differences.size else math.nan
    differing = differences[differences != 0]
    if not differing.size:
        return PairedTest("wilcoxon", mean, 0.0, 1.0 if differences.size else math.nan, differences.size)
    _, place, ties = np.unique(np.abs(differing), return_inverse=True, return_counts=True)
    last = np.cumsum(ties)
    doubled = (2 * last - ties + 1)[place]
    positive, total = int(doubled[differing > 0].sum()), int(doubled.sum())
    size = differing.size
    if size <= EXACT_RANKS:
        p = signed_rank_tail(doubled, positive)
    else:
        variance = size * (size + 1) * (2 * size + 1) / 24 - float((ties**3 - ties).sum()) / 48
        p = normal_tail((positive / 2 - total / 4) / math.sqrt(variance))
    return PairedTest("wilcoxon", mean, min(positive, total - positive) / 2, p, differences.size)


def sign_test(first: npt.ArrayLike, second: npt.ArrayLike) -> PairedTest:
    """Compare how many queries got better and worse by the binomial distribution; exact, pairs that tie left out.

    The statistic is the number that got better. p is 1 when no pair differs.
    """
    differences, _ = _differences(first, second, None)
    better, worse = int((differences > 0).sum()), int((differences < 0).sum())
    if not differences.size:
        return PairedTest("sign", math.nan, math.nan, math.nan, 0)
    return PairedTest(
        "sign", float(differences.mean()), better, binomial_tail(better, better + worse), differences.size
    )


def effect_size(first: npt.ArrayLike, second: npt.ArrayLike, *, weights: npt.ArrayLike | None = None) -> float:
    """Give the (weighted) mean difference in standard deviations of the differences (Cohen's d for pairs).

    0 when no pair differs, infinite when all differ by the same amount, NaN for fewer than two pairs. The variance is
    weighted as the mean is, times n / (n - 1).
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

    Queries are drawn with replacement `resamples` times from `seed`, fewer times beyond 5,000 queries, where 50
    million draws are enough. NaN without a pair.
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


TESTS: Mapping[str, Callable[[npt.ArrayLike, npt.ArrayLike], PairedTest]] = {
    "randomisation": randomisation_test,
    "t": paired_t_test,
    "wilcoxon": wilcoxon_test,
    "sign": sign_test,
}


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
