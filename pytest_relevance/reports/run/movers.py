"""Tables of movers: cases whose score changed, with the documents that explain it.

Every report takes the words of a row from `mover_row`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_relevance._number_text import LEAST, score_text
from pytest_relevance._text import counted, harmless, quoted
from pytest_relevance.metrics.names import is_similarity
from pytest_relevance.reports.brief_reasons import reason_beside_score
from pytest_relevance.reports.cells import RIGHT, USER, Cell, Column, styled_cell
from pytest_relevance.reports.labels import case_label
from pytest_relevance.reports.run.case_change import CaseChange
from pytest_relevance.reports.run.certainty_text import certainty_text
from pytest_relevance.reports.run.mean_text import metric_of
from pytest_relevance.reports.run.variant_labels import Variant, short_label
from pytest_relevance.reports.styled_lines import PLAIN, STRONG, Line, Span, styled_line
from pytest_relevance.reports.table import Table
from pytest_relevance.reports.terminal_text import WIDEST, cut_document, display_width
from pytest_relevance.results.case_result import CaseResult, has_failed
from pytest_relevance.results.certainty import is_certainly_worse
from pytest_relevance.results.changes import Move
from pytest_relevance.results.failures import got_worse

MOST_ROWS = 5
"""How many cases a table lists unless all are asked for."""

NOTHING_RETURNED = "nothing returned"

_INDENT = " " * 6
_NARROWEST_DOCUMENT = 12

LOST_DOCUMENT, DOCUMENT_ON_TOP, GAINED_DOCUMENT = "lost", "now on top", "gained"
"""The titles of the columns that name a document."""


@dataclass(frozen=True, slots=True)
class MoverRow:
    """The texts of a row about a case whose score changed.

    name: the id and the query of the case.
    variant: the variant of the search; "" if the run has only one.
    metric: the metric of the scores.
    scores: `0.764 -> 0.312`, or only the score now if there is no earlier score.
    sure: how sure it is that the case got worse; "" if it did not.
    reason: why the case fails; "" if the scores show why.
    documents: {title of a column: spans}. Texts of users have the style `USER`.
    is_compared: whether there is an earlier score.
    """

    name: str
    variant: str
    metric: str
    scores: str
    sure: str
    reason: str
    documents: Mapping[str, Line]
    is_compared: bool = True


def mover_row(change: CaseChange, variants: Sequence[Variant]) -> MoverRow:
    """Return the texts of the row of a case.

    If the search failed, the column of the lost document has the error.

    `variants`: the variants of the run.
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
        sure=certainty_text(_certainty(change)),
        reason=_unseen_reason(change),
        documents=document_spans(change, gone="gone"),
        is_compared=change.before is not None,
    )


def _certainty(change: CaseChange) -> bool | None:
    """Say whether a case got worse, whatever grades its unjudged results get.

    None if it did not get worse, or if it has passages: then nothing is unjudged.
    """
    if change.before is None or not got_worse(change.result):
        return None
    if change.result.evaluation.passages:
        return None
    return is_certainly_worse(change.change)


def any_needs_grades(changes: Iterable[CaseChange]) -> bool:
    """Say whether any of the cases got worse, but not for certain."""
    return any(_certainty(change) is False for change in changes)


def _unseen_reason(change: CaseChange) -> str:
    """Return why a case fails; "" if its score fell, because its scores show that."""
    before, after = change.before, change.after
    if before is not None and after is not None and after < before - LEAST:
        return ""
    return reason_beside_score(change.result) if has_failed(change.result) else ""


def document_spans(change: CaseChange, *, gone: str) -> dict[str, Line]:
    """Return {title of a column: spans of the document that explains the change}.

    `gone`: the word for the rank of a document that is not returned any more.
    """
    result = change.result
    titles = _names_of_documents(result)
    absent = "not found" if result.evaluation.passages else "not returned"
    documents = {
        LOST_DOCUMENT: _lost_spans(change.costliest, titles, gone, absent),
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


def _names_of_documents(result: CaseResult) -> Mapping[str, str]:
    """Return {document: title}. For a passage it is {its text: its text in quotes}."""
    names = dict(result.texts.titles)
    for passage in result.evaluation.passages:
        names[passage.text] = quoted(passage.text)
    return names


def _few_text(result: CaseResult) -> str:
    """Return, for example, `only 1 result`; "" if there are at least k results."""
    returned = result.ranking.returned
    if not returned:
        return NOTHING_RETURNED
    if returned < result.conditions.k:
        return f"only {counted(returned, 'result')}"
    return ""


def _lost_spans(
    move: Move | None, titles: Mapping[str, str], gone: str, absent: str
) -> Line:
    """Return the spans of, for example, `Boots 1 -> gone`; () without a `move`.

    If no earlier rank is known, the text is `Boots rank 4`, or `Boots not returned`.

    `gone`: the words in place of a rank if the document had a rank before.
    `absent`: the words in place of a rank if no earlier rank is known.
    """
    if move is None:
        return ()
    if move.first is not None:
        ranks = f" {move.first} -> {move.second or gone}"
    elif move.second:
        ranks = f" rank {move.second}"
    else:
        ranks = f" {absent}"
    return (_title_span(move, titles), (ranks, PLAIN))


def _on_top_spans(move: Move | None, titles: Mapping[str, str]) -> Line:
    """Return the spans of, for example, `rank 4: Boots`; no rank if it is 1."""
    if move is None:
        return ()
    rank = f"rank {move.second}: " if move.second != 1 else ""
    return ((rank, PLAIN), _title_span(move, titles))


def _gained_spans(move: Move | None, titles: Mapping[str, str]) -> Line:
    """Return the spans of, for example, `Boots 4 -> 1` or `Boots new -> 1`."""
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
    """Return the table `query | variant | nDCG@10 | sure | why | lost | now on top`.

    Empty columns are left out. If no case has an earlier score, the last columns are
    `costs most` and `on top`.

    `documents`: the columns of documents: `LOST_DOCUMENT`, `DOCUMENT_ON_TOP`,
        `GAINED_DOCUMENT`.
    `most`: the most rows; None for all.
    """
    rows = [mover_row(change, variants) for change in changes[:most]]
    metrics = {row.metric for row in rows}
    has_one_metric = len(metrics) == 1
    is_compared = any(row.is_compared for row in rows)
    columns = [
        Column("query", max_width=60, cut_to=20, wanted=60, cut_last=True),
        Column("variant", cut_to=8),
        Column("metric"),
        Column(metrics.pop() if has_one_metric else "score", RIGHT),
        Column("sure", drop_order=2),
        Column("why", cut_to=12, drop_order=3),
    ]
    columns += [_document_column(name, is_compared=is_compared) for name in documents]
    table = Table(columns, indent=2, title=title, total=len(changes))
    for row in rows:
        table.add(
            styled_cell(row.name, USER),
            styled_cell(row.variant, USER),
            "" if has_one_metric else row.metric,
            row.scores,
            row.sure,
            row.reason,
            *[Cell(row.documents[name]) for name in documents],
        )
    return table


_WITHOUT_REFERENCE = {LOST_DOCUMENT: "costs most", DOCUMENT_ON_TOP: "on top"}
"""The titles of columns of documents if no case has an earlier score."""


def _document_column(name: str, *, is_compared: bool) -> Column:
    """Return a column of documents. `is_compared`: if any case has an earlier score."""
    is_on_top = name == DOCUMENT_ON_TOP
    return Column(
        name if is_compared else _WITHOUT_REFERENCE.get(name, name),
        cut_to=20 if is_on_top else 30,
        wanted=12,
        max_width=60,
        drop_order=1 if is_on_top else 0,
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

    Example: `lost Boots 1 -> gone; now on top Boot polish`. Without an earlier score:
    `costs most: Boots rank 4; on top Boot polish`.
    """
    lost, on_top = row.documents[LOST_DOCUMENT], row.documents[DOCUMENT_ON_TOP]
    if not lost and not on_top:
        return ()
    spans: list[Span] = [(_INDENT, PLAIN)]
    if lost:
        spans += [("lost " if row.is_compared else "costs most: ", PLAIN), *lost]
    if on_top:
        if lost:
            spans.append(("; ", PLAIN))
        spans += [(_before_on_top(row), PLAIN), *on_top]
    return styled_line(_with_cut_documents(spans, columns))


def _before_on_top(row: MoverRow) -> str:
    """Return the words before the document on top: `now on top `, or `on top `.

    If the rank follows: `now at `, or `at `. "" if no document follows.
    """
    on_top = row.documents[DOCUMENT_ON_TOP]
    if all(style != USER for _, style in on_top):
        return ""
    rank, _ = on_top[0]
    return ("now " if row.is_compared else "") + ("at " if rank else "on top ")


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
    """Return a table of one row, the case that rose most; without rows if none rose."""
    columns = [
        Column(),
        Column(max_width=60, cut_to=20, cut_last=True),
        Column(cut_to=8),
        Column(),
        Column(cut_to=24, shorten=cut_document),
    ]
    table = Table(columns)
    for change in rose[:1]:
        row = mover_row(change, variants)
        gained = Cell(row.documents[GAINED_DOCUMENT])
        table.add("rose most", row.name, row.variant, row.scores, gained)
    return table
