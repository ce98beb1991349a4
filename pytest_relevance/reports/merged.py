"""What `merge` says of a whole run: the summary as the run itself would have had it, the gates, and what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_relevance.reports.entries import Entry
from pytest_relevance.reports.gates import gate_lines, passing_gate_lines
from pytest_relevance.reports.summary import summary_lines
from pytest_relevance.reports.text import BAD, DIM, STRONG, Line, folded, harmless, line
from pytest_relevance.reports.verdict import verdict_lines
from pytest_relevance.runs.gates import FAILED, PASSED
from pytest_relevance.runs.merging import Gap, JudgedGate, Merged, as_counted, shown_search
from pytest_relevance.runs.obstacles import shown_key, some
from pytest_relevance.runs.run import Result
from pytest_relevance.wording import counted

MOST_NAMED = 20
"""How many node ids are listed of what did not finish."""

_OUTCOMES = {"xfailed": "skipped", "xpassed": "passed"}


def is_good(merged: Merged, gates: Sequence[JudgedGate]) -> bool:
    """Whether every case is there, and every gate is met."""
    return merged.is_whole and all(_outcome(gate) != FAILED for gate in gates)


def merged_lines(merged: Merged, gates: Sequence[JudgedGate], records: int) -> list[Line]:
    """The report of a merged run."""
    run = merged.run
    entries = [entry_of(result) for result in run.results]
    outcomes: dict[tuple[str, str | None], Counter[str]] = {}
    for gate in gates:
        outcomes.setdefault((gate.file, gate.variant), Counter())[_outcome(gate)] += 1
    lines = _folded(_joined(merged, records), DIM)
    lines += summary_lines(entries, 0, outcomes)
    for gate in sorted(gates, key=lambda gate: _outcome(gate) == FAILED):  # as in a run: the long reports last
        lines += _gate(gate)
    for text in _missing(merged):
        lines += _folded(text, BAD)
    absent = max(len(run.missing), sum(gap.total - gap.found for gap in merged.gaps))
    rest = f"{counted(absent, 'case is', 'cases are')} missing" if absent else ""
    return [*lines, *verdict_lines(entries, outcomes, rest)]


def entry_of(result: Result) -> Entry:
    """A result as summaries know it."""
    return Entry(
        file=result.file,
        line=result.line,
        id=result.id,
        name=result.id,
        query=result.query,
        search=result.search,
        variant=result.variant,
        tags=result.tags,
        weight=result.weight,
        k=result.k,
        verdict=result.verdict,
        outcome=_OUTCOMES.get(result.outcome, result.outcome),
        score=result.score,
        latency=result.latency,
        was_xfail=result.outcome in _OUTCOMES,
        source=result.values.get("source"),
        repeated=_repeated(result.values),
    )


def _repeated(values: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What a record keeps of how a ranking changed from call to call."""
    return {"calls": values["calls"], "rankings": values["rankings_seen"]} if "rankings_seen" in values else None


def _outcome(gate: JudgedGate) -> str:
    """What the summary counts a gate under."""
    if gate.verdict is None:
        return "skipped"
    return FAILED if gate.verdict.unmet else PASSED


def _joined(merged: Merged, records: int) -> str:
    parts = [f"{counted(records, 'record')}, {counted(len(merged.run), 'result')}"]
    if merged.again:
        parts.append(f"{_keys(merged.again)} in several of them, with the same results")
    if merged.replaced:
        parts.append(f"{_keys(merged.replaced)} with other results in an earlier one, which do not count")
    return "; ".join(parts)


def _keys(keys: Sequence[tuple[str, str, str | None]]) -> str:
    return f"{counted(len(keys), 'case')} ({some(map(shown_key, keys))})"


def _gate(gate: JudgedGate) -> list[Line]:
    """What a gate has found, whether it is met or not, or why it was not judged."""
    where = f"{harmless(gate.file)}:{gate.line}"
    name = harmless(f"gate[{gate.gate.id}]" + (f"[{gate.variant}]" if gate.variant is not None else ""))
    if gate.verdict is None or not gate.verdict.unmet:
        return passing_gate_lines(where, name, gate.verdict, gate.why_not)
    cases = [(as_counted(result, gate.gate), entry_of(result)) for result in gate.results]
    return [line(name, STRONG), *gate_lines(gate.verdict, cases, where, gate.variant)]


def _missing(merged: Merged) -> Iterator[str]:
    for gap in merged.gaps:
        yield _gap(gap)
    names = merged.run.missing
    for name in names[:MOST_NAMED]:
        yield f"did not finish: {name}"
    if len(names) > MOST_NAMED:
        yield f"... and {len(names) - MOST_NAMED:,} more that did not finish"


def _gap(gap: Gap) -> str:
    label = shown_search(gap.search, gap.variant)
    absent = gap.total - gap.found
    return (
        f"{gap.file}, {label}: {absent:,} of {counted(gap.total, 'case')} {'is' if absent == 1 else 'are'} in no record"
    )


def _folded(text: str, style: str) -> list[Line]:
    return [line(part, style) for part in folded(harmless(text), indent="  ")]
