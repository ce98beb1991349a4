"""Say how sure it is that queries got worse, in the words of every report.

A query got worse for certain, or it needs grades: its unjudged results may explain the
fall. In code and JSON a query that needs grades is open.
"""

from __future__ import annotations

from pytest_relevance.results.change_counts import ChangeCounts

CERTAIN, NEEDS_GRADES = "certain", "needs grades"
"""How sure it is that a query got worse."""

CERTAINTY_EXPLAINED = (
    f"{CERTAIN}: no grade of an unjudged result could change that it got worse. "
    f"{NEEDS_GRADES}: unjudged results may be as good as what they replaced; "
    "only grades tell whether it got worse"
)


def certainty_text(is_certain: bool | None) -> str:
    """Return `certain` or `needs grades`; "" if the query did not get worse (None)."""
    if is_certain is None:
        return ""
    return CERTAIN if is_certain else NEEDS_GRADES


def how_sure(counts: ChangeCounts) -> str:
    """Return, for example, ` (16 for certain, 28 need grades to be sure)`.

    "" if nobody knows how many are certain, for example for other metrics than nDCG.
    """
    if not counts.certain and not counts.open:
        return ""
    is_one = counts.got_worse == 1
    if not counts.open:
        return " (for certain)" if is_one else " (all for certain)"
    if not counts.certain:
        needs = "needs" if is_one else "all need"
        return f" ({needs} grades to be sure)"
    need = "needs" if counts.open == 1 else "need"
    return (
        f" ({counts.certain:,} for certain, {counts.open:,} {need} grades to be sure)"
    )
