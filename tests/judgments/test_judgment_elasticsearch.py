"""Elasticsearch's rank_eval request: its judgments, and the texts of its queries
wherever they stand.
"""

import json
from pathlib import Path

import pytest

from pytest_relevance import read_judgments, read_queries
from pytest_relevance._problems import Place
from pytest_relevance.judgments.reading import load_queries
from tests.judgments.helpers import problems, query_problems


def written(tmp_path: Path, *requests: object, **others: object) -> Path:
    path = tmp_path / "rank_eval.json"
    path.write_text(
        json.dumps({"requests": list(requests), **others}, indent=1), encoding="utf-8"
    )
    return path


def searching(body: object, key: object = "r", *ratings: object) -> dict[str, object]:
    return {"id": key, "request": {"query": body}, "ratings": list(ratings)}


BERLIN = {"match": {"title": "berlin"}}


def rating(document: object, grade: object, index: str = "shop") -> dict[str, object]:
    return {"_index": index, "_id": document, "rating": grade}


def test_ratings_are_kept_under_the_id_of_the_request(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        searching(
            BERLIN,
            "berlin_query",
            rating("007", 3),
            rating("10020#0", 0),
            rating("007", 3, "another"),
        ),
        {
            "id": 12,
            "template_id": "t",
            "params": {"q": "amsterdam"},
            "ratings": [rating(7, "1"), rating("no", None)],
        },
        metric={"dcg": {}},
    )
    judgments = read_judgments(path)
    assert judgments == {"berlin_query": {"007": 3, "10020#0": 0}, "12": {"7": 1}}
    assert judgments.format == "elasticsearch"
    assert judgments.known_as("amsterdam") == ["12"]
    assert judgments.place("berlin_query", "10020#0") == Place(
        path="requests[0].ratings[1]"
    )


@pytest.mark.parametrize(
    "body",
    [
        {"match": {"title": {"query": "berlin", "operator": "and"}}},
        {"multi_match": {"query": "berlin", "fields": ["title", "body"]}},
        {
            "bool": {
                "must": [{"match": {"title": "berlin"}}],
                "filter": {"term": {"type": "city"}},
            }
        },
        {
            "bool": {
                "should": [
                    {"match": {"title": "berlin"}},
                    {"match": {"body": "berlin"}},
                ]
            }
        },
        {
            "bool": {
                "must": {"term": {"match": "x"}},
                "should": {"match": {"title": "berlin"}},
            }
        },
    ],
)
def test_the_one_text_that_is_searched_for(tmp_path: Path, body: object) -> None:
    path = written(tmp_path, searching(body))
    assert read_queries(path) == {"r": "berlin"}
    assert read_judgments(path).queries["r"].text == "berlin"


def test_the_one_parameter_that_is_text(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {
            "id": "r",
            "template_id": "t",
            "params": {"q": "berlin", "size": 10, "fresh": True},
            "ratings": [],
        },
    )
    (query,) = load_queries(path)
    assert (query.id, query.text, query.params) == (
        "r",
        "berlin",
        {"size": 10, "fresh": True},
    )


@pytest.mark.parametrize(
    ("where", "text", "params"),
    [
        ("params.text", "berlin", {"n": 3}),
        ("params.n", "3", {"text": "berlin"}),
        ("id", "r 1", {"text": "berlin", "n": 3}),
        (
            "request.query.bool.must.0.match.title.en",
            "hamburg",
            {"text": "berlin", "n": 3},
        ),
        ("request.query.bool.must.1.match.body", "spree", {"text": "berlin", "n": 3}),
        (
            "request.query.bool.must.1.match.body.query",
            "spree",
            {"text": "berlin", "n": 3},
        ),
    ],
)
def test_the_user_says_where_the_text_is(
    tmp_path: Path, where: str, text: str, params: dict[str, object]
) -> None:
    body = {
        "bool": {
            "must": [
                {"match": {"title.en": "hamburg"}},
                {"match": {"body": {"query": "spree"}}},
            ]
        }
    }
    path = written(
        tmp_path, {**searching(body, "r 1"), "params": {"text": "berlin", "n": 3}}
    )
    (query,) = load_queries(path, query=where)
    assert (query.id, query.text, query.params) == ("r 1", text, params)
    assert read_judgments(path, query=where).queries["r 1"].text == text


def test_what_a_client_keeps_under_body(tmp_path: Path) -> None:
    path = tmp_path / "sent.json"
    request = searching(BERLIN, "b", rating("x", 1), rating("y", "bad"))
    path.write_text(
        json.dumps({"body": {"requests": [request]}, "hits": {}}), encoding="utf-8"
    )
    assert " body.requests[0].ratings[1]" in problems(path)[0]
    assert read_queries(path) == {"b": "berlin"}


def test_what_may_be_one_of_several_texts_is_not_guessed(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        searching(
            {
                "bool": {
                    "must": {"match": {"title": "berlin"}},
                    "filter": {"match": {"type": "city"}},
                }
            },
            "a",
        ),
        {
            "id": "b",
            "template_id": "t",
            "params": {"q": "berlin", "locale": "de"},
            "ratings": [],
        },
        searching({"match_all": {}}, "c"),
        searching({"match": {"title": "hamburg"}}, "d"),
    )
    judgments = read_judgments(path)
    assert [query.text for query in judgments.queries.values()] == [
        None,
        None,
        None,
        "hamburg",
    ]
    unknown = "FILE: requests[{}]: the text of the query {} is not known: {}; say where it stands: "
    first, second, third = query_problems(path)
    assert first == unknown.format(
        0,
        '"a"',
        'it may be "berlin" (request.query.bool.must.match.title) or "city" (request.query.bool.filter.match.type)',
    ) + (
        "query: request.query.bool.must.match.title, or --query request.query.bool.must.match.title of a command"
    )
    assert second == unknown.format(
        1, '"b"', 'it may be "berlin" (params.q) or "de" (params.locale)'
    ) + ("query: params.q, or --query params.q of a command")
    assert third == unknown.format(2, '"c"', "no params and no match query has any") + (
        "query: params.text, or --query params.text of a command"
    )


def test_a_place_that_not_every_request_has(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {"id": "a", "template_id": "t", "params": {"q": "berlin"}, "ratings": []},
        searching({"match": {"title": "hamburg"}}, "b"),
        {"id": "c", "template_id": "t", "params": {"q": ["berlin"]}, "ratings": []},
    )
    expected = [
        'FILE: requests[1]: there is no text at "params.q" in this request, where it should be; "hamburg" is at '
        "request.query.match.title. Name several places, query: [params.q, request.query.match.title], or --query "
        "params.q --query request.query.match.title: the first counts that has a text",
        'FILE: requests[2]: there is no text at "params.q" in this request, where it should be',
    ]
    assert query_problems(path, query="params.q") == expected
    assert problems(path, query="params.q") == expected


def test_several_places_of_which_the_first_counts(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {
            "id": "a",
            "template_id": "t",
            "params": {"q": "berlin", "type": "city", "size": 5},
            "ratings": [],
        },
        searching({"match": {"title": "hamburg"}}, "b"),
    )
    places = ["params.q", "request.query.match.title"]
    assert read_queries(path, query=places) == {"a": "berlin", "b": "hamburg"}
    first, _ = load_queries(path, query=places)
    assert first.params == {"type": "city", "size": 5}
    assert query_problems(path, query=["params.x", "params.y"])[0].startswith(
        'FILE: requests[0]: there is no text at "params.x" or "params.y" in this request'
    )


def test_an_id_with_two_texts(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        *(searching({"match": {"title": text}}, "r") for text in ("hat", "hat", "cap")),
    )
    assert problems(path) == [
        'FILE: requests[2]: the query id "r" stands for "hat" and for "cap"; give one of them another id'
    ]


def test_every_mistake(tmp_path: Path) -> None:
    body = {"match": {"title": "berlin"}}
    path = written(
        tmp_path,
        {"request": {}, "ratings": []},
        {"id": "a"},
        searching(body, None),
        searching(
            body,
            "b",
            rating(None, 1),
            {"_id": "x"},
            {"_idx": "y", "rating": 1},
            rating("z", []),
            3,
        ),
        {"id": "c", "ratings": {}},
        "d",
    )
    assert problems(path) == [
        'FILE: requests[0]: "id" is missing; found "request" and "ratings"',
        'FILE: requests[1]: "ratings" is missing; found "id"',
        'FILE: requests[2].id: "id" is text or a number, found nothing',
        'FILE: requests[3].ratings[0]._id: "_id" is text or a number, found nothing',
        'FILE: requests[3].ratings[1]: "rating" is missing; found "_id"',
        'FILE: requests[3].ratings[2]: "_id" is missing; found "_idx" and "rating"',
        "FILE: requests[3].ratings[3].rating: a rating is a number or a name of the scale, found the list []",
        'FILE: requests[3].ratings[4]: "ratings" is a list of objects, found 3 in it',
        'FILE: requests[4].ratings: "ratings" is a list of objects, found the mapping {}',
        'FILE: requests[5]: "requests" is a list of objects, found the text "d" in it',
    ]


def test_the_real_requests(data: Path) -> None:
    path = data / "formats" / "elasticsearch_10_basic.json"
    judgments = read_judgments(path)
    assert judgments == {
        "amsterdam_query": {"doc1": 0, "doc2": 1, "doc3": 1},
        "berlin_query": {"doc1": 1},
    }
    assert judgments.text("amsterdam_query") == "amsterdam"
    assert read_queries(path) == {
        "amsterdam_query": "amsterdam",
        "berlin_query": "berlin",
    }
