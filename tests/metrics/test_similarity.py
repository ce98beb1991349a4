"""How alike two rankings are."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import jaccard, kendall_tau, overlap, rbo
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.similarity import similarity

Ranking = list[int]
RANKINGS = st.lists(st.integers(0, 9), unique=True, max_size=8)


def test_jaccard_is_shared_over_all() -> None:
    assert jaccard(list("abc"), list("bcd")) == 2 / 4
    assert jaccard(list("abc"), list("bad"), k=2) == 1.0
    assert jaccard(["a", "b"], ["c", "d"]) == 0.0


def test_overlap_is_shared_over_the_depth() -> None:
    assert overlap(list("abc"), list("bcd")) == 2 / 3
    assert overlap(list("abc"), list("bcd"), k=2) == 1 / 2
    assert overlap(["a", "b"], ["a", "b"], k=10) == 1.0  # equal, however short
    assert overlap(list("abcd"), ["a", "b"]) == 1 / 2


@pytest.mark.parametrize("similarity", [jaccard, overlap, rbo])
def test_empty_and_equal_rankings(
    similarity: Callable[[Ranking, Ranking], float],
) -> None:
    assert similarity([], []) == 1.0
    assert similarity([], [1]) == similarity([1, 2], []) == 0.0
    assert similarity([3, 1, 2], [3, 1, 2]) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("similarity", [jaccard, overlap, rbo, kendall_tau])
def test_text_is_no_ranking(similarity: Callable[[str, list[str]], float]) -> None:
    says = "a ranking is a list of document ids, not the text 'abc'"
    with pytest.raises(ValueError, match=says):
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


def test_rbo_of_equal_lengths_by_hand() -> None:
    # Agreement 0, 1 and 2/3 at depths 1 to 3, extrapolated with the last.
    p = 0.9
    expected = (1 - p) / p * (0 * p + 1 * p**2 + 2 / 3 * p**3) + 2 / 3 * p**3
    found = rbo(["a", "b", "c"], ["b", "a", "d"], p)
    assert found == pytest.approx(expected, abs=1e-15)


# By the name of a metric

NAMES = st.sampled_from(["overlap@3", "Jaccard@3", "overlap@20", "RBO", "RBO(p=0.5)@4"])


@given(NAMES, RANKINGS, RANKINGS)
def test_a_metric_by_its_name(name: str, first: Ranking, second: Ranking) -> None:
    metric = parse_metric(name)
    one, two = list(map(str, first)), list(map(str, second))
    value = similarity(metric, one, two)
    assert 0.0 <= value <= 1.0
    assert value == pytest.approx(similarity(metric, two, one), abs=1e-15)
    assert similarity(metric, one, one) == pytest.approx(float(bool(one)), abs=1e-15)
    assert similarity(metric, [], two) == 0.0
    assert similarity(metric, one, []) == 0.0
    assert similarity(metric, [], []) == 0.0
    assert similarity(metric, [], [], finds_nothing=True) == 1.0
    alone = {"overlap": overlap, "Jaccard": jaccard}.get(metric.measure)
    if one and two and alone:
        assert value == alone(one, two, metric.k)


def test_to_return_less_is_not_to_return_the_same() -> None:
    metric = parse_metric("RBO(p=0.9)")
    accepted = ["a", "b", "c"]
    assert rbo(["a"], accepted) == 1.0  # ranks that are not seen are taken to agree
    assert similarity(metric, ["a"], accepted) == rbo(["a", "x", "y"], accepted)
    alone = similarity(metric, ["a"], ["a", "b"])
    assert similarity(metric, ["a", "a"], ["a", "b"]) == alone < 0.6
    assert similarity(metric, ["b", "a"], ["a", "b"]) == rbo(["b", "a"], ["a", "b"])


# Kendall's tau


@given(st.permutations(range(12)), st.permutations(range(12)))
def test_kendall_tau_is_that_of_scipy(first: Ranking, second: Ranking) -> None:
    stats = pytest.importorskip("scipy.stats")
    ranks = [list(map(ranking.index, range(12))) for ranking in (first, second)]
    expected = stats.kendalltau(*ranks).statistic
    assert kendall_tau(first, second) == pytest.approx(expected, abs=1e-12)


def test_kendall_tau_of_rankings_with_other_documents() -> None:
    assert kendall_tau([1, 7, 2, 8], [9, 1, 2]) == 1.0
    assert math.isnan(kendall_tau([1], [1]))
    assert math.isnan(kendall_tau([1, 2], [3, 4]))
