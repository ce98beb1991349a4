"""How alike two rankings are."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_relevance import jaccard, kendall_tau, overlap, rbo, rbo_bounds, tau_ap

Ranking = list[int]
RANKINGS = st.lists(st.integers(0, 9), unique=True, max_size=8)
PERSISTENCE = st.sampled_from([0.3, 0.5, 0.9, 0.98])


def test_jaccard_is_shared_over_all() -> None:
    assert jaccard(["a", "b", "c"], ["b", "c", "d"]) == 2 / 4
    assert jaccard(["a", "b", "c"], ["b", "a", "d"], k=2) == 1.0
    assert jaccard(["a", "b"], ["c", "d"]) == 0.0


def test_overlap_is_shared_over_the_depth() -> None:
    assert overlap(["a", "b", "c"], ["b", "c", "d"]) == 2 / 3
    assert overlap(["a", "b", "c"], ["b", "c", "d"], k=2) == 1 / 2
    assert overlap(["a", "b"], ["a", "b"], k=10) == 1.0  # equal, however short
    assert overlap(["a", "b", "c", "d"], ["a", "b"]) == 1 / 2


@pytest.mark.parametrize("similarity", [jaccard, overlap, rbo])
def test_empty_and_equal_rankings(similarity: Callable[[Ranking, Ranking], float]) -> None:
    assert similarity([], []) == 1.0
    assert similarity([], [1]) == similarity([1, 2], []) == 0.0
    assert similarity([3, 1, 2], [3, 1, 2]) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("similarity", [jaccard, overlap, rbo, kendall_tau, tau_ap])
def test_text_is_no_ranking(similarity: Callable[[str, list[str]], float]) -> None:
    with pytest.raises(ValueError, match="a ranking is a list of document ids, not the text 'abc'"):
        similarity("abc", ["a"])


def test_a_document_that_is_there_twice_counts_once() -> None:
    assert jaccard(["a", "a", "b"], ["a", "b"]) == 1.0
    assert jaccard(["a", "a", "b"], ["a", "b"], k=2) == 1 / 2  # the copy has a rank
    assert rbo(["a", "a", "b"], ["a", "b"]) == rbo(["a", "b"], ["a", "b"])
    assert kendall_tau(["a", "b", "a"], ["a", "b"]) == 1.0


@pytest.mark.parametrize("wrong", [0.0, 1.0, -0.5, math.nan])
def test_a_persistence_outside_of_0_and_1_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        rbo(["a"], ["a"], wrong)


def agreement(first: list[object], second: list[object], p: float, depth: int) -> float:
    """The sum that defines RBO, as far as `depth`."""
    terms = (len(set(first[:rank]) & set(second[:rank])) / rank * p ** (rank - 1) for rank in range(1, depth + 1))
    return (1 - p) * math.fsum(terms)


@given(RANKINGS, RANKINGS, st.sampled_from([0.3, 0.5, 0.8]))
@settings(deadline=None, max_examples=60)
def test_the_bounds_of_rbo_are_what_the_worst_and_the_best_continuation_give(
    first: Ranking, second: Ranking, p: float
) -> None:
    least, greatest = rbo_bounds(first, second, p)
    depth = 200  # p^200 is nothing
    apart = [[*ranking, *((name, rank) for rank in range(depth))] for name, ranking in (("1", first), ("2", second))]
    same = ["same", *range(100, 100 + depth)]
    alike = [
        [*first, *(document for document in second if document not in first), *same],
        [*second, *(document for document in first if document not in second), *same],
    ]
    assert least == pytest.approx(agreement(apart[0], apart[1], p, depth), abs=1e-12)
    assert greatest == pytest.approx(agreement(alike[0], alike[1], p, depth), abs=1e-12)


@given(RANKINGS, RANKINGS, PERSISTENCE)
@settings(deadline=None)
def test_rbo_lies_between_its_bounds_and_is_symmetric(first: Ranking, second: Ranking, p: float) -> None:
    least, greatest = rbo_bounds(first, second, p)
    assert least - 1e-12 <= rbo(first, second, p) <= greatest + 1e-12
    assert rbo(first, second, p) == pytest.approx(rbo(second, first, p), abs=1e-15)


def test_rbo_of_equal_lengths_by_hand() -> None:
    # Agreement 0, 1 and 2/3 at depths 1 to 3, extrapolated with the last.
    p = 0.9
    expected = (1 - p) / p * (0 * p + 1 * p**2 + 2 / 3 * p**3) + 2 / 3 * p**3
    assert rbo(["a", "b", "c"], ["b", "a", "d"], p) == pytest.approx(expected, abs=1e-15)


@given(st.permutations(range(12)), st.permutations(range(12)))
@settings(deadline=None)
def test_kendall_tau_is_that_of_scipy(first: Ranking, second: Ranking) -> None:
    stats = pytest.importorskip("scipy.stats")
    places = [[ranking.index(document) for document in range(12)] for ranking in (first, second)]
    assert kendall_tau(first, second) == pytest.approx(stats.kendalltau(*places).statistic, abs=1e-12)


@pytest.mark.parametrize("correlation", [kendall_tau, tau_ap])
def test_correlations_of_rankings(correlation: Callable[[Ranking, Ranking], float]) -> None:
    assert correlation([1, 2, 3, 4], [1, 2, 3, 4]) == 1.0
    assert correlation([4, 3, 2, 1], [1, 2, 3, 4]) == -1.0
    assert correlation([1, 7, 2, 8], [9, 1, 2]) == 1.0  # over the documents of both
    assert math.isnan(correlation([1], [1]))
    assert math.isnan(correlation([1, 2], [3, 4]))


def test_tau_ap_weighs_the_top_more() -> None:
    assert tau_ap([2, 1, 3, 4], [1, 2, 3, 4]) == pytest.approx(2 / 3 * (0 / 1 + 2 / 2 + 3 / 3) - 1)
    assert tau_ap([1, 2, 4, 3], [1, 2, 3, 4]) == pytest.approx(2 / 3 * (1 / 1 + 2 / 2 + 2 / 3) - 1)
