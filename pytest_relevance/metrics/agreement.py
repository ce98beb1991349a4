"""How far raters agree: Krippendorff's alpha of any number of them; of two also Cohen's kappa and what lies behind it.

All of it needs numpy, which is imported when a figure is asked for.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .significance import TOLERANCE

if TYPE_CHECKING:
    from .compiled import Floats


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

    given = [[rating for rating in of_one if rating is not None and rating == rating] for of_one in ratings]
    given = [of_one for of_one in given if len(of_one) > 1]
    if not given:
        return math.nan
    sizes = np.array([len(of_one) for of_one in given])
    values, place = np.unique(
        np.array([rating for of_one in given for rating in of_one], np.float64), return_inverse=True
    )
    documents = np.repeat(np.arange(sizes.size), sizes)
    pairs = np.bincount(documents * values.size + place, minlength=sizes.size * values.size)
    table: Floats = pairs.reshape(sizes.size, values.size).astype(np.float64)
    weights = 1.0 / (sizes - 1)
    observed = (table * weights[:, None]).T @ table - np.diag(weights @ table)
    counts: Floats = table.sum(axis=0)
    expected = (np.outer(counts, counts) - np.diag(counts)) / (counts.sum() - 1)
    middles = counts.cumsum() - counts / 2
    distances = (middles[:, None] - middles) ** 2  # the ratings between two values, and half of those that equal one
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

    @property
    def grades(self) -> list[float]:
        """The grades that either gave, in ascending order."""
        return sorted({grade for pair in self.counts for grade in pair})


_PARTS, _PART = 20, 100
"""The samples that an interval is made of, so many at a time: a file may have thousands of different grades."""


def agreement(first: Sequence[float], second: Sequence[float], *, seed: int = 0) -> Agreement:
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
        parts = (source.multinomial(total, times / total, _PART).astype(np.float64) for _ in range(_PARTS))
        low, high = np.nanquantile([_kappas(part, one, two) for part in parts], (0.025, 0.975)).tolist()
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
    one, two = one - one[0], two - one[0]  # so that the squares of equal grades cancel out
    squares = counts @ (one**2 + two**2)
    expected = squares - 2 * (counts @ one) * (counts @ two) / counts.sum(axis=1)
    expected[expected <= TOLERANCE * squares] = math.nan
    kappas: Floats = 1.0 - counts @ (one - two) ** 2 / expected
    return kappas
