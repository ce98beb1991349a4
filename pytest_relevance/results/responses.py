"""Where a response keeps its results: the list itself, the hits of a response body, the rows of a data frame.

An engine's response body is a row of `HITS`, a client library's response object a row of `HOLDERS`. What holds no
results is refused with a message that shows what came back and says what to return instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_relevance.wording import listed, quoted, shown

HITS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Elasticsearch or OpenSearch", ("hits", "hits")),
    ("Algolia, Meilisearch or Typesense", ("hits",)),
    ("Solr", ("response", "docs")),
    ("Vespa", ("root", "children")),
)
"""Where a response body keeps its hits, by engine; the first path that leads to a list is taken."""

HOLDERS = ("body", "hits", "docs")
"""Attributes under which client libraries' response objects keep the body or the hits."""

ERRORS = ("error", "errors", "message")
"""Keys of the bodies that engines return in place of hits."""

_ROWS = frozenset({"Row", "Record"})  # sqlite3's and SQLAlchemy's, asyncpg's: iterating over one gives its values


class UnreadableRanking(ValueError):
    """What a search returned is no ranking. The message shows what came back and what is understood."""


class NoResults(UnreadableRanking):
    """What a search returned holds no results in any way that is known here."""


def results_of(response: object) -> Sequence[object]:
    """The results within what a search returned, in its order. Raises `UnreadableRanking`."""
    if isinstance(response, (list, tuple)):
        if isinstance(response, tuple) and hasattr(response, "_fields"):
            raise one_result(response)
        return response
    if isinstance(response, Mapping):
        return _hits(response)
    if hasattr(response, "columns") and hasattr(response, "shape"):
        return _rows(response)
    if response is None:
        raise UnreadableRanking(
            "search returned None; return the results, best first (a search without results returns an empty list)"
        )
    if isinstance(response, (str, bytes, bytearray, memoryview)):
        raise UnreadableRanking(
            f"search returned text, {shown(response)}; return a list of results, best first (parsed, if it is JSON)"
        )
    if isinstance(response, (set, frozenset)):
        raise UnreadableRanking(
            f"search returned a set, which has no order: {shown(response)}; return a list, best first"
        )
    if type(response).__name__ in _ROWS:
        raise one_result(response)
    for name in HOLDERS:
        held = getattr(response, name, None)
        if isinstance(held, Mapping):
            return _hits(held)
        if isinstance(held, (list, tuple)):
            return held
    return _iterated(response)


def one_result(response: object) -> UnreadableRanking:
    """The refusal of a result that is not in a list."""
    return UnreadableRanking(f"search returned one result, {shown(response)}; return a list of results, best first")


def kind_of(value: object) -> str:
    """The type of a value as prose: `a dict`, `an int`."""
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def _iterated(response: Any) -> Sequence[object]:
    """The results of a generator, an array, a client library's own sequence."""
    if hasattr(response, "headers") and (hasattr(response, "status_code") or hasattr(response, "status")):
        # Iterating over one gives its bytes in pieces.
        raise UnreadableRanking(
            f"search returned an HTTP response, {shown(response)}; return what is in it, response.json() for instance"
        )
    try:
        if hasattr(type(response), "model_fields"):  # a pydantic model gives its fields
            raise TypeError
        iterator = iter(response)
    except TypeError:
        raise NoResults(
            f"search returned {kind_of(response)}, {shown(response)}; return a list of results, best first"
        ) from None
    return list(iterator)  # outside of the `try`: a TypeError here is the search's own


def _hits(body: Mapping[Any, Any]) -> Sequence[object]:
    """The hits of a response body, unless the engine says that it could not answer, or only in part."""
    root = body.get("root")
    vespa = root if isinstance(root, Mapping) else None
    shards = body.get("_shards")
    failed = shards.get("failed") if isinstance(shards, Mapping) else None
    if any(body.get(name) or (vespa is not None and vespa.get(name)) for name in ERRORS):
        raise UnreadableRanking(f"search returned an error instead of results: {shown(dict(body), 300)}")
    if body.get("timed_out") is True or failed:
        what = "timed out" if body.get("timed_out") is True else f"failed on {failed} of its shards"
        raise UnreadableRanking(
            f"the engine {what}, so that its results are not all there are: {shown(dict(body), 300)}"
        )
    for _, path in HITS:
        found: object = body
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
        if isinstance(found, (list, tuple)):
            return found
    if vespa is not None:
        return ()  # Vespa leaves `children` out when nothing matched
    if body and all(isinstance(score, (int, float)) for score in body.values()):
        raise UnreadableRanking(
            f"search returned a mapping of {len(body)} numbers, {shown(dict(body))}; "
            "if they are the scores of documents, return its items, sorted best first"
        )
    known = listed(f"{'.'.join(path)} ({engine})" for engine, path in HITS)
    raise NoResults(
        f"search returned a mapping without hits, {shown(dict(body), 200)}; a response body has {known}; "
        "for another shape return its list of results, or implement the hook pytest_relevance_ranking"
    )


def _rows(frame: Any) -> Sequence[object]:
    """The rows of a data frame (pandas, polars, Arrow) as they stand, as mappings; a named index is a column too."""
    if hasattr(frame, "to_pylist"):  # Arrow, whose columns have no names of their own
        rows: list[object] = frame.to_pylist()
        return rows
    named: list[tuple[str, Iterable[object]]] = [(str(name), frame[name]) for name in frame.columns]
    index: Any = getattr(frame, "index", None)
    if isinstance(name := getattr(index, "name", None), str) and name not in dict(named):
        named.append((name, index))
    names = [name for name, _ in named]
    double = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if double is not None:
        raise UnreadableRanking(f"search returned a data frame with two columns named {quoted(double)}; rename one")
    return [dict(zip(names, row, strict=True)) for row in zip(*(column for _, column in named), strict=True)]
