"""The HTML that a notebook shows of a comparison: its verdict, the metrics and the cases that changed most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_relevance._html import html_paragraph
from pytest_relevance._text import case_name
from pytest_relevance.reports.comparison_text import (
    MOST_SHOWN,
    metric_table,
    moves,
    rank_counts,
    shared_metric,
    verdict,
)
from pytest_relevance.reports.numbers import score_text, signed
from pytest_relevance.reports.table import RIGHT, Column, Table, cut_middle, titled
from pytest_relevance.reports.text import harmless
from pytest_relevance.results.compare.comparison import Compared, Mover

_WIDEST_ID = 40


def comparison_html(comparison: Compared) -> str:
    """The verdict on each metric, the table of metrics, and the largest drops and gains."""
    verdicts = [f"{comparison.first} -> {comparison.second}", *(verdict(row)[0] for row in comparison.metrics)]
    movers = comparison.largest(MOST_SHOWN)
    tables = (
        metric_table(comparison, all_p_values=True),
        _mover_table("largest drops", movers.drops, is_drop=True),
        _mover_table("largest gains", movers.gains, is_drop=False),
    )
    notes = map(html_paragraph, comparison.notes)
    return "".join([*map(html_paragraph, verdicts), *(table.html() for table in tables), *notes])


def _mover_table(title: str, movers: Sequence[Mover], *, is_drop: bool) -> Table:
    """One row for each mover, with the documents that explain its change."""
    heads = ("query", "variant", "first", "second", "change", "ranks", "documents")
    figures = ("first", "second", "change")
    metric = shared_metric(movers) or "nDCG@k"
    table = Table([Column(head, RIGHT if head in figures else "<") for head in heads], title=f"{title} ({metric})")
    for mover in movers:
        _, case, variant = mover.key
        scores = (score_text(mover.first), score_text(mover.second), signed(mover.difference))
        documents = moves(mover, is_drop=is_drop, shown=_document)
        explained = "; ".join(f"{word}: {', '.join(found)}" for word, found in documents)
        table.add(case_name(case, mover.query), variant or "", *scores, rank_counts(mover), explained)
    return table


def _document(document: str, titles: Mapping[str, str]) -> str:
    return titled(cut_middle(harmless(document), _WIDEST_ID), document, titles)
