"""Judgments as OpenSearch's search-relevance plugin imports them, and as it answers."""

from pytest_relevance._problems import Place
from tests.judgments.helpers import Files


def entry(query: object, *ratings: tuple[object, object]) -> dict[str, object]:
    rated = [{"docId": document, "rating": rating} for document, rating in ratings]
    return {"query": query, "ratings": rated}


def answer(**sources: object) -> dict[str, object]:
    """The answer of a search with one hit for each `_source`."""
    hits = [{"_id": key, "_source": source} for key, source in sources.items()]
    return {"took": 3, "hits": {"total": {"value": 2}, "hits": [*hits, {"_id": "3"}]}}


def test_ratings_are_strings_or_numbers(files: Files) -> None:
    strings = [("B077", "0.000"), ("0042", "100.000"), ("no", "0.9")]
    dress = entry("red dress", *strings, (1e5, 3), ("c", 0.75))
    hat = entry("hat", ("a", ""), ("b", None))
    content = {"type": "IMPORT_JUDGMENT", "judgmentRatings": [dress, hat]}
    judgments = files.judgments(content)
    grades = {"B077": 0, "0042": 100, "no": 0.9, "100000.0": 3, "c": 0.75}
    assert judgments == {"red dress": grades}
    assert (judgments.format, judgments.unrated) == ("opensearch", ["hat"])
    place = Place(path="judgmentRatings[0].ratings[2]")
    assert judgments.place("red dress", "no") == place


def test_what_the_plugin_answers(files: Files) -> None:
    ours = {"name": "Ours", "judgmentRatings": [entry("hat", ("a", "1"))]}
    theirs = {"name": "Theirs", "judgmentRatings": [entry("cap", ("b", "2"))]}
    judgments = files.judgments(answer(ours=ours, theirs=theirs))
    assert judgments == {"hat": {"a": 1}, "cap": {"b": 2}}
    place = Place(path="hits.hits[1]._source.judgmentRatings[0].ratings[0]")
    assert judgments.place("cap", "b") == place
    tv = {"querySetQueries": [{"queryText": "tv"}]}
    radio = {"querySetQueries": [{"queryText": "radio"}]}
    assert list(files.queries(answer(a=tv, b=radio))) == ["tv", "radio"]


def query_set(queries: object) -> dict[str, object]:
    return {"name": "TVs", "sampling": "manual", "querySetQueries": queries}


def test_a_query_set(files: Files) -> None:
    answered = {"queryText": "led tv", "referenceAnswer": "a flat one"}
    path = files.write(query_set([{"queryText": "tv"}, answered]))
    assert files.queries(path) == {"tv": "tv", "led tv": "led tv"}
    assert files.queries(path, "opensearch") == files.queries(path)
    assert [query.note for query in files.described(path)] == [None, "a flat one"]


def test_every_mistake_of_a_query_set(files: Files) -> None:
    queries = [{"query": "tv"}, {"queryText": " "}, None, {"queryText": "led"}]
    assert files.query_problems(query_set(queries)) == [
        'FILE: querySetQueries[0]: "queryText" is missing; found "query"',
        'FILE: querySetQueries[1].queryText: "queryText" is text or a number, found the text " "',
        'FILE: querySetQueries[2]: "querySetQueries" is a list of objects, found nothing in it',
    ]
    problem = files.query_problem(query_set([]))
    assert problem == "FILE: the file has no queries"
    problem = files.query_problem(query_set({"tv": 3}))
    assert 'querySetQueries: "querySetQueries" is a list of objects, found ' in problem
