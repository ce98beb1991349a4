"""Cases that pass or fail by the order of results with equal scores."""

from typing import Any

import pytest

from pytest_relevance import CaseResult
from pytest_relevance.results.diagnoses import diagnose, explanation
from tests.helpers import result_of

FUSED = [("w1", 0.0164), ("strap1", 0.0164), ("w2", 0.0164), ("dock1", 0.0161)]


def case(floor: float, **keys: Any) -> CaseResult:
    judgments = {"w1": 3, "w2": 3, "strap1": 1, "dock1": 0}
    keys = {"query": "watch", "min_ndcg": floor, "judgments": judgments, **keys}
    return result_of(keys, FUSED)


@pytest.mark.parametrize(
    ("floor", "depends"), [(0.7, False), (0.9, True), (0.95, True)]
)
def test_a_floor_between_the_ends_holds_for_some_orders_only(
    floor: float, depends: bool
) -> None:
    assert case(floor).depends_on_ties == depends


def test_a_search_that_sorts_by_a_second_key_has_one_order() -> None:
    assert not case(0.9, ties="fixed").depends_on_ties


def test_a_run_counts_such_cases_once() -> None:
    (found,) = diagnose([case(0.9), case(0.95), case(0.7)])
    assert "2 cases pass or fail by their order" in explanation(found)
