"""Cases that are shown together: in a line each, or all in one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_relevance._text import counted, first_few, listed
from pytest_relevance.reports.cells import Cell, Column
from pytest_relevance.reports.reasons import (
    case_heading,
    reason_in_brief,
    search_label,
)
from pytest_relevance.reports.run.variants import variants_of
from pytest_relevance.reports.styled_lines import Line
from pytest_relevance.reports.table import Table
from pytest_relevance.reports.terminal_text import WIDEST
from pytest_relevance.results.case_result import NOT_SEARCHED, CaseResult

_MOST_NAMED = 10


# --- a line each ----------------------------------------------------------------------


def brief_title(results: Sequence[CaseResult]) -> str:
    """Return the heading of failures in brief:
    `13 more failures, 9 of them failed before`.
    """
    from pytest_relevance.results.failures import FAILED_BEFORE, failure_kind

    before = sum(failure_kind(result) == FAILED_BEFORE for result in results)
    if before == len(results):
        return f"{before:,} failed before"
    title = counted(len(results), "more failure")
    return f"{title}, {before:,} of them failed before" if before else title


def brief_lines(results: Sequence[CaseResult], width: int = WIDEST) -> list[Line]:
    """Write a line for each failure: query, reason, and the document that costs
    most.
    """
    from pytest_relevance.reports.run.case_change import CaseChange
    from pytest_relevance.reports.run.movers import LOST_DOCUMENT, moved_case

    variants = variants_of(results)
    table = Table(
        [
            Column(max_width=40, cut_to=20),
            Column(),
            Column(cut_to=34),
            Column(max_width=40, cut_to=24, cut_middle=True),
        ]
    )
    for result in results:
        row = moved_case(CaseChange.since_baseline(result), variants)
        lost = Cell(row.documents[LOST_DOCUMENT])
        table.add(row.name, row.variant, reason_in_brief(result), lost)
    table.note = "-v shows them in full"
    return table.lines(width)


# --- all in one sentence --------------------------------------------------------------


def together_title(results: Sequence[CaseResult]) -> str:
    """Return the heading of cases that failed alike, or that were not searched."""
    if results[0].status == NOT_SEARCHED:
        return f"{counted(len(results), 'case')} not searched"
    return counted(len(results), "more case")


def together_text(results: Sequence[CaseResult], *, full: bool = False) -> str:
    """`and 134 more cases failed alike: q002, q003 and 132 more`; in `full` all
    names.
    """
    names = case_names(results, full=full)
    if results[0].status == NOT_SEARCHED:
        return f"{not_searched_text(results)}: {names}"
    return f"and {counted(len(results), 'more case')} failed alike: {names}"


def not_searched_text(results: Sequence[CaseResult]) -> str:
    """Say how many cases were not searched, and why.

    `125 cases were not searched, as search failed in too many cases in a row`.
    """
    labels = [search_label(result.search, result.variant, {}) for result in results]
    searches = listed(dict.fromkeys(labels), "and")
    cases = counted(len(results), "case was", "cases were")
    return (
        f"{cases} not searched, as {searches} failed in too many cases in a row "
        "(relevance_give_up)"
    )


def case_names(results: Iterable[CaseResult], *, full: bool) -> str:
    """Name the cases as their headings do, in the order of their files.

    Unless `full`, of many the first few, and how many more there are.
    """
    in_order = sorted(results, key=lambda result: (result.file, result.line))
    names = [case_heading(result) for result in in_order]
    # to count one more name would take as much room as the name
    if full or len(names) == _MOST_NAMED + 1:
        return first_few(names, len(names))
    return first_few(names, _MOST_NAMED)
