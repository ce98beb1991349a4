"""Compute how sure the difference between two runs over the same queries is.

The module has the randomisation test, the effect size, the bootstrap interval, and
Holm's correction for several metrics. The randomisation test is the recommended one
(Smucker, Allan & Carterette, CIKM 2007; Urbano, Lima & Hanjalic, SIGIR 2019). For a
t-test or Wilcoxon's test pass the same scores to `scipy.stats`.

Scores are sequences of shape (Q,), one score for each query, in the same order for both
runs. All results describe second - first. A pair in which either score is NaN is left
out.

numpy is imported only if samples are drawn. A run in which few cases changed does not
need it.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

MOST_ENUMERATED = 20
"""The most differing pairs for which all sign flips are counted: 2^20 sums."""

MOST_SIGNS = 100_000_000
"""The most signs that are drawn in all: 100,000 flips of 1,000 pairs."""

FEWEST_FLIPS = 1_000
"""How many flips are drawn at least, however many pairs there are."""

MOST_DRAWN_QUERIES = 50_000_000
"""The most queries that a bootstrap draws in all: 10,000 samples of 5,000."""

_AT_ONCE = 1 << 20
"""How many signs or queries are in memory at a time."""

TOLERANCE = 1e-12
"""Sums that differ by less are equal: they differ by rounding alone.

The tolerance is relative to the sum of the absolute differences.
"""


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The outcome of a two-sided randomisation test of two runs.

    `difference`: the (weighted) mean of second - first, which is the test statistic.
    `p`: the p-value; NaN if no query has both scores.
    `pairs`: the number of queries with both scores.
    `resamples`: how many random flips were drawn; None if all flips were counted.
    `least_p`: the lowest p-value that a test with as many differing pairs can give; NaN
    if no query has both scores.
    """

    difference: float
    p: float
    pairs: int
    resamples: int | None = None
    least_p: float = math.nan


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval of the (weighted) mean difference, from `low` to `high`.

    `difference`: the mean difference itself.
    `confidence`: for example 0.95.
    `resamples`: how many samples were drawn.
    """

    difference: float
    low: float
    high: float
    confidence: float
    resamples: int


@dataclass(frozen=True, slots=True)
class FlipTest:
    """The p-value of a sign-flip test.

    `least_p`: the lowest p-value that as many terms can give.
    `resamples`: how many random flips were drawn; None if all flips were counted.
    """

    p: float
    least_p: float
    resamples: int | None = None


def randomisation_test(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
    resamples: int = 100_000,
    seed: int = 0,
) -> PairedTest:
    """Test whether the mean difference is 0 (Fisher's sign-flip test).

    A flip gives each difference a sign, + or -. p is the share of flips whose mean is
    at least as far from 0 as the mean difference (Smucker et al. 2007). The order of
    the queries has no influence.

    - With at most 20 differing pairs all flips are counted and p is exact.
    - With more pairs, p = (count + 1) / (resamples + 1) over random flips.
    - With more than 1,000 differing pairs fewer than `resamples` flips are drawn: 10^8
      signs in all, but at least 1,000 flips.

    `weights`: the weights of the means, of shape (Q,), each above 0.
    `seed`: random flips are drawn from it.

    Sums that differ by less than 1e-12 of the sum of absolute differences are equal.
    p is 1 if no pair differs, and NaN if there is no pair.

    Raises:
        ValueError: the scores are not two sequences of one length, a weight is not a
            finite number above 0, or `resamples` is below 1.
    """
    _check_resamples(resamples)
    differences, shares = _differences(first, second, weights)
    if not differences.size:
        return PairedTest(difference=math.nan, p=math.nan, pairs=0)
    terms = (differences * shares)[differences != 0]
    test = sign_flip_test(terms.tolist(), resamples=resamples, seed=seed)
    return PairedTest(
        difference=float(differences @ shares),
        p=test.p,
        pairs=differences.size,
        resamples=test.resamples,
        least_p=test.least_p,
    )


def sign_flip_test(
    terms: Sequence[float], *, resamples: int = 100_000, seed: int = 0
) -> FlipTest:
    """Test whether the mean of the terms is 0 (Fisher's sign-flip test).

    `terms`: the differences that are not 0, each multiplied by its weight.
    """
    if len(terms) <= MOST_ENUMERATED:
        return FlipTest(p=exact_p(terms), least_p=least_p(terms))
    resamples = min(resamples, max(FEWEST_FLIPS, MOST_SIGNS // len(terms)))
    return FlipTest(
        p=drawn_p(terms, resamples, seed),
        least_p=max(least_p(terms), 1 / (resamples + 1)),
        resamples=resamples,
    )


def exact_p(terms: Sequence[float]) -> float:
    """Return the share of sign flips whose sum is at least as far from 0 as the terms'.

    1 if there are no terms. n terms have 2^n flips. But each sum is a sum of the first
    half of the terms plus one of the second half, so 2^(n/2) sums of each half are
    enough.
    """
    bound = _distance(terms)
    if bound <= 0:
        return 1.0
    half = len(terms) // 2
    first_sums = _sums_of_flips(terms[:half])
    second_sums = sorted(_sums_of_flips(terms[half:]))
    count = 0
    for one in first_sums:
        count += len(second_sums) - bisect_left(second_sums, bound - one)
        count += bisect_right(second_sums, -bound - one)
    return count / (len(first_sums) * len(second_sums))


def drawn_p(terms: Sequence[float], resamples: int, seed: int) -> float:
    """Return `exact_p`, estimated by random flips: (count + 1) / (resamples + 1)."""
    import numpy as np

    bound = _distance(terms)
    ordered = np.sort(np.array(terms, np.float64))
    generator = np.random.default_rng(int(seed))
    at_once = max(1, _AT_ONCE // ordered.size)
    count = 0
    for start in range(0, resamples, at_once):
        size = min(at_once, resamples - start)
        signs = generator.choice([-1.0, 1.0], size=(size, ordered.size))
        count += int(np.count_nonzero(abs(signs @ ordered) >= bound))
    return (count + 1) / (resamples + 1)


def least_p(terms: Sequence[float]) -> float:
    """Return the lowest p-value that a test with n terms can give: 2 / 2^n.

    Of the 2^n flips, the two with equal signs are farthest from 0. n leaves out terms
    that are less than `TOLERANCE` of the whole, because their signs do not change the
    sum.
    """
    smallest = TOLERANCE * math.fsum(map(abs, terms))
    count = 0
    for term in terms:
        if abs(term) > smallest:
            count += 1
    return 2.0 ** (1 - max(count, 1))


def _distance(terms: Sequence[float]) -> float:
    """Return the absolute sum of the terms, less a tolerance for rounding."""
    return abs(math.fsum(terms)) - TOLERANCE * math.fsum(map(abs, terms))


def _sums_of_flips(terms: Sequence[float]) -> list[float]:
    """Return the sums of all 2^n sign flips of n terms."""
    sums = [0.0]
    for term in terms:
        lower = [total - term for total in sums]
        higher = [total + term for total in sums]
        sums = lower + higher
    return sums


def effect_size(
    first: npt.ArrayLike, second: npt.ArrayLike, *, weights: npt.ArrayLike | None = None
) -> float:
    """Return Cohen's d_z: the mean difference / the deviation of the differences.

    The deviation is the root of the variance, which has the weights of the mean and the
    factor n / (n - 1). 0 if no pair differs, infinite if all differ by the same amount,
    NaN for fewer than two pairs.

    Raises:
        ValueError: the scores are not two sequences of one length, or a weight is not a
            finite number above 0.
    """
    differences, shares = _differences(first, second, weights)
    size = differences.size
    if size < 2:
        return math.nan
    if not differences.any():
        return 0.0
    mean = float(differences @ shares)
    variance = float((differences - mean) ** 2 @ shares) * size / (size - 1)
    deviation = math.sqrt(variance)
    if deviation <= TOLERANCE * abs(mean):
        return math.copysign(math.inf, mean)
    return mean / deviation


def bootstrap_interval(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Return the percentile bootstrap interval of the (weighted) mean difference.

    Queries are drawn with replacement `resamples` times, from `seed`. With more than
    5,000 queries they are drawn fewer times: 50 million queries in all, but at least
    1,000 times. The difference, `low` and `high` are NaN if no query has both scores.

    Source: Efron & Tibshirani 1993, chapter 13.

    Raises:
        ValueError: `confidence` is not between 0 and 1, `resamples` is below 1, the
            scores are not two sequences of one length, or a weight is not a finite
            number above 0.
    """
    if not 0 < confidence < 1:
        raise ValueError(
            f"confidence is a number between 0 and 1, such as 0.95, not {confidence!r}"
        )
    _check_resamples(resamples)
    differences, shares = _differences(first, second, weights)
    size = differences.size
    if not size:
        return Interval(math.nan, math.nan, math.nan, confidence, 0)
    import numpy as np

    resamples = min(resamples, max(1_000, MOST_DRAWN_QUERIES // size))
    generator = np.random.default_rng(seed)
    terms = differences * shares
    means = np.empty(resamples)
    at_once = max(1, _AT_ONCE // size)
    for start in range(0, resamples, at_once):
        count = min(at_once, resamples - start)
        drawn = generator.integers(0, size, (count, size), dtype=np.int32)
        weight = shares[drawn].sum(axis=1)
        means[start : start + count] = terms[drawn].sum(axis=1) / weight
    ends = [(1 - confidence) / 2, (1 + confidence) / 2]
    low, high = np.quantile(means, ends).tolist()
    return Interval(
        difference=float(terms.sum()),
        low=low,
        high=high,
        confidence=confidence,
        resamples=resamples,
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values of several tests, adjusted by the method of Holm 1979.

    The order stays, and NaN stays NaN.
    """
    defined = []
    for index, p in enumerate(p_values):
        if not math.isnan(p):
            defined.append((p, index))
    adjusted = [math.nan] * len(p_values)
    highest = 0.0
    for place, (p, index) in enumerate(sorted(defined)):
        tests_left = len(defined) - place
        highest = max(highest, min(1.0, p * tests_left))
        adjusted[index] = highest
    return adjusted


def _differences(
    first: npt.ArrayLike, second: npt.ArrayLike, weights: npt.ArrayLike | None
) -> tuple[Floats, Floats]:
    """Return the differences second - first, and their weights, which sum to 1.

    Queries without both scores are left out.

    Raises ValueError if the lists have different lengths, or a weight is not a finite
    number above 0.
    """
    import numpy as np

    before, after = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if before.ndim != 1 or before.shape != after.shape:
        raise ValueError(
            "a paired test compares two lists of scores of the same queries; the shapes "
            f"are {before.shape} and {after.shape}"
        )
    is_defined = ~(np.isnan(before) | np.isnan(after))
    differences = (after - before)[is_defined]
    if weights is None:
        return differences, np.full(differences.size, 1.0 / max(differences.size, 1))
    all_weights = np.asarray(weights, np.float64)
    are_valid = np.isfinite(all_weights) & (all_weights > 0)
    if all_weights.shape != before.shape or not are_valid.all():
        raise ValueError("the weights are one finite number above 0 for each query")
    counted = all_weights[is_defined]
    return differences, counted / (counted.sum() or 1.0)


def _check_resamples(resamples: int) -> None:
    if resamples < 1:
        raise ValueError(f"resamples is a whole number from 1 on, not {resamples!r}")
