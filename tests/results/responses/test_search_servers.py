"""What the clients of Elasticsearch, OpenSearch and Solr return.

A local server plays back the bodies. A test is skipped if its library is not installed.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from typing import Any

import pytest

from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.read_ranking import read_ranking
from tests.local_server import serving
from tests.results.responses.helpers import ids, refusal

pytestmark = pytest.mark.engines

BOOTS = {"title": "Boots", "product": {"sku": "B-1"}}
APRON = {"title": "Apron", "product": {"sku": "A-1"}}
SHARDS = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
BODY: dict[str, Any] = {
    "took": 5,
    "timed_out": False,
    "_shards": SHARDS,
    "hits": {
        "total": {"value": 2, "relation": "eq"},
        "hits": [
            {"_index": "shop", "_id": "b", "_score": 1.5, "_source": BOOTS},
            {"_index": "shop", "_id": "a", "_score": 0.5, "_source": APRON},
        ],
    },
}
TIMED_OUT = {**BODY, "timed_out": True}
FAILED = {"error": {"type": "index_not_found_exception"}, "status": 404}
BEST_FIRST = Ranking(["b", "a"], ["Boots", "Apron"], [1.5, 0.5])

# --- the clients of Elasticsearch and OpenSearch --------------------------------------

QUERY: dict[str, Any] = {"query": {"match": {"title": "boots"}}}
LINES = [{}, QUERY, {}, QUERY]

Client = Callable[[str], Any]


def _elasticsearch(address: str) -> Any:
    return pytest.importorskip("elasticsearch").Elasticsearch(address)


def _opensearch(address: str) -> Any:
    return pytest.importorskip("opensearchpy").OpenSearch(address)


@pytest.fixture(
    params=[_elasticsearch, _opensearch], ids=["elasticsearch-py", "opensearch-py"]
)
def connected(request: pytest.FixtureRequest) -> Iterator[Callable[[object], Any]]:
    """Makes a client whose server answers with a body."""
    with ExitStack() as stack:
        yield lambda body: stack.enter_context(_client(request.param, body))


@contextmanager
def _client(make: Client, body: object) -> Iterator[Any]:
    with serving(lambda *_: body) as (address, _):
        client = make(address)
        yield client
        client.close()


def search(client: Any) -> Any:
    if type(client).__name__ == "OpenSearch":
        return client.search(index="shop", body=QUERY)
    return client.search(index="shop", query=QUERY["query"])


def test_the_response_of_a_client(connected: Callable[[object], Any]) -> None:
    response = search(connected(BODY))
    assert read_ranking(response) == BEST_FIRST
    assert ids(response, "product.sku") == ["B-1", "A-1"]
    assert ids(response["hits"]) == ["b", "a"]
    assert ids(response["hits"]["hits"]) == ["b", "a"]


def test_a_response_that_is_not_whole(connected: Callable[[object], Any]) -> None:
    assert "timed_out is True" in refusal(search(connected(TIMED_OUT)))


def test_each_response_of_a_multi_search_is_read_and_all_together_are_refused(
    connected: Callable[[object], Any],
) -> None:
    client = connected({"took": 4, "responses": [BODY, TIMED_OUT, FAILED]})
    is_opensearch = type(client).__name__ == "OpenSearch"
    response = client.msearch(**{"body" if is_opensearch else "searches": LINES})
    first, second, third = response["responses"]
    assert ids(first) == ["b", "a"]
    assert "timed_out is True" in refusal(second)
    assert "search returned an error: " in refusal(third)
    assert refusal(response).endswith('return response["responses"][0]')


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
    found = [product(meta={"id": "b"}, sku="B-1"), product(meta={"id": "a"}, sku="A-1")]
    assert ids(found) == ["b", "a"]
    assert ids(found, "sku") == ["B-1", "A-1"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (TIMED_OUT, "timed_out is True"),
        ({**BODY, "_shards": {**SHARDS, "total": 2}}, "shards did not answer"),
        (FAILED, "search returned an error: "),
        ({"hits": {"total": {"value": 120}, "hits": []}}, "hits.total is 120. Ask for"),
    ],
    ids=["timed out", "shards", "an error", "a total"],
)
def test_a_partial_response_of_the_dsl_clients(
    dsl: Dsl, body: dict[str, Any], message: str
) -> None:
    assert message in refusal(dsl.response(body))


def test_a_response_of_the_dsl_clients_that_found_nothing(dsl: Dsl) -> None:
    assert ids(dsl.response({"hits": {"total": {"value": 0}, "hits": []}})) == []


@pytest.mark.parametrize(
    ("module", "make"),
    [("elasticsearch.dsl", _elasticsearch), ("opensearchpy", _opensearch)],
)
def test_a_search_that_was_not_sent(module: str, make: Client) -> None:
    dsl = pytest.importorskip(module)
    with _client(make, BODY) as client:
        unsent = dsl.Search(using=client, index="shop").query("match", title="boots")
        assert ids(unsent) == ["b", "a"]
        assert ids(unsent.execute(), "product.sku") == ["B-1", "A-1"]
    with _client(make, TIMED_OUT) as client:
        assert "timed_out is True" in refusal(dsl.Search(using=client, index="shop"))


# --- pysolr ---------------------------------------------------------------------------


def solr(found: int, *docs: dict[str, Any], **header: object) -> Any:
    """Results of pysolr."""
    pysolr = pytest.importorskip("pysolr")
    header = {"status": 0, **header}
    response = {"numFound": found, "docs": [*docs]}
    return pysolr.Results({"responseHeader": header, "response": response})


def test_the_results_of_pysolr() -> None:
    docs = [{"id": "b", "title": ["Boots"]}, {"id": "a", "title": ["Apron"]}]
    assert read_ranking(solr(2, *docs)) == Ranking(["b", "a"], ["Boots", "Apron"])
    partial = solr(2, *docs, partialResults="omitted")
    assert "responseHeader.partialResults is 'omitted'" in refusal(partial)
    says = "response.numFound is 120. Ask for the first results (rows and"
    assert says in refusal(solr(120))
