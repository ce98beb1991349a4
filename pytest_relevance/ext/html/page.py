"""The HTML pages of a run and of a comparison of two runs.

A page is one file that needs no network, and is readable without scripts. `page.html`
is the template, into which the styles `*.css` and the scripts `script/*.js` are put
unchanged. The Content-Security-Policy of the page allows only this style and script, by
their digests. So no text of a user can run or load anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from string import Template
from typing import TYPE_CHECKING

from pytest_relevance._text import harmless
from pytest_relevance.ext.html.embedding import embedded
from pytest_relevance.ext.html.first_screen import first_screen_html
from pytest_relevance.ext.html.page_data import page_json
from pytest_relevance.ext.html.page_rows import (
    PageRow,
    choose_rows,
    rows_of_comparison,
    rows_of_run,
)
from pytest_relevance.ext.html.screen import Screen, screen_of, screen_of_comparison
from pytest_relevance.reports.html.page_parts import (
    ARROW,
    content_security_policy,
    package_text,
    shared_style,
)
from pytest_relevance.results.records.run import Run

if TYPE_CHECKING:
    from pytest_relevance.results.compare.comparison import Comparison, ComparisonGates

PACKAGE = "pytest_relevance.ext.html"
"""The package whose folder has the template, the styles and the script."""

SCRIPTS = (
    "data",
    "metrics",
    "certainty",
    "elements",
    "grading",
    "verdict",
    "state",
    "rows",
    "list",
    "charts",
    "tags",
    "matrix",
    "ranking",
    "shelves",
    "figures",
    "judging",
    "case",
    "main",
)
"""The script's files, in the order in which the page runs them."""

STYLES = (
    "verdict.css",
    "list.css",
    "charts.css",
    "judging.css",
    "case.css",
    "shelves.css",
)
"""The files of the style. The style that all pages share comes before them."""

_PICTURES = "Pictures are loaded from the network, from their own addresses."


def html_page(run: Run, *, images: bool = False) -> str:
    """Return the page about a run as text that can be written in UTF-8.

    Half a surrogate pair, which UTF-8 does not have, becomes an escape.

    `images`: whether the page loads pictures of documents from the network, and tells
        the reader so. The page loads nothing else.
    """
    return _page(run, rows_of_run(run.results), screen_of(run), images=images)


def _page(run: Run, rows: Sequence[PageRow], screen: Screen, *, images: bool) -> str:
    """Return the page of a run or a comparison. `rows`: one for each case of `run`."""
    if images:
        screen = replace(screen, notes=[*screen.notes, _PICTURES])
    styles = [package_text(PACKAGE, name) for name in STYLES]
    style = "\n".join([shared_style(), *styles])
    script = "\n".join(package_text(PACKAGE, f"script/{name}.js") for name in SCRIPTS)
    chosen = choose_rows(rows)
    encoding, data = embedded(page_json(run, rows, chosen, screen, images=images))
    page = Template(package_text(PACKAGE, "page.html")).substitute(
        policy=content_security_policy(style, script, images=images),
        title=escape(f"{screen.headline.text} - {harmless(run.name)}"),
        style=style,
        script=script,
        encoding=encoding,
        data=data,
        first_screen=first_screen_html(screen, rows, chosen),
    )
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


def comparison_page(
    comparison: Comparison,
    gates: ComparisonGates | None = None,
    *,
    images: bool = False,
) -> str:
    """Return the page about two runs, as `html_page` does for one run.

    `gates`: what `Comparison.judge` returned; None for the gates that always count.
    `images`: as in `html_page`.
    """
    if gates is None:
        gates = comparison.judge()
    name = f"{comparison.first} {ARROW} {comparison.second}"
    run = Run(comparison.results, comparison.files, name=name)
    return _page(
        run,
        rows_of_comparison(comparison),
        screen_of_comparison(comparison, gates, name),
        images=images,
    )
