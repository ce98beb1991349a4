"""The ranking of a case as a table: the breakdown of its nDCG@k, or the results alone where there are no judgments."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance._text import counted
from pytest_relevance.reports.breakdown import Breakdown, Row
from pytest_relevance.reports.table import RIGHT, Cell, Column, Table, styled
from pytest_relevance.reports.text import BAD, DIM, DOUBT, PLAIN, WIDEST, Line, line, number, total
from pytest_relevance.results.case_result import CaseResult

MOST_ROWS = 10
"""How many ranks a report shows by default."""

_EXCLUDED = "excluded"

_RANK = Column("rank", RIGHT)
_FIGURES = tuple(Column(name, RIGHT) for name in ("grade", "gain", "discount", "DG", "DCG", "ideal", "IDCG"))


def document_columns(title: str = "document") -> tuple[Column, Column]:
    """The columns of an id and its title. Where there is not room for both, long ids are cut first, then titles."""
    return (
        Column(title, least=24, middle=True, is_code=True),
        Column(None, least=8, may_go=True, is_code=True),
    )


def breakdown_table(result: CaseResult, found: Breakdown, *, full: bool = True) -> Table:
    """The breakdown with one row for each rank; results that the case excludes are marked. `full`: all ranks up to k.

    Otherwise ranks below the last result, where only the ideal goes on, are folded into one row.
    """
    rows = _shown_rows(found, full=full)
    table = Table([_RANK, *document_columns(), *_FIGURES, Column()])
    excluded = excluded_documents(result)
    nothing = "nothing returned" if result.settings.unjudged == "zero" else "no judged result"
    for row in rows:
        is_excluded = row.document in excluded and not row.repeated
        name: tuple[str | Cell, ...]
        if row.document is None:
            name = (styled(nothing, DIM, 2),)
        else:
            name = (row.document, result.titles.get(row.document, ""))
        style = BAD if is_excluded else _style(row)
        table.add(f"{row.rank}", *name, *_figures(row), _EXCLUDED if is_excluded else "", style=style)
    results = sum(row.document is not None for row in found.rows)
    if not full and results <= MOST_ROWS + 1 and results < len(found.rows):
        last = found.rows[-1]
        ranks = f"{last.rank}" if last.rank == results + 1 else f"{results + 1}-{last.rank}"
        sums = ("", "", "", "", total(last.dcg), "", total(last.ideal_dcg))
        table.add(ranks, styled(nothing, DIM, 2), *sums, style=DIM)
    return table


def breakdown_lines(result: CaseResult, found: Breakdown, *, full: bool, columns: int = WIDEST) -> list[Line]:
    """The breakdown as text, with the number of ranks that are not shown below it."""
    lines = breakdown_table(result, found, full=full).lines(columns)
    results = sum(row.document is not None for row in found.rows)
    if not full and results > MOST_ROWS + 1:
        lines.append(line(f"      ... {len(found.rows) - MOST_ROWS} more ranks (-v shows all)", DIM))
    return lines


def _shown_rows(found: Breakdown, *, full: bool) -> Sequence[Row]:
    results = sum(row.document is not None for row in found.rows)
    if full:
        return found.rows
    return found.rows[: MOST_ROWS if results > MOST_ROWS + 1 else results]  # a note about one more is as long


def result_lines(result: CaseResult, *, full: bool, columns: int = WIDEST) -> list[Line]:
    """The results of a case without judgments."""
    most = max(result.depth or 0, MOST_ROWS) if full else MOST_ROWS
    shown = result.documents[:most]
    excluded = excluded_documents(result)
    table = Table([_RANK, *document_columns(), Column()])
    for rank, document in enumerate(shown, 1):
        is_excluded = document in excluded
        cells = (f"{rank}", document, result.titles.get(document, ""), _EXCLUDED if is_excluded else "")
        table.add(*cells, style=BAD if is_excluded else PLAIN)
    lines = table.lines(columns)
    if more := max(len(result.documents), result.returned) - len(shown):
        lines.append(line(f"      ... {counted(more, 'more result')}", DIM))
    return lines


def excluded_documents(result: CaseResult) -> frozenset[str]:
    """The documents in the top ranks from which the case excludes them."""
    return frozenset(
        document
        for outcome in result.outcomes
        if outcome.kind == "exclude" and not outcome.met
        for document in set(result.documents[: outcome.within or result.k]).intersection(outcome.documents)
    )


def _figures(row: Row) -> tuple[str, ...]:
    """The cells of `_FIGURES`; "-" for what an unjudged result does not have, nothing where there is no result."""
    if row.document is None:
        own = ("", "")
    elif row.grade is None:
        own = ("repeat" if row.repeated else "-", "-")
    else:
        own = (number(row.grade), number(row.gain))
    discounted = "" if row.document is None else "-" if row.grade is None else total(row.discounted_gain)
    ideal = ("", "") if row.ideal_grade is None else (number(row.ideal_grade), total(row.ideal_dcg))
    return (*own, f"{row.discount:.3f}", discounted, total(row.dcg), *ideal)


def _style(row: Row) -> str:
    if row.document is None or row.repeated:
        return DIM
    if row.grade is None:
        return DOUBT
    return BAD if row.gain <= 0 and row.ideal_grade is not None else PLAIN
