"""What the summary, and the report of a case, say of a search that was called several times (`--relevance-repeat`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_relevance.reports.entries import Entry, variant_label
from pytest_relevance.reports.text import DOUBT, PLAIN, Line, cut_middle, fit, harmless, line, width
from pytest_relevance.wording import counted

MOST_SHOWN = 5

_WIDEST_ID, _WIDEST_QUERY = 24, 30


def is_stable(repeated: Mapping[str, Any]) -> bool:
    """Whether every call gave the same ranking."""
    return bool(repeated["rankings"] == 1)


def unstable_text(repeated: Mapping[str, Any]) -> str:
    """What to say of a ranking that changes, in the report of its case."""
    different = counted(repeated["rankings"], "different ranking")
    calls = counted(repeated["calls"], "call")
    return f"the ranking is not stable: {different} in {calls}; first difference at {_difference(repeated)}"


def _difference(repeated: Mapping[str, Any]) -> str:
    """`rank 3: a / b (a tie)`."""
    ends = ["nothing" if name is None else cut_middle(harmless(name), _WIDEST_ID) for name in repeated["documents"]]
    return f"rank {repeated['rank']}: {' / '.join(ends)}{' (of the same score)' if repeated['is_tie'] else ''}"


def repeat_lines(entries: Sequence[Entry], verbose: int) -> list[Line]:
    """The part of the summary: the queries whose ranking changes from call to call."""
    called = [entry for entry in entries if entry.repeated is not None]
    if not called:
        return []
    unstable = [entry for entry in called if entry.repeated is not None and not is_stable(entry.repeated)]
    calls = counted(max(entry.repeated["calls"] for entry in called if entry.repeated is not None), "call")
    if not unstable:
        return [line(f"no ranking changes from call to call: {counted(len(called), 'query', 'queries')}, {calls} each")]
    queries = counted(len(unstable), "query", "queries")
    lines = [line(f"ranking changes from call to call: {queries} of {len(called):,}, {calls} each", DOUBT)]
    if verbose < 0:
        return lines
    variants = sorted({entry.ran_as for entry in called}, key=str)
    shown = unstable if verbose > 0 else unstable[:MOST_SHOWN]
    names = [
        harmless(entry.query) + (f" [{variant_label(entry.ran_as, variants)}]" if len(variants) > 1 else "")
        for entry in shown
    ]
    columns = min(max(map(width, names)), _WIDEST_QUERY)
    for entry, name in zip(shown, names, strict=True):
        assert entry.repeated is not None
        lines.append(line(f"  {fit(name, columns)}  {_difference(entry.repeated)}", PLAIN))
    if more := len(unstable) - len(shown):
        lines.append(line(f"  ... {more:,} more (-v shows all)", PLAIN))
    return lines
