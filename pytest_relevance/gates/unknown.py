"""A gate in a record whose kind is not installed here. It is not met, so that nobody
relies on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_relevance.cases.location import Location
from pytest_relevance.cases.model import UNKNOWN, Gate
from pytest_relevance.gates.kind import Finding, GateKind, Reference
from pytest_relevance.results.case_result import CaseResult


@dataclass(frozen=True, slots=True)
class UnknownFinding(Finding):
    """A gate that no installed package judges.

    `condition`: its kind. `error`: what the package raised; empty if it is not
    installed.
    """

    kind = UNKNOWN
    condition: str
    error: str = ""

    @property
    def is_met(self) -> bool:
        """Whether it is as it should be."""
        return False


def check_unknown(value: object, at: Location) -> object:
    """Refuse the key."""
    return at.refuse("this is not a gate")


def judge_unknown(
    gate: Gate, cases: Sequence[CaseResult], reference: Reference
) -> Iterator[UnknownFinding]:
    """Say that nobody judges a gate."""
    yield UnknownFinding(gate.condition)


def explain_unknown(finding: UnknownFinding) -> str:
    """Say what is wrong."""
    if finding.error:
        return finding.error
    return (
        f"no installed package judges a gate with {finding.condition}; install the one "
        "that does"
    )


UNKNOWN_GATE = GateKind(
    name=UNKNOWN,
    check=check_unknown,
    judge=judge_unknown,
    explain=explain_unknown,
)
