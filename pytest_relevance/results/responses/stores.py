"""What databases of documents, their frameworks and indexes in the process return.

qdrant, chromadb, LangChain, LlamaIndex: the id of a document is the store's, or one that the project keeps in the
payload or the metadata. Where there are both, and they differ, `id_field` has to say which; an id that the framework
has generated gives way to the id in the metadata.

tantivy and Xapian: tantivy's hits are addresses, which only the searcher turns into documents, and every stored field
of a document is a list. A document of Xapian has no fields, but data (bytes of the application's own) and terms: by
convention its id is the term with the prefix Q. The number that Xapian gives a document is internal to the index and
never taken for an id.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any
from uuid import UUID

from pytest_relevance._text import counted, shown
from pytest_relevance.results.responses.reading import (
    ID_NAMES,
    ONE_QUERY,
    BadResult,
    ReadOptions,
    instance_of,
    is_a,
    is_score,
    read_each,
    unreadable,
)

# --- qdrant -----------------------------------------------------------------------------------------------------------


def is_query_response(response: object) -> bool:
    """Whether a response is qdrant-client's, of one query or in groups."""
    is_response = is_a(type(response), "qdrant_client", "QueryResponse", "GroupsResult")
    return is_response and (hasattr(response, "points") or hasattr(response, "groups"))


def of_query_response(response: Any, _: ReadOptions) -> Sequence[object]:
    """The points of a `QueryResponse`. Raises `UnreadableRanking` for results in groups."""
    if hasattr(response, "groups"):
        best = "[group.hits[0] for group in response.groups] has the best of each"
        raise unreadable("its results in groups", response, f"return them as one list, best first: {best}")
    points: Sequence[object] = response.points
    return points


def is_json_of_points(response: object) -> bool:
    """Whether a response is the JSON of Qdrant's REST interface, or a `QueryResponse` as a dict."""
    return isinstance(response, Mapping) and _json_points(response) is not None


def of_json_of_points(response: Mapping[str, Any], options: ReadOptions) -> Sequence[object]:
    """The points of one query, as mappings. Raises `UnreadableRanking` for several queries, or a point with two ids."""
    points = _json_points(response) or []
    if points and "points" in points[0]:
        batch = f"the results of a batch of {counted(len(points), 'query', 'queries')}"
        raise unreadable(batch, dict(response), f"return the points of one, or {ONE_QUERY}")
    if len(options.id_names) == 1:
        return points
    return [{**point, "id": id_} for point, id_ in zip(points, read_each(point_id, points, points), strict=True)]


def _json_points(response: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The points in Qdrant's JSON, or the results of each query of a batch; None for another mapping."""
    is_whole = {"result", "status", "time"} <= response.keys()
    found = response["result"] if is_whole else response if response.keys() == {"points"} else None
    points = found.get("points") if isinstance(found, Mapping) else found
    if not isinstance(points, list) or not all(isinstance(point, dict) for point in points):
        return None
    return points if all({"id", "score"} <= point.keys() or point.keys() == {"points"} for point in points) else None


def point_fields(point: Any) -> dict[str, object]:
    """The fields of a point. Raises `BadResult` for a response in its place: the element of a batch."""
    if hasattr(point, "points"):
        raise BadResult(
            f"is the response to one query of a batch; return its points, responses[0].points, or {ONE_QUERY}"
        )
    return {name: getattr(point, name) for name in ("id", "score", "payload", "metadata") if hasattr(point, name)}


def point_id(fields: Mapping[str, Any]) -> object:
    """The id of a point, where no `id_field` is given. Raises `BadResult` where the payload has another id."""
    return _agreed(fields["id"], "id", fields.get("payload"), "payload")


# --- chromadb ---------------------------------------------------------------------------------------------------------

_FIELDS = {"distances": "score", "scores": "score", "metadatas": "metadata", "documents": "document"}
_COLUMNS = (*_FIELDS, "embeddings", "included")


def is_query_result(response: object) -> bool:
    """Whether a response is a dict of chromadb: ids, and at least one other column."""
    return isinstance(response, Mapping) and "ids" in response and any(name in response for name in _COLUMNS)


def of_query_result(response: Mapping[str, Any], _: ReadOptions) -> Sequence[object] | None:
    """The results of one query in a dict of chromadb, which has a list for each query in every column."""
    queries = response["ids"]
    if not isinstance(queries, (list, tuple)):
        return None
    if any(isinstance(ids, (list, tuple)) and not all(isinstance(id_, str) for id_ in ids) for ids in queries):
        return None  # the ids of Chroma are text
    if not all(isinstance(ids, (list, tuple)) for ids in queries):
        if "included" not in response:
            return None
        advice = "return what query() returns, or response['ids'] if the ids are sorted best first"
        raise unreadable("what get() of chromadb returns, which is in no order", dict(response), advice)
    if len(queries) != 1:
        raise unreadable(f"the results of {len(queries)} queries", dict(response), ONE_QUERY)
    (ids,) = queries
    columns = {"id": ids}
    for name, field in _FIELDS.items():
        if (column := _column(response, name, len(ids))) is not None:
            columns.setdefault(field, column)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _column(response: Mapping[str, Any], name: str, length: int) -> Sequence[Any] | None:
    """A column of the only query; None where it was not asked for. Raises `UnreadableRanking` for another length."""
    column = response.get(name)
    if not column or column[0] is None:
        return None
    values: Sequence[Any] = column[0]
    if len(values) != length:
        raise unreadable(f"{length} ids with {len(values)} {name}", dict(response), "return one for each")
    return values


# --- LangChain --------------------------------------------------------------------------------------------------------


def langchain_fields(document: Any) -> dict[str, object]:
    """The fields of a LangChain `Document`."""
    fields = {"id": document.id, "metadata": document.metadata, "page_content": document.page_content}
    return {name: value for name, value in fields.items() if value is not None}


def metadata_id(fields: Mapping[str, Any]) -> object:
    """The id of a document, where no `id_field` is given: of its metadata, or its own where the two agree.

    Raises `BadResult` where its own is another one, and not generated.
    """
    own = fields.get("id")
    return _agreed(own, "id", fields["metadata"], "metadata", yields=_is_generated(own))


# --- LlamaIndex -------------------------------------------------------------------------------------------------------


RETRIEVALS = ("Response", "PydanticResponse", "StreamingResponse", "AsyncStreamingResponse", "VectorStoreQueryResult")
"""The types of responses, of a query engine or of a vector store."""


def of_retrieval(response: Any, _: ReadOptions) -> Sequence[object]:
    """The source nodes of a `Response`, or the nodes (ids, where there are none) and similarities of a vector store."""
    if hasattr(response, "source_nodes"):
        nodes: Sequence[object] = response.source_nodes
        return nodes
    found = response.nodes or response.ids or ()
    scores = response.similarities or [None] * len(found)
    return [*zip(found, scores, strict=True)]


def node_fields(result: Any) -> dict[str, object]:
    """The fields of a node. `ref_doc_id` is the document that it is a part of."""
    node = getattr(result, "node", result)
    source = getattr(node, "ref_doc_id", None)
    score, text = getattr(result, "score", None), getattr(node, "text", None)
    own = {"id": node.node_id, "id_": node.node_id, "node_id": node.node_id, "ref_doc_id": source}
    return {**own, "score": score, "metadata": node.metadata, "text": text}


def node_id(fields: Mapping[str, Any]) -> object:
    """The id of a node, where no `id_field` is given: as `metadata_id`.

    Raises `BadResult` where it is a part of a document, and has a generated id only.
    """
    own, source = fields["id"], fields["ref_doc_id"]
    if source is None or not _is_generated(own) or _id_in(fields["metadata"]):
        return metadata_id(fields)
    raise BadResult(
        f"is a part of the document {shown(source)} and has a generated id, {shown(own)}; "
        "write id_field: ref_doc_id or id_field: node_id in the case file"
    )


# --- one id of two ----------------------------------------------------------------------------------------------------


def _agreed(own: object, name: str, nested: object, holder: str, *, yields: bool = False) -> object:
    """The id of a result that may have one of its own and one in a nested mapping. Raises `BadResult` if they differ.

    `yields` says that its own gives way to the nested one.
    """
    found = _id_in(nested)
    if found is None or own is None or str(own) == str(found[1]) or yields:
        return own if found is None else found[1]
    path = f"{holder}.{found[0]}"
    raise BadResult(
        f"has two ids, {name} {shown(own)} and {path} {shown(found[1])}; "
        f"write id_field: {name} or id_field: {path} in the case file"
    )


def _id_in(nested: object) -> tuple[str, object] | None:
    """The name and the value of the id in a mapping of metadata; None where there is none."""
    if not isinstance(nested, Mapping):
        return None
    return next(((name, nested[name]) for name in ID_NAMES if isinstance(nested.get(name), (str, int))), None)


def _is_generated(own: object) -> bool:
    """Whether an id is a UUID, as frameworks generate them for documents that have none."""
    try:
        UUID(str(own))
    except ValueError:
        return False
    return True


# --- tantivy ----------------------------------------------------------------------------------------------------------

_WITH_SEARCHER = "return (searcher, result), or the documents: [searcher.doc(address) for _, address in result.hits]"


is_tantivy_result = instance_of("tantivy", "SearchResult")
_is_searcher = instance_of("tantivy", "Searcher")


def refuse_tantivy_result(result: Any, _: ReadOptions) -> Sequence[object]:
    """Raise `UnreadableRanking`: the hits of a result are addresses of documents."""
    what = "a SearchResult of tantivy, whose hits are addresses of documents, not ids"
    raise unreadable(what, result, _WITH_SEARCHER)


def is_tantivy_pair(response: object) -> bool:
    """Whether a response is a searcher of tantivy together with what it found."""
    if not isinstance(response, tuple) or len(response) != 2 or not _is_searcher(response[0]):
        return False
    return isinstance(response[1], list) or is_tantivy_result(response[1])


def of_tantivy_pair(pair: tuple[Any, Any], _: ReadOptions) -> Sequence[object]:
    """The (document, score) pairs of a searcher and its result, the hits of the result, or their addresses.

    The documents are read from the index here, which is part of the search's time.
    """
    searcher, result = pair
    hits = getattr(result, "hits", result)
    pairs = [hit if isinstance(hit, tuple) else (None, hit) for hit in hits]
    return [(searcher.doc(address), score if is_score(score) else None) for score, address in pairs]


def of_tantivy_document(document: Any) -> Mapping[str, object]:
    """The stored fields of a document of tantivy; a field with one value is that value."""
    fields: Mapping[str, list[object]] = document.to_dict()
    return {name: values[0] if len(values) == 1 else values for name, values in fields.items()}


def refuse_tantivy_part(part: Any) -> Mapping[str, object]:
    """Raise `BadResult`: an address is not an id."""
    name = type(part).__name__
    what = "has the address of a document in an index" if name == "DocAddress" else f"is the {name}"
    raise BadResult(f"{what} of tantivy, not an id; {_WITH_SEARCHER}")


# --- Xapian -----------------------------------------------------------------------------------------------------------


def of_mset(mset: Any, _: ReadOptions) -> Sequence[object]:
    """The fields of the items of an MSet. Raises `UnreadableRanking` for an item without an id."""
    items = list(mset)
    return read_each(of_xapian_item, items, items)


def of_xapian_item(item: Any) -> Mapping[str, object]:
    """The fields of an item of an MSet, or of a document of Xapian.

    These are the fields of the data, where it is JSON; `data`, where it is a word (an id stored as it is); `Q`,
    the term with the prefix Q, without it; and `score`. The id is a field of the data, or else `Q` or `data`. Of
    two that differ none is the id, so that the case file has to name one with `id_field`. Raises `BadResult` for a
    document without any of them.
    """
    document = getattr(item, "document", item)
    fields = dict(_xapian_data(document.get_data()))
    if (term := _xapian_id_term(document)) is not None:
        fields["Q"] = term
    texts = {fields[name] for name in ("data", "Q") if name in fields}
    if not fields:
        raise BadResult(
            f"is document {document.get_docid()} of Xapian, a number that is internal to the index, and has no id in "
            'its data or terms; store the id in the data (set_data), or as a term ("Q" before the id)'
        )
    if len(texts) == 1 and fields.keys().isdisjoint(ID_NAMES):
        fields["id"] = texts.pop()
    if hasattr(item, "weight"):
        fields["score"] = item.weight
    return fields


def _xapian_data(data: bytes) -> Mapping[str, object]:
    """The fields of a document's data: of a JSON object, or the data itself where it is a word."""
    try:
        text = data.decode()
    except UnicodeDecodeError:  # compressed or pickled
        return {}
    if text.lstrip().startswith("{"):
        try:
            found = json.loads(text)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}
    return {"data": text} if text and not any(map(str.isspace, text)) else {}


def _xapian_id_term(document: Any) -> str | None:
    """The term with the prefix Q, without it; None where there is none, or several."""
    until_r = takewhile(lambda item: item.term < b"R", document.termlist())  # terms are sorted, and may be many
    found = [item.term[1:].decode(errors="replace") for item in until_r if item.term.startswith(b"Q")]
    return found[0] if len(found) == 1 and found[0] else None
