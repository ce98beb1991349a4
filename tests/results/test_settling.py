"""Which grades settle whether a query got worse."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_relevance.results.changes import Change, Pair
from pytest_relevance.results.settling import (
    CERTAIN,
    EXCUSED,
    OPEN,
    OpenQuestion,
    Stake,
    open_question,
    stake_of,
    stake_of_change,
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
    assert open_question(change) == OpenQuestion(("new",), fewest=1, chances=[1.0])


def test_documents_that_settle_only_together_share_the_chance() -> None:
    """No single document settles the query, two settle half of their gradings."""
    judgments = {"a": 3, "b": 1}
    case = {"query": "boots", "k": 3, "scale": [0, 3], "judgments": judgments}
    before = result_of({**case, "tolerance": 0}, ["a", "b"])
    after = result_of({**case, "tolerance": 0}, ["x", "y", "z"])
    found = Change.between(Pair(before, after))
    states = [state_with(found, {"x": grade}) for grade in (0, 3)]
    assert states == [OPEN, OPEN]
    question = open_question(found)
    assert question is not None
    assert question.fewest == 2
    assert question.chances == pytest.approx([1 / 3, 1 / 3, 1 / 3])


@pytest.mark.parametrize(
    ("ranking", "floor", "is_undecided"),
    [
        (["x", "a"], 0.9, True),
        (["x", "a"], 0.1, False),
        (["b", "a"], 0.9, False),
        (["x", "a"], None, False),
    ],
)
def test_a_floor_that_unjudged_results_decide_is_undecided(
    ranking: list[str], floor: float | None, is_undecided: bool
) -> None:
    judgments = {"a": 3, "b": 1}
    case: dict[str, Any] = {"query": "boots", "scale": [0, 3], "judgments": judgments}
    if floor is not None:
        case["min_ndcg"] = floor
    found = stake_of(result_of(case, ranking))
    assert found == Stake(is_undecided=is_undecided)


def test_nothing_depends_on_the_grades_of_a_query_that_certainly_got_worse() -> None:
    case = {"query": "boots", "k": 2, "scale": [0, 3], "judgments": {"a": 3, "b": 0}}
    worse = Change.between(
        Pair(result_of(case, ["a", "x"]), result_of(case, ["b", "x"]))
    )
    assert stake_of_change(worse, is_worse=True) == Stake()
