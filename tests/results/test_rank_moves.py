"""Who left the top of a ranking, who entered it, who moved how far."""

from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import jaccard, rbo
from pytest_relevance.results.rank_moves import Move, rank_changes

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
