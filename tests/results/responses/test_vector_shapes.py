"""What vector databases and Python search libraries return, in models of their types: no library is needed."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

from pytest_relevance.results.responses.ranking import read_ranking
from tests.results.responses.helpers import Model, ids, pairs, refusal, titles


def model(name: str, module: str, **values: object) -> Any:
    """An object of a type with the name and the module of a library's, and some attributes."""
    return type(name, (Model,), {"__module__": module})(**values)


NAMED: Any = namedtuple


def answered(result: object) -> dict[str, object]:
    """The JSON of Qdrant's REST interface."""
    return {"result": result, "status": "ok", "time": 0.001}


POINTS = [
    {"id": 1, "version": 0, "score": 1.0, "payload": {"sku": "sku-a", "title": "Blue"}},
    {"id": 2, "version": 0, "score": 0.5, "payload": {"sku": "sku-b", "title": "Red"}},
]


@pytest.mark.parametrize(
    "response",
    [answered({"points": POINTS}), answered(POINTS), {"points": POINTS}],
    ids=["query", "search", "a response of the client as a dict"],
)
def test_the_json_of_qdrant(response: object) -> None:
    assert pairs(response) == [("1", 1.0), ("2", 0.5)]
    assert ids(response, "sku") == ["sku-a", "sku-b"]
    assert titles(response) == ["Blue", "Red"]
    assert ids(answered({"points": []})) == ids(answered([])) == []


def test_two_ids_in_the_json_of_qdrant() -> None:
    response = answered({"points": [{"id": 1, "score": 1.0, "payload": {"id": "shop-1"}}]})
    assert "write id_field: id or id_field: payload.id in the case file" in refusal(response)
    assert ids(response, "payload.id") == ["shop-1"]


@pytest.mark.parametrize(
    "response",
    [
        answered({"points": [{"id": 1, "payload": {}}], "next_page_offset": None}),  # of scroll, which has no scores
        {"result": POINTS},
        {"points": POINTS, "total": 2},
        {"points": "none"},
        answered([{"points": POINTS}]),
        {"ids": [[5, 0]], "distances": [[0.5, 0.75]]},
        {"ids": ["b", "a"]},
        {"ids": ["b", "a"], "scores": [0.5, 0.25]},
    ],
)
def test_other_mappings_are_of_neither_qdrant_nor_chroma(response: object) -> None:
    assert "a mapping without hits" in refusal(response, labels=["a"] * 6)


def test_columns_of_chroma_with_different_lengths_are_refused() -> None:
    message = refusal({"ids": [["b"]], "distances": [[0.5, 0.75]]})
    assert message.startswith("search returned columns of different lengths, ")


def test_documents_of_qdrant_with_fastembed() -> None:
    module = "qdrant_client.fastembed_common"
    found = model("QueryResponse", module, id="u-1", metadata={"sku": "sku-a"}, document="text", score=0.5)
    assert pairs([found]) == [("u-1", 0.5)]
    assert ids([found], "sku") == ["sku-a"]
    assert "search returned one result" in refusal(found)


def test_a_document_of_another_library_is_read_by_its_attributes() -> None:
    other = model("Document", "shop.models", id="a", metadata={"id": "b"})
    assert ids([other]) == ["a"]


def test_results_of_bm25s() -> None:
    results: Any = NAMED("Results", ["documents", "scores"], module="bm25s")
    below_0 = results(np.array([[4, 3, 2]]), np.array([[2.5, 0.0, -1.0]]))
    assert pairs(below_0, list("abcde")) == [("e", 2.5), ("d", 0.0), ("c", -1.0)]
    rows = np.empty((1, 3), dtype=object)
    rows[0] = [("a", "Blue"), ("b", "Red"), ("c", "Green")]
    assert titles(results(rows, np.array([[2.5, 1.5, 0.0]]))) == ["Blue", "Red"]


def test_a_plain_mapping_with_metadata() -> None:
    ranking = read_ranking([{"id": 7, "score": 0.5, "metadata": {"sku": "s-1", "title": "Blue"}}], "sku")
    assert (ranking.ids, ranking.titles, ranking.scores) == (["s-1"], ["Blue"], [0.5])
