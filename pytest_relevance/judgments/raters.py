"""Several ratings of one document become its grade: one table of ways to do it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import mean, median


def _majority(ratings: Sequence[float]) -> float:
    """The most frequent rating; of several equally frequent ones the lowest, so that doubt never flatters a ranking."""
    counts = Counter(ratings)
    most = max(counts.values())
    return min(rating for rating, count in counts.items() if count == most)


AGGREGATES: Mapping[str, Callable[[Sequence[float]], float]] = {
    "median": median,
    "mean": mean,
    "min": min,
    "max": max,
    "majority": _majority,
}
"""How several ratings become one grade, by the name that `raters:` takes."""


def aggregate(ratings: Sequence[float], how: str = "median") -> float:
    """The grade of a document from its ratings (at least one). A whole result is an int where the ratings are.

    Raises ValueError for no ratings and for a `how` that is not in `AGGREGATES`.
    """
    if how not in AGGREGATES:
        raise ValueError(f"ratings are combined by {', '.join(AGGREGATES)}, not {how!r}")
    if not ratings:
        raise ValueError("there is no rating to make a grade of")
    grade = AGGREGATES[how](ratings)
    whole = all(isinstance(rating, int) for rating in ratings) and grade == int(grade)
    return int(grade) if whole else grade
