"""The paired randomisation test in plain Python, for a run that must not import numpy.

The same test as `significance.randomisation_test` (Fisher's sign flips; Smucker, Allan & Carterette, CIKM 2007), which
is exact for more pairs and draws more flips, and needs numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from operator import getitem
from random import Random

EXACT_PAIRS = 15
"""The most differing pairs for which all sign flips are enumerated: 2^15 sums."""

MOST_FLIPS, LEAST_FLIPS = 10_000, 1_000
"""How many flips are drawn of more pairs: the most up to 1,600 differing pairs, 1,600 of 10,000 pairs."""

_MOST_BYTES = 2_000_000  # drawn at most; a byte flips the signs of eight pairs
_TOLERANCE = 1e-12
"""Sums closer than this are equal: they differ by rounding alone. Relative to the sum of the absolute differences."""


def sign_flip_p(differences: Sequence[float], weights: Sequence[float], *, seed: int = 0) -> float:
    """The two-sided p-value that the weighted mean of the differences is 0; both sequences have shape (Q,).

    It is the share of sign flips whose weighted sum is at least as far from 0. With at most `EXACT_PAIRS` differences
    other than 0 all flips are enumerated and p is exact. With more, p is (count + 1) / (flips + 1) over random flips
    drawn from `seed`. 1 where no difference is other than 0.
    """
    terms = [difference * weight for difference, weight in zip(differences, weights, strict=True) if difference]
    whole = fsum(map(abs, terms))
    if not whole:
        return 1.0
    least = abs(fsum(terms)) - _TOLERANCE * whole
    if len(terms) <= EXACT_PAIRS:
        sums = _all_flips(terms)
        return sum(abs(each) >= least for each in sums) / len(sums)
    tables = [_all_flips(terms[start : start + 8]) for start in range(0, len(terms), 8)]
    tables[-1] *= 256 // len(tables[-1])  # every byte selects a sum of the last, shorter group too
    flips = min(MOST_FLIPS, max(LEAST_FLIPS, _MOST_BYTES // len(tables)))
    draw, groups = Random(seed).randbytes, len(tables)
    count = sum(abs(sum(map(getitem, tables, draw(groups)))) >= least for _ in range(flips))
    return (count + 1) / (flips + 1)


def _all_flips(terms: Sequence[float]) -> list[float]:
    """The sums of all 2^n sign flips of n terms."""
    sums = [0.0]
    for term in terms:
        sums = [each - term for each in sums] + [each + term for each in sums]
    return sums
