"""Labels in lists, rows and mappings, which the attribute `ids` of the fixture's value
turns into ids.
"""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pytest_relevance.results.responses.labels import declares_ids
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.read_ranking import read_ranking
from tests.results.responses.helpers import pairs, refusal

IDS = ["sku-a", "sku-b", "sku-c", "sku-d"]
PRODUCTS = [
    {"id": "sku-a", "title": "Apron", "brand": "acme"},
    {"id": "sku-b", "title": "Boots", "brand": "lee"},
]

PLAIN: list[tuple[str, float | None]] = [("sku-d", None), ("sku-a", None)]
SCORED: list[tuple[str, float | None]] = [("sku-d", 0.9), ("sku-a", 0.5)]
ROWS = [{"id": 3, "score": 0.9}, {"id": 0, "score": 0.5}]
LABELS: dict[str, tuple[object, list[tuple[str, float | None]]]] = {
    "numbers": ([3, 0], PLAIN),
    "numbers of numpy": ([np.int64(3), np.int32(0)], PLAIN),
    "an array": (np.array([3, 0]), PLAIN),
    "what faiss did not find": ([3, -1, 0, -1], PLAIN),
    "(label, score) rows": ([(3, 0.9), (0, 0.5)], SCORED),
    "zipped": (zip([3, -1], [0.9, 0.0], strict=True), SCORED[:1]),
    "(label, title) rows": ([(3, "Dress"), (0, "Apron")], PLAIN),
    "mappings": (ROWS, SCORED),
    "objects": ([SimpleNamespace(**row) for row in ROWS], SCORED),
    "a data frame": (pd.DataFrame(ROWS).rename(columns={"id": "docid"}), SCORED),
    "nothing": ([], []),
}


@pytest.mark.parametrize(("response", "expected"), LABELS.values(), ids=LABELS)
def test_labels_become_ids(
    response: object, expected: list[tuple[str, float | None]]
) -> None:
    assert pairs(response, IDS) == expected


def test_ids_that_are_integers_are_looked_up_once() -> None:
    assert pairs([3, 0], [1, 2, 3, 4]) == [("4", None), ("1", None)]
    assert pairs(np.array([[3, 0]]), [1, 2, 3, 4]) == [("4", None), ("1", None)]
    assert pairs([{"id": 0}], {"0": 3, "3": 0}) == [("3", None)]


def test_labels_that_are_text_in_a_mapping() -> None:
    found = read_ranking(
        ["row-1", "row-2"],
        ReadOptions(
            ids=lambda: {"row-1": "sku-b", "row-2": "sku-a"}, declares_ids=True
        ),
    )
    assert found.ids == ["sku-b", "sku-a"]


def test_entries_may_be_documents() -> None:
    def read(response: object) -> Ranking:
        return read_ranking(
            response, ReadOptions(ids=lambda: PRODUCTS, fields={"brand": 2})
        )

    expected = Ranking(
        ["sku-b", "sku-a"], ["Boots", "Apron"], (), {"brand": ["lee", "acme"]}
    )
    assert read([1, 0]) == expected
    assert read([{"id": 1}, {"id": 0}]) == expected
    assert read([(1, 0.9), (0, 0.5)]) == replace(expected, scores=[0.9, 0.5])
    own = read([{"id": 1, "score": 0.9, "title": "Black"}, {"id": 0, "score": 0.5}])
    assert (own.titles, own.scores) == (["Black", "Apron"], [0.9, 0.5])


def test_a_label_that_is_not_in_ids() -> None:
    why = "search returned the label 4, which is not in the attribute ids"
    assert why in refusal([4], labels=IDS)


def test_labels_beside_ids() -> None:
    assert refusal([3, "sku-a"], labels=IDS) == (
        "search returned labels (integers) for the attribute ids of the fixture's value, and among them 'sku-a' as "
        "result 2 of 2; return labels alone, or ids alone"
    )


def test_two_ids_of_a_result_with_a_label() -> None:
    message = refusal([{"id": 3, "document_id": 7}], labels=IDS)
    assert 'has two ids, id "3" and document_id "7"' in message


@pytest.mark.parametrize(
    "response", [["sku-a"], [("sku-a", 0.5)], [{"id": "sku-a"}], [{"id": "3"}]]
)
def test_ids_that_are_given_and_not_used(response: Any) -> None:
    with pytest.raises(
        ValueError, match=r"an attribute ids, .* search returned no labels"
    ):
        read_ranking(response, ReadOptions(ids=lambda: IDS, declares_ids=True))
    assert read_ranking(response, ReadOptions(ids=lambda: IDS)).ids in (
        ["sku-a"],
        ["3"],
    )


class WithProperty:
    @property
    def ids(self) -> list[str]:
        raise AssertionError("ids was read")


class WithMethod:
    def ids(self) -> list[str]:
        raise AssertionError("ids was called")


class WithSlot:
    __slots__ = ("ids",)

    def __init__(self) -> None:
        self.ids = IDS


def test_what_declares_ids() -> None:
    def search(query: str) -> list[int]:
        return [3]

    assert not declares_ids(search)
    setattr(search, "ids", IDS)  # noqa: B010 - mypy knows no attributes of functions
    assert declares_ids(search)
    assert declares_ids(SimpleNamespace(ids={}))
    assert declares_ids(WithSlot())
    assert not declares_ids(SimpleNamespace(ids=None))
    assert not declares_ids(WithProperty())
    assert not declares_ids(WithMethod())


def test_a_method_with_the_name_ids_is_the_search_s_own() -> None:
    assert read_ranking([3], ReadOptions(ids=lambda: WithMethod().ids)).ids == ["3"]
