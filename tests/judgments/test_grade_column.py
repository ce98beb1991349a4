"""`grade_column`: which column has the grades, where a file has final ones beside those of raters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_relevance import read_judgments, read_queries
from tests.judgments.helpers import problems, written

RATERS_AND_FINAL = "query,docid,ann_rating,bob_rating,final_rating\nq,a,0,2,2\nq,b,1,3,0\n"


def problem(path: Path, format: str | None = None, **options: str) -> str:
    (only,) = problems(path, format, **options)
    return only


def test_final_grades_beside_those_of_raters_are_an_error_that_names_the_columns(tmp_path: Path) -> None:
    assert problem(written(tmp_path, RATERS_AND_FINAL)) == (
        "FILE:1: final_rating seems to be what was made of ann_rating and bob_rating; say which column has the grades "
        "(grade_column: final_rating, --grade-column of a command), or how several ratings become one grade (raters: "
        "median, --raters)"
    )


def test_the_column_is_chosen(tmp_path: Path) -> None:
    path = written(tmp_path, RATERS_AND_FINAL)
    for name in ("final_rating", "Final Rating"):
        judgments = read_judgments(path, grade_column=name)
        assert judgments == {"q": {"a": 2, "b": 0}}
        assert judgments.raters == ()
        assert judgments.notices == ()
    assert read_judgments(path, grade_column="ann_rating") == {"q": {"a": 0, "b": 1}}


@pytest.mark.parametrize(
    ("header", "final", "others"),
    [
        ("query,docid,ann_rating,final_rating", "final_rating", "ann_rating"),
        ("query,docid,rating_1,rating_2,consensus", "consensus", "rating_1 and rating_2"),
        ("query,docid,ann_rating,bob_rating,mean_rating", "mean_rating", "ann_rating and bob_rating"),
        ("query,docid,Ann,Bob,final", "final", "Ann and Bob"),
        ("query,docid,ann_label,label,gold_label", "gold_label", "label"),
    ],
)
def test_what_is_final_beside_what(tmp_path: Path, header: str, final: str, others: str) -> None:
    ratings = ",".join("1" * (header.count(",") - 2))
    path = written(tmp_path, f"{header}\nq,a,{ratings},3\n")
    assert problem(path).startswith(f"FILE:1: {final} seems to be what was made of {others}; ")
    assert read_judgments(path, grade_column=final) == {"q": {"a": 3}}


def test_final_grades_beside_a_rating_a_row(tmp_path: Path) -> None:
    path = written(tmp_path, "query,docid,rater,rating,final_rating\nq,a,ann,1,3\nq,a,bob,2,3\n")
    assert "final_rating seems to be what was made of rating" in problem(path)
    judgments = read_judgments(path, grade_column="final_rating")
    assert (judgments, judgments.raters) == ({"q": {"a": 3}}, ())
    assert read_judgments(path, grade_column="rating").raters == ("ann", "bob")
    assert read_judgments(path, raters="min") == {"q": {"a": 1}}


def test_a_column_of_any_name(tmp_path: Path) -> None:
    path = written(tmp_path, "query,docid,usefulness\nq,a,2\n")
    assert problem(path).endswith("; where a column has the grades, name it: grade_column")
    assert read_judgments(path, grade_column="usefulness") == {"q": {"a": 2}}
    assert read_queries(path, grade_column="usefulness") == {"q": "q"}
    assert read_judgments(written(tmp_path, "query,docid,final_rating\nq,a,2\n")) == {"q": {"a": 2}}


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    assert problem(written(tmp_path, RATERS_AND_FINAL), grade_column="final_ratng") == (
        'FILE:1: there is no column "final_ratng" for the grades; the columns are query, docid, ann_rating, bob_rating '
        'and final_rating; did you mean "final_rating"?'
    )


@pytest.mark.parametrize("content", ["q1 0 d1 3\n", "3 qid:1 # d1\n", '{"queries": [{"query": "q", "ratings": {}}]}'])
def test_a_format_without_columns(tmp_path: Path, content: str) -> None:
    said = problem(written(tmp_path, content), grade_column="final")
    assert said.startswith("FILE: grade_column= is for tables and JSON objects, and this is ")


def test_objects_in_json(tmp_path: Path) -> None:
    row = {"query": "q", "docid": "a", "rating": 1, "final_rating": 3}
    for content in (f"{json.dumps(row)}\n{json.dumps({**row, 'docid': 'b'})}\n", json.dumps([row])):
        path = written(tmp_path, content, "ratings.json")
        assert problem(path).startswith("FILE: final_rating seems to be what was made of rating; ")
        assert read_judgments(path, grade_column="final_rating")["q"]["a"] == 3
    assert problem(path, grade_column="final").startswith('FILE: there is no column "final" for the grades; ')
    path = written(tmp_path, '{"q": {"a": 1}}', "ratings.json")
    assert problem(path, grade_column="final") == (
        'FILE: no object in the file has the key "final", which grade_column names'
    )
