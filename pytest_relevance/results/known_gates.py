"""Whether a gate that is not met failed before: one rule for every kind of gate.

A gate failed before if, over the cases that both have, the reference misses it too and
the value now is not lower, and if the value over all cases now is not below the value of
the reference over all its cases. So neither a new case nor one that is gone can hide that
search got worse, or make a known failure a new one.

A kind of gate says what value a case has for it (`ValuesOfCases`), and what figure these
values have together: the mean, the share that passes, the least, a percentile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pytest_relevance.cases.model import Gate
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.results import case_result
from pytest_relevance.results.case_parts import WITHOUT_COMPARISON
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.compare import differences
from pytest_relevance.results.compare.differences import TIE
from pytest_relevance.results.records.run_info import AcceptedCase

Weighted = tuple[float, float]
"""A value of a case, and the weight of the case."""

Figure = Callable[[Sequence[Weighted]], float]
"""What some values have together, for example their mean; there is at least one value."""


class NotKnown(Exception):
    """Raised for a case of the reference if the reference does not keep its value."""


class ValuesOfCases(Protocol):
    """The values that cases have for a gate; None for a case that has none."""

    def now(self, result: CaseResult) -> float | None:
        """The value of a case in this run."""

    def before(self, result: CaseResult) -> float | None:
        """The value of the accepted ranking under the judgments and demands of today."""

    def that_day(self, case: AcceptedCase) -> float | None:
        """The value of a case in the reference; may raise `NotKnown`."""


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of cases by a metric."""

    metric: Metric

    def now(self, result: CaseResult) -> float | None:
        """The score of a case that the mean of the metric is over."""
        if not differences.has_relevant(result, self.metric.text):
            return None
        return result.evaluation.scores.get(self.metric.text)

    def before(self, result: CaseResult) -> float | None:
        """The score of the accepted ranking under the judgments of today."""
        return differences.score_before(result, self.metric.text)

    def that_day(self, case: AcceptedCase) -> float | None:
        """The score that the reference has."""
        if self.metric.text not in case.scores:
            raise NotKnown
        return case.scores[self.metric.text]


@dataclass(frozen=True, slots=True)
class Passes:
    """1 for a case that passes and 0 for any other; none for one that has nothing to pass."""

    passes: Callable[[CaseResult], bool]
    has_nothing_to_pass: Callable[[CaseResult], bool]

    def now(self, result: CaseResult) -> float | None:
        """Whether a case passes."""
        if self.has_nothing_to_pass(result):
            return None
        return float(self.passes(result))

    def before(self, result: CaseResult) -> float | None:
        """Whether the accepted ranking passes; it does unless it is known to miss a demand."""
        baseline = result.baseline
        if baseline is None or baseline.standing in WITHOUT_COMPARISON:
            return None
        if self.has_nothing_to_pass(result):
            return None
        return float(not baseline.missed)

    def that_day(self, case: AcceptedCase) -> float | None:
        """Whether a case passed when it was accepted."""
        if case.missed is None:
            return None
        return float(not case.missed)


@dataclass(frozen=True, slots=True)
class GateCase:
    """The values and weights of a case, in the reference and now; None without a value."""

    before: float | None
    now: float | None
    weight_before: float
    weight_now: float


@dataclass(frozen=True, slots=True)
class GateSides:
    """The cases that a gate looks at, in the reference or now."""

    cases: Sequence[GateCase]

    @property
    def only_now(self) -> int:
        """How many cases have a value now, and none in the reference."""
        return sum(case.before is None for case in self.cases)

    @property
    def only_before(self) -> int:
        """How many cases have a value in the reference, and none now."""
        return sum(case.now is None for case in self.cases)

    def all_before(self) -> list[Weighted]:
        """The values of the reference, of all its cases."""
        return [
            (case.before, case.weight_before)
            for case in self.cases
            if case.before is not None
        ]

    def all_now(self) -> list[Weighted]:
        """The values of all cases now."""
        return [
            (case.now, case.weight_now) for case in self.cases if case.now is not None
        ]

    def of_both(self) -> tuple[list[Weighted], list[Weighted]]:
        """The values of the cases that both have, before and now, with the weights of now."""
        before, now = [], []
        for case in self.cases:
            if case.before is not None and case.now is not None:
                before.append((case.before, case.weight_now))
                now.append((case.now, case.weight_now))
        return before, now


def sides_of(
    gate: Gate,
    values: ValuesOfCases,
    results: Iterable[CaseResult],
    accepted: Iterable[AcceptedCase],
) -> GateSides:
    """The cases that a gate looks at, now or in the reference.

    A tag or a weight of the reference decides what its cases count there, so that a case
    does not leave a gate unseen by losing its tag or its weight. Raises `NotKnown` if the
    reference does not keep what this needs.
    """
    rest = {(case.id, case.variant): case for case in accepted}
    found: list[GateCase] = []
    for result in results:
        now = values.now(result) if _is_about(gate, result.tags) else None
        before = values.before(result)
        if before is None:  # it is not compared: what the reference has stands alone
            if now is not None:
                found.append(GateCase(None, now, result.weight, result.weight))
            continue
        then = rest.pop((result.id, result.variant), None)
        tags, weight = result.tags, result.weight
        if then is not None and then.weight is not None:
            tags, weight = then.tags, then.weight
        if not _is_about(gate, tags):
            before = None
        if before is not None or now is not None:
            found.append(GateCase(before, now, weight, result.weight))
    for case in rest.values():
        if case.weight is None:  # nor are its tags known
            raise NotKnown
        if not _is_about(gate, case.tags):
            continue
        before = values.that_day(case)
        if before is not None:
            found.append(GateCase(before, None, case.weight, case.weight))
    return GateSides(found)


def _is_about(gate: Gate, tags: Sequence[str]) -> bool:
    return gate.tag is None or gate.tag in tags


def failed_before(sides: GateSides, figure: Figure, bound: float) -> bool:
    """Whether a gate that is not met was missed in the reference, by no less.

    `bound` is the least figure that meets the gate.
    """
    before, _ = sides.of_both()
    if not before:
        return False
    if figure(before) >= bound - TIE or has_fallen(sides, figure):
        return False
    return figure(sides.all_now()) >= figure(sides.all_before()) - TIE


def has_fallen(sides: GateSides, figure: Figure) -> bool:
    """Whether the figure is lower now, over the cases that both have."""
    before, now = sides.of_both()
    return bool(before) and figure(now) < figure(before) - TIE


def mean(values: Sequence[Weighted]) -> float:
    """The weighted mean."""
    return case_result.weighted_mean(values)


def share(values: Sequence[Weighted]) -> float:
    """The share of cases that pass, whatever their weights."""
    return sum(value for value, _ in values) / len(values)
