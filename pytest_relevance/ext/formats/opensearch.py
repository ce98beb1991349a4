"""Read the files of OpenSearch's search-relevance plugin.

They are the requests that import judgments and query sets, and the responses of the
plugin: `judgmentRatings[].{query, ratings[].{docId, rating}}` and
`querySetQueries[].{queryText, referenceAnswer}`. A response has them in
`hits.hits[]._source`. The key of a query is its text. A text may occur several times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_relevance._json_text import as_text
from pytest_relevance._source import Source
from pytest_relevance._text import quoted
from pytest_relevance.ext.formats.collecting import Collector, JsonObject
from pytest_relevance.judgments.formats import JudgmentFormat, UnreadColumn
from pytest_relevance.judgments.model import Query, Ratings

_RATINGS = "judgmentRatings"
_QUERIES = "querySetQueries"
_QUERY_TEXT = "queryText"
_ANSWER = "referenceAnswer"


def is_judgment_import(source: Source) -> bool:
    """Say whether a file has judgments: a request to import them, or a response."""
    holders = _holders(source.json_object)
    return any(isinstance(holder.members.get(_RATINGS), list) for holder in holders)


def is_query_set(source: Source) -> bool:
    """Say whether a file has query sets: a request to import one, or a response."""
    return any(_QUERIES in holder.members for holder in _holders(source.json_object))


def has_queries(source: Source) -> bool:
    """Say whether a file has judgments or a query set."""
    return is_judgment_import(source) or is_query_set(source)


def collect_judgments(source: Source) -> Collector:
    """Return a collector with the judgments. The id of a query is its text."""
    collector = _collector(source)
    for entry in _entries(source, collector, _RATINGS):
        text = collector.text(entry, "query")
        if "ratings" not in entry.members:
            collector.absent(entry, "ratings")
        elif text is not None:
            note = as_text(entry.members.get(_ANSWER))
            collector.add_query(Query(text, text, note=note), entry.path)
            ratings = entry.members["ratings"]
            collector.add_items(text, ratings, entry.path_to("ratings"))
    return collector


def collect_query_set(source: Source) -> Collector:
    """Return a collector with the queries of a query set. Their ids are their texts."""
    collector = _collector(source)
    written: dict[str, Mapping[str, object]] = {}
    for entry in _entries(source, collector, _QUERIES):
        text = collector.text(entry, _QUERY_TEXT)
        if text is None:
            continue
        note = as_text(entry.members.get(_ANSWER))
        collector.add_query(Query(text, text, note=note), entry.path)
        if written.setdefault(text, entry.members) != entry.members:
            collector.wrong(
                f"the query {quoted(text)} stands twice in the set, with other values; "
                "keep one of the two",
                entry.path,
            )
    return collector


def unread_of_query_set(source: Source) -> list[UnreadColumn]:
    """Return the keys of the queries of a query set that nothing reads."""
    found: dict[str, UnreadColumn] = {}
    for holder in _holders(source.json):
        entries = holder.members.get(_QUERIES)
        if not isinstance(entries, list):
            continue
        for number, entry in enumerate(entries):
            if not isinstance(entry, dict):
                continue
            place = source.place((*holder.path, _QUERIES, number))
            for name in entry:
                if name not in (_QUERY_TEXT, _ANSWER):
                    found.setdefault(name, UnreadColumn(name, place))
    return list(found.values())


def _collector(source: Source) -> Collector:
    return Collector(source, "opensearch", {"document": "docId", "grade": "rating"})


def _entries(source: Source, collector: Collector, key: str) -> Iterator[JsonObject]:
    """Yield the objects in all lists under a key. Raises FileError if there is none."""
    holders = [each for each in _holders(source.json) if key in each.members]
    if not holders:
        collector.refuse(
            f"an import of OpenSearch has {_RATINGS}: a list of objects with query and "
            "ratings"
        )
    for holder in holders:
        yield from collector.objects(holder, key)


def _holders(document: object) -> Iterator[JsonObject]:
    """Yield the objects that may have judgments: the whole file, and each hit in it."""
    if not isinstance(document, dict):
        return
    yield JsonObject(document)
    outer = document.get("hits")
    inner = outer.get("hits") if isinstance(outer, dict) else None
    if not isinstance(inner, list):
        return
    for number, hit in enumerate(inner):
        found = hit.get("_source") if isinstance(hit, dict) else None
        if isinstance(found, dict):
            yield JsonObject(found, ("hits", "hits", number, "_source"))


def _read(source: Source) -> Ratings:
    return collect_judgments(source).ratings()


def _read_queries(source: Source) -> Sequence[Query]:
    if is_query_set(source):
        return collect_query_set(source).queries()
    return collect_judgments(source).queries()


OPENSEARCH = JudgmentFormat(
    name="opensearch",
    about="search-relevance: judgmentRatings[].ratings[], or querySetQueries[] of a query set",
    fits=is_judgment_import,
    read=_read,
    fits_queries=has_queries,
    read_queries=_read_queries,
    unread_columns=unread_of_query_set,
)
