"""The HTML that a notebook shows of a comparison: its verdict, the metrics and the cases that changed most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_relevance._html import html_paragraph
from pytest_relevance._text import case_name, counted, harmless, score_text
from pytest_relevance.reports.comparison_text import MOST_SHOWN, metric_table, shared_metric, verdict
from pytest_relevance.reports.markdown.comparison import comparison_headline
from pytest_relevance.reports.numbers import signed
from pytest_relevance.reports.reasons import grade_and_ranks
from pytest_relevance.reports.table import RIGHT, Column, Table, cut_middle, titled
from pytest_relevance.results.compare.comparison import Compared, Mover
from pytest_relevance.results.rankings.rank_changes import Move

_WIDEST_ID = 40


def comparison_html(comparison: Compared) -> str:
    """The sentence, the verdict on each metric, the table of metrics, and the largest drops and gains."""
    names = f"{comparison.first} -> {comparison.second}, {counted(len(comparison), 'case')} compared"
    verdicts = [names, *(verdict(row)[0] for row in comparison.metrics)]
    movers = comparison.largest(MOST_SHOWN)
    tables = (
        metric_table(comparison, all_p_values=True),
        _mover_table("largest drops", movers.drops, is_drop=True),
        _mover_table("largest gains", movers.gains, is_drop=False),
    )
    notes = map(html_paragraph, comparison.notes)
    sentence = html_paragraph(comparison_headline(comparison).text, "strong")
    return "".join([sentence, *map(html_paragraph, verdicts), *(table.html() for table in tables), *notes])


def _mover_table(title: str, movers: Sequence[Mover], *, is_drop: bool) -> Table:
    """One row for each mover: its scores, and the documents that explain its change."""
    metric = shared_metric(movers) or "nDCG@k"
    figures = [Column(head, RIGHT) for head in ("first", "second", "change")]
    documents = [Column(head) for head in (("lost", "now on top") if is_drop else ("gained",))]
    columns = [Column("query"), Column("variant"), *figures, *documents, Column("ranking")]
    table = Table(columns, title=f"{title} ({metric})")
    for mover in movers:
        _, case, variant = mover.key
        scores = (score_text(mover.first), score_text(mover.second), signed(mover.difference))
        found = (mover.most_lost, mover.now_on_top) if is_drop else (mover.most_gained,)
        shown = ("" if move is None else _document(move, mover.titles) for move in found)
        table.add(case_name(case, mover.query), variant or "", *scores, *shown, mover.counts)
    return table


def _document(move: Move, titles: Mapping[str, str]) -> str:
    """`sku-1 "Boots" (grade 3, was rank 1)`."""
    name = titled(cut_middle(harmless(move.document), _WIDEST_ID), move.document, titles)
    return f"{name} ({grade_and_ranks(move)})"
