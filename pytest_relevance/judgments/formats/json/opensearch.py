"""OpenSearch's search-relevance plugin: the requests that import judgments and query sets, and its responses.

`judgmentRatings[].{query, ratings[].{docId, rating}}`; `querySetQueries[].{queryText, referenceAnswer}`, or, in its
first versions, `querySetQueries` as `{text: frequency}`. A response has the same in `hits.hits[]._source`. The key of a
query is its text, which may occur several times.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_relevance._text import quoted
from pytest_relevance.judgments.formats.collecting import Collector, Keys, as_text, found_json
from pytest_relevance.judgments.json_text import JsonPath
from pytest_relevance.judgments.model import Query
from pytest_relevance.judgments.source import Source

_RATINGS = "judgmentRatings"
_QUERIES = "querySetQueries"
_TEXT, _ANSWER = "queryText", "referenceAnswer"


def is_judgment_import(source: Source) -> bool:
    """Whether it is a request that imports judgments, or a response with judgments."""
    return source.is_json and any(isinstance(holder.get(_RATINGS), list) for _, holder in _holders(source.json))


def is_query_set(source: Source) -> bool:
    """Whether it is a query set, or a response with query sets."""
    return source.is_json and any(isinstance(holder.get(_QUERIES), (list, dict)) for _, holder in _holders(source.json))


def has_queries(source: Source) -> bool:
    """Whether there are queries in it: judgments or a query set."""
    return is_judgment_import(source) or is_query_set(source)


def collect_search_relevance(source: Source, *, for_queries: bool) -> Collector:
    """Collect the judgments, or the queries of a query set. The ids of queries are their texts."""
    collector = Collector(source, "opensearch", Keys("docId", "rating"))
    if for_queries and is_query_set(source):
        _collect_set(collector, source)
    else:
        _collect_judgments(collector, source)
    return collector


def _collect_set(collector: Collector, source: Source) -> None:
    for at, holder in _holders(source.json):
        entries, path = holder.get(_QUERIES), (*at, _QUERIES)
        if isinstance(entries, dict):
            for text, frequency in entries.items():
                _add_frequent(collector, text, frequency, (*path, text))
        elif isinstance(entries, list):
            for number, entry in enumerate(entries):
                _add_entry(collector, entry, (*path, number))
        elif _QUERIES in holder:
            collector.wrong(f"{quoted(_QUERIES)} is a list of objects, found {found_json(entries)}", path)


def _add_entry(collector: Collector, entry: object, path: JsonPath) -> None:
    text = as_text(entry)
    if isinstance(entry, dict):
        text = collector.text(entry, _TEXT, path)
        if text is not None:
            collector.add_query(Query(text, text, note=as_text(entry.get(_ANSWER))), path)
    elif text is not None:
        collector.add_query(Query(text, text), path)
    else:
        collector.wrong(f"a query of a query set is an object with {_TEXT}, found {found_json(entry)}", path)


def _add_frequent(collector: Collector, text: str, frequency: object, path: JsonPath) -> None:
    weight = collector.weight(frequency, path, "the frequency of a query")
    if text.strip():
        collector.add_query(Query(text, text, weight), path)
    else:
        collector.wrong("a query has no text", path)


def _collect_judgments(collector: Collector, source: Source) -> None:
    holders = [(path, holder[_RATINGS]) for path, holder in _holders(source.json) if _RATINGS in holder]
    if not holders:
        collector.refuse(f"an import of OpenSearch has {_RATINGS}: a list of objects with query and ratings")
    for path, entries in holders:
        for number, entry in collector.objects(entries, (*path, _RATINGS), _RATINGS):
            at = (*path, _RATINGS, number)
            text = collector.text(entry, "query", at)
            if "ratings" not in entry:
                collector.absent("ratings", entry, at)
            elif text is not None:
                collector.add_query(Query(text, text), at)
                collector.add_items(text, entry["ratings"], (*at, "ratings"))


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
