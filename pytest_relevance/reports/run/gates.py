"""What gates found: the line of a gate, the table of gates, and the report of a gate.

The report of a gate names the cases because of which it is not met.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import nlargest

from pytest_relevance._number_text import number_text, score_text
from pytest_relevance._text import counted, first_few, harmless, with_variant
from pytest_relevance.gates.common_findings import (
    ErrorsFinding,
    IncompleteFinding,
    finding_text,
)
from pytest_relevance.gates.judging import GateResult
from pytest_relevance.gates.kind import CaseBehind, Finding, GateKind
from pytest_relevance.registry import GATES, ExtensionError
from pytest_relevance.reports.blocks import Sentence
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
    grouped,
)

_MOST_NAMED = 3
"""The most gates of one outcome that have a sentence each."""

MOST_CASES = 5
"""How many cases are shown of a gate that is not met."""

OUTCOMES = {
    FAILED: "not met",
    XFAILED: "failed before",
    SKIPPED: "not evaluated",
    PASSED: "met",
}
"""The outcomes of gates in words for a reader who does not know pytest.

Gates are listed in this order.
"""

_STYLES = {FAILED: BAD, XFAILED: DOUBT, SKIPPED: DOUBT, PASSED: GOOD}


def gate_message(judged: GateResult) -> str:
    """Return what a gate found, or why it was not evaluated."""
    found = found_text(judged)
    return f"not evaluated: {found}" if judged.not_judged is not None else found


def found_text(judged: GateResult) -> str:
    """Return what a gate found: the bounds that are not met, or all if all are met.

    If the gate was not evaluated, the text says why.
    """
    if judged.not_judged is not None:
        return finding_text(judged.not_judged)
    findings = judged.unmet or judged.findings
    return "; ".join(finding_text(finding) for finding in findings)


def gates_in_order(judged: Iterable[GateResult]) -> list[GateResult]:
    """Return gates sorted by outcome: not met first, met last."""
    order = list(OUTCOMES)
    return sorted(judged, key=lambda gate: order.index(gate.outcome()))


def gate_table(judged: Iterable[GateResult], most: int | None) -> Table:
    """Return the table of the first `most` gates: the suite, and what each found."""
    gates = gates_in_order(judged)
    table = Table(
        [
            Column("suite", is_code=True),
            Column("gate", is_code=True),
            Column(),
            Column("found", is_code=True),
        ]
    )
    for gate in gates[:most]:
        outcome = gate.outcome()
        style = STRONG if outcome == FAILED else PLAIN
        table.add(
            gate.file,
            with_variant(gate.gate.id, gate.variant),
            styled_cell(OUTCOMES[outcome], style),
            cut(harmless(gate_message(gate)), LONGEST_TEXT),
        )
    more = gates[len(table.rows) :]
    if more:
        unmet = sum(1 for gate in more if gate.outcome() == FAILED)
        further = counted(len(more), "more gate")
        table.note = f"... and {further}, {unmet:,} of them not met"
    return table


# --- the report of a gate -------------------------------------------------------------


def gate_lines(
    judged: GateResult, *, verbosity: int = 0, width: int = WIDEST
) -> list[Line]:
    """Return the report of a gate that failed or was not evaluated, as lines.

    It is one line if `verbosity` is below 0.
    """
    place = f"{harmless(judged.file)}:{judged.line}"
    if verbosity < 0 or judged.not_judged or not judged.unmet:
        return [styled_line(f"{place}: {harmless(gate_message(judged))}", BAD)]
    first, *others = judged.unmet
    lines = folded_lines(f"{place}: {finding_text(first)}", BAD, width)
    for finding in others:
        lines += folded_lines(f"  {finding_text(finding)}", BAD, width)
    for finding in judged.findings:
        if finding.is_met:
            lines += folded_lines(f"  {finding_text(finding)}", PLAIN, width)
    about = []
    if judged.gate.tag is not None:
        about.append(f"tag {judged.gate.tag}")
    if judged.variant is not None:
        about.append(f"variant {judged.variant}")
    if about:
        lines += folded_lines("   ".join(about), PLAIN, width)
    for finding in judged.unmet:
        lines += _table_of_cases_behind(judged, finding).lines(width)
    return lines


def gate_sentences(judged: Iterable[GateResult], *, full: bool) -> list[Sentence]:
    """Return a sentence about each gate. Gates that are not met come first.

    Without `full`, gates that were not evaluated share a sentence, and so do more than
    `_MOST_NAMED` gates with the same outcome.
    """
    by_outcome = grouped(gates_in_order(judged), GateResult.outcome)
    sentences = []
    for outcome, style in _STYLES.items():
        of_outcome = by_outcome.get(outcome, [])
        if outcome == SKIPPED and of_outcome:
            sentences += _not_evaluated(of_outcome, full=full)
        elif len(of_outcome) > _MOST_NAMED and not full:
            text = f"{len(of_outcome):,} gates {OUTCOMES[outcome]}"
            if outcome == FAILED:
                text += f" ({first_few([_name_in_file(gate) for gate in of_outcome])})"
            sentences.append(Sentence(text, style))
        else:
            for gate in of_outcome:
                sentences.append(Sentence(_named_text(gate), style))
    return sentences


def repeats_condition(judged: GateResult) -> bool:
    """Say whether what a gate found has all that its name says: `mean nDCG@10 0.95`.

    What a gate found has the condition, but not the tag.
    """
    gate = judged.gate
    if judged.not_judged is not None or gate.tag is not None:
        return False
    return gate.id.startswith(f"{gate.condition} ")


def _name_in_file(judged: GateResult) -> str:
    return f"{judged.name} of {judged.file}"


def _named_text(judged: GateResult) -> str:
    """Return a gate with its place, its outcome and what it found.

    Example: `shop.relevance.yaml:2: gate[most-pass] met: 4 of 4 cases pass, ...`. If
    the name repeats the condition, it is left out, because what was found has the
    condition too: `shop.relevance.yaml:2: gate met: 4 of 4 cases pass, ...`.
    """
    name, found = judged.name, gate_message(judged)
    if judged.not_judged is None:
        found = f"{OUTCOMES[judged.outcome()]}: {found}"
        if repeats_condition(judged):
            name = name.replace(f"[{judged.gate.id}]", "", 1)
    return f"{judged.file}:{judged.line}: {name} {found}"


def _not_evaluated(gates: Sequence[GateResult], *, full: bool) -> list[Sentence]:
    """Return why gates were not evaluated: one sentence; with `full`, one for each."""
    if full or len(gates) == 1:
        return [Sentence(_named_text(gate), DOUBT) for gate in gates]
    names = first_few([gate.name for gate in gates])
    text = f"{len(gates):,} gates not evaluated ({names}): {_why_not_evaluated(gates)}"
    return [Sentence(text, DOUBT)]


def _why_not_evaluated(gates: Sequence[GateResult]) -> str:
    """Return why several gates were not evaluated: the commonest reason."""
    if all(isinstance(gate.not_judged, IncompleteFinding) for gate in gates):
        return "not all cases ran"
    reasons = Counter(found_text(gate) for gate in gates)
    ((reason, count),) = reasons.most_common(1)
    return reason if count == len(gates) else f"{reason}, or another reason"


# --- the cases behind a verdict -------------------------------------------------------


def cases_behind(judged: GateResult) -> list[CaseResult]:
    """Return the cases that are the reason why a gate is not met.

    They are in the order of the run. [] if the gate is met, or has no verdict.
    """
    if judged.not_judged is not None:
        return []
    behind = set()
    for finding in judged.unmet:
        for case in _find_cases_behind(judged, finding):
            behind.add(id(case.result))
    return [result for result in judged.results if id(result) in behind]


def _table_of_cases_behind(judged: GateResult, finding: Finding) -> Table:
    """Return the table of the cases that are the reason why `finding` is not met.

    The cases with the largest `pull` come first. If the kind of gate names each case
    that misses it, a note counts the rest.
    """
    behind = _find_cases_behind(judged, finding)
    title = GATES.get_or_unknown(judged.gate.condition).cases_title
    if isinstance(finding, ErrorsFinding):
        title = "without a score"
    counts_rest = bool(title)
    if not title:
        metric = f"{finding.about} " if len(judged.gate.bounds) > 1 else ""
        title = f"{metric}pulled down most by"
    table = case_table(title, label_gap=3)
    has_weights = len({result.weight for result in judged.results}) > 1
    for case in nlargest(MOST_CASES, behind, key=lambda case: case.pull):
        weight = f"weight {number_text(case.result.weight)}" if has_weights else ""
        add_case(table, case.result, weight, case.shown)
    if counts_rest and len(behind) > MOST_CASES:
        table.note = f"  ... {len(behind) - MOST_CASES:,} more"
    return table


def _find_cases_behind(judged: GateResult, finding: Finding) -> list[CaseBehind]:
    """Return the cases that are the reason why `finding` is not met.

    [] if the kind of gate, which another package may have, raises an exception.
    """
    if isinstance(finding, ErrorsFinding):
        behind = []
        for result in judged.results:
            if result.verdict in WITHOUT_SCORE:
                behind.append(CaseBehind(result, result.weight, score_text(None)))
        return behind
    gate = judged.gate
    try:
        with GATES.calling(gate.condition):
            kind: GateKind = GATES.get_or_unknown(gate.condition)
            return kind.cases_behind(gate, finding, judged.results)
    except ExtensionError:
        return []
