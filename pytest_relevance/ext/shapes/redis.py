"""What redis-py returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_relevance.results.responses.incomplete import SIGNS, Sign, checked, is_set
from pytest_relevance.results.responses.reading import ReadOptions
from pytest_relevance.results.responses.shapes import ResponseShape, of_type
from pytest_relevance.results.responses.values import is_a

REDIS_SIGNS = (
    Sign("Redis", ("warnings",), is_set, "the search was cut off"),
    Sign("Redis", ("warning",), is_set, "the search was cut off"),
)
"""The signs of a response of Redis. Other engines warn of other things."""

_RESULTS_OF_REDIS = {
    "Result": "docs",
    "AggregateResult": "rows",
    "HybridResult": "results",
}
"""The attribute with the results, by the type of a response."""


def _read_redis(response: Any, options: ReadOptions) -> Sequence[object] | None:
    kind: Any = type(response)
    for name, attribute in _RESULTS_OF_REDIS.items():
        if is_a(kind, "redis", name):
            results = getattr(response, attribute)
            signs = (*REDIS_SIGNS, *SIGNS)
            return checked(results, response, options, signs)
    return None


REDIS = ResponseShape(
    name="redis", fits=of_type("redis", *_RESULTS_OF_REDIS), results=_read_redis
)
