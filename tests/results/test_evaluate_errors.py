"""What `evaluate` refuses, and how it says so."""

import math
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from pytest_relevance import evaluate, read_run

JUDGMENTS = {"shoes": {"a": 3, "b": 1}, "hats": {"c": 0}}
RANKINGS = {"shoes": ["a", "b"]}


@pytest.mark.parametrize(
    ("grade", "says"),
    [
        (math.nan, "query 'q2', document 'bad': a grade is a finite number such as 0, 1 or 2.5, not nan (float)"),
        (True, "query 'q2', document 'bad': a grade is a finite number such as 0, 1 or 2.5, not True (bool)"),
        (51, "query 'q2', document 'bad': grade 51 is too high for exponential gain (2^grade - 1): at most 50"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("others", [1, 0.5])
def test_a_bad_grade_is_named(grade: Any, says: str, others: float) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        evaluate(
            {"q1": {"a": others}, "q2": {"b": others, "bad": grade}}, {"q1": ["a"]}
        )


@pytest.mark.parametrize(
    "size", [50, 200]
)  # few and many judgments are not checked in the same way
@pytest.mark.parametrize("others", [1, 0.5])
@pytest.mark.parametrize(
    ("grade", "shown"),
    [("3", "'3' (str)"), (None, "None"), (math.nan, "nan"), (10**400, "1000")],
)
def test_a_bad_grade_among_many_is_found(
    size: int, others: float, grade: Any, shown: str
) -> None:
    judgments: dict[str, dict[str, Any]] = {
        f"q{query}": {f"d{rank}": rank % 4 * others for rank in range(size)}
        for query in range(size)
    }
    judgments["q33"]["d17"] = grade
    with pytest.raises(
        ValueError, match=rf"query 'q33', document 'd17'.* not {re.escape(shown)}"
    ):
        evaluate(judgments, {})
    judgments = {
        f"q{query}": {f"d{rank}": rank % 4 == 0 for rank in range(size)}
        for query in range(size)
    }
    with pytest.raises(
        ValueError, match=r"query 'q0', document 'd0'.* not True \(bool\)"
    ):
        evaluate(judgments, {})


def test_high_grades_are_fine_where_no_gain_is_asked_for_or_it_is_linear() -> None:
    judgments, rankings = {"q": {"a": 100, "b": 60}}, {"q": ["a", "b"]}
    assert evaluate(judgments, rankings, "AP")["AP"].tolist() == [1.0]
    assert evaluate(judgments, rankings, gain="linear")["nDCG@10"].tolist() == [1.0]


@pytest.mark.parametrize(
    ("conventions", "says"),
    [
        ({"gain": {0: 0, 1: 1}}, "query 'q', document 'a': the gain mapping has no grade 2; it has 0, 1"),
        ({"ideal": "max", "max_grade": 1}, "query 'q', document 'a': grade 2 is above max_grade 1"),
        ({"gain": "exp"}, "gain is one of exponential, linear or a mapping of grades to gains, not 'exp'"),
        ({"ideal": "best"}, "ideal is one of judged, returned, max, not 'best'"),
    ],
)  # fmt: skip
def test_settings_that_do_not_fit_are_refused(
    conventions: dict[str, Any], says: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        evaluate({"q": {"a": 2}}, {"q": ["a"]}, **conventions)


@pytest.mark.parametrize(
    ("metrics", "says"),
    [
        ("nDCG@0", "a whole number from 1"),
        ("nDGC@10", "did you mean nDCG?"),
        ("overlap@5", "overlap@5 compares two rankings; "),
        ([], "needs a metric"),
    ],
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
)  # fmt: skip
def test_judgments_that_cannot_be_read_are_refused(judgments: Any, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        evaluate(judgments, {"q": ["a"]})


@pytest.mark.parametrize(
    ("rankings", "says"),
    [
        (["a"], "rankings: a mapping {query: [document, ...]} is needed, not list ['a']"),
        ({"q": "abc"}, "the ranking of query 'q' is a list of documents or a mapping of scores, not 'abc'"),
        ({"q": [1.5]}, "the ranking of query 'q': a document id is text or an integer, not 1.5 (float)"),
        ({"q": {"a", "b"}}, "the ranking of query 'q' is a set, which has no order"),
        ({"q": [("a", 0.5)]}, "a document id is text or an integer, not ('a', 0.5) (tuple)"),
        ({"q": {"a": "high"}}, "the ranking of query 'q': the score of document 'a' is a number, not 'high'"),
    ],
)  # fmt: skip
def test_rankings_that_cannot_be_read_are_refused(rankings: Any, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        evaluate({"q": {"a": 1, "b": 1}}, rankings)


RESULTS = pd.DataFrame(
    {"query": ["q", "q", "q", "other"], "doc_id": ["a", "b", "c", "a"]}
)
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
        (FRAME.assign(doc=[1.0, math.nan]), "column 'doc': a document id is text or an integer, not 1.0"),
        (FRAME.assign(grade=[1, math.nan]), "query 'q', document 'b': a grade is a finite number"),
    ],
)  # fmt: skip
def test_frames_of_judgments_that_cannot_be_read_are_refused(
    frame: pd.DataFrame, says: str
) -> None:
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
)  # fmt: skip
def test_frames_of_rankings_that_cannot_be_read_are_refused(
    frame: pd.DataFrame, says: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        evaluate({"q": {"a": 1}}, frame)


def test_a_frame_with_two_ids_of_a_document() -> None:
    """As the frames of PyTerrier are, whose docid is a number of the index."""
    rankings = pd.DataFrame(
        {"qid": ["q"], "docid": [4], "docno": ["d-9"], "rank": [0], "score": [1.5]}
    )
    with pytest.raises(
        ValueError,
        match="the rankings, row 0: the document has two ids, docid '4' and docno 'd-9'; drop one of the columns",
    ):
        evaluate({"q": {"d-9": 1}}, rankings)
    scores = evaluate({"q": {"d-9": 1}}, rankings.drop(columns="docid"))
    assert scores["nDCG@10"].tolist() == [1.0]


def test_a_table_of_a_run_with_two_ids_of_a_document(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("qid,docid,docno,rank\nq,4,d-9,1\n", encoding="utf-8")
    with pytest.raises(
        ValueError,
        match=r"run.csv:2: the document has two ids, doc.*; take one of the columns out",
    ):
        read_run(path)
