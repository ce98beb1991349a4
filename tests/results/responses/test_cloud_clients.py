"""What the clients of Azure AI Search, Discovery Engine, Pinecone, Redis and Algolia
return.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import pytest

from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.read_ranking import read_ranking
from pytest_relevance.results.responses.shapes import wait_for_items
from tests.local_server import serving
from tests.results.responses.helpers import ids, pairs, refusal, titles

pytestmark = pytest.mark.engines

# --- Azure AI Search ------------------------------------------------------------------

VALUE = [
    {"id": "a", "title": "Apron", "@search.score": 0.1, "@search.rerankerScore": 3.5},
    {"id": "b", "title": "Boots", "@search.score": 0.2, "@search.rerankerScore": 1.5},
]
MORE = {"@search.nextPageParameters": {"search": "boots", "skip": 2}}


class Azure:
    """An index of Azure AI Search whose server answers each request with the next of
    some bodies.
    """

    def __init__(self, address: str, requests: list[str]) -> None:
        documents: Any = pytest.importorskip("azure.search.documents")
        self.aio: Any = pytest.importorskip("azure.search.documents.aio")
        key = pytest.importorskip("azure.core.credentials").AzureKeyCredential("k")
        self._arguments = (address, "products", key)
        self._client = documents.SearchClient(*self._arguments)
        self.requests = requests

    def search(self) -> Any:
        return self._client.search("boots", include_total_count=True)

    def read_async(self) -> object:
        async def read() -> object:
            async with self.aio.SearchClient(*self._arguments) as client:
                return await wait_for_items(await client.search("boots"), 11)

        return asyncio.run(read())


@pytest.fixture
def azure() -> Iterator[Callable[..., Azure]]:
    with ExitStack() as servers:

        def azure(*bodies: Mapping[str, object]) -> Azure:
            def answer(*_: object) -> object:
                return {"value": VALUE, **bodies[min(len(paths), len(bodies)) - 1]}

            address, paths = servers.enter_context(serving(answer))
            return Azure(address, paths)

        yield azure


def test_the_pager_of_azure(azure: Callable[..., Azure]) -> None:
    index = azure({"@odata.count": 2})
    assert pairs(index.search()) == [("a", 3.5), ("b", 1.5)]
    assert titles(index.search()) == ["Apron", "Boots"]


def test_no_more_pages_of_azure_are_fetched_than_are_looked_at(
    azure: Callable[..., Azure],
) -> None:
    index = azure(MORE)
    assert len(read_ranking(index.search(), ReadOptions(most=5)).ids) == 5
    assert len(index.requests) == 3


PARTIAL = {
    "@search.semanticPartialResponseReason is 'maxWaitExceeded'": {
        "@search.semanticPartialResponseReason": "maxWaitExceeded"
    },
    "@search.coverage is 80.0": {"@search.coverage": 80.0},
}


@pytest.mark.parametrize("sign", PARTIAL)
def test_azure_answered_in_part(azure: Callable[..., Azure], sign: str) -> None:
    message = f"the response says that it is not complete: {sign} (Azure AI Search: "
    assert refusal(azure(PARTIAL[sign]).search()).startswith(message)
    second = azure(MORE, PARTIAL[sign])
    assert refusal(second.search()).startswith(message)


def test_azure_counts_and_returns_nothing(azure: Callable[..., Azure]) -> None:
    assert "@odata.count is 120. Ask for" in refusal(
        azure({"value": [], "@odata.count": 120}).search()
    )
    assert ids(azure({"value": [], "@odata.count": 0}).search()) == []


@pytest.mark.parametrize("sign", PARTIAL)
def test_the_asynchronous_pager_of_azure(
    azure: Callable[..., Azure], sign: str
) -> None:
    pytest.importorskip("aiohttp")
    assert ids(azure({}).read_async()) == ["a", "b"]
    assert f"not complete: {sign}" in refusal(azure(PARTIAL[sign]).read_async())
    assert len(ids(azure(MORE).read_async())) == 11


# --- Discovery Engine (Vertex AI Search) ----------------------------------------------


class Discovery:
    """Counts the requests that a pager of Discovery Engine sends; there is always
    another page of ten.
    """

    def __init__(self) -> None:
        self.types: Any = pytest.importorskip(
            "google.cloud.discoveryengine_v1.types", exc_type=ImportError
        )
        self.pagers: Any = pytest.importorskip(
            "google.cloud.discoveryengine_v1.services.search_service.pagers"
        )
        self.requests = 0

    def page(self, *_: object, **__: object) -> Any:
        self.requests += 1
        names = [f"d{self.requests}-{place}" for place in range(10)]
        results = [
            {"id": name, "document": {"id": name, "struct_data": {"title": "Boots"}}}
            for name in names
        ]
        return self.types.SearchResponse(
            results=results, total_size=3_000, next_page_token="more"
        )

    def pager(self, response: Any = None) -> Any:
        request = self.types.SearchRequest()
        first = self.page() if response is None else response
        return self.pagers.SearchPager(self.page, request, first)


@pytest.fixture
def discovery() -> Discovery:
    return Discovery()


without_warnings = pytest.mark.filterwarnings("ignore::FutureWarning")
"""Google's packages warn of versions of Python, and of others, that they will not
support for long.
"""


@without_warnings
def test_the_pager_of_discovery_engine(discovery: Discovery) -> None:
    ranking = read_ranking(discovery.pager(), ReadOptions(most=11))
    assert ranking.ids[:2] == ["d1-0", "d1-1"]
    assert (len(ranking.ids), discovery.requests) == (11, 2)


@without_warnings
def test_discovery_engine_counts_and_returns_nothing(discovery: Discovery) -> None:
    def of(total: int) -> Any:
        return discovery.pager(discovery.types.SearchResponse(total_size=total))

    assert "total_size is 7. Ask for" in refusal(of(7))
    assert ids(of(0)) == []


@without_warnings
def test_a_page_of_discovery_engine(discovery: Discovery) -> None:
    assert ids(discovery.page())[:2] == ["d1-0", "d1-1"]
    empty = discovery.types.SearchResponse(total_size=7)
    assert "total_size is 7. Ask for" in refusal(empty)


# --- Pinecone -------------------------------------------------------------------------


@pytest.fixture
def pinecone() -> Any:
    return pytest.importorskip("pinecone.models.vectors")


def test_the_matches_of_pinecone(pinecone: Any) -> None:
    responses: Any = pytest.importorskip("pinecone.models.vectors.responses")
    vectors: Any = pytest.importorskip("pinecone.models.vectors.vector")
    found = [
        vectors.ScoredVector(id="b", score=0.9, metadata={"title": "Boots"}),
        vectors.ScoredVector(id="a", score=0.4, metadata={"title": "Apron"}),
    ]
    response = responses.QueryResponse(matches=found)
    assert pairs(response) == [("b", 0.9), ("a", 0.4)]
    assert titles(response) == ["Boots", "Apron"]
    assert pairs(response.matches) == pairs(response)
    assert ids(responses.QueryResponse(matches=[])) == []


def test_the_hits_of_pinecone(pinecone: Any) -> None:
    search: Any = pytest.importorskip("pinecone.models.vectors.search")
    hits = [search.Hit(id_="b", score_=0.9, fields={"title": "Boots", "sku": "B-1"})]
    response = search.SearchRecordsResponse(
        result=search.SearchResult(hits=hits), usage=search.SearchUsage(read_units=1)
    )
    assert pairs(response) == [("b", 0.9)]
    assert titles(response) == ["Boots"]
    assert ids(response, "sku") == ["B-1"]


def test_other_responses_of_pinecone_are_no_rankings(pinecone: Any) -> None:
    responses: Any = pytest.importorskip("pinecone.models.vectors.responses")
    message = refusal(responses.FetchResponse(vectors={}, namespace="shop"))
    assert "which gives the names of its own fields if it is iterated over" in message


# --- Redis ----------------------------------------------------------------------------


@pytest.fixture
def redis() -> Any:
    return pytest.importorskip("redis.commands.search.result").Result


def test_the_result_of_redis(redis: Any) -> None:
    reply = [2, "b", "1.5", ["title", "Boots"], "a", "0.5", ["title", "Apron"]]
    result = redis(reply, True, with_scores=True)
    assert pairs(result) == [("b", 1.5), ("a", 0.5)]
    assert titles(result) == ["Boots", "Apron"]
    assert ids(redis([0], True)) == []


def test_redis_counts_and_returns_nothing(redis: Any) -> None:
    assert refusal(redis([7], True)).startswith(
        "the response has no results, and says that there are some: total is 7. Ask for the first results"
    )


def test_redis_reached_its_time_limit(redis: Any) -> None:
    result = redis([1, "b", ["title", "Boots"]], True)
    result.warnings = ["Timeout limit was reached"]
    assert refusal(result).startswith(
        "the response says that it is not complete: warnings is ['Timeout limit was "
        "reached'] (Redis: "
    )


def test_one_document_of_redis_is_no_ranking(redis: Any) -> None:
    (document,) = redis([1, "b", ["title", "Boots"]], True).docs
    assert refusal(document).startswith("search returned one result, ")


# --- Algolia --------------------------------------------------------------------------


@pytest.fixture
def algolia() -> Callable[..., Any]:
    model = pytest.importorskip("algoliasearch.search.models.search_response")
    return lambda **body: model.SearchResponse.from_dict(body)


def test_the_response_of_algolia(algolia: Callable[..., Any]) -> None:
    hits = [{"objectID": "b", "title": "Boots", "sku": "B-1"}, {"objectID": "a"}]
    response = algolia(hits=hits, nbHits=2)
    assert ids(response) == ["b", "a"]
    assert titles(response) == ["Boots", None]
    assert ids(algolia(hits=hits[:1]), "sku") == ["B-1"]


def test_algolia_counts_and_returns_nothing(algolia: Callable[..., Any]) -> None:
    assert "nb_hits is 120. Ask for the first results (hitsPerPage" in refusal(
        algolia(hits=[], nbHits=120, hitsPerPage=0)
    )


def test_several_searches_of_algolia(algolia: Callable[..., Any]) -> None:
    models = pytest.importorskip("algoliasearch.search.models.search_responses")
    one = {"hits": [{"objectID": "b"}], "query": "boots", "params": "", "nbHits": 1}
    response = models.SearchResponses.from_dict({"results": [one]})
    assert "return response.results[0].actual_instance" in refusal(response)
    assert ids(response.results[0].actual_instance) == ["b"]
