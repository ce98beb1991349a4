"""Judgments and a file of queries: texts for ids, or ids for texts."""

import pytest

from pytest_relevance._problems import Place
from pytest_relevance.judgments.joining import with_queries
from pytest_relevance.judgments.model import Judgments, Query

QUERIES = [Query("q1", "boots", 2, {"size": 42}, "lined"), Query("q2", "laces")]


def test_texts_get_their_ids() -> None:
    judgments = Judgments(
        {"laces": {"a": 1}, "boots": {"b": 0}},
        titles={"laces": {"a": "Round laces"}},
        place=lambda query, document: Place(path=f"{query}/{document}"),
    )
    found = with_queries(judgments, QUERIES, "queries.tsv")
    assert (found.judgments, found.notices) == ({"q2": {"a": 1}, "q1": {"b": 0}}, [])
    assert list(found.judgments) == ["q2", "q1"]
    assert found.judgments.titles == {"q2": {"a": "Round laces"}}
    assert found.judgments.place("q1", "b").path == "boots/b"


def test_what_only_the_judgments_say_of_a_query_stays() -> None:
    laces = Query("q2", "laces", 5, {"x": 1}, "round")
    judgments = Judgments({"q2": {"a": 1}}, queries={"q2": laces})
    found = with_queries(judgments, QUERIES, "queries.tsv")
    assert found.judgments.queries["q2"] == laces


def test_queries_that_only_the_file_has_are_left_out_and_named() -> None:
    others = [Query(f"q{number}", f"socks {number}") for number in range(3, 7)]
    judgments = Judgments({"q1": {"a": 1}}, queries={"laces": Query("laces", "laces")})
    found = with_queries(judgments, [*QUERIES, *others, Query("q7")], "queries.tsv")
    assert found.judgments == {"q1": {"a": 1}}
    # q2 is named by the judgments, though none is about it
    assert set(found.judgments.queries) == {"q1", "q2"}
    what = "are only in queries.tsv, without judgments, and left out"
    assert found.notices == [
        f'5 of 7 queries {what}: "socks 3", "socks 4", "socks 5" and 2 more'
    ]


def test_queries_that_the_file_does_not_have_stay_and_are_named() -> None:
    judgments = Judgments({name: {"a": 1} for name in ("q1", "x", "y", "z", "w")})
    found = with_queries(judgments, QUERIES, "queries.tsv")
    assert list(found.judgments) == ["q1", "x", "y", "z", "w"]
    notice = '4 of 5 queries are not in queries.tsv: "x", "y", "z" and 1 more'
    assert found.notices[0] == notice


def test_a_text_of_several_queries_stays_and_is_named() -> None:
    judgments = Judgments({"boots": {"a": 1}})
    queries = [Query("1", "boots"), Query("2", "boots")]
    found = with_queries(judgments, queries, "q.tsv")
    assert found.judgments == judgments
    notice = '1 of 1 query is the text of several queries in q.tsv: "boots"'
    assert found.notices[0] == notice


def test_two_queries_that_are_one_in_the_file() -> None:
    judgments = Judgments({"q1": {"a": 1}, "boots": {"a": 0}})
    says = r'the queries "q1" and "boots" are one in queries\.tsv, "q1"; join them'
    with pytest.raises(ValueError, match=says):
        with_queries(judgments, QUERIES, "queries.tsv")
