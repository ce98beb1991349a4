"""The hits in the response bodies of search servers, and in the response objects of their client libraries.

An engine's response body is a row of `HITS`; a client library's response object keeps the body under one of `BODIES`,
or its hits under one of `HOLDERS`. A response without hits is refused with a message that shows what came back and says
what to return instead; so is a response that is marked as incomplete.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_relevance._text import LONGEST_SHOWN, listed, shown
from pytest_relevance.results.responses.incomplete import at_path, refuse_partial
from pytest_relevance.results.responses.problems import NoResults, UnreadableRanking, unreadable

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
"""Keys under which the answer to several searches has the bodies: Elasticsearch's and OpenSearch's, that of others."""

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
    if any(body.get(name) or (vespa is not None and vespa.get(name)) for name in ERRORS):
        raise _error(body)
    if holder is not None:
        refuse_partial(holder, body)
    found = (at_path(body, path) for _, path in HITS)
    hits = next((hits for hits in found if isinstance(hits, (list, tuple))), None)
    if hits is None and body.get("message"):
        raise _error(body)
    if hits is None and (several := _of_several_searches(body)) is not None:
        return several
    refuse_partial(body, body)
    if hits is not None:
        return hits if vespa is None else _vespa_hits(hits, vespa)
    if vespa is not None:
        return ()  # Vespa leaves `children` out when nothing matched
    if body and all(isinstance(score, (int, float)) for score in body.values()):
        advice = "if they are the scores of documents, return its items, sorted best first"
        raise unreadable(f"a mapping of {len(body)} numbers", dict(body), advice, LONGEST_SHOWN)
    rows = next((name for name in ("values", "rows") if isinstance(body.get(name), list)), None)
    if rows is not None and isinstance(body.get("columns"), list):
        advice = (
            "return a mapping for each row: [dict(zip([column['name'] for column in response['columns']], row)) "
            f"for row in response['{rows}']]"
        )
        raise unreadable(f"columns and {rows}, as ES|QL and SQL of Elasticsearch do", dict(body), advice)
    known = listed(f"{'.'.join(path)} ({engine})" for engine, path in HITS)
    raise NoResults(
        f"search returned a mapping without hits, {shown(dict(body), 200)}; a response body has {known}; "
        "for another shape return its list of results, or implement the hook pytest_relevance_ranking"
    )


def _is_answer(value: object) -> bool:
    """Whether a value is the response body of one search among several: its hits, or its error."""
    return isinstance(value, Mapping) and any(key in value for key in _FIRST_KEYS)


def _of_several_searches(body: Mapping[Any, Any]) -> Sequence[object] | None:
    """The hits of a multi-search of one query; None for another body. Raises `UnreadableRanking` for several."""
    for name in SEVERAL:
        inner = body.get(name)
        if isinstance(inner, list) and inner and all(map(_is_answer, inner)):
            if len(inner) == 1:
                return hits_of(inner[0])
            advice = f"return one of response[{name!r}], or all of them from the attribute `many` of the search"
            raise unreadable(f"{len(inner)} responses, to several searches", dict(body), advice)
    return None


def _vespa_hits(children: Sequence[object], root: Mapping[Any, Any]) -> Sequence[object]:
    """The hits among the children of Vespa's root. The results of grouping are one more child, which is left out."""
    hits = [child for child in children if not str(at_path(child, ("id",))).startswith("group:root")]
    is_nested = any(isinstance(hit, Mapping) and "children" in hit for hit in hits)
    if is_nested or (children and not hits and at_path(root, ("fields", "totalCount")) != 0):
        raise unreadable("its hits in groups", children, "return the hits as one list, best first")
    return hits


def _error(body: Mapping[Any, Any]) -> UnreadableRanking:
    return UnreadableRanking(f"search returned an error instead of results: {shown(dict(body), 300)}")


def of_dsl(result: Any) -> Any:
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
