"""The rankings that are read from the response bodies of engines."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.results.responses.helpers import ids, pairs, refusal, titles

BOOTS, APRON = {"title": "Boots", "sku": "B-1"}, {"title": "Apron", "sku": "A-1"}
ELASTICSEARCH = {
    "took": 5,
    "timed_out": False,
    "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
    "hits": {
        "total": {"value": 2, "relation": "eq"},
        "max_score": 1.38,
        "hits": [
            {"_index": "shop", "_id": "b", "_score": 1.38, "_source": BOOTS},
            {"_index": "shop", "_id": "a", "_score": 0.69, "_source": APRON},
        ],
    },
}
WITH_FIELDS = {
    "hits": {
        "hits": [
            {"_id": "b", "fields": {"title": ["Boots"], "product.sku": ["B-1"]}},
            {"_id": "a", "fields": {"title": ["Apron"], "product.sku": ["A-1"]}},
        ]
    }
}
SOLR = {
    "responseHeader": {"status": 0, "QTime": 1, "params": {"q": "*:*"}},
    "response": {
        "numFound": 2,
        "start": 0,
        "numFoundExact": True,
        "docs": [{"id": "b", "title": ["Boots"]}, {"id": "a", "title": ["Apron"]}],
    },
}
MARKED = {"name": {"value": "<em>Boots</em>"}}
ALGOLIA = {
    "hits": [
        {"objectID": "b", "name": "Boots", "_highlightResult": MARKED},
        {"objectID": "a", "name": "Apron", "_highlightResult": MARKED},
    ],
    "nbHits": 2,
    "page": 0,
    "query": "boots",
}
MEILISEARCH = {
    "hits": [{"id": 7, "title": "Boots"}, {"id": 3, "title": "Apron"}],
    "estimatedTotalHits": 2,
    "processingTimeMs": 1,
    "query": "boots",
}
TYPESENSE = {
    "found": 2,
    "hits": [
        {"document": {"id": "b", **BOOTS}, "highlights": [], "text_match": 5787},
        {"document": {"id": "a", **APRON}, "highlights": [], "text_match": 5786},
    ],
    "page": 1,
}
VESPA = {
    "root": {
        "id": "toplevel",
        "relevance": 1.0,
        "fields": {"totalCount": 2},
        "children": [
            {"id": "id:shop:product::b", "relevance": 0.5, "fields": BOOTS},
            {"id": "id:shop:product::a", "relevance": 0.2, "fields": APRON},
        ],
    }
}
BODIES = {
    "Elasticsearch": (ELASTICSEARCH, ["b", "a"]),
    "Elasticsearch with fields": (WITH_FIELDS, ["b", "a"]),
    "Solr": (SOLR, ["b", "a"]),
    "Algolia": (ALGOLIA, ["b", "a"]),
    "Meilisearch": (MEILISEARCH, ["7", "3"]),
    "Typesense": (TYPESENSE, ["b", "a"]),
    "Vespa": (VESPA, ["id:shop:product::b", "id:shop:product::a"]),
}


@pytest.mark.parametrize(("body", "expected"), BODIES.values(), ids=BODIES)
def test_the_body_of_an_engine(body: object, expected: list[str]) -> None:
    assert ids(body) == expected
    assert titles(body) == ["Boots", "Apron"]


OTHER_IDS = {
    "nested": (ELASTICSEARCH, "sku", ["B-1", "A-1"]),
    "nested, with its path": (ELASTICSEARCH, "_source.sku", ["B-1", "A-1"]),
    "a field with a dot, in a list": (WITH_FIELDS, "product.sku", ["B-1", "A-1"]),
    "in a document's fields": (VESPA, "sku", ["B-1", "A-1"]),
    "deep": ([{"product": {"codes": {"sku": "b"}}}], "product.codes.sku", ["b"]),
    "of an object": (
        [SimpleNamespace(product=SimpleNamespace(sku=7))],
        "product.sku",
        ["7"],
    ),
    "besides an id": ([{"id": "internal-1", "sku": "b"}], "sku", ["b"]),
}


@pytest.mark.parametrize(
    ("response", "id_field", "expected"), OTHER_IDS.values(), ids=OTHER_IDS
)
def test_the_field_of_the_id_can_be_named(
    response: object, id_field: str, expected: list[str]
) -> None:
    assert ids(response, id_field) == expected


# --- ES|QL ----------------------------------------------------------------------------

COLUMNS = [
    {"name": "_id", "type": "keyword"},
    {"name": "title", "type": "text"},
    {"name": "_score", "type": "double"},
]


def table(*values: list[object], **more: object) -> dict[str, object]:
    """The body of an ES|QL query."""
    return {"took": 9, "columns": COLUMNS, "values": [*values], **more}


def test_the_rows_of_an_esql_query() -> None:
    body = table(["b", "Boots", 1.4], ["a", "Apron", 0.7], is_partial=False)
    assert pairs(body) == [("b", 1.4), ("a", 0.7)]
    assert titles(body) == ["Boots", "Apron"]
    assert ids(SimpleNamespace(body=body)) == ["b", "a"]
    assert ids(table()) == []


def test_an_esql_query_that_answered_in_part() -> None:
    message = refusal(table(["b", "Boots", 1.4], is_partial=True))
    assert message.startswith("the response says that it is not complete: is_partial")


@pytest.mark.parametrize(
    "values",
    [
        [["b", "a"], ["Boots", "Apron"], [1.4, 0.7]],
        [["b", "a", "c"], ["Boots", "Apron", "Coat"], [1.4, 0.7, 0.1]],
    ],
    ids=["two results", "as many results as columns"],
)
def test_an_esql_table_that_is_listed_by_columns(values: list[list[object]]) -> None:
    assert "send the query without columnar" in refusal(table(*values))


# --- pyvespa --------------------------------------------------------------------------


def vespa_response(root: dict[str, Any], status: int = 200) -> Any:
    io = pytest.importorskip("vespa.io")
    return io.VespaQueryResponse(
        json={"root": root}, status_code=status, url="http://localhost:8080"
    )


def test_the_response_of_pyvespa() -> None:
    hit = {"id": "id:shop:product::b", "relevance": 0.5, "fields": BOOTS}
    coverage = {"full": True, "coverage": 100}
    response = vespa_response({"coverage": coverage, "children": [hit]})
    assert ids(response) == ["id:shop:product::b"]
    assert (ids(response, "sku"), titles(response)) == (["B-1"], ["Boots"])
    assert ids(vespa_response({"fields": {"totalCount": 0}})) == []


@pytest.mark.parametrize(
    ("root", "status", "message"),
    [
        ({"errors": [{"code": 12}]}, 504, "search returned an error: "),
        ({"fields": {"totalCount": 0}}, 504, "status_code is 504"),
        ({"fields": {"totalCount": 120}}, 200, "root.fields.totalCount is 120"),
    ],
    ids=["errors", "a status", "a total"],
)
def test_trouble_in_a_response_of_pyvespa(
    root: dict[str, Any], status: int, message: str
) -> None:
    assert message in refusal(vespa_response(root, status))
