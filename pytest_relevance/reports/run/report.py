"""The report of a run, as text and as JSON data.

The text is what pytest prints about the cases at the end of a run.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_relevance._text import harmless
from pytest_relevance.codec import encode
from pytest_relevance.gates.judging import GateResult, judge_gates
from pytest_relevance.reports.change_data import became_data, finding_data, mean_data
from pytest_relevance.reports.run import shown_failures
from pytest_relevance.reports.run.case_counts import anything_ran
from pytest_relevance.reports.run.counts_sentence import counts_sentence
from pytest_relevance.reports.run.errors import error_lines
from pytest_relevance.reports.run.gates import gate_lines, gate_message
from pytest_relevance.reports.run.known_items import known_item_data
from pytest_relevance.reports.run.run_findings import (
    reason_texts,
    remark_texts,
    unsaid_nothing_searched,
)
from pytest_relevance.reports.run.summary import SummaryOf, summary_lines
from pytest_relevance.reports.run.variant_tables import variants_data
from pytest_relevance.reports.styled_lines import (
    BAD,
    STRONG,
    Line,
    folded_lines,
    styled_line,
)
from pytest_relevance.reports.terminal_text import WIDEST
from pytest_relevance.results.case_result import FAILED, SKIPPED, of_case_files
from pytest_relevance.results.change_counts import count_results
from pytest_relevance.results.changes import (
    Change,
    changes_since_baseline,
    count_other_rankings,
)
from pytest_relevance.results.compare.differences import mean_change
from pytest_relevance.results.compare.variants import compare_variants

if TYPE_CHECKING:
    from pytest_relevance.results.records.run import Run


def report_lines(run: Run, *, verbosity: int = 0, width: int = WIDEST) -> list[Line]:
    """Return the report of a run: errors, failures, gates and summary.

    `verbosity`: as pytest counts it. Below 0 each failure has one line, with 1 all
        ranks are shown, with 2 also the cases that passed.
    """
    gates = run_gates(run)
    lines = error_lines(run.info, full=verbosity > 0, width=width)
    for reported in shown_failures.cases_to_report(run, verbosity, width=width):
        lines += _reported_lines(reported, run, verbosity, width)
    for gate in gates:
        if gate.outcome() == FAILED:
            lines += _title_lines(gate.name, verbosity)
            lines += gate_lines(gate, verbosity=verbosity, width=width)
    if lines:
        lines.append(styled_line(""))
    if anything_ran(run.results):
        of = SummaryOf(
            run.results,
            run.files,
            run.info,
            gates,
            verbosity,
            problems=found_texts(run),
        )
        return lines + summary_lines(of, width)
    for text in found_texts(run):
        lines += folded_lines(text, BAD, width)
    said = counts_sentence(run.results, gates, run.info)
    return lines + (said.lines(width) if said else [])


def _reported_lines(
    reported: shown_failures.ReportedCases, run: Run, verbosity: int, width: int
) -> list[Line]:
    """Return a case in full, or several cases together, below a title."""
    results = reported.results
    full = verbosity > 0
    if reported.how == shown_failures.IN_FULL:
        (result,) = results
        title = result.node or result.id
        if result.id != result.query:
            title += f' "{result.query}"'
        lines = shown_failures.case_lines(result, run, verbosity, width)
    elif reported.how == shown_failures.IN_BRIEF:
        title = shown_failures.brief_title(results)
        lines = shown_failures.brief_lines(results, width)
    else:
        title = ""
        text = shown_failures.together_text(results, full=full)
        lines = folded_lines(text, BAD, width)
    return [*_title_lines(title, verbosity), *lines]


def _title_lines(name: str, verbosity: int) -> list[Line]:
    """Return a blank line, then `name` if it is not ""; [] in a brief report."""
    if verbosity < 0:
        return []
    lines = [styled_line("")]
    if name:
        lines.append(styled_line(harmless(name), STRONG))
    return lines


def found_texts(run: Run) -> list[str]:
    """Return what the run found, apart from cases: `RunInfo.findings` as texts.

    If no case was searched, the first text says so.
    """
    texts = [*remark_texts(run.info), *reason_texts(run.info)]
    text = unsaid_nothing_searched(run.results, run.info)
    return [text, *texts] if text else texts


def run_gates(run: Run) -> list[GateResult]:
    """Judge the gates of a run, and return their results.

    If no case of a file ran, the gates of the file are left out, unless each gate is
    required to have a verdict.
    """
    require = run.info.requires_gates
    ran = {result.file for result in run.results if result.status != SKIPPED}
    gates = []
    for gate in judge_gates(run.results, run.files, require=require):
        if require or gate.file in ran:
            gates.append(gate)
    return gates


# --- data -----------------------------------------------------------------------------


def report_data(run: Run) -> dict[str, Any]:
    """Return the report as JSON data: docs/reference/json.md describes all keys.

    A result that is compared with a reference also has what became of it.
    """
    results = []
    for result in run.results:
        data = encode(result.without_texts_of_results())
        became = became_data(Change.since_baseline(result))
        results.append({**data, **became} if became["became"] else data)
    ran = [result for result in run.results if result.status != SKIPPED]
    searched = of_case_files(ran)
    return {
        "name": run.name,
        "run": encode(run.info),
        "files": encode(run.files),
        "results": results,
        "gates": [_gate_data(gate) for gate in run_gates(run)],
        "counts": asdict(count_results(run.results)),
        "changed_rankings": count_other_rankings(changes_since_baseline(searched)),
        "mean": mean_data(mean_change(ran), changes_since_baseline(ran)),
        "known_items": known_item_data(run.results),
        "variants": variants_data(compare_variants(run.results)),
    }


def _gate_data(gate: GateResult) -> dict[str, Any]:
    """Return what a gate found, as JSON data."""
    return {
        "file": gate.file,
        "line": gate.line,
        "id": gate.gate.id,
        "variant": gate.variant,
        "outcome": gate.outcome(),
        "message": gate_message(gate),
        "findings": [finding_data(finding) for finding in gate.findings],
    }
