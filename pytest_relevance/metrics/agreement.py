"""The agreement of several raters of the same documents: Krippendorff's alpha, with numpy."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from .compiled import Floats

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
