"""Read what vector indexes return: arrays of faiss and hnswlib, matches of usearch.

Results are labels: row numbers of the index, or integers that were given at insertion.
The attribute `ids` of the fixture's value turns labels into ids. Without this attribute
labels are refused.

faiss returns (distances, labels), hnswlib (labels, distances), each an array of shape
(queries, k). The integers are the labels, the floats the distances. Arrays are those of
numpy, or of a library with the same interface: `ndim`, `dtype`, `tolist`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pytest_relevance._text import counted
from pytest_relevance.results.responses.errors import ONE_QUERY, unreadable
from pytest_relevance.results.responses.labels import NOTHING_FOUND, documents_of
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.shapes import ResponseShape, of_type, refusing
from pytest_relevance.results.responses.values import has_attribute, is_row

INTEGER, FLOAT, OTHER = "integer", "float", "other"
"""The kinds of elements of an array."""


def is_array(value: Any) -> bool:
    """Say whether a value is an array. A Series of pandas is not one."""
    for name in ("dtype", "tolist", "ndim"):
        if not has_attribute(value, name):
            return False
    return value.ndim > 0 and not has_attribute(value, "iloc")


def element_kind(array: Any) -> str:
    """Return the kind of the elements of an array: `INTEGER`, `FLOAT` or `OTHER`."""
    name = str(array.dtype).rpartition(".")[2]  # torch.int64
    if name.startswith(("int", "uint")):
        return INTEGER
    return FLOAT if name.startswith(("float", "bfloat")) else OTHER


def of_one_query(array: Any, response: object) -> list[Any]:
    """Return the elements of an array of shape (k,) or (1, k).

    Raises `UnreadableRanking` for several queries; its message shows `response`.
    """
    if array.ndim == 1:
        elements: list[Any] = array.tolist()
        return elements
    if array.ndim == 2 and len(array) == 1:
        first: list[Any] = array[0].tolist()
        return first
    shape = tuple(map(int, array.shape))
    returned = (
        f"an array of shape {shape}, which has the results of {len(array)} queries"
    )
    raise unreadable(returned, response, ONE_QUERY)


def with_scores(
    documents: Iterable[object], scores: Iterable[float]
) -> list[tuple[object, ...]]:
    """Return a row (document, score) for each document.

    If a document is a row itself, `(id,)` or `(id, title)`, the score is added at its
    end.
    """
    rows = []
    for document, score in zip(documents, scores, strict=True):
        parts: Any = document if is_row(document) else (document,)
        rows.append((*parts, score))
    return rows


def _labelled(
    labels: Iterable[int],
    scores: Iterable[float],
    options: ReadOptions,
    response: object,
) -> Sequence[object]:
    """Return (document, score) for each label, without labels that stand for nothing.

    `response`: what messages show.
    """
    kept_labels, kept_scores = [], []
    for label, score in zip(labels, scores, strict=True):
        if label != NOTHING_FOUND:
            kept_labels.append(label)
            kept_scores.append(float(score))
    documents = documents_of(kept_labels, options, response)
    return with_scores(documents, kept_scores)


# --- faiss, hnswlib -------------------------------------------------------------------


def _are_arrays(response: object) -> bool:
    if not isinstance(response, tuple) or len(response) != 2:
        return False
    return is_array(response[0]) and is_array(response[1])


def _read_arrays(response: tuple[Any, Any], options: ReadOptions) -> Sequence[object]:
    """Return the results of one query in (distances, labels) or (labels, distances).

    Raises `UnreadableRanking` if the shapes differ, if both arrays or none are floats,
    or if there are several queries.
    """
    first, second = response
    if first.shape != second.shape:
        advice = "return the distances and the labels of one query, best first"
        raise unreadable("arrays that do not fit together", response, advice)
    floats_first = element_kind(first) == FLOAT
    if floats_first == (element_kind(second) == FLOAT):
        raise unreadable(
            "two arrays, of which either may be the labels or the distances",
            response,
            "return integers and floats, or (id, score) pairs: zip(ids, scores)",
        )
    labels, distances = (second, first) if floats_first else (first, second)
    if element_kind(labels) == INTEGER:
        ids = of_one_query(labels, response)
        return _labelled(ids, of_one_query(distances, response), options, response)
    columns = of_one_query(first, response), of_one_query(second, response)
    return [*zip(*columns, strict=True)]  # (score, id) rows are refused later


ARRAYS = ResponseShape(name="arrays", fits=_are_arrays, results=_read_arrays)


def _is_array_of_results(response: Any) -> bool:
    """Say whether a response is an array of integers, or has two or more dimensions."""
    if not is_array(response):
        return False
    return response.ndim > 1 or element_kind(response) == INTEGER


def _read_array(response: Any, options: ReadOptions) -> Sequence[object]:
    """Return the documents of an array of labels, of shape (1, k).

    An array of shape (k,) is returned as a list. Raises `UnreadableRanking` for any
    other shape, and for elements that are not integers.
    """
    if response.ndim == 1:
        values: list[object] = response.tolist()
        return values
    if element_kind(response) == INTEGER:
        labels = of_one_query(response, response)
        known = [label for label in labels if label != NOTHING_FOUND]
        return documents_of(known, options, response)
    raise unreadable(
        f"an array of {counted(len(response), 'row')}, which could be the results of as "
        "many queries, or results",
        response,
        "return its first row, found[0].tolist(), or a tuple for each result, "
        "list(map(tuple, found.tolist()))",
    )


ARRAY = ResponseShape(name="array", fits=_is_array_of_results, results=_read_array)

# --- usearch --------------------------------------------------------------------------


def _read_usearch(matches: Any, options: ReadOptions) -> Sequence[object]:
    labels, distances = matches.keys.tolist(), matches.distances.tolist()
    return _labelled(labels, distances, options, matches.to_list())


USEARCH = ResponseShape(
    name="usearch", fits=of_type("usearch", "Matches"), results=_read_usearch
)
USEARCH_BATCH = ResponseShape(
    name="usearch-batch",
    fits=of_type("usearch", "BatchMatches"),
    results=refusing("a batch of usearch", "return matches[0], or search for a vector"),
)
