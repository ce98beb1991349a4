"""Unjudged results: they never lift a score over its floor, and each is worth how far
it may move the score.

Junk that nobody judged is junk until somebody did.
"""

from collections.abc import Mapping, Sequence
from math import log2
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import CaseResult
from pytest_relevance.results.case_result import FAILED, INCONCLUSIVE
from pytest_relevance.results.unjudged import PlausibleGains, unjudged_results
from tests.helpers import result_of


def scored(
    ranking: Sequence[object], judgments: Mapping[str, float], **keys: Any
) -> CaseResult:
    return result_of({"query": "x", "judgments": judgments, **keys}, ranking)


JUNK = [f"junk{number}" for number in range(10)]
FLOOR: dict[str, Any] = {"judgments": {"a": 3, "b": 2}, "min_ndcg": 0.6}


@pytest.mark.parametrize(
    "scale",
    [{}, {"scale": [0, 3]}, {"scale": [1, 3]}, {"scale": {"relevant": 1, "perfect": 3}}],
)  # fmt: skip
def test_nothing_but_junk_fails_where_only_what_is_relevant_was_judged(
    scale: dict[str, Any],
) -> None:
    found = scored(JUNK, **FLOOR, **scale)
    (reason,) = found.evaluation.reasons
    assert (found.verdict, found.score) == (FAILED, 0)
    assert (reason.kind, reason.value) == ("floor", 0)


def test_nothing_but_junk_is_inconclusive_where_a_share_must_be_judged() -> None:
    assert scored(JUNK, **FLOOR, min_judged=0.5).verdict == INCONCLUSIVE


def test_the_interval_begins_at_grade_0_without_a_scale() -> None:
    # with x at 3 the ideal has two documents of grade 3, and b, at rank 3 now, is less
    # than that allows
    lower, upper = scored(["a", "b", "x"], **FLOOR).interval
    assert lower is not None
    assert lower < 1
    assert upper == 1


def moves(found: CaseResult) -> dict[str, float]:
    """How far each unjudged result may move the score."""
    unjudged = unjudged_results(found, PlausibleGains([found]))
    return {result.document: result.move for result in unjudged}


SETTINGS: list[dict[str, Any]] = [
    {},
    {"gain": "linear", "scale": [-1, 3], "negative": "zero"},
    {"gain": {0: 0, 1: 2, 2: 3, 3: 10}},
    {"ideal": "returned"},
    {"ideal": "max"},
    {"unjudged": "skip"},
    {"unjudged": "skip", "ideal": "returned"},
]
DOCUMENTS = ["a", "b", "c", "d", "e", "f"]


@given(
    st.lists(st.sampled_from(DOCUMENTS), min_size=1, max_size=8),
    st.dictionaries(st.sampled_from(DOCUMENTS[:4]), st.integers(0, 3), max_size=4),
    st.integers(1, 6),
    st.sampled_from(SETTINGS),
)
def test_a_move_is_what_the_judgment_does_to_the_score(
    ranking: list[str], judgments: dict[str, int], k: int, keys: dict[str, Any]
) -> None:
    keys = {"scale": [0, 3], "k": k, **keys}
    found = scored(ranking, judgments, **keys)

    assert list(moves(found)) == found.unjudged
    for document, move in moves(found).items():
        judged = scored(ranking, {**judgments, document: 3}, **keys)
        assert judged.score is not None
        assert move == pytest.approx(judged.score - (found.score or 0), abs=1e-12)


def test_ranks_and_titles_are_those_of_the_results() -> None:
    boots = {"id": "x", "title": "Boots"}
    found = scored(["a", boots, "a", "y", "x", "z"], {"a": 3}, k=5)
    unjudged = unjudged_results(found, PlausibleGains([]))
    assert [(each.document, each.title, each.rank) for each in unjudged] == [
        ("x", "Boots", 2),
        ("y", "", 4),
    ]


@pytest.mark.parametrize("judgments", [{}, {"a": 0}])
@pytest.mark.parametrize("keys", [{}, {"scale": [0, 3]}, {"gain": {0: 0, 7: 2}}])
def test_where_nothing_relevant_is_judged_a_move_is_the_score_that_would_be(
    judgments: dict[str, int], keys: dict[str, Any]
) -> None:
    found = scored(["x", "a", "y"], judgments, **keys)
    assert found.score is None
    assert moves(found)["x"] == 1
    assert moves(found)["y"] == pytest.approx(1 / 2)


def test_where_no_grade_has_a_gain_nothing_moves_the_score() -> None:
    assert moves(scored(["x"], {"a": 0}, gain={0: 0, 1: 0})) == {"x": 0}


def worths(found: CaseResult, run: Sequence[CaseResult]) -> dict[str, float]:
    """How far a plausible grade of each unjudged result would move the score."""
    unjudged = unjudged_results(found, PlausibleGains(run))
    return {result.document: result.worth for result in unjudged}


def on_scale(ranking: str, judgments: Mapping[str, float], **keys: Any) -> CaseResult:
    """A result of the letters of a ranking, with grades from 0 to 3."""
    return scored([*ranking], judgments, scale=[0, 3], **keys)


@pytest.mark.parametrize(
    "keys", [{}, {"gain": "linear"}, {"gain": {0: 0, 1: 1, 2: 3, 3: 7}}]
)
def test_a_worth_is_what_the_mean_gain_at_that_rank_would_do(
    keys: dict[str, Any],
) -> None:
    """At rank 1 all judged results have the top grade, at rank 2 none is relevant."""
    run = [on_scale("ab", {"a": 3, "b": 0, "c": 3}, **keys)] * 10
    found = on_scale("xy", {"a": 3, "b": 2}, **keys)
    assert worths(found, run)["x"] == pytest.approx(moves(found)["x"])
    assert worths(found, run)["x"] > 0.5
    assert worths(found, run)["y"] == 0


def test_a_mean_gain_may_lie_between_two_grades() -> None:
    """The mean of the gains 7 and 1 is 4, which is that of the grade log2(5)."""
    run = [on_scale("a", {"a": grade}) for grade in (3, 1) * 5]
    found = on_scale("xa", {"a": 3})
    judged = on_scale("xa", {"a": 3, "x": 2.321928094887362})
    assert judged.score is not None
    assert found.score is not None
    assert worths(found, run)["x"] == pytest.approx(judged.score - found.score)


def test_where_few_are_judged_at_a_rank_those_around_it_count() -> None:
    result = on_scale("ab", {"a": 0, "b": 3, "c": 3})
    few, many = PlausibleGains([result] * 9), PlausibleGains([result] * 10)
    assert PlausibleGains([]).share(3) == 0.5
    assert few.share(1) == pytest.approx(0.5)
    assert (many.share(1), many.share(2)) == (0, 1)
    assert many.share(9) == pytest.approx(1)  # those at rank 2 are the nearest


def test_shares_are_of_the_top_grade_of_each_suite() -> None:
    """A relevant result of a suite with the grades 0 and 1 counts as much as one of the
    top grade of another.
    """
    run = [scored(["a"], {"a": 1}, scale=[0, 1])] * 10
    assert PlausibleGains(run).share(1) == 1
    found = on_scale("xa", {"a": 3})
    assert worths(found, run) == pytest.approx(moves(found))


@pytest.mark.parametrize("top", [0.2, 0.3, 0.5, 3])
def test_no_plausible_grade_is_above_the_top_grade(top: float) -> None:
    """log2(1 + (2 ** 0.2 - 1)) is more than 0.2."""
    found = scored(["a", "x"], {"a": top}, scale=[0, top], ideal="max")
    assert worths(found, [found]) == pytest.approx(moves(found))


def test_where_nothing_relevant_is_judged_the_worth_is_a_share_of_the_move() -> None:
    """A query without relevant documents is not the first to judge where such ranks
    seldom have anything relevant.
    """
    run = [on_scale("a", {"a": grade, "b": 3}) for grade in (3, 0, 0, 0) * 3]
    found = on_scale("xy", {"a": 0})
    assert moves(found) == pytest.approx({"x": 1, "y": 1 / log2(3)})
    assert worths(found, run) == pytest.approx({"x": 0.25, "y": 0.25 / log2(3)})
