"""The HTML of the first screen of the page.

It is readable without scripts, for example in a mail preview: headline, means, gates,
diagnoses and the ten worst cases. The script of the page adds charts, and replaces the
list of cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_relevance._text import counted
from pytest_relevance.ext.html.page_rows import ChosenRows, PageRow, results_of
from pytest_relevance.ext.html.queries_table import queries_section
from pytest_relevance.ext.html.query_rows import QueryRows
from pytest_relevance.ext.html.screen import Screen, ScreenLine
from pytest_relevance.ext.html.variants_section import variants_section
from pytest_relevance.reports.html.page_parts import package_text, text, with_arrows
from pytest_relevance.reports.run.gates import OUTCOMES
from pytest_relevance.reports.run.mean_text import metric_explained
from pytest_relevance.results.case_result import FAILED

_MOST_LINES = 4
"""How many means, findings or notes are shown. Further ones are folded."""


def first_screen_html(
    screen: Screen, rows: Sequence[PageRow], chosen: ChosenRows
) -> str:
    """Return the HTML of the first screen, the content of `<div id="page">`.

    `rows`: all cases of the run.
    `chosen`: the cases that the page has in full.
    """
    said = screen.headline
    means = [f'<p class="mean">{with_arrows(mean)}</p>' for mean in screen.means]
    notes = [*screen.notes, *_left_out_notes(rows, chosen)]
    lines = _finding_lines(screen.findings)
    context = "".join(f"<li>{with_arrows(part)}</li>" for part in screen.context)
    parts = [f'<h1 data-verdict="{said.verdict}">{text(said.text)}</h1>']
    if screen.build:
        parts.append(f'<p class="build">{text(screen.build)}</p>')
    parts += means[:1]
    parts += lines.failures
    parts.append('<div id="overview">')
    parts.append('<section id="charts" aria-label="charts" hidden></section>')
    parts += _folded(means[1:_MOST_LINES], means[_MOST_LINES:], "mean")
    parts += [f'<p class="lost">{with_arrows(note)}</p>' for note in notes]
    parts += lines.gates
    explained = metric_explained(results_of(rows))
    if explained:
        parts.append(f'<p class="place">{explained}</p>')
        parts.append(package_text("pytest_relevance.ext.html", "words.html"))
    parts += lines.notes
    parts.append(f'<ul class="context" aria-label="what ran">{context}</ul></div>')
    parts.append(variants_section(results_of(rows)))
    parts.append(queries_section(rows, chosen.worst, QueryRows(rows)))
    return "\n".join(parts)


@dataclass(frozen=True, slots=True)
class _FindingLines:
    """The findings as HTML. Each group is a list of elements; [] if it has no finding.

    `failures`: errors, diagnoses and unmet gates.
    `gates`: the other gates.
    `notes`: the notes for engineers, after their heading.
    """

    failures: Sequence[str]
    gates: Sequence[str]
    notes: Sequence[str]


def _finding_lines(findings: Sequence[ScreenLine]) -> _FindingLines:
    """Return the findings as HTML in three groups. Unmet gates are never folded."""
    failures: list[str] = []
    gates: list[str] = []
    notes: list[str] = []
    folded: list[str] = []
    for place, finding in enumerate(findings):
        line = _line_html(finding, place)
        if finding.is_note:
            notes.append(line)
        elif finding.outcome not in ("", FAILED):
            gates.append(line)
        elif finding.outcome == FAILED or len(failures) < _MOST_LINES:
            failures.append(line)
        else:
            folded.append(line)
    room = max(0, _MOST_LINES - len(failures))
    heading = ["<h2>Notes for engineers</h2>"] if notes else []
    return _FindingLines(
        failures=_list_html("failures", failures, folded),
        gates=_list_html("gates", gates[:room], gates[room:]),
        notes=heading + _list_html("notes", notes[:_MOST_LINES], notes[_MOST_LINES:]),
    )


def _list_html(name: str, shown: Sequence[str], folded: Sequence[str]) -> list[str]:
    begin = f'<ul class="findings" aria-label="{name}">'
    what = "note" if name == "notes" else "finding"
    return _folded(shown, folded, what, begin=begin, end="</ul>")


def _folded(
    shown: Sequence[str],
    folded: Sequence[str],
    what: str,
    *,
    begin: str = "",
    end: str = "",
) -> list[str]:
    """Return lines as HTML: those in `shown`, and an element that opens to `folded`.

    Lines are folded so that the table of queries stays in view.

    `what`: the noun for the folded lines.
    `begin`, `end`: the tags around each of both groups.
    """
    parts = []
    if shown:
        parts.append("".join([begin, *shown, end]))
    if folded:
        summary = f"<summary>{counted(len(folded), f'further {what}')}</summary>"
        parts.append("".join(["<details>", summary, begin, *folded, end, "</details>"]))
    return parts


def _left_out_notes(rows: Sequence[PageRow], chosen: ChosenRows) -> list[str]:
    """Return a note about which cases can be opened; [] if all that ran can be."""
    shown = len(chosen.shown)
    total = sum(1 for row in rows if not row.was_skipped)
    if shown >= total:
        return []
    return [
        f"{shown:,} of {total:,} results can be opened in this page: those that got "
        "worse, failed, changed or have unjudged documents, in this order, as far as "
        "they fit. All of them count in the figures above."
    ]


def _line_html(finding: ScreenLine, place: int) -> str:
    """Return the HTML of a line. A gate has its outcome, and its name if it has one.

    Example: `NOT MET mean nDCG@10 0.665, below 0.700 (106 cases) good-answers`.

    `place`: the index of the line, for its link.
    """
    said = text(finding.text)
    if finding.results:
        said = f'<a href="#finding={place}">{said}</a>'
    if not finding.outcome:
        return f'<li class="{"note" if finding.is_note else "fault"}">{said}</li>'
    word = OUTCOMES[finding.outcome]
    if finding.outcome == FAILED:
        word = word.upper()
    name = ""
    if finding.name:
        name = f' <span class="place">{text(finding.name)}</span>'
    return (
        f'<li class="gate {finding.outcome}"><strong>{word}</strong> {said}{name}</li>'
    )
