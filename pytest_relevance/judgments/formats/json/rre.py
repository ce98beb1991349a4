"""ratings.json of the Rated Ranking Evaluator: `topics[].query_groups[].queries[]` with `relevant_documents`.

Topics and groups may be left out. A query is a template and its placeholders; one of those (`$query`, or the file's
`query_placeholder`) is the text, the others are the params of the query, without their `$`. RRE has no ids: the key of
a query is its text, followed by its params if it has any: `fender`, `fender (strings=4)`. A group, a query or both may
have relevant documents, as `{"doc": {"gain": 3}}` or `{"3": ["doc"]}`; one without a grade has 2.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from pytest_relevance._text import listed, quoted
from pytest_relevance.judgments.formats.collecting import Collector, Keys, as_text, found_json
from pytest_relevance.judgments.json_text import JsonPath
from pytest_relevance.judgments.model import Query
from pytest_relevance.judgments.source import Source

WITHOUT_GRADE = "2"
"""The grade that RRE gives a document that has none."""

_LEVELS = ("topics", "query_groups", "queries")
_LOOKED_AT = 20
_GRADES = ("gain", "rating")
_TEXT = "$query"
_RELEVANT = "relevant_documents"


def is_rre(source: Source) -> bool:
    """Whether it is such a file: it has the levels of one, and queries with placeholders."""
    document = source.json if source.is_json else None
    levels = document.keys() & set(_LEVELS) if isinstance(document, dict) else ()
    return bool(levels) and _has_placeholders(document, _LEVELS)


def _has_placeholders(holder: object, levels: Sequence[str]) -> bool:
    if not isinstance(holder, dict):
        return False
    for number, level in enumerate(levels, 1):
        within = holder.get(level)
        if isinstance(within, list):
            return any(_has_placeholders(entry, levels[number:]) for entry in within[:_LOOKED_AT])
    return "placeholders" in holder


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
    collector = Collector(source, "rre", Keys("id", "gain"))
    document = source.json
    if not isinstance(document, dict) or document.keys().isdisjoint(_LEVELS):
        collector.refuse("ratings of RRE have topics, query_groups or queries: lists of objects")
    text_in = _TEXT
    if "query_placeholder" in document:
        text_in = collector.text(document, "query_placeholder", ()) or _TEXT
    for topic_path, topic in _each(collector, document, (), "topics"):
        for group_path, group in _each(collector, topic, topic_path, "query_groups"):
            levels = [inner for outer, inner in ((document, topic), (topic, group)) if inner is not outer]
            note = ": ".join(filter(None, map(_name, levels)))
            for path, query in _each(collector, group, group_path, "queries"):
                key = _add_query(collector, query, path, text_in, note)
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


def _add_query(
    collector: Collector, query: Mapping[str, object], path: JsonPath, text_in: str, note: str
) -> str | None:
    """Add a query. Returns its key; None, and a mistake, where it has no text."""
    placeholders = query.get("placeholders")
    if not isinstance(placeholders, dict):
        if "placeholders" in query:
            collector.wrong(f"placeholders are an object, found {found_json(placeholders)}", (*path, "placeholders"))
        else:
            collector.absent("placeholders", query, path)
        return None
    if text_in not in placeholders:
        names = listed(map(quoted, placeholders), "and") if placeholders else "none"
        cure = 'say which one is the text of the query: "query_placeholder" at the top of the file'
        message = f"there is no placeholder {quoted(text_in)}, found {names}; {cure}"
        collector.wrong(message, (*path, "placeholders"))
        return None
    text = collector.text(placeholders, text_in, (*path, "placeholders"))
    if text is None:
        return None
    others = {name.removeprefix("$"): value for name, value in placeholders.items() if name != text_in}
    params = collector.params(others, (*path, "placeholders"))
    key = rre_key(text, params)
    collector.add_query(Query(key, text, params=params, note=note or None), path)
    return key


def _add_relevant(collector: Collector, key: str, holder: Mapping[str, object], path: JsonPath) -> None:
    if _RELEVANT not in holder:
        return
    relevant = holder[_RELEVANT]
    path = (*path, _RELEVANT)
    if not isinstance(relevant, dict):
        collector.wrong(f"{_RELEVANT} is an object, found {found_json(relevant)}", path)
        return
    grades: dict[str, object] = {}
    for name, value in relevant.items():
        if isinstance(value, list):
            _add_documents(collector, key, value, name, (*path, name))
        elif isinstance(value, dict) or value is None:
            given = next((grade for grade in _GRADES if grade in (value or ())), None)
            grades[name] = WITHOUT_GRADE if value is None or given is None else value[given]
        else:
            shapes = f'{{"gain": 3}} for a document or a list of documents for a grade, found {found_json(value)}'
            collector.wrong(f"{_RELEVANT} have {shapes}", (*path, name))
    collector.add_grades(key, grades, path)


def _add_documents(collector: Collector, key: str, documents: Sequence[object], grade: str, path: JsonPath) -> None:
    """The documents that have a grade."""
    for number, entry in enumerate(documents):
        document = as_text(entry)
        if document is None:
            collector.wrong(f"a document is text or a number, found {found_json(entry)}", (*path, number))
        else:
            collector.add(key, document, grade, path, number)
