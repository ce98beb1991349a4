"""Read the bodies of search servers, and the response objects of their clients.

- A body is JSON. Each engine has its hits at another path (`ENGINES`).
- The body of an ES|QL query of Elasticsearch is a table: `columns`, and `values` with
  the rows.
- The object that a client returns has the body, or the part with the hits, in an
  attribute.
- Searches, responses and hits of elasticsearch.dsl, and those of opensearch-py, which
  are built alike.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from pytest_relevance.ext.shapes.tables import rows_as_mappings
from pytest_relevance.results.responses.engines import ENGINES, REDIS_ENGINE
from pytest_relevance.results.responses.errors import unreadable
from pytest_relevance.results.responses.incomplete import (
    refuse_incomplete,
    refuse_partial,
    refuse_without_results,
)
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.response import (
    HOLDERS,
    is_named_row,
    no_hits,
    results_of,
)
from pytest_relevance.results.responses.shapes import ResponseShape
from pytest_relevance.results.responses.values import (
    at_path,
    attribute,
    has_attribute,
    is_list,
)

# --- bodies ---------------------------------------------------------------------------

_MARKS_OF_AZURE = ("@odata.", "@search.")
"""The beginnings of the names that Azure AI Search adds to a body and to its hits."""

_NAMES_OF_REDIS = frozenset({"results", "total_results", "warning"})
"""The names of the fields in a response of Redis that is a mapping."""

_BODIES = ("body", "raw_response", "json")
"""Attributes with the body: of elasticsearch-py and opensearch-py, pysolr, pyvespa."""


def hits_in(body: Mapping[Any, Any]) -> Sequence[object] | None:
    """Return the hits in the body of a response; None if no engine has such a body."""
    for engine in ENGINES:
        hits = at_path(body, engine.hits)
        if engine.hits and is_list(hits):
            return hits
    value = body.get("value")
    if is_list(value) and _is_of_azure(body, value):
        return value
    results = body.get("results")
    if is_list(results) and body.keys() >= _NAMES_OF_REDIS:
        return results
    return None


def _is_of_azure(body: Mapping[Any, Any], hits: Sequence[object]) -> bool:
    """Say whether a body is of Azure AI Search, by the beginnings of its names."""
    names = [*body]
    if hits and isinstance(hits[0], Mapping):
        names += hits[0]
    return any(str(name).startswith(_MARKS_OF_AZURE) for name in names)


def is_body(response: object) -> bool:
    """Say whether a response is the body that an engine sends.

    A body of Vespa is known by its root, because it has no list of hits if nothing
    matches.
    """
    if not isinstance(response, Mapping):
        return False
    has_root = isinstance(response.get("root"), Mapping)
    return has_root or _is_table(response) or hits_in(response) is not None


def read_body(
    body: Mapping[Any, Any], options: ReadOptions, holder: object = None
) -> Sequence[object]:
    """Return the hits of a body.

    Raises `UnreadableRanking` if the engine failed or answered only in part, if the
    body has no list of hits, or if it has no hit and counts some.

    `holder`: the response object that has the body, if there is one.
    """
    refuse_incomplete(body, holder)
    hits = hits_in(body)
    root = body.get("root")
    if isinstance(root, Mapping):
        hits = _hits_of_vespa(hits or (), root, options)
    if _is_table(body):
        hits = _rows_of_table(body)
    if hits is None:
        raise no_hits(body)
    if "warning" in body:
        refuse_partial(body, body, [REDIS_ENGINE])
    if not hits:
        refuse_without_results(body, options)
    return hits


def _hits_of_vespa(
    children: Sequence[object], root: Mapping[Any, Any], options: ReadOptions
) -> Sequence[object]:
    """Return the hits among the children of Vespa's root, without groups.

    Raises `UnreadableRanking` if the hits are in groups.

    `root`: the root of the body, which counts the hits.
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


def _is_table(body: Mapping[Any, Any]) -> bool:
    """Say whether a body is a table of ES|QL, whose columns have names and types."""
    columns = body.get("columns")
    if not is_list(columns) or not is_list(body.get("values")):
        return False
    names = [at_path(column, ("name",)) for column in columns]
    types = [at_path(column, ("type",)) for column in columns]
    return bool(columns) and None not in names and None not in types


def _rows_of_table(body: Mapping[Any, Any]) -> Sequence[object]:
    """Return the rows of a table of ES|QL as mappings.

    Raises `UnreadableRanking` if the values are listed by columns.
    """
    columns, rows = body["columns"], body["values"]
    for row in rows:
        if not _fits(row, columns):
            raise unreadable(
                "a table of ES|QL whose values are listed by columns",
                body,
                "send the query without columnar",
            )
    return rows_as_mappings((column["name"] for column in columns), rows)


def _fits(row: object, columns: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether a list has a value for each column, and no text as a score.

    A table with as many rows as columns may be listed by columns too.
    """
    if not is_list(row) or len(row) != len(columns):
        return False
    for value, column in zip(row, columns, strict=True):
        if column["type"] == "double" and isinstance(value, str):
            return False
    return True


def _whole_body_in(response: object) -> Mapping[Any, Any] | None:
    """Return the body that the engine sent, in the object of a client; else None."""
    if isinstance(response, Mapping) or is_named_row(response):
        return None
    for name in _BODIES:
        body = attribute(response, name)
        if isinstance(body, Mapping):
            return body
    return None


def _body_in(response: object) -> Mapping[Any, Any] | None:
    """Return the body in the object of a client, or its part with hits; else None."""
    if isinstance(response, Mapping) or is_named_row(response):
        return None
    body = _whole_body_in(response)
    if body is not None:
        return body
    for name in HOLDERS:
        part = attribute(response, name)
        if isinstance(part, Mapping):
            return part
        if is_list(part):
            return None
    return None


def _read_body_in(response: object, options: ReadOptions) -> Sequence[object]:
    """Return the hits of the body in the object of a client."""
    body = _body_in(response)
    assert body is not None
    return read_body(body, options, holder=response)


BODY = ResponseShape(name="body", fits=is_body, results=read_body)
CLIENT = ResponseShape(
    name="client",
    fits=lambda response: _body_in(response) is not None,
    results=_read_body_in,
    body=_whole_body_in,
)

# --- elasticsearch.dsl, opensearch-py -------------------------------------------------


def _is_unsent(response: object) -> bool:
    """Say whether a response is a `Search` of a DSL, which has not been sent yet.

    `_send` sends it. To iterate over it would send it too, but give the hits alone,
    without the other fields of the response.
    """
    names = {kind.__name__ for kind in type(response).__mro__}
    return (
        not names.isdisjoint({"Search", "AsyncSearch"})
        and has_attribute(response, "execute")
        and has_attribute(response, "to_dict")
    )


def _send(search: Any, options: ReadOptions) -> Sequence[object]:
    """Send a `Search`, and return the hits of its response."""
    return results_of(search.execute(), options)


def _send_asynchronously(search: Any, most: int) -> Awaitable[object] | None:
    """Send an `AsyncSearch`, and return its awaitable response.

    None for a search of another type, and for one that was sent already.
    """
    if not _is_unsent(search):
        return None
    response: Awaitable[object] = search.execute()
    return response


def _body_of(response: object) -> Mapping[Any, Any] | None:
    """Return the body that the response object of a DSL holds; else None."""
    body = attribute(response, "_d_")
    return body if isinstance(body, Mapping) else None


def _is_response(response: object) -> bool:
    return _body_of(response) is not None


def _read_response(response: Any, options: ReadOptions) -> Sequence[object]:
    """Return the hits of a response, which may be documents of the user's classes.

    Raises `UnreadableRanking` if its body is not whole.
    """
    read_body(response._d_, options, holder=response)
    return list(response.hits)


def _fields_of_hit(hit: Any) -> Mapping[str, object] | None:
    """Return a hit, or a document, as the engine sent it; None for any other object.

    The object has the fields of the document as its items. Its attribute `meta` has
    what the engine adds.
    """
    own = getattr(hit, "__dict__", None)
    if not isinstance(own, dict) or "_d_" not in own or "meta" not in own:
        return None
    meta = getattr(own["meta"], "_d_", own["meta"])
    if not isinstance(meta, Mapping):
        return None
    fields: dict[str, object] = {f"_{name}": value for name, value in meta.items()}
    fields["_source"] = own["_d_"]
    fields["meta"] = meta
    return fields


DSL_SEARCH = ResponseShape(
    name="dsl-search", fits=_is_unsent, results=_send, wait=_send_asynchronously
)
DSL_RESPONSE = ResponseShape(
    name="dsl-response",
    fits=_is_response,
    results=_read_response,
    body=_body_of,
    fields=_fields_of_hit,
)
