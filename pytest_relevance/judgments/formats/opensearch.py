"""OpenSearch's search-relevance plugin: the requests that import judgments and query sets, and what it answers.

`judgmentRatings[].{query, ratings[].{docId, rating}}`; `querySetQueries[].{queryText, referenceAnswer}`, or, in its
first versions, `querySetQueries` as `{text: frequency}`. An answer holds the same in `hits.hits[]._source`. The key of
a query is its text, which may stand there several times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_relevance._text import quoted
from pytest_relevance.judgments.formats.collecting import Collector, Keys, as_text, said
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.json_text import JsonPath
from pytest_relevance.judgments.model import Query, Ratings
from pytest_relevance.judgments.source import Source

_KEYS = Keys("docId", "rating")
_RATINGS = "judgmentRatings"
_QUERIES = "querySetQueries"
_TEXT, _ANSWER = "queryText", "referenceAnswer"


def fits(source: Source) -> bool:
    """Whether it is a request that imports judgments, or an answer with some."""
    return source.is_json and any(isinstance(held.get(_RATINGS), list) for _, held in _holders(source.json))


def is_query_set(source: Source) -> bool:
    """Whether it is a query set, or an answer with some."""
    return source.is_json and any(isinstance(held.get(_QUERIES), (list, dict)) for _, held in _holders(source.json))


def has_queries(source: Source) -> bool:
    """Whether there are queries in it: judgments or a query set."""
    return fits(source) or is_query_set(source)


def read_ratings(source: Source) -> Ratings:
    """Read the judgments."""
    return _collected(source).ratings()


def read_queries(source: Source) -> Sequence[Query]:
    """Read the queries, whose ids are their texts."""
    return (_collected_set(source) if is_query_set(source) else _collected(source)).queries()


def _collected_set(source: Source) -> Collector:
    collector = Collector(source, "opensearch")
    for holder, held in _holders(source.json):
        entries, path = held.get(_QUERIES), (*holder, _QUERIES)
        if isinstance(entries, dict):
            for text, frequency in entries.items():
                _add_frequent(collector, text, frequency, (*path, text))
        elif isinstance(entries, list):
            for number, entry in enumerate(entries):
                _add_entry(collector, entry, (*path, number))
        elif _QUERIES in held:
            collector.wrong(f"{quoted(_QUERIES)} is a list of objects, found {said(entries)}", path)
    return collector


def _add_entry(collector: Collector, entry: object, path: JsonPath) -> None:
    text = as_text(entry)
    if isinstance(entry, dict):
        text = collector.text(entry, _TEXT, path)
        if text is not None:
            collector.add_query(Query(text, text, note=as_text(entry.get(_ANSWER))), path)
    elif text is not None:
        collector.add_query(Query(text, text), path)
    else:
        collector.wrong(f"a query of a query set is an object with {_TEXT}, found {said(entry)}", path)


def _add_frequent(collector: Collector, text: str, frequency: object, path: JsonPath) -> None:
    weight = number_of(frequency) if isinstance(frequency, str) else None
    if not text.strip():
        collector.wrong("a query has no text", path)
    elif weight is None or weight <= 0:
        collector.wrong(f"the frequency of a query is a number above 0, found {said(frequency)}", path)
    else:
        collector.add_query(Query(text, text, weight), path)


def _collected(source: Source) -> Collector:
    collector = Collector(source, "opensearch")
    holders = [(path, held[_RATINGS]) for path, held in _holders(source.json) if _RATINGS in held]
    if not holders:
        collector.refuse(f"an import of OpenSearch has {_RATINGS}: a list of objects with query and ratings")
    for path, entries in holders:
        for at, entry in collector.objects(entries, (*path, _RATINGS), _RATINGS):
            text = collector.text(entry, "query", at)
            if "ratings" not in entry:
                collector.absent("ratings", entry, at)
            elif text is not None:
                collector.add_query(Query(text, text), at)
                collector.add_items(text, entry["ratings"], (*at, "ratings"), _KEYS)
    return collector


def _holders(document: object) -> Iterator[tuple[JsonPath, dict[str, object]]]:
    """The objects that may hold judgments: the document, or what a search found."""
    if not isinstance(document, dict):
        return
    yield (), document
    outer = document.get("hits")
    inner = outer.get("hits") if isinstance(outer, dict) else None
    for number, hit in enumerate(inner if isinstance(inner, list) else ()):
        held = hit.get("_source") if isinstance(hit, dict) else None
        if isinstance(held, dict):
            yield ("hits", "hits", number, "_source"), held
