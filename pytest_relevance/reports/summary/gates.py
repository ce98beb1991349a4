"""The gates of a run as text: what was found, and the cases that it comes from, with their places."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import nlargest

from pytest_relevance._text import harmless, score_text
from pytest_relevance.cases.checking.gates import MAX_DROP, PASSING
from pytest_relevance.reports.numbers import number
from pytest_relevance.reports.summary.cases import add_case, case_table
from pytest_relevance.reports.text import BAD, DOUBT, GOOD, PLAIN, STRONG, WIDEST, Line, folded_lines, line
from pytest_relevance.results.baseline.overall import score_before
from pytest_relevance.results.case_result import WITHOUT_SCORE, CaseResult
from pytest_relevance.results.gates import ERRORS, GateFinding, GateResult, passes

MOST_CASES = 5
"""How many cases are shown of a condition that is not met."""


def gate_lines(judged: GateResult, *, verbosity: int = 0, width: int = WIDEST) -> list[Line]:
    """The report of a gate that failed or was not judged; `verbosity` below 0: one line."""
    place = f"{harmless(judged.file)}:{judged.line}"
    if verbosity < 0 or judged.not_judged or not judged.unmet:
        return [line(f"{place}: {harmless(judged.message)}", BAD)]
    (first, *others), met = judged.unmet, [finding for finding in judged.findings if finding.is_met]
    lines = folded_lines(f"{place}: {first.text}", BAD, width)
    for finding in (*others, *met):
        lines += folded_lines(f"  {finding.text}", PLAIN if finding.is_met else BAD, width)
    about = (("tag", judged.gate.tag), ("variant", judged.variant))
    if shown := [f"{name} {value}" for name, value in about if value is not None]:
        lines += folded_lines("   ".join(shown), PLAIN, width)
    for finding in judged.unmet:
        lines += _cases(judged, finding, width)
    return lines


def named_gate_lines(judged: GateResult, columns: int = WIDEST) -> list[Line]:
    """The report of a gate under its name, as part of a whole report: what it found, also where that is met."""
    if judged.unmet:
        return [line(harmless(judged.name), STRONG), *gate_lines(judged, width=columns)]
    found = judged.message if judged.not_judged else f"met: {judged.message}"
    text = f"{judged.file}:{judged.line}: {judged.name} {found}"
    return folded_lines(text, DOUBT if judged.not_judged else GOOD, columns)


def _cases(judged: GateResult, finding: GateFinding, columns: int) -> list[Line]:
    """The cases that an unmet condition comes from, those that count most first."""
    pulls = [(pull, shown, result) for result in judged.results for pull, shown in _pulls(judged, finding, result)]
    most = nlargest(MOST_CASES, pulls, key=lambda found: found[0])
    several = len({result.weight for result in judged.results}) > 1
    metric = f"{finding.about} " if len(judged.gate.bounds) > 1 else ""
    table = case_table(_TITLES.get(finding.about, f"{metric}pulled down most by"), label_gap=3)
    for _, shown, result in most:
        add_case(table, result, f"weight {number(result.weight)}" if several else "", shown)
    if finding.about in _TITLES and len(pulls) > len(most):  # the title names all of them, not those that count most
        table.note = f"  ... {len(pulls) - len(most):,} more"
    return table.lines(columns)


_TITLES = {ERRORS: "without a score", PASSING: "not passed, the lowest first"}


def _pulls(judged: GateResult, finding: GateFinding, result: CaseResult) -> Iterator[tuple[float, str]]:
    """By how much a case pulls a gate down, if it does, and the figure that shows it."""
    gate, score = judged.gate, result.score
    if finding.about == ERRORS:
        if result.verdict in WITHOUT_SCORE:
            yield result.weight, score_text(None)
    elif finding.about == PASSING and not passes(result) and result.verdict not in WITHOUT_SCORE:
        yield 0.0 if score is None else -score, score_text(score)
    now = result.scores.get(finding.about)
    bound = next((bound for metric, bound in gate.bounds if metric.text == finding.about), 0.0)
    is_drop = gate.condition == MAX_DROP
    aim = score_before(result, finding.about) if is_drop else bound
    if now is not None and aim is not None and now < aim:
        shown = f"{score_text(aim)} -> {score_text(now)}" if is_drop else score_text(now)
        yield result.weight * (aim - now), shown
