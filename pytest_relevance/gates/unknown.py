"""The kind of gates in a record whose own kind is not installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_relevance.cases.expectation import UNKNOWN
from pytest_relevance.cases.location import Location
from pytest_relevance.cases.model import Gate
from pytest_relevance.gates.kind import Finding, GateKind, Reference
from pytest_relevance.results.case_result import CaseResult


@dataclass(frozen=True, slots=True)
class UnknownFinding(Finding):
    """A gate whose kind is not installed or fails. It is not met.

    `condition`: the kind of the gate.
    `error`: what its package raised; empty if the package is not installed.
    """

    kind = UNKNOWN
    condition: str
    error: str = ""

    @property
    def is_met(self) -> bool:
        """Return false: the gate is not met."""
        return False


class _UnknownGate(GateKind):
    """A kind of gate that is not installed. Its gates are not met."""

    name = UNKNOWN

    def check(self, value: object, at: Location) -> object:
        return at.refuse("this is not a gate")

    def judge(
        self, gate: Gate, cases: Sequence[CaseResult], reference: Reference
    ) -> Iterator[UnknownFinding]:
        yield UnknownFinding(gate.condition)

    def explain(self, finding: UnknownFinding) -> str:
        if finding.error:
            return finding.error
        return (
            f"no installed package judges a gate with {finding.condition}; install the one "
            "that does"
        )


UNKNOWN_GATE = _UnknownGate()
