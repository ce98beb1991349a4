"""Read the files of the Rated Ranking Evaluator (RRE).

ratings.json has `topics[].query_groups[].queries[]` with `relevant_documents`. Topics
and groups may be left out. A query is a template and its placeholders. One placeholder
(`$query`, or `query_placeholder` of the file) is the text. The others are the params of
the query, without their `$`.

RRE has no ids. The key of a query is its text, then its params if it has any: `fender`,
`fender (strings=4)`. A group, a query or both may have relevant documents, as `{"doc":
{"gain": 3}}` or `{"3": ["doc"]}`. A document without a grade has grade 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_relevance._json_text import JsonPath, as_text, found_json
from pytest_relevance._source import Source
from pytest_relevance._text import listed, quoted
from pytest_relevance.ext.formats.collecting import (
    Collector,
    JsonObject,
    Rated,
    params_of,
)
from pytest_relevance.ext.formats.query_merging import name_with_params
from pytest_relevance.judgments.formats import JudgmentFormat
from pytest_relevance.judgments.model import Query, Ratings

WITHOUT_GRADE = "2"
"""The grade that RRE gives a document that has none."""

_LEVELS = ("topics", "query_groups", "queries")
_GRADES = ("gain", "rating")
_TEXT = "$query"
_RELEVANT = "relevant_documents"


def is_rre(source: Source) -> bool:
    """Say whether a file is one of RRE: it has topics, groups or queries of RRE."""
    if source.json_object.keys().isdisjoint(_LEVELS):
        return False
    return '"placeholders"' in source.text


def collect_rre(source: Source) -> Collector:
    """Return a collector with the queries and their judgments."""
    collector = Collector(source, "rre", {"document": "id", "grade": "gain"})
    document = source.json
    if not isinstance(document, dict) or document.keys().isdisjoint(_LEVELS):
        collector.refuse(
            "ratings of RRE have topics, query_groups or queries: lists of objects"
        )
    top = JsonObject(document)
    text_in = _TEXT
    if "query_placeholder" in document:
        text_in = collector.text(top, "query_placeholder") or _TEXT
    for topic in _inner(collector, top, "topics"):
        for group in _inner(collector, topic, "query_groups"):
            note = _note(top, topic, group)
            for query in _inner(collector, group, "queries"):
                key = _add_query(collector, query, text_in, note)
                if key is not None:
                    _add_relevant(collector, key, group)
                    if query is not group:
                        _add_relevant(collector, key, query)
    return collector


def _inner(collector: Collector, outer: JsonObject, level: str) -> Iterator[JsonObject]:
    """Yield the objects under a key; the object itself if it leaves the level out."""
    if level in outer.members:
        yield from collector.objects(outer, level)
    else:
        yield outer


def _note(top: JsonObject, topic: JsonObject, group: JsonObject) -> str:
    """Return the note for the queries of a group: `topic name: group name`."""
    names = []
    if topic is not top:
        names.append(_name(topic))
    if group is not topic:
        names.append(_name(group))
    return ": ".join(name for name in names if name)


def _name(level: JsonObject) -> str:
    """Return the description of a topic or group, or else its name; "" without both."""
    description = as_text(level.members.get("description"))
    return description or as_text(level.members.get("name")) or ""


def _add_query(
    collector: Collector, query: JsonObject, text_in: str, note: str
) -> str | None:
    """Add a query, and return its key; None after a mistake.

    `text_in`: the placeholder that is the text.
    """
    placeholders = collector.inner_object(query, "placeholders")
    if placeholders is None:
        return None
    if text_in not in placeholders.members:
        names = [quoted(name) for name in placeholders.members]
        collector.wrong(
            f"there is no placeholder {quoted(text_in)}, found {listed(names, 'and') or 'none'}; say which one is "
            'the text of the query: "query_placeholder" at the top of the file',
            placeholders.path,
        )
        return None
    text = collector.text(placeholders, text_in)
    if text is None:
        return None
    others = {}
    for name, value in placeholders.members.items():
        if name != text_in:
            others[name.removeprefix("$")] = value
    params = params_of(others)
    key = name_with_params(text, dict(sorted(params.items())))
    collector.add_query(Query(key, text, params=params, note=note or None), query.path)
    return key


def _add_relevant(collector: Collector, query: str, holder: JsonObject) -> None:
    """Add the documents of a query, if `holder` has them.

    They are {document: grade} or {grade: [document, ...]}. `query`: its key.
    """
    if _RELEVANT not in holder.members:
        return
    relevant = collector.inner_object(holder, _RELEVANT)
    if relevant is None:
        return
    grades: dict[str, object] = {}
    for name, value in relevant.members.items():
        path = relevant.path_to(name)
        if isinstance(value, list):
            _add_documents(collector, query, grade=name, documents=value, path=path)
        elif isinstance(value, dict) or value is None:
            grades[name] = _grade_in(value or {})
        else:
            collector.wrong(
                f'{_RELEVANT} have {{"gain": 3}} for a document or a list of documents '
                f"for a grade, found {found_json(value)}",
                path,
            )
    collector.add_grades(query, grades, relevant.path)


def _add_documents(
    collector: Collector,
    query: str,
    grade: str,
    documents: Sequence[object],
    path: JsonPath,
) -> None:
    """Add a list of documents that all have one grade. `query`: its key."""
    for number, entry in enumerate(documents):
        document = as_text(entry)
        if document is None:
            collector.wrong(
                f"a document is text or a number, found {found_json(entry)}",
                (*path, number),
            )
        else:
            collector.add(Rated(query, document, grade, path=path, key=number))


def _grade_in(judged: Mapping[str, object]) -> object:
    for name in _GRADES:
        if name in judged:
            return judged[name]
    return WITHOUT_GRADE


def _read(source: Source) -> Ratings:
    return collect_rre(source).ratings()


def _read_queries(source: Source) -> Sequence[Query]:
    return collect_rre(source).queries()


RRE = JudgmentFormat(
    name="rre",
    about="ratings.json of the Rated Ranking Evaluator",
    fits=is_rre,
    read=_read,
    read_queries=_read_queries,
)
