"""The families of responses: how each is recognised, and where it keeps its results. Tables are read here.

`FAMILIES` is asked in order, from what is certain (the type's name and module) to what is general (whatever can be
iterated over); `DOCUMENTS` has the results of libraries whose fields are not their attributes. No library of an engine
is imported.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from pytest_relevance._text import LONGEST_SHOWN, quoted, shown
from pytest_relevance.results.responses import bodies, neighbors, stores
from pytest_relevance.results.responses.reading import (
    ONE_QUERY,
    NoResults,
    ReadOptions,
    UnreadableRanking,
    instance_of,
    is_a,
    is_unsent_search,
    kind_of,
    one_result,
    refuse_tuple,
    type_of,
    unreadable,
)


def is_lazy_frame(response: object) -> bool:
    """Whether a response is a query of polars that has not run."""
    kind = type(response)
    return hasattr(kind, "collect") and hasattr(kind, "collect_schema")


def is_relation(response: object) -> bool:
    """Whether a response is a relation of DuckDB, whose shape would be a query of its own."""
    return _has_fetchall(response) and isinstance(getattr(response, "columns", None), (list, tuple))


def of_relation(relation: Any, _: ReadOptions) -> Sequence[object]:
    """The rows of a relation as mappings. Raises `UnreadableRanking` if two columns have one name."""
    return _of_one_query(_named(list(map(str, relation.columns)), relation.fetchall(), "rows"))


def is_cursor(response: object) -> bool:
    """Whether a response is a cursor (PEP 249)."""
    return _has_fetchall(response) and hasattr(response, "description")


@dataclass(frozen=True, slots=True)
class ReadCursor:
    """The rows of an asynchronous cursor, which was iterated over, with the description of their columns."""

    description: Any
    rows: list[Any]

    def fetchall(self) -> list[Any]:
        """The rows, as from a cursor."""
        return self.rows


def _has_fetchall(response: object) -> bool:
    fetchall = getattr(response, "fetchall", None)
    return fetchall is not None and not inspect.iscoroutinefunction(fetchall)


LANCEDB_QUERIES = ("LanceQueryBuilder", "AsyncQueryBase", "AsyncTakeQuery")
"""The types of queries of LanceDB that have not run."""


def of_lancedb_query(query: Any, _: ReadOptions) -> Sequence[object]:
    """The rows of a query of LanceDB as mappings; it runs here. Raises `UnreadableRanking` for an asynchronous one."""
    if inspect.iscoroutinefunction(query.to_list):
        what, advice = "a query of LanceDB that has not run", "return await query.to_list()"
        raise unreadable(what, query, advice, LONGEST_SHOWN)
    return _of_one_query(query.to_list())


_QUERIES = ("query", "query_id", "qid", "query_index")
"""The names of a column that says which of several queries a row is for."""


def _of_one_query(rows: Sequence[Any]) -> Sequence[object]:
    """Rows of a table as they are. Raises `UnreadableRanking` where they are the results of several queries."""
    for name in _QUERIES if rows else ():
        # compared as text: a value may be a list, and each NaN is another one
        if name in rows[0] and len(values := {str(row[name]) for row in rows}) > 1:
            what = f"a table with the results of {len(values)} queries (column {quoted(name)})"
            raise unreadable(what, rows, ONE_QUERY)
    return rows


def is_arrow(response: object) -> bool:
    """Whether a response is a table, a record batch, a reader of record batches, or a column of Arrow."""
    return hasattr(response, "to_pylist") or is_a(type(response), "pyarrow", "RecordBatchReader")


def of_arrow(response: Any, _: ReadOptions) -> Sequence[object]:
    """The rows of a table of Arrow as mappings, or the values of a column.

    Raises `UnreadableRanking` if two columns have one name.
    """
    if hasattr(response, "read_all"):
        response = response.read_all()
    names = getattr(response, "column_names", ())
    _refuse_double(names, "a table")
    found: Sequence[object] = response.to_pylist()
    return _of_one_query(found) if names else found


def is_columns(response: object) -> bool:
    """Whether a response is a mapping of columns, each an array (DuckDB's `fetchnumpy`) or a Series, of one length."""
    if not isinstance(response, Mapping) or not response:
        return False
    shapes = [getattr(column, "shape", None) for column in response.values()]
    return isinstance(shapes[0], tuple) and len(shapes[0]) == 1 and all(shape == shapes[0] for shape in shapes)


def of_columns(columns: Mapping[str, Any], _: ReadOptions) -> Sequence[object]:
    """The rows of a mapping of columns, as mappings."""
    values = (column.to_list() if hasattr(column, "to_list") else column.tolist() for column in columns.values())
    return _of_one_query([dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)])


def is_frame(response: object) -> bool:
    """Whether a response is a data frame of pandas or polars."""
    return hasattr(response, "columns") and hasattr(response, "shape") and hasattr(response, "__getitem__")


def is_series(response: object) -> bool:
    """Whether a response is a Series of pandas, or of a library with the same interface: values with an index."""
    named = any(base.__name__ == "Series" for base in type(response).__mro__)
    return named and hasattr(getattr(response, "index", None), "__iter__")


def of_frame(frame: Any, _: ReadOptions) -> Sequence[object]:
    """The rows of a data frame as mappings; a named index is a column too.

    Raises `UnreadableRanking` if two columns have one name.
    """
    names, columns = [*map(str, frame.columns)], [frame[name] for name in frame.columns]
    index: Any = getattr(frame, "index", None)
    if isinstance(name := getattr(index, "name", None), str) and name not in names:
        names.append(name)
        columns.append(index)
    return _of_one_query(_named(names, zip(*columns, strict=True), "a data frame"))


def of_cursor(cursor: Any, options: ReadOptions) -> Sequence[object]:
    """The rows of a cursor (PEP 249): mappings, where the rows are bare and a column is named like an id.

    The same holds where the first column is named like a title: a bare row would take it for the id.
    """
    description = cursor.description  # it may be gone once the rows are read
    rows = list(cursor) if hasattr(type(cursor), "__iter__") else cursor.fetchall()
    names = [str(column[0]) for column in description or ()]
    if set(map(type, rows)) != {tuple} or not (set(names) & set(options.id_names) or names[0] in options.title_names):
        return list(rows)
    return _of_one_query(_named(names, rows, "rows"))


def _named(names: Sequence[str], rows: Iterable[Sequence[object]], what: str) -> Sequence[dict[str, object]]:
    """Rows as mappings. Raises `UnreadableRanking`, which calls them `what`, if two columns have one name."""
    _refuse_double(names, what)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _refuse_double(names: Sequence[str], what: str) -> None:
    double = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if double is not None:
        raise UnreadableRanking(f"search returned {what} with two columns named {quoted(double)}; rename one")


def refuse_series(series: Any, _: ReadOptions) -> Sequence[object]:
    """Raise `UnreadableRanking`: the ids of a Series may be its values or its index."""
    raise unreadable("a Series", series, "return list(series) if its values are the ids, list(series.index) if not")


def results_of(response: object, options: ReadOptions) -> Sequence[object]:
    """The results within a response, in its order. Raises `UnreadableRanking` where there are none to read."""
    if type(response) is dict and bodies.may_be_body(response):
        return bodies.hits_of(response)
    for family in FAMILIES:
        if family.includes(response) and (found := family.results(response, options)) is not None:
            return found
    raise NoResults(f"search returned {kind_of(response)}, {shown(response)}; return a list of results, best first")


def as_mapping(result: Any, id_names: Sequence[str] = ()) -> Any:
    """A library's result as a mapping of its fields; anything else as it is. Raises `BadResult`.

    `id_names` are the names that an id may have: a single one is the suite's `id_field`.
    """
    type_: Any = type(result)
    kind = _document_kind(type_)
    if kind is None:
        return bodies.hit_of_dsl(result)
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

    includes: Callable[[type], bool]
    as_mapping: Callable[[Any], Mapping[str, object]]
    id_of: Callable[[Mapping[str, Any]], object] | None = None


# --- what is no list of results ---------------------------------------------------------------------------------------

_ROWS = frozenset({"Row", "Record"})  # sqlite3's and SQLAlchemy's, asyncpg's: iterating over one gives its values


def _is_one_result(response: object) -> bool:
    type_: Any = type(response)
    is_named = type_.__name__ in _ROWS or (isinstance(response, tuple) and hasattr(response, "_fields"))
    return is_named or _document_kind(type_) is not None


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
    else:
        return
    raise UnreadableRanking(f"search returned {problem}")


def _is_http_response(response: object) -> bool:
    return hasattr(response, "headers") and (hasattr(response, "status_code") or hasattr(response, "status"))


def _refuse_http_response(response: object, _: ReadOptions) -> Sequence[object]:
    """Refuse a response of an HTTP client: iterating over one gives its bytes in pieces."""
    advice = "return what is in it, response.json() for instance"
    raise unreadable("an HTTP response", response, advice, LONGEST_SHOWN)


# --- objects and iterables --------------------------------------------------------------------------------------------


def _of_tuple(response: tuple[Any, ...], _: ReadOptions) -> Sequence[object]:
    refuse_tuple(response)
    return response


def _gives_results(response: object) -> bool:
    """Whether a response gives results if it can be iterated over: a pydantic model gives its fields."""
    return not hasattr(type(response), "model_fields")


def _of_iterable(response: Any, _: ReadOptions) -> Sequence[object] | None:
    """The items of an iterable; None for what is none. `__iter__` is called once, as it may send a query."""
    try:
        items = iter(response)
    except TypeError as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
            raise  # an error in the response's own code
        return None
    return list(items)


# --- the tables -------------------------------------------------------------------------------------------------------


def _is_anything(_: object) -> bool:
    return True


FAMILIES: tuple[Family, ...] = (
    Family("a list", lambda response: isinstance(response, list), lambda response, _: response),
    # libraries, by the names of their types
    Family("bm25s", instance_of("bm25s", "Results"), neighbors.of_results),
    Family("usearch", instance_of("usearch", "Matches", "BatchMatches"), neighbors.of_matches),
    Family("Qdrant", stores.is_query_response, stores.of_query_response),
    Family("LlamaIndex", instance_of("llama_index", *stores.RETRIEVALS), stores.of_retrieval),
    Family("tantivy's result", stores.is_tantivy_result, stores.refuse_tantivy_result),
    Family("tantivy's searcher and result", stores.is_tantivy_pair, stores.of_tantivy_pair),
    Family("Xapian's MSet", instance_of("xapian", "MSet"), stores.of_mset),
    Family("LanceDB's query", instance_of("lancedb", *LANCEDB_QUERIES), of_lancedb_query),
    Family("Arrow's batches and columns", is_arrow, of_arrow),
    # libraries, by the shape of what they return
    Family("faiss or hnswlib", neighbors.is_pair, neighbors.of_pair),
    Family("an array of results", neighbors.is_array_of_results, neighbors.of_array),
    Family("Qdrant's JSON", stores.is_json_of_points, stores.of_json_of_points),
    Family("Chroma", stores.is_query_result, stores.of_query_result),
    # general shapes
    Family("columns of arrays", is_columns, of_columns),
    Family("a response body", lambda response: isinstance(response, Mapping), lambda body, _: bodies.hits_of(body)),
    Family("one result", _is_one_result, _refuse_one_result),
    Family("what is no list", _is_anything, _refuse_unreadable),
    Family("a tuple", lambda response: isinstance(response, tuple), _of_tuple),
    Family("a lazy frame", is_lazy_frame, lambda frame, options: of_frame(frame.collect(), options)),
    Family("a Series", is_series, refuse_series),
    Family("a relation", is_relation, of_relation),
    Family("a cursor", is_cursor, of_cursor),
    Family("a data frame", is_frame, of_frame),
    Family("an unsent search", is_unsent_search, lambda search, options: results_of(search.execute(), options)),
    Family("a response object", _is_anything, lambda response, _: bodies.contained_hits(response)),
    Family("an HTTP response", _is_http_response, _refuse_http_response),
    Family("an iterable", _gives_results, _of_iterable),
)

DOCUMENTS: tuple[DocumentKind, ...] = (
    DocumentKind(type_of("qdrant_client", "ScoredPoint", "Record"), stores.point_fields, stores.point_id),
    DocumentKind(type_of("langchain_core", "Document"), stores.langchain_fields, stores.metadata_id),
    DocumentKind(type_of("llama_index", "NodeWithScore", "BaseNode"), stores.node_fields, stores.node_id),
    DocumentKind(type_of("tantivy", "Document"), stores.of_tantivy_document),
    DocumentKind(type_of("tantivy", "DocAddress", "Searcher", "SearchResult"), stores.refuse_tantivy_part),
    DocumentKind(type_of("xapian", "MSetItem", "Document"), stores.of_xapian_item),
    DocumentKind(type_of("pyarrow", "Scalar"), lambda value: value.as_py()),
    # whole responses, which the list that a batch returns has in the place of results
    DocumentKind(type_of("qdrant_client", "QueryResponse"), stores.point_fields, stores.point_id),
    DocumentKind(type_of("bm25s", "Results"), neighbors.refuse_response),
    DocumentKind(type_of("usearch", "Matches", "BatchMatches"), neighbors.refuse_response),
)


@lru_cache(maxsize=64)
def _document_kind(kind: type) -> DocumentKind | None:
    return next((known for known in DOCUMENTS if known.includes(kind)), None)
