"""Read what clients of Algolia, Azure, Discovery Engine, Pinecone and Redis return."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_relevance.results.responses.engines import ENGINES, REDIS_ENGINE
from pytest_relevance.results.responses.errors import ONE_QUERY
from pytest_relevance.results.responses.incomplete import (
    refuse_partial,
    refuse_without_results,
    whole_results,
)
from pytest_relevance.results.responses.iterators import read_items
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.shapes import (
    ResponseShape,
    attributes_of,
    of_type,
    refusing,
)
from pytest_relevance.results.responses.values import is_a

# --- Algolia --------------------------------------------------------------------------

_is_algolia_hit = of_type("algoliasearch", "Hit")


def _fields_of_algolia(hit: Any) -> Mapping[str, object] | None:
    """Return the id and the fields of a hit of Algolia; None for any other object.

    The model of the hit does not declare the fields of the record.
    """
    if not _is_algolia_hit(hit):
        return None
    return {"objectID": hit.object_id, **(hit.__pydantic_extra__ or {})}


ALGOLIA = ResponseShape(
    name="algolia",
    fits=of_type("algoliasearch", "SearchResponses"),
    results=refusing(
        "answers to several searches",
        f"return response.results[0].actual_instance ({ONE_QUERY})",
    ),
    fields=_fields_of_algolia,
)

# --- Discovery Engine (Vertex AI Search) ----------------------------------------------


def _read_discovery_engine(response: Any, options: ReadOptions) -> Sequence[object]:
    """Return the results of a pager, or of the response for one page.

    Raises `UnreadableRanking` if it has no results and counts some.
    """
    is_page = not hasattr(type(response), "__iter__")
    results = response.results if is_page else response
    items = read_items(results, options.most)
    if not items:
        total = {"total_size": response.total_size}
        refuse_without_results(total, options)
    return items


DISCOVERY_ENGINE = ResponseShape(
    name="discovery-engine",
    fits=of_type("google.cloud", "SearchPager", "SearchResponse"),
    results=_read_discovery_engine,
)

# --- Pinecone -------------------------------------------------------------------------

PINECONE = ResponseShape(
    name="pinecone",
    fits=of_type("pinecone", "QueryResponse"),
    results=lambda response, _: response.matches or [],
    fields=attributes_of(
        of_type("pinecone", "ScoredVector"), "id", "score", "metadata"
    ),
)
PINECONE_RECORDS = ResponseShape(
    name="pinecone-records",
    fits=of_type("pinecone", "SearchRecordsResponse"),
    results=lambda response, _: response.result.hits or [],
)

# --- Redis ----------------------------------------------------------------------------

_RESULTS_OF_REDIS = {
    "Result": "docs",
    "AggregateResult": "rows",
    "HybridResult": "results",
}
"""The attribute with the results, by the type of a response."""


def _read_redis(response: Any, options: ReadOptions) -> Sequence[object] | None:
    """Return the results of a response; None for a type that has no results.

    Raises `UnreadableRanking` if the response is not whole.
    """
    kind: Any = type(response)
    for name, attribute in _RESULTS_OF_REDIS.items():
        if is_a(kind, "redis", name):
            results = getattr(response, attribute)
            engines = (REDIS_ENGINE, *ENGINES)
            return whole_results(results, response, options, engines)
    return None


REDIS = ResponseShape(
    name="redis", fits=of_type("redis", *_RESULTS_OF_REDIS), results=_read_redis
)

# --- Azure AI Search ------------------------------------------------------------------

# A pager sends a request for each page. The response says whether it is whole.


@dataclass(slots=True)
class _ReadPages:
    """The results that were read from a pager of Azure, and the bodies of its pages.

    The bodies are in private attributes, because nothing public returns them.
    `_first_page_iterator_instance._response` was checked with versions 11.6 and 12.0 of
    azure-search-documents.
    """

    pager: object
    items: list[object] = field(default_factory=list)
    pages: list[object] = field(default_factory=list)

    def add(self, item: object) -> None:
        """Add a result, and the body of its page."""
        self.add_page()
        self.items.append(item)

    def add_page(self) -> None:
        """Add the body of the current page, if it was not added before."""
        iterator: Any = getattr(self.pager, "_first_page_iterator_instance", None)
        body = getattr(iterator, "_response", None)
        if body is not None and not any(body is page for page in self.pages):
            self.pages.append(body)


def _read_pages(pager: Any, most: int) -> _ReadPages:
    """Return at most `most` results of a pager, with the bodies of their pages."""
    read = _ReadPages(pager)
    for item in pager:
        read.add(item)
        if len(read.items) >= most:
            break
    read.add_page()
    return read


async def _read_pages_async(pager: Any, most: int) -> _ReadPages:
    """Return at most `most` results of an asynchronous pager, with their pages."""
    read = _ReadPages(pager)
    async for item in pager:
        read.add(item)
        if len(read.items) >= most:
            break
    read.add_page()
    return read


_is_pager = of_type("azure.search.documents", "SearchItemPaged")
_is_async_pager = of_type("azure.search.documents", "AsyncSearchItemPaged")


def _is_of_azure(response: object) -> bool:
    return isinstance(response, _ReadPages) or _is_pager(response)


def _read_azure(response: Any, options: ReadOptions) -> Sequence[object]:
    """Return the results of a pager of Azure.

    Raises `UnreadableRanking` if a page is not complete, or if there are no results and
    a page counts some.
    """
    read: _ReadPages = response
    if not isinstance(response, _ReadPages):
        read = _read_pages(response, options.most)
    for page in read.pages:
        refuse_partial(page, page)
    if not read.items:
        for page in read.pages:
            refuse_without_results(page, options)
    return read.items


def _wait_for_azure(response: object, most: int) -> Awaitable[_ReadPages] | None:
    return _read_pages_async(response, most) if _is_async_pager(response) else None


AZURE = ResponseShape(
    name="azure", fits=_is_of_azure, results=_read_azure, wait=_wait_for_azure
)
