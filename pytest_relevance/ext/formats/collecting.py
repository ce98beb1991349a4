"""Collect the ratings and the queries of a JSON file, and the mistakes in it.

A file may have a million ratings. So the path or the line of a rating is computed only
if a message needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from pytest_relevance._json_text import (
    JsonPath,
    NumberAsWritten,
    as_python,
    as_text,
    found_json,
)
from pytest_relevance._problems import Place, Problems
from pytest_relevance._source import Source
from pytest_relevance._text import examples, listed, quoted
from pytest_relevance.judgments.document_ids import (
    DocumentColumns,
    Indexes,
    JudgedIn,
    NoColumn,
    document_columns,
    index_column,
    keys_of_documents,
)
from pytest_relevance.judgments.model import Query, Ratings
from pytest_relevance.judgments.scale import rater_names

Keys = Mapping[str, str]
"""{meaning: key} of an object: document, grade, perhaps rater and title."""


@dataclass(frozen=True, slots=True)
class JsonObject:
    """A JSON object of the file: {key: value}, and the path to it."""

    members: Mapping[str, object]
    path: JsonPath = ()

    def path_to(self, key: str) -> JsonPath:
        """Return the path to the value under a key."""
        return (*self.path, key)


@dataclass(frozen=True, slots=True)
class _KeysOfDocument:
    """The keys of an object that say which document it rates.

    `named`: the keys that `id_field` names; None without `id_field`.
    `usual`: the keys with a usual name for ids of documents, such as `docid`.
    `index`: the key of the index; None without one.
    """

    named: DocumentColumns | None
    usual: Sequence[str]
    index: str | None


@dataclass(slots=True)
class Rated:
    """The rating of one document, checked to be text, a number, a boolean or None.

    `path`: the path to the object or list in the file that contains the rating.
    `key`: the key of the rating in this object, or its index in this list.
    """

    query: str
    document: str
    rating: object
    path: JsonPath
    key: str | int
    rater: str | None = None
    title: str | None = None


RATING = frozenset({str, NumberAsWritten, type(None), bool})
"""The types of a rating. `grading` refuses a boolean with a better message."""


class Collector:
    """Collects the ratings and the queries of one file, and the mistakes in it.

    A reader calls the methods with each value and its path in the file. At the end
    `ratings` or `queries` returns what was collected. If there were mistakes, both
    raise one FileError with all mistakes.

    `keys`: the keys of an object that rates a document.
    """

    def __init__(self, source: Source, format: str, keys: Keys) -> None:
        self._source = source
        self._format = format
        self._keys = keys
        self._problems = Problems(source.file)
        self._known: dict[str, Query] = {}
        self._paths: dict[str, JsonPath] = {}
        self._rows: list[Rated] = []
        self._keys_of_document: dict[tuple[str, ...], _KeysOfDocument] = {}
        self._indexes: dict[str, Indexes] = {}
        self._has_joined_ids = False
        self._path_of_plain_id: JsonPath | None = None

    def wrong(self, message: str, path: JsonPath) -> None:
        """Record a mistake. `path`: where in the file the mistake is."""
        self._problems.add(message, self._source.place(path))

    def refuse(self, message: str) -> NoReturn:
        """Raise FileError with the recorded mistakes, or with `message` if none."""
        self._problems.raise_if_any()
        self._source.refuse(message)

    def objects(self, holder: JsonObject, key: str) -> Iterator[JsonObject]:
        """Yield each object in the list under `key` of an object.

        If there is no list, or an entry is not an object, a mistake is recorded.
        """
        path = holder.path_to(key)
        for number, entry in self._entries(holder.members.get(key), path, key):
            yield JsonObject(entry, (*path, number))

    def _entries(
        self, value: object, path: JsonPath, what: str
    ) -> Iterator[tuple[int, dict[str, object]]]:
        """Yield (index, object) for each object in a list.

        If `value` is not a list, or an entry is not an object, a mistake is recorded.
        `what`: the name of the list in the mistake.
        """
        if not isinstance(value, list):
            self.wrong(
                f"{quoted(what)} is a list of objects, found {found_json(value)}", path
            )
            return
        for number, entry in enumerate(value):
            if isinstance(entry, dict):
                yield number, entry
            else:
                self.wrong(
                    f"{quoted(what)} is a list of objects, found {found_json(entry)} in it",
                    (*path, number),
                )

    def text(self, holder: JsonObject, key: str) -> str | None:
        """Return the text or number under `key` of an object, as text.

        If the key is missing or has another value, record a mistake and return None.
        """
        if key not in holder.members:
            self.absent(holder, key)
            return None
        value = holder.members[key]
        text = as_text(value)
        if text is None:
            self.wrong(
                f"{quoted(key)} is text or a number, found {found_json(value)}",
                holder.path_to(key),
            )
        return text

    def inner_object(self, holder: JsonObject, key: str) -> JsonObject | None:
        """Return the object under `key` of another object.

        If the key is missing or has another value, record a mistake and return None.
        """
        value = holder.members.get(key)
        if isinstance(value, dict):
            return JsonObject(value, holder.path_to(key))
        if key in holder.members:
            self.wrong(
                f"{quoted(key)} is an object, found {found_json(value)}",
                holder.path_to(key),
            )
        else:
            self.absent(holder, key)
        return None

    def absent(self, holder: JsonObject, key: str) -> None:
        """Record the mistake that an object has no key `key`."""
        found = "the object is empty"
        if holder.members:
            names = [quoted(name) for name in holder.members]
            found = f"found {listed(names, 'and')}"
        self.wrong(f"{quoted(key)} is missing; {found}", holder.path)

    def add_query(self, query: Query, path: JsonPath) -> None:
        """Add a query. Queries keep the order in which they were added.

        A query may be added again. If it then has another text, other params or another
        weight, a mistake is recorded.
        """
        known = self._known.setdefault(query.id, query)
        self._paths.setdefault(query.id, path)
        contradiction = known.contradicted_by(query, ("params", "weight"))
        if contradiction:
            self.wrong(contradiction, path)

    def add_grades(
        self, query: str, grades: Mapping[str, object], path: JsonPath
    ) -> None:
        """Add the ratings of a query, given as {document: rating}."""
        for document, rating in grades.items():
            if not document.strip():
                self.wrong("a document has no id", (*path, document))
            elif type(rating) not in RATING:
                self.no_rating(rating, (*path, document))
            else:
                self._rows.append(Rated(query, document, rating, path, document))

    def add_ratings(self, query: str, ratings: object, path: JsonPath) -> None:
        """Add the ratings of a query, as {document: rating} or as a list of objects.

        None adds nothing. Any other value is recorded as a mistake.
        """
        if isinstance(ratings, dict):
            self.add_grades(query, ratings, path)
        elif isinstance(ratings, list) and _are_ids(ratings):
            first = quoted(str(ratings[0]), 40)
            self.wrong(
                f"a document has a grade, and a list of ids has none; is this a run? In judgments write {{{first}: 1}}",
                path,
            )
        elif isinstance(ratings, list):
            self.add_items(query, ratings, path)
        elif ratings is not None:
            shapes = "an object, {document: rating}, or a list of objects"
            self.wrong(f"ratings are {shapes}; found {found_json(ratings)}", path)

    def add_items(self, query: str, items: object, path: JsonPath) -> None:
        """Add the ratings of a query, as a list with one object for each document."""
        for number, item in self._entries(items, path, "ratings"):
            self._add_item(query, item, path, number)

    def keys_of(self, item: dict[str, object]) -> Keys:
        """Return the keys of `item`, an object that rates a document, by their meaning.

        A subclass may choose other keys for each object.
        """
        return self._keys

    def _add_item(
        self, query: str, item: dict[str, object], path: JsonPath, number: int
    ) -> None:
        """Add the rating in `item`, which is entry `number` of the list at `path`."""
        keys = self.keys_of(item)
        rating = item.get(keys["grade"])
        document = self._document_in(query, item, keys, (*path, number))
        if keys["grade"] not in item:
            self.absent(JsonObject(item, (*path, number)), keys["grade"])
            return
        if type(rating) not in RATING:
            self.no_rating(rating, (*path, number, keys["grade"]))
            return
        if document is None:
            return
        rater = item[keys["rater"]] if "rater" in keys else None
        title = item[keys["title"]] if "title" in keys else None
        self.add(
            Rated(
                query=query,
                document=document,
                rating=rating,
                path=path,
                key=number,
                rater=as_text(rater),
                title=as_text(title),
            )
        )

    def _document_in(
        self, query: str, item: dict[str, object], keys: Keys, path: JsonPath
    ) -> str | None:
        """Return the id of the document that an object rates.

        If it has no id, or two that differ, record a mistake and return None.
        """
        try:
            known = self._find_keys_of_document(tuple(item))
            if known.named is not None and known.named.field.is_template:
                self._has_joined_ids = True
                return self._joined_id(item, known.named, path)
            if self._path_of_plain_id is None:
                self._path_of_plain_id = path
            if known.named is None:
                key = keys["document"]
                document = self._only_id(item, key, known.usual, path)
            else:
                key = known.named.names[known.named.main]
                document = self._joined_id(item, known.named, path)
        except NoColumn as error:
            self.wrong(str(error), path)
            return None
        index = None if known.index is None else as_text(item[known.index])
        if document is not None and known.index is not None and index is not None:
            judged = JudgedIn(query, document, index, item.get(keys["grade"]))
            self._check_index(judged, known.index, key, path)
        return document

    def _check_index(
        self, judged: JudgedIn, index_key: str, document_key: str, path: JsonPath
    ) -> None:
        """Record a mistake if a document has another grade in another index."""
        indexes = self._indexes.setdefault(index_key, Indexes(index_key, document_key))
        why = indexes.why_two(judged)
        if why:
            self.wrong(why, path)

    def _find_keys_of_document(self, names: tuple[str, ...]) -> _KeysOfDocument:
        """Return the keys of the document in objects that have the keys `names`.

        Raises `NoColumn` if a key that `id_field` names is missing.
        """
        if names not in self._keys_of_document:
            self._keys_of_document[names] = _KeysOfDocument(
                named=document_columns(self._source.ids, names),
                usual=keys_of_documents(names),
                index=index_column(names),
            )
        return self._keys_of_document[names]

    def _only_id(
        self, item: dict[str, object], key: str, usual: Sequence[str], path: JsonPath
    ) -> str | None:
        """Return the id under `key`.

        If there is no text, or another of the `usual` keys has another id, record a
        mistake and return None.
        """
        value = item.get(key)
        if type(value) is str and value.strip():  # nearly all values
            document: str | None = value
        else:
            document = self.text(JsonObject(item, path), key)
        if document is None:
            return None
        for name in usual:
            other = as_text(item[name])
            if name != key and other is not None and other != document:
                self.wrong(
                    f"the document has two ids, {key} {quoted(document)} and {name} {quoted(other)}; say which one it "
                    "is: {file: ..., id_field: NAME}",
                    path,
                )
                return None
        return document

    def _joined_id(
        self, item: dict[str, object], columns: DocumentColumns, path: JsonPath
    ) -> str | None:
        """Return the id of a document, joined from the keys that `id_field` names.

        If the id is blank, record a mistake and return None. Raise `NoColumn` if a part
        of the id is missing.
        """
        values = [item[columns.names[number]] for number in columns.read]
        document = columns.join([as_text(value) or "" for value in values])
        if not document:
            self.wrong("the document has no id", path)
        return document or None

    def add(self, row: Rated) -> None:
        """Add a rating that its reader has checked."""
        self._rows.append(row)

    def no_rating(self, rating: object, path: JsonPath) -> None:
        """Record the mistake that a rating may not have the value `rating`."""
        self.wrong(
            f"a rating is a number or a name of the scale, found {found_json(rating)}",
            path,
        )

    def ratings(self) -> Ratings:
        """Return all ratings that were added.

        Raises:
            FileError: there were mistakes, or the file has no judgments.
        """
        if not self._known:
            self.refuse("the file has no judgments")
        if self._has_joined_ids and self._path_of_plain_id is not None:
            self.wrong(
                "the document has its id alone, and other documents of the file have the "
                "other fields of id_field too",
                self._path_of_plain_id,
            )
        self._problems.raise_if_any()
        rows = self._rows
        queries = [row.query for row in rows]
        ratings = [row.rating for row in rows]
        titles = [row.title for row in rows]

        def place(row: int) -> Place:
            return self._source.place((*rows[row].path, rows[row].key))

        return Ratings(
            self._source.file,
            self._format,
            queries=queries,
            documents=[row.document for row in rows],
            ratings=ratings,
            raters=rater_names([row.rater for row in rows]),
            titles=titles if any(titles) else None,
            described=queries_to_describe(self._known, queries, ratings),
            place=place,
        )

    def queries(self) -> list[Query]:
        """Return the queries that were added, each with its line in the file.

        Raises:
            FileError: there were mistakes, the file has no queries, or a query has no
                text.
        """
        self._problems.raise_if_any()

        def place(query: str) -> Place:
            return self._source.place(self._paths[query])

        return queries_with_lines(self._source, self._known, place)


def _are_ids(entries: Sequence[object]) -> bool:
    return bool(entries) and all(as_text(entry) is not None for entry in entries)


def queries_to_describe(
    queries: Mapping[str, Query], rated: Sequence[str], ratings: Sequence[object]
) -> dict[str, Query]:
    """Return the queries that have no rating, or that have more than an id.

    `queries`: {id: query}.
    `rated`, `ratings`: for each rating the id of its query, and the rating. Blank
        ratings do not count.
    """
    with_rating = set()
    for key, rating in zip(rated, ratings, strict=True):
        if rating not in (None, ""):
            with_rating.add(key)
    described = {}
    for key, query in queries.items():
        if key not in with_rating or query.says_more:
            described[key] = query
    return described


def queries_with_lines(
    source: Source, queries: Mapping[str, Query], place: Callable[[str], Place]
) -> list[Query]:
    """Return the queries of a file, each with its line.

    `queries`: {id: query}.
    `place`: returns the place of the query with an id.

    Raises FileError if there are no queries, or if a query has no text.
    """
    if not queries:
        source.refuse("the file has no queries")
    without_text = [key for key, query in queries.items() if query.text is None]
    if without_text:
        source.refuse(
            "these are judgments that have only the ids of queries "
            f"({examples(without_text)}); name a file of queries, which has their texts"
        )
    with_lines = []
    for key, query in queries.items():
        with_lines.append(replace(query, line=place(key).line or None))
    return with_lines


def params_of(values: object) -> dict[str, object]:
    """Return an object of the file as the search parameters of a query.

    Return {} if `values` is not an object.
    """
    if not isinstance(values, dict):
        return {}
    return {name: as_python(value) for name, value in values.items()}
