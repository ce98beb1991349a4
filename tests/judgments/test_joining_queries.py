"""Judgments and a file of queries: texts for ids, or ids for texts."""

import pytest

from pytest_relevance._problems import Place
from pytest_relevance.judgments.joining import with_queries
from pytest_relevance.judgments.model import Judgments, Query

QUERIES = [Query("q1", "boots", 2, {"size": 42}, "lined"), Query("q2", "laces")]


def test_queries_that_only_the_file_knows_can_be_left_out() -> None:
    queries = [
        *QUERIES,
        *(Query(f"q{number}", f"socks {number}") for number in range(3, 7)),
        Query("q7"),
    ]
    judgments = Judgments({"q1": {"a": 1}}, queries={"laces": Query("laces", "laces")})
    found = with_queries(judgments, queries, "queries.tsv")
    assert found.judgments == {"q1": {"a": 1}}
    assert set(found.judgments.queries) == {
        "q1",
        "q2",
    }  # q2 is named by the judgments, though none is about it
    what = "are only in queries.tsv, without judgments, and left out"
    assert found.notices == [
        f'5 of 7 queries {what}: "socks 3", "socks 4", "socks 5" and 2 more'
    ]


def test_texts_get_their_ids() -> None:
    grades: dict[str, dict[str, float]] = {"laces": {"a": 1}, "boots": {"b": 0}}
    titles = {"laces": {"a": "Round laces"}}
    judgments = Judgments(
        grades,
        titles=titles,
        place=lambda query, document: Place(path=f"{query}/{document}"),
    )
    found = with_queries(judgments, QUERIES, "queries.tsv")
    assert (found.judgments, found.notices) == ({"q2": {"a": 1}, "q1": {"b": 0}}, [])
    assert list(found.judgments) == ["q2", "q1"]
    assert found.judgments.titles == {"q2": {"a": "Round laces"}}
    assert found.judgments.place("q1", "b").path == "boots/b"


def test_what_only_the_judgments_say_of_a_query_stays() -> None:
    judgments = Judgments(
        {"q2": {"a": 1}}, queries={"q2": Query("q2", "laces", 5, {"x": 1}, "round")}
    )
    found = with_queries(judgments, QUERIES, "queries.tsv")
    assert found.judgments.queries["q2"] == Query("q2", "laces", 5, {"x": 1}, "round")


def test_queries_that_the_file_does_not_know_stay_and_are_named() -> None:
    judgments = Judgments({name: {"a": 1} for name in ("q1", "x", "y", "z", "w")})
    found = with_queries(judgments, QUERIES, "queries.tsv")
    assert list(found.judgments) == ["q1", "x", "y", "z", "w"]
    assert (
        found.notices[0]
        == '4 of 5 queries are not in queries.tsv: "x", "y", "z" and 1 more'
    )
    # so does a text of several queries
    found = with_queries(
        Judgments({"boots": {"a": 1}}),
        [Query("1", "boots"), Query("2", "boots")],
        "q.tsv",
    )
    assert found.judgments == {"boots": {"a": 1}}
    assert (
        found.notices[0]
        == '1 of 1 query is the text of several queries in q.tsv: "boots"'
    )


def test_two_queries_that_are_one_in_the_file() -> None:
    with pytest.raises(
        ValueError,
        match=r'the queries "q1" and "boots" are one in queries\.tsv, "q1"; join them',
    ):
        with_queries(
            Judgments({"q1": {"a": 1}, "boots": {"a": 0}}), QUERIES, "queries.tsv"
        )
