"""Which grades settle whether a query got worse."""

from __future__ import annotations

import pytest

from pytest_relevance.results.changes import Change, Pair
from pytest_relevance.results.settling import (
    CERTAIN,
    EXCUSED,
    OPEN,
    OpenQuestion,
    open_question,
    state_with,
)
from tests.helpers import result_of


@pytest.fixture
def change() -> Change:
    """`a`, the best product, made room for `new`, which nobody has judged."""
    case = {"query": "boots", "k": 3, "scale": [0, 3], "judgments": {"a": 3, "b": 1}}
    before = result_of(case, ["a", "b", "x"])
    after = result_of(case, ["new", "b", "x"])
    return Change.between(Pair(before, after))


@pytest.mark.parametrize(
    ("grades", "state"),
    [({}, OPEN), ({"new": 0}, CERTAIN), ({"new": 3}, EXCUSED), ({"x": 3}, OPEN)],
)
def test_a_grade_for_what_came_settles_the_query(
    change: Change, grades: dict[str, float], state: str
) -> None:
    assert state_with(change, grades) == state


def test_only_documents_that_changed_the_score_are_asked_for(change: Change) -> None:
    assert open_question(change) == OpenQuestion(("new",), fewest=1)
