"""What the clients of Algolia, Discovery Engine and Pinecone return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_relevance.results.responses.fields import attributes_of
from pytest_relevance.results.responses.incomplete import refuse_without_results
from pytest_relevance.results.responses.reading import (
    ONE_QUERY,
    ReadOptions,
    read_items,
)
from pytest_relevance.results.responses.shapes import ResponseShape, of_type, refusing

# --- Algolia --------------------------------------------------------------------------

_is_algolia_hit = of_type("algoliasearch", "Hit")


def _fields_of_algolia(hit: Any) -> Mapping[str, object] | None:
    """Read the id of a hit, and the fields of its record, which its model does not
    declare.
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
    """Read the results of a pager, or of one page."""
    is_page = not hasattr(type(response), "__iter__")
    results = response.results if is_page else response
    items = read_items(results, options.most)
    if not items:
        total = {"total_size": response.total_size}
        refuse_without_results(total, expects_response=options.expects_response)
    return items


DISCOVERY_ENGINE = ResponseShape(
    name="discovery-engine",
    fits=of_type("google.cloud", "SearchPager", "SearchResponse"),
    results=_read_discovery_engine,
)

# --- Pinecone -------------------------------------------------------------------------

_is_vector = of_type("pinecone", "ScoredVector")


def _fields_of_vector(vector: object) -> Mapping[str, object] | None:
    if not _is_vector(vector):
        return None
    return attributes_of(vector, "id", "score", "metadata")


PINECONE = ResponseShape(
    name="pinecone",
    fits=of_type("pinecone", "QueryResponse"),
    results=lambda response, _: response.matches or [],
    fields=_fields_of_vector,
)
PINECONE_RECORDS = ResponseShape(
    name="pinecone-records",
    fits=of_type("pinecone", "SearchRecordsResponse"),
    results=lambda response, _: response.result.hits or [],
)
