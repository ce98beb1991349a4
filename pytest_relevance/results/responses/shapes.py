"""The shapes of responses: how each is recognised, and where it keeps its results. Bodies and tables are read here.

`TYPES` knows what libraries return by the name and the module of its type; `SHAPES` is asked in order, from what
certain libraries return to whatever can be iterated over. No library of an engine is imported.

A search server's response body is a row of `HITS` (`hits`); a client library's response object has the body under one
of `BODIES`, or its hits under one of `HOLDERS`. What has no results is refused, with a message that says what to return
instead (`finder`). So is a response that says that there is more than it holds (`incomplete`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple, NoReturn

from pytest_relevance._text import LONGEST_SHOWN, quoted
from pytest_relevance.results.responses import pagers, reading, search_libraries
from pytest_relevance.results.responses.attributes import (
    attribute,
    has_attribute,
    has_class,
    is_a,
    is_keyed,
    is_mock,
    is_name_of_field,
    own_names,
)
from pytest_relevance.results.responses.finder import has_likely_list, no_ranking
from pytest_relevance.results.responses.hits import TEXTS, hits_in, is_list
from pytest_relevance.results.responses.incomplete import (
    ERRORS,
    REDIS_SIGNS,
    SIGNS,
    Sign,
    at_path,
    failed,
    refuse_failure,
    refuse_partial,
    refuse_without_results,
)
from pytest_relevance.results.responses.iterators import close, read_items

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


A_MOCK = (
    "a mock has every attribute and no results; have it return what the search would, for example "
    'Mock(return_value=["id-1", "id-2"])'
)


def results_of(response: object, options: reading.ReadOptions) -> Sequence[object]:
    """The results within a response, in the order of the response. Raises `UnreadableRanking` where there are none."""
    if type(response) is dict and may_be_body(response):
        return hits_of(response, options)
    type_: Any = type(response)
    if is_mock(response):
        raise reading.unreadable(reading.kind_of(response), response, A_MOCK)
    if not has_class(response):
        kind = reading.kind_of(response)
        raise reading.unreadable(kind, response, reading.A_LIST)
    known = _library_type(type_)
    if known is not None:
        return (known.results or _ONE_RESULT)(response, options) or ()
    for includes, results in SHAPES:
        if includes(response) and (found := results(response, options)) is not None:
            return found
    raise no_ranking(response)


def as_mapping(result: Any, *, has_usual_id: bool = True) -> Any:
    """A library's result as a mapping of its fields; anything else as it is. Raises `BadResult`.

    `has_usual_id`: the suite has no `id_field`, and one of the usual fields is the id.
    """
    type_: Any = type(result)
    if is_mock(result):
        raise reading.BadResult(f"is a mock; {A_MOCK}")
    if not has_class(result):
        raise reading.BadResult(reading.MADE_UP)
    known = _library_type(type_)
    if known is None or known.fields is None:
        return hit_of_dsl(result)
    fields = known.fields(result)
    id_ = known.id_of(fields) if known.id_of is not None and has_usual_id else None
    return fields if id_ is None else {**fields, "id": id_}


@lru_cache(maxsize=64)
def _library_type(kind: type) -> LibraryType | None:
    return next(
        (known for known in TYPES if is_a(kind, known.package, *known.names.split())),
        None,
    )


# --- response bodies of search servers, and response objects of their clients -----------------------------------------

BODIES = ("body", "raw_response", "json", "_d_")
"""Attributes under which response objects keep the body: elasticsearch-py's, pysolr's, pyvespa's, the DSL clients'."""

HOLDERS = ("hits", "docs")
"""Attributes under which response objects keep the list of hits."""

_FIRST_KEYS = frozenset(("hits", "response", "root", *ERRORS))


def may_be_body(body: Mapping[Any, Any]) -> bool:
    """Whether a mapping has an object or a list under a key by which the body of a search server is recognised."""
    return any(type(body.get(key)) in (dict, list) for key in _FIRST_KEYS)


def contained_hits(
    response: Any, options: reading.ReadOptions
) -> Sequence[object] | None:
    """The hits in a client library's response object; None where there are none. Raises `UnreadableRanking`."""
    for name in BODIES:
        body = attribute(response, name)
        if isinstance(body, Mapping):
            hits = hits_of(body, options, holder=response)
            # of the DSL clients, whose own hits may be documents of the user's classes
            return list(response.hits) if name == "_d_" else hits
    for name in HOLDERS:
        inner = attribute(response, name)
        if isinstance(inner, Mapping):
            return hits_of(inner, options, holder=response)
        if is_list(inner):
            return whole(inner, response, options)
    return None


def whole(
    results: Any,
    response: object,
    options: reading.ReadOptions,
    signs: Sequence[Sign] = SIGNS,
) -> Sequence[object]:
    """Return the results of a response object. Raises `UnreadableRanking` if it says that there are more."""
    refuse_failure(response)
    refuse_partial(response, response, signs)
    if not results:
        refuse_without_results(response, expects_response=options.expects_response)
    found: Sequence[object] = results
    return found


def hits_of(
    body: Mapping[Any, Any], options: reading.ReadOptions, holder: object = None
) -> Sequence[object]:
    """The hits of a response body. Raises `UnreadableRanking` where the engine failed or answered only in part.

    `holder` is the response object that contains the body, where there is one.
    """
    refuse_failure(body)
    if holder is not None:
        refuse_partial(holder, body)
    refuse_partial(body, body)
    for name in ("hits", "response"):
        inner = body.get(name)
        if isinstance(inner, Mapping):
            refuse_partial(inner, body)
    hits = hits_in(body)
    vespa = body.get("root")
    if isinstance(vespa, Mapping):
        hits = _vespa_hits(hits or (), vespa, options)  # without any if nothing matched
    if hits is None:
        message = body.get("message")
        if message and not has_likely_list(body):
            raise failed(body, "message", message)
        raise no_ranking(body)
    if "warning" in body:
        refuse_partial(body, body, REDIS_SIGNS)
    if not hits:
        refuse_without_results(body, expects_response=options.expects_response)
    return hits


def _vespa_hits(
    children: Sequence[object], root: Mapping[Any, Any], options: reading.ReadOptions
) -> Sequence[object]:
    """The hits among the children of Vespa's root. The results of grouping are one more child, which is left out."""
    hits = [
        child
        for child in children
        if not str(at_path(child, ("id",))).startswith("group:root")
    ]
    is_nested = any(isinstance(hit, Mapping) and "children" in hit for hit in hits)
    has_groups_alone = children and not hits and not options.expects_response
    if is_nested or (has_groups_alone and at_path(root, ("fields", "totalCount")) != 0):
        raise reading.unreadable(
            "its hits in groups", children, "return the hits as one list, best first"
        )
    return hits


def hit_of_dsl(result: Any) -> Any:
    """A hit or a document of elasticsearch.dsl and opensearch-py as the engine's own hit; anything else as it is.

    Such a hit has the fields of the document as its items, and the engine's metadata in its attribute `meta`.
    """
    own = getattr(result, "__dict__", None)
    if not isinstance(own, dict) or "_d_" not in own or "meta" not in own:
        return result
    meta = getattr(own["meta"], "_d_", own["meta"])
    if not isinstance(meta, Mapping):
        return result
    return {
        **{f"_{name}": value for name, value in meta.items()},
        "_source": own["_d_"],
        "meta": meta,
    }


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
        next(getattr(column, name) for name in methods if has_attribute(column, name))()
        for column in columns
    )
    yield from zip(*lists, strict=True)


def _is_arrow(response: object) -> bool:
    """Whether a response is a table, a batch, a reader of batches or a column of Arrow."""
    return has_attribute(response, "to_pylist") or has_attribute(response, "read_all")


def _of_arrow(response: Any, options: reading.ReadOptions) -> Sequence[object]:
    """The rows of a table of Arrow, a record batch or a reader of such batches, or the values of a column."""
    if has_attribute(response, "read_all"):
        return _of_batches(response, options)
    if not has_attribute(response, "columns"):
        values: Sequence[object] = response.to_pylist()
        return values
    return _table(response.schema.names, _rows_of(response.columns))


def _of_batches(reader: Any, options: reading.ReadOptions) -> Sequence[object]:
    """The rows of a reader of record batches, which may have more than are read."""
    rows: list[tuple[object, ...]] = []
    names = reader.schema.names
    try:
        for batch in reader:
            rows += _rows_of(batch.columns)
            if len(rows) >= options.most:
                break
    finally:
        close(reader)
    return _table(names, rows[: options.most])


def _of_frame(frame: Any, _: reading.ReadOptions) -> Sequence[object]:
    """The rows of a data frame of pandas or polars; a named index is a column too."""
    names = [*frame.columns]
    index: Any = attribute(frame, "index")
    name = None if index is None else getattr(index, "name", None)
    is_named = isinstance(name, str) and name not in map(str, names)
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
        has_attribute(response, "columns")
        and has_attribute(response, "shape")
        and hasattr(type(response), "__getitem__")
    )


def _is_series(response: object) -> bool:
    is_named = any(kind.__name__ == "Series" for kind in type(response).__mro__)
    return is_named and hasattr(type(attribute(response, "index")), "__iter__")


def _can_fetch(response: object) -> bool:
    if not has_attribute(response, "fetchall"):
        return False
    fetchall = getattr(response, "fetchall", None)
    return callable(fetchall) and not inspect.iscoroutinefunction(fetchall)


def _fetch(cursor: Any, most: int) -> list[Any]:
    """Fetch at most so many rows of a cursor, which stays open."""
    if hasattr(type(cursor), "__iter__"):
        return [*islice(cursor, most)]
    if has_attribute(cursor, "fetchmany"):
        return [*cursor.fetchmany(most)]
    return [*cursor.fetchall()]


def _is_cursor(response: object) -> bool:
    return _can_fetch(response) and has_attribute(response, "description")


def _of_cursor(cursor: Any, options: reading.ReadOptions) -> Sequence[object]:
    """The rows of a cursor (PEP 249): mappings, where the rows are bare and a column is named like an id.

    The same holds where the suite says which column has the id, and where the first column is named like a title: a
    bare row would take it for the id.
    """
    description = cursor.description  # it may be gone once the rows are read
    rows = _fetch(cursor, options.most)
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
    columns = attribute(response, "columns")
    return _can_fetch(response) and isinstance(columns, (list, tuple))


def _of_relation(relation: Any, options: reading.ReadOptions) -> Sequence[object]:
    """The rows of a relation of DuckDB."""
    return _table(relation.columns, _fetch(relation, options.most))


def _is_http(response: object) -> bool:
    has_status = has_attribute(response, "status_code") or has_attribute(
        response, "status"
    )
    return has_status and has_attribute(response, "headers")


def _is_named_row(response: object) -> bool:
    """Whether a response is one row of a database, or a named tuple that is one result."""
    if type(response).__name__ in _ROWS:
        return True
    return _is_named_tuple(response) and not has_likely_list(response)


def _is_named_tuple(response: object) -> bool:
    return isinstance(response, tuple) and has_attribute(response, "_fields")


def _of_named_tuple(response: Any, options: reading.ReadOptions) -> Sequence[object]:
    """The hits in a named tuple, as in any other object."""
    found = contained_hits(response, options)
    if found is None:
        raise no_ranking(response)
    return found


def _is_iterable(response: object) -> bool:
    """Whether a response is read by iterating over it. A model of pydantic gives its fields then."""
    return hasattr(type(response), "__iter__") and not hasattr(
        type(response), "model_fields"
    )


def _of_iterable(response: Any, options: reading.ReadOptions) -> Sequence[object]:
    """The items of an iterable. `__iter__` is called once, as it may send a query.

    Raises `UnreadableRanking` for an object that gives the names of its own fields, alone or with their values.
    """
    items = read_items(response, options.most)
    if items and all(_gives_a_field(response, item) for item in items):
        raise no_ranking(
            response, "which gives the names of its own fields if it is iterated over"
        )
    return items


def _gives_a_field(response: object, item: object) -> bool:
    """Whether an item is the name of a field of a response, alone or with its value."""
    if type(item) is tuple and item:
        return isinstance(item[0], str) and item[0] in own_names(response)
    return is_name_of_field(response, item)


def _has_items_alone(response: object) -> bool:
    """Whether a response gives items in square brackets, and cannot say which it has."""
    kind = type(response)
    return hasattr(kind, "__getitem__") and not hasattr(kind, "__iter__")


def _of_items(response: Any, options: reading.ReadOptions) -> Sequence[object]:
    """The items of a response that gives them by their places, from 0 on, and no others.

    Raises `UnreadableRanking` if it gives them by other keys, as a mapping does.
    """
    items: list[object] = []
    while len(items) < options.most:
        try:
            items.append(response[len(items)])
        except IndexError:
            break
        except (KeyError, TypeError, AttributeError) as error:
            if items:
                raise
            trait = f"whose items have names, and response[0] is a {error!r}"
            raise no_ranking(response, trait) from error
    return items


def _of_keyed(response: Any, options: reading.ReadOptions) -> Sequence[object]:
    """The hits in an object that gives its fields by their names."""
    return hits_of({name: response[name] for name in own_names(response)}, options)


def _is_split(response: object) -> bool:
    """Whether a response is a tuple with a list of results in it: `(hits, total)`, `(ids, scores)`."""
    if not isinstance(response, tuple):
        return False
    return any(_is_list_of_results(part) for part in response)


def _is_list_of_results(part: object) -> bool:
    """Whether a part of a tuple is a list of results, and neither a row nor a list of numbers of an index."""
    if not isinstance(part, list) or _is_like_row(part):
        return False
    return all(_is_like_row(item) for item in part if isinstance(item, list))


def _is_like_row(part: Sequence[object]) -> bool:
    """Whether a list could be a row of an id and a score."""
    return len(part) == 2 and reading.is_id(part[0]) and reading.is_score(part[1])


def _refuse(response: object, _: reading.ReadOptions) -> NoReturn:
    raise no_ranking(response)


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


def _of_algolia(hit: Any) -> Mapping[str, object]:
    """The fields of a hit of Algolia: its id, and those of the record, which its model does not declare."""
    return {"objectID": hit.object_id, **(hit.__pydantic_extra__ or {})}


def _of_redis(name: str) -> _Results:
    """A reader of a response of redis-py, which has its results in an attribute."""
    signs = (*REDIS_SIGNS, *SIGNS)
    return lambda response, options: whole(
        getattr(response, name), response, options, signs
    )


def _of_azure(response: Any, options: reading.ReadOptions) -> Sequence[object]:
    """The results of a pager of Azure AI Search. Raises `UnreadableRanking` if a page says that it is not whole."""
    found: pagers.ReadPages = response
    if not isinstance(response, pagers.ReadPages):
        found = pagers.read_pages(response, options.most)
    for page in found.pages:
        refuse_partial(page, page)
    if not found.items:
        for page in found.pages:
            refuse_without_results(page, expects_response=options.expects_response)
    return found.items


def _of_discovery_engine(
    response: Any, options: reading.ReadOptions
) -> Sequence[object]:
    """The results of a pager of Discovery Engine (Vertex AI Search), or of one page."""
    is_page = not hasattr(type(response), "__iter__")
    results = response.results if is_page else response
    items = read_items(results, options.most)
    if not items:
        total = {"total_size": response.total_size}
        refuse_without_results(total, expects_response=options.expects_response)
    return items


_ADDRESSES = "a SearchResult of tantivy, whose hits are addresses of documents, not ids"
_OF_POINT = _attributes("id", "score", "payload")
_OF_VECTOR = _attributes("id", "score", "metadata")
_OF_LANGCHAIN = _attributes("id", "metadata", "page_content")
_of_algolia_searches = _refused(
    "answers to several searches",
    f"return response.results[0].actual_instance ({reading.ONE_QUERY})",
)
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
    LibraryType("pinecone", "QueryResponse", lambda response, _: response.matches),
    LibraryType(
        "pinecone", "SearchRecordsResponse", lambda response, _: response.result.hits
    ),
    LibraryType("pinecone", "ScoredVector", None, _OF_VECTOR),
    LibraryType("redis", "Result", _of_redis("docs")),
    LibraryType("redis", "AggregateResult", _of_redis("rows")),
    LibraryType("redis", "HybridResult", _of_redis("results")),
    LibraryType("algoliasearch", "Hit", None, _of_algolia),
    LibraryType("algoliasearch", "SearchResponses", _of_algolia_searches),
    LibraryType("azure.search.documents", "SearchItemPaged", _of_azure),
    LibraryType("google.cloud", "SearchPager SearchResponse", _of_discovery_engine),
)

SHAPES: tuple[tuple[Callable[[Any], bool], _Results], ...] = (
    (lambda it: isinstance(it, list), lambda it, _: it),
    (search_libraries.is_tantivy_pair, search_libraries.of_tantivy_pair),
    (_is_arrow, _of_arrow),
    (search_libraries.are_arrays, search_libraries.of_arrays),
    (search_libraries.is_array_of_results, search_libraries.of_array),
    (lambda it: isinstance(it, Mapping), search_libraries.of_chroma),
    (lambda it: isinstance(it, Mapping), hits_of),
    (_is_named_row, _ONE_RESULT),
    (_is_named_tuple, _of_named_tuple),
    (
        lambda it: it is None,
        _refused(
            "", "return the results, best first (an empty list where there are none)"
        ),
    ),
    (
        lambda it: isinstance(it, TEXTS),
        _refused("text", f"{reading.A_LIST} (parsed, if it is JSON)"),
    ),
    (
        lambda it: isinstance(it, (set, frozenset)),
        _refused("a set, which has no order", reading.A_LIST),
    ),
    (_is_split, _refuse),
    (lambda it: isinstance(it, tuple), lambda it, _: reading.read_tuple(it)),
    (
        _is_series,
        _refused(
            "a Series",
            "return list(series) if its values are the ids, list(series.index) if not",
        ),
    ),
    (_is_relation, _of_relation),
    (_is_cursor, _of_cursor),
    (_is_frame, _of_frame),
    (reading.is_unsent_search, lambda it, options: results_of(it.execute(), options)),
    (lambda it: isinstance(it, pagers.ReadPages), _of_azure),
    (lambda it: True, contained_hits),
    # iterating over an HTTP response gives its bytes in pieces
    (
        _is_http,
        _refused(
            "an HTTP response", "return what is in it, response.json() for instance"
        ),
    ),
    (is_keyed, _of_keyed),
    (_is_iterable, _of_iterable),
    (_has_items_alone, _of_items),
)
"""How responses of other types are recognised and read, in this order; None leaves a response to the next row."""
