"""The HTML report of a run: one file that needs no network, with a first screen that is readable without scripts.

The first screen is what a mail preview or a sandbox without scripts shows: the sentence, the change of the mean, gates,
and the ten worst cases. The page's script takes over the table of cases.

`page.html` is the template, `*.css` the style and `script/*.js` the script, which are put into it unchanged. Its
Content-Security-Policy allows nothing but these, by their digests, so that no text of a user can run or load anything.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from pytest_relevance._text import counted, harmless
from pytest_relevance.reports.blocks import USER
from pytest_relevance.reports.html.page_data import detailed, page_data
from pytest_relevance.reports.run import baseline, changes
from pytest_relevance.reports.run.cases import (
    Variant,
    known_text,
    mean_text,
    metric_explained,
    names_in_page,
    variants_of,
)
from pytest_relevance.reports.run.faults import fault_sentences
from pytest_relevance.reports.run.gates import OUTCOMES, gate_message, gates_in_order
from pytest_relevance.reports.run.report import run_gates
from pytest_relevance.reports.text import PLAIN, Line, number
from pytest_relevance.results.case_parts import NEW
from pytest_relevance.results.case_result import ERROR, FAILED, NOT_SEARCHED, SKIPPED, CaseResult
from pytest_relevance.results.compare.differences import got_worse
from pytest_relevance.results.gates import GateResult
from pytest_relevance.results.records.run import Run

MOST_WORST = 10
"""How many cases the first screen lists."""

ARROW = "\N{RIGHTWARDS ARROW}"

_MOST_FILES = 6
_COMPARED = (f"before {ARROW} after", changes.LOST, changes.ON_TOP)
_ALONE = ("nDCG", "largest loss", "on top")
_WITHOUT_RESULTS = {ERROR: "the search failed", NOT_SEARCHED: "not searched"}
_NO_SCORE = "no relevant judgment"


def first_screen(run: Run, gates: Sequence[GateResult], said: baseline.Headline, shown: int) -> str:
    """The first screen of the page about a run, inside of `<div id="page">`; the page has `shown` results in full."""
    parts = [f'<h1 data-verdict="{said.kind}">{text(said.text)}</h1>', *_means(run), _context(run)]
    if gates:
        items = "".join(map(_gate, gates_in_order(gates)))
        parts.append(f'<section aria-label="gates"><h2>Gates</h2><ul class="gates">{items}</ul></section>')
    parts += [f'<p class="fault">{text(fault.text)}</p>' for fault in fault_sentences(run.results, run.info)]
    parts += [f'<p class="lost">{text(sentence)}</p>' for sentence in _left_out(run.results, shown)]
    return "\n".join([*parts, _worst(run)])


def text(value: str) -> str:
    """Text of a user as HTML: markup is escaped, and so are control characters and those that reorder text."""
    return escape(harmless(value))


def _means(run: Run) -> Iterator[str]:
    """The change of the mean of each suite and variant, without a baseline the mean of all cases."""
    means = [mean.text for mean in baseline.mean_sentences(run.results, only_changes=True)]
    if not means and any(result.score is not None for result in run.results):
        means = [mean_text(run.results)]
    if known := known_text(run.results):
        means.append(known)
    yield from (f'<p class="mean">{with_arrows(mean)}</p>' for mean in means)
    if explained := metric_explained(run.results):
        yield f'<p class="place">{explained}</p>'
    yield from (
        f'<p class="lost">{text(each.text)}</p>'
        for each in baseline.latency_sentences(run.results)[: baseline.MOST_NAMES]
    )
    yield from (f'<p class="lost">{text(lost.text)}</p>' for lost in baseline.lost_sentences(run.files, run.info))


def _left_out(results: Sequence[CaseResult], shown: int) -> Iterator[str]:
    """Which cases of a very large run the page can show, where it shows only so many."""
    total = sum(result.status != SKIPPED for result in results)
    if shown < total:
        yield (
            f"{shown:,} of {total:,} results can be opened in this page: those that got worse, failed, changed or have "
            "unjudged documents, in this order, as far as they fit. All of them count in the figures above."
        )


def _context(run: Run) -> str:
    """What ran, against what, what was searched, and when."""
    started = run.info.started[:16].replace("T", " ")  # 2026-11-22 08:03, as the record has it in ISO 8601
    parts = [*baseline.context(run, _MOST_FILES), *([f"{started} UTC"] if started else [])]
    shown = "".join(f"<li>{text(part)}</li>" for part in parts)
    return f'<ul class="context" aria-label="what ran">{shown}</ul>'


def _gate(gate: GateResult) -> str:
    """A gate and its outcome: `mean nDCG@10 0.70 NOT MET: mean nDCG@10 0.665, below 0.700 (106 cases)`."""
    outcome = gate.outcome()
    word = OUTCOMES[outcome].upper() if outcome == FAILED else OUTCOMES[outcome]
    variant = f' <span class="variant">{text(gate.variant)}</span>' if gate.variant is not None else ""
    message = gate_message(gate).removeprefix("not evaluated: ")
    return (
        f'<li class="gate {outcome}"><b>{text(gate.gate.id)}{variant}</b> <strong>{word}</strong> '
        f"<span>{text(message)}</span></li>"
    )


def _worst(run: Run) -> str:
    """The table of the worst cases; the script replaces its rows when all of them are to be seen."""
    worst = changes.worst_first(run.results)
    variants = variants_of(run.results)
    is_compared = any(result.baseline is not None and result.baseline.standing != NEW for result in run.results)
    heads = ["query", *(_COMPARED if is_compared else _ALONE)]
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    names = names_in_page(run.results)
    rows = "\n".join(_row(change, names[id(change.result)], variants) for change in worst[:MOST_WORST])
    more = len(worst) - MOST_WORST
    note = f'<p class="more">and {counted(more, "further case")}</p>' if more > 0 else ""
    empty = "" if worst else '<p class="empty">No case failed or got worse.</p>'
    return (
        f'<section id="queries" aria-label="queries"><h2>Queries</h2>{empty}\n'
        '<div id="controls" hidden></div>\n'
        f'<table id="list"><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>{note}\n</section>'
    )


def _row(change: changes.CaseChange, name: str, variants: Sequence[Variant]) -> str:
    result = change.result
    row = changes.moved_case(change, variants)
    labels = [row.variant] if row.variant else []
    labels += [f"weight {number(result.weight)}"] if result.weight != 1 else []
    badges = "".join(f' <span class="variant">{text(label)}</span>' for label in labels)
    nothing = _WITHOUT_RESULTS.get(result.verdict, changes.NOTHING_RETURNED)
    on_top = row.documents[changes.ON_TOP] or ((nothing, PLAIN),)
    cells = [
        f'<th scope="row"><span class="query">{text(row.name)}</span>{badges}</th>',
        f'<td class="scores">{_scores(row.scores, change)}</td>',
        f'<td data-label="lost">{_spans(row.documents[changes.LOST])}</td>',
        f'<td data-label="on top">{_spans(on_top)}</td>',
    ]
    return f'<tr class="{_class(result)}" data-case="{escape(name)}">{"".join(cells)}</tr>'


def _class(result: CaseResult) -> str:
    return text(result.status).replace(" ", "-")


def _scores(scores: str, change: changes.CaseChange) -> str:
    """Scores before and after, and what became of the case."""
    result, hint = change.result, change.by or ""
    status = "got worse" if got_worse(result) else text(result.status)
    if change.after is None:
        scores = scores.removesuffix(result.status) + "n/a"  # the status follows
        hint = "" if result.verdict in _WITHOUT_RESULTS else _NO_SCORE
    title = f' title="{hint}"' if hint else ""
    return f'<span{title}>{with_arrows(scores)}</span> <span class="verdict {_class(result)}">{status}</span>'


def _spans(spans: Line) -> str:
    """The title of a document, and its place; or an error of the search."""
    return "".join(
        f'<span class="place">{with_arrows(words)}</span>' if words.startswith(" ") and style != USER else text(words)
        for words, style in spans
        if words
    )


def with_arrows(sentence: str) -> str:
    """A sentence with texts of users as HTML, with arrows."""
    return text(sentence.replace(" -> ", f" {ARROW} "))


SCRIPTS = (
    *("data", "metrics", "elements", "grading", "state", "list", "charts"),
    *("ranking", "figures", "judging", "case", "main"),
)
"""The script's files, in the order in which the page runs them."""

STYLES = ("page.css", "list.css", "case.css")
"""The files of the style."""

_LEVEL = 6  # of gzip: level 9 takes three times as long for 1 % less

COMPRESSED_FROM = 1_000_000
"""The size of the data, in bytes, from which they are embedded with gzip and base64."""


def html_page(run: Run) -> str:
    """The page about a run, as text to be written in UTF-8.

    Half a surrogate pair, which UTF-8 does not have, is written as an escape.
    """
    gates = run_gates(run)
    said = baseline.headline(run.results, gates, run.info)
    style = "\n".join(file_text(name) for name in STYLES)
    script = "\n".join(file_text(f"script/{name}.js") for name in SCRIPTS)
    shown = detailed(run.results)
    encoding, data = embedded(page_data(run, shown))
    page = Template(file_text("page.html")).substitute(
        policy=content_security_policy(style, script),
        title=escape(f"{said.text} - {harmless(run.name)}"),
        style=style,
        script=script,
        encoding=encoding,
        data=data,
        first_screen=first_screen(run, gates, said, len(shown)),
    )
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


def content_security_policy(style: str, script: str = "") -> str:
    """The policy of a page: this style and this script, if there is one, and nothing from anywhere else."""
    of_script = f"script-src '{_digest(script)}'; " if script else ""
    return f"default-src 'none'; style-src '{_digest(style)}'; {of_script}base-uri 'none'; form-action 'none'"


def embedded(data: Any) -> tuple[str, str]:
    """Data as the text of a script element, and how it is encoded: `json`, or `gzip` (in base64) where it is large."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    if len(text) < COMPRESSED_FROM:
        return "json", text.replace("<", "\\u003c")
    return "gzip", base64.b64encode(gzip.compress(text.encode("ascii"), _LEVEL, mtime=0)).decode("ascii")


def _digest(text: str) -> str:
    """A source expression of Content Security Policy: the SHA-256 digest of an inline style or script."""
    return f"sha256-{base64.b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}"


def file_text(name: str) -> str:
    """A file of this folder."""
    return (files("pytest_relevance.reports.html") / name).read_text(encoding="utf-8")
