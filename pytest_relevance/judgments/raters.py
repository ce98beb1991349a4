"""Several ratings of one document become its grade, and how far the raters agree.

One table of ways to combine ratings, which the reader of case files and the import of judgments use too: a new way is a
row of `AGGREGATES`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from pytest_relevance.metrics.settings import check_number


def _median(ratings: Sequence[float]) -> float:
    """The middle rating; of an even number the mean of the two in the middle."""
    ordered = sorted(ratings)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def _mean(ratings: Sequence[float]) -> float:
    """The arithmetic mean; `fsum`, so that the order of the raters does not matter."""
    return math.fsum(ratings) / len(ratings)


def _majority(ratings: Sequence[float]) -> float:
    """The most frequent rating; of several equally frequent ones the lowest, so that doubt never flatters a ranking."""
    counts = Counter(ratings)
    most = max(counts.values())
    return min(rating for rating, count in counts.items() if count == most)


AGGREGATES: Mapping[str, Callable[[Sequence[float]], float]] = {
    "median": _median,
    "mean": _mean,
    "min": min,
    "max": max,
    "majority": _majority,
}
"""How several ratings become one grade, by the name that `raters:` takes."""


def aggregate(ratings: Sequence[float], how: str = "median") -> float:
    """The grade of a document from its ratings (at least one). A whole result is an int where the ratings are.

    `how`: "median" (of an even number, the mean of the two in the middle), "mean", "min", "max" or "majority" (of
    equally frequent ratings the lowest). Raises ValueError for no ratings, for a `how` that is not in `AGGREGATES`, and
    for a rating that is not a finite number.
    """
    if how not in AGGREGATES:
        raise ValueError(f"ratings are combined by {', '.join(AGGREGATES)}, not {how!r}")
    if not ratings:
        raise ValueError("there is no rating to make a grade of")
    for rating in ratings:
        check_number("a rating", rating)
    grade = AGGREGATES[how](ratings)
    whole = all(isinstance(rating, int) for rating in ratings) and grade == int(grade)
    return int(grade) if whole else grade


def krippendorff_alpha(ratings: Iterable[Sequence[float | None]], level: str = "ordinal") -> float:
    """Krippendorff's alpha of several raters; see `pytest_relevance.metrics.agreement`, which needs numpy.

    `ratings`: for each document the ratings it got, None or NaN for one that was not given. `level`: "nominal",
    "ordinal", "interval" or "ratio". NaN where there is nothing to compare.
    """
    from pytest_relevance.metrics.agreement import krippendorff_alpha as alpha

    return alpha(ratings, level)
