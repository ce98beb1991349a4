"""Tail probabilities that the tests of `significance` need, without scipy: Student's t, the signed ranks, the binomial.

All are two-sided. Nothing here knows what is tested.
"""

from __future__ import annotations

import math

import numpy as np

from .compiled import Indexes

# Gamma(a + 1/2) / Gamma(a) is sqrt(a) times the sum of these over a^0, a^1, ...
_GAMMA_RATIO_SERIES = (1, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144, 869 / 4194304, 39325 / 33554432)


def t_tail(t: float, degrees: float) -> float:
    """Give P(|T| >= |t|) for Student's t: the regularised incomplete beta function I_x(degrees / 2, 1 / 2).

    x is degrees / (degrees + t^2); Abramowitz & Stegun 26.7.1 and 26.5.8. Exact to 1e-12 of its value up to
    100,000 degrees, and to 1e-15 absolutely.
    """
    if math.isinf(t):
        return 0.0
    square = t * t
    half = degrees / 2.0
    # x^half * (1 - x)^(1/2) / B(half, 1/2), with the logarithm taken where it loses nothing for many degrees.
    front = math.exp(-half * math.log1p(square / degrees)) * math.sqrt(square / (degrees + square))
    front *= _gamma_ratio(half) / math.sqrt(math.pi)
    x = degrees / (degrees + square)
    # With many degrees the fraction of the tail itself loses digits, that of its complement none while p is not small.
    if x < (half + 1.0) / (half + 2.5) and (degrees < 1_000 or square > 12.0):
        return front * _continued_fraction(half, 0.5, x) / half
    return 1.0 - front * _continued_fraction(0.5, half, square / (degrees + square)) / 0.5


def normal_tail(z: float) -> float:
    """Give P(|Z| >= |z|) for the standard normal distribution."""
    return math.erfc(abs(z) / math.sqrt(2.0))


def binomial_tail(successes: int, trials: int) -> float:
    """Give twice the probability of at most min(successes, failures) heads in `trials` fair tosses, at most 1."""
    fewer = min(successes, trials - successes)
    if 2 * fewer == trials:
        return 1.0
    # The largest term exactly, with whole numbers; the others follow from it by ratios below 1.
    term = total = 1.0
    for count in range(fewer, 0, -1):
        term *= count / (trials - count + 1)
        total += term
        if term < total * 1e-17:
            break
    return min(1.0, 2.0 * total * (math.comb(trials, fewer) / (1 << trials)))


def signed_rank_tail(doubled_ranks: Indexes, doubled_sum: int) -> float:
    """Give twice the smaller tail of the sum of ranks whose signs are tossed, at most 1.

    Ranks and sum are doubled, so that the mean ranks of ties are whole numbers; it is exact with ties too.
    """
    ways = np.zeros(int(doubled_ranks.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled_ranks.tolist():
        ways[rank:] += ways[:-rank].copy()
    ways /= 2.0 ** len(doubled_ranks)
    return min(1.0, 2.0 * min(float(ways[: doubled_sum + 1].sum()), float(ways[doubled_sum:].sum())))


def _gamma_ratio(a: float) -> float:
    """Give Gamma(a + 1/2) / Gamma(a): its asymptotic series, after `a` was raised to where that is exact."""
    ratio = 1.0
    while a < 30.0:
        ratio *= a / (a + 0.5)
        a += 1.0
    series = 0.0
    for coefficient in reversed(_GAMMA_RATIO_SERIES):
        series = series / a + coefficient
    return ratio * math.sqrt(a) * series


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function by Lentz's method (Press et al. 2007, 6.4)."""
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        change = 1.0
        for numerator in (even, odd):
            d = 1.0 + numerator * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + numerator / c
            c = c if abs(c) > tiny else tiny
            change = c * d
            value *= change
        if abs(change - 1.0) < 1e-16:
            break
    return value
