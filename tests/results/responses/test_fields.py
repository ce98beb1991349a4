"""Fields of what libraries return: each family of responses is asked for the brand and the price of two products."""

from __future__ import annotations

import json
import sqlite3
from collections import namedtuple
from collections.abc import Callable
from dataclasses import make_dataclass
from typing import Any

import pytest

from pytest_relevance.results.responses.ranking import read_ranking
from tests.results.responses.test_xapian import mset, xapian

library = pytest.importorskip
BRANDS, PRICES = ["Acme", "Borealis"], [10, 12.5]
PRODUCTS: list[dict[str, Any]] = [
    {"id": id_, "brand": brand, "price": price} for id_, brand, price in zip("ab", BRANDS, PRICES, strict=True)
]
HITS = [{"_id": each["id"], "_score": 1.0, "_source": each} for each in PRODUCTS]
FIELDS = [{key: each[key] for key in ("brand", "price")} for each in PRODUCTS]


def _rows(connection: Any) -> Any:
    connection.execute("create table products (id varchar, brand varchar, price double)")
    for each in PRODUCTS:
        connection.execute("insert into products values (?, ?, ?)", [*each.values()])
    return connection.execute("select * from products order by id")


def _sqlite() -> Any:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    return _rows(connection).fetchall()


def _qdrant() -> Any:
    models = library("qdrant_client").models
    client = library("qdrant_client").QdrantClient(":memory:")
    client.create_collection("p", vectors_config=models.VectorParams(size=2, distance=models.Distance.DOT))
    points = [models.PointStruct(id=n, vector=[1.0, -n], payload=each) for n, each in enumerate(FIELDS, 1)]
    client.upsert("p", points=points)
    return client.query_points("p", query=[1.0, 1.0], limit=2)


def _chroma() -> Any:
    chromadb = library("chromadb")
    client = chromadb.EphemeralClient(settings=chromadb.Settings(anonymized_telemetry=False))
    collection = client.create_collection("fields", embedding_function=None, get_or_create=True)
    collection.upsert(ids=["a", "b"], embeddings=[[1.0, 0.0], [0.0, 1.0]], metadatas=FIELDS)
    return collection.query(query_embeddings=[[1.0, 0.0]], n_results=2)


def _tantivy() -> Any:
    tantivy = library("tantivy")
    schema = tantivy.SchemaBuilder()
    for name in ("id", "brand"):
        schema.add_text_field(name, stored=True)
    schema.add_float_field("price", stored=True)
    index = tantivy.Index(schema.build())
    writer = index.writer()
    for each in reversed(PRODUCTS):
        writer.add_document(
            tantivy.Document(**{name: [value] for name, value in {**each, "price": float(each["price"])}.items()})
        )
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    found = {searcher.doc(hit[1])["id"][0]: hit for hit in searcher.search(tantivy.Query.all_query(), 10).hits}
    return searcher, [found["a"], found["b"]]


def _langchain() -> Any:
    document = library("langchain_core.documents").Document
    return [
        document(page_content="x", id=each["id"], metadata=fields)
        for each, fields in zip(PRODUCTS, FIELDS, strict=True)
    ]


def _llama_index() -> Any:
    schema = library("llama_index.core.schema")
    nodes = [
        schema.TextNode(text="x", id_=each["id"], metadata=fields)
        for each, fields in zip(PRODUCTS, FIELDS, strict=True)
    ]
    return [schema.NodeWithScore(node=node, score=0.5) for node in nodes]


def _elasticsearch() -> Any:
    transport = library("elastic_transport")
    meta = transport.ApiResponseMeta(200, "1.1", transport.HttpHeaders(), 0.1, transport.NodeConfig("http", "x", 80))
    return transport.ObjectApiResponse(body={"hits": {"hits": HITS}}, meta=meta)


def _dsl(module: str) -> Callable[[], Any]:
    return lambda: library(f"{module}.response").Response(library(module).Search(), {"hits": {"hits": HITS}})


def _model(**fields: Any) -> Any:
    pydantic = library("pydantic")
    return pydantic.create_model("Product", **dict.fromkeys(("id", "brand", "price"), (Any, None)))(**fields)


FAMILIES: dict[str, Callable[[], Any]] = {
    "dicts": lambda: PRODUCTS,
    "dicts with scores": lambda: [(each, 0.5) for each in PRODUCTS],
    "objects": lambda: [make_dataclass("Product", each)(**each) for each in PRODUCTS],
    "named tuples": lambda: [namedtuple("Product", each)(**each) for each in PRODUCTS],
    "rows of sqlite3": _sqlite,
    "a body of Elasticsearch": lambda: {"hits": {"hits": HITS}},
    "a body of Typesense": lambda: {"hits": [{"document": each, "text_match": 1} for each in PRODUCTS]},
    "a body of Vespa": lambda: {
        "root": {"children": [{"id": each["id"], "relevance": 1.0, "fields": each} for each in PRODUCTS]}
    },
    "a frame of pandas": lambda: library("pandas").DataFrame(PRODUCTS),
}
WITH_LIBRARIES: dict[str, Callable[[], Any]] = {
    "models of pydantic": lambda: [_model(**each) for each in PRODUCTS],
    "elasticsearch-py": _elasticsearch,
    "the DSL of elasticsearch-py": _dsl("elasticsearch.dsl"),
    "the DSL of opensearch-py": lambda: library("opensearchpy.helpers.response").Response(
        library("opensearchpy").Search(), {"hits": {"hits": HITS}}
    ),
    "qdrant": lambda: _qdrant().points and _qdrant(),
    "chroma": _chroma,
    "langchain": _langchain,
    "llama-index": _llama_index,
    "tantivy": _tantivy,
    "a relation of duckdb": lambda: _rows(library("duckdb").connect()),
    "a frame of polars": lambda: library("polars").DataFrame(PRODUCTS, strict=False),
    "a table of Arrow": lambda: library("pyarrow").Table.from_pylist(
        [{**each, "price": float(each["price"])} for each in PRODUCTS]
    ),
    "xapian": lambda: (
        library("xapian") if xapian is None else mset(*((json.dumps(each), "") for each in reversed(PRODUCTS)))
    ),
}


@pytest.mark.parametrize("response", FAMILIES.values(), ids=FAMILIES)
def test_the_fields_of_each_shape(response: Callable[[], Any]) -> None:
    check(response)


@pytest.mark.engines
@pytest.mark.parametrize("response", WITH_LIBRARIES.values(), ids=WITH_LIBRARIES)
def test_the_fields_of_each_library(response: Callable[[], Any]) -> None:
    check(response)


def check(response: Callable[[], Any]) -> None:
    ranking = read_ranking(response(), fields={"brand": 10, "price": 1})
    assert ranking.fields == {"brand": BRANDS, "price": PRICES[:1]}
    assert {type(value) for value in ranking.fields["brand"]} == {str}
    assert read_ranking(response()).fields is None


@pytest.mark.engines
def test_a_null_in_a_model_is_no_missing_field() -> None:
    found = read_ranking([_model(id="a")], fields={"brand": 1, "colour": 1}).fields
    assert found is not None
    assert found["brand"] == [None]
    assert "the result has id" in str(found["colour"])
