"""Define the scale of grades, and combine several ratings of a document into a grade.

Case files and judgment files combine ratings by the same table, `AGGREGATES`. A new way
to combine them is a new row there.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from pytest_relevance._text import (
    did_you_mean,
    found,
    listed,
    printable,
    quoted,
)
from pytest_relevance.judgments.grade_text import why_no_grade
from pytest_relevance.metrics.settings import check_number

_NUMBER = r"-?[0-9]+(\.[0-9]+)?"


@dataclass(frozen=True, slots=True)
class Scale:
    """The possible grades, from `lowest` to `highest`.

    `names`: {name: grade}, for example {"exact": 3}; not every grade needs a name.
    """

    lowest: float
    highest: float
    names: Mapping[str, float] = field(default_factory=dict)

    def has(self, grade: float) -> bool:
        """Say whether a grade is on the scale, from the lowest to the highest."""
        return self.lowest <= grade <= self.highest

    def describe(self) -> str:
        """Return the scale in words: `0 to 3`, or `0 (irrelevant), 3 (exact)`."""
        if not self.names:
            return f"{self.lowest:g} to {self.highest:g}"
        names = sorted(self.names.items(), key=lambda pair: pair[1])
        return ", ".join(f"{grade:g} ({printable(name)})" for name, grade in names)


def on_scale(grade: float, scale: Scale | None) -> float | str:
    """Return the grade, or a message if the scale does not have it."""
    if scale is not None and not scale.has(grade):
        return f"grade {grade:g} is off the scale, which is {scale.describe()}"
    return grade


def grade_of_number(value: object, scale: Scale | None) -> float | str:
    """Return a number as a grade, or the message that it is no grade of the scale."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not math.isfinite(cast(float, value)):
        return (
            f"a grade is a finite number or a name of the scale, found {found(value)}"
        )
    return on_scale(cast(float, value), scale)


def no_grade_text(text: str, scale: Scale | None, advice: str) -> str:
    """Return the message that a text is neither a number nor a name of the scale.

    `advice`: how to give names to grades; empty if that is not said.
    """
    names = {} if scale is None else scale.names
    close = did_you_mean(text, names)
    why = why_no_grade(text)
    if why is not None and not close:
        return f"the grade {quoted(text)} {why}"
    if scale is not None and names:
        return (
            f"the scale has no grade {quoted(text)}; it has {scale.describe()}{close}"
        )
    message = f"the grade {quoted(text)} is not a number"
    return f"{message}; {advice}" if advice else message


AnyScale = Scale | Mapping[str, float] | Sequence[float] | None
"""What a caller in Python may give for a scale: {name: grade}, or (lowest, highest)."""


def scale_of(value: object) -> Scale:
    """Return the `Scale` for (lowest, highest), for {name: grade}, or for a `Scale`.

    Raises:
        ValueError: the value is none of them, `lowest` is not below `highest`, or the
            names do not have at least two different grades.
    """
    if isinstance(value, Scale):
        return value
    if isinstance(value, Mapping):
        for name, grade in value.items():
            if not isinstance(name, str) or not name or re.fullmatch(_NUMBER, name):
                raise ValueError(f"{quoted(str(name))} cannot name a grade; use a word")
            check_number(f"the grade of {quoted(name)}", grade)
        if len(set(value.values())) < 2:
            raise ValueError(
                f"a scale has at least two different grades, found {found(value)}"
            )
        grades = value.values()
        return Scale(lowest=min(grades), highest=max(grades), names=dict(value))
    if isinstance(value, (list, tuple)) and len(value) == 2:
        for end in value:
            check_number("an end of a scale", end)
        if value[0] < value[1]:
            return Scale(lowest=value[0], highest=value[1])
    allowed = (
        "[lowest, highest], such as [0, 3], or names with their grades, such as "
        "{good: 1, bad: 0}"
    )
    raise ValueError(f"expected {allowed}, found {found(value)}")


def _median(ratings: Sequence[float]) -> float:
    """Return the middle rating, or the mean of the two in the middle."""
    ordered = sorted(ratings)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def _mean(ratings: Sequence[float]) -> float:
    """Return the arithmetic mean. The order of the ratings does not change it."""
    if len(set(ratings)) == 1:
        return ratings[0]  # exact
    return math.fsum(ratings) / len(ratings)


def _majority(ratings: Sequence[float]) -> float:
    """Return the most frequent rating; of equally frequent ones the lowest."""
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


def aggregate(ratings: Iterable[float], how: str = "median") -> float:
    """Return the grade that several ratings of one document make.

    If all ratings are int and the grade is whole, it is an int.

    `ratings`: at least one number, in any order, or a pandas Series
    (`frame.groupby("document")["rating"].agg(aggregate)`).
    `how`: "median" (of an even number, the mean of the two in the middle), "mean",
    "min", "max" or "majority" (of equally frequent ratings the lowest).

    Raises:
        ValueError: there are no ratings, `how` is not in `AGGREGATES`, or a rating is
            not a finite number.
    """
    checked_raters(how)
    given = list(ratings)
    if not given:
        raise ValueError("there is no rating to make a grade of")
    for rating in given:
        check_number("a rating", rating)
    grade = AGGREGATES[how](given)
    are_whole = all(isinstance(rating, int) for rating in given)
    return int(grade) if are_whole and grade == int(grade) else grade


def checked_raters(raters: str | None) -> str | None:
    """Return `raters` if it is None or the name of a way to combine ratings.

    Raises:
        ValueError: the name is not in `AGGREGATES`.
    """
    if raters is not None and raters not in AGGREGATES:
        close = did_you_mean(raters, AGGREGATES)
        raise ValueError(
            f"ratings are combined by {listed(AGGREGATES)}, not {raters!r}{close}"
        )
    return raters


UNNAMED = "rating 1"
"""The name of a rater without one, in a file that names other raters."""


def rater_names(raters: Sequence[str | None] | None) -> list[str] | None:
    """Return the rater of each row of a file; None if no row names a rater.

    In rows without a name the rater is `UNNAMED`.
    """
    if raters is None or not any(raters):
        return None
    return [rater or UNNAMED for rater in raters]


def is_named(rater: str) -> bool:
    """Say whether a rater has a name of their own, not one like `rating 2`."""
    return re.fullmatch("rating [0-9]+", rater) is None
