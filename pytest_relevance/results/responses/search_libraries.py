"""What Python libraries for search return: vector indexes, vector databases and their frameworks, full-text engines.

faiss, hnswlib, usearch, bm25s: results are *labels*, row numbers of the index or integers given at insertion. The
attribute `ids` of the fixture's value turns labels into ids; without it they are refused. faiss returns (distances,
labels), hnswlib (labels, distances), each an array of shape (queries, k): integers are the labels, floats the
distances. bm25s returns `Results` of documents and scores, each an array of shape (queries, k); the documents are row
numbers, or the entries of a corpus where there is one. A query that matches fewer than k documents is filled up with
documents of score 0. Arrays come from numpy, or from a library with the same interface: `ndim`, `dtype`, `tolist`.

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
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any
from uuid import UUID

from pytest_relevance._text import counted, shown
from pytest_relevance.results.responses import reading
from pytest_relevance.results.responses.attributes import has_attribute, is_a
from pytest_relevance.results.responses.labels import NOTHING_FOUND, documents_of

# --- vector indexes and bm25s ------------------------------------------------------------------------------------------


def _labelled(
    labels: Iterable[int],
    scores: Iterable[float],
    options: reading.ReadOptions,
    response: object,
) -> Sequence[object]:
    """The documents of labels with their scores, without the labels by which faiss says that it found none."""
    found = [
        (label, float(score))
        for label, score in zip(labels, scores, strict=True)
        if label != NOTHING_FOUND
    ]
    documents = documents_of([label for label, _ in found], options, response)
    return _scored(documents, [score for _, score in found])


def _scored(documents: Iterable[object], scores: Iterable[float]) -> Sequence[object]:
    """Documents with their scores; a document that is a row, `(id,)` or `(id, title)`, has the score added."""
    parts: Iterable[Any] = (
        document if reading.is_row(document) else (document,) for document in documents
    )
    return [(*row, score) for row, score in zip(parts, scores, strict=True)]


def is_array(value: Any) -> bool:
    """Whether a value is an array, of numpy or of a library with the same interface. A Series is none."""
    has_interface = (
        has_attribute(value, "dtype")
        and has_attribute(value, "tolist")
        and has_attribute(value, "ndim")
    )
    return has_interface and value.ndim > 0 and not has_attribute(value, "iloc")


def element_kind(array: Any) -> str:
    """The kind of an array's elements: `integer`, `float` or `other`."""
    name = str(array.dtype).rpartition(".")[2]  # torch.int64
    if name.startswith(("int", "uint")):
        return "integer"
    return "float" if name.startswith(("float", "bfloat")) else "other"


def of_one_query(array: Any, response: object) -> list[Any]:
    """The elements of an array of shape (k,) or (1, k). Raises `UnreadableRanking` for several queries.

    `response` is what the message shows.
    """
    if array.ndim == 1 or (array.ndim == 2 and len(array) == 1):
        found: list[Any] = (array if array.ndim == 1 else array[0]).tolist()
        return found
    shape = tuple(map(int, array.shape))
    raise reading.unreadable(
        f"an array of shape {shape}, which has the results of {len(array)} queries",
        response,
        reading.ONE_QUERY,
    )


def are_arrays(response: object) -> bool:
    """Whether a response is a tuple of arrays: distances and labels, in either order."""
    return (
        isinstance(response, tuple)
        and len(response) == 2
        and all(map(is_array, response))
    )


def of_arrays(
    response: tuple[Any, ...], options: reading.ReadOptions
) -> Sequence[object]:
    """The results of one query in a pair of arrays."""
    first, second = response
    if first.shape != second.shape:
        advice = "return the distances and the labels of one query, best first"
        raise reading.unreadable("arrays that do not fit together", response, advice)
    is_float = element_kind(first) == "float"
    if is_float == (element_kind(second) == "float"):
        what = "two arrays, of which either may be the labels or the distances"
        raise reading.unreadable(
            what,
            response,
            "return integers and floats, or (id, score) pairs: zip(ids, scores)",
        )
    documents, scores = (second, first) if is_float else (first, second)
    found, numbers = of_one_query(documents, response), of_one_query(scores, response)
    if element_kind(documents) == "other":
        columns = (numbers, found) if is_float else (found, numbers)
        return [
            *zip(*columns, strict=True)
        ]  # rows, which are refused where they are (score, id)
    return _labelled(found, numbers, options, response)


def is_array_of_results(response: Any) -> bool:
    """Whether a response is an array with a row for each query, or of integers."""
    return is_array(response) and (
        response.ndim > 1 or element_kind(response) == "integer"
    )


def of_array(response: Any, options: reading.ReadOptions) -> Sequence[object]:
    """Give the results of one query in an array of integers: labels, of shape (1, k), or a list of shape (k,)."""
    if response.ndim == 1:
        found: list[Any] = response.tolist()  # ids, or labels as in a list
        return found
    if element_kind(response) == "integer":
        labels = [
            label
            for label in of_one_query(response, response)
            if label != NOTHING_FOUND
        ]
        return documents_of(labels, options, response)
    what = f"an array of {counted(len(response), 'row')}, which could be the results of as many queries, or results"
    advice = "return its first row, found[0].tolist(), or a tuple for each result, list(map(tuple, found.tolist()))"
    raise reading.unreadable(what, response, advice)


def of_usearch(matches: Any, options: reading.ReadOptions) -> Sequence[object]:
    """The results of one query in `Matches` of usearch."""
    return _labelled(
        matches.keys.tolist(), matches.distances.tolist(), options, matches.to_list()
    )


def of_bm25s(results: Any, options: reading.ReadOptions) -> Sequence[object]:
    """The documents of one query with their scores, without the documents of score 0 at the end, which do not match.

    Raises `UnreadableRanking` for documents that are not sorted.
    """
    documents, scores = (
        of_one_query(results.documents, results),
        of_one_query(results.scores, results),
    )
    if scores != sorted(scores, reverse=True):
        raise reading.unreadable(
            "Results of bm25s in no order",
            results,
            "call retrieve() with sorted=True, the default",
        )
    while scores and scores[-1] == 0:
        scores.pop()
    documents = documents[: len(scores)]
    if element_kind(results.documents) == "integer":
        documents = documents_of(documents, options, results)
    return _scored(documents, scores)


# --- qdrant, chromadb, LangChain, LlamaIndex --------------------------------------------------------------------------


def point_id(fields: Mapping[str, Any]) -> object:
    """The id of a point, where no `id_field` is given. Raises `BadResult` where the payload has another id."""
    return _agreed(fields["id"], "id", fields.get("payload"), "payload")


_CHROMA = {
    "distances": "score",
    "scores": "score",
    "metadatas": "metadata",
    "documents": "document",
}
"""The columns of what chromadb returns, and the names of their values as fields of one result."""


def of_chroma(
    response: Mapping[str, Any], _: reading.ReadOptions
) -> Sequence[object] | None:
    """The results of one query in a dict of chromadb, which has a list for each query in every column.

    None for another mapping: the ids of Chroma are text, and those that its `get` returns are in no order.
    """
    queries: Any = response.get("ids")
    are_lists = isinstance(queries, list) and all(
        isinstance(ids, list) for ids in queries
    )
    if not are_lists or _CHROMA.keys().isdisjoint(response):
        return None
    if not all(isinstance(id_, str) for ids in queries for id_ in ids):
        return None
    if len(queries) != 1:
        raise reading.unreadable(
            f"the results of {len(queries)} queries", dict(response), reading.ONE_QUERY
        )
    columns: dict[str, Any] = {"id": queries[0]}
    for name, what in _CHROMA.items():
        column = response.get(name)
        if column and column[0]:  # None for what was not asked for
            columns.setdefault(what, [_in_order(value) for value in column[0]])
    if len({*map(len, columns.values())}) > 1:
        raise reading.unreadable(
            "columns of different lengths", response, "return as many of each as of ids"
        )
    return [
        dict(zip(columns, row, strict=True))
        for row in zip(*columns.values(), strict=True)
    ]


def _in_order(value: Any) -> Any:
    """Sort the metadata of a document by name: chromadb gives it in another order each time."""
    return dict(sorted(value.items())) if isinstance(value, dict) else value


def metadata_id(fields: Mapping[str, Any]) -> object:
    """The id of a document, where no `id_field` is given: the one in its metadata, or its own where that has none.

    Raises `BadResult` where it has both and they differ, unless its own was generated.
    """
    own = fields.get("id")
    return _agreed(
        own, "id", fields["metadata"], "metadata", prefers_nested=_is_generated(own)
    )


def node_fields(result: Any) -> dict[str, object]:
    """The fields of a node of LlamaIndex. `ref_doc_id` is the document of which it is a part."""
    node = getattr(result, "node", result)
    texts = {
        "text": getattr(node, "text", None),
        "ref_doc_id": getattr(node, "ref_doc_id", None),
    }
    ids = dict.fromkeys(("id", "id_", "node_id"), node.node_id)
    return {
        **ids,
        **texts,
        "score": getattr(result, "score", None),
        "metadata": node.metadata,
    }


def node_id(fields: Mapping[str, Any]) -> object:
    """The id of a node, where no `id_field` is given: as `metadata_id`.

    Raises `BadResult` where it is a part of a document, and has only a generated id.
    """
    own, source = fields["id"], fields["ref_doc_id"]
    if source is None or not _is_generated(own) or _id_in(fields["metadata"]):
        return metadata_id(fields)
    raise reading.BadResult(
        f"is a part of the document {shown(source)} and has a generated id, {shown(own)}; "
        "write id_field: ref_doc_id or id_field: node_id in the case file"
    )


def _agreed(
    own: object, name: str, nested: object, holder: str, *, prefers_nested: bool = False
) -> object:
    """The id of a result that may have one of its own and one in a nested mapping. Raises `BadResult` if they differ.

    With `prefers_nested` it is the nested one even if they differ.
    """
    found = _id_in(nested)
    if found is None or own is None or str(own) == str(found[1]) or prefers_nested:
        return own if found is None else found[1]
    path = f"{holder}.{found[0]}"
    raise reading.BadResult(
        f"has two ids, {name} {shown(own)} and {path} {shown(found[1])}; "
        f"write id_field: {name} or id_field: {path} in the case file"
    )


def _id_in(nested: object) -> tuple[str, object] | None:
    """The name and the value of the id in a mapping of metadata; None where there is none."""
    if not isinstance(nested, Mapping):
        return None
    return next(
        (
            (name, nested[name])
            for name in reading.ID_NAMES
            if isinstance(nested.get(name), (str, int))
        ),
        None,
    )


def _is_generated(own: object) -> bool:
    """Whether an id is a UUID, as frameworks generate them for documents that have none."""
    try:
        UUID(str(own))
    except ValueError:
        return False
    return True


# --- tantivy, Xapian --------------------------------------------------------------------------------------------------

WITH_SEARCHER = "return (searcher, result), or the documents: [searcher.doc(address) for _, address in result.hits]"


def is_tantivy_pair(response: object) -> bool:
    """Whether a response is a searcher of tantivy together with what it found: a result, or its hits."""
    if not isinstance(response, tuple) or len(response) != 2:
        return False
    kind, found = type(response[0]), response[1]
    return is_a(kind, "tantivy", "Searcher") and (
        isinstance(found, list) or has_attribute(found, "hits")
    )


def of_tantivy_pair(pair: tuple[Any, Any], _: reading.ReadOptions) -> Sequence[object]:
    """The (document, score) pairs of a searcher and its result, the hits of the result, or their addresses.

    The documents are read from the index here, which is part of the search's time.
    """
    searcher, result = pair
    pairs = [
        hit if isinstance(hit, tuple) else (None, hit)
        for hit in getattr(result, "hits", result)
    ]
    return [
        (searcher.doc(address), score if reading.is_score(score) else None)
        for score, address in pairs
    ]


def tantivy_fields(document: Any) -> Mapping[str, object]:
    """The stored fields of a document of tantivy; a field with one value is that value."""
    fields: Mapping[str, list[object]] = document.to_dict()
    return {
        name: values[0] if len(values) == 1 else values
        for name, values in fields.items()
    }


def of_xapian(mset: Any, _: reading.ReadOptions) -> Sequence[object]:
    """The fields of the items of an MSet, which messages show. Raises `UnreadableRanking` for an item without an id."""
    items = list(mset)
    return reading.read_each(xapian_fields, items, items)


def xapian_fields(item: Any) -> Mapping[str, object]:
    """The fields of an item of an MSet, or of a document of Xapian.

    These are the fields of the data, where it is JSON; `data`, where it is a word (an id stored as it is); `Q`,
    the term with the prefix Q, without it; and `score`. The id is a field of the data, or else `Q` or `data`. Of
    two that differ none is the id, so that the case file has to name one with `id_field`. Raises `BadResult` for a
    document without any of them.
    """
    document = getattr(item, "document", item)
    fields = dict(_xapian_data(document.get_data()))
    until_r = takewhile(
        lambda item: item.term < b"R", document.termlist()
    )  # terms are sorted, and may be many
    terms = [
        item.term[1:].decode(errors="replace")
        for item in until_r
        if item.term.startswith(b"Q")
    ]
    if len(terms) == 1 and terms[0]:
        fields["Q"] = terms[0]
    texts = {fields[name] for name in ("data", "Q") if name in fields}
    if not fields:
        raise reading.BadResult(
            f"is document {document.get_docid()} of Xapian, a number that is internal to the index, and has no id in "
            'its data or terms; store the id in the data (set_data), or as a term ("Q" before the id)'
        )
    if len(texts) == 1 and fields.keys().isdisjoint(reading.ID_NAMES):
        fields["id"] = texts.pop()
    if hasattr(item, "weight"):
        fields["score"] = item.weight
    return fields


def _xapian_data(data: bytes) -> Mapping[str, object]:
    """The fields of a document's data: of a JSON object, or the data itself where it is a word."""
    try:
        text = data.decode()
        found = json.loads(text) if text.lstrip().startswith("{") else None
    except ValueError:  # compressed or pickled, or no JSON
        return {}
    if isinstance(found, dict):
        return found
    return {"data": text} if text and not any(map(str.isspace, text)) else {}
