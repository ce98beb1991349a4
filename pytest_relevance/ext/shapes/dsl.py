"""Searches, responses and hits of elasticsearch.dsl, and of opensearch-py, which is
built alike.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from pytest_relevance.ext.shapes.bodies import read_body
from pytest_relevance.results.responses.reading import ReadOptions
from pytest_relevance.results.responses.response import results_of
from pytest_relevance.results.responses.shapes import ResponseShape
from pytest_relevance.results.responses.values import attribute, has_attribute


def is_unsent(response: object) -> bool:
    """Whether a response is a `Search`, which is sent when it is iterated over.

    Iterating over it would give the hits without the other fields of the response.
    """
    names = {kind.__name__ for kind in type(response).__mro__}
    return (
        not names.isdisjoint({"Search", "AsyncSearch"})
        and has_attribute(response, "execute")
        and has_attribute(response, "to_dict")
    )


def _send(search: Any, options: ReadOptions) -> Sequence[object]:
    return results_of(search.execute(), options)


def _send_async(search: Any, most: int) -> Awaitable[object] | None:
    if not is_unsent(search):
        return None
    response: Awaitable[object] = search.execute()
    return response


def _is_response(response: object) -> bool:
    return isinstance(attribute(response, "_d_"), Mapping)


def _read_response(response: Any, options: ReadOptions) -> Sequence[object]:
    """Read the hits of a response. They may be documents of the user's own classes."""
    read_body(response._d_, options, holder=response)
    return list(response.hits)


def _fields_of_hit(hit: Any) -> Mapping[str, object] | None:
    """Make a hit, or a document, into the hit that the engine sent.

    A hit has the fields of the document as its items, and what the engine adds in its
    attribute `meta`.
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


SEARCH = ResponseShape(
    name="dsl-search", fits=is_unsent, results=_send, wait=_send_async
)
RESPONSE = ResponseShape(
    name="dsl-response",
    fits=_is_response,
    results=_read_response,
    fields=_fields_of_hit,
)
