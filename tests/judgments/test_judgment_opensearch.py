"""Judgments as OpenSearch's search-relevance plugin imports them, and as it answers."""

import json
from pathlib import Path

from pytest_relevance import read_judgments, read_queries
from pytest_relevance._problems import Place
from pytest_relevance.judgments.reading import load_queries
from tests.judgments.helpers import query_problems


def written(tmp_path: Path, *entries: object) -> Path:
    content = {
        "name": "Ours",
        "type": "IMPORT_JUDGMENT",
        "judgmentRatings": list(entries),
    }
    path = tmp_path / "import.json"
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path


def entry(query: object, *ratings: tuple[object, object]) -> dict[str, object]:
    return {
        "query": query,
        "ratings": [
            {"docId": document, "rating": rating} for document, rating in ratings
        ],
    }


def test_ratings_are_strings_or_numbers(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        entry(
            "red dress",
            ("B077", "0.000"),
            ("0042", "100.000"),
            ("no", "0.9"),
            (1e5, 3),
            ("c", 0.75),
        ),
        entry("hat", ("a", ""), ("b", None)),
    )
    judgments = read_judgments(path)
    assert judgments == {
        "red dress": {"B077": 0, "0042": 100, "no": 0.9, "100000.0": 3, "c": 0.75}
    }
    assert judgments.format == "opensearch"
    assert judgments.unrated == ["hat"]
    assert judgments.place("red dress", "no") == Place(
        path="judgmentRatings[0].ratings[2]"
    )


def test_what_the_plugin_answers(tmp_path: Path) -> None:
    hits = [
        {
            "_id": "1",
            "_source": {"name": "Ours", "judgmentRatings": [entry("hat", ("a", "1"))]},
        },
        {
            "_id": "2",
            "_source": {
                "name": "Theirs",
                "judgmentRatings": [entry("cap", ("b", "2"))],
            },
        },
        {"_id": "3"},
    ]
    path = tmp_path / "answer.json"
    path.write_text(
        json.dumps({"took": 3, "hits": {"total": {"value": 2}, "hits": hits}}),
        encoding="utf-8",
    )
    judgments = read_judgments(path)
    assert judgments == {"hat": {"a": 1}, "cap": {"b": 2}}
    assert (
        judgments.place("cap", "b").path
        == "hits.hits[1]._source.judgmentRatings[0].ratings[0]"
    )
    hits = [
        {"_id": "1", "_source": {"querySetQueries": [{"queryText": text}]}}
        for text in ("tv", "radio")
    ]
    path.write_text(json.dumps({"hits": {"hits": hits}}), encoding="utf-8")
    assert list(read_queries(path)) == ["tv", "radio"]


# Query sets


def query_set(tmp_path: Path, queries: object) -> Path:
    path = tmp_path / "set.json"
    content = {"name": "TVs", "sampling": "manual", "querySetQueries": queries}
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path


def test_a_query_set(tmp_path: Path) -> None:
    path = query_set(
        tmp_path,
        [{"queryText": "tv"}, {"queryText": "led tv", "referenceAnswer": "a flat one"}],
    )
    assert read_queries(path) == {"tv": "tv", "led tv": "led tv"}
    assert read_queries(path, "opensearch") == read_queries(path)
    assert [query.note for query in load_queries(path)] == [None, "a flat one"]


def test_every_mistake_of_a_query_set(tmp_path: Path) -> None:
    path = query_set(
        tmp_path, [{"query": "tv"}, {"queryText": " "}, None, {"queryText": "led"}]
    )
    assert query_problems(path) == [
        'FILE: querySetQueries[0]: "queryText" is missing; found "query"',
        'FILE: querySetQueries[1].queryText: "queryText" is text or a number, found the text " "',
        'FILE: querySetQueries[2]: "querySetQueries" is a list of objects, found nothing in it',
    ]
    assert query_problems(query_set(tmp_path, [])) == ["FILE: the file has no queries"]
    (found,) = query_problems(query_set(tmp_path, {"tv": 3}))
    assert found.startswith(
        'FILE: querySetQueries: "querySetQueries" is a list of objects, found '
    )
