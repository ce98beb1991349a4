"""What the readers of JSON share: ratings and queries collected in columns, and the way back to where each stands.

A file has a million ratings, a few in each object or list. What is kept of their places is one entry for each of those
(a block); the path and the line of a rating are worked out when a message needs them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat
from typing import NoReturn

from pytest_relevance._text import found, listed, quoted, shown
from pytest_relevance.judgments.json_text import JsonPath, JsonPlaces, NumberAsWritten, as_python, shown_path
from pytest_relevance.judgments.model import UNNAMED, Place, Query, Ratings
from pytest_relevance.judgments.problems import MOST_KEPT, FileProblem, JudgmentFileError
from pytest_relevance.judgments.source import Source

RATING = frozenset({str, NumberAsWritten, type(None), bool})
"""What a rating may be. true and false are among them because `grading` says best what is wrong with those."""


@dataclass(frozen=True, slots=True)
class Keys:
    """What an object calls the document that it rates, the grade, who gave it, and the document's title."""

    document: str
    grade: str
    rater: str | None = None
    title: str | None = None


class Collector:
    """The ratings and the queries of one file, on their way to `Ratings` or to a list of queries.

    A reader calls it with what it finds and with the path to that; where the file has JSON in `lines` (their numbers),
    a path begins with the number of the line among those. What is wrong is noted, and refused at the end, all together.
    """

    def __init__(self, source: Source, format: str, lines: Sequence[int] | None = None) -> None:
        self.notices: list[str] = []
        self._source = source
        self._format = format
        self._known: dict[str, tuple[Query, JsonPath]] = {}
        self._problems: list[tuple[str, JsonPath]] = []
        self._queries: list[str] = []
        self._documents: list[str] = []
        self._ratings: list[object] = []
        self._raters: list[str | None] = []
        self._titles: list[str | None] = []
        self._places = _Places(source.text, lines, self._documents)
        self._next: tuple[JsonPath | None, int] = (None, 0)

    def wrong(self, message: str, path: JsonPath) -> None:
        """Note a mistake."""
        if len(self._problems) < MOST_KEPT:
            self._problems.append((message, path))

    def refuse(self, message: str) -> NoReturn:
        """Refuse the file as a whole, unless something in it is known to be wrong: then for that."""
        self._raise()
        self._source.refuse(message)

    def objects(self, value: object, path: JsonPath, what: str) -> Iterator[tuple[JsonPath, dict[str, object]]]:
        """The objects of what should be a list of them."""
        if not isinstance(value, list):
            self.wrong(f"{quoted(what)} is a list of objects, found {said(value)}", path)
            return
        for number, entry in enumerate(value):
            if isinstance(entry, dict):
                yield (*path, number), entry
            else:
                self.wrong(f"{quoted(what)} is a list of objects, found {said(entry)} in it", (*path, number))

    def text(self, holder: Mapping[str, object], key: str, path: JsonPath) -> str | None:
        """An id or a text, as it is written. None, and a mistake, where there is none."""
        if key not in holder:
            self.absent(key, holder, path)
            return None
        value = as_text(holder[key])
        if value is None:
            self.wrong(f"{quoted(key)} is text or a number, found {said(holder[key])}", (*path, key))
        return value

    def absent(self, key: str, holder: Mapping[str, object], path: JsonPath) -> None:
        """Note that an object lacks a key."""
        others = f"found {listed(map(quoted, holder), 'and')}" if holder else "the object is empty"
        self.wrong(f"{quoted(key)} is missing; {others}", path)

    def params(self, values: Mapping[str, object], path: JsonPath) -> dict[str, object]:
        """What is passed to the search beside the text."""
        try:
            return {name: as_python(value) for name, value in values.items()}
        except (ValueError, RecursionError):
            self.wrong("a number here is too long, or the values are nested too deeply", path)
            return {}

    def add_query(self, query: Query, path: JsonPath) -> None:
        """Note a query, in the order of the file; the same one again changes nothing."""
        known = self._known.setdefault(query.id, (query, path))[0]
        if known.text != query.text:
            texts = f"{quoted(known.text or '')} and for {quoted(query.text or '')}"
            self.wrong(f"the query id {quoted(query.id)} stands for {texts}; give one of them another id", path)
        elif known.params != query.params:
            message = f"the query {quoted(query.id)} stands here with other params, {said(query.params)}, than before"
            self.wrong(f"{message}, {said(known.params)}; keep one of them", path)

    def name_query(self, key: str, text: str | None, path: JsonPath) -> None:
        """Note the query of one of many rows."""
        known = self._known.get(key)
        if known is None or (text is not None and known[0].text != text):
            self.add_query(Query(key, text), path)

    def add_grades(
        self, query: str, grades: Mapping[str, object], path: JsonPath, titles: Mapping[str, str | None] | None = None
    ) -> None:
        """Ratings as {document: rating}."""
        if not RATING.issuperset(map(type, grades.values())) or not all(map(str.strip, grades)):
            for document, rating in grades.items():
                if not document.strip():
                    self.wrong("a document has no id", (*path, document))
                elif type(rating) not in RATING:
                    self.no_rating(rating, (*path, document))
            return
        self._places.begin(path, None)
        self._next = (None, 0)
        count = len(grades)
        self._queries.extend(repeat(query, count))
        self._documents.extend(grades)
        self._ratings.extend(grades.values())
        self._raters.extend(repeat(None, count))
        self._titles.extend(repeat(None, count) if titles is None else map(titles.get, grades))

    def add_items(self, query: str, items: object, path: JsonPath, keys: Keys, what: str = "ratings") -> None:
        """Ratings as a list of objects, one a document."""
        for (*_, number), item in self.objects(items, path, what):
            assert isinstance(number, int)
            self.add_item(query, item, path, number, keys)

    def add_item(self, query: str, item: Mapping[str, object], path: JsonPath, number: int, keys: Keys) -> None:
        """One object that rates a document, number so-and-so of those at `path`."""
        document, rating = item.get(keys.document), item.get(keys.grade)
        if type(document) is not str or not document.strip():
            document = as_text(document)
        if document is None or type(rating) not in RATING or (rating is None and keys.grade not in item):
            self._refuse_item(item, (*path, number), keys)
            return
        rater = item.get(keys.rater) if keys.rater is not None else None
        title = item.get(keys.title) if keys.title is not None else None
        self.add(query, document, rating, path, number, as_text(rater), as_text(title))

    def add(
        self,
        query: str,
        document: str,
        rating: object,
        path: JsonPath,
        number: int,
        rater: str | None = None,
        title: str | None = None,
    ) -> None:
        """One rating that has been checked."""
        if self._next[0] is not path or self._next[1] != number:
            self._places.begin(path, number)
        self._next = (path, number + 1)
        self._queries.append(query)
        self._documents.append(document)
        self._ratings.append(rating)
        self._raters.append(rater)
        self._titles.append(title)

    def no_rating(self, rating: object, path: JsonPath) -> None:
        """Note that something is no rating."""
        self.wrong(f"a rating is a number or a name of the scale, found {said(rating)}", path)

    def _refuse_item(self, item: Mapping[str, object], path: JsonPath, keys: Keys) -> None:
        self.text(item, keys.document, path)
        if keys.grade not in item:
            self.absent(keys.grade, item, path)
        elif type(item[keys.grade]) not in RATING:
            self.no_rating(item[keys.grade], (*path, keys.grade))

    def ratings(self) -> Ratings:
        """All ratings. `JudgmentFileError` with what is wrong."""
        self._raise()
        if not self._known:
            self._source.refuse("the file has no judgments")
        rated = {query for query, rating in zip(self._queries, self._ratings, strict=True) if rating not in (None, "")}
        return Ratings(
            self._source.file,
            self._format,
            self._queries,
            self._documents,
            self._ratings,
            [rater or UNNAMED for rater in self._raters] if any(self._raters) else None,
            self._titles if any(self._titles) else None,
            {key: query for key, (query, _) in self._known.items() if key not in rated or _says_more(query)},
            self._places.of_row,
            notices=tuple(self.notices),
        )

    def queries(self) -> list[Query]:
        """All queries, with their lines. `JudgmentFileError` with what is wrong."""
        self._raise()
        if not self._known:
            self._source.refuse("the file has no queries")
        return [
            replace(query, text=key if query.text is None else query.text, line=self._places.line(path))
            for key, (query, path) in self._known.items()
        ]

    def _raise(self) -> None:
        if self._problems:
            placed = [(message, self._places.find(path)) for message, path in self._problems]
            placed.sort(key=lambda one: one[1].line or 0)
            problems = [FileProblem(message, place.line, place.path) for message, place in placed]
            raise JudgmentFileError(self._source.file, problems)


class _Places:
    """Where the rows are: a block for each object or list that holds some of them, and the path to that.

    The members of a block are numbered from so-and-so, or, in an object (None), known by their document.
    """

    def __init__(self, text: str, lines: Sequence[int] | None, documents: Sequence[str]) -> None:
        self._text = text
        self._lines = lines
        self._documents = documents
        self._starts: list[int] = []
        self._blocks: list[tuple[JsonPath, int | None]] = []

    def begin(self, path: JsonPath, number: int | None) -> None:
        """The next row begins a block."""
        self._starts.append(len(self._documents))
        self._blocks.append((path, number))

    def of_row(self, row: int) -> Place:
        """The place of a row."""
        block = bisect_right(self._starts, row) - 1
        path, first = self._blocks[block]
        return self.find((*path, self._documents[row] if first is None else first + row - self._starts[block]))

    def find(self, path: JsonPath) -> Place:
        """The line of a path, and the path as it is shown."""
        return Place(self.line(path), shown_path(path if self._lines is None else path[1:]))

    def line(self, path: JsonPath) -> int | None:
        """The line of a path."""
        if self._lines is None:
            return self._json.line(path)
        return self._lines[path[0]] if path and isinstance(path[0], int) else None

    @cached_property
    def _json(self) -> JsonPlaces:
        return JsonPlaces(self._text)


def as_text(value: object) -> str | None:
    """Text or a number as text, exactly as written. None for what is blank and for anything else, NaN too."""
    if type(value) is str:
        return value if value.strip() else None
    return str(value) if isinstance(value, NumberAsWritten) and value[-1].isdigit() else None


def _says_more(query: Query) -> bool:
    """Whether a query is more than what its ratings are kept under."""
    return query not in (Query(query.id), Query(query.id, query.id))


def said(value: object) -> str:
    """A value as messages say what was found."""
    return shown(value) if isinstance(value, NumberAsWritten) else found(value)
