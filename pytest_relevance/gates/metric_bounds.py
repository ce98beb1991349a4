"""What all gates on metrics need: their bounds, and the cases without a score.

Bounds are checked when a case file is read. Cases are counted when a run has ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_relevance._number_text import asked_text, digits_apart
from pytest_relevance._text import found
from pytest_relevance.cases.bounds import MOST
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.model import MEAN, Gate
from pytest_relevance.cases.scalars import is_number
from pytest_relevance.cases.schema_parts import reference
from pytest_relevance.cases.values import Check, check_share
from pytest_relevance.gates.common_findings import CutFinding
from pytest_relevance.gates.kind import GateKind
from pytest_relevance.metrics.measures import (
    is_lower_better,
    largest_score,
    ranks_needed,
    suits_known_items,
)
from pytest_relevance.metrics.metric import ROUNDING, Metric
from pytest_relevance.metrics.names import refuse_lower_better, refuse_similarity
from pytest_relevance.results.case_result import (
    SKIPPED,
    WITHOUT_SCORE,
    CaseResult,
)

Bounds = tuple[tuple[Metric, object], ...]
"""Metrics with their bounds."""

BOUNDS_SCHEMA = reference("bounds-of-metrics")


def check_metrics(value: object, at: Location, *, is_drop: bool) -> Bounds | Wrong:
    """Return metrics with their bounds, or report mistakes.

    `is_drop`: whether the bounds are for the drop of a mean, not for a mean.
    """
    if not isinstance(value, Mapping) or not value:
        return at.refuse(
            "expected metrics and their bounds, such as "
            f"{{nDCG@10: 0.75}}, found {found(value)}"
        )
    bounds: dict[str, tuple[Metric, object]] = {}
    is_wrong = False
    for name, bound in value.items():
        try:
            metric = _metric_named(name, bound, at, is_drop=is_drop)
        except ValueError as error:
            at.refuse(str(error), str(name), at_key=True)
            is_wrong = True
            continue
        if metric.text in bounds:
            message = f"{metric.text} stands twice; keep one of them"
            at.refuse(message, str(name), at_key=True)
            is_wrong = True
        check = _bound_check(metric, is_drop=is_drop)
        checked = check(bound, at.under(str(name)))
        if checked is WRONG:
            is_wrong = True
        bounds[metric.text] = (metric, checked)
    return WRONG if is_wrong else tuple(bounds.values())


def _metric_named(name: str, bound: object, at: Location, *, is_drop: bool) -> Metric:
    """Return the metric with a name. Raises ValueError if it cannot have this bound."""
    metric = at.metric(name, has_bound=is_number(bound))
    if is_drop:
        advice = f"its mean is bound by {MEAN}: {{{metric.text}: 0.9}}"
        refuse_similarity(metric, advice)
        refuse_lower_better(metric)
    return metric


def _bound_check(metric: Metric, *, is_drop: bool) -> Check:
    """Return the check of the bound of a metric, by the scores that it can have."""
    if is_lower_better(metric):
        return _check_most
    if largest_score(metric) <= 1:
        return check_share
    return _check_drop if is_drop else _check_any_number


def _check_any_number(value: object, at: Location) -> float | Wrong:
    if is_number(value):
        return value
    return at.refuse(f"expected a number, found {found(value)}")


def _check_most(value: object, at: Location) -> float | Wrong:
    """Return the most that a mean may be: `12000` or `<= 12000`."""
    bound = MOST.check(value, at, example='"<= 12000"')
    if bound is WRONG:
        return WRONG
    if bound.comparison != "<=":
        return at.refuse(f"expected a comparison with <=, found {found(value)}")
    return bound.value


def _check_drop(value: object, at: Location) -> float | Wrong:
    if is_number(value) and value >= 0:
        return value
    return at.refuse(f"expected a number from 0 on, found {found(value)}")


def misses_bound(metric: Metric, figure: float, bound: float) -> bool:
    """Say whether a figure of scores misses its bound by more than rounding.

    The bound is the least allowed figure; if a lower score is better, the greatest.
    """
    if is_lower_better(metric):
        return figure > bound + ROUNDING
    return figure < bound - ROUNDING


def bounds_by_metric(gate: Gate) -> dict[str, float]:
    """Return the bounds of a gate by the names of its metrics."""
    return {metric.text: bound for metric, bound in gate.bounds}


def cut_findings(gate: Gate, cases: Sequence[CaseResult]) -> dict[Metric, CutFinding]:
    """Return a finding for each metric that needs more results than were returned."""
    findings = {}
    for metric, _ in gate.bounds:
        asked = []
        for case in cases:
            if _is_cut(case, metric):
                asked.append(case.conditions.depth or case.conditions.k)
        if asked:
            findings[metric] = CutFinding(metric, asked)
    return findings


def _is_cut(case: CaseResult, metric: Metric) -> bool:
    """Say whether a metric has no score because the search returned too few results."""
    if not case.is_cut or metric.text in case.evaluation.scores:
        return False
    if case.verdict in WITHOUT_SCORE:
        return False
    return ranks_needed(metric, case.conditions.settings) is None


def count_without_errors(cases: Sequence[CaseResult]) -> int:
    """Return how many cases were neither skipped nor ended in an error."""
    return sum(1 for case in cases if case.verdict not in (*WITHOUT_SCORE, SKIPPED))


def cases_for_metric(
    metric: Metric, cases: Sequence[CaseResult]
) -> Sequence[CaseResult]:
    """Return the cases that count for a metric.

    Known items count only if the metric suits known items.
    """
    if suits_known_items(metric):
        return cases
    return [case for case in cases if not case.is_known_item]


def digits_beside(value: float, bound: float, least: int = 3) -> int:
    """Return how many decimals it takes to see that a figure and a bound differ.

    `least` if the two are equal up to rounding.
    """
    if abs(value - bound) <= ROUNDING:
        return least
    return digits_apart(value, bound, least)


def name_with_depths(metric: Metric, depths: Sequence[int]) -> str:
    """Return the name of a metric with the depths that are set: `AP (depth 100)`."""
    return f"{metric.text} (depth {asked_text(depths)})" if depths else metric.text


class BoundsGate(GateKind):
    """A kind of gate with a bound for each of its metrics: `{nDCG@10: 0.75}`."""

    gate_field = "bounds"
    schema = BOUNDS_SCHEMA

    def check(self, value: object, at: Location) -> Bounds | Wrong:
        """Return the metrics with their bounds, or report mistakes."""
        return check_metrics(value, at, is_drop=False)

    def describe(self, gate: Gate) -> str:
        """Return the metrics with their bounds: `nDCG@10 0.75, RR 0.5`."""
        parts = []
        for metric, bound in gate.bounds:
            sign = "<= " if is_lower_better(metric) else ""
            parts.append(f"{metric.text} {sign}{bound:g}")
        return ", ".join(parts)

    def implies(self, now: Gate, before: Gate) -> bool:
        """Say whether each earlier metric still has a bound, as strict or stricter."""
        bounds = bounds_by_metric(now)
        for metric, bound in before.bounds:
            if metric.text not in bounds:
                return False
            if misses_bound(metric, bounds[metric.text], bound):
                return False
        return True
