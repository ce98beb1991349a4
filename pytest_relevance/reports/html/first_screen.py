"""The first screen of the page, readable without scripts: sentence, means, gates, diagnoses and the ten worst cases.

A mail preview or a sandbox without scripts shows it. The page's script adds the charts and takes over the list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from importlib.resources import files
from typing import NamedTuple

from pytest_relevance._text import counted, harmless, score_text
from pytest_relevance.reports.cells import USER
from pytest_relevance.reports.number_text import number_text
from pytest_relevance.reports.reasons import reason_beside_score
from pytest_relevance.reports.run import baseline, cases
from pytest_relevance.reports.run.case_change import CaseChange
from pytest_relevance.reports.run.errors import error_texts
from pytest_relevance.reports.run.faults import faults
from pytest_relevance.reports.run.gates import (
    OUTCOMES,
    cases_behind,
    gate_message,
    gates_in_order,
)
from pytest_relevance.reports.run.moved import moved_sentences
from pytest_relevance.reports.run.movers import (
    DOCUMENT_ON_TOP,
    GAINED_DOCUMENT,
    LOST_DOCUMENT,
    moved_case,
)
from pytest_relevance.reports.run.report import run_gates
from pytest_relevance.reports.run.uncompared import (
    lost_sentences,
    not_compared_sentences,
)
from pytest_relevance.reports.styled_lines import PLAIN, Line
from pytest_relevance.results import diagnoses
from pytest_relevance.results.case_parts import LOST, NEW, NOT_COMPARED
from pytest_relevance.results.case_result import (
    ERROR,
    FAILED,
    NOT_SEARCHED,
    SKIPPED,
    CaseResult,
    Key,
    has_failed,
)
from pytest_relevance.results.compare import differences
from pytest_relevance.results.compare.differences import (
    FAILED_BEFORE,
    failure_kind,
    got_worse,
    score_before,
)
from pytest_relevance.results.records.run import Run

MOST_WORST = 10
"""How many cases the first screen lists."""

ARROW = "\N{RIGHTWARDS ARROW}"

_MOST_FILES, _MOST_LINES = 6, 4
_WITHOUT_RESULTS = {ERROR: "the search failed", NOT_SEARCHED: "not searched"}


class Finding(NamedTuple):
    """A line of the first screen, which is a link to its cases where it has any. `outcome` is that of a gate."""

    text: str
    results: Sequence[CaseResult] = ()
    outcome: str = ""
    name: str = ""


class Screen(NamedTuple):
    """What the first screen says: the sentence, the means, further notes, what ran, and what was found."""

    said: baseline.Headline
    means: Sequence[str]
    notes: Sequence[str]
    context: Sequence[str]
    findings: Sequence[Finding]
    statuses: Mapping[
        Key, str
    ] = {}  # in the second run of a comparison, whose worse cases are shown as failed


def screen_of(run: Run) -> Screen:
    """What the first screen says of a run."""
    gates, ran = (
        run_gates(run),
        [result for result in run.results if result.status != SKIPPED],
    )
    change = differences.mean_change(ran)
    means = [
        mean.text
        for mean in baseline.mean_sentences(
            ran, only_changes=True, is_whole=True, of_all=change
        )
    ]
    if not means and (scored := sum(result.score is not None for result in ran)):
        rest = f", {len(ran) - scored:,} without a score" if scored < len(ran) else ""
        means = [
            f"{cases.mean_text(ran)} of {counted(scored, 'query', 'queries')}{rest}{cases.left_open(ran)}"
        ]
    started = run.info.started[:16].replace(
        "T", " "
    )  # 2026-11-22 08:03, as the record has it in ISO 8601
    notes = [
        *baseline.latency_sentences(ran)[: baseline.MOST_NAMES],
        *baseline.searched_sentences(run.files, run.info.fingerprint)[
            : baseline.MOST_NAMES
        ],
        *moved_sentences(run.files),
        *lost_sentences(run.results, run.files, run.info),
        *not_compared_sentences(run.results, run.files),
        *baseline.still_empty_sentences(ran),
        *cases.without_floor_sentences(run.files),
    ]
    found = [Finding(error) for error in error_texts(run.info)]
    found += [Finding(*fault) for fault in faults(run.results, run.info)]
    found += (
        each
        for each in emptied(ran)
        if all(of.kind != diagnoses.NOTHING for of in diagnoses.diagnose(ran))
    )
    for gate in gates_in_order(gates):
        name = gate.gate.id + (f" {gate.variant}" if gate.variant is not None else "")
        message = gate_message(gate).removeprefix("not evaluated: ")
        found.append(Finding(message, cases_behind(gate), gate.outcome(), name))
    return Screen(
        baseline.headline(run.results, gates, run.info, change, files=run.files),
        [*means, *filter(None, [cases.known_text(run.results)])],
        [each.text for each in notes],
        [*baseline.context(run, _MOST_FILES), *([f"{started} UTC"] if started else [])],
        found,
    )


def emptied(results: Sequence[CaseResult]) -> Iterator[Finding]:
    """That queries return nothing now, and returned something before."""
    if found := baseline.emptied(results):
        yield Finding(
            f"{counted(len(found), 'query returns', 'queries return')} nothing now",
            found,
        )


def first_screen(
    screen: Screen,
    results: Sequence[CaseResult],
    shown: int,
    worst: Sequence[CaseResult],
) -> str:
    """The first screen of the page, inside of `<div id="page">`; the page has `shown` of the results in full.

    `worst` are those that failed or whose score fell, the worst first; without any those with the lowest scores.
    """
    said = screen.said
    found = [_finding(each, place) for place, each in enumerate(screen.findings)]
    ran = "".join(f"<li>{text(part)}</li>" for part in screen.context)
    parts = [
        f'<h1 data-verdict="{said.kind}">{text(said.text)}</h1>',
        '<div id="overview"><div>',
        *_folded(
            [f'<p class="mean">{with_arrows(mean)}</p>' for mean in screen.means],
            "mean",
        ),
        *(
            f'<p class="lost">{text(note)}</p>'
            for note in (*screen.notes, *_left_out(results, shown))
        ),
        *_folded(
            found,
            "finding",
            '<ul class="findings" aria-label="gates and diagnoses">',
            "</ul>",
        ),
        f'<ul class="context" aria-label="what ran">{ran}</ul>',
    ]
    if explained := cases.metric_explained(results):
        parts += [f'<p class="place">{explained}</p>', file_text("words.html")]
    parts.append(
        '</div><section id="charts" aria-label="charts" hidden></section></div>'
    )
    return "\n".join([*parts, _queries(results, worst)])


def text(value: str) -> str:
    """Text of a user as HTML: markup is escaped, and so are control characters and those that reorder text."""
    return escape(harmless(value))


def _folded(
    lines: Sequence[str], what: str, begin: str = "", end: str = ""
) -> Iterator[str]:
    """The first lines, and the rest folded, so that the queries stay in view."""
    first, rest = lines[:_MOST_LINES], lines[_MOST_LINES:]
    if first:
        yield "".join([begin, *first, end])
    if rest:
        summary = f"<summary>{counted(len(rest), f'further {what}')}</summary>"
        yield "".join(["<details>", summary, begin, *rest, end, "</details>"])


def _left_out(results: Sequence[CaseResult], shown: int) -> Iterator[str]:
    """Which cases of a very large run the page can show, where it shows only so many."""
    total = sum(result.status != SKIPPED for result in results)
    if shown < total:
        yield (
            f"{shown:,} of {total:,} results can be opened in this page: those that got worse, failed, changed or have "
            "unjudged documents, in this order, as far as they fit. All of them count in the figures above."
        )


def _finding(found: Finding, place: int) -> str:
    """A diagnosis, or a gate and its outcome: `NOT MET  mean nDCG@10 0.665, below 0.700 (106 cases)`."""
    said = text(found.text)
    if found.results:
        said = f'<a href="#finding={place}">{said}</a>'
    if not found.outcome:
        return f'<li class="fault">{said}</li>'
    word = (
        OUTCOMES[found.outcome].upper()
        if found.outcome == FAILED
        else OUTCOMES[found.outcome]
    )
    name = f'<span class="place">{text(found.name)}</span>'
    return (
        f'<li class="gate {found.outcome}"><strong>{word}</strong> {said} {name}</li>'
    )


# --- the queries ------------------------------------------------------------------------------------------------------


def is_fine(results: Sequence[CaseResult]) -> bool:
    """Whether no case failed and no score fell: the lowest scores are shown then, as without a baseline."""
    return not any(
        has_failed(result)
        or (score_before(result) is not None and CaseChange(result).weighted_change < 0)
        for result in results
        if result.status != SKIPPED
    )


def documents_of(result: CaseResult, *, alone: bool) -> CaseChange:
    """What names the documents in the row of a case; `alone`: those of its own ranking, whatever was accepted."""
    return CaseChange(replace(result, baseline=None) if alone else result)


def why(result: CaseResult, told: frozenset[int]) -> str:
    """The reason in the row of a case; an error that is `told` (an `id()`) for several cases is not said again."""
    if result.call.error is not None:
        return "" if id(result) in told else result.call.error.headline
    return reason_beside_score(result)


def told_errors(results: Sequence[CaseResult]) -> frozenset[int]:
    """The results, by `id()`, whose errors the diagnoses tell."""
    failed, kinds = (
        [each for each in results if each.call.error is not None],
        (diagnoses.SEARCH, diagnoses.CASE),
    )
    return frozenset(
        id(each)
        for found in diagnoses.diagnose(failed)
        if found.kind in kinds
        for each in found.results
    )


def _queries(results: Sequence[CaseResult], worst: Sequence[CaseResult]) -> str:
    """The table of the worst cases; the script replaces its rows when all of them are to be seen."""
    alone = is_fine(results)
    is_compared = any(
        result.baseline is not None
        and result.baseline.standing not in (NEW, NOT_COMPARED, LOST)
        for result in results
    )
    has_documents = any(
        result.ranking.documents
        or (result.baseline is not None and result.baseline.documents)
        for result in results
    )
    heads = ["query", f"before {ARROW} after" if is_compared else "nDCG"]
    if has_documents:
        heads += (
            ("largest loss", "on top")
            if alone or not is_compared
            else ("lost or fell", "in its place")
        )
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    names, told, variants = (
        cases.names_in_page(results),
        told_errors(results),
        cases.variants_of(results),
    )
    rows = "\n".join(
        _row(result, names[id(result)], variants, why(result, told), alone, len(heads))
        for result in worst[:MOST_WORST]
    )
    fallen = cases.case_count(filter(got_worse, worst)) - cases.case_count(
        filter(got_worse, worst[:MOST_WORST])
    )
    more = counted(len(worst) - MOST_WORST, "further case")
    more = (
        f"{counted(fallen, 'further query', 'further queries')} got worse"
        if fallen
        else more
    )
    note = f'<p class="more">and {more}</p>' if len(worst) > MOST_WORST else ""
    lowest_first = ": the lowest scores first" if worst else ""
    empty = (
        f'<p class="empty">No case failed or got worse{lowest_first}.</p>'
        if alone
        else ""
    )
    return (
        f'<section id="queries" aria-label="queries">{empty}\n<div id="controls" hidden></div>\n'
        f'<table id="list"><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>{note}\n</section>'
    )


def _row(
    result: CaseResult,
    name: str,
    among: Sequence[cases.Variant],
    reason: str,
    alone: bool,
    columns: int,
) -> str:
    change = documents_of(result, alone=alone)
    row = moved_case(change, among)
    badges = (
        [f'<span class="id" dir="auto">{text(result.id)}</span>']
        if result.id != result.query
        else []
    )
    labels = [row.variant] if row.variant else []
    labels += [f"weight {number_text(result.weight)}"] if result.weight != 1 else []
    badges += [f'<span class="variant">{text(label)}</span>' for label in labels]
    lost, gained = row.documents[LOST_DOCUMENT], row.documents[GAINED_DOCUMENT]
    on_top = (
        gained
        if gained and change.weighted_change > 0
        else row.documents[DOCUMENT_ON_TOP]
    )
    if result.call.error is not None:
        lost = ()
    on_top = on_top or ((_WITHOUT_RESULTS.get(result.verdict, ""), PLAIN),)
    cells = [
        f'<th scope="row"><span class="query">{text(result.query or result.id)}</span> {" ".join(badges)}</th>',
        f'<td class="scores"><div>{_scores(result, reason)}</div></td>',
        f'<td data-label="lost">{_spans(lost)}</td>',
        f'<td data-label="on top">{_spans(on_top)}</td>',
    ]
    return f'<tr class="{_class(result)}" data-case="{escape(name)}">{"".join(cells[:columns])}</tr>'


def _class(result: CaseResult) -> str:
    return text(result.status).replace(" ", "-")


def status_of(result: CaseResult) -> str:
    """What became of a case, in words: its status, `got worse` or `failed before`."""
    if not has_failed(result):
        return result.status
    kind = failure_kind(result)
    return (
        "got worse"
        if got_worse(result)
        else kind
        if kind == FAILED_BEFORE
        else result.status
    )


def _scores(result: CaseResult, reason: str) -> str:
    """A bar of the scores, the scores before and after, what became of the case, and why."""
    change = CaseChange(result)
    before, after, hint = score_before(result), change.after, change.by or ""
    shown = score_text(after)
    if before is not None and score_text(before) != shown:
        shown = f"{score_text(before)} {ARROW} {shown}"
    if after is None and result.verdict not in _WITHOUT_RESULTS:
        hint = "no relevant judgment"
    if result.unjudged and result.score is not None:
        hint = f"between {' and '.join(map(score_text, result.interval))}"
        shown += f' <span class="place">{len(result.unjudged)} unjudged</span>'
    title = f' title="{hint}"' if hint else ""
    said = (
        f"{text(status_of(result))}: {text(reason)}"
        if reason
        else text(status_of(result))
    )
    bar = (
        "" if before is after is None else _bar(before, after, result.conditions.floor)
    )
    return f'{bar}<span{title}>{shown}</span> <span class="verdict {_class(result)}">{said}</span>'


def _bar(before: float | None, after: float | None, floor: float | None) -> str:
    """The scores before and after as bars from 0 to 1, with a line at the floor."""
    widths = [
        (name, 100 * min(max(score, 0), 1))
        for name, score in (("before", before), ("after", after))
        if score
    ]
    kind = (
        ""
        if before is None or after is None or before == after
        else " fell"
        if after < before
        else " rose"
    )
    parts = [
        f'<rect class="{name}" y="{2 if name == "before" else 7}" height="5" width="{x:.1f}"/>'
        for name, x in widths
    ]
    parts += (
        [f'<rect class="floor" x="{100 * floor:.1f}" width="1" height="14"/>']
        if floor is not None
        else []
    )
    svg = 'viewBox="0 0 101 14" preserveAspectRatio="none" aria-hidden="true"'
    return f'<svg class="bar{kind}" {svg}><rect class="track" width="100" height="14"/>{"".join(parts)}</svg>'


def _spans(spans: Line) -> str:
    """The title of a document, of which a row shows two lines, and its place."""
    return "".join(
        f'<span class="title">{text(words)}</span>'
        if style == USER
        else f'<span class="place">{with_arrows(words.replace("-> gone", "-> not returned"))}</span>'
        for words, style in spans
        if words
    )


def file_text(name: str) -> str:
    """A file of this folder."""
    return (files("pytest_relevance.reports.html") / name).read_text(encoding="utf-8")


def with_arrows(sentence: str) -> str:
    """A sentence with texts of users as HTML, with arrows."""
    return text(sentence.replace(" -> ", f" {ARROW} "))
