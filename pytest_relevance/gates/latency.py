"""`latency: {p95: "<= 200 ms"}`: how long searches take, called one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from pytest_relevance._number_text import duration_text, duration_text_beside, time_text
from pytest_relevance._text import counted, found, listed
from pytest_relevance.cases.bounds import COMPARE, TIME, Bound, implies
from pytest_relevance.cases.location import WRONG, Location, Wrong, all_right
from pytest_relevance.cases.model import FIGURES, Gate, LatencyBound
from pytest_relevance.cases.schema_parts import Schema, about
from pytest_relevance.cases.values import report_unknown_keys
from pytest_relevance.gates.kind import (
    CaseBehind,
    Finding,
    GateFigures,
    GateKind,
    Reference,
)
from pytest_relevance.gates.metric_bounds import count_without_errors
from pytest_relevance.results.case_result import CaseResult, percentile, values_needed

LATENCY = "latency"


@dataclass(frozen=True, slots=True)
class LatencyFinding(Finding):
    """A figure of the latency over `counted` of `total` cases, in seconds.

    A case counts only if its search was called alone.

    `measured`: the figure; None if there are too few cases for it.
    `is_recorded`: whether the latencies are those of a record: no search was called.
    """

    kind = LATENCY
    bound: LatencyBound
    measured: float | None
    counted: int
    total: int
    is_recorded: bool = False

    @property
    def is_met(self) -> bool:
        """Say whether there are enough cases, and the figure is within its bound."""
        if self.measured is None:
            return False
        return COMPARE[self.bound.comparison](self.measured, self.bound.bound)

    @property
    def about(self) -> str:
        """Return the word "latency"; empty if there are too few cases."""
        return "" if self.measured is None else LATENCY

    @property
    def figures(self) -> GateFigures:
        """Return the latency and its bound, in seconds."""
        return GateFigures(
            value=self.measured,
            bound=self.bound.bound,
            counted=self.counted,
            total=self.total,
        )


def _latency_alone(result: CaseResult) -> float | None:
    """Return the latency in seconds; None if other searches ran at the same time."""
    if result.call.latency_shared or result.call.concurrency > 1:
        return None
    return result.call.latency


def _cases_needed(figure: str) -> int:
    """Return how many cases a figure needs: 20 for p95, 1 for the mean."""
    if figure in ("mean", "max"):
        return 1
    return values_needed(int(figure.removeprefix("p")))


def _figure_of(figure: str, latencies: Sequence[float]) -> float:
    """Return the mean, the maximum or a percentile of latencies."""
    if figure == "mean":
        return fsum(latencies) / len(latencies)
    if figure == "max":
        return max(latencies)
    return percentile(latencies, int(figure.removeprefix("p")))


def _schema() -> Schema:
    figures = {}
    for figure, meaning in FIGURES.items():
        figures[figure] = about(f'{meaning}: "<= 200 ms".', TIME.schema)
    return {
        "type": "object",
        "properties": figures,
        "additionalProperties": False,
        "minProperties": 1,
    }


def _check_bound(figure: str, written: object, at: Location) -> LatencyBound | Wrong:
    bound = TIME.check(written, at, example=f'{figure}: "<= 200 ms"')
    if bound is WRONG:
        return WRONG
    return LatencyBound(figure, bound.comparison, bound.value)


def _implies_latency(now: LatencyBound, before: LatencyBound) -> bool:
    """Say whether a bound is on the same figure as an earlier one, and not looser."""
    if now.figure != before.figure:
        return False
    bound_now = Bound(now.comparison, now.bound)
    return implies(bound_now, Bound(before.comparison, before.bound))


class _LatencyGate(GateKind):
    """`latency: {p95: "<= 200 ms"}`: figures of the latency, each with its bound.

    A case counts only if its search was called alone. The gate fails if too few count.
    """

    name = LATENCY
    gate_field = "latencies"
    about = (
        'How long searches may take that are called one at a time: {p95: "<= 200 ms"}.'
    )
    schema = _schema()
    needs_latency = True
    cases_title = "the slowest"

    def check(self, value: object, at: Location) -> tuple[LatencyBound, ...] | Wrong:
        """Return the bounds of the figures, or report mistakes."""
        if not isinstance(value, Mapping) or not value:
            return at.refuse(
                "expected figures of the latency and bounds, such as "
                f'{{p95: "<= 200 ms"}}, found {found(value)}'
            )
        takes = f"a figure of the latency is {listed(FIGURES)}"
        unknown = report_unknown_keys(value, FIGURES, takes=takes, at=at)
        latencies = all_right(
            _check_bound(figure, written, at.under(str(figure)))
            for figure, written in value.items()
        )
        if unknown is WRONG or latencies is WRONG:
            return WRONG
        return tuple(latencies)

    def describe(self, gate: Gate) -> str:
        """Return the figures with their bounds: `p95 <= 200 ms`."""
        parts = []
        for latency in gate.latencies:
            time = time_text(latency.bound)
            parts.append(f"{latency.figure} {latency.comparison} {time}")
        return ", ".join(parts)

    def implies(self, now: Gate, before: Gate) -> bool:
        for latency in before.latencies:
            if not any(_implies_latency(each, latency) for each in now.latencies):
                return False
        return True

    def judge(
        self, gate: Gate, cases: Sequence[CaseResult], reference: Reference
    ) -> Iterator[LatencyFinding]:
        """Yield a finding for each figure; without a figure if too few cases count."""
        latencies = []
        for case in cases:
            latency = _latency_alone(case)
            if latency is not None:
                latencies.append(latency)
        is_recorded = any(case.call.is_recorded for case in cases)
        for bound in gate.latencies:
            has_enough = len(latencies) >= _cases_needed(bound.figure)
            yield LatencyFinding(
                bound=bound,
                measured=_figure_of(bound.figure, latencies) if has_enough else None,
                counted=len(latencies),
                total=count_without_errors(cases),
                is_recorded=is_recorded,
            )

    def explain(self, finding: LatencyFinding) -> str:
        """Return, for example, `latency p95 212 ms, over 200 ms (20 cases ...)`."""
        figure, bound = finding.bound.figure, finding.bound.bound
        if finding.measured is None:
            needed = counted(_cases_needed(figure), "case")
            return (
                f"latency {figure} needs {needed} searched one at a time per process, "
                f"found {finding.counted:,} of {finding.total:,}; write more cases, or "
                "bound p50, mean or max"
            )
        relation = "over" if finding.bound.comparison == "<=" else "not below"
        if finding.is_met:
            relation = "within"
        cases = counted(finding.total, "case")
        if finding.counted < finding.total:
            cases = f"{finding.counted:,} of {cases}"
        measured = duration_text_beside(finding.measured, bound)
        recorded = ", recorded" if finding.is_recorded else ""
        return (
            f"latency {figure} {measured}, {relation} {time_text(bound)} ({cases}, one at "
            f"a time per process{recorded})"
        )

    def cases_behind(
        self, gate: Gate, finding: LatencyFinding, results: Sequence[CaseResult]
    ) -> list[CaseBehind]:
        """Return the cases whose latency is over the bound."""
        behind = []
        for result in results:
            latency = _latency_alone(result) or 0.0
            if finding.measured is not None and latency > finding.bound.bound:
                behind.append(CaseBehind(result, latency, duration_text(latency)))
        return behind


LATENCY_GATE = _LatencyGate()
