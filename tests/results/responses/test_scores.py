"""The score of a result: of several, the one that orders the list."""

from collections.abc import Sequence
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest

from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.read_ranking import read_ranking
from pytest_relevance.results.scoring import score_case
from tests.helpers import case_of

BIG = 578730123365711993
"""An integer that no float can hold."""

SCORES: dict[str, tuple[object, float | None]] = {
    "score": ({"id": "b", "score": 1.5}, 1.5),
    "Elasticsearch": ({"_id": "b", "_score": 1.5}, 1.5),
    "Elasticsearch, sorted by a field": ({"_id": "b", "_score": None}, None),
    "Vespa": ({"id": "b", "relevance": 0.5}, 0.5),
    "Meilisearch": ({"id": "b", "_rankingScore": 0.5}, 0.5),
    "Typesense": ({"document": {"id": "b"}, "text_match": BIG}, BIG),
    "a text": ({"id": "b", "relevance": "high"}, None),
    "numpy's": ({"id": "b", "score": np.float64(0.5)}, 0.5),
    "a Decimal": ({"id": "b", "score": Decimal("0.5")}, 0.5),
    "an array": ({"id": "b", "score": np.array([0.5])}, None),
    "of a row": (("b", "Boots", 1.5), 1.5),
    "of an object": (SimpleNamespace(id="b", score=1.5), 1.5),
    "of an (id, title) row": (("b", "Boots"), None),
    "of an id": ("b", None),
}


@pytest.mark.parametrize(("result", "score"), SCORES.values(), ids=SCORES)
def test_the_score_of_a_result(result: object, score: float | None) -> None:
    assert (*read_ranking([result]).scores, None)[0] == score


def scores(response: object) -> list[float | None]:
    return [*read_ranking(response).scores]


def of(**columns: Sequence[float | None]) -> list[dict[str, object]]:
    """Results with some scores; `at_` stands for `@search.`."""
    names = ["id", *(name.replace("at_", "@search.") for name in columns)]
    rows = zip("abcd", *columns.values(), strict=False)
    return [dict(zip(names, row, strict=True)) for row in rows]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("at_score", "at_rerankerScore"),
        ("at_score", "at_reranker_score"),
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
    results = of(**{first: [0.2, 0.5, 0.3], second: [9.0, 8.0, 1.0]})
    assert scores(results) == [9.0, 8.0, 1.0]


CHOSEN: dict[str, tuple[object, list[float | None]]] = {
    "that of the reranker, of two in order": (of(score=[2.0, 1.0], rerank_score=[9.0, 8.0]), [9.0, 8.0]),
    "one that falls, before one that rises": (of(score=[2.0, 1.0], rerank_score=[8.0, 9.0]), [2.0, 1.0]),
    "none for a result that the reranker left out": (
        of(at_score=[0.1, 0.3, 0.2], at_reranker_score=[3.1, 2.4, None]),
        [3.1, 2.4, None],
    ),
    "a distance that orders the list": (of(distance=[0.1, 0.4]), [0.1, 0.4]),
    "a distance in order, before a score that is not": (
        of(distance=[0.1, 0.2, 0.3], score=[2.0, 9.0, 4.0]),
        [0.1, 0.2, 0.3],
    ),
    "no distance to a shop": (of(distance=[5, 1, 3]), []),
    "of objects": ([SimpleNamespace(**fields) for fields in of(score=[1, 5], rerank_score=[9, 8])], [9, 8]),
    "each its own, of several sources": ([{"id": "a", "_score": 3.0}, {"id": "b", "score": 2.0}], [3.0, 2.0]),
}  # fmt: skip


@pytest.mark.parametrize(("response", "expected"), CHOSEN.values(), ids=CHOSEN)
def test_which_score_is_the_score(
    response: object, expected: list[float | None]
) -> None:
    assert scores(response) == expected


@pytest.mark.parametrize(
    ("rerank_scores", "is_unsorted"), [([9, 6, 5], False), ([5, 9, 6], True)]
)
def test_a_list_is_unsorted_if_no_score_orders_it(
    rerank_scores: list[float | None], is_unsorted: bool
) -> None:
    ranking = read_ranking(of(score=[1, 3, 2], rerank_score=rerank_scores))
    result = score_case(case_of({"query": "boots", "judgments": {"a": 3}}), ranking)
    assert result.ranking.is_unsorted is is_unsorted


# --- the field `score` ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("response", "values"),
    [
        ([("a", 0.9), ("b", 0.4)], [0.9, 0.4]),
        ([("a", "Apron", 0.9), ("b", "Boots", 0.4)], [0.9, 0.4]),
        (of(_score=[0.9, 0.4]), [0.9, 0.4]),
        (of(at_score=[0.9, 0.4]), [0.9, 0.4]),
        ([{"_id": "a", "_score": 9.5, "_source": {"score": 4}}], [4]),
    ],
    ids=["pairs", "rows", "hits", "Azure", "a field of that name comes first"],
)
def test_the_score_is_a_field(response: object, values: list[float]) -> None:
    ranking = read_ranking(response, ReadOptions(fields={"score": 3}))
    assert ranking.fields == {"score": values}
