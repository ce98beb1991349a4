"""Quepid's exports: tables (read by `judgment_tables`), and JSON: ratings, whole cases, and books of several judges.

`queries[].{query or query_text, ratings}`, where ratings are `{doc: rating}` or a list of `{doc_id, rating}`; a book is
`query_doc_pairs[].{query_text, doc_id, judgements[]}`. The key of a query is its text. A judgement that says
`unrateable` or `judge_later` is no rating. Only books say who rated: in a case there is one rating per document.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pytest_relevance.judgments.columns import folded
from pytest_relevance.judgments.formats import judgment_tables
from pytest_relevance.judgments.formats.collecting import RATING, Collector, Keys, as_text
from pytest_relevance.judgments.json_text import JsonPath
from pytest_relevance.judgments.model import Query, Ratings
from pytest_relevance.judgments.source import Source

_PAIRS = "query_doc_pairs"
_TEXTS = ("query_text", "query")
_NOTES = ("information_need", "notes")
_RATERS = ("user_email", "user", "email", "user_name", "name", "judge", "rater")
_SNAPSHOT = ("snapshotname", "querytext", "docid", "docposition")
"""The columns of a snapshot, folded; further ones are fields of the documents, with any name."""


def is_quepid(source: Source) -> bool:
    """Whether it is one of the exports in JSON."""
    document = source.json if source.is_json else None
    if not isinstance(document, dict):
        return False
    entries = document.get("queries")
    return isinstance(document.get(_PAIRS), list) or (
        isinstance(entries, list)
        and any(isinstance(entry, dict) and "ratings" in entry and _text_key(entry) in entry for entry in entries[:20])
    )


def snapshot_columns(names: Sequence[str]) -> list[int] | None:
    """The columns of a snapshot's name, queries, documents and ranks; None for the header of another table."""
    numbers = {name: number for number, name in reversed(list(enumerate(map(folded, names))))}
    return [numbers[name] for name in _SNAPSHOT] if numbers.keys() >= set(_SNAPSHOT) else None


def is_snapshot(source: Source) -> bool:
    """Whether it is a snapshot, which is a run: a table, or JSON of the API."""
    if source.looks_like_json:
        return source.is_json and snapshot_rows(source.json) is not None
    return snapshot_columns(source.header.names) is not None


def snapshot_rows(document: object) -> list[tuple[str, list[object]]] | None:
    """The texts and the documents of a snapshot's queries in JSON; None for any other JSON.

    `docs` has a list of documents for each id of a query, best first; `queries` has the texts of these. A query that
    has been deleted has its id for a text.
    """
    docs = document.get("docs") if isinstance(document, dict) else None
    entries = document.get("queries") if isinstance(document, dict) else None
    if not isinstance(docs, dict) or not isinstance(entries, list):
        return None
    texts = {
        str(entry.get("query_id")): as_text(entry.get(_text_key(entry))) for entry in entries if isinstance(entry, dict)
    }
    return [
        (texts.get(key) or key, [doc.get("id") if isinstance(doc, dict) else doc for doc in ranked])
        for key, ranked in docs.items()
        if isinstance(ranked, list)
    ]


def read_quepid_table(source: Source) -> Ratings:
    """Read the judgments of an export that is a table."""
    names = source.header.names
    if snapshot_columns(names) is not None and "rating" not in map(folded, names):
        source.refuse("this is a snapshot of Quepid: a run, without ratings; export the ratings of the case", 1)
    return judgment_tables.read_ratings(source, "quepid")


def collect_quepid(source: Source, *, for_queries: bool) -> Collector:
    """Collect the queries and judgments of an export in JSON."""
    collector = Collector(source, "quepid", Keys("doc_id", "rating"))
    document = source.json
    if isinstance(document, dict) and _PAIRS in document:
        _collect_book(collector, document[_PAIRS])
    elif isinstance(document, dict) and "queries" in document:
        _collect_case(collector, document["queries"])
    else:
        collector.refuse(f"an export of Quepid has queries with ratings, or {_PAIRS}: lists of objects")
    return collector


def _collect_case(collector: Collector, entries: object) -> None:
    for number, entry in collector.objects(entries, ("queries",), "queries"):
        path = ("queries", number)
        text = collector.text(entry, _text_key(entry), path)
        if text is None:
            continue
        collector.add_query(_query(collector, text, entry, path), path)
        collector.add_ratings(text, entry.get("ratings"), (*path, "ratings"))


def _query(collector: Collector, text: str, entry: Mapping[str, object], path: JsonPath) -> Query:
    note = next(filter(None, (as_text(entry.get(name)) for name in _NOTES)), None)
    return Query(text, text, params=collector.params(entry.get("options"), (*path, "options")), note=note)


def _collect_book(collector: Collector, pairs: object) -> None:
    several = _has_raters(pairs)
    for row, pair in collector.objects(pairs, (_PAIRS,), _PAIRS):
        path: JsonPath = (_PAIRS, row)
        text = collector.text(pair, _text_key(pair), path)
        document = collector.text(pair, "doc_id", path)
        if text is None or document is None:
            continue
        collector.add_query(_query(collector, text, pair, path), path)
        title = _title(pair.get("document_fields"))
        path = (*path, "judgements")
        for number, judgement in collector.objects(pair.get("judgements") or [], path, "judgements"):
            at = (*path, number)
            is_rating = judgement.get("unrateable") is not True and judgement.get("judge_later") is not True
            rating = judgement.get("rating") if is_rating else None
            if is_rating and "rating" not in judgement:
                collector.absent("rating", judgement, at)
            elif type(rating) in RATING:
                rater = (_rater(judgement) or f"rating {number + 1}") if several else None
                collector.add(text, document, rating, path, number, rater, title)
            else:
                collector.no_rating(rating, (*at, "rating"))


def _has_raters(pairs: object) -> bool:
    """Whether a book has several raters: it has their names, or several judgements of a document."""
    for pair in pairs if isinstance(pairs, list) else ():
        judgements = pair.get("judgements") if isinstance(pair, dict) else None
        if isinstance(judgements, list):
            named = any(isinstance(judgement, dict) and _rater(judgement) for judgement in judgements)
            if named or len(judgements) > 1:
                return True
    return False


def _title(fields: object) -> str | None:
    """The title among the fields of a document, which are an object, or an object as JSON in a text."""
    if isinstance(fields, str):
        try:
            fields = json.loads(fields)
        except (ValueError, RecursionError):
            return None
    return as_text(fields.get("title")) if isinstance(fields, dict) else None


def _rater(judgement: Mapping[str, object]) -> str | None:
    """The name of the rater, in the judgement or in its `user`."""
    holders = [holder for holder in (judgement, judgement.get("user")) if isinstance(holder, dict)]
    return next(filter(None, (as_text(holder.get(name)) for holder in holders for name in _RATERS)), None)


def _text_key(entry: Mapping[str, object]) -> str:
    return next((key for key in _TEXTS if key in entry), _TEXTS[-1])
