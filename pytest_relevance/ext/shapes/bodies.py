"""Response bodies of search servers, and the response objects of their clients.

A body is JSON. Each engine keeps its hits under another path (`HITS`). The object that
a client returns has the body, or the part with the hits, in an attribute.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_relevance.ext.shapes.redis import REDIS_SIGNS
from pytest_relevance.results.responses.incomplete import (
    refuse_incomplete,
    refuse_partial,
    refuse_without_results,
)
from pytest_relevance.results.responses.reading import ReadOptions, unreadable
from pytest_relevance.results.responses.response import HOLDERS, is_named_row, no_hits
from pytest_relevance.results.responses.shapes import ResponseShape
from pytest_relevance.results.responses.values import at_path, attribute, is_list

HITS: Mapping[str, tuple[str, ...]] = {
    "Elasticsearch or OpenSearch": ("hits", "hits"),
    "Algolia, Meilisearch or Typesense": ("hits",),
    "Solr": ("response", "docs"),
    "Vespa": ("root", "children"),
}
"""Where a body keeps its hits, by engine; the first path that leads to a list is
taken.
"""

_MARKS_OF_AZURE = ("@odata.", "@search.")
"""How names begin that Azure AI Search adds to a body and to its hits."""

_NAMES_OF_REDIS = frozenset({"results", "total_results", "warning"})
"""The names of the fields in a response of Redis that is a mapping."""

_BODIES = ("body", "raw_response", "json")
"""Attributes with the body: of elasticsearch-py and opensearch-py, pysolr, pyvespa."""


def hits_in(body: Mapping[Any, Any]) -> Sequence[object] | None:
    """Find the hits in a body; None if it is not the body of an engine."""
    for path in HITS.values():
        hits = at_path(body, path)
        if is_list(hits):
            return hits
    value = body.get("value")
    if is_list(value) and _is_of_azure(body, value):
        return value
    results = body.get("results")
    if is_list(results) and body.keys() >= _NAMES_OF_REDIS:
        return results
    return None


def _is_of_azure(body: Mapping[Any, Any], hits: Sequence[object]) -> bool:
    """Whether a name in a body, or in its first hit, is one of Azure AI Search."""
    names = [*body]
    if hits and isinstance(hits[0], Mapping):
        names += hits[0]
    return any(str(name).startswith(_MARKS_OF_AZURE) for name in names)


def is_body(response: object) -> bool:
    """Whether a response is the body of an engine. That of Vespa has no hits if none
    match.
    """
    if not isinstance(response, Mapping):
        return False
    return isinstance(response.get("root"), Mapping) or hits_in(response) is not None


def read_body(
    body: Mapping[Any, Any], options: ReadOptions, holder: object = None
) -> Sequence[object]:
    """Read the hits of a body.

    `holder`: the response object that has the body, if there is one. Raises
    `UnreadableRanking` if the engine failed, answered only in part, or has no hits.
    """
    refuse_incomplete(body, holder)
    hits = hits_in(body)
    root = body.get("root")
    if isinstance(root, Mapping):
        hits = _hits_of_vespa(hits or (), root, options)
    if hits is None:
        raise no_hits(body)
    if "warning" in body:
        refuse_partial(body, body, REDIS_SIGNS)
    if not hits:
        refuse_without_results(body, expects_response=options.expects_response)
    return hits


def _hits_of_vespa(
    children: Sequence[object], root: Mapping[Any, Any], options: ReadOptions
) -> Sequence[object]:
    """Leave out the child of Vespa's root that has the results of grouping.

    Raises `UnreadableRanking` if the hits are in groups.
    """
    hits = []
    for child in children:
        if not str(at_path(child, ("id",))).startswith("group:root"):
            hits.append(child)
    is_nested = any(isinstance(hit, Mapping) and "children" in hit for hit in hits)
    has_groups_alone = bool(children) and not hits and not options.expects_response
    counts_hits = at_path(root, ("fields", "totalCount")) != 0
    if is_nested or (has_groups_alone and counts_hits):
        raise unreadable(
            "its hits in groups", children, "return the hits as one list, best first"
        )
    return hits


def _body_in(response: object) -> Mapping[Any, Any] | None:
    """Find the body, or the part of it with the hits, in a response object of a
    client.
    """
    if isinstance(response, Mapping) or is_named_row(response):
        return None
    for name in (*_BODIES, *HOLDERS):
        body = attribute(response, name)
        if isinstance(body, Mapping):
            return body
        if name in HOLDERS and is_list(body):
            return None
    return None


def _read_body_in(response: object, options: ReadOptions) -> Sequence[object]:
    body = _body_in(response)
    assert body is not None
    return read_body(body, options, holder=response)


BODY = ResponseShape(name="body", fits=is_body, results=read_body)
CLIENT = ResponseShape(
    name="client",
    fits=lambda response: _body_in(response) is not None,
    results=_read_body_in,
)
