"""What the first screen of the page says: headline, means, gates and diagnoses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_relevance._text import counted
from pytest_relevance.gates.common_findings import finding_text
from pytest_relevance.gates.judging import GateResult
from pytest_relevance.reports.comparison_report import (
    comparison_headline,
    counts_text,
    deciding_mean,
    further_mean_sentences,
)
from pytest_relevance.reports.labels import settings_text, start_text
from pytest_relevance.reports.run import changed_means, run_context
from pytest_relevance.reports.run.build import build_text
from pytest_relevance.reports.run.changed_latencies import latency_sentences
from pytest_relevance.reports.run.emptied import emptied
from pytest_relevance.reports.run.errors import error_texts
from pytest_relevance.reports.run.faults import faults
from pytest_relevance.reports.run.gates import (
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
    PASSED,
    SKIPPED,
    CaseResult,
    grouped,
    scored_alike,
)
from pytest_relevance.results.change_counts import ChangeCounts, count_results
from pytest_relevance.results.changes import Change, changes_since_baseline
from pytest_relevance.results.compare.differences import MeanChange, mean_change_of
from pytest_relevance.results.records.fingerprint import changes_text
from pytest_relevance.results.records.run import Run

if TYPE_CHECKING:
    from pytest_relevance.results.compare.comparison import Comparison, ComparisonGates

_MOST_IN_CONTEXT = 6
"""The most suites, variants, and entries of the fingerprint that are named."""

_MOST_MEANS = 8
"""The most variants of which each has a sentence with its mean."""


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
    context = run_context.context(run, _MOST_IN_CONTEXT)
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


def _whole_mean_texts(
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
    texts = _whole_mean_texts(changed_means.whole_mean(ran, change), said)
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
    find_nothing = _emptied_lines(changes)
    if find_nothing and not _has_diagnosis(ran, diagnoses.NOTHING):
        findings += find_nothing
    findings += _lost_item_lines(changes)
    for fault in faults(run.results):
        is_note = not fault.explains_failures
        findings.append(ScreenLine(fault.text, fault.results, is_note=is_note))
    for warning in diagnoses.project_warnings(run.info):
        findings.append(ScreenLine(warning, is_note=True))
    return findings


def _has_diagnosis(results: Sequence[CaseResult], kind: str) -> bool:
    return any(diagnosis.kind == kind for diagnosis in diagnoses.diagnose(results))


def _emptied_lines(changes: Sequence[Change]) -> list[ScreenLine]:
    """Return a line about queries that had results before and have none now, or []."""
    found = emptied(changes)
    if not found:
        return []
    count = counted(len(found), "query returns", "queries return")
    return [ScreenLine(f"{count} nothing now", found)]


def _lost_item_lines(changes: Sequence[Change]) -> list[ScreenLine]:
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


# --- of two runs ----------------------------------------------------------------------


def screen_of_comparison(
    comparison: Comparison, gates: ComparisonGates, name: str
) -> Screen:
    """Return the sentences of the first screen of the page about two runs.

    `gates`: what `Comparison.judge` returned.
    `name`: the name of the comparison, which has the names of both runs.
    """
    context = [name, counts_text(comparison)]
    if _has_other_metric(comparison):
        context.append(f"compared by {comparison.metric}")
    searched = changes_text(comparison.fingerprint)
    if searched:
        context.append(searched)
    texts = [settings_text(settings) for settings in comparison.settings]
    context += dict.fromkeys(texts)  # some settings have the same text
    said = comparison_headline(comparison, gates)
    means = _whole_mean_texts(deciding_mean(comparison), said)
    further = further_mean_sentences(comparison, said.told)
    return Screen(
        headline=said,
        counts=comparison.counts,
        means=[*means, *(sentence.text for sentence in further)],
        notes=comparison.notes,
        context=context,
        findings=[
            *_emptied_lines(comparison.changes),
            *_lost_item_lines(comparison.changes),
            *_comparison_gate_lines(comparison, gates),
        ],
        can_fail=False,
    )


def _has_other_metric(comparison: Comparison) -> bool:
    """Say whether the runs are compared by another metric than that of the cases."""
    if comparison.metric is None:
        return False
    return any(result.metric.text != comparison.metric for result in comparison.results)


def _comparison_gate_lines(
    comparison: Comparison, gates: ComparisonGates
) -> list[ScreenLine]:
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
