"""The first screen of the page: its sentences, and their HTML.

The HTML is readable without scripts, for example in a mail preview: headline, means,
gates, diagnoses and the ten worst cases. The script of the page adds charts, and
replaces the list of cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_relevance._text import counted
from pytest_relevance.ext.html.page_rows import ChosenRows, PageRow, results_of
from pytest_relevance.ext.html.queries_table import queries_section
from pytest_relevance.ext.html.query_rows import QueryRows
from pytest_relevance.ext.html.variants_section import variants_section
from pytest_relevance.gates.judging import GateResult
from pytest_relevance.reports.html.page_parts import package_text, text, with_arrows
from pytest_relevance.reports.labels import start_text
from pytest_relevance.reports.run import changed_means, run_context
from pytest_relevance.reports.run.build import build_text
from pytest_relevance.reports.run.changed_latencies import latency_sentences
from pytest_relevance.reports.run.emptied import emptied
from pytest_relevance.reports.run.errors import error_texts
from pytest_relevance.reports.run.faults import faults
from pytest_relevance.reports.run.gates import (
    OUTCOMES,
    cases_behind,
    found_text,
    gates_in_order,
    repeats_condition,
)
from pytest_relevance.reports.run.headline import Headline, headline
from pytest_relevance.reports.run.known_items import known_item_sentences, lost_items
from pytest_relevance.reports.run.mean_text import (
    known_text,
    left_open,
    mean_text,
    means_by_variant,
    means_text,
    metric_explained,
    metric_of,
    weighted,
)
from pytest_relevance.reports.run.report import run_gates
from pytest_relevance.reports.run.run_findings import reason_texts, remark_texts
from pytest_relevance.reports.run.variant_labels import (
    label_before,
    variant_of,
    variants_of,
)
from pytest_relevance.results import diagnoses
from pytest_relevance.results.case_result import (
    FAILED,
    SKIPPED,
    CaseResult,
    grouped,
    scored_alike,
)
from pytest_relevance.results.change_counts import ChangeCounts, count_results
from pytest_relevance.results.changes import Change, changes_since_baseline
from pytest_relevance.results.compare.differences import MeanChange, mean_change_of
from pytest_relevance.results.records.run import Run

_MOST_FILES = 6
_MOST_MEANS = 8
_MOST_LINES = 4
"""How many means, findings or notes are shown. Further ones are folded."""


@dataclass(frozen=True, slots=True)
class ScreenLine:
    """A line of the first screen: an error, a diagnosis or a gate.

    `results`: the cases to which the line links.
    `outcome`, `name`: the outcome and the name of a gate; "" for other lines.
    `is_note`: whether the line is a note for engineers, which explains no failure.
    """

    text: str
    results: Sequence[CaseResult] = ()
    outcome: str = ""
    name: str = ""
    is_note: bool = False


@dataclass(frozen=True, slots=True)
class Screen:
    """The sentences of the first screen.

    `headline`: the sentence at the top, which says what became of the run.
    `counts`: how many queries got worse, better or neither.
    `means`: how means changed. The mean that decides the headline comes first.
    `notes`: what differs from the reference, and other remarks.
    `context`: what ran, and what it is compared with.
    `findings`: errors, diagnoses and gates.
    `can_fail`: whether cases can fail. In a comparison of two runs only gates can.
    `build`: whether the build fails and why; "" for a comparison of two runs.
    """

    headline: Headline
    counts: ChangeCounts
    means: Sequence[str]
    notes: Sequence[str]
    context: Sequence[str]
    findings: Sequence[ScreenLine]
    can_fail: bool = True
    build: str = ""


def screen_of(run: Run) -> Screen:
    """Return the sentences of the first screen of the page about a run."""
    gates = run_gates(run)
    ran = [result for result in run.results if result.status != SKIPPED]
    changes = changes_since_baseline(ran)
    change = mean_change_of(changes)
    said = headline(run.results, gates, run.info, change, files=run.files)
    means = _means(ran, said, change)
    known = known_text(run.results)
    if known:
        means.append(known)
    context = run_context.context(run, _MOST_FILES)
    if run.info.started:
        context.append(f"run of {start_text(run.info.started)} UTC")
    latencies = latency_sentences(changes)
    context += [each.text for each in latencies[: run_context.MOST_NAMES]]
    return Screen(
        headline=said,
        counts=count_results(run.results),
        means=means,
        notes=_notes(run, ran),
        context=context,
        findings=[*_fault_lines(run, ran, changes), *_gate_lines(gates)],
        build=build_text(run.results, gates, run.info),
    )


def whole_mean_texts(
    whole: changed_means.WholeMean | None, said: Headline
) -> list[str]:
    """Return how the mean that decides the headline changed, in at most two sentences.

    The second one says over which cases the mean is, if these are not all, and has the
    means without unjudged results, if these are others.

    `whole`: this mean; None if no cases are compared. Then the list is empty.
    `said`: the headline. If it has the counts of both what got worse and what got
        better, the first sentence does not say whether the change may be chance.
    """
    if whole is None:
        return []
    tells_chance = {"got_worse", "got_better"} <= said.told
    texts = [changed_means.mean_in_words(whole, says_chance=not tells_chance)]
    basis = "; ".join(whole.basis())
    if whole.cases:
        texts.append(f"The mean is {basis}.")
    elif basis:
        texts.append(f"{basis[0].upper()}{basis[1:]}.")
    return texts


def _means(
    ran: Sequence[CaseResult], said: Headline, change: MeanChange | None
) -> list[str]:
    """Return sentences about the means, compared with the reference if there is one.

    The mean over all cases comes first, then the counts that the headline does not
    have. If there are several suites or variants, their means follow.
    """
    texts = whole_mean_texts(changed_means.whole_mean(ran, change), said)
    counts = changed_means.whole_count_sentences(ran, said.told)
    texts += [sentence.text for sentence in counts]
    if not texts:
        return _present_means(ran)
    if len({(result.file, variant_of(result)) for result in ran}) > 1:
        by_suite = changed_means.mean_sentences(ran, only_changes=True)
        if len(by_suite) > 1:
            texts += [sentence.text for sentence in by_suite]
    return texts


def _present_means(ran: Sequence[CaseResult]) -> list[str]:
    """Return the mean of each variant.

    Of more than `_MOST_MEANS` variants, one sentence has the lowest and the highest.
    """
    variants = variants_of(ran)
    means = means_by_variant(ran)
    if len(means) > _MOST_MEANS:
        return [f"{weighted(ran)}mean {metric_of(ran)} {means_text(means, variants)}"]
    of_variant = grouped(ran, variant_of)
    texts = []
    for variant in variants:
        if variant in means:
            mean = _present_mean(of_variant[variant])
            texts.append(label_before(variant, variants) + mean)
    return texts


def _present_mean(results: Sequence[CaseResult]) -> str:
    """Return the mean of one variant: `mean nDCG@10 0.701 of 52 queries`.

    If some cases have no score, their number follows. If results are unjudged, the
    range follows in which the mean may lie.
    """
    results = scored_alike(results)
    scored = sum(1 for result in results if result.score is not None)
    mean = f"{mean_text(results)} of {counted(scored, 'query', 'queries')}"
    if scored < len(results):
        mean += f", {len(results) - scored:,} without a score"
    open_text = left_open(results)
    return f"{mean}; {open_text}" if open_text else mean


def _notes(run: Run, ran: Sequence[CaseResult]) -> list[str]:
    """Return remarks on the run, what differs from its reference, and known items."""
    sentences = run_context.reference_sentences(run, ran)
    sentences += known_item_sentences(ran)
    return [*remark_texts(run.info), *(sentence.text for sentence in sentences)]


def _fault_lines(
    run: Run, ran: Sequence[CaseResult], changes: Sequence[Change]
) -> list[ScreenLine]:
    """Return lines about what went wrong.

    These are: why the run fails, its errors, the queries that return nothing any more,
    the known items that were lost, and what many cases have in common.

    `ran`: the results that ran.
    `changes`: how each of them changed since its baseline.
    """
    findings = [ScreenLine(reason) for reason in reason_texts(run.info)]
    findings += [ScreenLine(error) for error in error_texts(run.info)]
    find_nothing = emptied_lines(changes)
    if find_nothing and not _has_diagnosis(ran, diagnoses.NOTHING):
        findings += find_nothing
    findings += lost_item_lines(changes)
    for fault in faults(run.results):
        is_note = not fault.explains_failures
        findings.append(ScreenLine(fault.text, fault.results, is_note=is_note))
    for warning in diagnoses.project_warnings(run.info):
        findings.append(ScreenLine(warning, is_note=True))
    return findings


def _has_diagnosis(results: Sequence[CaseResult], kind: str) -> bool:
    return any(diagnosis.kind == kind for diagnosis in diagnoses.diagnose(results))


def emptied_lines(changes: Sequence[Change]) -> list[ScreenLine]:
    """Return a line about queries that had results before and have none now, or []."""
    found = emptied(changes)
    if not found:
        return []
    count = counted(len(found), "query returns", "queries return")
    return [ScreenLine(f"{count} nothing now", found)]


def lost_item_lines(changes: Sequence[Change]) -> list[ScreenLine]:
    """Return a line about the known items that are not found any more, or []."""
    items = lost_items(changes)
    return [ScreenLine(items.text, items.lost)] if items.lost else []


def _gate_lines(gates: Sequence[GateResult]) -> list[ScreenLine]:
    """Return a line for each gate, unmet gates first.

    The name of a gate is left out if it repeats the condition.
    """
    lines = []
    has_several_files = len({gate.file for gate in gates}) > 1
    for gate in gates_in_order(gates):
        names = [] if repeats_condition(gate) else [gate.gate.id]
        if gate.variant is not None:
            names.append(gate.variant)
        name = " ".join(names)
        if has_several_files:
            name = f"{gate.file}: {name}" if name else gate.file
        found, cases = found_text(gate), cases_behind(gate)
        lines.append(ScreenLine(found, cases, outcome=gate.outcome(), name=name))
    return lines


# --- its HTML -------------------------------------------------------------------------


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
