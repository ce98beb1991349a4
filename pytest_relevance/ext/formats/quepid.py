"""Read Quepid's exports: JSON, and tables, which `judgment_tables` reads.

An export in JSON is a case or a book. A case is `queries[].{query or query_text,
ratings}`; ratings are `{doc: rating}` or a list of `{doc_id, rating}`. A book, with the
ratings of several judges, is `query_doc_pairs[].{query_text, doc_id, judgements[]}`.
The key of a query is its text. A judgement that says `unrateable` or `judge_later` is
not a rating. Only books say who rated: in a case there is one rating per document.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pytest_relevance._json_text import as_text
from pytest_relevance._source import Source
from pytest_relevance.ext.formats import judgment_tables, query_tables
from pytest_relevance.ext.formats.collecting import (
    RATING,
    Collector,
    JsonObject,
    Rated,
    params_of,
)
from pytest_relevance.judgments.columns import find_column
from pytest_relevance.judgments.formats import (
    COLUMN_OPTIONS,
    JudgmentFormat,
    UnreadColumn,
    refuse_options,
)
from pytest_relevance.judgments.model import Query, Ratings

_LOOKED_AT = 20
"""The number of queries by which an export is recognised."""

_PAIRS = "query_doc_pairs"
_TEXT_KEYS = ("query_text", "query")
_NOTES = ("information_need", "notes")
_RATERS = ("user_email", "user", "email", "name", "rater")
_SNAPSHOT = ("snapshot_name", "query_text", "doc_id", "doc_position")
"""The columns of a snapshot. Others are fields of the documents, with any name."""


def is_quepid(source: Source) -> bool:
    """Say whether a file is an export of Quepid in JSON."""
    document = source.json_object
    if isinstance(document.get(_PAIRS), list):
        return True
    entries = document.get("queries")
    if not isinstance(entries, list):
        return False
    for entry in entries[:_LOOKED_AT]:
        if isinstance(entry, dict) and "ratings" in entry and _text_key(entry) in entry:
            return True
    return False


def snapshot_columns(names: Sequence[str]) -> dict[str, int] | None:
    """Return {name: number} of the columns of a snapshot, a table of rankings.

    None for the header of another table.
    """
    at = {}
    for name in _SNAPSHOT:
        number = find_column(names, [name])
        if number is None:
            return None
        at[name] = number
    return at


def snapshot_rows(document: object) -> list[tuple[str, list[object]]] | None:
    """Return (query, documents) for each query of a snapshot; the best document first.

    Return None for JSON that is not a snapshot. A snapshot has `docs`, {id of a query:
    documents}, and `queries`, with the texts. A deleted query has no text there; its id
    is used as the text.
    """
    if not isinstance(document, dict):
        return None
    docs = document.get("docs")
    entries = document.get("queries")
    if not isinstance(docs, dict) or not isinstance(entries, list):
        return None
    texts = {}
    for entry in entries:
        if isinstance(entry, dict):
            texts[str(entry.get("query_id"))] = as_text(entry.get(_text_key(entry)))
    rows = []
    for key, ranked in docs.items():
        if isinstance(ranked, list):
            ids = [doc.get("id") if isinstance(doc, dict) else doc for doc in ranked]
            rows.append((texts.get(key) or key, ids))
    return rows


def collect_quepid(source: Source) -> Collector:
    """Return a collector with the queries and judgments of an export in JSON."""
    collector = Collector(source, "quepid", {"document": "doc_id", "grade": "rating"})
    document = source.json
    if isinstance(document, dict) and _PAIRS in document:
        _collect_book(collector, JsonObject(document))
    elif isinstance(document, dict) and "queries" in document:
        _collect_case(collector, JsonObject(document))
    else:
        collector.refuse(
            f"an export of Quepid has queries with ratings, or {_PAIRS}: lists of objects"
        )
    return collector


def _collect_case(collector: Collector, case: JsonObject) -> None:
    for entry in collector.objects(case, "queries"):
        text = _add_query(collector, entry)
        if text is not None:
            ratings = entry.members.get("ratings")
            collector.add_ratings(text, ratings, entry.path_to("ratings"))


def _add_query(collector: Collector, entry: JsonObject) -> str | None:
    """Add a query, and return its text, which is its key; None after a mistake."""
    text = collector.text(entry, _text_key(entry.members))
    if text is not None:
        note = _first_text([entry.members], _NOTES)
        params = params_of(entry.members.get("options"))
        collector.add_query(Query(text, text, params=params, note=note), entry.path)
    return text


def _collect_book(collector: Collector, book: JsonObject) -> None:
    for pair in collector.objects(book, _PAIRS):
        text = _add_query(collector, pair)
        document = collector.text(pair, "doc_id")
        if text is not None and document is not None:
            _add_judgements(collector, text, document, pair)


def _add_judgements(
    collector: Collector, text: str, document: str, pair: JsonObject
) -> None:
    """Add the judgements of one document. A pair has them in its list `judgements`."""
    if not pair.members.get("judgements"):
        return
    path = pair.path_to("judgements")
    title = _title(pair.members.get("document_fields"))
    for number, judgement in enumerate(collector.objects(pair, "judgements")):
        is_skipped = _is_skipped(judgement.members)
        if not is_skipped and "rating" not in judgement.members:
            collector.absent(judgement, "rating")
            continue
        rating = None if is_skipped else judgement.members["rating"]
        if type(rating) not in RATING:
            collector.no_rating(rating, judgement.path_to("rating"))
            continue
        collector.add(
            Rated(
                query=text,
                document=document,
                rating=rating,
                path=path,
                key=number,
                rater=_rater(judgement.members, number),
                title=title,
            )
        )


def _is_skipped(judgement: Mapping[str, object]) -> bool:
    """Say whether a judgement is marked `unrateable` or `judge_later`."""
    if judgement.get("unrateable") is True:
        return True
    return judgement.get("judge_later") is True


def _title(fields: object) -> str | None:
    """Return the title in the fields of a document, an object or its JSON; or None."""
    if isinstance(fields, str):
        try:
            fields = json.loads(fields)
        except (ValueError, RecursionError):
            return None
    return as_text(fields.get("title")) if isinstance(fields, dict) else None


def _rater(judgement: Mapping[str, object], number: int) -> str | None:
    """Return the name of the rater, from the judgement or its `user`.

    Without a name, it is `rating 2` for the second judgement (`number` 1), and so on.
    None for the first.
    """
    holders = [judgement]
    user = judgement.get("user")
    if isinstance(user, dict):
        holders.append(user)
    name = _first_text(holders, _RATERS)
    if name is None and number > 0:
        return f"rating {number + 1}"
    return name


def _first_text(
    holders: Sequence[Mapping[str, object]], names: Sequence[str]
) -> str | None:
    """Return the first text under one of the names, object by object; or None."""
    for holder in holders:
        for name in names:
            text = as_text(holder.get(name))
            if text:
                return text
    return None


def _text_key(entry: Mapping[str, object]) -> str:
    for key in _TEXT_KEYS:
        if key in entry:
            return key
    return _TEXT_KEYS[-1]


def _read(source: Source) -> Ratings:
    if not source.looks_like_json:
        return judgment_tables.read_table(source, "quepid")
    _refuse_columns(source)
    return collect_quepid(source).ratings()


def _read_queries(source: Source) -> Sequence[Query]:
    if not source.looks_like_json:
        return query_tables.read_query_table(source)
    _refuse_columns(source)
    return collect_quepid(source).queries()


def _refuse_columns(source: Source) -> None:
    """Raise FileError if options name columns: an export in JSON has no columns."""
    refuse_options(source, replace(QUEPID, options=frozenset()))


def _unread_columns(source: Source) -> Sequence[UnreadColumn]:
    """Return the columns of a table that nothing reads; none for JSON."""
    return () if source.looks_like_json else query_tables.unread_columns(source)


QUEPID = JudgmentFormat(
    name="quepid",
    about="Quepid's exports: query,docid,rating, or JSON",
    fits=is_quepid,
    read=_read,
    read_queries=_read_queries,
    unread_columns=_unread_columns,
    options=COLUMN_OPTIONS,
)
