"""Statistics: how sure the difference of two runs over the same queries is, and how far raters agree.

Of two runs: randomisation test, effect size, bootstrap, Holm's correction. Of raters: Krippendorff's alpha of any
number of them; of two also Cohen's kappa and what lies behind it.

The randomisation test is the recommended one (Smucker, Allan & Carterette, CIKM 2007; Urbano, Lima & Hanjalic, SIGIR
2019). Scores are sequences of shape (Q,), a score per query, in the same order for both runs. All results describe
second - first. Pairs in which either score is NaN are left out. For the t-test, Wilcoxon's test and the sign test pass
the same scores to `scipy.stats`.

The test of few changes is in plain Python (`exact_p`, `drawn_p`), for a run that must not import numpy.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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

_GROUPS = 512
"""For how many groups of eight differences random bytes are drawn at a time: a multiple of 8, as they come in words."""

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
        return PairedTest(
            mean, exact_p(terms.tolist()), differences.size, least_p=least
        )
    _check_resamples(resamples)
    resamples = min(resamples, max(1_000, _MOST_SIGNS // terms.size))
    if terms.size <= PLAIN_PAIRS:
        p = drawn_p(terms.tolist(), resamples, seed)
    else:
        found = abs(float(terms.sum())) - TOLERANCE * float(abs(terms).sum())
        p = (_count_flips(terms, found, resamples, seed) + 1) / (resamples + 1)
    return PairedTest(
        mean, p, differences.size, resamples, max(least, 1 / (resamples + 1))
    )


def effect_size(
    first: npt.ArrayLike, second: npt.ArrayLike, *, weights: npt.ArrayLike | None = None
) -> float:
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
    return (
        mean / deviation
        if deviation > TOLERANCE * abs(mean)
        else math.copysign(math.inf, mean)
    )


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
        raise ValueError(
            f"confidence is a number between 0 and 1, such as 0.95, not {confidence!r}"
        )
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
        drawn = generator.integers(
            0, size, (min(block, resamples - start), size), dtype=np.int32
        )
        if weights is None:
            means[start : start + block] = differences[drawn].mean(axis=1)
        else:
            means[start : start + block] = terms[drawn].sum(axis=1) / shares[drawn].sum(
                axis=1
            )
    low, high = np.quantile(
        means, [(1 - confidence) / 2, (1 + confidence) / 2]
    ).tolist()
    return Interval(float(terms.sum()), low, high, confidence, resamples)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust the p-values of several tests (one a metric) after Holm 1979; in the given order, NaN stays NaN."""
    defined = sorted(
        (p, index) for index, p in enumerate(p_values) if not math.isnan(p)
    )
    adjusted = [math.nan] * len(p_values)
    highest = 0.0
    for place, (p, index) in enumerate(defined):
        highest = max(highest, min(1.0, p * (len(defined) - place)))
        adjusted[index] = highest
    return adjusted


def _differences(
    first: npt.ArrayLike, second: npt.ArrayLike, weights: npt.ArrayLike | None
) -> tuple[Floats, Floats]:
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
    signs = np.where(
        np.arange(256) >> np.arange(8)[:, None] & 1, 1.0, -1.0
    )  # the eight that each byte encodes
    tables = np.pad(terms, (0, 8 * groups - terms.size)).reshape(groups, 8) @ signs
    source = np.random.PCG64(seed)
    block = min(resamples, max(2048, _BLOCK // groups))
    count = 0
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        sums, taken = np.zeros(size), np.empty(size)
        for first in range(0, groups, _GROUPS):
            some = tables[first : first + _GROUPS]
            words = source.random_raw(-(-len(some) * size // 8))
            picks = words.view(np.uint8)[: len(some) * size].reshape(len(some), size)
            for table, pick in zip(some, picks, strict=True):
                sums += table.take(
                    pick, out=taken, mode="clip"
                )  # a byte is never out of bounds: no check, no copy
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
    half = (
        len(terms) // 2
    )  # each of the 2^n sums is one of a flip of the first half and one of the second
    first, second = _all_flips(terms[:half]), sorted(_all_flips(terms[half:]))
    count = sum(
        len(second)
        - bisect_left(second, least - one)
        + bisect_right(second, -least - one)
        for one in first
    )
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
            sums = [
                *map(add, sums, map(table.__getitem__, source.randbytes(len(sums))))
            ]
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


def krippendorff_alpha(ratings: Iterable[Sequence[float | None]]) -> float:
    """Give Krippendorff's alpha of ordinal ratings: 1 less the disagreement within documents / that expected by chance.

    Chance shuffles the ratings. `ratings`: for each document the ratings it got, in any order and number; None and NaN
    are ratings that were not given. 1.0 is perfect agreement, 0.0 what chance gives, and below it raters contradict
    each other. NaN where no document has two ratings, or all ratings are the same: then nothing could have disagreed.
    Krippendorff, Content Analysis, 2004, chapter 11.

    Raises:
        ValueError: the ratings of a document are a text.
    """
    ratings = [*ratings]
    for of_one in ratings:
        if isinstance(of_one, str):  # the name of a column
            raise ValueError(
                f"the ratings of a document are numbers, not the text {of_one!r}; of a DataFrame with a row for each "
                "document and a column for each rater, pass `frame.to_numpy()`"
            )
    import numpy as np  # half of the time in which a small run starts

    given = [
        [rating for rating in of_one if rating is not None and rating == rating]
        for of_one in ratings
    ]
    given = [of_one for of_one in given if len(of_one) > 1]
    if not given:
        return math.nan
    sizes = np.array([len(of_one) for of_one in given])
    values, place = np.unique(
        np.array([rating for of_one in given for rating in of_one], np.float64),
        return_inverse=True,
    )
    documents = np.repeat(np.arange(sizes.size), sizes)
    pairs = np.bincount(
        documents * values.size + place, minlength=sizes.size * values.size
    )
    table: Floats = pairs.reshape(sizes.size, values.size).astype(np.float64)
    weights = 1.0 / (sizes - 1)
    observed = (table * weights[:, None]).T @ table - np.diag(weights @ table)
    counts: Floats = table.sum(axis=0)
    expected = (np.outer(counts, counts) - np.diag(counts)) / (counts.sum() - 1)
    middles = counts.cumsum() - counts / 2
    distances = (
        middles[:, None] - middles
    ) ** 2  # the ratings between two values, and half of those that equal one
    chance = float((expected * distances).sum())
    return 1.0 - float((observed * distances).sum()) / chance if chance else math.nan


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two raters agree on the documents that both graded. A figure that is not defined is NaN.

    `counts`: how often the first gave one grade and the second another, {(first, second): documents}, in ascending
    order. `equal` is the share of documents with equal grades. `kappa` is Cohen's, with quadratic weights, `low` to
    `high` its interval at 95 %. `alpha` is Krippendorff's (ordinal). `bias` is the mean of the second's grade less the
    first's: above 0 where the second is the more generous.
    """

    counts: Mapping[tuple[float, float], int]
    equal: float
    kappa: float
    low: float
    high: float
    alpha: float
    bias: float


_PARTS, _PART = 20, 100
"""The samples that an interval is made of, so many at a time: a file may have thousands of different grades."""


def agreement(
    first: Sequence[float], second: Sequence[float], *, seed: int = 0
) -> Agreement:
    """Compare the grades of two raters, of the same documents in the same order; which order it is does not matter.

    Cohen's kappa with quadratic weights (Cohen 1968; Fleiss & Cohen 1973) is 1 - observed / expected: the mean of
    (a - b)^2 over the documents, and over all pairs of a grade `a` of the first and a grade `b` of the second. So the
    weights are by the values of the grades. For whole grades that is scikit-learn's `cohen_kappa_score(first, second,
    labels=range(lowest, highest + 1), weights="quadratic")`, which weights by the positions of its labels. Kappa is not
    defined for fewer than two documents, nor where all grades of both are the same. 1 is perfect agreement, 0 what
    chance gives.

    Its interval is the percentile bootstrap (Efron & Tibshirani 1993, chapter 13) over 2,000 samples of documents,
    drawn from `seed`; samples in which kappa is not defined do not count.

    Raises:
        ValueError: the raters did not grade equally many documents, or a grade is not a finite number.
    """
    counts = dict(sorted(Counter(zip(first, second, strict=True)).items()))
    if not all(math.isfinite(grade) for pair in counts for grade in pair):
        raise ValueError("a grade is a finite number")
    total = sum(counts.values())
    if not total:
        return Agreement({}, *[math.nan] * 6)
    import numpy as np

    times = np.array([*counts.values()], np.float64)
    one, two = np.array([*counts], np.float64).T
    kappa = float(_kappas(times[None], one, two)[0]) if total > 1 else math.nan
    low = high = math.nan
    if not math.isnan(kappa):
        source = np.random.default_rng(seed)
        parts = (
            source.multinomial(total, times / total, _PART).astype(np.float64)
            for _ in range(_PARTS)
        )
        low, high = np.nanquantile(
            [_kappas(part, one, two) for part in parts], (0.025, 0.975)
        ).tolist()
    return Agreement(
        counts,
        equal=sum(count for (a, b), count in counts.items() if a == b) / total,
        kappa=kappa,
        low=low,
        high=high,
        alpha=krippendorff_alpha([*zip(first, second, strict=True)]),
        bias=math.fsum(count * (b - a) for (a, b), count in counts.items()) / total,
    )


def _kappas(counts: Floats, one: Floats, two: Floats) -> Floats:
    """Kappa of each sample, NaN where it is not defined.

    `counts`, of shape (samples, cells): how often each pair of grades `one`, `two` (cells,) is in each sample.
    """
    one, two = (
        one - one[0],
        two - one[0],
    )  # so that the squares of equal grades cancel out
    squares = counts @ (one**2 + two**2)
    expected = squares - 2 * (counts @ one) * (counts @ two) / counts.sum(axis=1)
    expected[expected <= TOLERANCE * squares] = math.nan
    kappas: Floats = 1.0 - counts @ (one - two) ** 2 / expected
    return kappas
