"""The rows of a summary that name cases: figures, the query, its variant or weight, its status, its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_relevance.reports.summary.counts import STATUSES, Variant, short_label
from pytest_relevance.reports.table import RIGHT, Cell, Column, Table, styled
from pytest_relevance.reports.text import DIM, PLAIN, score_text
from pytest_relevance.results.case_result import CaseResult

CaseRow = tuple[CaseResult, Sequence[str | Cell], str]
"""A result, the figures before it, and a label behind its query."""


def case_table(rows: Iterable[CaseRow], figures: int = 1, label_gap: int = 2) -> Table:
    """`-0.452  0.764 -> 0.312  smart watch   failed   shop.relevance.yaml:41`.

    `figures` is how many figures there are.
    """
    table = Table(
        [
            *(Column(align=RIGHT) for _ in range(figures)),
            Column(most=40, least=20, is_code=True),
            Column(gap=label_gap),
            Column(gap=3),
            Column(gap=3, is_code=True),
        ],
        indent=2,
    )
    for result, shown, label in rows:
        status = styled(result.status, STATUSES.get(result.status, PLAIN))
        table.add(*shown, result.query, label, status, styled(result.place, DIM))
    return table


def lowest_table(results: Iterable[CaseResult], variants: Sequence[Variant]) -> Table:
    """A table of cases with their scores."""
    return case_table((result, [score_text(result.score)], short_label(result, variants)) for result in results)
