"""Who left the top of a ranking, who entered it, who moved how far."""

from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import jaccard, rbo
from pytest_relevance.results.compare.rank_changes import (
    Move,
    compare_calls,
    rank_changes,
)
from tests.helpers import case_of, ranking_of

RANKINGS = st.lists(st.sampled_from("abcdefgh"), max_size=8)


def test_who_left_who_entered_and_who_moved() -> None:
    changes = rank_changes(
        ["a", "b", "c", "d"], ["c", "x", "b", "a"], 3, {"a": 3, "b": 1}
    )
    assert changes.left == (Move("a", 1, 4, 3),)
    assert changes.entered == (Move("x", None, 2),)
    assert changes.moved == (Move("c", 3, 1), Move("b", 2, 3, 1))
    assert [move.distance for move in changes.moved] == [2, -1]
    assert changes.left[0].distance == -3
    assert (changes.jaccard, changes.k) == (0.5, 3)
    assert changes


@given(first=RANKINGS, second=RANKINGS, k=st.integers(1, 9))
def test_the_changes_lead_from_one_top_to_the_other(
    first: list[str], second: list[str], k: int
) -> None:
    changes = rank_changes(first, second, k)
    left, entered = (
        {move.document for move in moves} for moves in (changes.left, changes.entered)
    )
    firsts, seconds = set(first[:k]), set(second[:k])
    assert left == firsts - seconds
    assert entered == seconds - firsts
    moved = {move.document for move in changes.moved}
    assert moved == {
        each for each in firsts & seconds if first.index(each) != second.index(each)
    }
    assert changes.jaccard == jaccard(first, second, k)
    assert changes.rbo == rbo(first[:k], second[:k])
    back = rank_changes(second, first, k)
    assert {move.document for move in back.left} == entered
    assert [-move.distance for move in back.moved] == [] or {
        m.distance for m in back.moved
    } == {-m.distance for m in changes.moved}


def test_ranks_below_a_ranking_that_was_cut_may_be_known() -> None:
    changes = rank_changes(["a", "b"], ["b", "c"], 2, {"a": 3}, {"a": 37, "b": 9})
    assert changes.left == (Move("a", 1, 37, 3),)
    assert changes.moved == (Move("b", 2, 1),)


CASE = case_of({"query": "boots", "k": 3})
CALLS = st.lists(
    st.lists(st.sampled_from("abcdef"), max_size=5, unique=True), min_size=2, max_size=4
)


@given(rankings=CALLS)
def test_the_highest_rank_at_which_any_ranking_differs_from_the_first(
    rankings: list[list[str]],
) -> None:
    found = compare_calls(CASE, [*map(ranking_of, rankings)])
    tops = [[*ranking[:3], *[None] * (3 - len(ranking[:3]))] for ranking in rankings]
    differ = [rank for rank in (1, 2, 3) if len({top[rank - 1] for top in tops}) > 1]
    assert (found.calls, found.rankings) == (len(rankings), len({*map(tuple, tops)}))
    assert found.rank == (differ[0] if differ else None)
    if differ:
        here, there = found.documents
        assert here == tops[0][differ[0] - 1] != there
        assert there in {top[differ[0] - 1] for top in tops}
