"""The baseline in a summary: the queries that moved most, and what an update would accept, add or drop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pytest_relevance._text import counted, listed
from pytest_relevance.reports.numbers import LEAST
from pytest_relevance.reports.summary.cases import add_case, case_count, case_table, short_label, variants_of
from pytest_relevance.reports.table import Table, styled
from pytest_relevance.reports.text import BAD, DOUBT, GOOD, WIDEST, Line, folded_lines
from pytest_relevance.results.case_result import IMPROVEMENT, NEW, REGRESSION, STALE, CaseResult
from pytest_relevance.results.fingerprint import Fingerprint, changed, changes_text
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
    fingerprint: Fingerprint | None = None,
) -> list[Line]:
    """The movers against the baseline, and which updates are possible; nothing where there is no baseline.

    `updating` is what this run accepts already, `ALL` or `ONLY_NEW`; `fingerprint` is that of this run.
    """
    if not any(info.has_baseline for info in files.values()):
        return []
    tables = mover_tables(results, None if verbosity > 0 else MOST_MOVERS)
    lines = _searched(files, fingerprint or {}, columns)
    lines += [spans for table in tables for spans in table.lines(columns)]
    orphans = [name for file, info in files.items() if info.is_whole(results, file) for name in info.orphans or ()]
    for text, style in _advice(results, orphans, updating):
        lines += folded_lines(text, style, columns)
    return lines


def _searched(files: Mapping[str, FileInfo], fingerprint: Fingerprint, columns: int) -> list[Line]:
    """What differs in what was searched since the baselines, once where it is the same for several files."""
    texts: dict[str, list[str]] = {}
    for file, about in files.items():
        texts.setdefault(changes_text(changed(about.fingerprint, fingerprint)), []).append(file)
    texts.pop("", None)
    return [
        spans
        for text, named in texts.items()
        for spans in folded_lines(
            f"searched since the baseline{f' of {listed(named)}' if len(texts) > 1 else ''}: {text}", DOUBT, columns
        )
    ]


def mover_tables(results: Sequence[CaseResult], most: int | None) -> list[Table]:
    """The cases whose score fell since the baseline, and those whose score rose, those that moved farthest first."""
    return [
        _mover_table("down since the baseline", results, -1, BAD, most),
        _mover_table("up since the baseline", results, 1, GOOD, most),
    ]


def _mover_table(title: str, results: Sequence[CaseResult], sign: int, style: str, most: int | None) -> Table:
    variants, table = variants_of(results), case_table(title, figures=2)
    moved = [result for result in results if result.change * sign > LEAST]
    for result in sorted(moved, key=lambda result: -result.change * sign)[:most]:
        assert result.score is not None
        before = f"{result.score - result.change:.3f} -> {result.score:.3f}"
        add_case(table, result, short_label(result, variants), styled(f"{result.change:+.3f}", style), before)
    if more := len(moved) - len(table.rows):
        table.note = f"  ... {more} more (-v shows all)"
    return table


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
