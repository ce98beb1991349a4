"""What gates say: one line of a gate, the table of gates, and the report of a gate with
the cases behind its verdict.

The kinds of gates have the words of what they find.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nlargest

from pytest_relevance import _text
from pytest_relevance._number_text import number_text
from pytest_relevance._text import counted, harmless, score_text
from pytest_relevance.gates.findings import ErrorsFinding, finding_text
from pytest_relevance.gates.judging import GateResult
from pytest_relevance.gates.kind import CaseBehind, Finding, gate_kind
from pytest_relevance.registry import GATES, ExtensionError
from pytest_relevance.reports.cells import Column, styled_cell
from pytest_relevance.reports.markdown_text import LONGEST_TEXT
from pytest_relevance.reports.run.case_tables import add_case, case_table
from pytest_relevance.reports.styled_lines import (
    BAD,
    DOUBT,
    GOOD,
    PLAIN,
    STRONG,
    Line,
    folded_lines,
    styled_line,
)
from pytest_relevance.reports.table import Table
from pytest_relevance.reports.terminal_text import WIDEST, cut
from pytest_relevance.results.case_result import (
    FAILED,
    PASSED,
    SKIPPED,
    WITHOUT_SCORE,
    XFAILED,
    CaseResult,
)

MOST_CASES = 5
"""How many cases are shown of a condition that is not met."""


def gate_message(judged: GateResult) -> str:
    """Say in one line what is not met, or all that was found if each is met, or why
    there is no verdict.
    """
    if judged.not_judged is not None:
        return f"not evaluated: {finding_text(judged.not_judged)}"
    findings = judged.unmet or judged.findings
    return "; ".join(finding_text(finding) for finding in findings)


OUTCOMES = {
    FAILED: "not met",
    XFAILED: "failed before",
    SKIPPED: "not evaluated",
    PASSED: "met",
}
"""The outcomes of gates in words for a reader who does not know pytest, in the order in
which gates are listed.
"""


def gates_in_order(judged: Iterable[GateResult]) -> list[GateResult]:
    """The gates, those that are not met first, then those that were not evaluated."""
    return sorted(judged, key=lambda gate: [*OUTCOMES].index(gate.outcome()))


def gate_table(judged: Iterable[GateResult], most: int | None) -> Table:
    """The table of the first `most` gates, with what each found."""
    found = gates_in_order(judged)
    several_files = len({gate.file for gate in found}) > 1
    table = Table(
        [
            Column("suite", is_code=True),
            Column("gate", is_code=True),
            Column(),
            Column("found", is_code=True),
        ]
    )
    for gate in found[:most]:
        word = styled_cell(
            OUTCOMES[gate.outcome()], STRONG if gate.outcome() == FAILED else PLAIN
        )
        names = (
            gate.file if several_files else "",
            _text.with_variant(gate.gate.id, gate.variant),
        )
        table.add(*names, word, cut(harmless(gate_message(gate)), LONGEST_TEXT))
    if more := found[len(table.rows) :]:
        unmet = sum(gate.outcome() == FAILED for gate in more)
        table.note = (
            f"... and {counted(len(more), 'more gate')}, {unmet:,} of them not met"
        )
    return table


def gate_lines(
    judged: GateResult, *, verbosity: int = 0, width: int = WIDEST
) -> list[Line]:
    """The report of a gate that failed or was not judged; `verbosity` below 0: one
    line.
    """
    place = f"{harmless(judged.file)}:{judged.line}"
    if verbosity < 0 or judged.not_judged or not judged.unmet:
        return [styled_line(f"{place}: {harmless(gate_message(judged))}", BAD)]
    (first, *others), met = (
        judged.unmet,
        [finding for finding in judged.findings if finding.is_met],
    )
    lines = folded_lines(f"{place}: {finding_text(first)}", BAD, width)
    for finding in (*others, *met):
        lines += folded_lines(
            f"  {finding_text(finding)}", PLAIN if finding.is_met else BAD, width
        )
    about = (("tag", judged.gate.tag), ("variant", judged.variant))
    if shown := [f"{name} {value}" for name, value in about if value is not None]:
        lines += folded_lines("   ".join(shown), PLAIN, width)
    for finding in judged.unmet:
        lines += _cases_behind(judged, finding, width)
    return lines


def named_gate_lines(judged: GateResult, columns: int = WIDEST) -> list[Line]:
    """The report of a gate under its name, as part of a whole report: what it found,
    also where it is met.
    """
    outcome = judged.outcome()
    if judged.unmet and outcome == FAILED:
        return [
            styled_line(harmless(judged.name), STRONG),
            *gate_lines(judged, width=columns),
        ]
    found = (
        f"{'' if judged.not_judged else f'{OUTCOMES[outcome]}: '}{gate_message(judged)}"
    )
    said = f"{judged.file}:{judged.line}: {judged.name} {found}"
    return folded_lines(said, GOOD if outcome == PASSED else DOUBT, columns)


def _cases_behind(judged: GateResult, finding: Finding, columns: int) -> list[Line]:
    """List the cases because of which a condition is not met, those that count most
    first.
    """
    behind = _find_cases_behind(judged, finding)
    several = len({result.weight for result in judged.results}) > 1
    title = _title(judged, finding)
    table = case_table(title or _pulled_down(judged, finding), label_gap=3)
    for case in nlargest(MOST_CASES, behind, key=lambda case: case.pull):
        weight = f"weight {number_text(case.result.weight)}" if several else ""
        add_case(table, case.result, weight, case.shown)
    if title and len(behind) > MOST_CASES:  # such a title announces all of them
        table.note = f"  ... {len(behind) - MOST_CASES:,} more"
    return table.lines(columns)


def _title(judged: GateResult, finding: Finding) -> str:
    """Give the title of the cases behind a finding; empty if the kind of the gate has
    none.
    """
    if isinstance(finding, ErrorsFinding):
        return "without a score"
    return gate_kind(judged.gate.condition).cases_title


def _pulled_down(judged: GateResult, finding: Finding) -> str:
    metric = f"{finding.about} " if len(judged.gate.bounds) > 1 else ""
    return f"{metric}pulled down most by"


def _find_cases_behind(judged: GateResult, finding: Finding) -> list[CaseBehind]:
    if isinstance(finding, ErrorsFinding):
        return [
            CaseBehind(result, result.weight, score_text(None))
            for result in judged.results
            if result.verdict in WITHOUT_SCORE
        ]
    gate = judged.gate
    try:
        with GATES.calling(gate.condition):
            return gate_kind(gate.condition).cases_behind(gate, finding, judged.results)
    except ExtensionError:  # the finding says what was found
        return []


def cases_behind(judged: GateResult) -> list[CaseResult]:
    """List the cases because of which a gate is not met; none of a gate that is met or
    was not judged.
    """
    if judged.not_judged is not None:
        return []
    behind = set()
    for finding in judged.unmet:
        for case in _find_cases_behind(judged, finding):
            behind.add(id(case.result))
    return [result for result in judged.results if id(result) in behind]
