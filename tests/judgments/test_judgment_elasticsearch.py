"""Elasticsearch's rank_eval request: its judgments, and the texts of its queries
wherever they stand.
"""

import pytest

from pytest_relevance._problems import Place
from tests.judgments.helpers import Files

BERLIN = {"match": {"title": "berlin"}}


def rank_eval(*requests: object) -> dict[str, object]:
    return {"requests": list(requests), "metric": {"dcg": {}}}


def searching(body: object, key: object = "r", *ratings: object) -> dict[str, object]:
    return {"id": key, "request": {"query": body}, "ratings": list(ratings)}


def template(key: object, *ratings: object, **params: object) -> dict[str, object]:
    return {"id": key, "template_id": "t", "params": params, "ratings": list(ratings)}


def rating(document: object, grade: object, index: str = "shop") -> dict[str, object]:
    return {"_index": index, "_id": document, "rating": grade}


def test_ratings_are_kept_under_the_id_of_the_request(files: Files) -> None:
    ratings = [rating("007", 3), rating("10020#0", 0), rating("007", 3, "another")]
    berlin = searching(BERLIN, "berlin_query", *ratings)
    amsterdam = template(12, rating(7, "1"), rating("no", None), q="amsterdam")
    judgments = files.judgments(rank_eval(berlin, amsterdam))
    assert judgments == {"berlin_query": {"007": 3, "10020#0": 0}, "12": {"7": 1}}
    assert judgments.format == "elasticsearch"
    assert judgments.known_as("amsterdam") == ["12"]
    place = Place(path="requests[0].ratings[1]")
    assert judgments.place("berlin_query", "10020#0") == place


def test_what_a_client_keeps_under_body(files: Files) -> None:
    request = searching(BERLIN, "b", rating("x", 1), rating("y", "bad"))
    path = files.write({"body": {"requests": [request]}, "hits": {}})
    assert " body.requests[0].ratings[1]" in files.problem(path)
    assert files.queries(path) == {"b": "berlin"}


# The text of a query


@pytest.mark.parametrize(
    "body",
    [
        {"match": {"title": {"query": "berlin", "operator": "and"}}},
        {"multi_match": {"query": "berlin", "fields": ["title", "body"]}},
        {"bool": {"must": [BERLIN], "filter": {"term": {"type": "city"}}}},
        {"bool": {"should": [BERLIN, {"match": {"body": "berlin"}}]}},
        {"bool": {"must": {"term": {"match": "x"}}, "should": BERLIN}},
    ],
)
def test_the_one_text_that_is_searched_for(files: Files, body: object) -> None:
    path = files.write(rank_eval(searching(body)))
    assert files.queries(path) == {"r": "berlin"}
    assert files.judgments(path).queries["r"].text == "berlin"


def test_the_one_parameter_that_is_text(files: Files) -> None:
    request = template("r", q="berlin", size=10, fresh=True)
    (query,) = files.described(rank_eval(request))
    assert (query.id, query.text) == ("r", "berlin")
    assert query.params == {"size": 10, "fresh": True}


MUST = "request.query.bool.must"
PARAMS = {"text": "berlin", "n": 3}


@pytest.mark.parametrize(
    ("where", "text", "params"),
    [
        ("params.text", "berlin", {"n": 3}),
        ("params.n", "3", {"text": "berlin"}),
        ("id", "r 1", PARAMS),
        (f"{MUST}.0.match.title.en", "hamburg", PARAMS),
        (f"{MUST}.1.match.body", "spree", PARAMS),
        (f"{MUST}.1.match.body.query", "spree", PARAMS),
    ],
)
def test_the_user_says_where_the_text_is(
    files: Files, where: str, text: str, params: dict[str, object]
) -> None:
    clauses = [
        {"match": {"title.en": "hamburg"}},
        {"match": {"body": {"query": "spree"}}},
    ]
    request = {**searching({"bool": {"must": clauses}}, "r 1"), "params": PARAMS}
    path = files.write(rank_eval(request))
    (query,) = files.described(path, query=where)
    assert (query.id, query.text, query.params) == ("r 1", text, params)
    assert files.judgments(path, query=where).queries["r 1"].text == text


def test_what_may_be_one_of_several_texts_is_not_guessed(files: Files) -> None:
    both = {"bool": {"must": BERLIN, "filter": {"match": {"type": "city"}}}}
    path = files.write(
        rank_eval(
            searching(both, "a"),
            template("b", q="berlin", locale="de"),
            searching({"match_all": {}}, "c"),
            searching({"match": {"title": "hamburg"}}, "d"),
        )
    )
    texts = [query.text for query in files.judgments(path).queries.values()]
    assert texts == [None, None, None, "hamburg"]
    unknown = (
        "FILE: requests[{}]: the text of the query {} is not known: {}; say where it "
        "stands: query: {}, or --query {} of a command"
    )
    title, kind = (
        "request.query.bool.must.match.title",
        "request.query.bool.filter.match.type",
    )
    assert files.query_problems(path) == [
        unknown.format(0, '"a"', f'it may be "berlin" ({title}) or "city" ({kind})', title, title),
        unknown.format(1, '"b"', 'it may be "berlin" (params.q) or "de" (params.locale)', "params.q", "params.q"),
        unknown.format(2, '"c"', "neither the params nor the request has any", "params.text", "params.text"),
    ]  # fmt: skip


def test_a_place_that_not_every_request_has(files: Files) -> None:
    hamburg = searching({"match": {"title": "hamburg"}}, "b")
    requests = [template("a", q="berlin"), hamburg, template("c", q=["berlin"])]
    path = files.write(rank_eval(*requests))
    expected = [
        'FILE: requests[1]: there is no text at "params.q" in this request, where it should be; "hamburg" is at '
        "request.query.match.title. Name several places, query: [params.q, request.query.match.title], or --query "
        "params.q --query request.query.match.title: the first counts that has a text",
        'FILE: requests[2]: there is no text at "params.q" in this request, where it should be',
    ]
    assert files.query_problems(path, query="params.q") == expected
    assert files.problems(path, query="params.q") == expected


def test_several_places_of_which_the_first_counts(files: Files) -> None:
    hamburg = searching({"match": {"title": "hamburg"}}, "b")
    path = files.write(rank_eval(template("a", q="berlin", type="city", n=5), hamburg))
    queries = files.described(path, query=["params.q", "request.query.match.title"])
    assert [query.text for query in queries] == ["berlin", "hamburg"]
    assert queries[0].params == {"type": "city", "n": 5}
    problem, _ = files.query_problems(path, query=["params.x", "params.y"])
    assert 'there is no text at "params.x" or "params.y" in this request' in problem


# Mistakes


def test_an_id_with_two_texts(files: Files) -> None:
    texts = ("hat", "hat", "cap")
    requests = [searching({"match": {"title": text}}, "r") for text in texts]
    assert files.problem(rank_eval(*requests)) == (
        'FILE: requests[2]: the query id "r" stands for "hat" and for "cap"; give one of them another id'
    )


def test_every_mistake(files: Files) -> None:
    ratings = [rating(None, 1), {"_id": "x"}, {"_idx": "y", "rating": 1}]
    content = rank_eval(
        {"request": {}, "ratings": []},
        {"id": "a"},
        searching(BERLIN, None),
        searching(BERLIN, "b", *ratings, rating("z", []), 3),
        {"id": "c", "ratings": {}},
        "d",
        {},
    )
    assert files.problems(content) == [
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
        'FILE: requests[6]: "id" is missing; the object is empty',
        'FILE: requests[6]: "ratings" is missing; the object is empty',
    ]
