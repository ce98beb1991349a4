"""Combine several ratings of a document into its grade.

Case files and judgment files use the same table of ways to combine ratings: a new way is a row of `AGGREGATES`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from pytest_relevance._text import did_you_mean, listed
from pytest_relevance.metrics.settings import check_number


def _median(ratings: Sequence[float]) -> float:
    """The middle rating; of an even number the mean of the two in the middle."""
    ordered = sorted(ratings)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def _mean(ratings: Sequence[float]) -> float:
    """The arithmetic mean: exact for equal ratings, and (by `fsum`) independent of the order of the raters."""
    return ratings[0] if len(set(ratings)) == 1 else math.fsum(ratings) / len(ratings)


def _majority(ratings: Sequence[float]) -> float:
    """The most frequent rating; of several equally frequent ones the lowest, so that a tie never raises a score."""
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
    """Combine the ratings of a document (at least one) into its grade; a whole grade of int ratings is an int.

    `how`: "median" (of an even number, the mean of the two in the middle), "mean", "min", "max" or "majority" (of
    equally frequent ratings the lowest).

    Raises:
        ValueError: there are no ratings, `how` is not in `AGGREGATES`, or a rating is not a finite number.
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


def checked_raters(raters: str | None) -> str | None:
    """Check the name of a way to combine ratings; None stays None.

    Raises:
        ValueError: the name is not in `AGGREGATES`.
    """
    if raters is not None and raters not in AGGREGATES:
        raise ValueError(
            f"ratings are combined by {listed(AGGREGATES)}, not {raters!r}{did_you_mean(raters, AGGREGATES)}"
        )
    return raters
