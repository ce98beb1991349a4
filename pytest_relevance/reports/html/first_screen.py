"""The static part of the page: the sentence, the change of the mean, gates, and the ten worst cases, as HTML.

It is what a mail preview or a sandbox without scripts shows. The page's script takes over the table of cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from pytest_relevance._text import counted
from pytest_relevance.reports.headline import CaseChange, Headline, worst_first
from pytest_relevance.reports.numbers import score_text
from pytest_relevance.reports.reasons import case_label
from pytest_relevance.reports.summary.baseline import mean_change_lines
from pytest_relevance.reports.summary.cases import metric_of, short_label, variants_of, weighted_mean
from pytest_relevance.reports.text import harmless, plain
from pytest_relevance.results.case_result import FAILED, SKIPPED, CaseResult
from pytest_relevance.results.gates import GateResult
from pytest_relevance.results.run import Run

MOST_WORST = 10
"""How many cases the first screen lists."""

_UNLIMITED = 100_000


def first_screen(run: Run, gates: Sequence[GateResult], said: Headline) -> str:
    """The first screen of the page about a run, inside of `<main>`."""
    parts = [f'<h1 data-verdict="{said.kind}">{text(said.text)}</h1>', *_means(run), _context(run)]
    parts += [_gates(gates)] if gates else []
    parts += [_worst(run)]
    return "\n".join(parts)


def text(value: str) -> str:
    """Text of a user as HTML: markup is escaped, and so are control characters and those that reorder text."""
    return escape(harmless(value))


def _means(run: Run) -> Iterator[str]:
    changes = mean_change_lines(run.results, run.files, columns=_UNLIMITED)
    for line in changes:
        yield f'<p class="mean">{text(plain([line]).strip())}</p>'
    if not changes and (mean := weighted_mean(run.results)) is not None:
        yield f'<p class="mean">mean {metric_of(run.results)} {score_text(mean)}</p>'


def _context(run: Run) -> str:
    """What ran, against what, what was searched, and when."""
    ran = [result for result in run.results if result.status != SKIPPED]
    searches = dict.fromkeys(
        f"{result.search}[{result.variant}]" if result.variant else result.search for result in ran
    )
    parts = [*dict.fromkeys(result.file for result in ran), *searches]
    against = [info.against or "the baseline" for info in run.files.values() if info.against or info.has_baseline]
    parts += [f"against {' and '.join(dict.fromkeys(against))}"] if against else []
    parts += [f"{name} {value}" for name, value in run.info.fingerprint.items()]
    parts += [run.info.started] if run.info.started else []
    shown = "".join(f"<li>{text(part)}</li>" for part in parts)
    return f'<ul class="context" aria-label="what ran">{shown}</ul>'


def _gates(gates: Sequence[GateResult]) -> str:
    items = []
    for gate in gates:
        outcome = gate.outcome()
        word = "not met" if outcome == FAILED else "met" if outcome == "passed" else "not evaluated"
        items.append(
            f'<li class="gate {outcome}"><b>{text(gate.gate.id)}</b> <strong>{word}</strong> {text(gate.message)}</li>'
        )
    return f'<section aria-label="gates"><h2>Gates</h2><ul class="gates">{"".join(items)}</ul></section>'


def _worst(run: Run) -> str:
    """The table of the worst cases; the script replaces its rows when all of them are to be seen."""
    changes = worst_first(run.results)
    variants = variants_of(run.results)
    is_compared = any(result.baseline is not None for result in run.results)
    heads = ["query", "before \u2192 after" if is_compared else "nDCG", "lost", "now on top"]
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    rows = "\n".join(_row(change, short_label(change.result, variants)) for change in changes[:MOST_WORST])
    more = len(changes) - MOST_WORST
    note = f'<p class="more">and {counted(more, "further query", "further queries")}</p>' if more > 0 else ""
    empty = "" if changes else '<p class="empty">No query failed or got worse.</p>'
    return (
        '<section id="queries" aria-label="queries"><h2>Queries</h2>\n'
        '<div id="controls" hidden></div>\n'
        f'<table id="list"><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>{empty}{note}\n</section>'
    )


def _row(change: CaseChange, variant: str) -> str:
    result = change.result
    badge = f' <span class="variant">{text(variant)}</span>' if variant else ""
    cells = [
        f'<th scope="row"><span class="query">{text(case_label(result))}</span>{badge}</th>',
        f'<td class="scores">{_scores(change)}</td>',
        f"<td>{_document(result, change.lost)}{_place(change)}</td>",
        f"<td>{_document(result, change.on_top)}</td>",
    ]
    node = escape(result.node or f"{result.file}::{result.id}")
    return f'<tr class="{text(result.status)}" data-case="{node}">{"".join(cells)}</tr>'


def _scores(change: CaseChange) -> str:
    after = text(change.result.status) if change.after is None else score_text(change.after)
    return after if change.before is None else f"{score_text(change.before)} \u2192 {after}"


def _document(result: CaseResult, document: str | None) -> str:
    """The title of a document, or its id where it has none."""
    return "" if document is None else text(result.titles.get(document) or document)


def _place(change: CaseChange) -> str:
    """` (from 1 to 37)`, where the document was and is."""
    if change.lost is None or change.lost_from is None:
        return ""
    return f' <span class="place">{change.lost_from} \u2192 {change.lost_to or "gone"}</span>'
