"""Where a response keeps its results: the list itself, the hits of a response body, the rows of a data frame.

An engine's response body is a row of `HITS`; a client library's response object keeps the body under one of `BODIES`,
or its hits under one of `HOLDERS`. A response without results is refused with a message that shows what came back and
says what to return instead. So is a response that one of `SIGNS` marks as incomplete: an engine that times out, or
loses a shard, answers with what it has, and a document may be missing because of the failure and not of the ranking.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import SimpleNamespace
from typing import Any

from pytest_relevance._text import listed, shown
from pytest_relevance.results.rankings import rows
from pytest_relevance.results.rankings.rows import UnreadableRanking

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

_ROWS = frozenset({"Row", "Record"})  # sqlite3's and SQLAlchemy's, asyncpg's: iterating over one gives its values


def results_of(response: object, id_names: Sequence[str] = (), title_names: Sequence[str] = ()) -> Sequence[object]:
    """The results within a response, in its order. Raises `UnreadableRanking` where there are none to read.

    The names of an id and of a title decide between columns where a table allows several readings.
    """
    if type(response) not in (list, dict) and rows.is_mock(response):  # before the rest: a mock may claim to be a list
        return _of_mock(response)
    if isinstance(response, list):
        return response
    if isinstance(response, Mapping):
        return _hits(response)
    _refuse_unreadable(response)
    if isinstance(response, tuple):
        return response
    table = rows.table_rows(response, id_names, title_names)
    if table is not None:
        return table
    if is_unsent_search(response):
        response = response.execute()  # type: ignore[attr-defined]
    contained = _contained(response)
    return _iterated(response) if contained is None else contained


def _refuse_unreadable(response: object) -> None:
    """Raise `UnreadableRanking` for what is certainly no list of results, though most of it can be iterated over."""
    if type(response).__name__ in _ROWS or (isinstance(response, tuple) and hasattr(response, "_fields")):
        raise rows.one_result(response)
    if response is None:
        problem = "None; return the results, best first (a search without results returns an empty list)"
    elif isinstance(response, (str, bytes, bytearray, memoryview)):
        problem = f"text, {shown(response)}; return a list of results, best first (parsed, if it is JSON)"
    elif isinstance(response, (set, frozenset)):
        problem = f"a set, which has no order: {shown(response)}; return a list, best first"
    elif isinstance(response, tuple) and rows.is_one_row(response):
        what = f"a tuple that could be one row or a list of ids, {shown(response)}"
        problem = f"{what}; return a list of rows, or a list of ids"
    else:
        return
    raise UnreadableRanking(f"search returned {problem}")


def _of_mock(mock: Any) -> Sequence[object]:
    """The results that a mock was given: a mock has every attribute, so that only those it was given count."""
    given = {name: value for name, value in vars(mock).items() if not rows.is_mock(value)}
    found = _contained(SimpleNamespace(**given))
    if found is None:
        try:
            found = list(mock)
        except TypeError:
            found = ()
        if not found:
            raise UnreadableRanking(
                f"search returned a mock, {shown(mock)}, that has no results; "
                "give it a list of results to return, best first (an empty one where nothing is found)"
            )
    return found


def is_unsent_search(response: object) -> bool:
    """Whether a response is a `Search` of elasticsearch.dsl or opensearch-py, which is sent when it is iterated over.

    Iterating would give the hits without the other fields of the response; its method `execute` gives the response.
    """
    names = {kind.__name__ for kind in type(response).__mro__}
    return bool(names & {"Search", "AsyncSearch"}) and hasattr(response, "execute") and hasattr(response, "to_dict")


def _contained(response: Any) -> Sequence[object] | None:
    """The hits in a client library's response object; None where there are none. Raises `UnreadableRanking`."""
    for name in BODIES:
        body = getattr(response, name, None)
        if isinstance(body, Mapping):
            hits = _hits(body, holder=response)
            # of the DSL clients, whose own hits may be documents of the user's classes
            return list(response.hits) if name == "_d_" else hits
    for name in HOLDERS:
        inner = getattr(response, name, None)
        if isinstance(inner, Mapping):
            return _hits(inner, holder=response)
        if isinstance(inner, (list, tuple)):
            refuse_partial(response, response)
            return inner
    return None


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
        raise rows.NoResults(
            f"search returned {rows.kind_of(response)}, {shown(response)}; return a list of results, best first"
        ) from None
    return list(iterator)  # outside of the `try`: a TypeError here is the search's own


def _hits(body: Mapping[Any, Any], holder: object = None) -> Sequence[object]:
    """The hits of a response body. Raises `UnreadableRanking` where the engine failed or answered only in part.

    `holder` is the response object that contains the body, where there is one.
    """
    root = body.get("root")
    vespa = root if isinstance(root, Mapping) else None
    if any(body.get(name) or (vespa is not None and vespa.get(name)) for name in ERRORS):
        raise _error(body)
    if holder is not None:
        refuse_partial(holder, body)
    hits = _at_known_place(body)
    if hits is None and body.get("message"):
        raise _error(body)
    refuse_partial(body, body)
    if hits is not None:
        return hits if vespa is None else _vespa_hits(hits, vespa)
    if vespa is not None:
        return ()  # Vespa leaves `children` out when nothing matched
    if body and all(isinstance(score, (int, float)) for score in body.values()):
        raise UnreadableRanking(
            f"search returned a mapping of {len(body)} numbers, {shown(dict(body))}; "
            "if they are the scores of documents, return its items, sorted best first"
        )
    known = listed(f"{'.'.join(path)} ({engine})" for engine, path in HITS)
    raise rows.NoResults(
        f"search returned a mapping without hits, {shown(dict(body), 200)}; a response body has {known}; "
        "for another shape return its list of results, or implement the hook pytest_relevance_ranking"
    )


def _at_known_place(body: Mapping[Any, Any]) -> Sequence[object] | None:
    found = (at_path(body, path) for _, path in HITS)
    return next((hits for hits in found if isinstance(hits, (list, tuple))), None)


def _vespa_hits(children: Sequence[object], root: Mapping[Any, Any]) -> Sequence[object]:
    """The hits among the children of Vespa's root. The results of grouping are one more child, which is left out."""
    hits = [child for child in children if not str(at_path(child, ("id",))).startswith("group:root")]
    is_nested = any(isinstance(hit, Mapping) and "children" in hit for hit in hits)
    if is_nested or (children and not hits and at_path(root, ("fields", "totalCount")) != 0):
        raise UnreadableRanking(
            f"search returned its hits in groups, {shown(children, 200)}; return the hits as one list, best first"
        )
    return hits


def _error(body: Mapping[Any, Any]) -> UnreadableRanking:
    return UnreadableRanking(f"search returned an error instead of results: {shown(dict(body), 300)}")


# --- signs of an incomplete response ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sign:
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


def _is_false(value: object) -> bool:
    return value is False


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
    Sign("Vespa", ("root", "coverage", "full"), _is_false, "not all documents were searched"),
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
        holder = holder.get(name) if isinstance(holder, Mapping) else _attribute(holder, name)
    return holder


def _attribute(holder: object, name: str) -> object:
    """An attribute by its name, in Python's style too (`timeoutHits`, `timeout_hits`)."""
    for spelling in dict.fromkeys((name, re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower())):
        found = getattr(holder, spelling, None)
        if found is not None and not callable(found):
            return found
    return None
