"""Which queries a sample draws, and what they weigh."""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.cases.model import SampleRule
from pytest_relevance.cases.sampling import (
    Drawn,
    draw,
    number_of,
    weighed_by_size,
    wrong_sizes,
)
from pytest_relevance.judgments.model import Query


def log_of(*sizes: float | None) -> list[Query]:
    """Queries of these sizes, whose weights are their sizes."""
    queries = []
    for number, size in enumerate(sizes):
        queries.append(Query(f"r{number}", f"query {number}", sample_by=size))
    return weighed_by_size(queries)


LOG = log_of(*range(1, 101))
"""100 queries of the sizes 1 to 100."""

RULES = (
    SampleRule(20),
    SampleRule(20, by="volume"),
    SampleRule(20, seed=7, by="volume"),
    SampleRule(5, per="segment"),
    SampleRule(5, by="volume", per="segment"),
)


def in_segments(queries: Sequence[Query]) -> list[Query]:
    """The queries in four segments of different sizes."""
    found = []
    for number, query in enumerate(queries):
        segment = "abcddddddd"[number % 10]
        found.append(replace(query, sample_per=segment))
    return found


def texts(drawn: Drawn) -> set[str]:
    return {query.text_or_id for query in drawn.queries}


# Which queries are drawn


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_order_and_ids_of_the_queries_change_nothing(rule: SampleRule) -> None:
    queries = in_segments(LOG)
    others = []
    for number, query in enumerate(reversed(queries)):
        others.append(replace(query, id=f"other {number}"))
    assert texts(draw(others, rule)) == texts(draw(queries, rule))


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_one_query_more_changes_at_most_one_of_the_sample(rule: SampleRule) -> None:
    queries = in_segments(LOG)
    all_of_them = texts(draw(queries, rule))
    entered = 0
    for number in range(len(queries)):
        without = texts(draw(queries[:number] + queries[number + 1 :], rule))
        assert len(all_of_them - without) <= 1
        entered += len(without - all_of_them)
    assert entered == len(all_of_them)  # for each drawn query that leaves one enters


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_larger_sample_has_the_smaller_one(rule: SampleRule) -> None:
    queries = in_segments(LOG)
    larger = replace(rule, n=rule.n + 3)
    assert texts(draw(queries, rule)) < texts(draw(queries, larger))


def test_another_seed_draws_others() -> None:
    first = texts(draw(LOG, SampleRule(20, seed=1)))
    assert texts(draw(LOG, SampleRule(20, seed=2))) != first


def test_params_distinguish_queries_with_one_text() -> None:
    german = Query("q1", "hats", params={"locale": "de", "page": 1})
    french = replace(german, params={"locale": "fr", "page": 1})
    assert number_of(german, seed=0) != number_of(french, seed=0)
    in_other_order = replace(german, params={"page": 1, "locale": "de"})
    assert number_of(german, seed=0) == number_of(in_other_order, seed=0)


def test_drawn_queries_stay_in_their_order() -> None:
    drawn = [query.id for query in draw(LOG, SampleRule(20, by="volume")).queries]
    ranks = [int(name.removeprefix("r")) for name in drawn]
    assert ranks == sorted(ranks)


def test_the_smaller_id_is_drawn_first_of_equal_queries() -> None:
    twice = [Query("b", "hats", sample_by=2), Query("a", "hats", sample_by=2)]
    for queries in (twice, twice[::-1]):
        (drawn,) = draw(queries, SampleRule(1, by="volume")).queries
        assert drawn.id == "a"


def test_queries_without_a_size_are_never_drawn() -> None:
    drawn = draw(log_of(3, 0, None, 5), SampleRule(4, by="volume"))
    assert texts(drawn) == {"query 0", "query 3"}
    assert drawn.never == 2


def test_without_by_sizes_do_not_matter() -> None:
    drawn = draw(log_of(3, 0, None, 5), SampleRule(4))
    assert (len(drawn.queries), drawn.never) == (4, 0)


def test_each_group_has_its_own_sample() -> None:
    queries = in_segments(LOG)
    drawn = draw(queries, SampleRule(12, per="segment"))
    found = [query.sample_per for query in drawn.queries]
    counts = {segment: found.count(segment) for segment in "abcd"}
    assert counts == {"a": 10, "b": 10, "c": 10, "d": 12}
    assert drawn.groups == 4


# What they weigh


def test_without_by_a_query_keeps_its_weight() -> None:
    drawn = draw(LOG, SampleRule(20)).queries
    assert all(query.weight == query.sample_by for query in drawn)


def test_with_by_a_query_weighs_its_size_or_the_key() -> None:
    rule = SampleRule(20, by="volume")
    drawn = draw(LOG, rule).queries
    priorities = [(query.sample_by or 0) / number_of(query, rule.seed) for query in LOG]
    key = sorted(priorities)[-21]
    for query in drawn:
        assert query.weight == pytest.approx(max(query.sample_by or 0, key))


def test_another_weight_is_multiplied_by_the_same_factor() -> None:
    rule = SampleRule(20, by="volume")
    of_three = [replace(query, weight=3) for query in LOG]
    for query, other in zip(
        draw(LOG, rule).queries, draw(of_three, rule).queries, strict=True
    ):
        assert other.weight == pytest.approx(3 * query.weight / (query.sample_by or 0))


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_sample_of_all_queries_has_the_weights_of_the_file(rule: SampleRule) -> None:
    queries = in_segments(LOG)
    drawn = draw(queries, replace(rule, n=100))
    assert drawn.queries == queries


def test_groups_weigh_as_much_as_in_the_file() -> None:
    queries = in_segments([replace(query, weight=1) for query in LOG])
    drawn = draw(queries, SampleRule(5, per="segment")).queries
    of_d = [query.weight for query in drawn if query.sample_per == "d"]
    assert of_d == [14] * 5
    assert sum(query.weight for query in drawn) == 100


# How well a sample estimates the mean

SIZE, OF_SAMPLE, SEEDS = 2_000, 200, 100


def score_makers() -> dict[str, Callable[[int], float]]:
    """{name: the score of the query with a rank}. Rank 1 is the most frequent query."""
    chance = random.Random(3)

    def around(mean: float) -> float:
        return min(1.0, max(0.0, chance.gauss(mean, 0.2)))

    return {
        "any": lambda rank: chance.random(),
        "frequent queries are better": lambda rank: around(0.9 - 0.6 * rank / SIZE),
        "frequent queries are worse": lambda rank: around(0.3 + 0.6 * rank / SIZE),
        "the most frequent are much better": lambda rank: around(
            0.9 - 0.06 * math.log(rank)
        ),
    }


def mean_of(queries: Sequence[Query], scores: Mapping[str, float]) -> float:
    total = sum(query.weight for query in queries)
    return sum(query.weight * scores[query.id] for query in queries) / total


def test_the_mean_of_a_sample_is_near_that_of_the_file() -> None:
    """The sizes follow Zipf's law."""
    queries = log_of(*(1_000_000 // rank for rank in range(1, SIZE + 1)))
    scores = {}
    for name, score_of in score_makers().items():
        scores[name] = {q.id: score_of(rank) for rank, q in enumerate(queries, start=1)}
    whole = {name: mean_of(queries, of_query) for name, of_query in scores.items()}
    near = dict.fromkeys(scores, 0)
    for seed in range(SEEDS):
        rule = SampleRule(OF_SAMPLE, seed=seed, by="volume")
        sample = draw(queries, rule).queries
        for name, of_query in scores.items():
            miss = abs(mean_of(sample, of_query) - whole[name])
            near[name] += miss <= 0.03
    assert min(near.values()) >= 95, near


@given(sizes=st.lists(st.integers(0, 1000), max_size=30), n=st.integers(1, 30))
def test_every_query_weighs_at_least_its_size(sizes: list[int], n: int) -> None:
    drawn = draw(log_of(*sizes), SampleRule(n, by="volume"))
    with_size = len(sizes) - drawn.never
    assert len(drawn.queries) == min(n, with_size)
    for query in drawn.queries:
        assert query.weight >= (query.sample_by or 0)


# Sizes that are wrong


@pytest.mark.parametrize("size", [-1, float("inf"), float("nan"), 1e16])
def test_a_size_is_a_number_from_0(size: float) -> None:
    query = Query("q1", "hats", line=4, sample_by=size)
    (problem,) = wrong_sizes([query, *LOG], SampleRule(1, by="volume"))
    assert problem.place.line == 4
    assert "in the column volume, is a number from 0 to 1e+15" in problem.message
