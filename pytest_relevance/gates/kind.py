"""The base classes of all kinds of gates, and of their findings.

`pytest_relevance.registry.GATES` has an object of each kind by name. To add a kind to
the package, write a subclass in a module of this folder, make an object of it, and name
the object in `bundled.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from pytest_relevance.cases.location import Location
from pytest_relevance.cases.model import Gate
from pytest_relevance.cases.schema_parts import Schema
from pytest_relevance.codec import is_same_json
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.records.run_info import AcceptedCase
from pytest_relevance.results.records.uncompared import UncomparedCase


@dataclass(frozen=True, slots=True)
class GateFigures:
    """The figures of a finding, for JSON.

    `value`: what was found; None if there are too few cases for it.
    `bound`: what `value` is compared with.
    `counted`: over how many cases the value is.
    `total`: how many cases could count.
    `case`: the case whose score is the value; None for a value that many cases make.
    """

    value: float | None
    bound: float
    counted: int
    total: int
    case: CaseResult | None = None


class Finding(ABC):
    """What a gate found: a figure beside its bound, or why there is none.

    A subclass is a dataclass.
    """

    __slots__ = ()

    kind: ClassVar[str]
    """The name of the kind of gate whose `explain` returns the sentence."""

    @property
    @abstractmethod
    def is_met(self) -> bool:
        """Say whether the gate may pass with this finding."""

    @property
    def is_known(self) -> bool:
        """Say whether the gate is expected to fail, since it failed before as badly."""
        return False

    @property
    def about(self) -> str:
        """Return the name of a metric, "passing", "latency" or "errors".

        Empty for a remark.
        """
        return ""

    @property
    def figures(self) -> GateFigures | None:
        """Return the figures of the finding; None if it has none."""
        return None


@dataclass(frozen=True, slots=True)
class Reference:
    """What the cases of a gate are compared with: a baseline, or a recorded run.

    `name`: the name of the record; empty for a baseline.
    `results`: all results of this run, of the file and variant of the gate.
    `lost`: the cases of the reference that belong to the gate and are not compared.
    `accepted`: the cases of the reference.
    `new`: the cases of the gate that the reference does not have, or has in another
        file.
    `expects_known`: whether gates that failed before are expected to fail
        (`--relevance-known=xfail`).
    """

    name: str = ""
    results: Sequence[CaseResult] = ()
    lost: Sequence[UncomparedCase] = ()
    accepted: Sequence[AcceptedCase] = ()
    new: Sequence[CaseResult] = ()
    expects_known: bool = False

    def known(self, cases: Sequence[CaseResult]) -> list[CaseResult]:
        """Return the cases that are not new; none if no case is new."""
        if not self.new:
            return []
        new = {case.key for case in self.new}
        return [case for case in cases if case.key not in new]


def is_about(gate: Gate, tags: Sequence[str]) -> bool:
    """Say whether a gate looks at cases with these tags."""
    return gate.tag is None or gate.tag in tags


@dataclass(frozen=True, slots=True)
class CaseBehind:
    """A case that is a reason why a gate is not met.

    `pull`: how much the case counts. Reports show cases with a greater pull first.
    `shown`: the figure beside the case in reports.
    """

    result: CaseResult
    pull: float
    shown: str


class GateKind(ABC):
    """A kind of gate: what `gates: [{passing: 0.95}]` means, and its sentences.

    A subclass has a `name` and the methods `check`, `judge` and `explain`. Everything
    else has a default.
    """

    # What stands in the case file

    name: ClassVar[str]
    """The key of a gate."""

    gate_field: ClassVar[str] = "value"
    """The field of `Gate` that has what `check` makes."""

    about: ClassVar[str] = ""
    """The description of the key in an editor."""

    schema: ClassVar[Schema] = {}
    """The JSON Schema of the value. By default any value is allowed."""

    @abstractmethod
    def check(self, value: object, at: Location) -> object:
        """Return the value for the field `gate_field` of the gate, or refuse it.

        `value`: what is written. To refuse it, return `at.refuse(message)`.
        """

    def describe(self, gate: Gate) -> str:
        """Return the value of a gate as text, for the id of a gate that sets none."""
        return str(gate.value)

    # The run

    needs_latency: ClassVar[bool] = False
    """Whether the searches have to be called alone and measured."""

    needs_reference: ClassVar[bool] = False
    """Whether the gate cannot be decided without a reference."""

    may_be_known: ClassVar[bool] = False
    """Whether a gate may be expected to fail. The accepted scores are then needed."""

    needs_missed: ClassVar[bool] = False
    """Whether the gate needs to know which accepted rankings miss their demands."""

    @abstractmethod
    def judge(
        self, gate: Gate, cases: Sequence[CaseResult], reference: Reference
    ) -> Iterable[Finding]:
        """Return what a gate finds in its `cases`."""

    def implies(self, now: Gate, before: Gate) -> bool:
        """Say whether a run that meets the present gate meets the earlier one.

        If not, the test is looser than before. Both gates look at the same cases and
        variants. By default both gates have to be equal, whatever their ids and lines.
        """
        alike = replace(now, id=before.id, line=before.line)
        return is_same_json(alike, before)

    # The words

    cases_title: ClassVar[str] = ""
    """The title above the cases of `cases_behind` in reports."""

    @abstractmethod
    def explain(self, finding: Any) -> str:
        """Return a finding in a sentence. `finding` is one that `judge` has made."""

    def cases_behind(
        self, gate: Gate, finding: Any, results: Sequence[CaseResult]
    ) -> list[CaseBehind]:
        """Return the cases that are the reason why a finding is not met.

        By default there are none.
        """
        return []
