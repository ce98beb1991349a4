"""Tables of movers: cases whose score changed, with the documents that explain it.

Every report takes the words of a row from `mover_row`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pytest_relevance._number_text import LEAST, score_text
from pytest_relevance._text import harmless
from pytest_relevance.metrics.names import is_similarity
from pytest_relevance.reports.brief_reasons import reason_beside_score
from pytest_relevance.reports.cells import RIGHT, USER, Cell, Column, styled_cell
from pytest_relevance.reports.labels import case_label
from pytest_relevance.reports.run.case_change import CaseChange
from pytest_relevance.reports.run.certainty_text import certainty_text
from pytest_relevance.reports.run.explaining_documents import (
    GAINED,
    ExplainingDocuments,
    explaining_documents,
    title_of,
)
from pytest_relevance.reports.run.mean_text import metric_of
from pytest_relevance.reports.run.variant_labels import Variant, short_label
from pytest_relevance.reports.styled_lines import PLAIN, STRONG, Line, Span, styled_line
from pytest_relevance.reports.table import Table
from pytest_relevance.reports.terminal_text import WIDEST, cut_document, display_width
from pytest_relevance.results.became import became_of
from pytest_relevance.results.case_result import has_failed
from pytest_relevance.results.change_counts import certainty_of

MOST_ROWS = 5
"""How many cases a table lists unless all are asked for."""

_INDENT = " " * 6
_NARROWEST_DOCUMENT = 12


@dataclass(frozen=True, slots=True)
class MoverRow:
    """The texts of a row about a case whose score changed.

    `name`: the id and the query of the case.
    `variant`: the variant of the search; "" if the run has only one.
    `metric`: the metric of the scores.
    `scores`: `0.764 -> 0.312`, or only the score now if there is no earlier score.
    `sure`: how sure it is that the case got worse; "" if it did not.
    `reason`: the error of the search, or why the case fails; "" if the scores show why.
    `documents`: the documents that explain the score.
    """

    name: str
    variant: str
    metric: str
    scores: str
    sure: str
    reason: str
    documents: ExplainingDocuments


def mover_row(change: CaseChange, variants: Sequence[Variant]) -> MoverRow:
    """Return the texts of the row of a case. `variants`: the variants of the run."""
    result = change.result
    after = result.status if change.after is None else score_text(change.after)
    scores = after
    if change.before is not None and not is_similarity(change.by or ""):
        scores = f"{score_text(change.before)} -> {after}"
    return MoverRow(
        name=case_label(result),
        variant=short_label(result, variants),
        metric=change.by or metric_of([result]),
        scores=scores,
        sure=certainty_text(_certainty(change)),
        reason=_reason_beside_scores(change),
        documents=explaining_documents(change),
    )


def _certainty(change: CaseChange) -> bool | None:
    """Say whether a case got worse, whatever grades its unjudged results get.

    None if no grade can matter: see `certainty_of`.
    """
    return certainty_of(change.change, became_of(change.change))


def any_needs_grades(changes: Iterable[CaseChange]) -> bool:
    """Say whether any of the cases got worse, but not for certain."""
    return any(_certainty(change) is False for change in changes)


def _reason_beside_scores(change: CaseChange) -> str:
    """Return why a case fails, or the error of its search.

    "" if the case does not fail, or if its score fell: the scores of the row show that.
    """
    if change.result.call.error is not None:
        return change.result.call.error.headline
    before, after = change.before, change.after
    if before is not None and after is not None and after < before - LEAST:
        return ""
    return reason_beside_score(change.result) if has_failed(change.result) else ""


def mover_table(
    title: str,
    changes: Sequence[CaseChange],
    variants: Sequence[Variant],
    most: int | None = None,
    *,
    is_rise: bool = False,
) -> Table:
    """Return `query | variant | metric | nDCG@10 | sure | why | fell | in its place`.

    Empty columns are left out, and `metric` if all rows have the same.

    `most`: the most rows; None for all.

    `is_rise`: whether the scores rose. Then the column `gained` is in the place of the
        last two.
    """
    rows = [mover_row(change, variants) for change in changes[:most]]
    metrics = {row.metric for row in rows}
    has_one_metric = len(metrics) == 1
    columns = [
        Column("query", max_width=60, cut_to=20, wanted=60, cut_last=True),
        Column("variant", cut_to=8),
        Column("metric"),
        Column(metrics.pop() if has_one_metric else "score", RIGHT),
        Column("sure", drop_order=2),
        Column("why", cut_to=12, drop_order=3),
    ]
    if is_rise:
        documents = [[row.documents.gained] for row in rows]
        columns.append(_document_column(GAINED))
    else:
        documents = [[row.documents.costliest, row.documents.on_top] for row in rows]
        fell = title_of([row.documents.costliest for row in rows])
        on_top = title_of([row.documents.on_top for row in rows])
        columns.append(_document_column(fell, wanted=36))
        columns.append(_document_column(on_top, cut_to=16, drop_order=1))
    table = Table(columns, indent=2, title=title, total=len(changes))
    for row, of_row in zip(rows, documents, strict=True):
        table.add(
            styled_cell(row.name, USER),
            styled_cell(row.variant, USER),
            "" if has_one_metric else row.metric,
            row.scores,
            row.sure,
            styled_cell(row.reason, USER),
            *[Cell(document.spans) for document in of_row],
        )
    return table


def _document_column(
    title: str, *, cut_to: int = 36, wanted: int = 12, drop_order: int = 0
) -> Column:
    return Column(
        title,
        cut_to=cut_to,
        wanted=wanted,
        max_width=60,
        drop_order=drop_order,
        shorten=cut_document,
    )


# --- in a terminal --------------------------------------------------------------------


@dataclass(frozen=True)
class MoverList:
    """Cases in a terminal, each in two lines: how its score changed, and its documents.

    `total`: how many cases there are, if `rows` has only the first.
    """

    title: str
    rows: Sequence[MoverRow]
    total: int = 0

    def first(self, count: int) -> MoverList:
        """Return the list with only the first cases."""
        return replace(self, rows=self.rows[:count])

    def lines(self, columns: int = WIDEST) -> list[Line]:
        """Return the cases as lines for a terminal; no line if there are no cases."""
        if not self.rows:
            return []
        title = self.title
        if self.total > len(self.rows):
            title += f" (first {len(self.rows):,} of {self.total:,})"
        table = Table(
            [
                Column(align=RIGHT),
                Column(),
                Column(),
                Column(cut_to=20, cut_last=True),
                Column(cut_to=8, cut_last=True),
                Column(cut_to=12),
            ],
            indent=2,
        )
        has_one_metric = len({row.metric for row in self.rows}) == 1
        for row in self.rows:
            metric = "" if has_one_metric else row.metric
            table.add(row.scores, metric, row.sure, row.name, row.variant, row.reason)
        lines = [styled_line(title, STRONG)]
        for row, line in zip(self.rows, table.row_lines(columns), strict=True):
            lines.append(line)
            documents = _line_of_documents(row, columns)
            if documents:
                lines.append(documents)
        return lines


def mover_list(
    title: str,
    changes: Sequence[CaseChange],
    variants: Sequence[Variant],
    most: int | None,
) -> MoverList:
    """Return the list of the first `most` cases; None for all."""
    rows = [mover_row(change, variants) for change in changes[:most]]
    return MoverList(title, rows, total=len(changes))


def _line_of_documents(row: MoverRow, columns: int) -> Line:
    """Return the line of the documents that explain a row, cut to fit.

    Example: `fell: Boots rank 1 -> not returned; in its place: Boot polish`. () if no
    document does.
    """
    costliest, on_top = row.documents.costliest.titled, row.documents.on_top.titled
    if not costliest and not on_top:
        return ()
    between = (("; ", PLAIN),) if costliest and on_top else ()
    spans = [(_INDENT, PLAIN), *costliest, *between, *on_top]
    return styled_line(_with_cut_documents(spans, columns))


def _with_cut_documents(spans: Sequence[Span], columns: int) -> str:
    """Return spans as text. The widest documents are cut until the text fits."""
    texts = [harmless(text) for text, _ in spans]
    widths = [display_width(text) for text in texts]
    documents = [index for index, (_, style) in enumerate(spans) if style == USER]
    excess = sum(widths) - columns
    while excess > 0 and documents:
        widest = max(documents, key=widths.__getitem__)
        if widths[widest] <= _NARROWEST_DOCUMENT:
            break
        widths[widest] -= 1
        excess -= 1
    for index in documents:
        texts[index] = cut_document(texts[index], widths[index])
    return "".join(texts)


def best_table(rose: Sequence[CaseChange], variants: Sequence[Variant]) -> Table:
    """Return a table of one row, the case that rose most; without rows if none rose.

    `rose`: the cases that rose, the largest rise first.
    """
    columns = [
        Column(),
        Column(max_width=60, cut_to=20, cut_last=True),
        Column(cut_to=8),
        Column(),
        Column(cut_to=28, shorten=cut_document),
    ]
    table = Table(columns)
    for change in rose[:1]:
        row = mover_row(change, variants)
        gained = Cell(row.documents.gained.spans)
        table.add("rose most", row.name, row.variant, row.scores, gained)
    return table
