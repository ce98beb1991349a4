"""Quepid's exports: cases as CSV and JSON, books of several judges, and a snapshot, which is none."""

from __future__ import annotations

from pathlib import Path

from pytest_relevance import read_judgments, read_queries
from pytest_relevance.judgments.reading import load_queries
from tests.judgments.helpers import problems, written


def test_a_whole_case(tmp_path: Path) -> None:
    content = {
        "case_name": "Films",
        "scorer": {"name": "nDCG@10"},
        "queries": [
            {
                "arranged_at": 0,
                "query_text": "star wars",
                "options": {"customer": "big", "boost": 1.5},
                "notes": "A New Hope is perfect",
                "information_need": "the films",
                "ratings": [
                    {"doc_id": "602", "rating": 2.0, "user_email": "ann@example.org"},
                    {"doc_id": 12180, "rating": None},
                ],
            },
            {"query_text": "willis", "options": None, "notes": "Bruce", "information_need": None, "ratings": None},
        ],
        "try": {"name": "Try 19", "query_params": "{}"},
    }
    path = written(tmp_path, content)
    judgments = read_judgments(path)
    assert judgments == {"star wars": {"602": 2}}
    assert judgments.raters == ()
    assert judgments.unrated == ["willis"]
    star_wars, willis = load_queries(path)
    assert (star_wars.id, star_wars.text, star_wars.note) == ("star wars", "star wars", "the films")
    assert star_wars.params == {"customer": "big", "boost": 1.5}
    assert (willis.text, willis.note, willis.params) == ("willis", "Bruce", {})


BOOK = {
    "name": "Films",
    "query_doc_pairs": [
        {
            "query_text": "star wars",
            "doc_id": "602",
            "document_fields": '{"title": "Independence Day"}',
            "judgements": [
                {"rating": 0.0, "unrateable": False, "judge_later": False, "user_email": "ann@example.org"},
                {"rating": 3.0, "unrateable": False, "judge_later": False, "user_email": "bob@example.org"},
                {"rating": 1.0, "unrateable": False, "judge_later": False},
            ],
        },
        {
            "query_text": "star wars",
            "doc_id": 11,
            "document_fields": {"title": "Star Wars"},
            "judgements": [
                {"rating": 3.0, "user": {"name": "Ann"}},
                {"rating": 0.0, "unrateable": True, "judge_later": False, "user_email": "bob@example.org"},
                {"rating": 2.0, "unrateable": False, "judge_later": True, "user_email": "bob@example.org"},
            ],
        },
        {"query_text": "willis", "doc_id": "562", "document_fields": "no JSON", "judgements": []},
    ],
}


def test_a_book_has_several_raters(tmp_path: Path) -> None:
    judgments = read_judgments(written(tmp_path, BOOK))
    assert judgments == {"star wars": {"602": 1, "11": 3}}
    assert judgments.ratings["star wars"] == {
        "602": {"ann@example.org": 0, "bob@example.org": 3, "rating 3": 1},
        "11": {"Ann": 3},
    }
    assert judgments.titles == {"star wars": {"602": "Independence Day", "11": "Star Wars"}}
    assert judgments.unrated == ["willis"]


def test_csv_by_name(tmp_path: Path) -> None:
    path = written(tmp_path, "query,docid,rating\nstar wars,602,2.0\nstar wars,11,\nwillis,,\n -1 degree,a,1", "e.csv")
    judgments = read_judgments(path, "quepid")
    assert judgments == {"star wars": {"602": 2}, "-1 degree": {"a": 1}}
    assert judgments.format == "quepid"
    assert list(read_queries(path, "quepid")) == ["star wars", "willis", "-1 degree"]


def test_a_snapshot_has_no_ratings(tmp_path: Path) -> None:
    header = "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position"
    path = written(tmp_path, f"{header}\nMay,2024-05-01,6,star wars,11,1\n", "snapshot.csv")
    (wrong,) = problems(path, "quepid")
    assert wrong.startswith("FILE:1: this seems to be a run, with a rank or a score and no grade")


def test_the_real_export(data: Path) -> None:
    judgments = read_judgments(data / "formats" / "quepid_case_basic.csv", "quepid")
    assert len(judgments) == 137
    assert sum(map(len, judgments.values())) == 1679
    assert judgments["120v power supply"]["1113221"] == 3
    assert judgments["projector screen"]["47471"] == 3


def test_mistakes(tmp_path: Path) -> None:
    assert problems(written(tmp_path, {"queries": [{"query": "cap", "ratings": 3}, {"ratings": {"a": 1}}]})) == [
        "FILE: queries[0].ratings: ratings are an object, {document: rating}, or a list of objects; found 3",
        'FILE: queries[1]: "query" is missing; found "ratings"',
    ]
    pair = {"query_text": "hat", "doc_id": "a", "judgements": [{"rating": {}}, {"unrateable": False}]}
    assert problems(written(tmp_path, {"query_doc_pairs": [pair]})) == [
        "FILE: query_doc_pairs[0].judgements[0].rating: a rating is a number or a name of the scale, found the "
        "mapping {}",
        'FILE: query_doc_pairs[0].judgements[1]: "rating" is missing; found "unrateable"',
    ]
