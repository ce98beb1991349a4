"""Read plain JSON, and JSON Lines.

Judgments are `{query: {document: grade}}` or objects. Queries are `{id: text}`, texts
or objects. Objects stand in a list, or one per line. The first object decides which of
these forms the file has:

- rows of a table: `{"query": ..., "doc_id": ..., "grade": ...}`, or `{"_id": ...,
  "text": ...}` for queries as BEIR has them
- queries with their `ratings`
- `{query: {document: grade}}`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from pytest_relevance._json_text import as_text, found_json
from pytest_relevance._problems import FileError, Place
from pytest_relevance._source import Source
from pytest_relevance._text import listed, quoted
from pytest_relevance.ext.formats import judgment_tables, query_tables, writing
from pytest_relevance.ext.formats.collecting import (
    Collector,
    JsonObject,
    Keys,
    params_of,
)
from pytest_relevance.ext.formats.query_building import query_or_mistake
from pytest_relevance.ext.formats.query_cells import is_blank
from pytest_relevance.ext.formats.query_rows import (
    PARAMS,
    wrong_params,
)
from pytest_relevance.judgments.columns import (
    EXPORT_SPELLINGS,
    GRADE_COLUMN,
    SPELLINGS,
    column_called,
    find_columns,
    plain_name,
)
from pytest_relevance.judgments.formats import (
    TABLE_OPTIONS,
    JudgmentFormat,
    UnreadColumn,
)
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.judgment_layout import find_layout
from pytest_relevance.judgments.model import Query, Ratings

_RATINGS = ("ratings", "judgments", "judgements", "grades")
"""The keys of the ratings of an object that is a query."""

_RATING_KINDS = ("document", "grade", "rater", "title")
_IDS = ("_id", "id")
_SHAPES = (
    "judgments are {query: {document: grade}}, or objects that have query and ratings as "
    "the first one"
)
_QUERY_SHAPES = (
    "a query is {id: text}, a text in a list, or an object such as "
    '{"query_id": ..., "query": ...}'
)

_QUERY_ID_NAMES = frozenset(plain_name(name) for name in SPELLINGS["query_id"])
"""The plain names of the id of a query."""

_OTHER_KEYS = (
    "id",
    "text",
    "params",
    *SPELLINGS["query"],
    *SPELLINGS["weight"],
    *SPELLINGS["note"],
    *EXPORT_SPELLINGS["query"],
    *EXPORT_SPELLINGS["weight"],
)
_QUERY_NAMES = _QUERY_ID_NAMES.union(plain_name(name) for name in _OTHER_KEYS)
"""The plain names of the keys of an object that is a query."""


def is_json(source: Source) -> bool:
    """Say whether a file begins like JSON, and is not JSON Lines.

    The reader refuses JSON that is not valid.
    """
    return source.looks_like_json and not source.is_json_lines


def read_objects(source: Source) -> Ratings:
    """Return the ratings in JSON or JSON Lines.

    Raises:
        FileError: the file is not JSON, or judgments are wrong.
    """
    format = "jsonl" if source.is_json_lines else "json"
    if _is_table(source):
        return judgment_tables.read_table(source, format)
    return _NestedReader(source, format, for_queries=False).ratings()


def read_query_objects(source: Source) -> Sequence[Query]:
    """Return the queries in JSON: texts, `{id: text}`, objects, or rated queries.

    Raises:
        FileError: the file is not JSON, has no texts, or can be read in two ways.
    """
    rules = query_tables.rules_of(source)
    if rules.maps:
        return query_tables.read_query_table(source)
    entries = source.entries
    if entries and all(isinstance(entry, str) for entry in entries):
        return _read_texts(source, entries)
    document = None if source.is_json_lines else source.json
    if isinstance(document, dict) and _are_texts_by_id(source, document):
        return _read_texts_by_id(source, document)
    if _is_table(source):
        return query_tables.read_query_table(source)
    _refuse_wrapped_list(source)
    for option in rules.given:
        source.refuse(
            f"{option} is for objects that are rows of a table, and these have ratings; take it out"
        )
    return _NestedReader(source, "json", for_queries=True).queries()


def _read_texts(source: Source, entries: Sequence[object]) -> list[Query]:
    def place(row: int) -> Place:
        return source.place(source.path_of_entry(row))

    texts = [as_text(entry) or "" for entry in entries]
    return query_tables.distinct_rows(source, {"query": texts}, place)


def _read_texts_by_id(source: Source, document: Mapping[str, object]) -> list[Query]:
    """Return the queries of an object {id: text}."""
    keys = list(document)

    def place(row: int) -> Place:
        return source.place((keys[row],))

    texts = [as_text(text) or "" for text in document.values()]
    columns = {"query_id": keys, "query": texts}
    return query_tables.distinct_rows(source, columns, place)


_WRAPPERS = frozenset(
    (
        "cases",
        "data",
        "docs",
        "documents",
        "entries",
        "hits",
        "items",
        "queries",
        "records",
        "response",
        "result",
        "results",
        "rows",
        "searches",
        "topics",
    )
)
"""What the one key of an object is called around a list of queries."""


def _refuse_wrapped_list(source: Source) -> None:
    """Raise FileError if the whole file is a list of queries under one key.

    For example, `{"items": [...]}`. The key is a usual name for such a list. The list
    may be empty. If the list has ratings, nothing is raised: then the key is a query.
    """
    if len(source.json_object) != 1:
        return
    name = next(iter(source.json_object))
    value = source.json_object[name]
    if plain_name(name) not in _WRAPPERS or not isinstance(value, (list, dict)):
        return
    if not value:
        source.refuse(
            f"there is nothing under {quoted(name)}, the only key of the file"
        )
    if isinstance(value, list) and _is_query(source, value[0]):
        source.refuse(
            f"the queries are in a list under {quoted(name)}; write the list alone: [...]"
        )


def _is_query(source: Source, entry: object) -> bool:
    """Say whether an entry is the text of a query, or an object with such a text."""
    if isinstance(entry, dict):
        return "query" in query_tables.query_columns(source, list(entry))
    return isinstance(entry, str)


def are_queries(source: Source) -> bool:
    """Say whether a file has queries and no judgments.

    Its first entry is a query without ratings, or the whole file is `{id: text}`.
    """
    try:
        entries = source.entries
    except FileError:
        return False
    first = entries[0] if entries else None
    if not isinstance(first, dict):
        return type(first) is str
    if first and all(_is_a_text(value) for value in first.values()):
        return True
    if not _is_query(source, first):
        return False
    return not find_columns(first, ("document", "grade")) and not _ratings_key(first)


def _is_a_text(value: object) -> bool:
    """Say whether a value is text, but not a number as text."""
    return type(value) is str and number_of(value) is None


def _is_table(source: Source) -> bool:
    """Say whether the first object is a row of a table.

    A row has values that are not objects or lists, and no ratings.
    """
    entries = source.entries
    first = entries[0] if entries else {}
    if not isinstance(first, dict):
        return False
    return not _holds_structures(first) and not _ratings_key(first)


def _holds_structures(entry: Mapping[str, object]) -> bool:
    return all(isinstance(value, (dict, list)) for value in entry.values())


def _ratings_key(entry: Mapping[str, object]) -> str:
    """Return the key under which a query has its ratings; "" without one."""
    for name in _RATINGS:
        if name in entry and not isinstance(entry[name], str):
            return name
    return ""


def _plain_names(names: Iterable[str]) -> set[str]:
    return {plain_name(name) for name in names}


def _are_texts_by_id(source: Source, entry: Mapping[str, object]) -> bool:
    """Say whether a file of queries is `{id: text}`, and not one query or judgment.

    An object with a key that only ids of queries have is one query. Raises FileError if
    the object has another usual key of a query, because both readings are possible.
    """
    names = list(entry)
    if not names or find_layout(names) is not None:
        return False
    if any(isinstance(value, (dict, list)) for value in entry.values()):
        return False
    plain_names = _plain_names(names)
    if "_id" in names or plain_names & _QUERY_ID_NAMES:
        return False
    if plain_names & _QUERY_NAMES:
        keys = listed([quoted(name) for name in names[:10]], "and")
        source.refuse(
            f"the file may be one query with the keys {keys}, or {len(entry)} queries, "
            "{id: text}; write one query in a list, [{...}], and several as a list of "
            "objects with query_id and query"
        )
    return True


class _NestedReader(Collector):
    """Collects judgments from `{query: judgments}`, and from queries with `ratings`.

    `for_queries`: whether the caller wants the queries. Then the key of a query in
    `{query: judgments}` is its text; otherwise a key may be an id.
    """

    def __init__(self, source: Source, format: str, *, for_queries: bool) -> None:
        super().__init__(source, format, {})
        self._for_queries = for_queries
        self._grade_column = source.options.get(GRADE_COLUMN)
        self._keys_by_names: dict[tuple[str, ...], Keys] = {}
        self._unread: dict[str, dict[str, object]] = {}
        for number, entry in enumerate(source.entries):
            path = source.path_of_entry(number)
            if isinstance(entry, dict) and _holds_structures(entry):
                self._add_by_query(JsonObject(entry, path))
            elif isinstance(entry, dict) and _ratings_key(entry):
                self._add_query_with_ratings(JsonObject(entry, path))
            else:
                shapes = _QUERY_SHAPES if for_queries else _SHAPES
                self.wrong(f"{shapes}; found {found_json(entry)}", path)
        if self._grade_column is not None and not self._keys_by_names:
            self.refuse(
                f"no object in the file has the key {quoted(self._grade_column)}, which "
                f"{GRADE_COLUMN} names"
            )

    def _add_by_query(self, entry: JsonObject) -> None:
        """Add the queries of an object such as `{"red shoes": {"sku-1": 3}}`.

        Each key is the id of a query. In a file of queries the key is the text, too.
        """
        is_alone = len(entry.members) == 1
        for key, value in entry.members.items():
            path = entry.path_to(key)
            if not key.strip():
                self.wrong("a query has no id", path)
            elif self._may_be_texts(value, is_alone=is_alone):
                self.wrong(f"{_QUERY_SHAPES}; found {found_json(value)}", path)
            else:
                self.add_query(Query(key, key if self._for_queries else None), path)
                self.add_ratings(key, value, path)

    def _may_be_texts(self, value: object, *, is_alone: bool) -> bool:
        """Say whether the value of a key may have texts of queries instead of grades.

        All of these must be true:

        - The file is one of queries, and the value is an object.
        - The key is the only one of its object, or the value has a usual key of
          queries.
        - The value has a text that is not a number.
        """
        if not self._for_queries or not isinstance(value, dict):
            return False
        if not is_alone and not _plain_names(value) & _QUERY_NAMES:
            return False
        return any(_is_a_text(each) for each in value.values())

    def _add_query_with_ratings(self, entry: JsonObject) -> None:
        """Add the query of an object, and the ratings under a key of the object.

        For example `{"query": "red shoes", "ratings": {"sku-1": 3}}`.
        """
        members = entry.members
        names = list(members)
        texts: dict[str, str] = {}
        weight: object = None
        for kind, number in query_tables.query_columns(self._source, names).items():
            if kind == "weight":
                weight = members[names[number]]
            else:
                texts[kind] = as_text(members[names[number]]) or ""
        wrong = wrong_params(members)
        if wrong is not None:
            self.wrong(wrong, entry.path_to(PARAMS))
        text = texts.get("query")
        query = query_or_mistake(
            texts.get("query_id", text) or "",
            text,
            weight=weight,
            note=texts.get("note"),
            params=params_of(members.get(PARAMS)),
        )
        if isinstance(query, str):
            self.wrong(query, entry.path)
            return
        self.add_query(query, entry.path)
        if self._for_queries:
            self._check_unread(query, entry)
        key = _ratings_key(members)
        self.add_ratings(query.id, members[key], entry.path_to(key))

    def _check_unread(self, query: Query, entry: JsonObject) -> None:
        """Record a mistake if two objects of a query differ in an unread key."""
        unread = {}
        for name in _unread_names(self._source, entry.members):
            unread[name] = entry.members[name]
        earlier = self._unread.setdefault(query.id, unread)
        for name in dict.fromkeys([*earlier, *unread]):
            here, there = unread.get(name), earlier.get(name)
            if here != there:
                self.wrong(
                    f"the query {quoted(query.id)} stands here with another "
                    f"{quoted(name)} than before, {found_json(here)} and "
                    f"{found_json(there)}, which nothing reads; give each object an id of "
                    "its own, and write what the search needs under params",
                    entry.path,
                )
                return

    def keys_of(self, item: dict[str, object]) -> Keys:
        names = tuple(item)
        if names not in self._keys_by_names:  # nearly all objects have the same names
            self._keys_by_names[names] = self._find_keys(names)
        return self._keys_by_names[names]

    def _find_keys(self, names: Sequence[str]) -> Keys:
        """Return the keys of the document, the grade, the rater and the title.

        `names`: the keys of an object. A key `score` is not read as the grade.
        """
        keys = {"document": "doc_id", "grade": "grade"}
        for name in _IDS:
            if name in names:
                keys["document"] = name
                break
        for what, number in find_columns(names, _RATING_KINDS).items():
            is_score = what == "grade" and plain_name(names[number]) == "score"
            if not is_score:
                keys[what] = names[number]
        if self._grade_column is not None:
            chosen = column_called(names, self._grade_column)
            keys["grade"] = self._grade_column if chosen is None else names[chosen]
        return keys


def unread_keys(source: Source) -> list[UnreadColumn]:
    """Return the keys of the objects in a file of queries that nothing reads."""
    if query_tables.rules_of(source).maps:
        return query_tables.unread_columns(source)
    entries = source.entries
    if source.json_object and _are_texts_by_id(source, source.json_object):
        return []
    if entries and _is_table(source) and isinstance(entries[0], dict):
        return query_tables.unread_columns(source)
    places: dict[str, Place] = {}
    with_content: set[str] = set()
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict) or not _ratings_key(entry):
            continue
        for name in _unread_names(source, entry):
            places.setdefault(name, source.place(source.path_of_entry(number)))
            if not is_blank(entry[name]):
                with_content.add(name)
    unread = []
    for name, place in places.items():
        unread.append(UnreadColumn(name, place, is_empty=name not in with_content))
    return unread


def _unread_names(source: Source, entry: Mapping[str, object]) -> list[str]:
    names = list(entry)
    read = {_ratings_key(entry), PARAMS}
    for number in query_tables.query_columns(source, names).values():
        read.add(names[number])
    return [name for name in names if name not in read]


JSON_LINES = JudgmentFormat(
    name="jsonl",
    about="JSON a line",
    fits=attrgetter("is_json_lines"),
    read=read_objects,
    read_queries=read_query_objects,
    has_queries_alone=are_queries,
    unread_columns=unread_keys,
    reads_exports=True,
    write=writing.write_json_lines,
    options=TABLE_OPTIONS,
)

JSON = replace(
    JSON_LINES,
    name="json",
    about="{query: {document: grade}}, or a list of objects",
    fits=is_json,
    write=None,
)
