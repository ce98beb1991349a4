"""What the libraries of engines return, read as it is. A test is skipped where its
library is not installed.
"""

from copy import deepcopy
from typing import Any

import pytest

from pytest_relevance.results.responses.ranking import read_ranking
from tests.results.responses.helpers import ids, refusal

BODY: dict[str, Any] = {
    "took": 5,
    "timed_out": False,
    "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
    "hits": {
        "total": {"value": 2, "relation": "eq"},
        "hits": [
            {
                "_index": "shop",
                "_id": "b",
                "_score": 1.5,
                "_source": {"title": "Boots", "product": {"sku": "B-1"}},
            },
            {
                "_index": "shop",
                "_id": "a",
                "_score": 0.5,
                "_source": {"title": "Apron", "product": {"sku": "A-1"}},
            },
        ],
    },
}
TIMED_OUT = {**BODY, "timed_out": True}
ONE_SHARD_DOWN = {
    **BODY,
    "_shards": {"total": 2, "successful": 1, "skipped": 0, "failed": 0},
}
NOT_FOUND = {"error": {"type": "index_not_found_exception"}, "status": 404}
not_whole = pytest.mark.parametrize(
    ("body", "message"),
    [
        (TIMED_OUT, "timed_out is True"),
        (ONE_SHARD_DOWN, "shards did not answer"),
        (NOT_FOUND, "search returned an error: "),
    ],
)


# --- elasticsearch.dsl, opensearch-py -------------------------------------------------

DSL = {
    "elasticsearch": ("elasticsearch.dsl", "elasticsearch.dsl.response"),
    "opensearch-py": ("opensearchpy", "opensearchpy.helpers.response"),
}


class Dsl:
    """The DSL of one of the two clients."""

    def __init__(self, name: str) -> None:
        main, response = DSL[name]
        self.main: Any = pytest.importorskip(main)
        self.module: Any = pytest.importorskip(response)

    def response(self, body: dict[str, Any]) -> Any:
        return self.module.Response(self.main.Search(), deepcopy(body))


@pytest.fixture(params=DSL)
def dsl(request: pytest.FixtureRequest) -> Dsl:
    return Dsl(request.param)


ID_FIELDS = {
    None: ["b", "a"],
    "_id": ["b", "a"],
    "meta.id": ["b", "a"],
    "product.sku": ["B-1", "A-1"],
    "_source.product.sku": ["B-1", "A-1"],
}


@pytest.mark.parametrize(("id_field", "expected"), ID_FIELDS.items())
def test_the_hits_of_the_dsl_clients_are_reached_by_every_id_field(
    dsl: Dsl, id_field: str | None, expected: list[str]
) -> None:
    response = dsl.response(BODY)
    assert ids(response, id_field) == expected
    assert ids(response.hits, id_field) == expected
    assert ids(list(response), id_field) == expected


def test_a_document_with_fields_that_are_named_like_methods(dsl: Dsl) -> None:
    body = deepcopy(BODY)
    for hit in body["hits"]["hits"]:
        hit["_source"] |= {"keys": "two", "items": "three"}
    assert ids(list(dsl.response(body))) == ["b", "a"]


def test_documents_of_a_class_of_the_user(dsl: Dsl) -> None:
    product = type("Product", (dsl.main.Document,), {"sku": dsl.main.Keyword()})
    assert ids(
        [product(meta={"id": "b"}, sku="B-1"), product(meta={"id": "a"}, sku="A-1")]
    ) == ["b", "a"]
    assert ids([product(meta={"id": "b"}, sku="B-1")], "sku") == ["B-1"]


@not_whole
def test_a_partial_response_of_the_dsl_clients(
    dsl: Dsl, body: dict[str, Any], message: str
) -> None:
    assert message in refusal(dsl.response(body))


def test_a_total_without_a_hit_of_the_dsl_clients(dsl: Dsl) -> None:
    body = {"hits": {"total": {"value": 120, "relation": "eq"}, "hits": []}}
    assert "hits.total is 120; ask for" in refusal(dsl.response(body))
    nothing = {"hits": {"total": {"value": 0, "relation": "eq"}, "hits": []}}
    assert ids(dsl.response(nothing)) == []


# --- pysolr ---------------------------------------------------------------------------


def solr_results(**header: object) -> Any:
    pysolr = pytest.importorskip("pysolr")
    docs = [{"id": "b", "title": ["Boots"]}, {"id": "a", "title": ["Apron"]}]
    return pysolr.Results(
        {
            "responseHeader": {"status": 0, **header},
            "response": {"numFound": 2, "docs": docs},
        }
    )


def test_the_results_of_pysolr() -> None:
    assert ids(solr_results()) == ["b", "a"]
    assert read_ranking(solr_results()).titles == ["Boots", "Apron"]


def test_partial_results_of_pysolr() -> None:
    assert "responseHeader.partialResults is" in refusal(
        solr_results(partialResults="omitted")
    )


def test_a_total_without_a_document_of_pysolr() -> None:
    pysolr = pytest.importorskip("pysolr")
    results = pysolr.Results({"response": {"numFound": 120, "start": 0, "docs": []}})
    assert "response.numFound is 120; ask for the first results (rows and" in refusal(
        results
    )


# --- pyvespa --------------------------------------------------------------------------


def vespa_response(root: dict[str, Any], status: int = 200) -> Any:
    io = pytest.importorskip("vespa.io")
    return io.VespaQueryResponse(
        json={"root": root}, status_code=status, url="http://localhost:8080"
    )


def test_the_response_of_pyvespa() -> None:
    children = [
        {
            "id": "id:shop:product::b",
            "relevance": 0.5,
            "fields": {"sku": "b", "title": "Boots"},
        }
    ]
    response = vespa_response(
        {"coverage": {"full": True, "coverage": 100}, "children": children}
    )
    assert ids(response) == ["id:shop:product::b"]
    assert ids(response, "sku") == ["b"]
    assert ids(vespa_response({"fields": {"totalCount": 0}})) == []


@pytest.mark.parametrize(
    ("root", "status", "message"),
    [
        (
            {"errors": [{"code": 12, "summary": "Timed out"}]},
            504,
            "search returned an error: ",
        ),
        ({"fields": {"totalCount": 0}}, 504, "status_code is 504"),
        ({"fields": {"totalCount": 120}}, 200, "root.fields.totalCount is 120"),
    ],
    ids=["errors", "a status", "a total"],
)
def test_trouble_in_a_response_of_pyvespa(
    root: dict[str, Any], status: int, message: str
) -> None:
    assert message in refusal(vespa_response(root, status))
