"""The conditions on means of metrics: `mean: {nDCG@10: 0.75}` and `max_drop: {nDCG@10: 0.02}`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_relevance._text import found
from pytest_relevance.cases.gates.condition import MAX_DROP, MEAN, Condition
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.model import Gate
from pytest_relevance.cases.scalars import is_number
from pytest_relevance.cases.schema_parts import any_case, reference
from pytest_relevance.cases.values import Check, check_share
from pytest_relevance.metrics.measures import largest_score
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import needs_judgments
from pytest_relevance.metrics.similarity import SIMILARITIES

Bounds = tuple[tuple[Metric, object], ...]
"""Metrics with their bounds."""


def check_mean(value: object, at: Location) -> Bounds | Wrong:
    """Check metrics with the least that their means may be: `{nDCG@10: 0.75}`."""
    return _check_metrics(value, at, is_drop=False)


def check_max_drop(value: object, at: Location) -> Bounds | Wrong:
    """Check metrics with how far their means may drop: `{nDCG@10: 0.02}`."""
    return _check_metrics(value, at, is_drop=True)


def _check_metrics(value: object, at: Location, *, is_drop: bool) -> Bounds | Wrong:
    """Check metrics, each with the bound of its mean, or of the drop of its mean."""
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
    """Parse the name of a metric. Raises ValueError for one that cannot have such a bound."""
    metric = at.metric(name, has_bound=is_number(bound))
    if is_drop:
        advice = f"its mean is bound by {MEAN}: {{{metric.text}: 0.9}}"
        needs_judgments(metric, advice)
    return metric


def _bound_check(metric: Metric, *, is_drop: bool) -> Check:
    if largest_score(metric) <= 1:
        return check_share
    return _check_drop if is_drop else _check_any_number


def _check_any_number(value: object, at: Location) -> float | Wrong:
    if is_number(value):
        return value
    return at.refuse(f"expected a number, found {found(value)}")


def _check_drop(value: object, at: Location) -> float | Wrong:
    if is_number(value) and value >= 0:
        return value
    return at.refuse(f"expected a number from 0 on, found {found(value)}")


def describe_bounds(gate: Gate) -> str:
    """Write the metrics of a gate with their bounds: `nDCG@10 0.75, RR 0.5`."""
    parts = []
    for metric, bound in gate.bounds:
        parts.append(f"{metric.text} {bound:g}")
    return ", ".join(parts)


def _pattern_of_similarities() -> str:
    names = "|".join(any_case(name) for name in SIMILARITIES)
    return rf"^\s*(?:{names})\s*(?:[(@]|[_.][0-9]|(?!\n)$)"


_BOUNDS_SCHEMA = reference("bounds-of-metrics")

CONDITIONS: Sequence[Condition] = (
    Condition(
        name=MEAN,
        field="bounds",
        check=check_mean,
        describe=describe_bounds,
        about="The least that the mean of a metric may be: {nDCG@10: 0.75}.",
        schema=_BOUNDS_SCHEMA,
    ),
    Condition(
        name=MAX_DROP,
        field="bounds",
        check=check_max_drop,
        describe=describe_bounds,
        about="How far the mean of a metric may drop below the baseline: {nDCG@10: 0.02}.",
        schema={
            "allOf": [_BOUNDS_SCHEMA],
            "propertyNames": {"not": {"pattern": _pattern_of_similarities()}},
        },
    ),
)
