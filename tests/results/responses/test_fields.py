"""Fields of results: each shape of response is asked for the brand and the price of two
products.
"""

import sqlite3
from collections import namedtuple
from collections.abc import Callable
from dataclasses import make_dataclass
from typing import Any

import pandas
import pytest

from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.read_ranking import read_ranking

BRANDS, PRICES = ["Acme", "Borealis"], [10, 12.5]
PRODUCTS: list[dict[str, Any]] = [
    {"id": id_, "brand": brand, "price": price}
    for id_, brand, price in zip("ab", BRANDS, PRICES, strict=True)
]
HITS = [{"_id": each["id"], "_score": 1.0, "_source": each} for each in PRODUCTS]


def _rows(connection: Any) -> Any:
    connection.execute(
        "create table products (id varchar, brand varchar, price double)"
    )
    for each in PRODUCTS:
        connection.execute("insert into products values (?, ?, ?)", [*each.values()])
    return connection.execute("select * from products order by id")


def _sqlite() -> Any:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    return _rows(connection).fetchall()


def _model(**fields: Any) -> Any:
    pydantic = pytest.importorskip("pydantic")
    return pydantic.create_model(
        "Product", **dict.fromkeys(("id", "brand", "price"), (Any, None))
    )(**fields)


FAMILIES: dict[str, Callable[[], Any]] = {
    "models of pydantic": lambda: [_model(**each) for each in PRODUCTS],
    "dicts": lambda: PRODUCTS,
    "dicts with scores": lambda: [(each, 0.5) for each in PRODUCTS],
    "objects": lambda: [make_dataclass("Product", each)(**each) for each in PRODUCTS],
    "named tuples": lambda: [namedtuple("Product", each)(**each) for each in PRODUCTS],
    "rows of sqlite3": _sqlite,
    "a body of Elasticsearch": lambda: {"hits": {"hits": HITS}},
    "a body of Typesense": lambda: {
        "hits": [{"document": each, "text_match": 1} for each in PRODUCTS]
    },
    "a body of Vespa": lambda: {
        "root": {
            "children": [
                {"id": each["id"], "relevance": 1.0, "fields": each}
                for each in PRODUCTS
            ]
        }
    },
    "a frame of pandas": lambda: pandas.DataFrame(PRODUCTS),
}


@pytest.mark.parametrize("response", FAMILIES.values(), ids=FAMILIES)
def test_the_fields_of_each_shape(response: Callable[[], Any]) -> None:
    ranking = read_ranking(response(), ReadOptions(fields={"brand": 10, "price": 1}))
    assert list(ranking.ids) == ["a", "b"]
    assert ranking.fields == {"brand": BRANDS, "price": PRICES[:1]}
    assert {type(value) for value in ranking.fields["brand"]} == {str}
    assert read_ranking(response()).fields is None


@pytest.mark.engines
def test_a_null_in_a_model_is_no_missing_field() -> None:
    found = read_ranking(
        [_model(id="a")], ReadOptions(fields={"brand": 1, "colour": 1})
    ).fields
    assert found is not None
    assert found["brand"] == [None]
    assert "the result has id" in str(found["colour"])
