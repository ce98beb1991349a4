"""Say how sure it is that queries got worse, in the words of every report.

A query either got worse for certain, or it needs grades: its unjudged results may be as
good as the results before. In code and JSON a query that needs grades is `open`.
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

    Queries with passages need no grades. For these the text says how many lost a
    passage: ` (3 lost a passage)`. "" if there is nothing to say, for example because
    queries are compared by another metric than nDCG.
    """
    parts = [_certain_text(counts), _lost_text(counts)]
    said = ", ".join(part for part in parts if part)
    return f" ({said})" if said else ""


def _certain_text(counts: ChangeCounts) -> str:
    """Return, for example, `16 for certain, 28 need grades to be sure`, or ""."""
    certain, needing = counts.certain, counts.open
    if not certain and not needing:
        return ""
    is_one = counts.got_worse == 1
    if certain == counts.got_worse:
        return "for certain" if is_one else "all for certain"
    if needing == counts.got_worse:
        return f"{'needs' if is_one else 'all need'} grades to be sure"
    parts = []
    if certain:
        parts.append(f"{certain:,} for certain")
    if needing:
        need = "needs" if needing == 1 else "need"
        parts.append(f"{needing:,} {need} grades to be sure")
    return ", ".join(parts)


def _lost_text(counts: ChangeCounts) -> str:
    """Return, for example, `3 lost a passage`, or ""."""
    lost = counts.lost_passage
    if not lost:
        return ""
    if lost == counts.got_worse:
        return "a passage was lost" if lost == 1 else "all lost a passage"
    return f"{lost:,} lost a passage"
