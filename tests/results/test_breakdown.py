"""The arithmetic of one query, row by row."""

import math
import re
import struct
from math import isnan, log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import breakdown
from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.ndcg import grade_ranking
from pytest_relevance.metrics.settings import CHOICES, Settings
from pytest_relevance.results.breakdown import break_down
from pytest_relevance.results.losses import Loss, losses_of
from pytest_relevance.results.scored_ranking import scored_ranking
from tests.helpers import case_of, scored, travelled

# --- a worked example -----------------------------------------------------------------
#
# The notebook's query "disagreement": four results with the grades 2, 3, 0, 1;
# exponential gain, log2 discount.

DISAGREEMENT = {"first": 2, "second": 3, "third": 0, "fourth": 1}

#        rank  gain  discount  discounted gain  DCG       ideal rank  CG
NOTEBOOK = [
    (1, 3.0, 1.0, 3.0, 3.0, 2, 2.0),
    (2, 7.0, 1.584963, 4.416508, 7.416508, 1, 5.0),
    (3, 0.0, 2.0, 0.0, 7.416508, 4, 5.0),
    (4, 1.0, 2.321928, 0.430677, 7.847185, 3, 6.0),
]


def test_the_columns_of_the_notebook_and_the_ideal_beside_them() -> None:
    table = breakdown(DISAGREEMENT, ["first", "second", "third", "fourth"], k=4)
    found = [
        (
            row.rank,
            row.gain,
            row.discount,
            row.discounted_gain,
            row.dcg,
            row.ideal_rank,
            row.cg,
        )
        for row in table.rows
    ]
    assert found == [pytest.approx(row, abs=1e-6) for row in NOTEBOOK]
    assert [row.ideal_grade for row in table.rows] == [3, 2, 1, None]
    assert [row.ideal_dcg for row in table.rows] == pytest.approx(
        [7, 8.892789, 9.392789, 9.392789], abs=1e-6
    )
    assert (table.dcg, table.ideal_dcg) == (
        table.rows[-1].dcg,
        table.rows[-1].ideal_dcg,
    )
    tied = breakdown({"a": 3, "b": 2, "c": 2, "d": 0}, ["d", "c", "b", "a"])
    assert [row.ideal_rank for row in tied.rows] == [3, 2, 2, 1]


def test_the_table_as_a_data_frame() -> None:
    frame = breakdown(DISAGREEMENT, ["first", "gloves"], k=3).frame()
    assert " ".join(frame.columns) == (
        "rank document grade gain discount discounted_gain dcg cg ideal_grade ideal_dcg ideal_rank repeated"
    )
    assert list(frame["rank"]) == [1, 2, 3]
    assert list(frame["document"].dropna()) == ["first", "gloves"]
    assert list(frame["grade"].dropna()) == [2]
    assert frame["dcg"].iloc[-1] / frame["ideal_dcg"].iloc[-1] == pytest.approx(
        3 / 9.392789
    )
    assert list(breakdown({}, []).frame().columns) == list(frame.columns)


# --- rows -----------------------------------------------------------------------------


def test_skipped_results_have_no_row_and_the_ranks_close_up() -> None:
    rows = breakdown({"a": 3, "b": 1}, ["x", "a", "x", "y", "b"], unjudged="skip").rows
    assert [(row.rank, row.document) for row in rows] == [(1, "a"), (2, "b")]


def test_the_table_is_cut_at_k() -> None:
    ranking = [f"d{number}" for number in range(20)]
    assert len(breakdown({"d0": 1}, ranking).rows) == 10
    assert len(breakdown({"d0": 1}, ranking, k=3).rows) == 3
    assert len(breakdown({"d0": 1}, ranking, k=None).rows) == 20


def test_ids_are_compared_as_text_and_rankings_read_as_from_a_search() -> None:
    expected = breakdown({"7": 3, "8": 1}, ["8", "7"])
    assert breakdown({7: 3, 8: 1}, [8, 7]) == expected
    assert breakdown({np.int64(7): 3, "8": 1}, np.array([8, 7])) == expected
    assert breakdown({"7": 3, "8": 1}, [{"id": "8"}, {"id": 7}]) == expected


REFUSED: dict[str, tuple[dict[Any, Any], dict[str, Any], str]] = {
    "k of 0": ({"a": 1}, {"k": 0}, "k is a whole number from 1, or None for the whole ranking, not 0"),
    "an unknown gain": ({"a": 1}, {"gain": "squared"}, "gain is one of "),
    "a grade that is NaN": ({"a": 3, "b": float("nan"), "c": 1}, {}, 'document "b": a grade is a finite number'),
    "a grade that is text": ({"a": "3"}, {}, "document \"a\": a grade is a number, not '3' (str)"),
    "a grade without a gain": ({"a": 2}, {"gain": {1: 1}}, 'document "a": the gain mapping has no grade 2'),
    "a float as id": ({1.5: 1}, {}, "a document id is text or an integer, not 1.5"),
    "an id twice": ({"7": 1, 7: 2}, {}, 'document "7" is judged twice, as text and as an integer'),
}  # fmt: skip


@pytest.mark.parametrize(
    ("judgments", "keys", "message"), REFUSED.values(), ids=REFUSED
)
def test_what_is_refused(
    judgments: dict[Any, Any], keys: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        breakdown(judgments, ["a"], **keys)


# --- losses ---------------------------------------------------------------------------


def test_what_each_document_takes_from_the_score() -> None:
    table = breakdown({"a": 3, "b": 3, "c": 1}, ["c", "a", "x"])
    ideal = 7 + 7 / log2(3) + 1 / 2
    found: list[object] = [
        (loss.document, loss.grade, loss.rank, loss.loss) for loss in table.losses
    ]
    assert found == [
        (
            "b",
            3,
            None,
            pytest.approx(7 / log2(3) / ideal),
        ),  # takes the second place, which is free
        (
            "a",
            3,
            2,
            pytest.approx((7 - 7 / log2(3)) / ideal),
        ),  # was returned, and takes the first
        ("c", 1, 1, pytest.approx((1 / 2 - 1) / ideal)),
    ]


def test_documents_of_one_gain_take_their_ideal_ranks_as_they_were_returned() -> None:
    judgments = {"a": 2, "b": 2, "c": 2, "d": 2}
    assert all(
        loss.loss == 0 for loss in breakdown(judgments, ["c", "a", "d", "b"]).losses
    )
    (loss, *others) = breakdown(judgments, ["c", "x", "a", "d"], k=3).losses
    assert (loss.document, loss.rank) == ("d", 4)  # was returned, and would be third
    assert loss.loss * (3 + 3 / log2(3) + 3 / 2) == pytest.approx(3 / 2)
    assert [other.document for other in others] == ["a", "c"]  # b has no place within k


def test_documents_that_were_not_returned_share_the_places_that_are_free() -> None:
    table = breakdown({"a": 3, "b": 3, "c": 3}, ["b"])
    free = (7 / log2(3) + 7 / 2) / 2 / table.ideal_dcg
    missing: list[object] = [
        (loss.document, loss.loss) for loss in table.losses if loss.rank is None
    ]
    assert missing == [("a", pytest.approx(free)), ("c", pytest.approx(free))]


def test_more_missing_documents_than_free_places_are_one_loss() -> None:
    judgments = {f"d{number}": 3 for number in range(28)}
    table = breakdown(judgments, [*(f"d{number}" for number in range(9)), "x"])
    (loss,) = [each for each in table.losses if each.loss]
    assert loss == Loss(None, 3, None, loss.loss, places=1, candidates=19)
    assert loss.loss == pytest.approx(7 / log2(11) / table.ideal_dcg)


def test_a_gain_below_zero_has_no_ideal_place() -> None:
    table = breakdown({"a": 1, "bad": -2, "worse": -3}, ["bad", "a"], gain="linear")
    assert [(loss.document, loss.loss) for loss in table.losses] == [
        ("bad", 2.0),
        ("a", pytest.approx(1 - 1 / log2(3))),
    ]


def test_with_the_ideal_of_a_perfect_collection_places_that_no_document_fills_are_told_apart() -> (
    None
):
    table = breakdown({"a": 3, "b": 1}, ["b", "a"], ideal="max")
    best = 7 + 1 / log2(3)
    assert sum(loss.loss for loss in table.losses) == pytest.approx(
        (best - table.dcg) / table.ideal_dcg
    )
    assert table.unfilled == pytest.approx((table.ideal_dcg - best) / table.ideal_dcg)
    assert breakdown({"a": 3, "b": 1}, ["b", "a"]).unfilled == 0


def test_results_that_stand_too_high() -> None:
    table = breakdown({"a": 3, "b": 3, "c": 1, "d": 0}, ["c", "x", "c", "a", "d"])
    assert [(row.document, row.grade, row.rank) for row in table.too_high] == [
        ("c", 1, 1),
        ("x", None, 2),
    ]
    assert breakdown({"a": 3, "c": 1}, ["a", "c", "x"]).too_high == ()
    of_the_judged = breakdown(
        {"a": 3, "c": 1}, ["c", "a"], ideal="max", max_grade=4
    ).too_high
    assert [row.document for row in of_the_judged] == ["c"]
    of_the_returned = breakdown(
        {"a": 3, "b": 3, "c": 1}, ["c", "b"], ideal="returned"
    ).too_high
    assert [row.document for row in of_the_returned] == ["c"]


# --- properties -----------------------------------------------------------------------

DOCUMENTS = st.sampled_from("abcdefghij")


def bits(value: float) -> bytes:
    return struct.pack("d", value)


MAPPED = {-1.0: -2.0, 0.0: 0.0, 0.5: 1.0, 1.0: 1.0, 2.0: 5.0, 3.0: 4.0}
WITH_NEGATIVE = st.one_of(st.integers(-2, 5), st.floats(-2, 5, allow_subnormal=False))
ANY_JUDGMENTS = st.one_of(
    st.tuples(
        st.dictionaries(DOCUMENTS, WITH_NEGATIVE),
        st.sampled_from(["exponential", "linear"]),
    ),
    st.tuples(st.dictionaries(DOCUMENTS, st.sampled_from([*MAPPED])), st.just(MAPPED)),
)
SETTINGS = st.fixed_dictionaries(
    {
        name: st.sampled_from([*CHOICES[name]])
        for name in ("discount", "ideal", "unjudged", "negative")
    }
)


@given(
    ANY_JUDGMENTS,
    st.lists(DOCUMENTS),
    st.one_of(st.none(), st.integers(1, 12)),
    SETTINGS,
)
def test_the_last_row_is_the_score_to_the_bit_and_the_losses_add_up_to_what_it_lacks(
    judged: tuple[dict[str, float], Any],
    ranking: list[str],
    k: int | None,
    conventions: dict[str, Any],
) -> None:
    judgments, gain = judged
    table = breakdown(judgments, ranking, k, gain=gain, **conventions)
    metric = parse_metric("nDCG" if k is None else f"nDCG@{k}")
    expected = score(
        metric, grade_ranking(ranking, judgments), Settings(gain, **conventions)
    )
    if table.ideal_dcg:
        assert bits(table.dcg / table.ideal_dcg) == bits(expected)
    else:
        assert isnan(expected) or expected == 0
    if table.ideal_dcg > 1e-6:
        lost = math.fsum(loss.loss for loss in table.losses) + table.unfilled
        assert lost == pytest.approx(
            1 - table.dcg / table.ideal_dcg, abs=1e-9, rel=1e-9
        )
        assert (
            table.unfilled >= -1e-12 or gain is MAPPED
        )  # where the highest grade may not have the highest gain


@given(
    st.dictionaries(DOCUMENTS, st.integers(0, 4), min_size=1),
    st.lists(DOCUMENTS),
    st.integers(1, 8),
    SETTINGS,
    st.sampled_from(["exponential", "linear"]),
    st.booleans(),
)
def test_a_result_alone_has_the_breakdown_that_its_judgments_give(
    judgments: dict[str, int],
    ranking: list[str],
    k: int,
    conventions: dict[str, Any],
    gain: str,
    all_missing: bool,
) -> None:
    del conventions["discount"]  # ln and log2 differ by rounding
    case = case_of(
        {"query": "q", "judgments": judgments, "k": k, "gain": gain, **conventions}
    )
    result = scored(case, ranking, all_missing=all_missing)
    read = travelled(result)
    top = case.settings.max_grade
    expected = breakdown(judgments, ranking, k, gain=gain, max_grade=top, **conventions)
    found = break_down(read)
    assert losses_of(scored_ranking(read)) == found.losses
    assert (found.rows, found.too_high, found.unfilled) == (
        expected.rows,
        expected.too_high,
        expected.unfilled,
    )
    assert {
        (each.document, each.rank, each.loss, each.candidates) for each in found.losses
    } == {
        (each.document, each.rank, each.loss, each.candidates)
        for each in expected.losses
    }
