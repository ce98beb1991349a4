"""Plain JSON, and JSON Lines: judgments as `{query: {document: grade}}` or as objects, queries as `{id: text}` ...

An object is a judgment (`{"query": ..., "doc_id": ..., "grade": ...}`, with the spellings that tables have), or a query
with its `ratings`, or, in a file of queries, a query (`{"_id": ..., "text": ...}`, as BEIR has them). Objects are in a
list, or one per line; a line may also be `{query: {document: grade}}`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pytest_relevance._problems import FileError, Problem
from pytest_relevance._source import JsonPath, Source
from pytest_relevance._text import did_you_mean, listed, quoted
from pytest_relevance.judgments.columns import (
    GRADE_COLUMN,
    IDS,
    OBJECT_KEYS,
    SPELLINGS,
    TEXTS,
    Layouts,
    ObjectLayout,
    column_called,
    folded,
    is_run_header,
)
from pytest_relevance.judgments.formats.collecting import Collector, as_text, found_json
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.model import Query, Ratings

SHAPES = '{query: {document: grade}}, or objects such as {"query": ..., "doc_id": ..., "grade": ...}'
QUERY_SHAPES = '{id: text}, a list of texts, or objects such as {"query_id": ..., "query": ...}'

_ROOT: JsonPath = ()
_CALLED_TEXTS = frozenset(map(folded, (*SPELLINGS["query"], *TEXTS)))
_SURELY_IDS = frozenset(map(folded, SPELLINGS["query_id"]))
_FURTHER = frozenset(map(folded, ("id", "params", *SPELLINGS["weight"], *SPELLINGS["note"])))
_OF_A_QUERY = _CALLED_TEXTS | _SURELY_IDS | _FURTHER
"""The keys of an object that is a query, folded."""
_ABOVE_QUERIES = frozenset(map(folded, ("queries", "query_set", "topics", "data", "items")))
"""The names of a key above all queries of a file, folded."""


def is_json(source: Source) -> bool:
    """Whether it begins like JSON. What it is, if it is any, the reader says."""
    return source.looks_like_json and not source.is_json_lines


def collect(source: Source, *, for_queries: bool) -> Collector:
    """Collect judgments, in one JSON text or one a line; `for_queries`: collect queries, also from judgments."""
    reader = _ObjectReader(source, for_queries=for_queries)
    reader.read()
    return reader


def are_queries(source: Source) -> bool:
    """Whether the first object, or the whole file as `{id: text}`, is queries without judgments."""
    try:
        document = source.json_lines[0] if source.is_json_lines else source.json
    except FileError:
        return False
    if isinstance(document, dict) and document and all(type(value) is str for value in document.values()):
        return all(number_of(value) is None for value in document.values())
    first = document[0] if isinstance(document, Sequence) and document else document
    if not isinstance(first, dict):
        return type(first) is str
    layout = Layouts(None)[tuple(first)]
    return "query" in layout.at and layout.at.keys().isdisjoint(("document", "grade", "ratings"))


class _ObjectReader(Collector):
    """Read one file. `for_queries`: it is a file of queries, which may have no judgments at all."""

    def __init__(self, source: Source, *, for_queries: bool) -> None:
        lines = source.json_lines[1] if source.is_json_lines else None
        super().__init__(source, "json" if lines is None else "jsonl", {}, lines)
        self._queries_only = for_queries
        self._shapes = f"a query is {QUERY_SHAPES}" if for_queries else f"a judgment is {SHAPES}"
        self._wanted = source.options.get(GRADE_COLUMN)
        self._layouts = Layouts(self._wanted)

    def ratings(self) -> Ratings:
        """Make `Ratings` of what was collected; a key of the grades that the user named has to be there."""
        ratings = super().ratings()
        if self._wanted is not None and not self._layouts.has_grade_column:
            self.refuse(f"no object in the file has the key {quoted(self._wanted)}, which {GRADE_COLUMN} names")
        unclear = self._layouts.unclear
        return replace(ratings, unclear=Problem(unclear)) if unclear else ratings

    def read(self) -> None:
        """Collect what is in the file."""
        document = self._source.json_lines[0] if self._source.is_json_lines else self._source.json
        if isinstance(document, list):
            for number, entry in enumerate(document):
                self._entry(entry, number)
        elif isinstance(document, dict):
            self._object(document, _ROOT, 0)
        else:
            self.refuse(f"{self._shapes}; found {found_json(document)}")

    def _entry(self, entry: object, number: int) -> None:
        """Collect one entry of a list, or one line."""
        text = as_text(entry) if self._queries_only else None
        if isinstance(entry, dict):
            self._object(entry, (number,), number)
        elif text is not None:
            self.add_query(Query(text, text), (number,))
        else:
            self.wrong(f"{self._shapes}; found {found_json(entry)}", (number,))

    def _object(self, entry: dict[str, object], path: JsonPath, number: int) -> None:
        holds_structures = all(isinstance(value, (dict, list)) for value in entry.values())
        if holds_structures or (self._queries_only and not path and self._is_by_id(entry)):
            self._by_query(entry, path)
            return
        layout = self._layouts[tuple(entry)]
        if layout.is_judgment:
            self._judgment(entry, layout, path, number)
        elif "ratings" in layout.at and layout.has_query:
            query = self._query(entry, layout, path)
            if query is not None:
                self.add_ratings(query.id, layout.value(entry, "ratings"), (*path, layout.at["ratings"]))
        elif self._queries_only and "query" in layout.at:
            self._query(entry, layout, path)
        else:
            self._refuse(entry, layout, path)

    def _judgment(self, entry: dict[str, object], layout: ObjectLayout, path: JsonPath, number: int) -> None:
        """Add the judgment of one document; an object without document and grade names a query without judgments."""
        text = as_text(layout.value(entry, "query"))
        key = as_text(layout.value(entry, "query_id")) or text
        if key is None:
            self.text(entry, layout.at.get("query") or layout.at["query_id"], path)
            return
        known = self._known.get(key)
        if known is None or (text is not None and text != known[0].text):
            self.add_query(Query(key, text), path)
        keys = layout.keys
        if entry[keys["document"]] not in (None, "") or entry[keys["grade"]] not in (None, ""):
            self.add_item(key, entry, path[:-1], number, keys)

    def _query(self, entry: dict[str, object], layout: ObjectLayout, path: JsonPath) -> Query | None:
        """Add a query that is described by an object. None, and a mistake, where it has no key."""
        at = layout.at
        text = self.text(entry, at["query"], path) if "query" in at else None
        key = self.text(entry, at["query_id"], path) if "query_id" in at else text
        if key is None or (text is None and "query" in at):
            return None
        weight = layout.value(entry, "weight")
        query = Query(
            key,
            text,
            1 if weight in (None, "") else self.weight(weight, (*path, at["weight"])),
            self.params(entry.get("params")),
            as_text(layout.value(entry, "note")),
        )
        self.add_query(query, path)
        return query

    def _is_by_id(self, entry: dict[str, object]) -> bool:
        """Whether the whole of a file of queries is `{id: text}`, and not one query or one judgment.

        It is one query where it has a key that only an id is called. Where it has another key that queries have, it may
        be both: the file is refused.
        """
        layout = self._layouts[tuple(entry)]
        key = layout.at.get("query_id", "")
        if any(isinstance(value, (dict, list)) for value in entry.values()) or layout.is_judgment:
            return False
        if key == "_id" or folded(key) in _SURELY_IDS:
            return False
        if not _OF_A_QUERY.isdisjoint(map(folded, entry)):
            names = listed([quoted(name) for name in list(entry)[:10]], "and")
            self.refuse(
                f"the file may be one query with the keys {names}, or {len(entry)} queries, {{id: text}}; write one "
                "query in a list, [{...}], and several as a list of objects with query_id and query"
            )
        return True

    def _by_query(self, entry: Mapping[str, object], path: JsonPath) -> None:
        """Add {query: its judgments}; in a file of queries also {id: text}."""
        if self._queries_only and not path:
            self._refuse_key_above_texts(entry)
        for key, value in entry.items():
            at = (*path, key)
            text = as_text(value)
            if not key.strip():
                self.wrong("a query has no id", at)
            elif self._queries_only and isinstance(value, dict) and self._is_query(value):
                self.wrong(f"a query is {QUERY_SHAPES}; found {found_json(value)}", at)
            elif isinstance(value, (dict, list)):
                self.add_query(Query(key, key if self._queries_only else None), at)
                self.add_ratings(key, value, at)
            elif text is not None:
                self.add_query(Query(key, text), at)
            else:
                self.wrong(f"a query has a text, found {found_json(value)}", at)

    def _refuse_key_above_texts(self, entry: Mapping[str, object]) -> None:
        """Refuse `{"queries": {id: text}}`, which may also be named grades of a query that is called "queries"."""
        key, texts = next(iter(entry.items()), ("", None))
        if len(entry) != 1 or folded(key) not in _ABOVE_QUERIES or not isinstance(texts, dict):
            return
        if {*map(type, texts.values())} == {str}:
            self.refuse(
                f"the file may be {len(texts)} queries below the key {quoted(key)}, or the grades of one query of that "
                "name; write queries as {id: text}, without a key above them, and one query in a list, [{...}]"
            )

    def _is_query(self, value: dict[str, object]) -> bool:
        """Whether an object has the text of a query. What is a number is a grade."""
        if str not in set(map(type, value.values())):
            return False
        written = self._layouts[tuple(value)].value(value, "query")
        return type(written) is str and number_of(written) is None

    def keys_of(self, item: dict[str, object]) -> Mapping[str, str]:
        """The keys of an object that rates a document, by their names."""
        return self._layouts[tuple(item)].keys

    def _refuse(self, entry: Mapping[str, object], layout: ObjectLayout, path: JsonPath) -> None:
        """Add the mistake that an object is neither a judgment nor a query."""
        known = [name for what in OBJECT_KEYS[:4] for name in SPELLINGS[what]]
        others = [name for name in entry if folded(name) not in map(folded, (*known, *IDS, *TEXTS))]
        hint = next((hint for name in others[:10] if (hint := did_you_mean(name, known))), "")
        if self._wanted is not None and column_called(tuple(entry), self._wanted) is None:
            hint = f"; {GRADE_COLUMN} is {quoted(self._wanted)}, which is not there"
        elif "grade" not in layout.at and is_run_header(tuple(entry)):
            hint = f"; this seems to be a run, with a rank or a score: where that is the grade, name it: {GRADE_COLUMN}"
        names = listed([quoted(name) for name in list(entry)[:10]], "and")
        self.wrong(f"{self._shapes}; found {names}{hint}", path)
