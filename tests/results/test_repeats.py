"""Whether repeated calls of a search return the same ranking."""

from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.results.repeats import compare_calls
from tests.helpers import case_of, ranking_of

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
