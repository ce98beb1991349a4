"""Gains of many grades at once, and the ideal DCG of many queries.

The numbers are those of `Settings.gain_of` to the last bit: powers of two are taken with `math.pow`, because those
of numpy differ at some fractions, and the sums run rank by rank through `bincount`, because other sums of numpy add
in another order.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import accumulate, repeat

import numpy as np

from .compiled import CompiledJudgments, Floats, Grades, Indexes, Mask, count_by_query
from .settings import LARGEST_EXPONENTIAL_GRADE, Settings, discount_table

# With more levels than this, sorting the grades is cheaper than counting each.
_COUNTED_LEVELS = 24


def check_grades(judgments: CompiledJudgments, settings: Settings) -> None:
    """Check that each grade has a gain. Raises ValueError, naming query and document, where one has none."""
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


def highest_grade(judgments: CompiledJudgments, settings: Settings) -> float | None:
    """Give the top of the scale: `max_grade`, or the highest grade of all judgments; None when there are none.

    Raises ValueError, naming query and document, where a judgment is above `max_grade`.
    """
    highest = float(judgments.grades.max()) if judgments.grades.size else None
    allowed = settings.max_grade
    if allowed is None:
        return highest
    if highest is not None and highest > allowed:
        judgments.refuse(lambda grade: grade > allowed, lambda grade: f"grade {grade:g} is above max_grade {allowed:g}")
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
    highest = LARGEST_EXPONENTIAL_GRADE if settings.gain == "exponential" else 255
    table = np.zeros(256)
    known = settings.gain if not isinstance(settings.gain, str) else range(highest + 1)
    for grade in known:
        if 0 <= grade <= 255 and grade == int(grade):
            table[int(grade)] = settings.gain_of(grade)
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
    """Sum gain / discount for each query; the elements must be in rank order, which is the order of addition."""
    table = discounts(settings, int(rank.max()) + 1 if rank.size else 0)
    return sums(query, gains / table[rank], queries)


def sums(query: Indexes, values: Grades, queries: int) -> Floats:
    """Sum the values of each query, shape (`queries`,), adding them in the given order."""
    added: Floats = np.bincount(query, values, minlength=queries).astype(np.float64, copy=False)
    return added  # without any values bincount would give integers


def ideal_dcg(grades: Grades, first: Indexes, counts: Indexes, k: int | None, settings: Settings) -> Floats:
    """Give for each query the DCG of its grades sorted by gain, cut at `k`, documents without a gain above 0 left out.

    The grades of a query begin at its index `first`; `counts` is their number. Where few different grades occur, these
    are counted and nothing is sorted; otherwise the grades are sorted in rows of about equal length.
    """
    is_bytes = grades.dtype == np.uint8
    present = np.arange(grades.max(initial=0) + 1) if is_bytes else _few_levels(grades)
    if 0 < present.size <= _COUNTED_LEVELS:
        ideal = _counted_ideal(grades, present, first, counts, k, settings)
        if ideal is not None:
            return ideal
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
    grades: Grades, levels: Grades, first: Indexes, counts: Indexes, k: int | None, settings: Settings
) -> Floats | None:
    """Compute the ideal from how often each level occurs; None if other grades than these levels occur."""
    gains = gains_of(levels.astype(grades.dtype), settings)
    best_first = np.argsort(-gains, kind="stable")
    best_first = best_first[gains[best_first] > 0]
    queries = first.size
    # How many ranks are taken when each level is done; the cutoff is reached within some level.
    taken = np.zeros((queries, best_first.size + 1), np.intp)
    for column, level in enumerate(best_first.tolist()):
        taken[:, column + 1] = taken[:, column] + count_by_query(grades == levels[level], first, counts)
    if grades.dtype != np.uint8:
        others = sum(int(np.count_nonzero(grades == level)) for level in levels[gains <= 0].tolist())
        if int(taken[:, -1].sum()) + others != grades.size:
            return None
    if k is not None:
        np.minimum(taken, k, out=taken)
    lengths = taken[:, -1]
    repeated = np.repeat(np.tile(gains[best_first], queries), np.diff(taken, axis=1).ravel())
    query = np.repeat(np.arange(queries), lengths)
    rank = np.arange(query.size) - (np.cumsum(lengths) - lengths)[query]
    return discounted_sums(query, rank, repeated, queries, settings)


def _sorted_ideal(grades: Grades, first: Indexes, counts: Indexes, k: int | None, settings: Settings) -> Floats:
    # A formula never gives a higher grade a lower gain, so that only the best k grades need a gain; a mapping may.
    keys = grades.astype(np.float64, copy=False) if settings.increasing else gains_of(grades, settings)
    ideal = np.zeros(first.size)
    # Rows of one class are at most twice as long as the shortest, so the padding never doubles the memory.
    classes = np.frexp(counts)[1]
    for width_class in np.unique(classes[counts > 0]).tolist():
        rows = np.flatnonzero(classes == width_class)
        width = int(counts[rows].max())
        there = np.arange(width) < counts[rows, None]
        whole = rows.size == first.size
        inside = keys if whole else keys[np.repeat(classes == width_class, counts)]
        if inside.size == there.size:
            padded = np.sort(inside.reshape(there.shape), axis=1)
        else:
            padded = np.full(there.shape, -np.inf)
            padded[there] = inside
            padded.sort(axis=1)
        best = padded[:, ::-1][:, :k]
        row, rank = np.nonzero(best > 0)
        gains = best[row, rank]
        if settings.increasing:
            gains = gains_of(gains, settings)
        ideal[rows] = discounted_sums(row, rank, gains, rows.size, settings)
    return ideal


def _complaint(grade: float, settings: Settings) -> str:
    try:
        settings.gain_of(grade)
    except ValueError as error:
        return str(error)
    return ""
