"""Numbers as reports print them: grades, gains, scores, differences, p-values."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10

from pytest_relevance._text import score_text as score_text

SIGNIFICANT = 0.05
"""The largest p-value at which a difference is reported as more than chance."""

LEAST = 0.0005
"""The largest difference that prints as 0.000."""

_LARGE = 1e6  # above, a figure is shown with six digits and an exponent
_SMALL = 1e-6  # below, a score of an engine is shown with an exponent


def number(value: float) -> str:
    """A grade or a gain: a whole number as it is, others with at most three decimals."""
    if abs(value) >= _LARGE:
        return f"{value:.6g}"
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return text if float(text) or not value else f"{value:.3g}"


def total(value: float) -> str:
    """A sum of gains."""
    return f"{value:.6g}" if abs(value) >= _LARGE else f"{value:.3f}"


def engine_score_texts(scores: Sequence[float | None]) -> list[str]:
    """The scores of an engine, all with the same decimals: at most four that count; empty where there is none.

    So many decimals are shown as the largest score needs: 12.3457, 1234.57, 0.01639. Zeros that all have at their ends
    are left out.
    """
    known = [score for score in scores if score is not None]
    most = max(map(abs, known), default=0.0)
    if most >= _LARGE or 0 < most < _SMALL:
        return ["" if score is None else f"{score:.4g}" for score in scores]
    before = floor(log10(most)) + 1 if most else 1  # digits before the point; below 0: zeros behind it
    decimals = min(4 - min(before, 0), max(6 - before, 0))
    needed = max((len(f"{score:.{decimals}f}".partition(".")[2].rstrip("0")) for score in known), default=0)
    return ["" if score is None else f"{score:.{needed}f}" for score in scores]


def signed(value: float) -> str:
    """A difference with its sign, and without one where it prints as zero; `n/a` for NaN."""
    if value != value:
        return "n/a"
    text = f"{value:+.3f}"
    return text if float(text) else "0.000"
