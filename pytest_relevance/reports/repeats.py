"""What the summary, and the report of a case, say of a search that was called several times (`--relevance-repeat`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_relevance.reports.entries import NOT_PASSED, Entry
from pytest_relevance.reports.rows import ran_as_label
from pytest_relevance.reports.text import DIM, DOUBT, PLAIN, WIDEST, Line, cut_middle, fit, harmless, line, pad, width
from pytest_relevance.wording import counted

MOST_SHOWN = 5

_LONGEST_ID, _SHORTEST_ID, _WIDEST_QUERY = 24, 10, 30

Repeated = Mapping[str, Any]
"""What became of a ranking from call to call, as `plugin.repeats` has it; a record has less of it."""


def is_stable(repeated: Repeated) -> bool:
    """Whether every call gave the same ranking."""
    return bool(repeated["rankings"] == 1)


def unstable_text(repeated: Repeated) -> str:
    """What to say of a ranking that changes, in the report of its case."""
    different = counted(repeated["rankings"], "different ranking")
    calls = counted(repeated["calls"], "call")
    return f"the ranking is not stable: {different} in {calls}; first difference at {_difference(repeated)}"


def repeat_lines(entries: Sequence[Entry], verbose: int) -> list[Line]:
    """The part of the summary: the queries whose ranking changes from call to call."""
    called = [(entry, entry.repeated) for entry in entries if entry.repeated is not None]
    if not called:
        return []
    unstable = sorted(
        ((entry, repeated) for entry, repeated in called if not is_stable(repeated)),
        key=lambda found: (found[0].status not in NOT_PASSED, found[0].file, found[0].line),
    )
    queries = counted(_queries(entry for entry, _ in unstable or called), "query", "queries")
    calls = counted(max(repeated["calls"] for _, repeated in called), "call")
    if not unstable:
        return [line(f"no ranking changes from call to call: {queries}, {calls} each")]
    of_all = f"{queries} of {_queries(entry for entry, _ in called):,}"
    lines = [line(f"ranking changes from call to call: {of_all}, {calls} each", DOUBT)]
    if verbose < -1:
        return lines
    shown = unstable if verbose > 0 else unstable[:MOST_SHOWN]
    lines += _named(shown, [entry for entry, _ in called])
    if more := len(unstable) - len(shown):
        lines.append(line(f"  ... {more:,} more (-v shows all)", DIM))
    return lines


def _queries(entries: Iterable[Entry]) -> int:
    """How many queries, whatever they ran with."""
    return len({(entry.file, entry.id) for entry in entries})


def _named(shown: Sequence[tuple[Entry, Repeated]], among: Sequence[Entry]) -> Iterable[Line]:
    """`  usb c hub  dense  rank 4: 2060476 / 1229111 (of the same score)`; the places where there are several files."""
    variants = sorted({entry.ran_as for entry in among}, key=str)
    labels = [ran_as_label(entry, variants) for entry, _ in shown]
    has_places = len({entry.file for entry in among}) > 1
    places = [f"   {harmless(entry.source or entry.file)}:{entry.line}" if has_places else "" for entry, _ in shown]
    columns = min(max(width(harmless(entry.query)) for entry, _ in shown), _WIDEST_QUERY)
    for_label = max(map(width, labels))
    for (entry, repeated), label, place in zip(shown, labels, places, strict=True):
        name = f"  {fit(entry.query, columns)}{pad(label, for_label)}  "
        difference = _difference(repeated, WIDEST - width(name) - width(place))
        yield (f"{name}{difference}", PLAIN), (place, DIM)


def _difference(repeated: Repeated, room: int = WIDEST) -> str:
    """`rank 3: a / b (of the same score)`."""
    if "rank" not in repeated:
        return counted(repeated["rankings"], "different ranking")
    rank, note = f"rank {repeated['rank']}: ", " (of the same score)" if repeated["is_tie"] else ""
    for_id = max(_SHORTEST_ID, min(_LONGEST_ID, (room - len(rank) - len(" / ") - len(note)) // 2))
    ends = ["nothing" if name is None else cut_middle(harmless(name), for_id) for name in repeated["documents"]]
    return f"{rank}{' / '.join(ends)}{note}"
