"""Tables of cases whose score changed, with the documents that explain the change.

Every report takes the words of a row from `mover_row`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._number_text import score_text
from pytest_relevance._text import counted
from pytest_relevance.metrics.names import is_similarity
from pytest_relevance.reports.cells import RIGHT, USER, Cell, Column, styled_cell
from pytest_relevance.reports.labels import case_label
from pytest_relevance.reports.run.case_change import CaseChange, movers, worst_first
from pytest_relevance.reports.run.mean_text import metric_of
from pytest_relevance.reports.run.variant_labels import Variant, short_label
from pytest_relevance.reports.styled_lines import PLAIN, Line
from pytest_relevance.reports.table import Table
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.changes import Move

MOST_ROWS = 5
"""How many cases a table lists unless all are asked for."""

NOTHING_RETURNED = "nothing returned"

LOST_DOCUMENT, DOCUMENT_ON_TOP, GAINED_DOCUMENT = "lost", "now on top", "gained"
"""The columns that name a document."""


@dataclass(frozen=True, slots=True)
class MoverRow:
    """The texts of a row about a case whose score changed.

    `scores`: `0.764 -> 0.312`, or the score now if there is no earlier one.
    `documents`: the spans of the columns `LOST_DOCUMENT`, `DOCUMENT_ON_TOP` and
    `GAINED_DOCUMENT`. Texts of users are spans of the style `USER`.
    """

    name: str
    variant: str
    metric: str
    scores: str
    documents: Mapping[str, Line]


def mover_row(
    change: CaseChange, variants: Sequence[Variant], *, gone: str = "gone"
) -> MoverRow:
    """Return the texts of the row of a case.

    If the search failed, its error stands in the column of the lost document.
    `gone`: the word instead of a rank, for a document that is not returned now.
    """
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
        documents=_document_spans(change, gone),
    )


def _document_spans(change: CaseChange, gone: str) -> dict[str, Line]:
    """Return the documents that show a change: {kind of document: spans}.

    `gone`: what is written for a document that is not returned any more.
    """
    result = change.result
    titles = result.texts.titles
    documents = {
        LOST_DOCUMENT: _lost_spans(change.lost, titles, gone),
        DOCUMENT_ON_TOP: _on_top_spans(change.on_top, titles),
        GAINED_DOCUMENT: _gained_spans(change.gained, titles),
    }
    if result.call.error is not None:
        documents[LOST_DOCUMENT] = ((result.call.error.headline, USER),)
    elif change.after is not None and change.on_top is None:
        few = _few_text(result)
        if few:
            documents[DOCUMENT_ON_TOP] = ((few, PLAIN),)
    return documents


def _few_text(result: CaseResult) -> str:
    """Write `nothing returned`, or `only 1 result` if that is below k, else ""."""
    returned = result.ranking.returned
    if not returned:
        return NOTHING_RETURNED
    if returned < result.conditions.k:
        return f"only {counted(returned, 'result')}"
    return ""


def _lost_spans(move: Move | None, titles: Mapping[str, str], gone: str) -> Line:
    """Return `Boots 1 -> gone`, or without a baseline `Boots rank 4`, as spans."""
    if move is None:
        return ()
    if move.first is not None:
        ranks = f" {move.first} -> {move.second or gone}"
    elif move.second:
        ranks = f" rank {move.second}"
    else:
        ranks = " not returned"
    return (_title_span(move, titles), (ranks, PLAIN))


def _on_top_spans(move: Move | None, titles: Mapping[str, str]) -> Line:
    """Return `Boots`, or `rank 4: Boots` if it is not at rank 1, as spans."""
    if move is None:
        return ()
    rank = f"rank {move.second}: " if move.second != 1 else ""
    return ((rank, PLAIN), _title_span(move, titles))


def _gained_spans(move: Move | None, titles: Mapping[str, str]) -> Line:
    """Return `Boots 4 -> 1`, or `Boots new -> 1`, as spans."""
    if move is None:
        return ()
    ranks = f" {move.first or 'new'} -> {move.second}"
    return (_title_span(move, titles), (ranks, PLAIN))


def _title_span(move: Move, titles: Mapping[str, str]) -> tuple[str, str]:
    return (titles.get(move.document) or move.document, USER)


def mover_table(
    title: str,
    changes: Sequence[CaseChange],
    variants: Sequence[Variant],
    documents: Sequence[str],
    most: int | None = None,
) -> Table:
    """Return the table `query | variant | nDCG@10 | lost | now on top` of some cases.

    `documents`: the columns of documents: `LOST_DOCUMENT`, `DOCUMENT_ON_TOP`,
    `GAINED_DOCUMENT`.
    `most`: the most rows; None for all. Columns that are empty are left out.
    """
    rows = [mover_row(change, variants) for change in changes[:most]]
    metrics = {row.metric for row in rows}
    has_one_metric = len(metrics) == 1
    columns = [
        Column("query", max_width=60, cut_to=20, wanted=30),
        Column("variant", cut_to=8),
    ]
    if has_one_metric:
        columns.append(Column(metrics.pop(), RIGHT))
    else:
        columns += [Column("metric"), Column("score", RIGHT)]
    columns += [_document_column(name) for name in documents]
    table = Table(columns, indent=2)
    if title:
        of_all = f" of {len(changes):,}" if len(rows) < len(changes) else ""
        table.title = f"{title} ({len(rows):,}{of_all})"
    for row in rows:
        scores = [row.scores] if has_one_metric else [row.metric, row.scores]
        table.add(
            styled_cell(row.name, USER),
            styled_cell(row.variant, USER),
            *scores,
            *(Cell(row.documents[name]) for name in documents),
        )
    return table


def _document_column(name: str) -> Column:
    return Column(
        name,
        cut_to=24,
        max_width=60,
        cut_middle=True,
        drop_order=1 if name == DOCUMENT_ON_TOP else 0,
    )


def mover_tables(
    results: Sequence[CaseResult], variants: Sequence[Variant], most: int | None
) -> list[Table]:
    """Return the tables of the cases whose scores fell, and rose, since the baseline.

    If the rankings of cases without nDCG changed, the table of these cases comes first.
    """
    on_fall = (LOST_DOCUMENT, DOCUMENT_ON_TOP)
    tables = []
    changed = _changed_without_ndcg(results)
    if changed:
        title = "changed since the baseline"
        tables.append(mover_table(title, changed, variants, on_fall, most))
    down = [CaseChange.since_baseline(result) for result in movers(results, -1)]
    title = "down since the baseline"
    tables.append(mover_table(title, down, variants, on_fall, most))
    up = [CaseChange.since_baseline(result) for result in movers(results, 1)]
    title = "up since the baseline"
    tables.append(mover_table(title, up, variants, (GAINED_DOCUMENT,), most))
    return tables


def _changed_without_ndcg(results: Iterable[CaseResult]) -> list[CaseChange]:
    """Return the cases without nDCG whose ranking is not the accepted one.

    They have a metric that compares the two rankings, for example overlap. Other cases
    without nDCG are left out: they fail for another reason.
    """
    unscored = [result for result in results if result.score is None]
    changed = []
    for change in worst_first(unscored):
        is_other = change.weighted_change < 0 or change.change.moves
        if is_similarity(change.by or "") and is_other:
            changed.append(change)
    return changed
