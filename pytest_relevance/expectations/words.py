"""Parts of sentences that several kinds of expectations share."""

from __future__ import annotations

from pytest_relevance._number_text import digits_apart
from pytest_relevance.results.case_parts import Outcome

OPPOSITE = {
    ">=": "below",
    ">": "not above",
    "<=": "above",
    "<": "not below",
    "==": "not",
}
"""The word for a figure that misses its bound, by the comparison: `below` for `>=`."""


def below(name: str, value: float | None, comparison: str, bound: float) -> str:
    """Return how a score misses its bound: `P@5 0.400 is below 0.600`.

    Both numbers have enough digits to show that they differ.
    """
    if value is None:
        return f"{name} is not defined"
    digits = digits_apart(value, bound)
    return f"{name} {value:.{digits}f} is {OPPOSITE[comparison]} {bound:.{digits}f}"


def score_beside_bound(outcome: Outcome) -> str:
    """Return a score that meets its bound: `P@5 0.800 >= 0.600`."""
    if outcome.value is None:
        return outcome.name
    digits = digits_apart(outcome.value, outcome.bound)
    value, bound = f"{outcome.value:.{digits}f}", f"{outcome.bound:.{digits}f}"
    return f"{outcome.name} {value} {outcome.comparison} {bound}"
