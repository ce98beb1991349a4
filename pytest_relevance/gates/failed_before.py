"""Decide whether a gate that is not met failed before: in the baseline, or a record.

A gate failed before if both are true:

- Over the cases that this run and the reference have, the figure of the reference
  misses the bound too, and the figure now is not lower.
- The figure over all cases now is not below the figure of the reference over all its
  cases.

So a new or a removed case can neither hide that search got worse, nor make a known
failure look new.

A kind of gate calls `figure_before` if the gate is not met. The kind defines the value
of a case (`ValuesOfCases`), and the figure that is made of these values: for example
their mean, or the share of cases that pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pytest_relevance._number_text import score_text
from pytest_relevance._text import counted
from pytest_relevance.cases.model import Gate
from pytest_relevance.gates.kind import CaseBehind, Reference, is_about
from pytest_relevance.metrics.measures import is_lower_better
from pytest_relevance.metrics.metric import ROUNDING
from pytest_relevance.metrics.names import metric_named
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.compare.differences import has_relevant, score_before
from pytest_relevance.results.records.run_info import AcceptedCase

Weighted = tuple[float, float]
"""A value of a case, and the weight of the case."""

Figure = Callable[[Sequence[Weighted]], float]
"""Makes one figure of weighted values, for example their mean.

There is at least one value.
"""


class NotKnown(Exception):
    """Raised if the reference does not have what a gate needs of a case."""


class ValuesOfCases(Protocol):
    """How a gate finds the value of a case, now and in the reference.

    A value is None if the case has none.
    """

    def now(self, result: CaseResult) -> float | None:
        """Return the value of a case in this run; None if it has none."""

    def before(self, result: CaseResult) -> float | None:
        """Return the value of the accepted ranking by the judgments of today.

        None if the case has none.
        """

    def when_accepted(self, case: AcceptedCase) -> float | None:
        """Return the value in the reference. Raises `NotKnown` if it is not there."""


@dataclass(frozen=True, slots=True)
class CaseValue:
    """The value of a case for a gate, in the reference and now, with its weights.

    A gate makes its figure of such values, for example of the nDCG@10 of each case.

    `before`, `now`: None if the case has no value there.
    `weight_of_change`: the weight of the case in figures that compare both values.
    """

    before: float | None
    now: float | None
    weight_before: float
    weight_now: float
    weight_of_change: float


@dataclass(frozen=True, slots=True)
class GateValues:
    """The values of the cases that a gate is about, in the reference and now."""

    cases: Sequence[CaseValue]

    @property
    def only_now(self) -> int:
        """Return how many cases have a value now, but none in the reference."""
        return sum(1 for case in self.cases if case.before is None)

    @property
    def only_before(self) -> int:
        """Return how many cases have a value in the reference, but none now."""
        return sum(1 for case in self.cases if case.now is None)

    def all_before(self) -> list[Weighted]:
        """Return the values and weights of all cases of the reference."""
        values = []
        for case in self.cases:
            if case.before is not None:
                values.append((case.before, case.weight_before))
        return values

    def all_now(self) -> list[Weighted]:
        """Return the values and weights of all cases in this run."""
        values = []
        for case in self.cases:
            if case.now is not None:
                values.append((case.now, case.weight_now))
        return values

    def of_both(self) -> tuple[list[Weighted], list[Weighted]]:
        """Return the values before and the values now, of the cases that have both.

        The weights in both lists are those for a comparison.
        """
        before, now = [], []
        for case in self.cases:
            if case.before is not None and case.now is not None:
                before.append((case.before, case.weight_of_change))
                now.append((case.now, case.weight_of_change))
        return before, now


def collect_values(
    gate: Gate,
    values: ValuesOfCases,
    results: Iterable[CaseResult],
    accepted: Iterable[AcceptedCase],
) -> GateValues:
    """Return the values of the cases that a gate is about, now or in the reference.

    In the reference, a case counts with the tags and the weight that it has there. So a
    case cannot leave a gate unseen by losing its tag or its weight.

    Raises:
        NotKnown: the reference does not have a value, or a tag or weight.
    """
    only_before = {(case.id, case.variant): case for case in accepted}
    cases = []
    for result in results:
        then = None
        if values.before(result) is not None:
            then = only_before.pop((result.id, result.variant), None)
        value = _value_of_result(gate, values, result, then)
        if value is not None:
            cases.append(value)
    for case in only_before.values():
        value = _value_before(gate, values, case)
        if value is not None:
            cases.append(value)
    return GateValues(cases)


def _value_of_result(
    gate: Gate, values: ValuesOfCases, result: CaseResult, then: AcceptedCase | None
) -> CaseValue | None:
    """Return the value of a case of this run; None if it has none, now and before.

    `then`: the case in the reference; None if it is not compared, or not known.
    """
    tags, weight = result.tags, result.weight
    if then is not None and then.weight is not None:
        tags, weight = then.tags, then.weight
    before = values.before(result) if is_about(gate, tags) else None
    now = values.now(result) if is_about(gate, result.tags) else None
    if before is None and now is None:
        return None
    return CaseValue(
        before=before,
        now=now,
        weight_before=weight,
        weight_now=result.weight,
        weight_of_change=result.weight_of_change,
    )


def _value_before(
    gate: Gate, values: ValuesOfCases, case: AcceptedCase
) -> CaseValue | None:
    """Return the value of a case that only the reference has; None if it has none.

    Raises `NotKnown` if the reference does not have its weight and tags, or its value.
    """
    if case.weight is None:  # then the tags are not known either
        raise NotKnown
    if not is_about(gate, case.tags):
        return None
    before = values.when_accepted(case)
    if before is None:
        return None
    return CaseValue(
        before=before,
        now=None,
        weight_before=case.weight,
        weight_now=case.weight,
        weight_of_change=case.weight,
    )


@dataclass(frozen=True, slots=True)
class FigureBefore:
    """The figure of the reference, for a gate that is not met now.

    `reference`: the name of the record; empty for a baseline.
    `figure`: over all cases of the reference; None if it has none.
    `only_now`, `only_before`: how many cases only this run, or only the reference, has.
    `is_known`: whether the reference misses the bound at least as badly.
    """

    reference: str
    figure: float | None
    only_now: int
    only_before: int
    is_known: bool

    def text(self, digits: int, *, is_share: bool = False) -> str:
        """Return, for example, `; 0.850 in main.jsonl (50 cases are only here)`.

        The result is empty if the reference has no figure.

        `digits`: the decimals of the figure.
        `is_share`: whether the figure is a share, which is written in percent.
        """
        if self.figure is None:
            return ""
        figure = f"{self.figure:.{digits}f}"
        if is_share:
            figure = f"{100 * self.figure:.{digits}f}%"
        alone = []
        for count, where in ((self.only_now, "here"), (self.only_before, "there")):
            if count:
                alone.append(f"{counted(count, 'case is', 'cases are')} only {where}")
        said = f"; {figure} in {self.reference or 'the baseline'}"
        return f"{said} ({', '.join(alone)})" if alone else said


def figure_before(
    gate: Gate,
    values: ValuesOfCases,
    figure: Figure,
    bound: float,
    reference: Reference,
) -> FigureBefore | None:
    """Return the figure of the reference for a gate that is not met.

    None if gates that failed before are not expected to fail, or if the reference does
    not have all values.

    `figure`: the function from weighted values to the figure.
    `bound`: the least figure that meets the gate.
    """
    if not reference.expects_known:
        return None
    try:
        both = collect_values(gate, values, reference.results, reference.accepted)
    except NotKnown:
        return None
    before = both.all_before()
    return FigureBefore(
        reference=reference.name,
        figure=figure(before) if before else None,
        only_now=both.only_now,
        only_before=both.only_before,
        is_known=failed_before(both, figure, bound),
    )


def failed_before(both: GateValues, figure: Figure, bound: float) -> bool:
    """Say whether a gate that is not met now failed before at least as badly.

    For example, the gate is a mean of at least 0.8. Over the cases of both it was 0.7
    and is 0.72. Over all cases it was 0.75:

    - If it is 0.76 now, the gate failed before.
    - If it is 0.74 now, the new cases made it worse: the gate did not fail before.

    `bound`: the least figure that meets the gate.
    """
    before, _ = both.of_both()
    if not before:
        return False
    if figure(before) >= bound - ROUNDING or has_fallen(both, figure):
        return False
    return figure(both.all_now()) >= figure(both.all_before()) - ROUNDING


def has_fallen(both: GateValues, figure: Figure) -> bool:
    """Say whether the figure is lower now, over the cases that have both values."""
    before, now = both.of_both()
    return bool(before) and figure(now) < figure(before) - ROUNDING


def fallen_cases(metric: str, results: Iterable[CaseResult]) -> list[CaseBehind]:
    """Return the cases whose score got worse. The pull is the weight times the fall.

    If a lower score is better, a score that rose got worse.
    """
    fallen = []
    for result in results:
        now = result.evaluation.scores.get(metric)
        before = score_before(result, metric)
        if now is None or before is None:
            continue
        fall = now - before if is_lower_better(metric_named(metric)) else before - now
        if fall >= ROUNDING and has_relevant(result, metric):
            pull = result.weight_of_change * fall
            shown = f"{score_text(before)} -> {score_text(now)}"
            fallen.append(CaseBehind(result, pull, shown))
    return fallen
