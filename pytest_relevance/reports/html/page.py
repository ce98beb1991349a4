"""The HTML pages of a run and of a comparison of two: one file that needs no network, readable without scripts.

`page.html` is the template, `*.css` the style and `script/*.js` the script, which are put into it unchanged. Its
Content-Security-Policy allows nothing but these, by their digests, so that no text of a user can run or load anything.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from html import escape
from string import Template
from typing import TYPE_CHECKING, Any

from pytest_relevance._text import counted, harmless
from pytest_relevance.reports.html import first_screen as screens
from pytest_relevance.reports.html.first_screen import (
    Screen,
    file_text,
    first_screen,
    screen_of,
)
from pytest_relevance.reports.html.page_data import Chosen, chosen, page_data
from pytest_relevance.reports.reasons import settings_text
from pytest_relevance.reports.run.gates import finding_text
from pytest_relevance.results.case_parts import IMPROVEMENT, REGRESSION
from pytest_relevance.results.case_result import FAILED, PASSED, CaseResult
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.records.run_info import changes_text

if TYPE_CHECKING:
    from pytest_relevance.reports.comparison import Comparison
    from pytest_relevance.results.gates import ComparisonGates

SCRIPTS = (
    *(
        "data",
        "metrics",
        "elements",
        "grading",
        "state",
        "rows",
        "list",
        "charts",
        "tags",
    ),
    *("ranking", "figures", "judging", "case", "main"),
)
"""The script's files, in the order in which the page runs them."""

STYLES = ("page.css", "list.css", "charts.css", "judging.css", "case.css")
"""The files of the style."""

_PICTURES = "Pictures are loaded from the network, from their own addresses."

_LEVEL = 6  # of gzip: level 9 takes three times as long for 1 % less

COMPRESSED_FROM = 1_000_000
"""The size of the data, in bytes, from which they are embedded with gzip and base64."""


def html_page(
    run: Run,
    screen: Screen | None = None,
    *,
    images: bool = False,
    results: Chosen | None = None,
) -> str:
    """The page about a run, as text to be written in UTF-8; `screen` is what its first screen says.

    `results` are those that it shows, where these are chosen already.

    With `images` it loads pictures of documents from their addresses, the one thing that it ever fetches, and says so.

    Half a surrogate pair, which UTF-8 does not have, is written as an escape.
    """
    screen = screen_of(run) if screen is None else screen
    if images:
        screen = screen._replace(notes=[*screen.notes, _PICTURES])
    style = "\n".join(file_text(name) for name in STYLES)
    script = "\n".join(file_text(f"script/{name}.js") for name in SCRIPTS)
    picked = chosen(run.results) if results is None else results
    shown = [run.results[place] for place in picked.shown]
    worst = [run.results[place] for place in picked.worst]
    encoding, data = embedded(page_data(run, shown, screen, images=images))
    page = Template(file_text("page.html")).substitute(
        policy=content_security_policy(style, script, images=images),
        title=escape(f"{screen.said.text} - {harmless(run.name)}"),
        style=style,
        script=script,
        encoding=encoding,
        data=data,
        first_screen=first_screen(screen, run.results, len(shown), worst),
    )
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


def comparison_page(
    comparison: Comparison,
    gates: ComparisonGates | None = None,
    *,
    images: bool = False,
) -> str:
    """The page about two runs, that of the second beside the first, as text to be written in UTF-8.

    `gates` are what `Comparison.judge` returns, `images`: as of a run.
    """
    from pytest_relevance.reports.comparison import (
        comparison_headline,
        mean_change_sentences,
    )

    gates = comparison.judge() if gates is None else gates
    run = Run(
        [*_judged(comparison)],
        comparison.files,
        name=f"{comparison.first} {screens.ARROW} {comparison.second}",
    )
    fallen = {result.key for result in comparison.moved(-1)}
    behind = [result for result in run.results if result.key in fallen]
    found = [*screens.emptied(run.results)]
    for gate in gates.findings:
        outcome = PASSED if gate.is_met else FAILED
        found.append(
            screens.Finding(finding_text(gate), () if gate.is_met else behind, outcome)
        )
    is_other = any(
        comparison.metric not in (None, result.metric.text) for result in run.results
    )
    metric = [f"compared by {comparison.metric}"] if is_other else []
    counts = f"{counted(len(comparison), 'case')} compared, {comparison.changed_rankings:,} with another ranking"
    searched = changes_text(comparison.fingerprint)
    context = [
        run.name,
        counts,
        *metric,
        *filter(None, [searched]),
        *map(settings_text, comparison.settings),
    ]
    means = [
        sentence.text for sentence in mean_change_sentences(comparison, is_whole=True)
    ]
    statuses = {result.key: result.status for result in comparison.results}
    screen = Screen(
        comparison_headline(comparison, gates),
        means,
        comparison.notes,
        context,
        found,
        statuses,
    )
    return html_page(run, screen, images=images)


def _judged(comparison: Comparison) -> Iterator[CaseResult]:
    """The results; a case that the sentence counts as worse or as better is shown as one that got worse or better."""
    from pytest_relevance.reports.comparison import notable_change

    least = notable_change(comparison)
    worse, better = (
        {result.key for result in comparison.moved(sign, least)} for sign in (-1, 1)
    )
    for result in comparison.results:
        baseline = result.baseline
        assert baseline is not None
        if result.key in worse:
            baseline = replace(baseline, standing=REGRESSION)
            yield replace(
                result,
                verdict=FAILED,
                call=replace(result.call, outcome=FAILED),
                baseline=baseline,
            )
        elif result.key in better:
            yield replace(result, baseline=replace(baseline, standing=IMPROVEMENT))
        else:
            yield result


def content_security_policy(
    style: str, script: str = "", *, images: bool = False
) -> str:
    """The policy of a page: this style and this script, if there is one, and nothing else but `images` of the web."""
    of_script = f"script-src '{_digest(script)}'; " if script else ""
    of_script += "img-src http: https:; " if images else ""
    return f"default-src 'none'; style-src '{_digest(style)}'; {of_script}base-uri 'none'; form-action 'none'"


def embedded(data: Any) -> tuple[str, str]:
    """Data as the text of a script element, and how it is encoded: `json`, or `gzip` (in base64) where it is large."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    if len(text) < COMPRESSED_FROM:
        return "json", text.replace("<", "\\u003c")
    return "gzip", base64.b64encode(
        gzip.compress(text.encode("ascii"), _LEVEL, mtime=0)
    ).decode("ascii")


def _digest(text: str) -> str:
    """A source expression of Content Security Policy: the SHA-256 digest of an inline style or script."""
    return f"sha256-{base64.b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}"
