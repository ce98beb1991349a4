"""Judgments and rankings in, a table of scores out."""

import math
import uuid
from collections import UserDict
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import RelevanceWarning, evaluate
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.results.evaluate import check_judgments, check_rankings

JUDGMENTS = {"shoes": {"a": 3, "b": 1}, "hats": {"c": 0}, "bags": {"d": 2}}
RANKINGS = {"bags": ["x", "d"], "shoes": ["a", "b"], "belts": ["a"]}


def value(
    judgments: Any, rankings: Any, metric: str = "RR", **conventions: Any
) -> list[float]:
    scores: list[float] = evaluate(judgments, rankings, metric, **conventions)[
        metric
    ].tolist()
    return scores


def test_a_row_a_judged_query_and_a_column_a_metric_as_it_was_written() -> None:
    scores = evaluate(JUDGMENTS, RANKINGS, ["ndcg@10", "MRR", "P(rel=2)@1"])
    assert list(scores.index) == ["shoes", "hats", "bags"]
    assert scores.index.name == "query"
    assert list(scores.columns) == ["ndcg@10", "MRR", "P(rel=2)@1"]
    assert list(scores.loc["shoes"]) == [1.0, 1.0, 1.0]
    assert list(scores.loc["bags"]) == pytest.approx(
        [1 / math.log2(3), 0.5, 0.0], abs=1e-15
    )


def test_a_judged_query_without_a_ranking_scores_as_an_empty_one() -> None:
    scores = evaluate({"q": {"a": 1}}, {}, ["nDCG@10", "P@5", "Judged@5"])
    assert list(scores.loc["q"]) == [0.0, 0.0, 0.0]


def test_a_query_without_relevant_documents_has_no_ndcg_or_that_of_trec_eval() -> None:
    assert math.isnan(value(JUDGMENTS, RANKINGS, "nDCG@10")[1])
    assert value(JUDGMENTS, RANKINGS, "nDCG@10", undefined="zero")[1] == 0.0


def test_settings_reach_the_scores() -> None:
    judgments, rankings = {"q": {"a": 3, "b": 1, "n": -1}}, {"q": ["x", "b", "a", "n"]}
    third, ln = 1 / 2, math.log(2) / math.log(3)
    assert value(judgments, rankings, "DCG@3") == [pytest.approx(ln + 7 * third)]
    assert value(judgments, rankings, "DCG@3", gain="linear") == [
        pytest.approx(ln + 3 * third)
    ]
    assert value(judgments, rankings, "DCG@3", gain={3: 10, 1: 0, -1: 0}) == [
        pytest.approx(10 * third)
    ]
    assert value(judgments, rankings, "DCG@3", unjudged="skip") == [
        pytest.approx(1 + 7 * ln - 0.5 * third)
    ]
    assert value(judgments, rankings, "DCG", negative="zero") == [
        pytest.approx(ln + 7 * third)
    ]
    assert value(judgments, rankings, "DCG@2", discount="ln") == [
        pytest.approx(1 / math.log(3))
    ]
    assert value(judgments, rankings, "nDCG@1", ideal="returned") == [0.0]
    assert value({"q": {"a": 1}}, {"q": ["a"]}, "nDCG@1", ideal="max", max_grade=3) == [
        1 / 7
    ]


def test_a_metric_may_be_given_as_text_as_a_metric_and_twice() -> None:
    assert list(evaluate(JUDGMENTS, RANKINGS).columns) == ["nDCG@10"]
    assert list(evaluate(JUDGMENTS, RANKINGS, "RR").columns) == ["RR"]
    assert list(evaluate(JUDGMENTS, RANKINGS, parse_metric("mrr@5")).columns) == [
        "RR@5"
    ]
    assert list(evaluate(JUDGMENTS, RANKINGS, ["RR", "AP", "RR"]).columns) == [
        "RR",
        "AP",
    ]


@pytest.mark.parametrize("kind", [UserDict, MappingProxyType])
@pytest.mark.parametrize("ranking", [list, tuple, np.array, pd.Series, iter])
def test_any_mapping_and_any_sequence_of_documents_will_do(
    kind: Any, ranking: Any
) -> None:
    assert value(kind({"q": kind({"a": 1})}), kind({"q": ranking(["x", "a"])})) == [0.5]


def test_scores_of_documents_are_sorted_as_trec_eval_sorts_them_and_numbers_of_numpy_are_grades() -> (
    None
):
    assert value({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 2.0, "c": 1.0}}) == [1 / 3]
    assert value(
        {"q": {"a": np.int64(3), "b": np.float32(0.5)}}, {"q": ["b", "a"]}
    ) == [0.5]


# Ids are compared as text.


@pytest.mark.parametrize(
    ("judged", "returned"),
    [
        ("7", 7),
        (7, "7"),
        (7, 7),
        (np.int64(7), "7"),
        ("7", np.int32(7)),
        (uuid.UUID(int=7), str(uuid.UUID(int=7))),
    ],
)
def test_document_ids_that_look_the_same_are_the_same(
    judged: Any, returned: Any
) -> None:
    assert value({"q": {judged: 1}}, {"q": [returned]}) == [1.0]
    # also where the other queries give no hint that there are ids which are no text
    assert value(
        {"text": {"a": 1}, "q": {judged: 1}}, {"text": ["a"], "q": [returned]}
    ) == [1.0, 1.0]


def test_query_ids_become_text() -> None:
    scores = evaluate({7: {"a": 1}, 8: {"a": 1}}, {"7": ["a"], "8": ["x", "a"]}, "RR")
    assert scores["RR"].to_dict() == {"7": 1.0, "8": 0.5}
    assert value({"7": {"a": 1}}, {7: ["a"]}) == [1.0]
    assert value({"q": {"007": 1}}, {"q": ["7", "007"]}) == [0.5]


# DataFrames


@pytest.mark.parametrize(
    "columns",
    [
        ("query_id", "doc_id", "grade"),
        ("qid", "docno", "relevance"),
        ("query-id", "corpus-id", "score"),
        ("Query ID", "Doc.Id", "Label"),
    ],
)
def test_judgments_in_a_frame_under_the_names_that_people_use(
    columns: tuple[str, str, str],
) -> None:
    rows = [("shoes", "a", 3), ("shoes", "b", 1), ("hats", "c", 0), ("bags", "d", 2)]
    expected = evaluate(JUDGMENTS, RANKINGS, ["nDCG", "RR"])
    pd.testing.assert_frame_equal(
        evaluate(pd.DataFrame(rows, columns=list(columns)), RANKINGS, ["nDCG", "RR"]),
        expected,
    )


def test_a_query_id_goes_before_the_text_of_the_query() -> None:
    judgments = pd.DataFrame(
        {
            "query": ["blue shoes"],
            "query_id": ["q1"],
            "product_id": ["a"],
            "rating": [1],
        }
    )
    assert list(evaluate(judgments, {"q1": ["a"]}).index) == ["q1"]


RESULTS = pd.DataFrame(
    {"query": ["q", "q", "q", "other"], "doc_id": ["a", "b", "c", "a"]}
)


@pytest.mark.parametrize(
    ("column", "reciprocal_rank_of_a"),
    [
        ({}, 1.0),  # the order of the rows
        ({"rank": [3, 1, 2, 1]}, 1 / 3),
        ({"position": [1, 0, 2, 0]}, 1 / 2),
        ({"score": [1.0, 1.0, 0.5, 9.0]}, 1 / 2),  # as trec_eval: b before a
        (
            {"rank": [1, 2, 3, 1], "score": [0.1, 0.2, 0.3, 0.4]},
            1.0,
        ),  # the rank says it outright
    ],
)
def test_rankings_in_a_frame(
    column: dict[str, list[float]], reciprocal_rank_of_a: float
) -> None:
    assert value({"q": {"a": 1}}, RESULTS.assign(**column)) == [reciprocal_rank_of_a]


def test_ids_in_frames_become_text_on_both_sides() -> None:
    judgments = pd.DataFrame({"query": [1, 2], "doc": [10, 20], "grade": [1, 1]})
    rankings = pd.DataFrame({"query": ["1", "2"], "doc": ["10", "10"]})
    assert evaluate(judgments, rankings, "RR")["RR"].to_dict() == {"1": 1.0, "2": 0.0}
    categories = judgments.astype({"query": "category", "doc": "category"})
    assert value(categories, rankings) == [1.0, 0.0]


def test_an_empty_frame_and_empty_mappings() -> None:
    empty = pd.DataFrame({"query": [], "doc": [], "grade": []}, dtype=object)
    nothing: Any
    for nothing in ({}, empty):
        scores = evaluate(nothing, RANKINGS, ["nDCG@10", "ERR", "AP"])
        assert (list(scores.index), list(scores.columns)) == (
            [],
            ["nDCG@10", "ERR", "AP"],
        )
    assert value({"q": {}}, {"q": []}, "P@5") == [0.0]


def test_what_was_compiled_once_may_be_scored_often() -> None:
    judgments, rankings = check_judgments(JUDGMENTS), check_rankings(RANKINGS)
    for metric in ("nDCG", "AP"):
        pd.testing.assert_frame_equal(
            evaluate(judgments, rankings, metric), evaluate(JUDGMENTS, RANKINGS, metric)
        )
    assert check_judgments(judgments) is judgments
    assert check_rankings(rankings) is rankings


def test_judgments_and_rankings_with_no_query_in_common_are_warned_of() -> None:
    with pytest.warns(
        RelevanceWarning,
        match=r"none of the 1 judged queries has a ranking.*for example 'laptop' and 'q067'",
    ):
        scores = evaluate({"laptop": {"a": 1}}, {"q067": ["a"]})
    assert scores.loc["laptop", "nDCG@10"] == 0


# --- functions of one's own -----------------------------------------------------------

GRADES = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 3), max_size=6)
RANKING = st.lists(st.sampled_from("abcdefgh"), max_size=9)


def relevant(
    grades: list[float | None], judged: list[float], k: int | None
) -> float | None:
    """Recall."""
    total = sum(grade >= 1 for grade in judged)
    found = sum(grade is not None and grade >= 1 for grade in grades)
    return found / total if total else None


@given(
    st.lists(st.tuples(GRADES, RANKING), min_size=1, max_size=4),
    st.sampled_from(["nan", "zero"]),
)
def test_a_function_scores_as_the_measure_that_it_is(
    queries: list[tuple[dict[str, int], list[str]]], none: str
) -> None:
    judgments = {f"q{number}": grades for number, (grades, _) in enumerate(queries)}
    rankings = {f"q{number}": ranking for number, (_, ranking) in enumerate(queries)}
    table = evaluate(judgments, rankings, ["R", relevant], undefined=none)
    assert list(table) == ["R", "relevant"]
    for one, other in table.itertuples(index=False):
        assert one == other or (math.isnan(one) and math.isnan(other))


def named(name: str, function):  # type: ignore[no-untyped-def]
    """The function with another name."""
    function.__name__ = name
    return function


def test_what_a_function_does_wrong_names_the_query() -> None:
    judgments, ranking = {"q": {"a": 1}}, {"q": ["a"]}
    why = "query 'q': the metric relevant raised TypeError: .*takes 1 positional argument but 3"
    with pytest.raises(ValueError, match=why):
        evaluate(judgments, ranking, named("relevant", lambda grades: 1))
    seven = named("P", lambda *_: 7)
    with pytest.raises(ValueError, match="two metrics are called P: give one of the "):
        evaluate(judgments, ranking, [seven, "P"])
    assert evaluate(judgments, ranking, seven)["P"].tolist() == [7]
