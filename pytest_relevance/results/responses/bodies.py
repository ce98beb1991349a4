"""The hits in the response bodies of search servers, and in the response objects of their client libraries.

An engine's response body is a row of `HITS`; a client library's response object has the body under one of `BODIES`, or
its hits under one of `HOLDERS`. A response without hits is refused with a message that shows what came back and says
what to return instead.

A response that its engine marks as incomplete is refused too (`SIGNS`). An engine that times out, or loses a shard,
answers with what it has: a document may be missing because of the failure and not of the ranking.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from pytest_relevance._text import listed, shown
from pytest_relevance.results.responses.reading import NoResults, UnreadableRanking, unreadable

HITS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Elasticsearch or OpenSearch", ("hits", "hits")),
    ("Algolia, Meilisearch or Typesense", ("hits",)),
    ("Solr", ("response", "docs")),
    ("Vespa", ("root", "children")),
)
"""Where a response body keeps its hits, by engine; the first path that leads to a list is taken."""

BODIES = ("body", "raw_response", "json", "_d_")
"""Attributes under which response objects keep the body: elasticsearch-py's, pysolr's, pyvespa's, the DSL clients'."""

HOLDERS = ("hits", "docs")
"""Attributes under which response objects keep the list of hits."""

ERRORS = ("error", "errors")
"""Keys of the bodies that engines return in place of hits, or together with some of them."""

SEVERAL = ("responses", "results")
"""Keys under which the answer to several searches has the bodies: of Elasticsearch and OpenSearch, and of others."""

_FIRST_KEYS = (*dict.fromkeys(path[0] for _, path in HITS), *ERRORS)


def may_be_body(body: Mapping[Any, Any]) -> bool:
    """Whether a mapping has an object or a list under a key by which the body of a search server is recognised."""
    return any(type(body.get(key)) in (dict, list) for key in _FIRST_KEYS)


def contained_hits(response: Any) -> Sequence[object] | None:
    """The hits in a client library's response object; None where there are none. Raises `UnreadableRanking`."""
    for name in BODIES:
        body = getattr(response, name, None)
        if isinstance(body, Mapping):
            hits = hits_of(body, holder=response)
            # of the DSL clients, whose own hits may be documents of the user's classes
            return list(response.hits) if name == "_d_" else hits
    for name in HOLDERS:
        inner = getattr(response, name, None)
        if isinstance(inner, Mapping):
            return hits_of(inner, holder=response)
        if isinstance(inner, (list, tuple)):
            refuse_partial(response, response)
            return inner
    return None


def hits_of(body: Mapping[Any, Any], holder: object = None) -> Sequence[object]:
    """The hits of a response body. Raises `UnreadableRanking` where the engine failed or answered only in part.

    `holder` is the response object that contains the body, where there is one.
    """
    root = body.get("root")
    vespa = root if isinstance(root, Mapping) else None
    found = (at_path(body, path) for _, path in HITS)
    hits = next((hits for hits in found if isinstance(hits, (list, tuple))), None)
    is_error = any(body.get(name) or (vespa is not None and vespa.get(name)) for name in ERRORS)
    if is_error or (hits is None and body.get("message")):
        raise UnreadableRanking(f"search returned an error instead of results: {shown(dict(body), 300)}")
    if holder is not None:
        refuse_partial(holder, body)
    several: Any = next((body[name] for name in SEVERAL if name in body), None)
    is_one = isinstance(several, list) and len(several) == 1 and isinstance(several[0], Mapping)
    if hits is None and is_one and may_be_body(several[0]):
        return hits_of(several[0])
    refuse_partial(body, body)
    if hits is not None:
        return hits if vespa is None else _vespa_hits(hits, vespa)
    if vespa is not None:
        return ()  # Vespa leaves `children` out when nothing matched
    known = listed(f"{'.'.join(path)} ({engine})" for engine, path in HITS)
    raise NoResults(
        f"search returned a mapping without hits, {shown(dict(body), 200)}; a response body has {known}; "
        "for another shape return its list of results, or implement the hook pytest_relevance_ranking"
    )


def _vespa_hits(children: Sequence[object], root: Mapping[Any, Any]) -> Sequence[object]:
    """The hits among the children of Vespa's root. The results of grouping are one more child, which is left out."""
    hits = [child for child in children if not str(at_path(child, ("id",))).startswith("group:root")]
    is_nested = any(isinstance(hit, Mapping) and "children" in hit for hit in hits)
    if is_nested or (children and not hits and at_path(root, ("fields", "totalCount")) != 0):
        raise unreadable("its hits in groups", children, "return the hits as one list, best first")
    return hits


def hit_of_dsl(result: Any) -> Any:
    """A hit or a document of elasticsearch.dsl and opensearch-py as the engine's own hit; anything else as it is.

    Such a hit has the fields of the document as its items, and the engine's metadata in its attribute `meta`.
    """
    own = getattr(result, "__dict__", None)
    if own is None or "_d_" not in own or "meta" not in own:
        return result
    meta = getattr(own["meta"], "_d_", own["meta"])
    if not isinstance(meta, Mapping):
        return result
    return {**{f"_{name}": value for name, value in meta.items()}, "_source": own["_d_"], "meta": meta}


# --- incomplete responses ---------------------------------------------------------------------------------------------


class Sign(NamedTuple):
    """A field by which an engine marks a response as incomplete: its path, and which values do so."""

    family: str
    path: tuple[str, ...]
    when: Callable[[Any], bool]
    meaning: str


def _is_set(value: object) -> bool:
    """Whether a flag is set, a count is not 0, or any of several flags is set."""
    if isinstance(value, Mapping):
        return any(map(_is_set, value.values()))
    return bool(value) and not (isinstance(value, str) and value.lower() == "false")


def _is_error_status(value: object) -> bool:
    return isinstance(value, int) and value >= 400


def _lacks_some(counts: object) -> bool:
    """Whether fewer shards answered than there are. A shard that is down counts as neither successful nor failed."""
    total, successful = at_path(counts, ("total",)), at_path(counts, ("successful",))
    return isinstance(total, int) and isinstance(successful, int) and successful < total


_ELASTIC = "Elasticsearch or OpenSearch"

SIGNS: tuple[Sign, ...] = (
    Sign(_ELASTIC, ("timed_out",), _is_set, "the search timed out"),
    Sign(_ELASTIC, ("_shards", "failed"), _is_set, "shards failed"),
    Sign(_ELASTIC, ("_shards",), _lacks_some, "shards did not answer"),
    Sign(_ELASTIC, ("_clusters", "skipped"), _is_set, "clusters were skipped"),
    Sign(_ELASTIC, ("_clusters", "partial"), _is_set, "clusters answered in part"),
    Sign(_ELASTIC, ("_clusters", "failed"), _is_set, "clusters failed"),
    Sign(_ELASTIC, ("_clusters", "running"), _is_set, "clusters were still searching"),
    Sign(_ELASTIC, ("terminated_early",), _is_set, "the search ended at terminate_after"),
    Sign(_ELASTIC, ("is_partial",), _is_set, "the search is still running, or failed in part"),
    Sign("Solr", ("responseHeader", "partialResults"), _is_set, "a limit or a failed shard cut the search off"),
    Sign("Solr", ("responseHeader", "status"), _is_set, "the request failed"),
    Sign("Vespa", ("root", "coverage", "degraded"), _is_set, "not all documents were searched"),
    Sign("Vespa", ("root", "coverage", "full"), lambda value: value is False, "not all documents were searched"),
    Sign("Typesense", ("search_cutoff",), _is_set, "search_cutoff_ms cut the search off"),
    Sign("Algolia", ("timeoutHits",), _is_set, "the search timed out"),
    Sign("Meilisearch", ("degraded",), _is_set, "searchCutoffMs cut the search off"),
    Sign("Meilisearch", ("remoteErrors",), _is_set, "remote instances failed"),
    Sign("HTTP", ("status_code",), _is_error_status, "the request failed"),
    Sign("HTTP", ("status",), _is_error_status, "the request failed"),
)
"""The signs, from the engines' documentation, of a search that was cut off or only partly answered."""

_BY_NAME = {sign.path[0]: [other for other in SIGNS if other.path[0] == sign.path[0]] for sign in SIGNS}


def refuse_partial(response: object, body: object) -> None:
    """Raise `UnreadableRanking` for a response body, or a client's response object, that is marked as incomplete.

    `body` is what the message shows of it.
    """
    names = response if isinstance(response, Mapping) else _BY_NAME
    for sign in chain.from_iterable(_BY_NAME.get(name, ()) for name in names):
        value = at_path(response, sign.path)
        if sign.when(value):
            where = f"{'.'.join(sign.path)} is {shown(value)} ({sign.family}: {sign.meaning})"
            hits = shown(dict(body) if isinstance(body, Mapping) else body, 300)
            raise UnreadableRanking(
                f"the response says that it is not whole: {where}; to score it all the same, return its list of hits: "
                f"{hits}"
            )


def at_path(holder: object, path: Iterable[str]) -> object:
    """The value at a path of keys or attributes; None where there is none."""
    for name in path:
        holder = holder.get(name) if isinstance(holder, Mapping) else _attribute_spelled(holder, name)
    return holder


def _attribute_spelled(holder: object, name: str) -> object:
    """An attribute by its name, in Python's style too (`timeoutHits`, `timeout_hits`)."""
    for spelling in dict.fromkeys((name, re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower())):
        found = getattr(holder, spelling, None)
        if found is not None and not callable(found):
            return found
    return None
