"""What gates of every kind may find, with its words: errors, nothing to judge, no
verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_relevance._number_text import asked_text
from pytest_relevance._text import (
    case_in_prose,
    counted,
    first_few,
    listed,
    quoted,
)
from pytest_relevance.gates.kind import Finding, gate_kind
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.registry import GATES, ExtensionError
from pytest_relevance.results.case_result import ERROR, CaseResult
from pytest_relevance.results.scoring import cut_text


class _NotMet(Finding):
    """The base of findings that always leave a gate unmet."""

    __slots__ = ()

    @property
    def is_met(self) -> bool:
        """Whether it is as it should be."""
        return False


@dataclass(frozen=True, slots=True)
class ErrorsFinding(_NotMet):
    """Cases without a score, all for one reason: an error, or that they were not
    searched.
    """

    kind = "errors"
    cases: Sequence[CaseResult]

    @property
    def about(self) -> str:
        """What it is about."""
        return "errors"


@dataclass(frozen=True, slots=True)
class UndefinedFinding(_NotMet):
    """A metric by which no case has a score. `variant`: that of a comparison."""

    kind = "undefined"
    metric: Metric
    variant: str | None = None

    @property
    def about(self) -> str:
        """The metric."""
        return self.metric.text


@dataclass(frozen=True, slots=True)
class CutFinding(_NotMet):
    """A metric of the whole ranking, of which some searches returned a part.

    `asked`: how many results each of these searches was asked for.
    """

    kind = "cut"
    metric: Metric
    asked: Sequence[int]

    @property
    def about(self) -> str:
        """The metric."""
        return self.metric.text


@dataclass(frozen=True, slots=True)
class NoReferenceFinding(_NotMet):
    """A metric that has nothing to compare with.

    `reference`: the name of a record; empty for a baseline.
    `variants`: the two variants that should be compared, if they are.
    """

    kind = "no reference"
    metric: Metric
    reference: str = ""
    variants: Sequence[str] = ()

    @property
    def about(self) -> str:
        """The metric."""
        return self.metric.text


@dataclass(frozen=True, slots=True)
class WithoutEntryFinding(Finding):
    """Cases that the reference does not have, and that are left out."""

    kind = "without entry"
    cases: Sequence[CaseResult]

    @property
    def is_met(self) -> bool:
        """Whether it is as it should be."""
        return True


@dataclass(frozen=True, slots=True)
class IncompleteFinding(_NotMet):
    """Not all cases of the file ran."""

    kind = "incomplete"
    ran: int
    total: int


@dataclass(frozen=True, slots=True)
class UpdatingFinding(_NotMet):
    """The baseline is being replaced."""

    kind = "updating"


@dataclass(frozen=True, slots=True)
class NoCaseFinding(_NotMet):
    """No case of the gate ran. `tag`: that of the gate."""

    kind = "no case"
    tag: str | None


@dataclass(frozen=True, slots=True)
class NoVariantFinding(_NotMet):
    """A variant that should be compared did not run. `ran`: the variants that did."""

    kind = "no variant"
    variant: str
    ran: Sequence[str | None]


def finding_text(finding: Finding) -> str:
    """Say in a sentence what a gate found."""
    if finding.kind in _WORDS:
        return _WORDS[finding.kind](finding)
    try:
        with GATES.calling(finding.kind):
            return gate_kind(finding.kind).explain(finding)
    except ExtensionError as error:
        return str(error)


def some_cases(cases: Sequence[CaseResult]) -> str:
    """Name the first of some cases."""
    return first_few([case_in_prose(case.id, case.query) for case in cases])


def _errors(finding: ErrorsFinding) -> str:
    count = len(finding.cases)
    if finding.cases[0].verdict == ERROR:
        were = counted(count, "case ended in an error", "cases ended in an error")
    else:
        were = counted(count, "case was not searched", "cases were not searched")
    return f"{were}: {some_cases(finding.cases)}"


def _undefined(finding: UndefinedFinding) -> str:
    name = finding.metric.text
    if finding.variant is not None:
        name += f" of {quoted(finding.variant)}"
    return f"mean {name} is not defined: no case has a score"


def _cut(finding: CutFinding) -> str:
    asked = asked_text(finding.asked)
    there = f"the search was asked for {asked} in {counted(len(finding.asked), 'case')}"
    return cut_text(finding.metric, there, min(finding.asked))


def _no_reference(finding: NoReferenceFinding) -> str:
    metric = finding.metric.text
    if finding.variants:
        one, other = (quoted(variant) for variant in finding.variants)
        return f"{metric} has nothing to compare: no case ran in {one} and in {other}"
    if finding.reference:
        there = f"no ranking in {finding.reference}"
        return f"{metric} has {there}, or a stale one; make that record again"
    return f"{metric} has no baseline, or a stale one; run with --relevance-update"


def _without_entry(finding: WithoutEntryFinding) -> str:
    cases = counted(len(finding.cases), "case")
    return f"{cases} without a baseline left out: {some_cases(finding.cases)}"


def _incomplete(finding: IncompleteFinding) -> str:
    return f"{finding.ran:,} of {finding.total:,} ran"


def _updating(finding: UpdatingFinding) -> str:
    return "the baseline is being updated"


def _no_case(finding: NoCaseFinding) -> str:
    which = "case" if finding.tag is None else f"case with the tag {finding.tag}"
    return f"no {which} ran"


def _no_variant(finding: NoVariantFinding) -> str:
    ran = [quoted(variant) for variant in finding.ran if variant]
    which = listed(ran, "and") if ran else "none"
    return f"the variant {quoted(finding.variant)} did not run; {which} did"


_WORDS: Mapping[str, Callable[[Any], str]] = {
    ErrorsFinding.kind: _errors,
    UndefinedFinding.kind: _undefined,
    CutFinding.kind: _cut,
    NoReferenceFinding.kind: _no_reference,
    WithoutEntryFinding.kind: _without_entry,
    IncompleteFinding.kind: _incomplete,
    UpdatingFinding.kind: _updating,
    NoCaseFinding.kind: _no_case,
    NoVariantFinding.kind: _no_variant,
}
