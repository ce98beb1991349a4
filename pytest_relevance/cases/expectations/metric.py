"""`P@5: 0.6` and `overlap@10: 0.8`: a metric with a bound."""

from __future__ import annotations

import re

from pytest_relevance.cases.bounds import COMPARISON, SCORE, SHARE
from pytest_relevance.cases.expectations.kind import Made
from pytest_relevance.cases.location import WRONG, Location
from pytest_relevance.cases.model import SIMILARITY, Expectation
from pytest_relevance.cases.scalars import is_number
from pytest_relevance.metrics.measures import largest_score


def check_metric(key: str, value: object, at: Location) -> Made:
    """Check `0.6`, at least that much, or a comparison such as `">= 0.6"`.

    Raises:
        ValueError: the key is not a metric.
    """
    metric = at.metric(key, has_bound=is_number(value) or is_comparison(value))
    kind = SHARE if largest_score(metric) <= 1 else SCORE
    example = f'{metric.text}: 0.6 or {metric.text}: ">= 0.6"'
    bound = kind.check(value, at, example=example)
    if bound is WRONG:
        return WRONG
    expected = Expectation(
        kind=SIMILARITY if metric.is_similarity else "metric",
        written=key,
        metric=metric,
        comparison=bound.comparison,
        bound=bound.value,
    )
    return [expected]


def is_comparison(value: object) -> bool:
    """Whether a value is text like `>= 0.6`."""
    return isinstance(value, str) and re.fullmatch(COMPARISON, value) is not None
