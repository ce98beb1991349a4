"""Responses of libraries that are recognised by shape and type name, in models: no
library need be installed.
"""

from collections import namedtuple
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest

from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.read_ranking import read_ranking
from tests.results.responses.helpers import ids, pairs, refusal, titles

NAMED: Any = namedtuple


def named(module: str, name: str, base: type = object) -> Any:
    """A type with the name and the module of a library's."""
    return type(name, (base,), {"__module__": module})


@pytest.mark.parametrize(
    "response",
    [{"ids": [[5, 0]], "distances": [[0.5, 0.75]]}, {"ids": ["b", "a"]}],
)
def test_other_mappings_with_ids_are_not_those_of_chroma(response: object) -> None:
    line = 'return response["ids"]'
    assert refusal(response, labels=["a"] * 6).endswith(line)


def test_columns_of_chroma_with_different_lengths_are_refused() -> None:
    message = refusal({"ids": [["b"]], "distances": [[0.5, 0.75]]})
    assert message.startswith("search returned columns of different lengths, ")


def test_results_of_bm25s() -> None:
    results: Any = NAMED("Results", ["documents", "scores"], module="bm25s")
    below_0 = results(np.array([[4, 3, 2]]), np.array([[2.5, 0.0, -1.0]]))
    assert pairs(below_0, list("abcde")) == [("e", 2.5), ("d", 0.0), ("c", -1.0)]
    rows = np.empty((1, 3), dtype=object)
    rows[0] = [("a", "Blue"), ("b", "Red"), ("c", "Green")]
    assert titles(results(rows, np.array([[2.5, 1.5, 0.0]]))) == ["Blue", "Red"]


# --- rows -----------------------------------------------------------------------------


class KeyedRow(list[object]):
    """As psycopg2's DictRow: a list that also has its values by the names of the
    columns.
    """

    columns = {"title": 0, "id": 1}  # noqa: RUF012

    def keys(self) -> Iterable[str]:
        return self.columns.keys()

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self.columns[key] if isinstance(key, str) else key)


def test_rows_that_are_lists_with_keys() -> None:
    rows = [KeyedRow(["Boots", "b"]), KeyedRow(["Apron", "a"])]
    assert read_ranking(rows) == Ranking(["b", "a"], ["Boots", "Apron"])


def test_a_score_before_a_document_is_a_score() -> None:
    rows = [(1.5, {"id": "b", "title": "Boots"}), (0.5, {"id": "a", "title": "Apron"})]
    assert read_ranking(rows) == Ranking(["b", "a"], ["Boots", "Apron"], [1.5, 0.5])
    assert "is not a (id, score), (id, title) or (id, title, score) row" in refusal(
        [(3, {"title": "Boots"})]
    )


def test_a_title_that_is_missing_in_a_row() -> None:
    assert read_ranking([("b", None, 1.5), ("a", "Apron", 0.5)]) == Ranking(
        ["b", "a"], [None, "Apron"], [1.5, 0.5]
    )


# --- types of a project's own with the names of a library's ---------------------------


class _Found:
    def __init__(self, **values: object) -> None:
        self.__dict__.update(values)


class _Iterable(_Found):
    def __iter__(self) -> Iterator[str]:
        return iter(["b", "a"])


OWN_RESPONSES: dict[str, dict[str, object]] = {
    "Series": {"index": 3, "name": "shoes"},
    "Matches": {"keys": np.array([3, 1]), "distances": np.array([0.5, 0.75])},
    "Results": {"documents": np.array([[3, 1]]), "scores": np.array([[0.5, 0.75]])},
    "QueryResponse": {"points": [{"id": 3}]},
    "MSet": {},
    "Frame": {"columns": ["id"], "shape": (2, 1)},
    "SearchResult": {"hits": ["b", "a"]},
}


@pytest.mark.parametrize("name", OWN_RESPONSES)
def test_a_response_of_the_projects_own_is_read_as_what_it_is(name: str) -> None:
    assert ids(named("shop.models", name, _Iterable)(**OWN_RESPONSES[name])) == [
        "b",
        "a",
    ]


@pytest.mark.parametrize(
    "name", ["Document", "ScoredPoint", "NodeWithScore", "MSetItem", "Record"]
)
def test_a_result_of_the_projects_own_is_read_by_its_attributes(name: str) -> None:
    own = named("shop.models", name, _Found)
    inner: dict[str, object] = {
        "payload": {"sku": "x"},
        "metadata": {"id": "b"},
        "node": {"id": "x"},
        "docid": "b",
    }
    assert read_ranking([own(id="b", score=1.5, **inner)]) == Ranking(["b"], (), [1.5])
    assert ids([own(**inner)], "payload.sku") == ["x"]
