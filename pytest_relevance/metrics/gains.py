"""Gains of many grades at once, and the ideal DCG of many queries.

The numbers are those of `Settings.gain_of` to the last bit: powers of two are taken with Python's `pow`, because that
of numpy differs at some fractions, and the sums run rank by rank through `bincount`, because other sums of numpy add
in another order.
"""

from __future__ import annotations

from itertools import accumulate, repeat

import numpy as np

from .compiled import Floats, Grades, Indexes, Judgments, Mask, count_by_query
from .settings import LARGEST_EXPONENTIAL_GRADE, Settings, discount_table

# With higher grades than this, sorting is cheaper than counting each.
_COUNTED_LEVELS = 24


def check_grades(judgments: Judgments, settings: Settings) -> None:
    """Refuse grades that have no gain: a ValueError that names the query and the document."""
    grades = judgments.grades
    if not grades.size:
        return
    if settings.gain == "exponential":
        wrong = bool(grades.max() > LARGEST_EXPONENTIAL_GRADE)
    elif settings.gain == "linear":
        wrong = False
    else:
        known = np.fromiter(settings.gain, np.float64)
        asked = np.unique(grades)
        wrong = not np.isin(asked[asked >= 0] if settings.negative == "zero" else asked, known).all()
    if wrong:
        judgments.refuse(lambda grade: _complaint(grade, settings) != "", lambda grade: _complaint(grade, settings))


def highest_grade(judgments: Judgments, settings: Settings) -> float | None:
    """Give the top of the scale: `max_grade`, or the highest grade of all judgments; None when there are none.

    A judgment above `max_grade` is a ValueError that names the query and the document.
    """
    highest = float(judgments.grades.max()) if judgments.grades.size else None
    allowed = settings.max_grade
    if allowed is None:
        return highest
    if highest is not None and highest > allowed:
        judgments.refuse(lambda grade: grade > allowed, lambda grade: f"grade {grade:g} is above max_grade {allowed:g}")
    return allowed


def gains_of(grades: Grades, settings: Settings) -> Floats:
    """Give the gain of each grade, in the shape of `grades`."""
    if grades.dtype == np.uint8:
        table = np.zeros(256)
        for grade in np.flatnonzero(np.bincount(grades.ravel(), minlength=256)).tolist():
            table[grade] = settings.gains[grade]
        return table[grades]
    gains: Floats
    if settings.gain == "exponential":
        flat = grades.ravel()
        gains = np.fromiter(map(pow, repeat(2.0), flat.tolist()), np.float64, flat.size).reshape(grades.shape) - 1.0
    elif settings.gain == "linear":
        gains = np.asarray(grades, np.float64)
    else:
        distinct, place = np.unique(grades, return_inverse=True)
        gains = np.fromiter(map(settings.gain_of, distinct.tolist()), np.float64, distinct.size)[place]
        return gains.reshape(grades.shape)
    return np.where(grades < 0, 0.0, gains) if settings.negative == "zero" else gains


def with_gain(judgments: Judgments, settings: Settings) -> Mask:
    """Say which queries have a judged document with a gain above 0."""
    grades = judgments.grades
    if grades.dtype == np.uint8 or not settings.increasing:
        positive = gains_of(grades, settings) > 0
    else:  # 2^grade - 1 rounds to 0 for the smallest of the positive grades
        positive = grades > 0
        tiny = np.flatnonzero(positive & (grades < 1e-12))
        positive[tiny] = gains_of(grades[tiny], settings) > 0
    return count_by_query(positive, judgments.first, judgments.counts) > 0


def discounts(settings: Settings, ranks: int) -> Floats:
    """Give the discounts of the first ranks as an array."""
    return np.array(discount_table(settings.discount, ranks)[:ranks])


def discounted_sums(query: Indexes, rank: Indexes, gains: Floats, queries: int, settings: Settings) -> Floats:
    """Sum gain / discount for each query; the elements stand in rank order, and are added in it."""
    table = discounts(settings, int(rank.max()) + 1 if rank.size else 0)
    return sums(query, gains / table[rank], queries)


def sums(query: Indexes, values: Grades, queries: int) -> Floats:
    """Add the values of each query, one after the other as they stand."""
    added: Floats = np.bincount(query, values, minlength=queries).astype(np.float64, copy=False)
    return added  # without any values bincount would give integers


def ideal_dcg(grades: Grades, first: Indexes, counts: Indexes, k: int | None, settings: Settings) -> Floats:
    """Give for each query the DCG of its grades sorted by gain, cut at `k`, documents without a gain above 0 left out.

    The grades of each query stand from `first` on, `counts` of them. Grades of one byte are counted by level and not
    sorted at all; others are sorted in rows of about equal length.
    """
    if grades.dtype == np.uint8:
        if grades.max(initial=0) <= _COUNTED_LEVELS:
            return _counted_ideal(grades, first, counts, k, settings)
        grades = grades.astype(np.float64)
    return _sorted_ideal(grades, first, counts, k, settings)


def repeated_ideal(top: float | None, ranks: Indexes, settings: Settings) -> Floats:
    """Give for each query the DCG of the top grade at each of its `ranks`."""
    if top is None or not ranks.size or settings.gains[top] <= 0:
        return np.zeros(ranks.size)
    gain = settings.gains[top]
    longest = int(ranks.max())
    terms = (gain / discount for discount in discount_table(settings.discount, longest)[:longest])
    return np.array(list(accumulate(terms, initial=0.0)))[ranks]


def _counted_ideal(
    grades: Grades,
    first: Indexes,
    counts: Indexes,
    k: int | None,
    settings: Settings,
) -> Floats:
    queries = first.size
    present = (grade for grade in range(int(grades.max(initial=0)) + 1) if (grades == grade).any())
    levels = sorted(((settings.gains[grade], grade) for grade in present), reverse=True)
    levels = [level for level in levels if level[0] > 0]
    # How many ranks are taken when each level is done; the cutoff is reached within some level.
    taken = np.zeros((queries, len(levels) + 1), np.intp)
    for column, (_, grade) in enumerate(levels):
        taken[:, column + 1] = taken[:, column] + count_by_query(grades == grade, first, counts)
    if k is not None:
        np.minimum(taken, k, out=taken)
    lengths = taken[:, -1]
    gains = np.repeat(np.tile(np.array([gain for gain, _ in levels]), queries), np.diff(taken, axis=1).ravel())
    query = np.repeat(np.arange(queries), lengths)
    rank = np.arange(query.size) - (np.cumsum(lengths) - lengths)[query]
    return discounted_sums(query, rank, gains, queries, settings)


def _sorted_ideal(grades: Grades, first: Indexes, counts: Indexes, k: int | None, settings: Settings) -> Floats:
    # A formula never gives a higher grade a lower gain, so that only the best k grades need a gain; a mapping may.
    keys = grades if settings.increasing else gains_of(grades, settings)
    ideal = np.zeros(first.size)
    # Rows of one class are at most twice as long as the shortest, so the padding never doubles the memory.
    classes = np.frexp(counts)[1]
    for width_class in np.unique(classes[counts > 0]).tolist():
        rows = np.flatnonzero((classes == width_class) & (counts > 0))
        width = int(counts[rows].max())
        offsets = np.arange(width)
        there = offsets < counts[rows, None]
        padded = np.full(there.shape, -np.inf)
        padded[there] = keys[(first[rows, None] + offsets)[there]]
        padded.sort(axis=1)
        best = padded[:, ::-1][:, :k]
        row, rank = np.nonzero(best > 0)
        values = best[row, rank]
        gains = gains_of(values, settings) if settings.increasing else values
        ideal[rows] = discounted_sums(row, rank, gains, rows.size, settings)
    return ideal


def _complaint(grade: float, settings: Settings) -> str:
    try:
        settings.gain_of(grade)
    except ValueError as error:
        return str(error)
    return ""
