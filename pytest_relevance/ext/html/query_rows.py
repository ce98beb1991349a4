"""The rows of the table of queries, for the first screen and for the page's script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_relevance._number_text import number_text, score_text
from pytest_relevance.ext.html.page_rows import (
    PageRow,
    nothing_fell,
    results_of,
    row_reason,
)
from pytest_relevance.reports.cells import USER
from pytest_relevance.reports.html.elements import Element, element
from pytest_relevance.reports.html.page_parts import ARROW
from pytest_relevance.reports.labels import names_in_page
from pytest_relevance.reports.run.case_change import CaseChange
from pytest_relevance.reports.run.explaining_documents import (
    COSTS_MOST,
    FELL,
    IN_ITS_PLACE,
    ON_TOP,
    ExplainingDocuments,
    explaining_documents,
)
from pytest_relevance.reports.run.faults import errors_said_once
from pytest_relevance.reports.run.variant_labels import short_label, variants_of
from pytest_relevance.reports.styled_lines import PLAIN, Line
from pytest_relevance.results.case_result import ERROR, NOT_SEARCHED, CaseResult

WITHOUT_RESULTS = {ERROR: "the search failed", NOT_SEARCHED: "not searched"}
"""What a row says of a case without results, by its verdict."""

_WEIGHT_HINT = (
    "how much the query counts in the mean, for example how often it is searched"
)

_LEAST_WIDTH = 2  # of a bar, of 100
_TRACK = element("rect", "track", width="100", height="14")
_STRETCHED = {
    "viewBox": "0 0 101 14",
    "preserveAspectRatio": "none",
    "aria-hidden": "true",
}
"""The attributes of a bar that is as wide as its column."""


class QueryRows:
    """The table of the queries of a run: its titles, and the row of each case.

    A row depends on the other rows. For example, an error that many cases have is named
    once, above the table.

    `rows`: all cases of the run.
    `titles`: the titles of the columns.
    `names`: {`id(result)`: the name of the case in the page and its links}.
    """

    def __init__(self, rows: Sequence[PageRow]) -> None:
        results = results_of(rows)
        self.names = names_in_page(results)
        self._variants = variants_of(results)
        self._said_once = errors_said_once(results)
        self._metrics = {result.metric.text for result in results}
        self._nothing_fell = nothing_fell(rows)
        self.titles = self._titles(rows)

    def _titles(self, rows: Sequence[PageRow]) -> list[str]:
        """Return the titles of two columns, or of four if any case has documents."""
        is_compared = any(row.earlier_ranking is not None for row in rows)
        metric = "nDCG" if len(self._metrics) > 1 else "".join(self._metrics)
        scores = f"{metric} before {ARROW} after" if is_compared else metric
        titles = ["query", scores]
        if not any(_has_documents(row) for row in rows):
            return titles
        if self._nothing_fell or not is_compared:
            return [*titles, COSTS_MOST, ON_TOP]
        return [*titles, FELL, IN_ITS_PLACE]

    def row(self, row: PageRow, change: CaseChange) -> Element:
        """Return the `<tr>` of a case. `change`: the change of the row."""
        cells = [self._query_cell(row.result), self._scores_cell(row, change)]
        if len(self.titles) > len(cells):
            cells += self._document_cells(change)
        name = {"data-case": self.names[id(row.result)]}
        return element("tr", row.tone, cells, **name)

    def _document_cells(self, change: CaseChange) -> list[Element]:
        """Return the cells of the document that costs most and of the one on top.

        If no case fell, they are those of a run without a reference.
        """
        if self._nothing_fell and change.change.before is not None:
            change = CaseChange(replace(change.change, before=None))
        documents = explaining_documents(change)
        costliest_title, on_top_title = self.titles[2:]
        return [
            _document_cell(documents.costliest.spans, costliest_title),
            _document_cell(_on_top_spans(documents, change), on_top_title),
        ]

    def _query_cell(self, result: CaseResult) -> Element:
        """Return the cell with the query, its id, its variant and its weight."""
        query = result.query or result.id
        parts: list[Element | str] = [
            element("span", "query", [element("bdi", "", [query])])
        ]
        if result.id != query:
            parts += [" ", element("span", "id", [result.id], dir="auto")]
        variant = short_label(result, self._variants)
        if variant:
            parts += [" ", element("span", "variant", [variant])]
        if result.weight != 1:
            weight = f"weight {number_text(result.weight)}"
            parts += [" ", element("span", "variant", [weight], title=_WEIGHT_HINT)]
        return element("th", "", parts, scope="row")

    def _scores_cell(self, row: PageRow, change: CaseChange) -> Element:
        """Return the cell with a bar, the scores, the outcome and the reason for it."""
        result = row.result
        before, after = row.change.score_before, change.after
        parts: list[Element | str] = []
        if before is not None or after is not None:
            parts.append(_bar(before, after, result.conditions.floor))
        scores: list[Element | str] = [self._scores_text(row, change)]
        unjudged = 0 if result.score is None else len(result.unjudged)
        if unjudged:
            scores += [" ", element("span", "place", [f"{unjudged} unjudged"])]
        hint = _interval_text(result) if unjudged else _metric_text(change)
        title = {"title": hint} if hint else {}
        parts += [element("span", "", scores, **title), " "]
        reason = row_reason(result, self._said_once)
        said = f"{row.said}: {reason}" if reason else row.said
        parts.append(element("span", f"verdict {row.tone}", [said]))
        return element("td", "scores", [element("div", "", parts)])

    def _scores_text(self, row: PageRow, change: CaseChange) -> str:
        """Return the scores of a case, for example `0.764 -> 0.312`.

        The metric comes first if the title of the column does not name it.
        """
        before = score_text(row.change.score_before)
        shown = score_text(change.after)
        if row.change.score_before is not None and before != shown:
            shown = f"{before} {ARROW} {shown}"
        if change.by is not None:
            return f"{change.by} {shown}"
        if len(self._metrics) > 1 and change.after is not None:
            return f"{row.result.metric.text} {shown}"
        return shown


def _has_documents(row: PageRow) -> bool:
    before = row.change.before
    return bool(row.result.ranking.documents or (before and before.documents))


def _document_cell(spans: Line, title: str) -> Element:
    """Return the cell of a document. A narrow screen shows `title` before the cell."""
    return element("td", "", _spans(spans), **{"data-label": title})


def _on_top_spans(documents: ExplainingDocuments, change: CaseChange) -> Line:
    """Return the spans of the document on top; if the score rose, of what gained most.

    If there is neither, they say why the case has no results.
    """
    on_top = documents.on_top.spans
    if documents.gained.spans and change.weighted_change > 0:
        on_top = documents.gained.spans
    if not on_top:
        on_top = ((WITHOUT_RESULTS.get(change.result.verdict, ""), PLAIN),)
    return on_top


def _spans(spans: Line) -> list[Element | str]:
    """Return the spans of a document as elements.

    A title becomes a `<bdi>`, so that it keeps its direction. In other texts an arrow
    replaces `->`.
    """
    parts: list[Element | str] = []
    for words, style in spans:
        if not words:
            continue
        if parts:
            parts.append(" ")
        if style == USER:
            parts.append(element("span", "title", [element("bdi", "", [words])]))
        else:
            place = words.strip().replace("->", ARROW)
            parts.append(element("span", "place", [place]))
    return parts


def _interval_text(result: CaseResult) -> str:
    """Return between which scores unjudged results leave the score of a case."""
    low, high = result.interval
    return f"between {score_text(low)} and {score_text(high)}"


def _metric_text(change: CaseChange) -> str:
    """Return by which other metric than nDCG@k the scores are, or why there is none.

    "" if the scores are by nDCG@k, or if the case has no results.
    """
    if change.after is None and change.result.verdict not in WITHOUT_RESULTS:
        return "no relevant judgment"
    return change.by or ""


def _bar(before: float | None, after: float | None, floor: float | None) -> Element:
    """Return an SVG with a bar for each score, from 0 to 1, and a line at the floor."""
    parts = [_TRACK]
    for name, score, top in (("before", before, "2"), ("after", after, "7")):
        if score is not None:
            # a score of 0 is seen too
            width = f"{max(100 * min(max(score, 0), 1), _LEAST_WIDTH):.1f}"
            parts.append(element("rect", name, y=top, height="5", width=width))
    if floor is not None:
        x = f"{100 * floor:.1f}"
        parts.append(element("rect", "floor", x=x, width="1", height="14"))
    kind = "bar"
    if before is not None and after is not None and before != after:
        kind += " fell" if after < before else " rose"
    return element("svg", kind, parts, **_STRETCHED)
