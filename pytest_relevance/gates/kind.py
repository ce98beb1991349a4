"""What a kind of gate is: a row with all that the program knows of it; and what gates
find.

`pytest_relevance.registry.GATES` has the rows by name. To add a kind to the package,
write a row in a module of this folder and name it in `bundled.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pytest_relevance.cases.location import Location
from pytest_relevance.cases.model import UNKNOWN, Gate
from pytest_relevance.cases.schema_parts import Schema
from pytest_relevance.registry import GATES
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.records.run_info import AcceptedCase
from pytest_relevance.results.records.uncompared import UncomparedCase


class Finding(ABC):
    """Something that a gate found. Each kind of finding is a dataclass with what
    belongs to it.

    `kind`: the name of the kind of gate whose `explain` has the words, or one of those
    in `gates.findings`.
    """

    __slots__ = ()

    kind: ClassVar[str]

    @property
    @abstractmethod
    def is_met(self) -> bool:
        """Whether it is as it should be."""

    @property
    def is_known(self) -> bool:
        """Whether the reference missed it before, by no less, and that is expected."""
        return False

    @property
    def about(self) -> str:
        """The metric, "passing", "latency" or "errors"; empty for a remark."""
        return ""


@dataclass(frozen=True, slots=True)
class Reference:
    """What the cases of a gate are compared with: a baseline or the record of another
    run.

    `name`: that of the record; empty for a baseline.
    `results`: all results of the file in the variant of the gate.
    `lost`: the cases of the reference that the gate looks at and that are not compared.
    `accepted`: the cases of the reference.
    `expects_known`: whether gates that failed before are expected to fail
        (`--relevance-known=xfail`).
    """

    name: str = ""
    results: Sequence[CaseResult] = ()
    lost: Sequence[UncomparedCase] = ()
    accepted: Sequence[AcceptedCase] = ()
    expects_known: bool = False


@dataclass(frozen=True, slots=True)
class CaseBehind:
    """A case because of which a gate is not met.

    `pull`: how much it counts; those with the most are shown first.
    `shown`: the figure that is shown with it.
    """

    result: CaseResult
    pull: float
    shown: str


def no_cases(
    gate: Gate, finding: Any, results: Sequence[CaseResult]
) -> list[CaseBehind]:
    """Say that no single cases are behind a finding."""
    return []


def written_value(gate: Gate) -> str:
    """Write the value of a gate, for the id of a gate without one."""
    return str(gate.value)


@dataclass(frozen=True, slots=True)
class GateKind:
    """A kind of gate.

    The case file:

    `name`: the key of a gate.
    `check`: makes what the gate needs of the value, or refuses the value by
    `Location.refuse`.
    `gate_field`: the field of `Gate` that has what `check` makes; by default `value`.
    `describe`: writes it, for the id of a gate without one.
    `about`, `schema`: describe the key in an editor, and the JSON Schema of the value.
        By default any value is allowed.

    The run:

    `judge`: judges the cases that a gate looks at, beside the reference.
    `needs_latency`: whether the searches have to be called alone and measured.
    `needs_reference`: whether there is nothing to judge without a reference.
    `may_be_known`: whether a gate may have failed before. It then needs the scores of
        the accepted rankings.
    `needs_missed`: whether it needs to know which accepted rankings miss their demands.

    The words:

    `explain`: says in a sentence what was found.
    `cases_behind`: finds the cases because of which a finding is not met.
    `cases_title`: what stands above these cases.
    """

    name: str
    check: Callable[[object, Location], object]
    judge: Callable[[Gate, Sequence[CaseResult], Reference], Iterable[Finding]]
    explain: Callable[[Any], str]
    gate_field: str = "value"
    describe: Callable[[Gate], str] = written_value
    about: str = ""
    schema: Schema = field(default_factory=dict)
    needs_latency: bool = False
    needs_reference: bool = False
    may_be_known: bool = False
    needs_missed: bool = False
    cases_behind: Callable[[Gate, Any, Sequence[CaseResult]], list[CaseBehind]] = (
        no_cases
    )
    cases_title: str = ""


def gate_kind(name: str) -> GateKind:
    """Find a kind of gate; `UNKNOWN` if the package that added it is not installed."""
    kind: GateKind = GATES.get(name if name in GATES else UNKNOWN)
    return kind
