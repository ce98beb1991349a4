"""Quepid's exports: tables, which `tables` reads, and JSON.

JSON has ratings, whole cases, and books of several judges:
`queries[].{query or query_text, ratings}`, where ratings are `{doc: rating}` or a list of
`{doc_id, rating}`; a book is `query_doc_pairs[].{query_text, doc_id, judgements[]}`. The key of a
query is its text. A judgement that says `unrateable` or `judge_later` is no rating. Only books
say who rated: in a case there is one rating per document.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_relevance._source import JsonPath, Source, as_text
from pytest_relevance.ext.formats import tables
from pytest_relevance.ext.formats.collecting import RATING, Collector, params_of
from pytest_relevance.judgments.columns import folded
from pytest_relevance.judgments.formats import (
    COLUMN_OPTIONS,
    JudgmentFormat,
    UnreadColumn,
    refuse_options,
)
from pytest_relevance.judgments.model import Query, Ratings

_PAIRS = "query_doc_pairs"
_TEXT_KEYS = ("query_text", "query")
_NOTES = ("information_need", "notes")
_RATERS = ("user_email", "user", "email", "name", "rater")
_SNAPSHOT = ("snapshotname", "querytext", "docid", "docposition")
"""The columns of a snapshot, folded; further ones are fields of the documents, with any name."""


def is_quepid(source: Source) -> bool:
    """Whether it is one of the exports in JSON."""
    entries = source.json_object.get("queries")
    return isinstance(source.json_object.get(_PAIRS), list) or (
        isinstance(entries, list)
        and any(
            isinstance(entry, dict) and "ratings" in entry and _text_key(entry) in entry
            for entry in entries[:20]
        )
    )


@dataclass(frozen=True, slots=True)
class SnapshotColumns:
    """The numbers of the columns of a snapshot: its name, the queries, documents and ranks."""

    name: int
    query: int
    document: int
    rank: int


def snapshot_columns(names: Sequence[str]) -> SnapshotColumns | None:
    """Find the columns of a snapshot. None for the header of another table."""
    numbers: dict[str, int] = {}
    for number, name in enumerate(names):
        numbers.setdefault(folded(name), number)
    if not numbers.keys() >= set(_SNAPSHOT):
        return None
    return SnapshotColumns(
        name=numbers["snapshotname"],
        query=numbers["querytext"],
        document=numbers["docid"],
        rank=numbers["docposition"],
    )


def snapshot_rows(document: object) -> list[tuple[str, list[object]]] | None:
    """The texts and the documents of a snapshot's queries in JSON; None for any other JSON.

    `docs` has a list of documents for each id of a query, best first; `queries` has the texts of the queries. A query
    that has been deleted has its id for a text.
    """
    docs = document.get("docs") if isinstance(document, dict) else None
    entries = document.get("queries") if isinstance(document, dict) else None
    if not isinstance(docs, dict) or not isinstance(entries, list):
        return None
    texts = {
        str(entry.get("query_id")): as_text(entry.get(_text_key(entry)))
        for entry in entries
        if isinstance(entry, dict)
    }
    return [
        (
            texts.get(key) or key,
            [doc.get("id") if isinstance(doc, dict) else doc for doc in ranked],
        )
        for key, ranked in docs.items()
        if isinstance(ranked, list)
    ]


def collect_quepid(source: Source) -> Collector:
    """Collect the queries and judgments of an export in JSON."""
    collector = Collector(source, "quepid", {"document": "doc_id", "grade": "rating"})
    document = source.json
    if isinstance(document, dict) and _PAIRS in document:
        _collect_book(collector, document[_PAIRS])
    elif isinstance(document, dict) and "queries" in document:
        for number, entry in collector.objects(
            document["queries"], ("queries",), "queries"
        ):
            path = ("queries", number)
            text = _add_query(collector, entry, path)
            if text is not None:
                collector.add_ratings(text, entry.get("ratings"), (*path, "ratings"))
    else:
        collector.refuse(
            f"an export of Quepid has queries with ratings, or {_PAIRS}: lists of objects"
        )
    return collector


def _add_query(
    collector: Collector, entry: Mapping[str, object], path: JsonPath
) -> str | None:
    """Add a query. Returns its text, its key; None, and a mistake, where it has none."""
    text = collector.text(entry, _text_key(entry), path)
    if text is not None:
        note = next(filter(None, (as_text(entry.get(name)) for name in _NOTES)), None)
        params = params_of(entry.get("options"))
        collector.add_query(Query(text, text, params=params, note=note), path)
    return text


def _collect_book(collector: Collector, pairs: object) -> None:
    for row, pair in collector.objects(pairs, (_PAIRS,), _PAIRS):
        path: JsonPath = (_PAIRS, row)
        text = _add_query(collector, pair, path)
        document = collector.text(pair, "doc_id", path)
        if text is None or document is None:
            continue
        title = _title(pair.get("document_fields"))
        path = (*path, "judgements")
        for number, judgement in collector.objects(
            pair.get("judgements") or [], path, "judgements"
        ):
            at = (*path, number)
            is_rating = (
                judgement.get("unrateable") is not True
                and judgement.get("judge_later") is not True
            )
            rating = judgement.get("rating") if is_rating else None
            if is_rating and "rating" not in judgement:
                collector.absent("rating", judgement, at)
            elif type(rating) in RATING:
                rater = _rater(judgement) or (
                    f"rating {number + 1}" if number else None
                )
                collector.add((text, document, rating, rater, title, path, number))
            else:
                collector.no_rating(rating, (*at, "rating"))


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
    holders = [
        holder
        for holder in (judgement, judgement.get("user"))
        if isinstance(holder, dict)
    ]
    return next(
        filter(
            None, (as_text(holder.get(name)) for holder in holders for name in _RATERS)
        ),
        None,
    )


def _text_key(entry: Mapping[str, object]) -> str:
    return next((key for key in _TEXT_KEYS if key in entry), _TEXT_KEYS[-1])


def _read(source: Source) -> Ratings:
    if not source.looks_like_json:
        return tables.read_table(source, "quepid")
    _refuse_columns(source)
    return collect_quepid(source).ratings()


def _read_queries(source: Source) -> Sequence[Query]:
    if not source.looks_like_json:
        return tables.read_query_table(source)
    _refuse_columns(source)
    return collect_quepid(source).queries()


def _refuse_columns(source: Source) -> None:
    """Refuse options that name columns: an export in JSON has none."""
    refuse_options(source, replace(QUEPID, options=frozenset()))


def _unread_columns(source: Source) -> Sequence[UnreadColumn]:
    """Find the columns of a table that nothing reads; what else JSON has is Quepid's own."""
    return () if source.looks_like_json else tables.unread_columns(source)


QUEPID = JudgmentFormat(
    name="quepid",
    about="Quepid's exports: query,docid,rating, or JSON",
    fits=is_quepid,
    read=_read,
    read_queries=_read_queries,
    unread_columns=_unread_columns,
    options=COLUMN_OPTIONS,
)
