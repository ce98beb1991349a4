"""What libraries return whose results are labels: faiss, hnswlib, usearch, bm25s, and arrays of their form.

faiss gives (distances, labels), hnswlib (labels, distances), each an array of shape (queries, k): integers are the
labels, floats the distances. Arrays come from numpy, or from a library with the same interface: `ndim`, `dtype`,
`tolist`. Only the results of one query are read.

A label is a row number of the index, or an integer given at insertion, which may be an id or not. The attribute `ids`
of the fixture's value turns labels into ids; without it they are refused.

bm25s gives `Results` of documents and scores, each an array of shape (queries, k). The documents are row numbers, or
the entries of a corpus where `retrieve` or the index was given one. A query that matches fewer than k documents is
filled up with documents of score 0. (rank-bm25 returns lists, which need no reading.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_relevance._text import counted, shown
from pytest_relevance.results.responses.reading import (
    ONE_QUERY,
    BadResult,
    ReadOptions,
    UnreadableRanking,
    is_row,
    kind_of,
    unreadable,
)

NOTHING_FOUND = -1
"""The label by which faiss fills up the results of a query that finds too few."""

_RETURN_LABELS = "if they are the ids, return zip(labels[0].tolist(), distances[0].tolist())"


# --- labels -----------------------------------------------------------------------------------------------------------


def documents_of(
    labels: Iterable[int], options: ReadOptions, response: object, what: str, otherwise: str
) -> list[object]:
    """The ids, or the documents, that the attribute `ids` of the fixture's value has for labels.

    `what` is what the labels are called, and `otherwise` the way out without `ids`, for the message. Raises
    `UnreadableRanking` where the fixture's value has no `ids`, or a label is not in it.
    """
    labels = list(labels)
    ids = _ids(options) if labels else ()
    if ids is None:
        raise UnreadableRanking(
            f"search returned {what}, {shown(response, 200)}; give the fixture's value an attribute ids that turns "
            "them into ids (search.ids = [...], the ids in the order of insertion, or a mapping from label to id), or "
            f"{otherwise}"
        )
    return [_document(ids, label) for label in labels]


def _ids(options: ReadOptions) -> Any:
    """The attribute `ids` of the fixture's value, or None. Raises `UnreadableRanking` for one that is no collection."""
    ids: Any = None if options.ids is None else options.ids()
    if ids is None:
        return None
    if isinstance(ids, (str, bytes)) or not hasattr(ids, "__getitem__") or _is_table(ids):
        raise UnreadableRanking(
            f"the attribute ids of the fixture's value is {kind_of(ids)}, {shown(ids)}; "
            "make it a list of ids, in the order of the labels, or a mapping from label to id (series.to_dict())"
        )
    return ids


def _is_table(ids: Any) -> bool:
    """Whether a value is a table, an array of several dimensions, or a Series, of which labels could be the index."""
    return hasattr(ids, "columns") or hasattr(ids, "iloc") or getattr(ids, "ndim", 1) != 1


def _document(ids: Any, label: int) -> object:
    """The id of one label. The keys of a mapping may be integers or, as JSON has them, text."""
    is_mapping = isinstance(ids, Mapping)
    if is_mapping:
        for key in (label, str(label)):
            if key in ids:  # a defaultdict or a Counter would make up an entry
                return ids[key]
    elif label >= 0:
        try:
            return ids[label]
        except (KeyError, IndexError):
            pass
    entries = f" of {counted(len(ids), 'entry', 'entries')}" if hasattr(ids, "__len__") else ""
    raise UnreadableRanking(
        f"search returned the label {label}, which is not in the attribute ids of the fixture's value, "
        f"{'a mapping' if is_mapping else 'a sequence'}{entries}; add it, or build ids together with the index"
    )


def _with_scores(
    labels: Iterable[int], scores: Iterable[float], options: ReadOptions, response: object, what: str, otherwise: str
) -> Sequence[object]:
    """Pairs of the documents of labels and their scores, without the labels by which faiss says that it found none."""
    found = [(label, float(score)) for label, score in zip(labels, scores, strict=True) if label != NOTHING_FOUND]
    documents = documents_of([label for label, _ in found], options, response, what, otherwise)
    return _scored(documents, [score for _, score in found])


def _scored(documents: Iterable[object], scores: Iterable[float]) -> Sequence[object]:
    """Documents with their scores; a document that is a row, `(id,)` or `(id, title)`, has the score added."""
    parts: Iterable[Any] = (document if is_row(document) else (document,) for document in documents)
    return [(*row, score) for row, score in zip(parts, scores, strict=True)]


# --- arrays -----------------------------------------------------------------------------------------------------------


def is_array(value: Any) -> bool:
    """Whether a value is an array, of numpy or of a library with the same interface. A Series is none."""
    has_interface = hasattr(value, "dtype") and hasattr(value, "tolist") and hasattr(value, "ndim")
    return has_interface and value.ndim > 0 and not hasattr(value, "iloc")


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
    raise unreadable(f"an array of shape {shape}, which has the results of {len(array)} queries", response, ONE_QUERY)


def is_pair(response: Any) -> bool:
    """Whether a response is a tuple of arrays: distances and labels, in either order."""
    return isinstance(response, tuple) and len(response) in (2, 3) and all(map(is_array, response))


def of_pair(response: tuple[Any, ...], options: ReadOptions) -> Sequence[object]:
    """The results of one query in a pair of arrays. The vectors of faiss's `search_and_reconstruct` are left out."""
    if len(response) == 3 and response[2].ndim != response[0].ndim + 1:
        advice = "return distances and labels, best first (range_search of faiss does not sort)"
        raise unreadable("three arrays", response, advice)
    first, second = response[:2]
    if first.shape != second.shape:
        raise unreadable("arrays of different shapes", response, "return the distances and the labels of one query")
    documents, scores = (second, first) if _are_labels_last(first, second, response) else (first, second)
    found, numbers = of_one_query(documents, response), of_one_query(scores, response)
    if element_kind(documents) == "other":
        columns = (numbers, found) if scores is first else (found, numbers)
        return [*zip(*columns, strict=True)]  # rows, which are refused where they are (score, id)
    return _with_scores(found, numbers, options, response, "labels of a vector index", _RETURN_LABELS)


def _are_labels_last(first: Any, second: Any, response: object) -> bool:
    """Whether labels or documents are in second place. Raises `UnreadableRanking` where the types do not tell."""
    is_float = element_kind(first) == "float"
    if is_float != (element_kind(second) == "float"):
        return is_float
    advice = "return integers and floats, or (id, score) pairs: zip(ids, scores)"
    raise unreadable("two arrays, of which either may be the labels or the distances", response, advice)


def is_array_of_results(response: Any) -> bool:
    """Whether a response is an array with a row for each query, or of integers."""
    return is_array(response) and (response.ndim > 1 or element_kind(response) == "integer")


def of_array(response: Any, options: ReadOptions) -> Sequence[object]:
    """The results of one query in an array: labels, or documents with fields, of shape (1, k), or ids of shape (k,)."""
    kind = element_kind(response)
    if response.ndim == 1:
        return _integers(response, options)
    if kind == "integer":
        labels = [label for label in of_one_query(response, response) if label != NOTHING_FOUND]
        cure = "if they are the ids, return labels[0].tolist()"
        return documents_of(labels, options, response, "labels of a vector index", cure)
    if len(response) == 1 and (kind == "float" or all(isinstance(each, Mapping) for each in response[0].tolist())):
        return of_one_query(response, response)
    what = f"an array of {counted(len(response), 'row')}, which could be the results of as many queries, or results"
    advice = "return its first row, found[0].tolist(), or a tuple for each result, list(map(tuple, found.tolist()))"
    raise unreadable(what, response, advice)


def _integers(array: Any, options: ReadOptions) -> list[Any]:
    """The ids in an array of integers of shape (k,). Raises `UnreadableRanking` where `ids` makes labels possible."""
    found: list[Any] = array.tolist()
    if found and _ids(options) is not None:
        raise UnreadableRanking(
            f"search returned an array of integers, {shown(array, 200)}, which could be labels, as the fixture's value "
            "has an attribute ids, or ids; return found[None], of shape (1, k), if they are labels, or found.tolist() "
            "if they are ids"
        )
    return found


# --- usearch ----------------------------------------------------------------------------------------------------------


def of_matches(response: Any, options: ReadOptions) -> Sequence[object]:
    """The results of one query in `Matches`, or in `BatchMatches` of one query."""
    matches = response
    if type(response).__name__ == "BatchMatches":
        if len(response) != 1:
            raise UnreadableRanking(f"search returned the results of {len(response)} queries, {response}; {ONE_QUERY}")
        matches = response[0]
    keys, distances = matches.keys.tolist(), matches.distances.tolist()
    pairs = [*zip(keys, distances, strict=True)]  # what to_list() returns
    cure = "if they are the ids, return matches.to_list()"
    return _with_scores(keys, distances, options, pairs, "the keys and distances of usearch", cure)


# --- bm25s ------------------------------------------------------------------------------------------------------------

_ROW_NUMBERS = "row numbers of a bm25s index"
_RETURN_DOCUMENTS = "pass the documents, or their ids as text, as the argument corpus of retrieve()"


def of_results(response: Any, options: ReadOptions) -> Sequence[object]:
    """The documents of one query with their scores, without the documents of score 0 at the end, which do not match.

    Raises `UnreadableRanking` for documents that are not sorted.
    """
    documents = of_one_query(response.documents, response)
    scores = of_one_query(response.scores, response)
    if scores != sorted(scores, reverse=True):
        raise unreadable("Results of bm25s in no order", response, "call retrieve() with sorted=True, the default")
    while scores and scores[-1] == 0:
        scores.pop()
    documents = documents[: len(scores)]
    if element_kind(response.documents) == "integer":
        documents = documents_of(documents, options, response, _ROW_NUMBERS, _RETURN_DOCUMENTS)
    return _scored(documents, scores)


# --- a list of responses ----------------------------------------------------------------------------------------------


def refuse_response(_: object) -> Mapping[str, object]:
    """Raise `BadResult`: a response in the place of a result."""
    raise BadResult(f"is the response to one query of a batch; return one response, or {ONE_QUERY}")
