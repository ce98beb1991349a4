"""The randomisation test of few changes in plain Python, for a run that must not import numpy.

Fisher's sign flips (Smucker, Allan & Carterette, CIKM 2007). `significance.randomisation_test` uses these functions for
up to `PLAIN_PAIRS` changes, and numpy for more.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import fsum
from operator import add
from random import Random

EXACT_PAIRS = 20
"""The most differing pairs for which all sign flips are counted: 2^20 sums."""

PLAIN_PAIRS = 128
"""The most differing pairs whose flips are drawn here: 100,000 flips of 128 take as long as importing numpy."""

_BLOCK = 20_000
"""How many flips are drawn at a time."""

TOLERANCE = 1e-12
"""Sums closer than this are equal: they differ by rounding alone. Relative to the sum of the absolute differences."""


def exact_p(terms: Sequence[float]) -> float:
    """The two-sided p-value that the mean of the terms is 0: the share of sign flips at least as far from 0.

    `terms` are at most `EXACT_PAIRS` differences other than 0, each multiplied by its weight. 1 where there are none.
    """
    least = abs(fsum(terms)) - TOLERANCE * fsum(map(abs, terms))
    if least <= 0:
        return 1.0
    half = len(terms) // 2  # each of the 2^n sums is one of a flip of the first half and one of the second
    first, second = _all_flips(terms[:half]), sorted(_all_flips(terms[half:]))
    count = sum(len(second) - bisect_left(second, least - one) + bisect_right(second, -least - one) for one in first)
    return count / (len(first) * len(second))


def drawn_p(terms: Sequence[float], resamples: int, seed: int) -> float:
    """The p-value of `exact_p`, estimated from random flips: (count + 1) / (resamples + 1).

    A random byte flips eight terms at once: it selects one of their 256 signed sums.
    """
    least = abs(fsum(terms)) - TOLERANCE * fsum(map(abs, terms))
    tables = [_all_flips(terms[start : start + 8]) for start in range(0, len(terms), 8)]
    tables = [table * (256 // len(table)) for table in tables]
    source, count = Random(int(seed)), 0  # numpy's integers are no seeds for Python
    for start in range(0, resamples, _BLOCK):
        sums = [0.0] * min(_BLOCK, resamples - start)
        for table in tables:
            sums = [*map(add, sums, map(table.__getitem__, source.randbytes(len(sums))))]
        count += sum(abs(each) >= least for each in sums)
    return (count + 1) / (resamples + 1)


def least_p(terms: Sequence[float]) -> float:
    """The lowest p-value that so many terms can have: 2 of the 2^n flips, those of equal signs, are farthest from 0.

    n counts the terms that matter: flipping one of less than `TOLERANCE` of the whole makes no other sum.
    """
    smallest = TOLERANCE * fsum(map(abs, terms))
    return 2.0 ** (1 - max(sum(abs(term) > smallest for term in terms), 1))


def _all_flips(terms: Sequence[float]) -> list[float]:
    """The sums of all 2^n sign flips of n terms."""
    sums = [0.0]
    for term in terms:
        sums = [each - term for each in sums] + [each + term for each in sums]
    return sums
