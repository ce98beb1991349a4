"""The first screen of the page, readable without scripts.

A mail preview or a sandbox without scripts shows it: headline, means, gates, diagnoses
and the ten worst cases. The page's script adds the charts and takes over the list.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance._text import counted
from pytest_relevance.ext.html.case_rows import queries_section
from pytest_relevance.ext.html.page_rows import PageRow, results_of
from pytest_relevance.ext.html.screen import Finding, Screen
from pytest_relevance.reports.html.page_parts import package_text, text, with_arrows
from pytest_relevance.reports.run.gates import OUTCOMES
from pytest_relevance.reports.run.mean_text import metric_explained
from pytest_relevance.results.case_result import FAILED

_MOST_LINES = 4


def first_screen(
    screen: Screen,
    rows: Sequence[PageRow],
    shown: int,
    worst: Sequence[PageRow],
) -> str:
    """Write the first screen, the content of `<div id="page">`.

    The page has `shown` of the rows in full. `worst` are those that failed or whose
    score fell, the worst first; without any those with the lowest scores.
    """
    said = screen.said
    means = [f'<p class="mean">{with_arrows(mean)}</p>' for mean in screen.means]
    notes = list(screen.notes)
    total = sum(1 for row in rows if not row.was_skipped)
    if shown < total:
        notes.append(_left_out(shown, total))
    findings = []
    for place, finding in enumerate(screen.findings):
        findings.append(_finding(finding, place))
    context = "".join(f"<li>{text(part)}</li>" for part in screen.context)
    list_begin = '<ul class="findings" aria-label="gates and diagnoses">'
    parts = [
        f'<h1 data-verdict="{said.kind}">{text(said.text)}</h1>',
        '<div id="overview"><div>',
        *_folded(means, "mean"),
        *(f'<p class="lost">{text(note)}</p>' for note in notes),
        *_folded(findings, "finding", begin=list_begin, end="</ul>"),
        f'<ul class="context" aria-label="what ran">{context}</ul>',
    ]
    explained = metric_explained(results_of(rows))
    if explained:
        parts.append(f'<p class="place">{explained}</p>')
        parts.append(package_text("pytest_relevance.ext.html", "words.html"))
    parts.append(
        '</div><section id="charts" aria-label="charts" hidden></section></div>'
    )
    parts.append(queries_section(rows, worst))
    return "\n".join(parts)


def _folded(
    lines: Sequence[str], what: str, *, begin: str = "", end: str = ""
) -> list[str]:
    """Write the first lines, and the rest folded, so that the queries stay in view."""
    first, rest = lines[:_MOST_LINES], lines[_MOST_LINES:]
    parts = []
    if first:
        parts.append("".join([begin, *first, end]))
    if rest:
        summary = f"<summary>{counted(len(rest), f'further {what}')}</summary>"
        parts.append("".join(["<details>", summary, begin, *rest, end, "</details>"]))
    return parts


def _left_out(shown: int, total: int) -> str:
    """Say which cases of a very large run the page has."""
    return (
        f"{shown:,} of {total:,} results can be opened in this page: those that got "
        "worse, failed, changed or have unjudged documents, in this order, as far as "
        "they fit. All of them count in the figures above."
    )


def _finding(finding: Finding, place: int) -> str:
    """Write a diagnosis, or a gate with its outcome.

    `NOT MET  mean nDCG@10 0.665, below 0.700 (106 cases)`
    """
    said = text(finding.text)
    if finding.results:
        said = f'<a href="#finding={place}">{said}</a>'
    if not finding.outcome:
        return f'<li class="fault">{said}</li>'
    word = OUTCOMES[finding.outcome]
    if finding.outcome == FAILED:
        word = word.upper()
    name = f'<span class="place">{text(finding.name)}</span>'
    return (
        f'<li class="gate {finding.outcome}"><strong>{word}</strong> {said} {name}</li>'
    )
