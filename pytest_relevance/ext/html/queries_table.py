"""The table of the worst cases in the page, which can be read without scripts.

The script replaces its rows when a reader wants to see all cases.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from pytest_relevance._number_text import number_text, score_text
from pytest_relevance._text import counted
from pytest_relevance.ext.html.page_rows import (
    PageRow,
    explained_change,
    nothing_fell,
    results_of,
    row_reason,
)
from pytest_relevance.reports.cells import USER
from pytest_relevance.reports.html.page_parts import ARROW, text, with_arrows
from pytest_relevance.reports.labels import names_in_page
from pytest_relevance.reports.run.case_change import CaseChange
from pytest_relevance.reports.run.case_counts import case_count
from pytest_relevance.reports.run.faults import errors_said_once
from pytest_relevance.reports.run.movers import (
    DOCUMENT_ON_TOP,
    GAINED_DOCUMENT,
    LOST_DOCUMENT,
    MoverRow,
    mover_row,
)
from pytest_relevance.reports.run.variant_labels import variants_of
from pytest_relevance.reports.styled_lines import PLAIN, Line
from pytest_relevance.results.case_result import ERROR, NOT_SEARCHED, CaseResult

MOST_WORST = 10
"""How many cases the first screen lists."""

_WITHOUT_RESULTS = {ERROR: "the search failed", NOT_SEARCHED: "not searched"}


def queries_section(rows: Sequence[PageRow], worst: Sequence[PageRow]) -> str:
    """Return the HTML of the section with the worst cases, `MOST_WORST` at most.

    `rows`: all cases of the run. `worst`: the worst of them, the worst first.
    """
    is_alone = nothing_fell(rows)
    titles = _titles(rows, is_alone=is_alone)
    heads = [f'<th scope="col">{title}</th>' for title in titles]
    body = "\n".join(
        _table_rows(rows, worst[:MOST_WORST], len(titles), is_alone=is_alone)
    )
    empty = ""
    if all(row.was_skipped for row in rows):
        empty = '<p class="empty">No query to show.</p>'
    elif is_alone:
        lowest_first = ": the lowest scores first" if worst else ""
        empty = f'<p class="empty">No case failed or got worse{lowest_first}.</p>'
    return (
        f'<section id="queries" aria-label="queries">{empty}\n'
        '<div id="controls" hidden></div>\n'
        f'<table id="list"><thead><tr>{"".join(heads)}</tr></thead>\n'
        f"<tbody>{body}</tbody></table>{_more(worst)}\n</section>"
    )


def _table_rows(
    rows: Sequence[PageRow], listed: Sequence[PageRow], columns: int, *, is_alone: bool
) -> list[str]:
    """Return a `<tr>` with `columns` cells for each case in `listed`."""
    results = results_of(rows)
    names = names_in_page(results)
    said_once = errors_said_once(results)
    variants = variants_of(results)
    lines = []
    for row in listed:
        change = explained_change(row, is_alone=is_alone)
        words = mover_row(change, variants, gone="not returned")
        cells = [
            _query_cell(row.result, words),
            _scores_cell(row, row_reason(row.result, said_once)),
            *_document_cells(words, change),
        ]
        name = escape(names[id(row.result)])
        begin = f'<tr class="{_class(row)}" data-case="{name}">'
        lines.append("".join([begin, *cells[:columns], "</tr>"]))
    return lines


def _titles(rows: Iterable[PageRow], *, is_alone: bool) -> list[str]:
    """Return the titles of the columns. Without documents, two columns are left out."""
    is_compared = False
    has_documents = False
    for row in rows:
        if row.result.ranking.documents:
            has_documents = True
        before = row.change.before
        if before is None:
            continue
        if before.documents:
            has_documents = True
        if row.has_earlier_ranking:
            is_compared = True
    titles = ["query", f"before {ARROW} after" if is_compared else "nDCG"]
    if not has_documents:
        return titles
    if is_alone or not is_compared:
        return [*titles, "largest loss", "on top"]
    return [*titles, "lost or fell", "in its place"]


def _more(worst: Sequence[PageRow]) -> str:
    """Return a line that counts the cases that the table leaves out, as HTML; or "".

    If some of these cases got worse, only they are counted.
    """
    rest = len(worst) - MOST_WORST
    if rest <= 0:
        return ""
    fallen = [row.result for row in worst if row.got_worse]
    shown = [row.result for row in worst[:MOST_WORST] if row.got_worse]
    more_fallen = case_count(fallen) - case_count(shown)
    more = counted(rest, "further case")
    if more_fallen:
        queries = counted(more_fallen, "further query", "further queries")
        more = f"{queries} got worse"
    return f'<p class="more">and {more}</p>'


def _query_cell(result: CaseResult, words: MoverRow) -> str:
    badges = []
    if result.id != result.query:
        badges.append(f'<span class="id" dir="auto">{text(result.id)}</span>')
    if words.variant:
        badges.append(f'<span class="variant">{text(words.variant)}</span>')
    if result.weight != 1:
        weight = f"weight {number_text(result.weight)}"
        badges.append(f'<span class="variant">{text(weight)}</span>')
    query = f'<span class="query">{text(result.query or result.id)}</span>'
    return f'<th scope="row">{query} {" ".join(badges)}</th>'


def _document_cells(words: MoverRow, change: CaseChange) -> list[str]:
    """Return the cells of the document that was lost, and of the one in its place."""
    lost = words.documents[LOST_DOCUMENT]
    if change.result.call.error is not None:
        lost = ()
    on_top = words.documents[DOCUMENT_ON_TOP]
    gained = words.documents[GAINED_DOCUMENT]
    if gained and change.weighted_change > 0:
        on_top = gained
    if not on_top:
        on_top = ((_WITHOUT_RESULTS.get(change.result.verdict, ""), PLAIN),)
    return [
        f'<td data-label="lost">{_spans(lost)}</td>',
        f'<td data-label="on top">{_spans(on_top)}</td>',
    ]


def _spans(spans: Line) -> str:
    """Return the title and the place of a document as HTML, each in its own element."""
    parts = []
    for words, style in spans:
        if style == USER and words:
            parts.append(f'<span class="title">{text(words)}</span>')
        elif words:
            parts.append(f'<span class="place">{with_arrows(words)}</span>')
    return "".join(parts)


def _scores_cell(row: PageRow, reason: str) -> str:
    """Return the cell with a bar, the scores before and after, and the outcome.

    `reason`: why the case has its outcome; empty if it is not said here.
    """
    result = row.result
    change = CaseChange(row.change)
    before = row.change.score_before
    after = change.after
    shown = score_text(after)
    if before is not None and score_text(before) != shown:
        shown = f"{score_text(before)} {ARROW} {shown}"
    if change.by is not None:
        shown = f"{text(change.by)} {shown}"
    if result.unjudged and result.score is not None:
        shown += f' <span class="place">{len(result.unjudged)} unjudged</span>'
    hint = _hint(result, change)
    title = f' title="{hint}"' if hint else ""
    said = text(f"{row.said}: {reason}" if reason else row.said)
    bar = ""
    if before is not None or after is not None:
        bar = _bar(before, after, result.conditions.floor)
    return (
        f'<td class="scores"><div>{bar}<span{title}>{shown}</span> '
        f'<span class="verdict {_class(row)}">{said}</span></div></td>'
    )


def _hint(result: CaseResult, change: CaseChange) -> str:
    """Return the hint at a score: why there is none, or where it may lie."""
    if result.unjudged and result.score is not None:
        low, high = result.interval
        return f"between {score_text(low)} and {score_text(high)}"
    if change.after is None and result.verdict not in _WITHOUT_RESULTS:
        return "no relevant judgment"
    return change.by or ""


def _class(row: PageRow) -> str:
    return text(row.status).replace(" ", "-")


def _bar(before: float | None, after: float | None, floor: float | None) -> str:
    """Return an SVG with the scores as bars from 0 to 1, and a line at the floor."""
    parts = ['<rect class="track" width="100" height="14"/>']
    for name, score, top in (("before", before, 2), ("after", after, 7)):
        if score:
            length = 100 * min(max(score, 0), 1)
            parts.append(
                f'<rect class="{name}" y="{top}" height="5" width="{length:.1f}"/>'
            )
    if floor is not None:
        x = 100 * floor
        parts.append(f'<rect class="floor" x="{x:.1f}" width="1" height="14"/>')
    kind = "bar"
    if before is not None and after is not None and before != after:
        kind += " fell" if after < before else " rose"
    svg = 'viewBox="0 0 101 14" preserveAspectRatio="none" aria-hidden="true"'
    return f'<svg class="{kind}" {svg}>{"".join(parts)}</svg>'
