"""The table of the worst cases in the page, which can be read without scripts.

If scripts run, `script/list.js` replaces the rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance._text import counted
from pytest_relevance.ext.html.page_rows import PageRow, nothing_fell
from pytest_relevance.ext.html.query_rows import WITHOUT_RESULTS, QueryRows
from pytest_relevance.reports.html.elements import element_html
from pytest_relevance.reports.html.page_parts import text
from pytest_relevance.reports.run.case_change import CaseChange
from pytest_relevance.reports.run.case_counts import case_count

MOST_WORST = 10
"""How many cases the first screen lists."""


def queries_section(
    rows: Sequence[PageRow], worst: Sequence[PageRow], table: QueryRows
) -> str:
    """Return the HTML of the section with the table of the `MOST_WORST` worst cases.

    If no case was searched, the table has no rows. A line above it has the error then.

    `rows`: all cases of the run.
    `worst`: `ChosenRows.worst`.
    `table`: which makes the rows.
    """
    if all(row.result.verdict in WITHOUT_RESULTS for row in rows):
        worst = []
    heads = "".join(f'<th scope="col">{text(title)}</th>' for title in table.titles)
    shown = []
    for row in worst[:MOST_WORST]:
        shown.append(element_html(table.row(row, CaseChange(row.change))))
    body = "\n".join(shown)
    empty = ""
    if all(row.was_skipped for row in rows):
        empty = '<p class="empty">No query to show.</p>'
    elif nothing_fell(rows):
        lowest_first = ": the lowest scores first" if worst else ""
        empty = f'<p class="empty">No case failed or got worse{lowest_first}.</p>'
    return (
        f'<section id="queries" aria-label="queries">{empty}\n'
        '<div id="controls" hidden></div>\n'
        f'<table id="list"><thead><tr>{heads}</tr></thead>\n'
        f"<tbody>{body}</tbody></table>{_more(worst)}\n</section>"
    )


def _more(worst: Sequence[PageRow]) -> str:
    """Return a line with the number of cases that the table leaves out, as HTML.

    If some of these cases got worse, the line has only their number. "" if no case is
    left out.
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
