"""The part of a summary about searches that were called several times (`--relevance-repeat`)."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance._text import counted
from pytest_relevance.reports.case.reasons import difference_text
from pytest_relevance.reports.summary.cases import NOT_PASSED, case_count, short_label, variants_of
from pytest_relevance.reports.table import Column, Table, styled
from pytest_relevance.reports.text import DIM, DOUBT, WIDEST, Line, line
from pytest_relevance.results.case_result import CaseResult

MOST_SHOWN = 5

_WIDTHS_OF_IDS = (24, 17, 10)


def stability_lines(results: Sequence[CaseResult], *, verbosity: int = 0, columns: int = WIDEST) -> list[Line]:
    """The queries whose ranking changes from call to call; one line where none does."""
    called = [result for result in results if result.repeats is not None]
    if not called:
        return []
    unstable = sorted(
        (result for result in called if result.repeats is not None and result.repeats.rankings > 1),
        key=lambda result: (result.status not in NOT_PASSED, result.file, result.line),
    )
    queries = counted(case_count(unstable or called), "query", "queries")
    calls = counted(max(result.repeats.calls for result in called if result.repeats is not None), "call")
    if not unstable:
        return [line(f"no ranking changes from call to call: {queries}, {calls} each")]
    of_all = f"{queries} of {case_count(called):,}"
    lines = [line(f"ranking changes from call to call: {of_all}, {calls} each", DOUBT)]
    if verbosity < -1:
        return lines
    shown = unstable if verbosity > 0 else unstable[:MOST_SHOWN]
    tables = [_table(shown, called, longest) for longest in _WIDTHS_OF_IDS]
    lines += next((table for table in tables if table.width() <= columns), tables[-1]).lines(columns)
    if more := len(unstable) - len(shown):
        lines.append(line(f"  ... {more:,} more (-v shows all)", DIM))
    return lines


def _table(shown: Sequence[CaseResult], called: Sequence[CaseResult], longest: int) -> Table:
    """`  usb c hub  dense  rank 4: 2060476 / 1229111 (of the same score)`; the places where there are several files."""
    variants = variants_of(called)
    has_places = len({result.file for result in called}) > 1
    table = Table([Column(most=30, least=20), Column(), Column(), Column(gap=3)], indent=2)
    for result in shown:
        assert result.repeats is not None
        place = styled(result.place if has_places else "", DIM)
        table.add(result.query, short_label(result, variants), difference_text(result.repeats, longest), place)
    return table
