"""Measure how far raters agree.

Krippendorff's alpha is for any number of raters. For two raters there is also Cohen's
kappa, and the counts and shares behind it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .significance import TOLERANCE

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

SAMPLES = 2_000
"""How many bootstrap samples the interval of kappa is made of."""

_SAMPLES_AT_ONCE = 100
"""How many samples are in memory at a time. A file may have thousands of grades."""


def krippendorff_alpha(ratings: Iterable[Sequence[float | None]]) -> float:
    """Return Krippendorff's alpha of ordinal ratings.

    It is 1 - (disagreement within documents) / (disagreement expected by chance). 1.0
    is perfect agreement, and 0.0 is the agreement of ratings that are shuffled. Below
    0.0 raters contradict each other. NaN if no document has two ratings, or if all
    ratings are equal.

    `ratings`: for each document its ratings, in any order and number. None and NaN mean
    that a rater gave no rating.

    Source: Krippendorff, Content Analysis, 2004, chapter 11.

    Raises:
        ValueError: the ratings of a document are a text.
    """
    given = [numbers for numbers in map(_given, ratings) if len(numbers) > 1]
    if not given:
        return math.nan
    import numpy as np

    table = _times_given(given)
    counts = table.sum(axis=0)
    distances = _ordinal_distances(counts)
    # Two ratings of one document make a pair; no rating makes a pair with itself.
    # A document with n ratings has n (n - 1) pairs, each with the weight 1 / (n - 1).
    weights = 1.0 / (table.sum(axis=1) - 1)
    pairs_within = (table * weights[:, None]).T @ table - np.diag(weights @ table)
    # Any two ratings make a pair, whatever their documents are.
    pairs_by_chance = (np.outer(counts, counts) - np.diag(counts)) / (counts.sum() - 1)
    within = float((pairs_within * distances).sum())
    by_chance = float((pairs_by_chance * distances).sum())
    return 1.0 - within / by_chance if by_chance else math.nan


def _ordinal_distances(counts: Floats) -> Floats:
    """Return the squared distances of ordinal values; shape (values, values).

    The distance of two values is the number of ratings between them, plus half of the
    ratings that equal one of them.

    `counts`: how often each value was given, in ascending order of the values.
    """
    middles = counts.cumsum() - counts / 2
    distances: Floats = (middles[:, None] - middles) ** 2
    return distances


def _times_given(ratings: Sequence[Sequence[float]]) -> Floats:
    """Return how often each document got each value; shape (documents, values).

    The values are the different ratings, in ascending order.

    `ratings`: the ratings of each document.
    """
    import numpy as np

    sizes = [len(numbers) for numbers in ratings]
    documents = np.repeat(np.arange(len(sizes)), sizes)
    values, columns = np.unique(np.concatenate(ratings), return_inverse=True)
    table = np.zeros((len(sizes), values.size))
    np.add.at(table, (documents, columns), 1.0)
    return table


def _given(ratings: Sequence[float | None]) -> list[float]:
    """Return the ratings of a document that are neither None nor NaN.

    Raises ValueError if they are a text.
    """
    if isinstance(ratings, str):  # the name of a column
        raise ValueError(
            f"the ratings of a document are numbers, not the text {ratings!r}; of a "
            "DataFrame with a row for each document and a column for each rater, pass "
            "`frame.to_numpy()`"
        )
    return [each for each in ratings if each is not None and not math.isnan(each)]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two raters agree on the documents that both graded.

    A figure that is not defined is NaN.

    `counts`: {(grade of the first rater, grade of the second): number of documents}, in
    ascending order.
    `equal`: the share of documents with equal grades, from 0 to 1.
    `kappa`: Cohen's kappa with quadratic weights. `low` to `high` is its interval at 95
    %.
    `alpha`: Krippendorff's alpha of the same grades, as ordinal ratings.
    `bias`: the mean of the second rater's grade minus the first rater's.
    """

    counts: Mapping[tuple[float, float], int]
    equal: float
    kappa: float
    low: float
    high: float
    alpha: float
    bias: float


def agreement(
    first: Sequence[float], second: Sequence[float], *, seed: int = 0
) -> Agreement:
    """Return how far two raters agree.

    `first`, `second`: their grades of the same documents in the same order.

    Cohen's kappa with quadratic weights is 1 - observed / expected. Observed is the
    mean of (a - b)^2 over the documents, with the grade `a` of the first rater and `b`
    of the second. Expected is the same mean over all pairs of a grade of the first and
    a grade of the second. For whole grades kappa equals scikit-learn's
    `cohen_kappa_score(first, second, labels=range(lowest, highest + 1),
    weights="quadratic")`. 1 is perfect agreement, 0 is what chance gives. Kappa is not
    defined for fewer than two documents, nor if all grades of both are the same.
    Source: Cohen 1968; Fleiss & Cohen 1973.

    The interval of kappa is the percentile bootstrap over 2,000 samples of documents,
    drawn from `seed`. Samples in which kappa is not defined do not count. Source: Efron
    & Tibshirani 1993, chapter 13.

    Raises:
        ValueError: the raters did not grade equally many documents, or a grade is not a
            finite number.
    """
    pairs = list(zip(first, second, strict=True))
    for one, two in pairs:
        if not math.isfinite(one) or not math.isfinite(two):
            raise ValueError("a grade is a finite number")
    if not pairs:
        nan = math.nan
        return Agreement(
            counts={}, equal=nan, kappa=nan, low=nan, high=nan, alpha=nan, bias=nan
        )
    counts = dict(sorted(Counter(pairs).items()))
    kappa, low, high = _kappa_with_interval(counts, seed)
    equal = sum(1 for one, two in pairs if one == two)
    return Agreement(
        counts=counts,
        equal=equal / len(pairs),
        kappa=kappa,
        low=low,
        high=high,
        alpha=krippendorff_alpha(pairs),
        bias=math.fsum(two - one for one, two in pairs) / len(pairs),
    )


def _kappa_with_interval(
    counts: Mapping[tuple[float, float], int], seed: int
) -> tuple[float, float, float]:
    """Return kappa and the ends of its interval; NaN if kappa is not defined.

    `counts`: {(grade of the first rater, grade of the second): number of documents}.
    """
    import numpy as np

    times = np.array(list(counts.values()), np.float64)
    total = int(times.sum())
    cells = np.array(list(counts), np.float64)
    one, two = cells[:, 0], cells[:, 1]
    kappa = float(_kappas(times[None], one, two)[0]) if total > 1 else math.nan
    if math.isnan(kappa):
        return math.nan, math.nan, math.nan
    generator = np.random.default_rng(seed)
    kappas = []
    for _ in range(SAMPLES // _SAMPLES_AT_ONCE):
        drawn = generator.multinomial(total, times / total, _SAMPLES_AT_ONCE)
        kappas.append(_kappas(drawn.astype(np.float64), one, two))
    low, high = np.nanquantile(kappas, (0.025, 0.975)).tolist()
    return kappa, low, high


def _kappas(counts: Floats, one: Floats, two: Floats) -> Floats:
    """Return the kappa of each sample, shape (samples,); NaN if it is not defined.

    Observed and expected are sums over documents here, not means.

    `counts`: how often each sample has each pair of grades; shape (samples, pairs).
    `one`, `two`: the two grades of each pair; shape (pairs,).
    """
    # Kappa depends on differences alone, so the first grade becomes 0. Then the sums of
    # squares are small and exact.
    first = one[0]
    one, two = one - first, two - first
    # (a - b)^2 is a^2 + b^2 - 2 a b.
    squares = counts @ (one**2 + two**2)
    sums_of_one, sums_of_two = counts @ one, counts @ two
    expected = squares - 2 * sums_of_one * sums_of_two / counts.sum(axis=1)
    expected[expected <= TOLERANCE * squares] = math.nan
    observed = counts @ (one - two) ** 2
    kappas: Floats = 1.0 - observed / expected
    return kappas
