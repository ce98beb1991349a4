"""Results with equal scores: between which nDCG their order leaves a ranking."""

from itertools import permutations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_relevance.metrics.ndcg import GradedRanking, grade_ranking, ndcg
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.metrics.ties import tie_interval, tied_groups


def test_adjacent_results_with_exactly_equal_scores_are_tied() -> None:
    assert tied_groups([3, 3, 2, 1, 1, 1, 3]) == [range(2), range(3, 6)]
    assert tied_groups([None, None, 1, 1 + 1e-15]) == []


def test_the_order_of_a_fused_list_decides_a_quarter_of_its_ndcg() -> None:
    judgments = {"w1": 3, "w2": 3, "strap1": 1, "dock1": 0}
    graded = grade_ranking(["w1", "strap1", "w2", "dock1"], judgments)
    scores = [0.0164, 0.0164, 0.0164, 0.0161]
    found = tie_interval(graded, scores, 10, Settings())
    assert found is not None
    assert found.least == pytest.approx(0.748, abs=5e-4)
    assert found.greatest == 1.0


def test_results_with_other_sort_values_are_not_tied() -> None:
    scores, sort_values = [2.0, 2.0, 2.0], [(2.0, "a"), (2.0, "b"), (2.0, "b")]
    assert tied_groups(scores, sort_values) == [range(1, 3)]
    assert tied_groups([2.0, 1.0], [(7,), (7,)]) == []


@pytest.mark.parametrize(
    ("scores", "has_more", "may_go_on"),
    [
        ([2.0, 1.0, 1.0], True, True),
        ([2.0, 1.0, 1.0], False, False),
        ([2.0, 2.0, 1.0], True, False),
    ],
)
def test_a_group_at_the_end_may_go_on_in_results_that_were_not_returned(
    scores: list[float], has_more: bool, may_go_on: bool
) -> None:
    graded = grade_ranking(["a", "b", "c"], {"b": 3, "c": 1})
    found = tie_interval(graded, scores, 10, Settings(), has_more=has_more)
    assert found is not None
    assert found.may_go_on is may_go_on


def test_a_ranking_without_equal_scores_has_no_interval() -> None:
    graded = grade_ranking(["a", "b"], {"a": 1})
    assert tie_interval(graded, [2.0, 1.0], 10, Settings()) is None


@example([None, None, 0, 1], [1.0, 1.0, 2.0, 2.0], "skip")
@given(
    st.lists(st.sampled_from([None, 0, 1, 3]), min_size=1, max_size=6),
    st.lists(st.sampled_from([1.0, 2.0]), min_size=6, max_size=6).map(sorted),
    st.sampled_from(["zero", "skip"]),
)
def test_the_ends_are_those_of_all_orders(
    grades: list[float | None], scores: list[float], unjudged: str
) -> None:
    scores = scores[: len(grades)]
    settings = Settings(unjudged=unjudged)
    judged = [3.0, *(grade for grade in grades if grade is not None)]
    found = set()
    for order in permutations(range(len(grades))):
        if [scores[index] for index in order] == scores:
            ranking = [grades[index] for index in order]
            found.add(ndcg(GradedRanking(ranking, (), judged), settings, 2))
    interval = tie_interval(GradedRanking(grades, (), judged), scores, 2, settings)
    if interval is None:
        assert len(found) == 1
    else:
        assert (interval.least, interval.greatest) == (min(found), max(found))
