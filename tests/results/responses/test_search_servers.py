"""What the clients of Elasticsearch and OpenSearch return, asked over HTTP: a local
server plays back the bodies.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from pytest_relevance.results.responses.ranking import Ranking, read_ranking
from tests.local_server import serving
from tests.results.responses.helpers import ids, refusal
from tests.results.responses.test_client_libraries import BODY, TIMED_OUT

pytestmark = pytest.mark.engines

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
    best_first = Ranking(["b", "a"], ["Boots", "Apron"], [1.5, 0.5])
    assert read_ranking(response) == best_first
    assert ids(response, "product.sku") == ["B-1", "A-1"]
    assert ids(response["hits"]) == ["b", "a"]
    assert ids(response["hits"]["hits"]) == ["b", "a"]


def test_a_response_that_is_not_whole(connected: Callable[[object], Any]) -> None:
    assert "timed_out is True" in refusal(search(connected(TIMED_OUT)))


def test_each_response_of_a_multi_search_is_read_and_all_together_are_refused(
    connected: Callable[[object], Any],
) -> None:
    failed = {"error": {"type": "index_not_found_exception"}, "status": 404}
    body = {
        "took": 4,
        "responses": [{**BODY, "status": 200}, {**TIMED_OUT, "status": 200}, failed],
    }
    client = connected(body)
    response = (
        client.msearch(body=LINES)
        if type(client).__name__ == "OpenSearch"
        else client.msearch(searches=LINES)
    )
    first, second, third = response["responses"]
    assert ids(first) == ["b", "a"]
    assert "timed_out is True" in refusal(second)
    assert "search returned an error: " in refusal(third)
    assert refusal(response).endswith('return response["responses"][0]')


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
