"""The files of OpenSearch's search-relevance plugin.

They are the requests that import judgments and query sets, and the responses of the plugin:
`judgmentRatings[].{query, ratings[].{docId, rating}}` and
`querySetQueries[].{queryText, referenceAnswer}`. A response has the same in `hits.hits[]._source`.
The key of a query is its text, which may occur several times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_relevance._source import JsonPath, Source, as_text
from pytest_relevance._text import quoted
from pytest_relevance.ext.formats.collecting import Collector
from pytest_relevance.judgments.formats import JudgmentFormat, UnreadColumn
from pytest_relevance.judgments.model import Query, Ratings

_RATINGS = "judgmentRatings"
_QUERIES = "querySetQueries"
_QUERY_TEXT = "queryText"
_ANSWER = "referenceAnswer"


def is_judgment_import(source: Source) -> bool:
    """Whether it is a request that imports judgments, or a response with judgments."""
    return any(
        isinstance(holder.get(_RATINGS), list)
        for _, holder in _holders(source.json_object)
    )


def is_query_set(source: Source) -> bool:
    """Whether it is a query set, or a response with query sets."""
    return any(_QUERIES in holder for _, holder in _holders(source.json_object))


def has_queries(source: Source) -> bool:
    """Whether there are queries in it: judgments or a query set."""
    return is_judgment_import(source) or is_query_set(source)


def collect_search_relevance(source: Source, *, for_queries: bool) -> Collector:
    """Collect the judgments, or the queries of a query set. The ids of queries are their texts."""
    collector = Collector(
        source, "opensearch", {"document": "docId", "grade": "rating"}
    )
    is_set = for_queries and is_query_set(source)
    key, text_key = (_QUERIES, _QUERY_TEXT) if is_set else (_RATINGS, "query")
    holders = [
        ((*path, key), holder[key])
        for path, holder in _holders(source.json)
        if key in holder
    ]
    if not holders:
        collector.refuse(
            f"an import of OpenSearch has {_RATINGS}: a list of objects with query and ratings"
        )
    written: dict[str, dict[str, object]] = {}
    for path, entries in holders:
        for number, entry in collector.objects(entries, path, key):
            at = (*path, number)
            text = collector.text(entry, text_key, at)
            if not is_set and "ratings" not in entry:
                collector.absent("ratings", entry, at)
            elif text is not None:
                collector.add_query(
                    Query(text, text, note=as_text(entry.get(_ANSWER))), at
                )
                if is_set and written.setdefault(text, entry) != entry:
                    collector.wrong(
                        f"the query {quoted(text)} stands twice in the set, with other values; keep one of the two",
                        at,
                    )
                if not is_set:
                    collector.add_items(text, entry["ratings"], (*at, "ratings"))
    return collector


def unread_of_query_set(source: Source) -> list[UnreadColumn]:
    """Find the keys of the queries of a set that nothing reads."""
    found: dict[str, UnreadColumn] = {}
    for path, holder in _holders(source.json):
        entries = holder.get(_QUERIES)
        for number, entry in enumerate(entries if isinstance(entries, list) else ()):
            for name in entry if isinstance(entry, dict) else ():
                if name not in (_QUERY_TEXT, _ANSWER):
                    place = source.place((*path, _QUERIES, number))
                    found.setdefault(name, UnreadColumn(name, place))
    return list(found.values())


def _holders(document: object) -> Iterator[tuple[JsonPath, dict[str, object]]]:
    """The objects that may have judgments: the file, or what a search found."""
    if not isinstance(document, dict):
        return
    yield (), document
    outer = document.get("hits")
    inner = outer.get("hits") if isinstance(outer, dict) else None
    for number, hit in enumerate(inner if isinstance(inner, list) else ()):
        holder = hit.get("_source") if isinstance(hit, dict) else None
        if isinstance(holder, dict):
            yield ("hits", "hits", number, "_source"), holder


def _read(source: Source) -> Ratings:
    return collect_search_relevance(source, for_queries=False).ratings()


def _read_queries(source: Source) -> Sequence[Query]:
    return collect_search_relevance(source, for_queries=True).queries()


OPENSEARCH = JudgmentFormat(
    name="opensearch",
    about="search-relevance: judgmentRatings[].ratings[], or querySetQueries[] of a query set",
    fits=is_judgment_import,
    read=_read,
    fits_queries=has_queries,
    read_queries=_read_queries,
    unread_columns=unread_of_query_set,
)
