"""OpenSearch's search-relevance plugin: the request that imports judgments, and what it answers when asked for them.

`judgmentRatings[].{query, ratings[].{docId, rating}}`; an answer holds the same in `hits.hits[]._source`. The key of a
query is its text, which may stand there several times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_relevance.judgments.formats.collecting import Collector, Keys
from pytest_relevance.judgments.json_text import JsonPath
from pytest_relevance.judgments.model import Query, Ratings
from pytest_relevance.judgments.source import Source

_KEYS = Keys("docId", "rating")
_RATINGS = "judgmentRatings"


def fits(source: Source) -> bool:
    """Whether it is such a request or answer."""
    return source.is_json and any(isinstance(held.get(_RATINGS), list) for _, held in _holders(source.json))


def read_ratings(source: Source) -> Ratings:
    """Read the judgments."""
    return _collected(source).ratings()


def read_queries(source: Source) -> Sequence[Query]:
    """Read the queries, whose ids are their texts."""
    return _collected(source).queries()


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
