"""Numbers as reports print them: grades, gains, scores, differences, p-values."""

from __future__ import annotations

LEAST = 0.0005
"""The largest difference that prints as 0.000."""

_LARGE = 1e6  # above, a figure is shown with six digits and an exponent


def number(value: float) -> str:
    """A grade or a gain: a whole number as it is, others with at most three decimals."""
    if abs(value) >= _LARGE:
        return f"{value:.6g}"
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return text if float(text) or not value else f"{value:.3g}"


def total(value: float) -> str:
    """A sum of gains."""
    return f"{value:.6g}" if abs(value) >= _LARGE else f"{value:.3f}"


def score_text(score: float | None) -> str:
    """A score, `n/a` where it is not defined: None or NaN."""
    return "n/a" if score is None or score != score else f"{score:.3f}"


def signed(value: float) -> str:
    """A difference with its sign, and without one where it prints as zero; `n/a` for NaN."""
    if value != value:
        return "n/a"
    text = f"{value:+.3f}"
    return text if float(text) else "0.000"


def p_text(p: float) -> str:
    """A p-value, `n/a` for NaN."""
    if p != p:
        return "n/a"
    return "<0.001" if p < 0.001 else f"{p:.3f}"
