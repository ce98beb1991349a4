"""The files of Quepid and of the Rated Ranking Evaluator (RRE).

Quepid exports tables (read by `tables`), and JSON: ratings, whole cases, and books of several judges:
`queries[].{query or query_text, ratings}`, where ratings are `{doc: rating}` or a list of `{doc_id, rating}`; a book is
`query_doc_pairs[].{query_text, doc_id, judgements[]}`. The key of a query is its text. A judgement that says
`unrateable` or `judge_later` is no rating. Only books say who rated: in a case there is one rating per document.

RRE has ratings.json: `topics[].query_groups[].queries[]` with `relevant_documents`. Topics and groups may be left out.
A query is a template and its placeholders. One placeholder (`$query`, or `query_placeholder` of the file) is the text,
the others are the params of the query, without their `$`. RRE has no ids: the key of a query is its text, and then its
params if it has any: `fender`, `fender (strings=4)`. A group, a query or both may have relevant documents, as
`{"doc": {"gain": 3}}` or `{"3": ["doc"]}`; one without a grade has 2.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from pytest_relevance._source import JsonPath, Source, as_text, found_json
from pytest_relevance._text import listed, quoted
from pytest_relevance.judgments.columns import folded
from pytest_relevance.judgments.formats.collecting import RATING, Collector, params_of
from pytest_relevance.judgments.model import Query

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


def snapshot_columns(names: Sequence[str]) -> list[int] | None:
    """The columns of a snapshot's name, queries, documents and ranks; None for the header of another table."""
    numbers = {
        name: number for number, name in reversed(list(enumerate(map(folded, names))))
    }
    return (
        [numbers[name] for name in _SNAPSHOT]
        if numbers.keys() >= set(_SNAPSHOT)
        else None
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


def collect_quepid(source: Source, *, for_queries: bool) -> Collector:
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


WITHOUT_GRADE = "2"
"""The grade that RRE gives a document that has none."""

_LEVELS = ("topics", "query_groups", "queries")
_GRADES = ("gain", "rating")
_TEXT = "$query"
_RELEVANT = "relevant_documents"


def is_rre(source: Source) -> bool:
    """Whether it is a file of RRE: it has the levels of one, and queries with placeholders."""
    return (
        not source.json_object.keys().isdisjoint(_LEVELS)
        and '"placeholders"' in source.text
    )


def rre_key(text: str, params: Mapping[str, object]) -> str:
    """The key of the judgments of a query."""
    if not params:
        return text
    others = (
        f"{name}={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in sorted(params.items())
    )
    return f"{text} ({', '.join(others)})"


def collect_rre(source: Source, *, for_queries: bool) -> Collector:
    """Collect the queries and their judgments."""
    collector = Collector(source, "rre", {"document": "id", "grade": "gain"})
    document = source.json
    if not isinstance(document, dict) or document.keys().isdisjoint(_LEVELS):
        collector.refuse(
            "ratings of RRE have topics, query_groups or queries: lists of objects"
        )
    text_in = _TEXT
    if "query_placeholder" in document:
        text_in = collector.text(document, "query_placeholder", ()) or _TEXT
    for topic_path, topic in _each(collector, document, (), "topics"):
        for group_path, group in _each(collector, topic, topic_path, "query_groups"):
            levels = [
                inner
                for outer, inner in ((document, topic), (topic, group))
                if inner is not outer
            ]
            note = ": ".join(filter(None, map(_name, levels)))
            for path, query in _each(collector, group, group_path, "queries"):
                key = _add_rre_query(collector, query, path, text_in, note)
                if key is None:
                    continue
                _add_relevant(collector, key, group, group_path)
                if query is not group:
                    _add_relevant(collector, key, query, path)
    return collector


def _each(
    collector: Collector, holder: dict[str, object], path: JsonPath, level: str
) -> Iterator[tuple[JsonPath, dict[str, object]]]:
    """The entries of a level; where there is no such level, the object above it is its one entry."""
    if level in holder:
        for number, entry in collector.objects(holder[level], (*path, level), level):
            yield (*path, level, number), entry
    else:
        yield path, holder


def _name(level: Mapping[str, object]) -> str | None:
    return as_text(level.get("description")) or as_text(level.get("name"))


def _add_rre_query(
    collector: Collector,
    query: Mapping[str, object],
    path: JsonPath,
    text_in: str,
    note: str,
) -> str | None:
    """Add a query. Returns its key; None, and a mistake, where it has no text."""
    placeholders = collector.mapping(query, "placeholders", path)
    if placeholders is None:
        return None
    if text_in not in placeholders:
        names = listed(map(quoted, placeholders), "and") if placeholders else "none"
        advice = 'say which one is the text of the query: "query_placeholder" at the top of the file'
        message = f"there is no placeholder {quoted(text_in)}, found {names}; {advice}"
        collector.wrong(message, (*path, "placeholders"))
        return None
    text = collector.text(placeholders, text_in, (*path, "placeholders"))
    if text is None:
        return None
    others = {
        name.removeprefix("$"): value
        for name, value in placeholders.items()
        if name != text_in
    }
    params = params_of(others)
    key = rre_key(text, params)
    collector.add_query(Query(key, text, params=params, note=note or None), path)
    return key


def _add_relevant(
    collector: Collector, key: str, holder: Mapping[str, object], path: JsonPath
) -> None:
    relevant = (
        collector.mapping(holder, _RELEVANT, path) if _RELEVANT in holder else None
    )
    path = (*path, _RELEVANT)
    grades: dict[str, object] = {}
    for name, value in (relevant or {}).items():
        if isinstance(value, list):  # the documents that have a grade
            for number, entry in enumerate(value):
                document = as_text(entry)
                if document is None:
                    wrong = f"a document is text or a number, found {found_json(entry)}"
                    collector.wrong(wrong, (*path, name, number))
                else:
                    collector.add(
                        (key, document, name, None, None, (*path, name), number)
                    )
        elif isinstance(value, dict) or value is None:
            given = next((grade for grade in _GRADES if grade in (value or ())), None)
            grades[name] = (
                WITHOUT_GRADE if value is None or given is None else value[given]
            )
        else:
            shapes = f'{{"gain": 3}} for a document or a list of documents for a grade, found {found_json(value)}'
            collector.wrong(f"{_RELEVANT} have {shapes}", (*path, name))
    collector.add_grades(key, grades, path)
