"""A gate that failed as text: what was found, and the cases that it comes from, with their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import nlargest

from pytest_relevance.cases.gates import MAX_DROP, PASSING
from pytest_relevance.cases.model import Gate
from pytest_relevance.reports.entries import Entry, figure
from pytest_relevance.reports.rows import CaseRow, case_lines
from pytest_relevance.reports.table import number
from pytest_relevance.reports.text import (
    BAD,
    DOUBT,
    GOOD,
    PLAIN,
    STRONG,
    Line,
    folded,
    harmless,
    line,
)
from pytest_relevance.runs.gates import ERRORS, Counted, Finding, Verdict

MOST_CASES = 5
"""The cases that are shown of what is not met."""

Case = tuple[Counted, Entry]
"""A case as gates look at it, and as reports know it."""


def unmet(verdict: Verdict) -> str:
    """What is not met, in one line."""
    return harmless("; ".join(finding.text for finding in verdict.unmet))


def gate_lines(verdict: Verdict, cases: Sequence[Case], where: str, variant: str | None) -> list[Line]:
    """The report of a gate that failed. `cases` are those it looked at, in the variant that is named."""
    gate = verdict.gate
    (first, *others), met = verdict.unmet, [finding for finding in verdict.findings if finding.is_met]
    lines = _folded(f"{where}: {first.text}", BAD)
    for finding in (*others, *met):
        lines += _folded(f"  {finding.text}", PLAIN if finding.is_met else BAD)
    about = [f"{name} {value}" for name, value in (("tag", gate.tag), ("variant", variant)) if value is not None]
    if about:
        lines += _folded("   ".join(about), PLAIN)
    for finding in verdict.unmet:
        lines += _cases(gate, finding, cases)
    return lines


def passing_gate_lines(where: str, name: str, verdict: Verdict | None, why_not: str = "") -> list[Line]:
    """What a gate that did not fail has found: each of its figures, or why there is no verdict."""
    found = f"not evaluated: {why_not}" if verdict is None else f"met: {'; '.join(verdict.reasons)}"
    text = harmless(f"{where}: {name} {found}")
    return [line(part, DOUBT if verdict is None else GOOD) for part in folded(text, indent="  ")]


def _folded(text: str, style: str) -> list[Line]:
    return [line(part, style) for part in folded(harmless(text), indent="    ")]


def _cases(gate: Gate, finding: Finding, cases: Sequence[Case]) -> list[Line]:
    """The cases that an unmet condition comes from, those that count most first."""
    pulls = [(pull, shown, entry) for case, entry in cases for pull, shown in _pulls(gate, finding, case, entry)]
    most = nlargest(MOST_CASES, pulls, key=lambda found: found[0])
    if not most:
        return []
    several = len({case.weight for case, _ in cases}) > 1
    for_shown = max(len(shown) for _, shown, _ in most)
    rows = [
        CaseRow(entry, line(f"  {shown:>{for_shown}}"), f"   weight {number(entry.weight)}" if several else "")
        for _, shown, entry in most
    ]
    return [line(_title(gate, finding), STRONG), *case_lines(rows)]


def _title(gate: Gate, finding: Finding) -> str:
    if finding.about in _TITLES:
        return _TITLES[finding.about]
    return "pulled down most by" if len(gate.bounds) == 1 else f"{finding.about} pulled down most by"


_TITLES = {ERRORS: "without a score", PASSING: "not passed, the lowest first"}


def _pulls(gate: Gate, finding: Finding, case: Counted, entry: Entry) -> Iterator[tuple[float, str]]:
    """By how much a case pulls a gate down, if it does, and the figure that shows it."""
    if finding.about == ERRORS:
        if case.errored:
            yield case.weight, figure(None)
        return
    if finding.about == PASSING:
        if not case.passes and not case.errored:
            yield 0.0 if entry.score is None else -entry.score, figure(entry.score)
        return
    now = case.scores.get(finding.about)
    bound = next((bound for metric, bound in gate.bounds if metric.text == finding.about), 0.0)
    aim = case.before.get(finding.about) if gate.condition == MAX_DROP else bound
    if now is not None and aim is not None and now < aim:
        yield (
            case.weight * (aim - now),
            f"{figure(aim)} -> {figure(now)}" if gate.condition == MAX_DROP else figure(now),
        )
