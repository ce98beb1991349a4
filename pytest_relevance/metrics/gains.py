"""Gains of many grades at once, and the ideal DCG of many queries.

The numbers are those of `Settings.gain_of` to the last bit: powers of two are taken with `math.pow`, because those
of numpy differ at some fractions, and the sums run rank by rank through `bincount`, because other sums of numpy add
in another order.
"""

from __future__ import annotations

import math
from contextlib import suppress
from functools import lru_cache
from itertools import accumulate, repeat

import numpy as np

from .compiled import CompiledJudgments, Floats, Grades, Indexes, Mask, count_by_query
from .settings import Settings, discount_table

# With more levels than this, sorting the grades is cheaper than counting each.
_COUNTED_LEVELS = 24


def check_grades(judgments: CompiledJudgments, settings: Settings) -> None:
    """Check that each grade has a gain. Raises ValueError, naming query and document, where one has none."""
    grades = judgments.grades
    # A formula that has a gain for the highest grade has one for every grade.
    asked = [grades.max()] if settings.increasing and grades.size else np.unique(grades)
    if any(_complaint(float(grade), settings) for grade in asked):
        judgments.refuse(lambda grade: _complaint(grade, settings))


def highest_grade(judgments: CompiledJudgments, settings: Settings) -> float | None:
    """Give the top of the scale: `max_grade`, or the highest grade of all judgments; None when there are none.

    Raises ValueError, naming query and document, where a judgment is above `max_grade`.
    """
    highest = float(judgments.grades.max()) if judgments.grades.size else None
    allowed = settings.max_grade
    if allowed is None:
        return highest
    if highest is not None and highest > allowed:
        judgments.refuse(lambda grade: f"grade {grade:g} is above max_grade {allowed:g}" if grade > allowed else "")
    return allowed


def gains_of(grades: Grades, settings: Settings) -> Floats:
    """Give the gain of each grade."""
    gains: Floats
    if grades.dtype == np.uint8:
        gains = _byte_gains(settings)[grades]
        return gains
    if settings.gain == "linear":
        gains = grades
    elif settings.gain == "exponential":
        levels = _few_levels(grades)
        place = np.minimum(np.searchsorted(levels, grades), levels.size - 1) if levels.size else grades
        few = levels.size and (levels[place] == grades).all()
        gains = _powers(levels)[place] if few else _powers(grades)
    else:
        distinct, place = np.unique(grades, return_inverse=True)
        return np.fromiter(map(settings.gain_of, distinct.tolist()), np.float64, distinct.size)[place]
    return np.where(grades < 0, 0.0, gains) if settings.negative == "zero" else gains


@lru_cache(maxsize=64)
def _byte_gains(settings: Settings) -> Floats:
    """Tabulate the gains of 0..255; 0 for grades that have none, which do not occur once `check_grades` has passed."""
    table = np.zeros(256)
    for grade in range(256):
        with suppress(ValueError):
            table[grade] = settings.gain_of(grade)
    return table


def _powers(grades: Grades) -> Floats:
    gains = np.zeros(grades.size)  # what a grade of 0 has, which most documents do
    graded = np.flatnonzero(grades)
    gains[graded] = np.fromiter(map(math.pow, repeat(2.0), grades[graded].tolist()), np.float64, graded.size) - 1.0
    return gains


def _few_levels(grades: Grades) -> Floats:
    """Guess from a sample which grades occur, in order; empty if these are many. The caller must verify the guess."""
    levels = np.unique(grades[:: max(1, grades.size // 1024)])
    return levels if levels.size <= _COUNTED_LEVELS else levels[:0]


def with_gain(judgments: CompiledJudgments, settings: Settings) -> Mask:
    """Say which queries have a judged document with a gain above 0."""
    positive = gains_of(judgments.grades, settings) > 0
    return count_by_query(positive, judgments.first, judgments.counts) > 0


def discounts(settings: Settings, ranks: int) -> Floats:
    """Give the discounts of the first ranks as an array."""
    return np.array(discount_table(settings.discount, ranks)[:ranks])


def discounted_sums(query: Indexes, rank: Indexes, gains: Floats, queries: int, settings: Settings) -> Floats:
    """Sum gain / discount for each query; the elements must be in rank order, which is the order of addition."""
    table = discounts(settings, int(rank.max()) + 1 if rank.size else 0)
    return sums(query, gains / table[rank], queries)


def sums(query: Indexes, values: Grades, queries: int) -> Floats:
    """Sum the values of each query, shape (`queries`,), adding them in the given order."""
    added: Floats = np.bincount(query, values, minlength=queries).astype(np.float64, copy=False)
    return added  # without any values bincount would give integers


def ideal_dcg(grades: Grades, first: Indexes, counts: Indexes, k: int | None, settings: Settings) -> Floats:
    """Give for each query the DCG of its grades sorted by gain, cut at `k`, documents without a gain above 0 left out.

    The grades of a query begin at its index `first`; `counts` is their number. They are sorted in rows of about equal
    length.
    """
    # A formula never gives a higher grade a lower gain, so that only the best k grades need a gain; a mapping may.
    keys = grades if settings.increasing else gains_of(grades, settings)
    if keys.dtype == np.uint8:
        keys = keys.astype(np.int16)  # which numpy sorts in a tenth of the time
    ideal = np.zeros(first.size)
    # Rows of one class are at most twice as long as the shortest, so the padding never doubles the memory.
    classes = np.frexp(counts)[1]
    for width_class in np.unique(classes[counts > 0]).tolist():
        rows = np.flatnonzero(classes == width_class)
        inside = keys if rows.size == first.size else keys[np.repeat(classes == width_class, counts)]
        there = np.arange(counts[rows].max()) < counts[rows, None]
        padded = np.zeros(there.shape, keys.dtype)
        padded[there] = inside
        padded.sort(axis=1)
        best = padded[:, ::-1][:, :k]
        if settings.increasing:
            best = gains_of(best.ravel().astype(grades.dtype), settings).reshape(best.shape)
        terms = np.maximum(best, 0) / discounts(settings, best.shape[1])
        ideal[rows] = np.cumsum(terms, axis=1)[:, -1]  # which adds rank by rank, as sum() does not
    return ideal


def repeated_ideal(top: float | None, ranks: Indexes, settings: Settings) -> Floats:
    """Give for each query the DCG of the top grade at each of its `ranks`."""
    if top is None or not ranks.size or settings.gains[top] <= 0:
        return np.zeros(ranks.size)
    gain = settings.gains[top]
    longest = int(ranks.max())
    terms = (gain / discount for discount in discount_table(settings.discount, longest)[:longest])
    return np.array(list(accumulate(terms, initial=0.0)))[ranks]


def _complaint(grade: float, settings: Settings) -> str:
    try:
        settings.gain_of(grade)
    except ValueError as error:
        return str(error)
    return ""
