"""Home-made APIs: the message says where the results of a response are, and shows the
line to write.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.results.responses.errors import UnreadableRanking
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.read_ranking import read_ranking
from tests.results.responses.helpers import ids, refusal

HITS = [{"id": "a", "title": "Apron"}, {"id": "b", "title": "Boots"}]
RECORDS = [{"url": "https://shop/a"}, {"url": "https://shop/b"}]

LINES: dict[str, tuple[object, str]] = {
    "Django": ({"count": 2, "next": None, "results": HITS}, 'response["results"]'),
    "results, none found": ({"count": 0, "results": []}, 'response["results"]'),
    "data": ({"data": HITS, "status": "ok"}, 'response["data"]'),
    "ids": ({"data": ["a", "b"]}, 'response["data"]'),
    "an inner mapping": ({"data": {"items": HITS, "total": 2}}, 'response["data"]["items"]'),
    "JSON:API": ({"data": [{"id": "1"}], "included": HITS}, 'response["data"]'),
    "other words": ({"treffer": HITS, "anzahl": 2}, 'response["treffer"]'),
    "with facets": ({"facets": [{"id": "b"}], "goods": HITS}, 'response["goods"]'),
    "records without an id": (
        {"organic_results": RECORDS, "related_searches": [{"query": "x"}]},
        'response["organic_results"]',
    ),
    "GraphQL, edges": (
        {"data": {"search": {"edges": [{"node": {"id": "a"}, "cursor": "x"}]}}},
        '[edge["node"] for edge in response["data"]["search"]["edges"]]',
    ),
    "GraphQL, nodes": ({"data": {"products": {"nodes": HITS}}}, 'response["data"]["products"]["nodes"]'),
    "wrapped": ({"hits_": [{"rank": 1, "product": {"id": "a"}}]}, '[item["product"] for item in response["hits_"]]'),
    "Weaviate": (
        {"data": {"Get": {"Product": [{"_additional": {"id": "a"}, "title": "x"}]}}},
        'response["data"]["Get"]["Product"]',
    ),
    "CloudSearch": ({"hits": {"found": 2, "hit": HITS}}, 'response["hits"]["hit"]'),
    "Bedrock": ({"retrievalResults": [{"content": {"text": "t"}, "score": 0.5}]}, 'response["retrievalResults"]'),
    "Qdrant over HTTP": ({"result": {"points": [{"id": 1}]}, "status": "ok"}, 'response["result"]["points"]'),
    "a body in a body": ({"ok": True, "response": {"hits": {"hits": [{"_id": "a"}]}}}, 'response["response"]'),
    "groups": (
        {"groups": [{"name": "x", "products": HITS}, {"name": "y", "products": HITS}]},
        '[result for group in response["groups"] for result in group["products"]]',
    ),
    "an id beside records": ({"meta": {"id": "request-1"}, "treffer": [{"sku": "a"}]}, 'response["treffer"]'),
    "numbers as keys": ({1: [{"id": "a"}]}, "response[1]"),
    "groups with an id": (
        {"groups": [{"id": "brand", "hits": HITS}]},
        '[result for group in response["groups"] for result in group["hits"]]',
    ),
    "results with parts": ({"results": [{"id": "a", "variants": [{"id": "a-1"}]}]}, 'response["results"]'),
    "groups of Typesense": (
        {"found": 1, "grouped_hits": [{"group_key": ["x"], "hits": HITS}]},
        '[result for group in response["grouped_hits"] for result in group["hits"]]',
    ),
    "groups of Solr": (
        {"grouped": {"brand": {"groups": [{"doclist": {"docs": HITS}}]}}},
        '[result for group in response["grouped"]["brand"]["groups"] '
        'for result in group["doclist"]["docs"]]',
    ),
    "groups in results": (
        {"results": [{"key": "x", "hits": HITS}, {"key": "y", "hits": HITS}]},
        '[result for group in response["results"] for result in group["hits"]]',
    ),
    "a list of groups": (
        [{"key": "x", "hits": HITS}, {"key": "y", "hits": HITS}],
        '[result for group in response for result in group["hits"]]',
    ),
    "several searches": ({"results": [{"hits": HITS, "found": 2}, {"hits": [], "found": 0}]}, 'response["results"][0]'),
    "lists of several searches": ({"results": [HITS]}, 'response["results"][0]'),
    "ids and scores": ({"ids": ["a", "b"], "scores": [0.5, 0.25]}, 'list(zip(response["ids"], response["scores"]))'),
    "rows, and columns with names": (
        {"columns": [{"name": "id"}, {"name": "title"}], "values": [["a", "Apron"]]},
        '[dict(zip([column["name"] for column in response["columns"]], row)) '
        'for row in response["values"]]',
    ),
    "rows under names": (
        {"columns": ["id", "price"], "rows": [["a", 5], ["b", 6]]},
        '[dict(zip(response["columns"], row)) for row in response["rows"]]',
    ),
    "Databricks": (
        {
            "manifest": {"columns": [{"name": "id"}]},
            "result": {"data_array": [["a"], ["b"]]},
        },
        '[dict(zip([column["name"] for column in response["manifest"]["columns"]], row)) '
        'for row in response["result"]["data_array"]]',
    ),
    "a frame in a mapping": ({"data": pd.DataFrame(HITS)}, 'response["data"]'),
    "an array in a mapping": ({"ids": np.array(["a", "b"])}, 'response["ids"]'),
    "a generator in a mapping": ({"results": iter(HITS)}, 'response["results"]'),
    "a message beside": ({"message": "ok", "results": HITS}, 'response["results"]'),
    "JSON as text": ({"statusCode": 200, "body": '{"results": []}'}, 'json.loads(response["body"])'),
    "ids and scores as items": (
        {"a": 0.5, "b": 0.25},
        "sorted(response.items(), key=lambda item: item[1], reverse=True)",
    ),
    "ids and documents as items": (
        {"a": {"title": "Apron"}, "b": {"title": "Boots"}},
        '[{"id": id, **document} for id, document in response.items()]',
    ),
    "(hits, meta)": ((HITS, {"total": 2}), "response[0]"),
    "(meta, hits)": (({"total": 2}, HITS), "response[1]"),
    "(total, hits, facets)": ((2, HITS, [{"x": 1}]), "response[1]"),
    "(ids, None)": ((["a", "b"], None), "response[0]"),
    "(hits, total), none found": (([], 0), "response[0]"),
    "(ids, scores)": ((["a", "b"], [0.5, 0.25]), "list(zip(response[0], response[1]))"),
    "a list in a list": ([HITS], "response[0]"),
    "a list of bodies": ([{"hits": {"hits": [{"_id": "a"}]}}], "response[0]"),
    "pages": ([iter(HITS)], "[result for page in response for result in page]"),
}  # fmt: skip


@pytest.mark.parametrize(("response", "line"), LINES.values(), ids=LINES)
def test_the_message_ends_with_the_line_to_write(response: object, line: str) -> None:
    assert refusal(response).endswith(f"return {line}")


READ_ONCE = ("pages", "a generator in a mapping")
WITHOUT_IDS = (
    "records without an id",
    "an id beside records",
    "Bedrock",
    "Weaviate",
)
OTHERS = (*READ_ONCE, *WITHOUT_IDS, "JSON as text")
"""Those whose results need `id_field`, or were read by another test; and JSON, which is
to be parsed first.
"""


@pytest.mark.parametrize("name", [name for name in LINES if name not in OTHERS])
def test_what_the_line_returns_can_be_read(name: str) -> None:
    response, line = LINES[name]
    returned = eval(line, {"response": response})
    assert ids(returned)[:1] in (["a"], ["1"], [])


def test_a_message_names_the_list_and_what_is_in_it() -> None:
    assert refusal({"count": 2, "results": HITS}) == (
        f"search returned a mapping instead of a list of results, { ({'count': 2, 'results': HITS})!r}; its results are "
        'probably in response["results"] (2 mappings): return response["results"]'
    )


def test_a_message_names_several_lists() -> None:
    message = refusal({"products": HITS, "articles": HITS, "suggestions": ["x"]})
    assert message.endswith(
        'it holds response["products"] (2 mappings), response["articles"] (2 mappings) and response["suggestions"] '
        '(1 text); return the one with the results, probably: return response["products"]'
    )


@pytest.mark.parametrize(
    "response", [{}, {"took": 3, "total": 0}, {"hits": 3}, {"count": 0, "items": None}]
)
def test_a_mapping_without_a_list(response: object) -> None:
    assert refusal(response).endswith(
        "it holds no list; return a list of results, best first (ids, (id, score) rows, or mappings with an id), or "
        "implement the hook pytest_relevance_ranking"
    )


# --- objects --------------------------------------------------------------------------


@dataclass
class Page:
    data: list[dict[str, str]]
    took: int = 3


class Response(NamedTuple):
    records: list[dict[str, str]]
    total: int


class Slots:
    __slots__ = ("n", "rows")

    def __init__(self) -> None:
        self.rows, self.n = HITS, 2


class WithProperties:
    """As many clients are: the fields are private."""

    @property
    def results(self) -> list[dict[str, str]]:
        return HITS

    @property
    def items(self) -> object:
        raise RuntimeError("the client is closed")


class Keyed:
    """As some clients are: like a mapping, and none."""

    fields = {"results": HITS, "n": 2}  # noqa: RUF012

    def keys(self) -> Any:
        return self.fields.keys()

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]


class Searched:
    def results(self) -> list[dict[str, str]]:
        return HITS


class Query:
    def execute(self) -> list[dict[str, str]]:
        return HITS


OBJECTS: dict[str, tuple[object, str]] = {
    "a data class": (Page(HITS), "return response.data"),
    "a named tuple": (Response(HITS, 2), "return response.records"),
    "slots": (Slots(), "return response.rows"),
    "a property": (WithProperties(), "return response.results"),
    "keys": (Keyed(), 'return response["results"]'),
    "items": (SimpleNamespace(items=HITS, total=2), "return response.items"),
    "an object in an object": (SimpleNamespace(body=SimpleNamespace(results=HITS)), "return response.body.results"),
    "a mapping in an object": (SimpleNamespace(data={"items": HITS}), 'return response.data["items"]'),
    "objects": (SimpleNamespace(source_nodes=[SimpleNamespace(id="a")]), "return response.source_nodes"),
    "a method": (Searched(), "it has a method results: return response.results() if that gives the results"),
    "a query that was not sent": (
        Query(),
        "it has a method execute: return response.execute() if that gives the results",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("response", "line"), OBJECTS.values(), ids=OBJECTS)
def test_the_lists_of_an_object(response: object, line: str) -> None:
    assert refusal(response).endswith(line)


def test_a_model_of_pydantic() -> None:
    pydantic: Any = pytest.importorskip("pydantic")
    model = pydantic.create_model("Found", items=(list, ...), total=(int, 0))
    assert refusal(model(items=HITS)).endswith("return response.items")


def test_a_result_with_lists_of_its_own_is_one_result() -> None:
    response = {"id": "a", "tags": ["new"], "links": [{"href": "https://shop/a"}]}
    assert refusal(response).startswith("search returned one result, ")


def test_objects_that_hold_each_other_end() -> None:
    one: Any = SimpleNamespace()
    one.other = SimpleNamespace(other=one, results=HITS)
    assert refusal(one).endswith("return response.other.results")


def endless() -> Iterator[str]:
    while True:
        yield "a"


def test_an_endless_iterator_in_a_response_is_not_read() -> None:
    assert refusal({"results": endless()}).endswith('return response["results"]')
    assert len(read_ranking(endless(), ReadOptions(most=5)).ids) == 5


# --- any JSON -------------------------------------------------------------------------

KEYS = """
    hits total value results docs response root children fields numFound error errors
    success status suggest options groups grouped_hits columns rows values data ids
    scores id _id message count found nbHits @odata.count warning total_results
    distances metadatas edges node x
"""
NAMES = st.sampled_from(KEYS.split())
LEAVES = st.none() | st.booleans() | st.integers(-2, 500) | st.floats() | st.text()
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(NAMES, inner)
        | st.dictionaries(NAMES, inner).map(lambda fields: SimpleNamespace(**fields))
    ),
    max_leaves=25,
)


@given(response=JSON | st.tuples(JSON, JSON))
def test_whatever_a_response_holds_it_is_a_ranking_or_a_refusal(
    response: object,
) -> None:
    try:
        ranking = read_ranking(response)
    except UnreadableRanking:
        return
    assert all(isinstance(document, str) and document for document in ranking.ids)
