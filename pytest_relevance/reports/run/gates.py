"""What gates say: the sentence of each finding, and the report of a gate with the cases behind its verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import nlargest

from pytest_relevance import _text
from pytest_relevance._number_text import (
    asked_text,
    duration_text,
    duration_text_beside,
    number_text,
)
from pytest_relevance._text import (
    counted,
    digits_apart,
    first_few,
    harmless,
    listed,
    p_text,
    quoted,
    score_text,
)
from pytest_relevance.reports.cells import Column, styled_cell
from pytest_relevance.reports.markdown_text import LONGEST_TEXT
from pytest_relevance.reports.reasons import alone_text, people_text
from pytest_relevance.reports.run.cases import LOST, WITHOUT_WORDS, add_case, case_table
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
from pytest_relevance.results import gates
from pytest_relevance.results.case_result import (
    ERROR,
    FAILED,
    PASSED,
    SKIPPED,
    WITHOUT_SCORE,
    XFAILED,
    CaseResult,
)
from pytest_relevance.results.compare.differences import (
    TIE,
    change_by,
    has_relevant,
    score_before,
)

MOST_CASES = 5
"""How many cases are shown of a condition that is not met."""


def gate_message(judged: gates.GateResult) -> str:
    """One line: the findings that are not met, or all of them where each is met, or why the gate was not judged."""
    why = judged.not_judged
    if why is None:
        return "; ".join(map(finding_text, judged.unmet or judged.findings))
    if why.kind == gates.INCOMPLETE:
        return f"not evaluated: {why.counted:,} of {why.total:,} ran"
    if why.kind == gates.UPDATING:
        return "not evaluated: the baseline is being updated"
    if why.kind == gates.NO_VARIANT:
        return f"not evaluated: {finding_text(why)}"
    which = (
        "case" if judged.gate.tag is None else f"case with the tag {judged.gate.tag}"
    )
    return f"not evaluated: no {which} ran"


def finding_text(found: gates.GateFinding) -> str:
    """The sentence about what a gate found."""
    said = _WORDS[found.kind](found)
    if found.without:
        return said + people_text(found.without)
    return said + alone_text(found.by_fill) if found.by_fill else said


def _errors(found: gates.GateFinding) -> str:
    words = "case was not searched", "cases were not searched"
    if found.cases[0].verdict == ERROR:
        words = "case ended in an error", "cases ended in an error"
    return f"{counted(len(found.cases), *words)}: {_some(found.cases)}"


def _passing(found: gates.GateFinding) -> str:
    measured = found.total - found.counted
    were = f"{counted(measured, 'case was', 'cases were')} only measured"
    if not found.counted:
        return f"no case has anything to pass: {were}"
    share, least = 100 * found.figure / found.counted, 100 * found.bound
    digits = _digits(share, least, 1)
    how = "at least" if found.is_met else "less than"
    said = f"{found.figure:,.0f} of {found.counted:,} cases pass ({share:.{digits}f}%), {how} {least:.10g}%"
    before = f"{100 * found.before:.{digits}f}%"
    said += _beside_reference(found, before)
    return f"{said}; {were}" if measured else said


def _latency(found: gates.GateFinding) -> str:
    how = (
        "within"
        if found.is_met
        else "over"
        if found.comparison == "<="
        else "not below"
    )
    of_all = counted(found.total, "case")
    if found.counted < found.total:
        of_all = f"{found.counted:,} of {of_all}"
    figure = duration_text_beside(found.figure, found.bound)
    return f"latency {found.name} {figure}, {how} {_text.time_text(found.bound)} ({of_all}, one at a time per process)"


def _too_few(found: gates.GateFinding) -> str:
    needed = f"latency {found.name} needs {counted(found.needed, 'case')} searched one at a time per process"
    return f"{needed}, found {found.counted:,} of {found.total:,}; write more cases, or bound p50, mean or max"


def _mean(found: gates.GateFinding) -> str:
    digits = _digits(found.figure, found.bound)
    relation = "at least" if found.is_met else "below"
    of_all = counted(found.counted, "case")
    if found.counted < found.total:
        which = "with relevant judgments"
        assert found.metric is not None
        if found.metric.is_own:
            which = "where it is defined"
        elif found.metric.is_similarity:
            which = (
                "in both variants"
                if found.variants
                else f"with a ranking in {found.against or 'the baseline'}"
            )
        of_all = f"{found.counted:,} of {counted(found.total, 'case')}, those {which}"
    said = f"mean {_name(found)} {found.figure:.{digits}f}, {relation} {found.bound:.{digits}f} ({of_all})"
    return said + _beside_reference(found, f"{found.before:.{digits}f}")


def _beside_reference(found: gates.GateFinding, before: str) -> str:
    """`; 0.850 in main.jsonl (50 cases are only here)`: the figure of the reference.

    The cases that only this run or only the reference has are counted. Empty if nothing
    is known of the reference.
    """
    if math.isnan(found.before):
        return ""
    alone = []
    for count, where in ((found.only_now, "here"), (found.only_before, "there")):
        if count:
            alone.append(f"{counted(count, 'case is', 'cases are')} only {where}")
    said = f"; {before} in {found.against or 'the baseline'}"
    return f"{said} ({', '.join(alone)})" if alone else said


def _drop(found: gates.GateFinding) -> str:
    """`mean nDCG@10 fell by 0.021, from 0.800 to 0.779 (95% -0.030 to -0.011, p 0.003, 52 cases); allowed is 0.02`."""
    row = found.difference
    assert row is not None
    change, digits = row.means.difference, _text.digits_of_change(row.means.difference)
    ends = f"from {row.means.first:.{digits}f} to {row.means.second:.{digits}f}"
    interval = f"95% {row.low:+.{digits}f} to {row.high:+.{digits}f}"
    p = f"p {p_text(row.p, 0.05 if found.p is None else found.p)}"
    if row.adjusted_p != row.p:
        p = f"p (Holm) {p_text(row.adjusted_p, 0.05 if found.p is None else found.p)}"
    cases = counted(found.counted, "case")
    if found.lost:
        why = ", ".join(
            f"{count:,} {LOST.get(each, WITHOUT_WORDS)[count != 1]}"
            for each, count in found.lost.items()
        )
        cases = f"{found.counted:,} of {counted(found.total, 'case')}; {why}"
    limit = f"allowed is {found.bound:.12g}"
    if found.p is not None and not found.is_void:
        limit += f" unless p > {found.p:g}"
    elif found.p is not None and found.exceeds:
        changed = row.means.better + row.means.worse
        few = counted(changed, "changed case")
        least = f"{few} cannot give a p-value below {row.least_p:.3g}"
        limit += f"; p {found.p:g} does not count, as {least}: the drop alone decides"
    return f"mean {_name(found)} {_moved(-change, found.bound)}, {ends} ({interval}, {p}, {cases}); {limit}"


def _moved(drop: float, bound: float) -> str:
    """`fell by 0.021`, with so many decimals that the drop and its bound can be told apart."""
    digits = _text.digits_of_change(drop)
    if drop > 0:
        digits = max(digits, _digits(drop, bound))
    if not round(drop, digits):
        return "is unchanged"
    return f"{'fell' if drop > 0 else 'rose'} by {abs(drop):.{digits}f}"


def _digits(value: float, bound: float, least: int = 3) -> int:
    """The decimals for showing a figure beside its bound; `least` where both are equal up to rounding."""
    return least if abs(value - bound) <= TIE else digits_apart(value, bound, least)


def _cut(found: gates.GateFinding) -> str:
    from pytest_relevance.results.scoring import cut_text

    assert found.metric is not None
    there = f"the search was asked for {asked_text(found.depths)} in {counted(found.counted, 'case')}"
    return cut_text(found.metric, there, min(found.depths))


def _no_reference(found: gates.GateFinding) -> str:
    if found.variants:
        one, two = map(quoted, filter(None, found.variants))
        return (
            f"{found.about} has nothing to compare: no case ran in {one} and in {two}"
        )
    what = f"no ranking in {found.against}" if found.against else "no baseline"
    remedy = (
        "make that record again" if found.against else "run with --relevance-update"
    )
    return f"{found.about} has {what}, or a stale one; {remedy}"


def _case_drops(found: gates.GateFinding) -> str:
    most = f"{found.bound:.12g}"
    if not found.cases:
        return f"no case dropped by more than {most}"
    worst = []
    for case in found.cases:
        change = change_by(case, found.about or None)
        figure = f"{change:+.{digits_apart(-change, found.bound)}f}"
        worst.append(
            f"{_text.case_in_prose(case.id, case.query, case.variant)} ({figure})"
        )
    return (
        f"{counted(len(worst), 'case')} dropped by more than {most}: {first_few(worst)}"
    )


def _new_errors(found: gates.GateFinding) -> str:
    were = "was" if len(found.cases) == 1 else "were"
    new = [
        _text.case_in_prose(case.key[1], case.query, case.key[2])
        for case in found.cases
    ]
    return f"{counted(len(found.cases), 'case')} ended in an error that {were} none before: {first_few(new)}"


_WORDS: Mapping[str, Callable[[gates.GateFinding], str]] = {
    gates.ERRORS: _errors,
    gates.PASSING: _passing,
    gates.MEAN: _mean,
    gates.DROP: _drop,
    gates.LATENCY: _latency,
    gates.TOO_FEW: _too_few,
    gates.UNDEFINED: lambda found: (
        f"mean {_name(found)} is not defined: no case has a score"
    ),
    gates.CUT: _cut,
    gates.NO_REFERENCE: _no_reference,
    gates.WITHOUT_ENTRY: lambda found: (
        f"{counted(len(found.cases), 'case')} without a baseline left out: {_some(found.cases)}"
    ),
    gates.CASE_DROPS: _case_drops,
    gates.NEW_ERRORS: _new_errors,
    gates.NO_VARIANT: lambda found: (
        f"the variant {quoted(found.name)} did not run; "
        f"{listed(map(quoted, filter(None, found.variants)), 'and') or 'none'} did"
    ),
}


def _name(found: gates.GateFinding) -> str:
    """The metric of a finding; the depth that was set, where it has no cutoff; the variant, if there is one."""
    name = found.about
    if found.depths:
        name += f" (depth {asked_text(found.depths)})"
    if found.variants:
        name += " of {} against {}".format(*map(quoted, filter(None, found.variants)))
    variant = None if found.difference is None else found.difference.variant
    return name if variant is None else f"{name} of {quoted(variant)}"


def _some(cases: Sequence[CaseResult]) -> str:
    return first_few([_text.case_in_prose(case.id, case.query) for case in cases])


OUTCOMES = {
    FAILED: "not met",
    XFAILED: "failed before",
    SKIPPED: "not evaluated",
    PASSED: "met",
}
"""The outcomes of gates in words for a reader who does not know pytest, in the order in which gates are listed."""


def gates_in_order(judged: Iterable[gates.GateResult]) -> list[gates.GateResult]:
    """The gates, those that are not met first, then those that were not evaluated."""
    return sorted(judged, key=lambda gate: [*OUTCOMES].index(gate.outcome()))


def gate_table(judged: Iterable[gates.GateResult], most: int | None) -> Table:
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
    judged: gates.GateResult, *, verbosity: int = 0, width: int = WIDEST
) -> list[Line]:
    """The report of a gate that failed or was not judged; `verbosity` below 0: one line."""
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


def named_gate_lines(judged: gates.GateResult, columns: int = WIDEST) -> list[Line]:
    """The report of a gate under its name, as part of a whole report: what it found, also where it is met."""
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


def _cases_behind(
    judged: gates.GateResult, finding: gates.GateFinding, columns: int
) -> list[Line]:
    """The cases because of which a condition is not met, those that count most first."""
    pulls = [
        (pull, shown, result)
        for result in judged.results
        for pull, shown in _pulls(judged, finding, result)
    ]
    several = len({result.weight for result in judged.results}) > 1
    metric = f"{finding.about} " if len(judged.gate.bounds) > 1 else ""
    table = case_table(
        _TITLES.get(finding.about, f"{metric}pulled down most by"), label_gap=3
    )
    for _, shown, result in nlargest(MOST_CASES, pulls, key=lambda found: found[0]):
        add_case(
            table,
            result,
            f"weight {number_text(result.weight)}" if several else "",
            shown,
        )
    if (
        finding.about in _TITLES and len(pulls) > MOST_CASES
    ):  # such a title announces all of them
        table.note = f"  ... {len(pulls) - MOST_CASES:,} more"
    return table.lines(columns)


def cases_behind(judged: gates.GateResult) -> list[CaseResult]:
    """The cases because of which a gate is not met, in their order; none of a gate that is met or was not judged."""
    unmet = () if judged.not_judged else judged.unmet
    return [
        each
        for each in judged.results
        if any(any(_pulls(judged, finding, each)) for finding in unmet)
    ]


_TITLES = {
    gates.ERRORS: "without a score",
    gates.PASSING: "not passed, the lowest first",
    gates.LATENCY: "the slowest",
}


def _pulls(
    judged: gates.GateResult, finding: gates.GateFinding, result: CaseResult
) -> Iterator[tuple[float, str]]:
    """By how much a case pulls a gate down, if it does, and the figure that shows it."""
    score, is_scored = result.score, result.verdict not in WITHOUT_SCORE
    if finding.about == gates.ERRORS and not is_scored:
        yield result.weight, score_text(None)
    elif finding.about == gates.PASSING and is_scored and not gates.passes(result):
        yield 0.0 if score is None else -score, score_text(score)
    elif (
        finding.about == gates.LATENCY
        and (latency := gates.latency_alone(result) or 0.0) > finding.bound
    ):
        yield latency, duration_text(latency)
    now = result.evaluation.scores.get(finding.about)
    bounds = {metric.text: bound for metric, bound in judged.gate.bounds}
    aim = (
        score_before(result, finding.about)
        if finding.kind == gates.DROP
        else bounds.get(finding.about)
    )
    if (
        now is not None
        and aim is not None
        and now < aim
        and has_relevant(result, finding.about)
    ):
        shown = (
            f"{score_text(aim)} -> {score_text(now)}"
            if finding.kind == gates.DROP
            else score_text(now)
        )
        yield result.weight * (aim - now), shown
