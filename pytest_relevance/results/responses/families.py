"""The families of responses: how each is recognised, and where it keeps its results.

`FAMILIES` is asked in order, from what is certain (the type's name and module) to what is general (whatever can be
iterated over); `DOCUMENTS` has the results of libraries whose fields are not their attributes. No library of an engine
is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, NamedTuple

from pytest_relevance._text import shown
from pytest_relevance.results.responses import bodies, indexes, neighbors, rows, tables, vector_stores
from pytest_relevance.results.responses.fields import ReadOptions
from pytest_relevance.results.responses.problems import (
    NoResults,
    UnreadableRanking,
    is_mock,
    is_unsent_search,
    kind_of,
    one_result,
)


def results_of(
    response: object,
    id_names: Sequence[str] = (),
    title_names: Sequence[str] = (),
    ids: Callable[[], object] | None = None,
) -> Sequence[object]:
    """The results within a response, in its order. Raises `UnreadableRanking` where there are none to read.

    The arguments are those of `ReadOptions`.
    """
    if type(response) is dict and bodies.may_be_body(response):
        return bodies.hits_of(response)
    options = ReadOptions(id_names, title_names, ids)
    for family in FAMILIES:
        if family.includes(response) and (found := family.results(response, options)) is not None:
            return found
    raise NoResults(f"search returned {kind_of(response)}, {shown(response)}; return a list of results, best first")


def as_mapping(result: Any, id_names: Sequence[str] = ()) -> Any:
    """A library's result as a mapping of its fields; anything else as it is. Raises `BadResult`.

    `id_names` are the names that an id may have: a single one is that of the suite's `id_field`.
    """
    type_: Any = type(result)
    kind = _document_kind(type_)
    if kind is None:
        return bodies.of_dsl(result)
    fields = kind.as_mapping(result)
    id_ = None if kind.id_of is None or len(id_names) == 1 else kind.id_of(fields)
    return fields if id_ is None else {**fields, "id": id_}


class Family(NamedTuple):
    """A family of responses: `results` gives the results, or None for a response that belongs to another family."""

    name: str
    includes: Callable[[Any], bool]
    results: Callable[[Any, ReadOptions], Sequence[object] | None]


class DocumentKind(NamedTuple):
    """A type of results, recognised by the type alone; `as_mapping` gives the fields of one.

    `id_of` gives the id from the fields of a type that may have several, for suites without `id_field`. Both raise
    `BadResult`.
    """

    name: str
    includes: Callable[[type], bool]
    as_mapping: Callable[[Any], Mapping[str, object]]
    id_of: Callable[[Mapping[str, Any]], object] | None = None


# --- what is no list of results ---------------------------------------------------------------------------------------

_ROWS = frozenset({"Row", "Record"})  # sqlite3's and SQLAlchemy's, asyncpg's: iterating over one gives its values


def _is_one_result(response: object) -> bool:
    return type(response).__name__ in _ROWS or (isinstance(response, tuple) and hasattr(response, "_fields"))


def _is_result_of_library(response: object) -> bool:
    kind: Any = type(response)
    return _document_kind(kind) is not None


def _refuse_one_result(response: object, _: ReadOptions) -> Sequence[object]:
    raise one_result(response)


def _refuse_unreadable(response: object, _: ReadOptions) -> None:
    """Raise `UnreadableRanking` for what is certainly no list of results, though most of it can be iterated over."""
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


def _is_http_response(response: object) -> bool:
    return hasattr(response, "headers") and (hasattr(response, "status_code") or hasattr(response, "status"))


def _refuse_http_response(response: object, _: ReadOptions) -> Sequence[object]:
    """Refuse a response of an HTTP client: iterating over one gives its bytes in pieces."""
    raise UnreadableRanking(
        f"search returned an HTTP response, {shown(response)}; return what is in it, response.json() for instance"
    )


# --- mocks, objects and iterables -------------------------------------------------------------------------------------


def _of_mock(mock: Any, _: ReadOptions) -> Sequence[object]:
    """The results that a mock was given: a mock has every attribute, so that only those it was given count."""
    given = {name: value for name, value in vars(mock).items() if not is_mock(value)}
    found = bodies.contained_hits(SimpleNamespace(**given))
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


def _of_search(search: Any, options: ReadOptions) -> Sequence[object]:
    return results_of(search.execute(), options.id_names, options.title_names, options.ids)


def _is_iterable(response: object) -> bool:
    """Whether a response can be iterated over, and gives results then: a pydantic model gives its fields."""
    if hasattr(type(response), "model_fields"):
        return False
    try:
        iter(response)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


# --- the tables -------------------------------------------------------------------------------------------------------


def _is_anything(_: object) -> bool:
    return True


def _itself(response: Any, _: ReadOptions) -> Sequence[object]:
    found: Sequence[object] = response
    return found


FAMILIES: tuple[Family, ...] = (
    Family("a mock", is_mock, _of_mock),  # before the rest: a mock may claim to be of any type
    Family("a list", lambda response: isinstance(response, list), _itself),
    # libraries, by the names of their types
    Family("bm25s", neighbors.is_results, neighbors.of_results),
    Family("usearch", neighbors.is_matches, neighbors.of_matches),
    Family("Qdrant", vector_stores.is_query_response, vector_stores.of_query_response),
    Family("LlamaIndex", vector_stores.is_retrieval, vector_stores.of_retrieval),
    Family("tantivy's result", indexes.is_tantivy_result, indexes.refuse_tantivy_result),
    Family("tantivy's searcher and result", indexes.is_tantivy_pair, indexes.of_tantivy_pair),
    Family("Xapian's MSet", indexes.is_mset, indexes.of_mset),
    Family("LanceDB's query", tables.is_lancedb_query, tables.of_lancedb_query),
    Family("Arrow's batches and columns", tables.is_arrow, tables.of_arrow),
    # libraries, by the shape of what they return
    Family("faiss or hnswlib", neighbors.is_pair, neighbors.of_pair),
    Family("an array of results", neighbors.is_array_of_results, neighbors.of_array),
    Family("Qdrant's JSON", vector_stores.is_json_of_points, vector_stores.of_json_of_points),
    Family("Chroma", vector_stores.is_query_result, vector_stores.of_query_result),
    # general shapes
    Family("columns of arrays", tables.is_columns, tables.of_columns),
    Family("a response body", lambda response: isinstance(response, Mapping), bodies.of_body),
    Family("one result of a library", _is_result_of_library, _refuse_one_result),
    Family("one result", _is_one_result, _refuse_one_result),
    Family("what is no list", _is_anything, _refuse_unreadable),
    Family("a tuple", lambda response: isinstance(response, tuple), _itself),
    Family("a lazy frame", tables.is_lazy_frame, tables.of_lazy_frame),
    Family("a Series", tables.is_series, tables.of_series),
    Family("a relation", tables.is_relation, tables.of_relation),
    Family("a cursor", tables.is_cursor, tables.of_cursor),
    Family("a data frame", tables.is_frame, tables.of_frame),
    Family("an unsent search", is_unsent_search, _of_search),
    Family("a response object", _is_anything, bodies.of_object),
    Family("an HTTP response", _is_http_response, _refuse_http_response),
    Family("an iterable", _is_iterable, lambda response, _: list(response)),
)

DOCUMENTS: tuple[DocumentKind, ...] = (
    DocumentKind("Qdrant", vector_stores.is_point, vector_stores.point_fields, vector_stores.point_id),
    DocumentKind(
        "LangChain", vector_stores.is_langchain_document, vector_stores.langchain_fields, vector_stores.metadata_id
    ),
    DocumentKind("LlamaIndex", vector_stores.is_node, vector_stores.node_fields, vector_stores.node_id),
    DocumentKind("tantivy's document", indexes.is_tantivy_document, indexes.of_tantivy_document),
    DocumentKind("parts of tantivy", indexes.is_tantivy_part, indexes.refuse_tantivy_part),
    DocumentKind("Xapian's item", indexes.is_xapian_item, indexes.of_xapian_item),
    DocumentKind("responses in a list", neighbors.is_response, neighbors.refuse_response),
    DocumentKind("Arrow's value", tables.is_arrow_value, lambda value: value.as_py()),
)


@lru_cache(maxsize=64)
def _document_kind(kind: type) -> DocumentKind | None:
    return next((known for known in DOCUMENTS if known.includes(kind)), None)
