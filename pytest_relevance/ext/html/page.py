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
from pytest_relevance.ext.html.first_screen import (
    Screen,
    ScreenLine,
    emptied_lines,
    first_screen_html,
    lost_item_lines,
    screen_of,
    whole_mean_texts,
)
from pytest_relevance.ext.html.page_data import page_json
from pytest_relevance.ext.html.page_rows import (
    PageRow,
    choose_rows,
    rows_of_comparison,
    rows_of_run,
)
from pytest_relevance.gates.common_findings import finding_text
from pytest_relevance.reports.comparison_report import (
    comparison_headline,
    counts_text,
    deciding_mean,
    further_mean_sentences,
)
from pytest_relevance.reports.html.page_parts import (
    ARROW,
    content_security_policy,
    package_text,
    shared_style,
)
from pytest_relevance.reports.labels import settings_text
from pytest_relevance.results.case_result import FAILED, PASSED
from pytest_relevance.results.records.fingerprint import changes_text
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
    screen = _comparison_screen(comparison, gates, name)
    return _page(run, rows_of_comparison(comparison), screen, images=images)


def _comparison_screen(
    comparison: Comparison, gates: ComparisonGates, name: str
) -> Screen:
    """Return the first screen of the page about two runs."""
    context = [name, counts_text(comparison)]
    if _has_other_metric(comparison):
        context.append(f"compared by {comparison.metric}")
    searched = changes_text(comparison.fingerprint)
    if searched:
        context.append(searched)
    texts = [settings_text(settings) for settings in comparison.settings]
    context += dict.fromkeys(texts)  # some settings have the same text
    said = comparison_headline(comparison, gates)
    means = whole_mean_texts(deciding_mean(comparison), said)
    further = further_mean_sentences(comparison, said.told)
    return Screen(
        headline=said,
        counts=comparison.counts,
        means=[*means, *(sentence.text for sentence in further)],
        notes=comparison.notes,
        context=context,
        findings=[
            *emptied_lines(comparison.changes),
            *lost_item_lines(comparison.changes),
            *_gate_findings(comparison, gates),
        ],
        can_fail=False,
    )


def _has_other_metric(comparison: Comparison) -> bool:
    """Say whether the runs are compared by another metric than that of the cases."""
    if comparison.metric is None:
        return False
    return any(result.metric.text != comparison.metric for result in comparison.results)


def _gate_findings(comparison: Comparison, gates: ComparisonGates) -> list[ScreenLine]:
    """Return a line for each gate. An unmet gate links to all cases that fell."""
    fallen_keys = {change.case.key for change in comparison.moved(-1)}
    fallen = [each for each in comparison.results if each.key in fallen_keys]
    findings = []
    for gate in gates.findings:
        if gate.is_met:
            findings.append(ScreenLine(finding_text(gate), outcome=PASSED))
        else:
            findings.append(ScreenLine(finding_text(gate), fallen, outcome=FAILED))
    return findings
