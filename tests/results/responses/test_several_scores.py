"""Of several scores, the one that orders the list is the score."""

from types import SimpleNamespace

import pytest

from pytest_relevance.results.responses.ranking import read_ranking
from pytest_relevance.results.scoring import score_case
from tests.helpers import case_of
from tests.results.responses.helpers import pairs

AZURE = [
    {"id": "a", "@search.score": 0.012, "@search.reranker_score": 3.1},
    {"id": "b", "@search.score": 0.033, "@search.reranker_score": 2.4},
    {"id": "c", "@search.score": 0.021, "@search.reranker_score": 0.7},
]


def scores(response: object) -> list[float | None]:
    return [*read_ranking(response).scores]


def test_results_in_the_order_of_a_reranker_are_sorted() -> None:
    ranking = read_ranking(AZURE)
    assert ranking.scores == [3.1, 2.4, 0.7]
    result = score_case(case_of({"query": "boots", "judgments": {"a": 3}}), ranking)
    assert not result.ranking.is_unsorted


def of(first: str, second: str) -> list[dict[str, object]]:
    """Three results in the order of the second score."""
    firsts, seconds = [0.2, 0.5, 0.3], [9.0, 8.0, 1.0]
    return [
        {"id": id_, first: one, second: two}
        for id_, one, two in zip("abc", firsts, seconds, strict=True)
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("@search.score", "@search.rerankerScore"),
        ("score", "rerank_score"),
        ("_score", "bge_reranker"),
        ("score", "relevance_score"),
        ("_distance", "_relevance_score"),
        ("_score", "score"),
        ("text_match", "_score"),
        ("rerank_score", "score"),
    ],
)
def test_the_score_that_orders_the_list_is_the_score(first: str, second: str) -> None:
    assert scores(of(first, second)) == [9.0, 8.0, 1.0]


def test_of_two_scores_in_order_that_of_the_reranker_is_the_score() -> None:
    both = [
        {"id": "a", "score": 2.0, "rerank_score": 9.0},
        {"id": "b", "score": 1.0, "rerank_score": 8.0},
    ]
    assert scores(both) == [9.0, 8.0]


def test_a_score_that_falls_comes_before_one_that_rises() -> None:
    rising = [
        {"id": "a", "score": 2.0, "rerank_score": 8.0},
        {"id": "b", "score": 1.0, "rerank_score": 9.0},
    ]
    assert scores(rising) == [2.0, 1.0]


def test_results_that_the_reranker_left_out_have_no_score() -> None:
    some = [*AZURE, {"id": "d", "@search.score": 0.5, "@search.reranker_score": None}]
    assert scores(some) == [3.1, 2.4, 0.7, None]


def test_where_no_score_orders_the_list_it_is_unsorted() -> None:
    ranking = read_ranking(
        [
            {"id": id_, "score": one, "rerank_score": two}
            for id_, one, two in [("a", 1, 5), ("b", 3, 9), ("c", 2, 6)]
        ]
    )
    result = score_case(case_of({"query": "boots", "judgments": {"a": 3}}), ranking)
    assert result.ranking.is_unsorted


def test_a_field_called_distance_is_a_score_only_if_it_orders_the_list() -> None:
    hits = [{"id": 1, "distance": 0.1}, {"id": 2, "distance": 0.4}]
    assert scores(hits) == [0.1, 0.4]
    shops = [{"id": n, "distance": km} for n, km in enumerate([5, 1, 3])]
    assert scores(shops) == []


def test_a_distance_that_orders_the_list_comes_before_a_score_that_does_not() -> None:
    hits = [
        {"id": "a", "distance": 0.1, "score": 2.0},
        {"id": "b", "distance": 0.2, "score": 9.0},
        {"id": "c", "distance": 0.3, "score": 4.0},
    ]
    assert scores(hits) == [0.1, 0.2, 0.3]


def test_objects_with_two_scores() -> None:
    nodes = [
        SimpleNamespace(id="a", score=0.2, rerank_score=9.0),
        SimpleNamespace(id="b", score=0.5, rerank_score=8.0),
    ]
    assert pairs(nodes) == [("a", 9.0), ("b", 8.0)]


def test_each_of_several_sources_has_its_own_score() -> None:
    mixed = [{"id": "a", "_score": 3.0}, {"id": "b", "score": 2.0}]
    assert scores(mixed) == [3.0, 2.0]


# --- the field `score` ----------------------------------------------------------------


def values(response: object) -> object:
    """What expectations find under `score`."""
    ranking = read_ranking(response, fields={"score": 3})
    assert ranking.fields is not None
    return ranking.fields["score"]


@pytest.mark.parametrize(
    "response",
    [
        [("a", 0.9), ("b", 0.4)],
        [("a", "Apron", 0.9), ("b", "Boots", 0.4)],
        [{"_id": "a", "_score": 0.9}, {"_id": "b", "_score": 0.4}],
        [{"id": "a", "@search.score": 0.9}, {"id": "b", "@search.score": 0.4}],
    ],
)
def test_the_score_is_a_field(response: object) -> None:
    assert values(response) == [0.9, 0.4]


def test_a_field_of_that_name_comes_first() -> None:
    rated = [{"_id": "a", "_score": 9.5, "_source": {"score": 4}}]
    assert values(rated) == [4]
