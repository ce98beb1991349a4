"""Return numbers as text for messages and reports: scores, p-values, grades, durations.

Every subpackage may import this module. It imports none of them.
"""

from __future__ import annotations

import math
from collections.abc import Collection

SIGNIFICANT = 0.05
"""The largest p-value at which a difference is reported as more than chance."""

LEAST = 0.0005
"""The largest difference that prints as 0.000."""

_LARGE = 1e6  # from here on a figure has six digits and an exponent

_MOST_DIGITS = 11  # of a duration


def score_text(score: float | None) -> str:
    """Return a score with three decimals; `n/a` for None and NaN."""
    return "n/a" if score is None or score != score else f"{score:.3f}"


def digits_apart(value: float, bound: float, least: int = 3) -> int:
    """Return how many decimals show that a figure and a bound differ.

    The number is from `least` to 17. It is `least` if 17 decimals show no difference.
    """
    for digits in range(least, 18):
        if f"{value:.{digits}f}" != f"{bound:.{digits}f}":
            return digits
    return least


def digits_of_change(change: float) -> int:
    """Return how many decimals show that a change is not 0: three to nine.

    Three if the change is 0, or smaller than nine decimals show.
    """
    for digits in range(3, 10):
        if round(change, digits):
            return digits
    return 3


def p_text(p: float, bound: float = 0.05) -> str:
    """Return a p-value as text: `0.043`, `<0.001`, or `n/a` for NaN.

    A p-value near `bound` has as many decimals as show on which side it is: `0.0498`.
    `<0.001` is only used if `bound` is above 0.001.
    """
    if p != p:
        return "n/a"
    return "<0.001" if p < 0.001 < bound else f"{p:.{digits_apart(p, bound)}f}"


def number_text(value: float) -> str:
    """Return a grade or a gain with at most three decimals: `3`, `0.5`, `0.333`.

    A value that is not 0 but would be shown as 0 has three significant digits. A value
    of a million or more has six: `1.23457e+06`.
    """
    if abs(value) >= _LARGE:
        return f"{value:.6g}"
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    if value and not float(text):
        return f"{value:.3g}"
    return text


def total_text(value: float) -> str:
    """Return a sum of gains as text: `6.131`, or `1.23457e+06` from a million on."""
    return f"{value:.6g}" if abs(value) >= _LARGE else f"{value:.3f}"


def signed_text(value: float) -> str:
    """Return a difference with its sign, `+0.120`; `n/a` for NaN.

    A difference that shows as zero has no sign.
    """
    if math.isnan(value):
        return "n/a"
    text = f"{value:+.3f}"
    return text if float(text) else "0.000"


def time_text(seconds: float) -> str:
    """Return a limit of time as text: `200 ms`, `1.5 s`."""
    return f"{seconds:g} s" if seconds >= 1 else f"{seconds * 1000:g} ms"


def duration_text(seconds: float, digits: int = 3) -> str:
    """Return a duration rounded to `digits` digits: `12.3 ms`, `1.25 s`.

    `digits`: at least 3. With three digits, a duration below 0.01 ms is `<0.01 ms`, and
        a duration above 999 s has all its whole seconds: `1234 s`.
    """
    if seconds >= 0.9995:
        value, unit = seconds, "s"
    else:
        value, unit = seconds * 1000, "ms"
    if value >= 99.95:
        decimals = digits - 3
    elif value >= 9.995:
        decimals = digits - 2
    else:
        decimals = digits - 1
    least = 10.0**-decimals
    if 0 < value < least:
        return f"<{least:g} {unit}"
    text = f"{value:.{decimals}f}"
    if decimals:
        text = text.rstrip("0").rstrip(".")
    return f"{text} {unit}"


def duration_text_beside(seconds: float, bound: float) -> str:
    """Return a duration with enough digits to see that it differs from a bound.

    A duration that equals the bound has the text of the bound.
    """
    bound_text = time_text(bound)
    for digits in range(3, _MOST_DIGITS + 1):
        text = duration_text(seconds, digits)
        if text != bound_text:
            return text
    return bound_text


def asked_text(numbers: Collection[int]) -> str:
    """Return how many results searches were asked for: `10`, or the range `10 to 20`.

    Raises ValueError if there are no numbers.
    """
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"
