"""Plain JSON, and JSON Lines: judgments as `{query: {document: grade}}` or as objects, queries as `{id: text}` ...

Objects are in a list, or one per line. They are the rows of a table (`{"query": ..., "doc_id": ..., "grade": ...}`, or
`{"_id": ..., "text": ...}`, as BEIR has queries), which `tables` reads; or each is a query with its `ratings`, or
`{query: {document: grade}}`. The first object decides.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_relevance._problems import FileError, Place
from pytest_relevance._source import JsonPath, Source, as_text, found_json
from pytest_relevance._text import listed, quoted
from pytest_relevance.ext.formats import tables, writing
from pytest_relevance.ext.formats.collecting import Collector, Keys, params_of
from pytest_relevance.ext.formats.query_rows import (
    PARAMS,
    has_content,
    wrong_params,
)
from pytest_relevance.judgments.columns import (
    GRADE_COLUMN,
    SPELLINGS,
    column_called,
    find_columns,
    folded,
    layout,
)
from pytest_relevance.judgments.formats import (
    COLUMN_OPTIONS,
    JudgmentFormat,
    UnreadColumn,
)
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.model import Query, Ratings

_RATINGS = ("ratings", "judgments", "judgements", "grades")
"""The keys of the ratings of an object that is a query."""

_OF_RATING = ("document", "grade", "rater", "title")
_IDS = ("_id", "id")
_SHAPES = "judgments are {query: {document: grade}}, or objects that have query and ratings as the first one"
_QUERY_SHAPES = 'a query is {id: text}, a text in a list, or an object such as {"query_id": ..., "query": ...}'

_SURELY_IDS = frozenset(map(folded, SPELLINGS["query_id"]))
_OF_A_QUERY = _SURELY_IDS | set(
    map(
        folded,
        (
            "id",
            "text",
            "params",
            *SPELLINGS["query"],
            *SPELLINGS["weight"],
            *SPELLINGS["note"],
        ),
    )
)
"""The keys of an object that is a query, folded."""


def is_json(source: Source) -> bool:
    """Whether it begins like JSON. What it is, if it is any, the reader says."""
    return source.looks_like_json and not source.is_json_lines


def read_objects(source: Source, format: str | None = None) -> Ratings:
    """Read judgments. `format` is the name that the ratings keep, by default json or jsonl.

    Raises:
        FileError: it is no JSON, or judgments are wrong.
    """
    format = format or ("jsonl" if source.is_json_lines else "json")
    if _is_table(source):
        return tables.read_table(source, format)
    return _NestedReader(source, format, for_queries=False).ratings()


def read_query_objects(source: Source) -> list[Query]:
    """Read queries: texts, `{id: text}`, objects with a text, or the queries of judgments.

    Raises:
        FileError: it is no JSON, has no texts, or may be read in two ways.
    """
    entries = source.entries
    if entries and all(isinstance(entry, str) for entry in entries):
        texts = [as_text(entry) or "" for entry in entries]
        return tables.distinct_rows(
            source,
            {"query": texts},
            lambda row: source.place(source.path_of_entry(row)),
        )
    document = None if source.is_json_lines else source.json
    if isinstance(document, dict) and _are_texts_by_id(source, document):
        keys, texts = (
            list(document),
            [as_text(text) or "" for text in document.values()],
        )
        return tables.distinct_rows(
            source,
            {"query_id": keys, "query": texts},
            lambda row: source.place((keys[row],)),
        )
    if _is_table(source):
        return tables.read_query_table(source)
    _refuse_wrapped_list(source)
    return _NestedReader(source, "json", for_queries=True).queries()


_WRAPPERS = frozenset(
    {
        *("cases", "data", "docs", "documents", "entries", "hits", "items"),
        *("queries", "records", "response", "result", "results", "rows", "topics"),
    }
)
"""What the one key of an object is called around a list of queries."""


def _refuse_wrapped_list(source: Source) -> None:
    """Refuse an object whose only key leads to a list of queries, or to nothing.

    A list of ratings may stand there: then the key is a query.
    """
    if len(source.json_object) != 1:
        return
    ((name, value),) = source.json_object.items()
    if folded(name) not in _WRAPPERS or not isinstance(value, (list, dict)):
        return
    first = value[0] if isinstance(value, list) and value else None
    if not value:
        source.refuse(
            f"there is nothing under {quoted(name)}, the only key of the file"
        )
    if isinstance(first, str) or (
        isinstance(first, dict) and "query" in tables.query_columns(source, list(first))
    ):
        source.refuse(
            f"the queries are in a list under {quoted(name)}; write the list alone: [...]"
        )


def are_queries(source: Source) -> bool:
    """Whether the first object, or the whole file as `{id: text}`, is queries without judgments."""
    try:
        entries = source.entries
    except FileError:
        return False
    first = entries[0] if entries else None
    if not isinstance(first, dict):
        return type(first) is str
    if first and all(
        type(value) is str and number_of(value) is None for value in first.values()
    ):
        return True
    has_text = "query" in tables.query_columns(source, list(first))
    return (
        has_text
        and not find_columns(first, ("document", "grade"))
        and not _ratings_key(first)
    )


def _is_table(source: Source) -> bool:
    """Whether the first object has a value for each column, and no judgments below it."""
    entries = source.entries
    first = entries[0] if entries else {}
    return (
        isinstance(first, dict)
        and not _holds_structures(first)
        and not _ratings_key(first)
    )


def _holds_structures(entry: Mapping[str, object]) -> bool:
    return all(isinstance(value, (dict, list)) for value in entry.values())


def _ratings_key(entry: Mapping[str, object]) -> str:
    """The key of the ratings below a query; empty where it has none."""
    return next(
        (
            name
            for name in _RATINGS
            if name in entry and not isinstance(entry[name], str)
        ),
        "",
    )


def _are_texts_by_id(source: Source, entry: Mapping[str, object]) -> bool:
    """Whether the whole of a file of queries is `{id: text}`, and not one query or one judgment.

    It is one query where it has a key that only an id is called. Where it has another key that queries have, it may be
    both: the file is refused.
    """
    names = list(entry)
    if (
        any(isinstance(value, (dict, list)) for value in entry.values())
        or layout(names) is not None
    ):
        return False
    if not names or "_id" in names or not _SURELY_IDS.isdisjoint(map(folded, names)):
        return False
    if not _OF_A_QUERY.isdisjoint(map(folded, names)):
        source.refuse(
            f"the file may be one query with the keys {listed(map(quoted, names[:10]), 'and')}, or {len(entry)} "
            "queries, {id: text}; write one query in a list, [{...}], and several as a list of objects with query_id "
            "and query"
        )
    return True


class _NestedReader(Collector):
    """Collect `{query: its judgments}`, and objects that are queries with their ratings.

    `for_queries`: it is a file of queries, which are the keys where they have no text.
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
                self._add_by_query(entry, path)
            elif isinstance(entry, dict) and _ratings_key(entry):
                self._add_query_with_ratings(entry, path)
            else:
                self.wrong(
                    f"{_QUERY_SHAPES if for_queries else _SHAPES}; found {found_json(entry)}",
                    path,
                )
        if self._grade_column is not None and not self._keys_by_names:
            self.refuse(
                f"no object in the file has the key {quoted(self._grade_column)}, which {GRADE_COLUMN} names"
            )

    def _add_by_query(self, entry: Mapping[str, object], path: JsonPath) -> None:
        """Add {query: its judgments}. Where queries are wanted, texts that may be no names of grades are refused."""
        for key, value in entry.items():
            at = (*path, key)
            members = value if isinstance(value, dict) and self._for_queries else {}
            may_be_texts = len(entry) == 1 or not _OF_A_QUERY.isdisjoint(
                map(folded, members)
            )
            if not key.strip():
                self.wrong("a query has no id", at)
            elif may_be_texts and any(
                type(each) is str and number_of(each) is None
                for each in members.values()
            ):
                self.wrong(f"{_QUERY_SHAPES}; found {found_json(value)}", at)
            else:
                self.add_query(Query(key, key if self._for_queries else None), at)
                self.add_ratings(key, value, at)

    def _add_query_with_ratings(
        self, entry: Mapping[str, object], path: JsonPath
    ) -> None:
        names = list(entry)
        at = {
            what: names[number]
            for what, number in tables.query_columns(self._source, names).items()
        }
        given = {what: as_text(entry[name]) or "" for what, name in at.items()}
        text = given.get("query")
        wrong = wrong_params(entry)
        if wrong is not None:
            self.wrong(wrong, (*path, PARAMS))
        query = tables.query_or_mistake(
            given.get("query_id", text) or "",
            text,
            weight=entry.get(at.get("weight", "")),
            note=given.get("note"),
            params=params_of(entry.get("params")),
        )
        if isinstance(query, str):
            self.wrong(query, path)
        else:
            key = _ratings_key(entry)
            self.add_query(query, path)
            if self._for_queries:
                self._check_unread(query, entry, path)
            self.add_ratings(query.id, entry[key], (*path, key))

    def _check_unread(
        self, query: Query, entry: Mapping[str, object], path: JsonPath
    ) -> None:
        """Refuse an object that differs from an earlier one of its query in keys that nothing reads."""
        unread = {name: entry[name] for name in _unread_names(self._source, entry)}
        earlier = self._unread.setdefault(query.id, unread)
        for name in dict.fromkeys([*earlier, *unread]):
            if earlier.get(name) != unread.get(name):
                self.wrong(
                    f"the query {quoted(query.id)} stands here with another {quoted(name)} than before, "
                    f"{found_json(unread.get(name))} and {found_json(earlier.get(name))}, which nothing reads; give "
                    "each object an id of its own, and write what the search needs under params",
                    path,
                )
                return

    def keys_of(self, item: dict[str, object]) -> Keys:
        """The keys of an object that rates a document, by their names; those of a million objects are found once."""
        names = tuple(item)
        if names not in self._keys_by_names:
            at = {
                what: names[number]
                for what, number in find_columns(names, _OF_RATING).items()
            }
            if self._grade_column is not None:
                number = column_called(names, self._grade_column)
                at["grade"] = self._grade_column if number is None else names[number]
            elif folded(at.get("grade", "")) == "score":
                del at["grade"]
            document = next((name for name in _IDS if name in names), "doc_id")
            self._keys_by_names[names] = {"document": document, "grade": "grade", **at}
        return self._keys_by_names[names]


def unread_keys(source: Source) -> list[UnreadColumn]:
    """Find the keys of the objects of a file of queries that nothing reads."""
    entries = source.entries
    if source.json_object and _are_texts_by_id(source, source.json_object):
        return []
    if entries and _is_table(source) and isinstance(entries[0], dict):
        return tables.unread_columns(source)
    places: dict[str, Place] = {}
    with_content: set[str] = set()
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict) or not _ratings_key(entry):
            continue
        for name in _unread_names(source, entry):
            places.setdefault(name, source.place(source.path_of_entry(number)))
            if has_content(entry[name]):
                with_content.add(name)
    return [
        UnreadColumn(name, place, is_empty=name not in with_content)
        for name, place in places.items()
    ]


def _unread_names(source: Source, entry: Mapping[str, object]) -> list[str]:
    """The keys of a query with ratings that nothing reads."""
    names = list(entry)
    read = {names[number] for number in tables.query_columns(source, names).values()}
    read |= {_ratings_key(entry), PARAMS}
    return [name for name in names if name not in read]


def _is_json_lines(source: Source) -> bool:
    return source.is_json_lines


def _read(source: Source) -> Ratings:
    return read_objects(source)


JSON_LINES = JudgmentFormat(
    name="jsonl",
    about="JSON a line",
    fits=_is_json_lines,
    read=_read,
    read_queries=read_query_objects,
    has_queries_alone=are_queries,
    unread_columns=unread_keys,
    write=writing.write_json_lines,
    options=COLUMN_OPTIONS,
)

JSON = JudgmentFormat(
    name="json",
    about="{query: {document: grade}}, or a list of objects",
    fits=is_json,
    read=_read,
    read_queries=read_query_objects,
    has_queries_alone=are_queries,
    unread_columns=unread_keys,
    options=COLUMN_OPTIONS,
)
