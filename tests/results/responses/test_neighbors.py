"""What libraries for nearest neighbours return: labels, which the attribute `ids` of
the fixture's value makes ids.
"""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.read_ranking import read_ranking
from tests.results.responses.helpers import ids, pairs, refusal

VECTORS = np.array([[0, 0], [3, 0], [1, 0], [2, 0]], dtype="float32")
"""From the origin, row 0 is the nearest, then 2, 3 and 1; the squared distances are 0,
1, 4 and 9.
"""
ORIGIN = np.zeros((1, 2), dtype="float32")
IDS = ["sku-a", "sku-b", "sku-c", "sku-d"]
NEAREST = [("sku-a", 0.0), ("sku-c", 1.0), ("sku-d", 4.0)]

DISTANCES = np.array([[0, 1, 4]], dtype="float32")
LABELS = np.array([[0, 2, 3]], dtype="int64")


# --- pairs of arrays ------------------------------------------------------------------


@pytest.mark.parametrize(
    "pair",
    {
        "faiss: distances first": (DISTANCES, LABELS),
        "hnswlib: labels first": (LABELS.astype("uint64"), DISTANCES),
        "signed labels first": (LABELS, DISTANCES),
        "a row of each": (DISTANCES[0], LABELS[0]),
        "padded": (
            np.array([[0, 1, 4, 3e38]], dtype="float32"),
            np.array([[0, 2, 3, -1]]),
        ),
    }.items(),
    ids=lambda item: item[0],
)
def test_labels_become_ids(pair: tuple[str, Any]) -> None:
    assert pairs(pair[1], IDS) == NEAREST


@pytest.mark.parametrize(
    "known",
    [
        IDS,
        tuple(IDS),
        np.array(IDS),
        dict(enumerate(IDS)),
        {str(label): found for label, found in enumerate(IDS)},  # as from JSON
        [{"id": found, "title": found.upper()} for found in IDS],
        [(found, found.upper()) for found in IDS],
        [[found] for found in IDS],
    ],
)
def test_ids_is_a_sequence_or_a_mapping(known: object) -> None:
    assert pairs((DISTANCES, LABELS), known) == NEAREST


def test_ids_may_have_titles_and_an_id_field() -> None:
    products = [{"sku": found, "title": found.upper()} for found in IDS]
    ranking = read_ranking(
        (DISTANCES, LABELS), ReadOptions(id_field="sku", ids=lambda: products)
    )
    assert ranking.ids == ["sku-a", "sku-c", "sku-d"]
    assert ranking.titles == ["SKU-A", "SKU-C", "SKU-D"]


@pytest.mark.parametrize(
    "pair",
    [(DISTANCES, LABELS), (LABELS, DISTANCES), LABELS],
    ids=["faiss", "hnswlib", "one"],
)
def test_labels_without_ids(pair: object) -> None:
    """They are ids when they are returned as the message says."""
    message, labels, distances = refusal(pair), LABELS, DISTANCES
    assert "search returned labels of an index" in message
    assert "[[0, 2, 3]]" in message
    assert "give the fixture's value an attribute ids" in message
    assert "with distances zip(labels[0].tolist(), distances[0].tolist())" in message
    with_distances = zip(labels[0].tolist(), distances[0].tolist(), strict=True)
    assert pairs(with_distances) == [("0", 0), ("2", 1), ("3", 4)]
    assert "return them in a list: labels[0].tolist()" in message
    assert ids(labels[0].tolist()) == ["0", "2", "3"]


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ("abcd", "the attribute ids of the fixture's value is a str, 'abcd'; make it a list of ids"),
        ({0: "sku-a"}, "the label 2, which is not in the attribute ids of the fixture's value, a dict of 1 entry"),
        ([None, None, None, None], "result 1 of 3 has an id that is None"),
        (Counter(), "the label 0, which is not in the attribute ids of the fixture's value, a Counter of 0 entries"),
        (pd.Series(IDS), "or a mapping from label to id (series.to_dict())"),
        (np.array([IDS]), "the attribute ids of the fixture's value is a ndarray"),
    ],
)  # fmt: skip
def test_ids_that_do_not_fit(known: object, message: str) -> None:
    assert message in refusal((DISTANCES, LABELS), labels=known)


@pytest.mark.parametrize(
    "several", [(DISTANCES.repeat(2, 0), LABELS.repeat(2, 0)), LABELS.repeat(2, 0)]
)
def test_the_results_of_two_queries(several: object) -> None:
    message = refusal(several, labels=IDS)
    assert "an array of shape (2, 3), which has the results of 2 queries" in message
    assert "search for one query at a time, or give the fixture's value" in message


@pytest.mark.parametrize(
    "pair",
    [
        (LABELS, LABELS),
        (LABELS.astype("uint64"), LABELS),
        (DISTANCES, DISTANCES),
        (np.array([["a"]]), np.array([["b"]])),
    ],
)
def test_arrays_whose_types_do_not_tell_labels_from_distances(pair: object) -> None:
    why = "of which either may be the labels or the distances"
    assert why in refusal(pair, labels=IDS)


LIMITS = np.array([0, 3], dtype="uint64")
ALONE = "is an array or a table; return it alone, or arrays as a tuple"


@pytest.mark.parametrize(
    ("response", "why"),
    [
        ((DISTANCES, LABELS[0]), "arrays that do not fit together"),
        ((DISTANCES, np.array([[0, -2, 1]])), "the label -2, which is not in"),
        ((LIMITS, DISTANCES[0], LABELS[0]), ALONE),
        ([DISTANCES, LABELS], ALONE),
        ([DISTANCES[0], LABELS[0]], ALONE),
        ([LABELS[0]], ALONE),
    ],
    ids=["shapes", "a label", "range_search of faiss", "a list", "rows", "labels"],
)
def test_arrays_that_are_not_the_results_of_a_query(response: object, why: str) -> None:
    assert why in refusal(response, labels=IDS)


def test_documents_and_scores() -> None:
    scores, expected = np.array([[2.5, 1.5]]), [("sku-a", 2.5), ("sku-b", 1.5)]
    products = np.array([[{"id": "sku-a"}, {"id": "sku-b"}]], dtype=object)
    assert pairs((np.array([["sku-a", "sku-b"]]), scores)) == expected
    assert pairs((products, scores)) == pairs((scores, products)) == expected


@pytest.mark.parametrize(
    "response",
    [
        (DISTANCES.tolist(), LABELS.tolist()),
        [DISTANCES[0].tolist(), LABELS[0].tolist()],
        ([[0.5]], [[0]]),
    ],
)
def test_arrays_that_became_lists(response: object) -> None:
    message = refusal(response, labels=IDS)
    assert "(arrays of distances and labels as a tuple, not as lists)" in message


# --- one array ------------------------------------------------------------------------


def test_an_array_of_one_query() -> None:
    assert pairs(LABELS, IDS) == [("sku-a", None), ("sku-c", None), ("sku-d", None)]


@pytest.mark.parametrize(
    "rows",
    [
        [["sku-1", "Boots"], ["sku-2", "Apron"]],
        [[7, 0.5], [3, 0.25]],
        [["sku-1", "Boots"]],
    ],
)
def test_an_array_of_several_rows_could_have_results_or_queries(
    rows: list[list[Any]],
) -> None:
    found = np.array(rows)
    message = refusal(found)
    assert f"an array of {len(rows)} row" in message
    assert "could be the results of as many queries, or results" in message
    assert "a tuple for each result, list(map(tuple, found.tolist()))" in message


def test_a_plain_array_of_integers_has_labels_if_there_is_an_attribute_ids() -> None:
    found = np.argsort([0.5, 0.25])
    assert pairs(found, IDS) == [("sku-b", None), ("sku-a", None)]
    assert pairs(found[None], IDS) == [("sku-b", None), ("sku-a", None)]
    assert ids(found) == ["1", "0"]


# --- faiss ----------------------------------------------------------------------------


@pytest.mark.engines
def test_what_faiss_returns() -> None:
    flat = pytest.importorskip("faiss").IndexFlatL2(2)
    flat.add(VECTORS)
    assert pairs(flat.search(ORIGIN, 3), IDS) == NEAREST
    two = flat.search(VECTORS[:2], 3)
    assert "the results of 2 queries" in refusal(two, labels=IDS)
    assert pairs(list(zip(*two, strict=True))[1], IDS)[0] == ("sku-b", 0.0)


# --- hnswlib --------------------------------------------------------------------------


@pytest.mark.engines
@pytest.mark.parametrize("kind", ["Index", "BFIndex"])
def test_what_hnswlib_returns(kind: str) -> None:
    index = getattr(pytest.importorskip("hnswlib"), kind)(space="l2", dim=2)
    index.init_index(max_elements=4)
    index.add_items(VECTORS)
    assert pairs(index.knn_query(ORIGIN, k=3), IDS) == NEAREST
    assert pairs(index.knn_query(ORIGIN[0], k=3), IDS) == NEAREST


# --- usearch --------------------------------------------------------------------------


KEYS = {70: "sku-a", 71: "sku-b", 72: "sku-c", 73: "sku-d"}


@pytest.mark.engines
def test_what_usearch_returns() -> None:
    usearch = pytest.importorskip("usearch.index")
    keyed = usearch.Index(ndim=2, metric="l2sq", dtype="f32")
    keyed.add(np.array([*KEYS]), VECTORS)
    assert pairs(keyed.search(ORIGIN[0], 9), KEYS) == [*NEAREST, ("sku-b", 9.0)]
    metric = usearch.MetricKind.L2sq
    exact = usearch.search(VECTORS, ORIGIN[0], 3, metric, exact=True)
    assert pairs(exact, IDS) == NEAREST
    assert pairs(usearch.Index(ndim=2).search(ORIGIN[0], 3)) == []
    assert "give the fixture's value an attribute ids" in refusal(
        keyed.search(ORIGIN[0])
    )
    batch = keyed.search(VECTORS[:2], 3)
    assert "search returned a batch of usearch" in refusal(batch, labels=KEYS)
    assert pairs(list(batch)[1], KEYS)[0] == ("sku-b", 0.0)
