"""The baseline in a summary: the queries that moved most, and what an update would accept, add or drop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pytest_relevance._text import counted, listed
from pytest_relevance.reports.numbers import LEAST
from pytest_relevance.reports.summary.cases import CaseRow, case_count, case_table, short_label, variants_of
from pytest_relevance.reports.table import Table, styled
from pytest_relevance.reports.text import BAD, DIM, DOUBT, GOOD, STRONG, WIDEST, Line, folded_lines, line
from pytest_relevance.results.case_result import IMPROVEMENT, NEW, REGRESSION, STALE, CaseResult
from pytest_relevance.results.run_info import FileInfo

MOST_MOVERS = 5
"""How many queries of those that moved up, and of those that moved down, are shown."""

ALL, ONLY_NEW = "all", "new"
"""What an update accepts."""

_MOST_GONE = 3


def baseline_lines(
    results: Sequence[CaseResult],
    files: Mapping[str, FileInfo],
    *,
    verbosity: int = 0,
    columns: int = WIDEST,
    updating: str | None = None,
) -> list[Line]:
    """The movers against the baseline, and which updates are possible; nothing where there is no baseline.

    `updating` is what this run accepts already, `ALL` or `ONLY_NEW`.
    """
    if not any(info.has_baseline for info in files.values()):
        return []
    lines: list[Line] = []
    for title, movers, style in (
        ("down since the baseline", movers_of(results, -1), BAD),
        ("up since the baseline", movers_of(results, 1), GOOD),
    ):
        shown = movers if verbosity > 0 else movers[:MOST_MOVERS]
        if shown:
            lines += [line(title, STRONG), *mover_table(shown, results, style).lines(columns)]
        if more := len(movers) - len(shown):
            lines.append(line(f"  ... {more} more (-v shows all)", DIM))
    orphans = [name for file, info in files.items() if info.is_whole(results, file) for name in info.orphans or ()]
    for text, style in _advice(results, orphans, updating):
        lines += folded_lines(text, style, columns)
    return lines


def movers_of(results: Iterable[CaseResult], sign: int) -> list[CaseResult]:
    """The cases whose score fell (`sign` -1) or rose (1) since the baseline, those that moved farthest first."""
    moved = [result for result in results if result.change * sign > LEAST]
    return sorted(moved, key=lambda result: -result.change * sign)


def mover_table(movers: Iterable[CaseResult], among: Iterable[CaseResult], style: str) -> Table:
    """`-0.452  0.764 -> 0.312  smart watch   failed   shop.relevance.yaml:41`."""
    variants = variants_of(among)
    rows: list[CaseRow] = []
    for result in movers:
        assert result.score is not None
        before = f"{result.score - result.change:.3f} -> {result.score:.3f}"
        rows.append((result, [styled(f"{result.change:+.3f}", style), before], short_label(result, variants)))
    return case_table(rows, figures=2)


def _advice(results: Sequence[CaseResult], orphans: Sequence[str], updating: str | None) -> Iterable[tuple[str, str]]:
    """What an update would do, where this run is not one that does it; with the style of each line."""
    worse, better, stale, new = (_count(results, standing) for standing in (REGRESSION, IMPROVEMENT, STALE, NEW))
    if worse and updating != ALL:
        fell = f"{counted(worse, 'case is', 'cases are')} worse by more than the tolerance"
        yield f"{fell}: where that is meant, --relevance-update FILE::CASE (or with -k) accepts one", BAD
    if better and updating != ALL:
        improved = f"{counted(better, 'case is', 'cases are')} better by more than the tolerance"
        too = ", and what is worse too unless you choose the cases" if worse else ""
        yield f"{improved}: --relevance-update accepts {_them(better)}{too}", GOOD
    if stale and updating != ALL:
        has = f"{counted(stale, 'case has', 'cases have')} a stale baseline"
        yield f"{has}: --relevance-update accepts the present rankings", BAD
    if new and updating is None:
        has = f"{counted(new, 'case has', 'cases have')} no baseline yet"
        yield f"{has}: --relevance-update=new adds {_them(new)}", DOUBT
    if orphans and updating != ALL:
        more = len(orphans) - _MOST_GONE
        shown = [*orphans[:_MOST_GONE], f"{more} more"] if more > 1 else orphans
        are = counted(len(orphans), "baseline entry is of a case that is", "baseline entries are of cases that are")
        yield f"{are} gone: {listed(shown, 'and')}; --relevance-update drops {_them(len(orphans))}", DOUBT


def _count(results: Iterable[CaseResult], standing: str) -> int:
    return case_count(
        result for result in results if result.baseline is not None and result.baseline.standing == standing
    )


def _them(number: int) -> str:
    return "it" if number == 1 else "them"
