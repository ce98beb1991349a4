"""The files of the Rated Ranking Evaluator (RRE).

ratings.json has `topics[].query_groups[].queries[]` with `relevant_documents`. Topics and groups
may be left out. A query is a template and its placeholders. One placeholder (`$query`, or
`query_placeholder` of the file) is the text, the others are the params of the query, without
their `$`. RRE has no ids: the key of a query is its text, and then its params if it has any:
`fender`, `fender (strings=4)`. A group, a query or both may have relevant documents, as
`{"doc": {"gain": 3}}` or `{"3": ["doc"]}`; one without a grade has 2.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from pytest_relevance._source import JsonPath, Source, as_text, found_json
from pytest_relevance._text import listed, quoted
from pytest_relevance.ext.formats.collecting import Collector, params_of
from pytest_relevance.judgments.formats import JudgmentFormat
from pytest_relevance.judgments.model import Query, Ratings

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


def collect_rre(source: Source) -> Collector:
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
