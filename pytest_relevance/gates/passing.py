"""`passing: 0.95`: at least this share of the cases pass.

Every case counts once, whatever its weight. If queries were drawn from a file, weights
count, so that the share estimates that of the whole file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from pytest_relevance._number_text import score_text
from pytest_relevance._text import counted, found
from pytest_relevance.cases.location import Location, Wrong
from pytest_relevance.cases.model import Gate
from pytest_relevance.cases.scalars import is_number
from pytest_relevance.cases.schema_parts import Schema
from pytest_relevance.gates.common_findings import NewCasesFinding
from pytest_relevance.gates.failed_before import (
    Figure,
    FigureBefore,
    Weighted,
    figure_before,
)
from pytest_relevance.gates.kind import (
    CaseBehind,
    Finding,
    GateFigures,
    GateKind,
    Reference,
)
from pytest_relevance.gates.metric_bounds import digits_beside
from pytest_relevance.metrics.metric import ROUNDING
from pytest_relevance.results.case_parts import WITHOUT_COMPARISON
from pytest_relevance.results.case_result import (
    MEASURED,
    PASSED,
    WITHOUT_SCORE,
    CaseResult,
    has_sampled,
    weighted_mean,
)
from pytest_relevance.results.compare.differences import score_before
from pytest_relevance.results.records.run_info import AcceptedCase

_PASSING = frozenset({PASSED, MEASURED, "xpassed"})


@dataclass(frozen=True, slots=True)
class PassingFinding(Finding):
    """How many of the cases that can fail pass, beside the share that has to.

    `passing`: how many pass.
    `share`: the share that has to pass, from 0 to 1.
    `counted`: how many cases can fail.
    `total`: how many cases there are.
    `weighted_share`: the share that passes by weight, if queries were drawn; else None.
    `before`: the share in the reference; None if it is not needed or not known.
    """

    kind = "passing"
    passing: int
    share: float
    counted: int
    total: int
    weighted_share: float | None = None
    before: FigureBefore | None = None

    @property
    def is_met(self) -> bool:
        """Say whether enough cases pass. False if no case can fail."""
        if not self.counted:
            return False
        if self.weighted_share is not None:
            return self.weighted_share >= self.share - ROUNDING
        return self.passing >= self.share * self.counted - ROUNDING

    @property
    def is_known(self) -> bool:
        """Say whether the reference missed the share at least as badly."""
        return self.before is not None and self.before.is_known

    @property
    def about(self) -> str:
        """Return the word "passing"."""
        return "passing"

    @property
    def figures(self) -> GateFigures:
        """Return the share that passes, and the share that has to pass.

        If queries were drawn, the share is by weight.
        """
        share = self.weighted_share
        if share is None and self.counted:
            share = self.passing / self.counted
        return GateFigures(
            value=share,
            bound=self.share,
            counted=self.counted,
            total=self.total,
        )


def passes(result: CaseResult) -> bool:
    """Say whether a case passed, was only measured, or passed unexpectedly."""
    return result.outcome in _PASSING


def _is_only_measured(result: CaseResult) -> bool:
    """Say whether a case cannot fail: no floor, no expectation, no accepted score."""
    if result.verdict != MEASURED:
        return False
    return result.score is None or score_before(result) is None


@dataclass(frozen=True, slots=True)
class _PassingCases:
    """The value of a case for the gate: 1 if it passes, 0 if it fails, else None.

    None means that the case cannot fail.
    """

    def now(self, result: CaseResult) -> float | None:
        if _is_only_measured(result):
            return None
        return float(passes(result))

    def before(self, result: CaseResult) -> float | None:
        baseline = result.baseline
        if baseline is None or baseline.standing in WITHOUT_COMPARISON:
            return None
        if _is_only_measured(result):
            return None
        return float(not baseline.missed)

    def when_accepted(self, case: AcceptedCase) -> float | None:
        if case.missed is None:
            return None
        return float(not case.missed)


def _share_of(values: Sequence[Weighted]) -> float:
    """Return the share of cases that pass, each counted once."""
    return sum(value for value, _ in values) / len(values)


def _figure_for(cases: Sequence[CaseResult]) -> Figure:
    """Return the function that makes the share: by weight if queries were drawn."""
    return weighted_mean if has_sampled(cases) else _share_of


def _passing_now(cases: Iterable[CaseResult]) -> list[Weighted]:
    """Return 1 for each case that passes and 0 for each other, with its weight."""
    return [(float(passes(case)), case.weight) for case in cases]


def _without_new(
    share: float, can_fail: Sequence[CaseResult], reference: Reference
) -> Iterator[NewCasesFinding]:
    """Yield a remark if the gate is met only because of new cases."""
    known = reference.known(can_fail)
    if not known:
        return
    figure = _figure_for(can_fail)
    found, least = 100 * figure(_passing_now(known)), 100 * share
    if found >= least - ROUNDING:
        return
    yield NewCasesFinding(
        new=len(can_fail) - len(known),
        known=len(known),
        figure=f"{found:.{digits_beside(found, least, 1)}f}%",
        bound=f"{least:.10g}%",
        reference=reference.name,
    )


class _PassingGate(GateKind):
    """`passing: 0.95`: the share of passing cases among the cases that can fail."""

    name = "passing"
    gate_field = "share"
    about = "The share of cases that must pass."
    schema: ClassVar[Schema] = {
        "type": "number",
        "exclusiveMinimum": 0,
        "maximum": 1,
    }
    may_be_known = True
    needs_missed = True
    cases_title = "not passed, the lowest first"

    def check(self, value: object, at: Location) -> float | Wrong:
        if is_number(value) and 0 < value <= 1:
            return value
        return at.refuse(
            "expected the share of cases that must pass, above 0 and up to 1, "
            f"found {found(value)}"
        )

    def describe(self, gate: Gate) -> str:
        return f"{gate.share:g}"

    def implies(self, now: Gate, before: Gate) -> bool:
        return now.share >= before.share

    def judge(
        self, gate: Gate, cases: Sequence[CaseResult], reference: Reference
    ) -> Iterator[PassingFinding | NewCasesFinding]:
        """Yield how many cases pass; if too few, also the share in the reference."""
        can_fail = [case for case in cases if not _is_only_measured(case)]
        weighted_share = None
        if has_sampled(can_fail):
            weighted_share = weighted_mean(_passing_now(can_fail))
        finding = PassingFinding(
            passing=sum(1 for case in can_fail if passes(case)),
            share=gate.share,
            counted=len(can_fail),
            total=len(cases),
            weighted_share=weighted_share,
        )
        if not finding.is_met:
            before = figure_before(
                gate,
                _PassingCases(),
                figure=_figure_for(can_fail),
                bound=gate.share,
                reference=reference,
            )
            finding = replace(finding, before=before)
        yield finding
        if finding.is_met:
            yield from _without_new(gate.share, can_fail, reference)

    def explain(self, finding: PassingFinding) -> str:
        """Return, for example, `18 of 20 cases pass (90.0%), less than 95%`."""
        measured = finding.total - finding.counted
        were = f"{counted(measured, 'case was', 'cases were')} only measured"
        if not finding.counted:
            return f"no case has a floor or an expectation: {were}"
        share, least = 100 * finding.passing / finding.counted, 100 * finding.share
        by_weight = ""
        if finding.weighted_share is not None:
            share, by_weight = 100 * finding.weighted_share, " by weight"
        digits = digits_beside(share, least, 1)
        relation = "at least" if finding.is_met else "less than"
        text = (
            f"{finding.passing:,} of {finding.counted:,} cases pass "
            f"({share:.{digits}f}%{by_weight}), {relation} {least:.10g}%"
        )
        if finding.before is not None:
            text += finding.before.text(digits, is_share=True)
        return f"{text}; {were}" if measured else text

    def cases_behind(
        self, gate: Gate, finding: Finding, results: Sequence[CaseResult]
    ) -> list[CaseBehind]:
        """Return the cases that fail, the lowest score first."""
        behind = []
        for result in results:
            if result.verdict not in WITHOUT_SCORE and not passes(result):
                score = result.score
                pull = 0.0 if score is None else -score
                behind.append(CaseBehind(result, pull, score_text(score)))
        return behind


PASSING_GATE = _PassingGate()
