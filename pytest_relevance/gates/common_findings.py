"""Findings that gates of every kind may have: errors, no cases, no verdict."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_relevance._number_text import asked_text
from pytest_relevance._text import (
    case_in_prose,
    counted,
    first_few,
    listed,
    quoted,
)
from pytest_relevance.gates.kind import Finding
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.registry import GATES, ExtensionError
from pytest_relevance.results.case_result import ERROR, CaseResult
from pytest_relevance.results.unseen import cut_text


class CommonFinding(Finding):
    """The base class of findings that make their own sentence.

    Gates of any kind may have them. By default a gate with such a finding is not met. A
    subclass may change this.
    """

    __slots__ = ()

    kind = ""

    @property
    def is_met(self) -> bool:
        """Say whether the gate may pass with this finding."""
        return False

    @abstractmethod
    def text(self) -> str:
        """Return what was found, in a sentence."""


@dataclass(frozen=True, slots=True)
class ErrorsFinding(CommonFinding):
    """Cases without a score: all ended in an error, or none of them was searched."""

    cases: Sequence[CaseResult]

    @property
    def about(self) -> str:
        """Return the word "errors"."""
        return "errors"

    def text(self) -> str:
        """Return, for example, `2 cases ended in an error: "boots" and "hats"`."""
        count = len(self.cases)
        if self.cases[0].verdict == ERROR:
            were = counted(count, "case ended in an error", "cases ended in an error")
        else:
            were = counted(count, "case was not searched", "cases were not searched")
        return f"{were}: {named_cases(self.cases)}"


@dataclass(frozen=True, slots=True)
class MetricFinding(CommonFinding):
    """The base class of findings about a metric."""

    metric: Metric

    @property
    def about(self) -> str:
        """Return the name of the metric."""
        return self.metric.text


@dataclass(frozen=True, slots=True)
class UndefinedFinding(MetricFinding):
    """A metric for which no case has a score.

    `variant`: the search variant; None if there is only one.
    """

    variant: str | None = None

    def text(self) -> str:
        """Return, for example, `P@5 is not defined: no case has a score`."""
        name = self.metric.text
        if self.variant is not None:
            name += f" of {quoted(self.variant)}"
        return f"{name} is not defined: no case has a score"


@dataclass(frozen=True, slots=True)
class CutFinding(MetricFinding):
    """A metric that needs whole rankings, of which searches returned only parts.

    `asked`: how many results each of these searches was asked for.
    """

    asked: Sequence[int]

    def text(self) -> str:
        """Return how many results were asked for, and what to do to have all."""
        asked = asked_text(self.asked)
        cases = counted(len(self.asked), "case")
        there = f"the search was asked for {asked} in {cases}"
        return cut_text(self.metric, there, min(self.asked))


@dataclass(frozen=True, slots=True)
class NoReferenceFinding(MetricFinding):
    """A metric for which there is nothing to compare with.

    `reference`: the name of the record; empty for a baseline.
    `variants`: the two variants that the gate compares; empty if it compares none.
    """

    reference: str = ""
    variants: Sequence[str] = ()

    def text(self) -> str:
        """Return what is missing, and what to do."""
        metric = self.metric.text
        if self.variants:
            one, other = (quoted(variant) for variant in self.variants)
            return (
                f"{metric} has nothing to compare: no case ran in both {one} and "
                f"{other}"
            )
        if self.reference:
            there = f"no ranking in {self.reference}"
            return f"{metric} has {there}, or a stale one; make that record again"
        return (
            f"{metric} has no baseline, or a stale one; accept the rankings of today "
            "with --relevance-update, or compare with a record: --relevance-against=RUN"
        )


@dataclass(frozen=True, slots=True)
class WithoutEntryFinding(CommonFinding):
    """A remark: cases are left out because the reference does not have them."""

    cases: Sequence[CaseResult]

    @property
    def is_met(self) -> bool:
        """Return true: the gate may pass with this remark."""
        return True

    def text(self) -> str:
        """Return, for example, `2 cases without a baseline left out: "a" and "b"`."""
        cases = counted(len(self.cases), "case")
        return f"{cases} without a baseline left out: {named_cases(self.cases)}"


@dataclass(frozen=True, slots=True)
class NewCasesFinding(CommonFinding):
    """A remark: a gate is met, and would not be without the cases that are new.

    `new`, `known`: how many cases are new, and how many the reference has.
    `figure`: the figure over the known cases.
    `bound`: the bound that this figure misses.
    `reference`: the name of the record; empty for a baseline.
    `relation`: `below` the bound, or `above` it.
    """

    new: int
    known: int
    figure: str
    bound: str
    reference: str = ""
    relation: str = "below"

    @property
    def is_met(self) -> bool:
        """Return true: the gate may pass with this remark."""
        return True

    def text(self) -> str:
        """Return how many cases are new, and the figure without them.

        `5 cases are new; over the 15 cases that the baseline has, the value is 0.612,
        below 0.700`
        """
        new = counted(self.new, "case is new", "cases are new")
        known = counted(self.known, "case")
        reference = self.reference or "the baseline"
        return (
            f"{new}; over the {known} that {reference} has, the value is "
            f"{self.figure}, {self.relation} {self.bound}"
        )


@dataclass(frozen=True, slots=True)
class IncompleteFinding(CommonFinding):
    """There is no verdict because only `ran` of `total` cases of the file ran."""

    ran: int
    total: int

    def text(self) -> str:
        """Return, for example, `18 of 20 ran`."""
        return f"{self.ran:,} of {self.total:,} ran"


@dataclass(frozen=True, slots=True)
class UpdatingFinding(CommonFinding):
    """There is no verdict because the baseline is being replaced."""

    def text(self) -> str:
        """Return the sentence about the update of the baseline."""
        return "the baseline is being updated"


@dataclass(frozen=True, slots=True)
class NoCaseFinding(CommonFinding):
    """There is no verdict because no case of the gate ran.

    `tag`: the tag of the gate; None if it is about all cases.
    """

    tag: str | None

    def text(self) -> str:
        """Return, for example, `no case with the tag head ran`."""
        which = "case" if self.tag is None else f"case with the tag {self.tag}"
        return f"no {which} ran"


@dataclass(frozen=True, slots=True)
class NoVariantFinding(CommonFinding):
    """One of the two variants that a gate compares did not run.

    `ran`: the variants that ran.
    """

    variant: str
    ran: Sequence[str | None]

    def text(self) -> str:
        """Return, for example, `the variant "ann" did not run; "exact" did`."""
        ran = [quoted(variant) for variant in self.ran if variant]
        which = listed(ran, "and") if ran else "none"
        return f"the variant {quoted(self.variant)} did not run; {which} did"


def named_cases(cases: Sequence[CaseResult], most: int = 3) -> str:
    """Return the names of the first cases as text, and how many more there are."""
    return first_few([case_in_prose(case.id, case.query) for case in cases], most)


def finding_text(finding: Finding) -> str:
    """Return what a gate found, in a sentence."""
    if isinstance(finding, CommonFinding):
        return finding.text()
    try:
        with GATES.calling(finding.kind):
            text: str = GATES.get_or_unknown(finding.kind).explain(finding)
        GATES.check_returned(finding.kind, "explain", text, str)
        return text
    except ExtensionError as error:
        return str(error)
