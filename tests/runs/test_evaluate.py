"""Judgments and rankings in, a table of scores out."""

from __future__ import annotations

import math
import re
import uuid
from collections import OrderedDict, UserDict
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pytest_relevance import evaluate
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.runs.evaluate import compile_judgments, compile_rankings

JUDGMENTS = {"shoes": {"a": 3, "b": 1}, "hats": {"c": 0}, "bags": {"d": 2}}
RANKINGS = {"bags": ["x", "d"], "shoes": ["a", "b"], "belts": ["a"]}


def value(judgments: Any, rankings: Any, metric: str = "RR", **conventions: Any) -> list[float]:
    scores: list[float] = evaluate(judgments, rankings, metric, **conventions)[metric].tolist()
    return scores


def test_a_row_a_judged_query_and_a_column_a_metric_as_it_was_written() -> None:
    scores = evaluate(JUDGMENTS, RANKINGS, ["ndcg@10", "MRR", "P(rel=2)@1"])
    assert list(scores.index) == ["shoes", "hats", "bags"]
    assert scores.index.name == "query"
    assert list(scores.columns) == ["ndcg@10", "MRR", "P(rel=2)@1"]
    assert scores.loc["shoes"].tolist() == [1.0, 1.0, 1.0]
    assert scores.loc["bags"].tolist() == pytest.approx([1 / math.log2(3), 0.5, 0.0], abs=1e-15)


def test_ndcg_at_10_is_what_is_asked_for_by_default() -> None:
    assert list(evaluate(JUDGMENTS, RANKINGS).columns) == ["nDCG@10"]


def test_a_judged_query_without_a_ranking_scores_as_an_empty_one() -> None:
    scores = evaluate({"q": {"a": 1}}, {}, ["nDCG@10", "P@5", "Judged@5"])
    assert scores.loc["q"].tolist() == [0.0, 0.0, 0.0]


def test_a_query_without_relevant_documents_has_no_ndcg_or_that_of_trec_eval() -> None:
    assert math.isnan(value(JUDGMENTS, RANKINGS, "nDCG@10")[1])
    assert value(JUDGMENTS, RANKINGS, "nDCG@10", undefined="zero")[1] == 0.0


def test_settings_reach_the_scores() -> None:
    judgments, rankings = {"q": {"a": 3, "b": 1, "n": -1}}, {"q": ["x", "b", "a", "n"]}
    third, ln = 1 / 2, math.log(2) / math.log(3)
    assert value(judgments, rankings, "DCG@3") == [pytest.approx(ln + 7 * third)]
    assert value(judgments, rankings, "DCG@3", gain="linear") == [pytest.approx(ln + 3 * third)]
    assert value(judgments, rankings, "DCG@3", gain={3: 10, 1: 0, -1: 0}) == [pytest.approx(10 * third)]
    assert value(judgments, rankings, "DCG@3", unjudged="skip") == [pytest.approx(1 + 7 * ln - 0.5 * third)]
    assert value(judgments, rankings, "DCG", negative="zero") == [pytest.approx(ln + 7 * third)]
    assert value(judgments, rankings, "DCG@2", discount="ln") == [pytest.approx(1 / math.log(3))]
    assert value(judgments, rankings, "nDCG@1", ideal="returned") == [0.0]
    assert value({"q": {"a": 1}}, {"q": ["a"]}, "nDCG@1", ideal="max", max_grade=3) == [1 / 7]


def test_a_metric_may_be_given_as_text_as_a_metric_and_twice() -> None:
    assert list(evaluate(JUDGMENTS, RANKINGS, "RR").columns) == ["RR"]
    assert list(evaluate(JUDGMENTS, RANKINGS, parse_metric("mrr@5")).columns) == ["RR@5"]
    assert list(evaluate(JUDGMENTS, RANKINGS, ["RR", "AP", "RR"]).columns) == ["RR", "AP"]


@pytest.mark.parametrize("kind", [dict, OrderedDict, UserDict, MappingProxyType])
def test_any_mapping_will_do(kind: Any) -> None:
    assert value(kind({"q": kind({"a": 1})}), kind({"q": ["x", "a"]})) == [0.5]


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series, iter])
def test_any_sequence_of_documents_is_a_ranking(kind: Any) -> None:
    assert value({"q": {"a": 1}}, {"q": kind(["x", "a"])}) == [0.5]


def test_scores_of_documents_are_sorted_as_trec_eval_sorts_them() -> None:
    assert value({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 2.0, "c": 1.0}}) == [1 / 3]


def test_numbers_of_numpy_are_grades() -> None:
    assert value({"q": {"a": np.int64(3), "b": np.float32(0.5)}}, {"q": ["b", "a"]}) == [0.5]


# Ids are compared as text.


@pytest.mark.parametrize(
    ("judged", "returned"),
    [("7", 7), (7, "7"), (7, 7), (np.int64(7), "7"), ("7", np.int32(7)), (uuid.UUID(int=7), str(uuid.UUID(int=7)))],
)
def test_document_ids_that_look_the_same_are_the_same(judged: Any, returned: Any) -> None:
    assert value({"q": {judged: 1}}, {"q": [returned]}) == [1.0]
    # Also where the other queries give no hint that there are ids which are no text.
    assert value({"text": {"a": 1}, "q": {judged: 1}}, {"text": ["a"], "q": [returned]}) == [1.0, 1.0]


def test_query_ids_become_text() -> None:
    scores = evaluate({7: {"a": 1}, 8: {"a": 1}}, {"7": ["a"], "8": ["x", "a"]}, "RR")
    assert scores["RR"].to_dict() == {"7": 1.0, "8": 0.5}
    assert value({"7": {"a": 1}}, {7: ["a"]}) == [1.0]


def test_text_ids_stay_as_they_are_written() -> None:
    assert value({"q": {"007": 1}}, {"q": ["7", "007"]}) == [0.5]


# DataFrames


@pytest.mark.parametrize(
    "columns",
    [
        ("query_id", "doc_id", "grade"),
        ("query", "document", "rating"),
        ("qid", "docno", "relevance"),
        ("query-id", "corpus-id", "score"),
        ("Query ID", "Doc.Id", "Label"),
    ],
)
def test_judgments_in_a_frame_under_the_names_that_people_use(columns: tuple[str, str, str]) -> None:
    rows = [("shoes", "a", 3), ("shoes", "b", 1), ("hats", "c", 0), ("bags", "d", 2)]
    expected = evaluate(JUDGMENTS, RANKINGS, ["nDCG", "RR"])
    pd.testing.assert_frame_equal(
        evaluate(pd.DataFrame(rows, columns=list(columns)), RANKINGS, ["nDCG", "RR"]), expected
    )


def test_a_query_id_goes_before_the_text_of_the_query() -> None:
    judgments = pd.DataFrame({"query": ["blue shoes"], "query_id": ["q1"], "product_id": ["a"], "rating": [1]})
    assert list(evaluate(judgments, {"q1": ["a"]}).index) == ["q1"]


RESULTS = pd.DataFrame({"query": ["q", "q", "q", "other"], "doc_id": ["a", "b", "c", "a"]})


@pytest.mark.parametrize(
    ("column", "reciprocal_rank_of_a"),
    [
        ({}, 1.0),  # the order of the rows
        ({"rank": [3, 1, 2, 1]}, 1 / 3),
        ({"position": [1, 0, 2, 0]}, 1 / 2),
        ({"score": [1.0, 1.0, 0.5, 9.0]}, 1 / 2),  # as trec_eval: b before a
        ({"rank": [1, 2, 3, 1], "score": [0.1, 0.2, 0.3, 0.4]}, 1.0),  # the rank says it outright
    ],
)
def test_rankings_in_a_frame(column: dict[str, list[float]], reciprocal_rank_of_a: float) -> None:
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
        assert (list(scores.index), list(scores.columns)) == ([], ["nDCG@10", "ERR", "AP"])
    assert value({"q": {}}, {"q": []}, "P@5") == [0.0]


def test_what_was_compiled_once_may_be_scored_often() -> None:
    judgments, rankings = compile_judgments(JUDGMENTS), compile_rankings(RANKINGS)
    for metric in ("nDCG", "AP"):
        pd.testing.assert_frame_equal(evaluate(judgments, rankings, metric), evaluate(JUDGMENTS, RANKINGS, metric))
    assert compile_judgments(judgments) is judgments
    assert compile_rankings(rankings) is rankings


# What is refused


@pytest.mark.parametrize(
    ("grade", "says"),
    [
        (math.nan, "query 'q2', document 'bad': a grade is a finite number such as 0, 1 or 2.5, not nan (float)"),
        (math.inf, "query 'q2', document 'bad': a grade is a finite number such as 0, 1 or 2.5, not inf (float)"),
        ("3", "query 'q2', document 'bad': a grade is a finite number such as 0, 1 or 2.5, not '3' (str)"),
        (True, "query 'q2', document 'bad': a grade is a finite number such as 0, 1 or 2.5, not True (bool)"),
        (None, "query 'q2', document 'bad': a grade is a finite number such as 0, 1 or 2.5, not None (NoneType)"),
        (10**400, "query 'q2', document 'bad': a grade is a finite number"),
        (51, "query 'q2', document 'bad': grade 51 is too high for exponential gain (2^grade - 1): at most 50"),
        (50.5, "query 'q2', document 'bad': grade 50.5 is too high for exponential gain"),
    ],
)
@pytest.mark.parametrize("others", [1, 0.5])
def test_a_bad_grade_is_named(grade: Any, says: str, others: float) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        evaluate({"q1": {"a": others}, "q2": {"b": others, "bad": grade}}, {"q1": ["a"]})


def test_a_bad_grade_among_many_is_found() -> None:
    judgments: dict[str, dict[str, Any]] = {
        f"q{query}": {f"d{rank}": rank % 4 for rank in range(50)} for query in range(50)
    }
    judgments["q33"]["d17"] = True
    with pytest.raises(ValueError, match=r"query 'q33', document 'd17'.*not True"):
        evaluate(judgments, {})


def test_high_grades_are_fine_where_no_gain_is_asked_for_or_it_is_linear() -> None:
    judgments, rankings = {"q": {"a": 100, "b": 60}}, {"q": ["a", "b"]}
    assert value(judgments, rankings, "AP") == [1.0]
    assert value(judgments, rankings, "nDCG@10", gain="linear") == [1.0]


@pytest.mark.parametrize(
    ("conventions", "says"),
    [
        ({"gain": {0: 0, 1: 1}}, "query 'q', document 'a': the gain mapping has no grade 2; it has 0, 1"),
        ({"ideal": "max", "max_grade": 1}, "query 'q', document 'a': grade 2 is above max_grade 1"),
        ({"gain": "exp"}, "gain is one of exponential, linear or a mapping of grades to gains, not 'exp'"),
        ({"ideal": "best"}, "ideal is one of judged, returned, max, not 'best'"),
    ],
)
def test_settings_that_do_not_fit_are_refused(conventions: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        evaluate({"q": {"a": 2}}, {"q": ["a"]}, **conventions)


@pytest.mark.parametrize(
    ("metrics", "says"),
    [("nDCG@0", "a whole number from 1"), ("nDGC@10", "did you mean nDCG?"), ([], "needs a metric")],
)
def test_metrics_that_do_not_exist_are_refused(metrics: Any, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        evaluate(JUDGMENTS, RANKINGS, metrics)


@pytest.mark.parametrize(
    ("judgments", "says"),
    [
        ([("q", "a", 1)], "judgments: a mapping {query: {document: grade}} is needed, not list"),
        ({"q": 3}, "the judgments of query 'q': a mapping {document: grade} is needed, not int 3"),
        ({"q": {1.5: 1}}, "the judgments of query 'q': a document id is text or an integer, not 1.5 (float)"),
        ({1.5: {"a": 1}}, "the judgments: a query id is text or an integer, not 1.5 (float)"),
        ({"q": {1: 1, "1": 2}}, "the judgments of query 'q': document '1' is there twice, as text and as a number"),
        ({1: {"a": 1}, "1": {"a": 1}}, "the judgments: query '1' is there twice"),
    ],
)
def test_judgments_that_cannot_be_read_are_refused(judgments: Any, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        evaluate(judgments, {"q": ["a"]})


@pytest.mark.parametrize(
    ("rankings", "says"),
    [
        (["a"], "rankings: a mapping {query: [document, ...]} is needed, not list ['a']"),
        ({"q": "abc"}, "the ranking of query 'q' is a list of documents or a mapping of scores, not 'abc'"),
        ({"q": None}, "the ranking of query 'q' is a list of documents or a mapping of scores, not None"),
        ({"q": [1.5]}, "the ranking of query 'q': a document id is text or an integer, not 1.5 (float)"),
        ({"q": [None]}, "the ranking of query 'q': a document id is text or an integer, not None (NoneType)"),
        ({"q": [("a", 0.5)]}, "a document id is text or an integer, not ('a', 0.5) (tuple)"),
        ({"q": ["a", ["b"]]}, "a document id is text or an integer, not ['b'] (list)"),
        ({"q": {"a": "high"}}, "the ranking of query 'q': the score of document 'a' is a number, not 'high'"),
        ({"q": {"a": math.nan}}, "the ranking of query 'q': the score of document 'a' is a number, not nan"),
    ],
)
def test_rankings_that_cannot_be_read_are_refused(rankings: Any, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        evaluate({"q": {"a": 1, "b": 1}}, rankings)


FRAME = pd.DataFrame({"query": ["q", "q"], "doc": ["a", "b"], "grade": [1, 2]})


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (
            FRAME.rename(columns={"grade": "stars"}),
            "has no column for the grade; it has query, doc, stars, and the grade",
        ),
        (
            FRAME.drop(columns="doc"),
            "no column for the document; it has query, grade, and the document is read from doc_id",
        ),
        (pd.concat([FRAME, FRAME.assign(grade=0)]), "query 'q', document 'a': two grades, 1 and 0; one is allowed"),
        (FRAME.assign(doc=[1.0, math.nan]), "column 'doc' holds floats"),
        (FRAME.assign(doc=["a", None]), "column 'doc': a document id is text or an integer"),
        (FRAME.assign(grade=[1, math.nan]), "query 'q', document 'b': a grade is a finite number"),
        (FRAME.assign(grade=["1", "2"]), "query 'q', document 'a': a grade is a finite number"),
    ],
)
def test_frames_of_judgments_that_cannot_be_read_are_refused(frame: pd.DataFrame, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        evaluate(frame, {"q": ["a"]})


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (
            RESULTS.rename(columns={"query": "q"}),
            "the rankings: the frame has no column for the query; it has q, doc_id",
        ),
        (RESULTS.assign(rank=["1", "2", "3", "1"]), "column 'rank', row 0: a number is needed, not '1'"),
        (RESULTS.assign(score=[1.0, math.nan, 1.0, 1.0]), "column 'score', row 1: a number is needed, not nan"),
    ],
)
def test_frames_of_rankings_that_cannot_be_read_are_refused(frame: pd.DataFrame, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        evaluate({"q": {"a": 1}}, frame)
