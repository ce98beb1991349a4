"""Tables of cases, and the cases with the lowest scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_relevance._number_text import score_text
from pytest_relevance.reports.cells import RIGHT, Column, styled_cell
from pytest_relevance.reports.labels import STATUSES, case_label
from pytest_relevance.reports.run.variant_labels import Variant, short_label
from pytest_relevance.reports.styled_lines import DIM
from pytest_relevance.reports.table import Table
from pytest_relevance.results.case_result import CaseResult

MOST_LOWEST = 5
"""How many of the cases with the lowest scores are listed by default."""


def case_table(title: str, label_gap: int = 2) -> Table:
    """Return a table of cases without rows: figure, query, label, status and place.

    `label_gap`: the blanks before the label.
    """
    query = Column(max_width=60, cut_to=20, wanted=30, is_code=True)
    return Table(
        [
            Column(align=RIGHT),
            query,
            Column(gap=label_gap),
            Column(gap=3),
            Column(gap=3, drop_order=1, is_code=True),
        ],
        indent=2,
        title=title,
    )


def add_case(table: Table, result: CaseResult, label: str, figure: str) -> None:
    """Add the row of a case to a table that `case_table` made.

    Example: `0.764 -> 0.312  smart watch  weight 2   failed   shop.relevance.yaml:41`.
    """
    status = styled_cell(result.status, STATUSES[result.status])
    table.add(figure, case_label(result), label, status, styled_cell(result.place, DIM))


def lowest(results: Iterable[CaseResult]) -> list[CaseResult]:
    """Return the cases with scores below 1, the lowest score first."""
    below = []
    for result in results:
        if result.score is not None and result.score < 1:
            below.append(result)
    return sorted(below, key=_place_in_table)


def _place_in_table(result: CaseResult) -> tuple[float, str, int, str]:
    return result.score or 0.0, result.file, result.line, result.variant or ""


def lowest_table(
    results: Sequence[CaseResult], variants: Sequence[Variant], *, full: bool
) -> Table:
    """Return the table of the cases with the lowest scores, of those below 1.

    It has at most `MOST_LOWEST` rows; with `full`, four times as many.
    """
    below = lowest(results)
    table = case_table("lowest")
    for result in below[: 4 * MOST_LOWEST if full else MOST_LOWEST]:
        add_case(table, result, short_label(result, variants), score_text(result.score))
    more = len(below) - len(table.rows)
    if more:
        table.note = f"  ... {more} more below 1"
    return table
