"""What the first screen of the page says of a run: sentences, and their cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_relevance._text import counted
from pytest_relevance.gates.judging import GateResult
from pytest_relevance.reports.run import baseline
from pytest_relevance.reports.run.errors import error_texts
from pytest_relevance.reports.run.faults import faults
from pytest_relevance.reports.run.gates import (
    cases_behind,
    gate_message,
    gates_in_order,
)
from pytest_relevance.reports.run.headline import Headline, headline
from pytest_relevance.reports.run.mean_text import known_text, left_open, mean_text
from pytest_relevance.reports.run.moved_cases import moved_sentences
from pytest_relevance.reports.run.remarks import without_floor_sentences
from pytest_relevance.reports.run.report import run_gates
from pytest_relevance.reports.run.run_findings import reason_texts, remark_texts
from pytest_relevance.reports.run.uncompared import (
    lost_sentences,
    not_compared_sentences,
)
from pytest_relevance.results import diagnoses
from pytest_relevance.results.case_result import SKIPPED, CaseResult
from pytest_relevance.results.changes import Change, changes_since_baseline
from pytest_relevance.results.compare.differences import MeanChange, mean_change
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.records.run_info import RunInfo

_MOST_FILES = 6


@dataclass(frozen=True, slots=True)
class Finding:
    """A line of the first screen: a diagnosis, or a gate with its name and outcome.

    It is a link to its `results`, if it has any.
    """

    text: str
    results: Sequence[CaseResult] = ()
    outcome: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Screen:
    """What the first screen says.

    The headline, the means, further notes, what ran, and what was found.
    """

    said: Headline
    means: Sequence[str]
    notes: Sequence[str]
    context: Sequence[str]
    findings: Sequence[Finding]


def screen_of(run: Run) -> Screen:
    """Say what the first screen says of a run."""
    gates = run_gates(run)
    ran = [result for result in run.results if result.status != SKIPPED]
    change = mean_change(ran)
    means = _means(ran, change)
    known = known_text(run.results)
    if known:
        means.append(known)
    context = baseline.context(run, _MOST_FILES)
    if run.info.started:
        # 2026-11-22 08:03, of a time in ISO 8601
        started = run.info.started[:16].replace("T", " ")
        context.append(f"{started} UTC")
    return Screen(
        said=headline(run.results, gates, run.info, change, files=run.files),
        means=means,
        notes=_notes(run, ran),
        context=context,
        findings=[*_faults(run.results, ran, run.info), *_gate_findings(gates)],
    )


def _means(ran: Sequence[CaseResult], change: MeanChange | None) -> list[str]:
    """Give the means that changed since the baseline, or without any the present
    mean.
    """
    sentences = baseline.mean_sentences(
        ran, only_changes=True, is_whole=True, of_all=change
    )
    if sentences:
        return [sentence.text for sentence in sentences]
    scored = sum(1 for result in ran if result.score is not None)
    if not scored:
        return []
    text = f"{mean_text(ran)} of {counted(scored, 'query', 'queries')}"
    if scored < len(ran):
        text += f", {len(ran) - scored:,} without a score"
    return [text + left_open(ran)]


def _notes(run: Run, ran: Sequence[CaseResult]) -> list[str]:
    latencies = baseline.latency_sentences(changes_since_baseline(ran))
    searched = baseline.searched_sentences(run.files, run.info.fingerprint)
    sentences = [
        *latencies[: baseline.MOST_NAMES],
        *searched[: baseline.MOST_NAMES],
        *moved_sentences(run.files),
        *lost_sentences(run.results, run.files, run.info),
        *not_compared_sentences(run.results, run.files),
        *baseline.still_empty_sentences(ran),
        *without_floor_sentences(run.files),
    ]
    return [*remark_texts(run.info), *(sentence.text for sentence in sentences)]


def _faults(
    results: Sequence[CaseResult], ran: Sequence[CaseResult], info: RunInfo
) -> list[Finding]:
    findings = [Finding(reason) for reason in reason_texts(info)]
    findings += [Finding(error) for error in error_texts(info)]
    for fault in faults(results, info):
        findings.append(Finding(fault.text, fault.results))
    kinds = {diagnosis.kind for diagnosis in diagnoses.diagnose(ran)}
    if diagnoses.NOTHING not in kinds:
        findings += emptied_findings(changes_since_baseline(ran))
    return findings


def emptied_findings(changes: Sequence[Change]) -> list[Finding]:
    """Say that queries return nothing now, and returned something before."""
    found = baseline.emptied(changes)
    if not found:
        return []
    count = counted(len(found), "query returns", "queries return")
    return [Finding(f"{count} nothing now", found)]


def _gate_findings(gates: Sequence[GateResult]) -> list[Finding]:
    findings = []
    for gate in gates_in_order(gates):
        name = gate.gate.id
        if gate.variant is not None:
            name += f" {gate.variant}"
        findings.append(
            Finding(
                # the outcome stands before it
                gate_message(gate).removeprefix("not evaluated: "),
                cases_behind(gate),
                outcome=gate.outcome(),
                name=name,
            )
        )
    return findings
