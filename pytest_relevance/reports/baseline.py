"""What the summary says of the baseline: the queries that moved most, and what an update would accept, add or drop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pytest_relevance.reports.entries import Entry
from pytest_relevance.reports.rows import CaseRow, case_lines, ran_as_label
from pytest_relevance.reports.text import (
    BAD,
    DIM,
    DOUBT,
    GOOD,
    PLAIN,
    STRONG,
    Line,
    folded,
    line,
)
from pytest_relevance.runs.beside import IMPROVEMENT, NEW, REGRESSION, STALE
from pytest_relevance.wording import counted, listed

MOST_MOVERS = 5
"""What the summary shows of the queries that moved up, and of those that moved down."""

ALL, ONLY_NEW = "all", "new"
"""What an update accepts."""

_LEAST_CHANGE = 0.0005  # what would print as 0.000
_MOST_GONE = 3


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


def _movers(movers: Sequence[Entry], entries: Sequence[Entry], style: str) -> list[Line]:
    """`-0.452  0.764 -> 0.312  smart watch   failed   shop.relevance.yaml:41`."""
    variants = sorted({entry.ran_as for entry in entries if not entry.is_check}, key=str)
    rows = []
    for entry in movers:
        assert entry.score is not None
        before = f"  {entry.score - entry.change:.3f} -> {entry.score:.3f}"
        figures = (f"  {entry.change:+.3f}", style), (before, PLAIN)
        rows.append(CaseRow(entry, figures, ran_as_label(entry, variants)))
    return case_lines(rows)


def _advice(entries: Sequence[Entry], gone: Mapping[str, Sequence[str]], accepts: str | None) -> list[Line]:
    """What an update would do, where this run is not one that does it."""
    worse, better, stale, new = (_cases(entries, standing) for standing in (REGRESSION, IMPROVEMENT, STALE, NEW))
    names = [name for names in gone.values() for name in names]
    texts = []
    if worse and accepts != ALL:
        fell = f"{counted(worse, 'case is', 'cases are')} worse by more than the tolerance"
        texts.append((f"{fell}: where that is meant, --relevance-update FILE::CASE (or with -k) accepts one", BAD))
    if better and accepts != ALL:
        improved = f"{counted(better, 'case is', 'cases are')} better by more than the tolerance"
        too = ", and what is worse too unless you choose the cases" if worse else ""
        texts.append((f"{improved}: --relevance-update accepts {_them(better)}{too}", GOOD))
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
