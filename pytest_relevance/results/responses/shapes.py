"""The shapes of responses: how each is recognised, and where it keeps its results. Bodies and tables are read here.

`TYPES` knows what libraries return by the name and the module of its type; `SHAPES` is asked in order, from what
certain libraries return to whatever can be iterated over. No library of an engine is imported.

A search server's response body is a row of `HITS`; a client library's response object has the body under one of
`BODIES`, or its hits under one of `HOLDERS`. A response without hits is refused with a message that shows what came
back and says what to return instead. A response that its engine marks as incomplete is refused too (`SIGNS`). An engine
that times out, or loses a shard, answers with what it has: a document may be missing because of the failure and not of
the ranking.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple, NoReturn

from pytest_relevance._text import LONGEST_SHOWN, listed, quoted, shown
from pytest_relevance.results.responses import reading, search_libraries

_Results = Callable[[Any, reading.ReadOptions], "Sequence[object] | None"]
_Fields = Callable[[Any], Mapping[str, object]]


class LibraryType(NamedTuple):
    """A type of a library: its package, the names that it may have (blanks between them), and how it is read.

    `results` reads the results of a response, `fields` the fields of one result; None for what is no response, or no
    result. `id_of` gives the id from the fields of a type that may have several, for suites without `id_field`.
    `results` raises `UnreadableRanking`, the others `BadResult`.
    """

    package: str
    names: str
    results: _Results | None = None
    fields: _Fields | None = None
    id_of: Callable[[Mapping[str, Any]], object] | None = None


def results_of(response: object, options: reading.ReadOptions) -> Sequence[object]:
    """The results within a response, in the order of the response. Raises `UnreadableRanking` where there are none."""
    if type(response) is dict and may_be_body(response):
        return hits_of(response)
    type_: Any = type(response)
    known = _library_type(type_)
    if known is not None:
        return (known.results or _ONE_RESULT)(response, options) or ()
    for includes, results in SHAPES:
        if includes(response) and (found := results(response, options)) is not None:
            return found
    raise reading.unreadable(
        reading.kind_of(response), response, reading.A_LIST, LONGEST_SHOWN
    )


def as_mapping(result: Any, *, has_usual_id: bool = True) -> Any:
    """A library's result as a mapping of its fields; anything else as it is. Raises `BadResult`.

    `has_usual_id`: the suite has no `id_field`, and one of the usual fields is the id.
    """
    type_: Any = type(result)
    known = _library_type(type_)
    if known is None or known.fields is None:
        return hit_of_dsl(result)
    fields = known.fields(result)
    id_ = known.id_of(fields) if known.id_of is not None and has_usual_id else None
    return fields if id_ is None else {**fields, "id": id_}


@lru_cache(maxsize=64)
def _library_type(kind: type) -> LibraryType | None:
    return next(
        (
            known
            for known in TYPES
            if reading.is_a(kind, known.package, *known.names.split())
        ),
        None,
    )


# --- response bodies of search servers, and response objects of their clients -----------------------------------------

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
    is_error = any(
        body.get(name) or (vespa is not None and vespa.get(name)) for name in ERRORS
    )
    if is_error or (hits is None and body.get("message")):
        raise reading.UnreadableRanking(
            f"search returned an error instead of results: {shown(dict(body), 300)}"
        )
    if holder is not None:
        refuse_partial(holder, body)
    refuse_partial(body, body)
    if hits is not None:
        return hits if vespa is None else _vespa_hits(hits, vespa)
    if vespa is not None:
        return ()  # Vespa leaves `children` out when nothing matched
    if any(isinstance(body.get(name), (str, int)) for name in reading.ID_NAMES):
        raise reading.unreadable("one result", dict(body), reading.A_LIST)
    known = listed(f"{'.'.join(path)} ({engine})" for engine, path in HITS)
    advice = "for another shape return its list of results, or implement the hook pytest_relevance_ranking"
    raise reading.unreadable(
        "a mapping without hits", dict(body), f"a response body has {known}; {advice}"
    )


def _vespa_hits(
    children: Sequence[object], root: Mapping[Any, Any]
) -> Sequence[object]:
    """The hits among the children of Vespa's root. The results of grouping are one more child, which is left out."""
    hits = [
        child
        for child in children
        if not str(at_path(child, ("id",))).startswith("group:root")
    ]
    is_nested = any(isinstance(hit, Mapping) and "children" in hit for hit in hits)
    if is_nested or (
        children and not hits and at_path(root, ("fields", "totalCount")) != 0
    ):
        raise reading.unreadable(
            "its hits in groups", children, "return the hits as one list, best first"
        )
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
    return {
        **{f"_{name}": value for name, value in meta.items()},
        "_source": own["_d_"],
        "meta": meta,
    }


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
    Sign(
        _ELASTIC, ("terminated_early",), _is_set, "the search ended at terminate_after"
    ),
    Sign(
        _ELASTIC,
        ("is_partial",),
        _is_set,
        "the search is still running, or failed in part",
    ),
    Sign(
        "Solr",
        ("responseHeader", "partialResults"),
        _is_set,
        "a limit or a failed shard cut the search off",
    ),
    Sign("Solr", ("responseHeader", "status"), _is_set, "the request failed"),
    Sign(
        "Vespa",
        ("root", "coverage", "degraded"),
        _is_set,
        "not all documents were searched",
    ),
    Sign(
        "Vespa",
        ("root", "coverage", "full"),
        lambda value: value is False,
        "not all documents were searched",
    ),
    Sign(
        "Typesense", ("search_cutoff",), _is_set, "search_cutoff_ms cut the search off"
    ),
    Sign("Algolia", ("timeoutHits",), _is_set, "the search timed out"),
    Sign("Meilisearch", ("degraded",), _is_set, "searchCutoffMs cut the search off"),
    Sign("Meilisearch", ("remoteErrors",), _is_set, "remote instances failed"),
    Sign("HTTP", ("status_code",), _is_error_status, "the request failed"),
    Sign("HTTP", ("status",), _is_error_status, "the request failed"),
)
"""The signs, from the engines' documentation, of a search that was cut off or only partly answered."""

_BY_NAME = {
    sign.path[0]: [other for other in SIGNS if other.path[0] == sign.path[0]]
    for sign in SIGNS
}


def refuse_partial(response: object, body: object) -> None:
    """Raise `UnreadableRanking` for a response body, or a client's response object, that is marked as incomplete.

    `body` is what the message shows of it.
    """
    names = response if isinstance(response, Mapping) else _BY_NAME
    for sign in chain.from_iterable(_BY_NAME.get(name, ()) for name in names):
        value = at_path(response, sign.path)
        if sign.when(value):
            says = f"{'.'.join(sign.path)} is {shown(value)} ({sign.family}: {sign.meaning})"
            all_the_same = f"return its list of hits: {shown(dict(body) if isinstance(body, Mapping) else body, 300)}"
            raise reading.UnreadableRanking(
                f"the response says that it is not whole: {says}; to score it all the same, {all_the_same}"
            )


def at_path(holder: object, path: Iterable[str]) -> object:
    """The value at a path of keys or attributes; None where there is none."""
    for name in path:
        holder = (
            holder.get(name)
            if isinstance(holder, Mapping)
            else _attribute_spelled(holder, name)
        )
    return holder


def _attribute_spelled(holder: object, name: str) -> object:
    """An attribute by its name, in Python's style too (`timeoutHits`, `timeout_hits`)."""
    for spelling in dict.fromkeys(
        (name, re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower())
    ):
        found = getattr(holder, spelling, None)
        if found is not None and not callable(found):
            return found
    return None


# --- tables -----------------------------------------------------------------------------------------------------------

_QUERIES = ("query", "query_id", "qid", "query_index")
"""The names of a column that says which of several queries a row is for."""


def _table(
    columns: Iterable[object], rows: Iterable[Sequence[object]]
) -> Sequence[object]:
    """The rows of a table as mappings.

    Raises `UnreadableRanking` if two columns have one name, or the rows are the results of several queries.
    """
    names = list(map(str, columns))
    double = next((name for name in names if names.count(name) > 1), None)
    if double is not None:
        raise reading.UnreadableRanking(
            f"search returned a table with two columns named {quoted(double)}; rename one"
        )
    found = [dict(zip(names, row, strict=True)) for row in rows]
    for name in _QUERIES:
        # compared as text: a value may be a list, and each NaN is another one
        if name in names and len(values := {str(row[name]) for row in found}) > 1:
            what = f"a table with the results of {len(values)} queries (column {quoted(name)})"
            raise reading.unreadable(what, found, reading.ONE_QUERY)
    return found


def _rows_of(columns: Iterable[Any]) -> Iterable[tuple[object, ...]]:
    """The rows of columns: of Arrow, pandas or polars, numpy, or lists. The columns are read with the first row."""
    methods = ("to_pylist", "to_list", "tolist", "copy")
    lists = (
        next(getattr(column, name) for name in methods if hasattr(column, name))()
        for column in columns
    )
    yield from zip(*lists, strict=True)


def _of_arrow(response: Any, _: reading.ReadOptions) -> Sequence[object]:
    """The rows of a table of Arrow, a record batch or a reader of such batches, or the values of a column."""
    if hasattr(response, "read_all"):
        response = response.read_all()
    if not hasattr(response, "columns"):
        values: Sequence[object] = response.to_pylist()
        return values
    return _table(response.schema.names, _rows_of(response.columns))


def _of_frame(frame: Any, _: reading.ReadOptions) -> Sequence[object]:
    """The rows of a data frame of pandas or polars; a named index is a column too."""
    names = [*frame.columns]
    index: Any = getattr(frame, "index", None)
    is_named = isinstance(getattr(index, "name", None), str) and index.name not in map(
        str, names
    )
    columns = (*(frame[name] for name in names), *([index] if is_named else []))
    return _table([*names, *([index.name] if is_named else [])], _rows_of(columns))


@dataclass(frozen=True, slots=True)
class ReadCursor:
    """The rows of an asynchronous cursor, which was iterated over, with the description of their columns."""

    description: Any
    rows: list[Any]

    def fetchall(self) -> list[Any]:
        """The rows, as from a cursor."""
        return self.rows


def _is_frame(response: object) -> bool:
    """Whether a response is a data frame of pandas or polars."""
    return (
        hasattr(response, "columns")
        and hasattr(response, "shape")
        and hasattr(response, "__getitem__")
    )


def _is_series(response: object) -> bool:
    is_named = any(kind.__name__ == "Series" for kind in type(response).__mro__)
    return is_named and hasattr(getattr(response, "index", None), "__iter__")


def _can_fetch(response: object) -> bool:
    fetchall = getattr(response, "fetchall", None)
    return fetchall is not None and not inspect.iscoroutinefunction(fetchall)


def _of_cursor(cursor: Any, options: reading.ReadOptions) -> Sequence[object]:
    """The rows of a cursor (PEP 249): mappings, where the rows are bare and a column is named like an id.

    The same holds where the suite says which column has the id, and where the first column is named like a title: a
    bare row would take it for the id.
    """
    description = cursor.description  # it may be gone once the rows are read
    rows = list(cursor) if hasattr(type(cursor), "__iter__") else cursor.fetchall()
    names = [str(column[0]) for column in description or ()]
    is_named = options.id_names is not reading.ID_NAMES or bool(
        set(names) & set(options.id_names)
    )
    if set(map(type, rows)) == {tuple} and (
        is_named or names[0] in options.title_names
    ):
        return _table(names, rows)
    return list(rows)


# --- general shapes ---------------------------------------------------------------------------------------------------

_ROWS = frozenset(
    {"Row", "Record"}
)  # sqlite3's and SQLAlchemy's, asyncpg's: iterating over one gives its values


def _is_relation(response: object) -> bool:
    """Whether a response is a relation of DuckDB, whose shape would be a query of its own."""
    return _can_fetch(response) and isinstance(
        getattr(response, "columns", None), (list, tuple)
    )


_TEXTS = (str, bytes, bytearray, memoryview)


def _is_http(response: object) -> bool:
    return hasattr(response, "headers") and (
        hasattr(response, "status_code") or hasattr(response, "status")
    )


def _of_iterable(response: Any, _: reading.ReadOptions) -> Sequence[object] | None:
    """The items of an iterable; None for what is none. `__iter__` is called once, as it may send a query."""
    try:
        items = iter(response)
    except TypeError as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
            raise  # an error in the response's own code
        return None
    return list(items)


# --- what is recognised -----------------------------------------------------------------------------------------------


def _refused(what: str, advice: str) -> _Results:
    """A reader of responses that have no results: it raises `UnreadableRanking`."""

    def refuse(response: object, _: reading.ReadOptions) -> NoReturn:
        raise reading.unreadable(what, response, advice, LONGEST_SHOWN)

    return refuse


def _attributes(*names: str) -> _Fields:
    return lambda result: {
        name: getattr(result, name)
        for name in names
        if getattr(result, name, None) is not None
    }


_ADDRESSES = "a SearchResult of tantivy, whose hits are addresses of documents, not ids"
_OF_POINT = _attributes("id", "score", "payload")
_OF_LANGCHAIN = _attributes("id", "metadata", "page_content")
_ONE_RESULT = _refused("one result", reading.A_LIST)

TYPES: tuple[LibraryType, ...] = (
    LibraryType("bm25s", "Results", search_libraries.of_bm25s),
    LibraryType("usearch", "Matches", search_libraries.of_usearch),
    LibraryType(
        "usearch",
        "BatchMatches",
        _refused("a batch of usearch", "return matches[0], or search for a vector"),
    ),
    LibraryType(
        "qdrant_client.http", "QueryResponse", lambda response, _: response.points
    ),
    LibraryType(
        "qdrant_client.http",
        "ScoredPoint Record",
        None,
        _OF_POINT,
        search_libraries.point_id,
    ),
    LibraryType(
        "langchain_core", "Document", None, _OF_LANGCHAIN, search_libraries.metadata_id
    ),
    LibraryType(
        "llama_index",
        "NodeWithScore BaseNode",
        None,
        search_libraries.node_fields,
        search_libraries.node_id,
    ),
    LibraryType(
        "tantivy", "SearchResult", _refused(_ADDRESSES, search_libraries.WITH_SEARCHER)
    ),
    LibraryType(
        "polars",
        "LazyFrame",
        _refused("a LazyFrame of polars", "return frame.collect()"),
    ),
    LibraryType("tantivy", "Document", None, search_libraries.tantivy_fields),
    LibraryType("xapian", "MSet", search_libraries.of_xapian),
    LibraryType("xapian", "MSetItem Document", None, search_libraries.xapian_fields),
    LibraryType(
        "lancedb",
        "LanceQueryBuilder",
        lambda query, options: _of_arrow(query.to_arrow(), options),
    ),
    LibraryType("pyarrow", "Scalar", None, lambda value: value.as_py()),
)

SHAPES: tuple[tuple[Callable[[Any], bool], _Results], ...] = (
    (lambda it: isinstance(it, list), lambda it, _: it),
    (search_libraries.is_tantivy_pair, search_libraries.of_tantivy_pair),
    # tables, batches, readers of batches and columns of Arrow
    (lambda it: hasattr(it, "to_pylist") or hasattr(it, "read_all"), _of_arrow),
    (search_libraries.are_arrays, search_libraries.of_arrays),
    (search_libraries.is_array_of_results, search_libraries.of_array),
    (lambda it: isinstance(it, Mapping), search_libraries.of_chroma),
    (lambda it: isinstance(it, Mapping), lambda it, _: hits_of(it)),
    (
        lambda it: (
            type(it).__name__ in _ROWS
            or (isinstance(it, tuple) and hasattr(it, "_fields"))
        ),
        _ONE_RESULT,
    ),
    (
        lambda it: it is None,
        _refused(
            "", "return the results, best first (an empty list where there are none)"
        ),
    ),
    (
        lambda it: isinstance(it, _TEXTS),
        _refused("text", f"{reading.A_LIST} (parsed, if it is JSON)"),
    ),
    (
        lambda it: isinstance(it, (set, frozenset)),
        _refused("a set, which has no order", reading.A_LIST),
    ),
    (lambda it: isinstance(it, tuple), lambda it, _: reading.read_tuple(it)),
    (
        _is_series,
        _refused(
            "a Series",
            "return list(series) if its values are the ids, list(series.index) if not",
        ),
    ),
    (_is_relation, lambda it, _: _table(it.columns, it.fetchall())),
    (lambda it: _can_fetch(it) and hasattr(it, "description"), _of_cursor),
    (_is_frame, _of_frame),
    (reading.is_unsent_search, lambda it, options: results_of(it.execute(), options)),
    (lambda it: True, lambda it, _: contained_hits(it)),
    # iterating over an HTTP response gives its bytes in pieces, and over a model of pydantic its fields
    (
        _is_http,
        _refused(
            "an HTTP response", "return what is in it, response.json() for instance"
        ),
    ),
    (lambda it: not hasattr(type(it), "model_fields"), _of_iterable),
)
"""How responses of other types are recognised and read, in this order; None leaves a response to the next row."""
