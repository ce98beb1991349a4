"""What the summary says of the baseline: the queries that moved most, and what an update would accept, add or drop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pytest_relevance.reports.entries import STATUSES, Entry, variant_label
from pytest_relevance.reports.text import (
    BAD,
    DIM,
    DOUBT,
    GOOD,
    PLAIN,
    STRONG,
    WIDEST,
    Line,
    cut,
    fit,
    folded,
    harmless,
    line,
    pad,
    width,
)
from pytest_relevance.runs.beside import IMPROVEMENT, NEW, STALE
from pytest_relevance.wording import counted, listed

MOST_MOVERS = 5
"""What the summary shows of the queries that moved up, and of those that moved down."""

ALL, ONLY_NEW = "all", "new"
"""What an update accepts."""

_LEAST_CHANGE = 0.0005  # what would print as 0.000
_MOST_GONE = 3
_WIDEST_QUERY, _LEAST_QUERY, _WIDEST_VARIANT = 40, 20, 16


def baseline_lines(
    entries: Sequence[Entry], gone: Mapping[str, Sequence[str]], verbose: int = 0, accepts: str | None = None
) -> list[Line]:
    """The movers against the baseline, and what is to be done about it.

    `gone` are the entries of cases that are no more, by the case file. `accepts` is what this run accepts already.
    """
    lines: list[Line] = []
    for title, movers, style in (
        ("down since the baseline", sorted(_moved(entries, -1), key=lambda entry: entry.change), BAD),
        ("up since the baseline", sorted(_moved(entries, 1), key=lambda entry: -entry.change), GOOD),
    ):
        shown = movers if verbose > 0 else movers[:MOST_MOVERS]
        if shown:
            lines += [line(title, STRONG), *_movers(shown, entries, style)]
        if more := len(movers) - len(shown):
            lines.append(line(f"  ... {more} more (-v shows all)", DIM))
    return lines + _advice(entries, gone, accepts)


def _moved(entries: Iterable[Entry], way: int) -> list[Entry]:
    return [entry for entry in entries if entry.change * way > _LEAST_CHANGE]


def _movers(movers: Sequence[Entry], entries: Sequence[Entry], style: str) -> Iterable[Line]:
    """`-0.452  0.764 -> 0.312  smart watch   failed   shop.relevance.yaml:41`."""
    variants = sorted({entry.ran_as for entry in entries if not entry.is_check}, key=str)
    queries = [harmless(entry.query) for entry in movers]
    labels = [
        f"  {cut(variant_label(entry.ran_as, variants), _WIDEST_VARIANT)}" if len(variants) > 1 else ""
        for entry in movers
    ]
    places = [f"   {harmless(entry.source or entry.file)}:{entry.line}" for entry in movers]
    for_label, for_status = max(map(width, labels)), max(len(entry.status) for entry in movers)
    room = WIDEST - 26 - for_label - 3 - for_status - max(map(width, places))
    columns = min(max(map(width, queries)), _WIDEST_QUERY, max(room, _LEAST_QUERY))
    for query, label, place, entry in zip(queries, labels, places, movers, strict=True):
        assert entry.score is not None
        yield (
            (f"  {entry.change:+.3f}", style),
            (f"  {entry.score - entry.change:.3f} -> {entry.score:.3f}", PLAIN),
            (f"  {fit(query, columns)}{pad(label, for_label)}   ", PLAIN),
            (f"{entry.status:<{for_status}}", STATUSES.get(entry.status, PLAIN)),
            (place, DIM),
        )


def _advice(entries: Sequence[Entry], gone: Mapping[str, Sequence[str]], accepts: str | None) -> list[Line]:
    """What an update would do, where this run is not one that does it."""
    better, stale, new = (_cases(entries, standing) for standing in (IMPROVEMENT, STALE, NEW))
    names = [name for names in gone.values() for name in names]
    texts = []
    if better and accepts != ALL:
        improved = f"{counted(better, 'case is', 'cases are')} better by more than the tolerance"
        texts.append((f"{improved}: --relevance-update accepts {_them(better)}", GOOD))
    if stale and accepts != ALL:
        has = f"{counted(stale, 'case has', 'cases have')} a stale baseline"
        texts.append((f"{has}: --relevance-update accepts the present rankings", BAD))
    if new and accepts is None:
        has = f"{counted(new, 'case has', 'cases have')} no baseline yet"
        texts.append((f"{has}: --relevance-update=new adds {_them(new)}", DOUBT))
    if names and accepts != ALL:
        shown = [*names[:_MOST_GONE], f"{len(names) - _MOST_GONE} more"] if len(names) > _MOST_GONE + 1 else names
        are = counted(len(names), "baseline entry is of a case that is", "baseline entries are of cases that are")
        texts.append((f"{are} gone: {listed(shown, 'and')}; --relevance-update drops {_them(len(names))}", DOUBT))
    return [line(part, style) for text, style in texts for part in folded(text, indent="    ")]


def _cases(entries: Iterable[Entry], standing: str) -> int:
    """How many cases, whatever they ran with."""
    return len({(entry.file, entry.id) for entry in entries if entry.standing == standing})


def _them(number: int) -> str:
    return "it" if number == 1 else "them"
