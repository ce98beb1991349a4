"""The types that files of judgments and queries are read into: `Query`, `Ratings` and `Judgments`.

Every format is first read into `Ratings`: columns of what each row says, as it is written. `grading.graded` turns those
into `Judgments`, a dict of dicts that also knows its queries, titles and raters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any

from pytest_relevance.judgments.problems import FileProblem

UNNAMED = "rating 1"
"""The name of a rater without one, in a file that names others or has several ratings of a document."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query as a file describes it. `id` is the key of its judgments: an id, or the text where it has none.

    `text` is None where the file has ids alone. `note` is an information need or a description. `line` counts from 1.
    """

    id: str
    text: str | None = None
    weight: float = 1
    params: Mapping[str, object] = field(default_factory=dict)
    note: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a file: the line (from 1), and the path where the file has a structure (JSON)."""

    line: int | None = None
    path: str | None = None


def _unknown_place(row: int) -> Place:
    return Place()


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of one file as columns, with an element for each rating. Nothing is checked yet.

    `queries` are the ids, or the texts where the file has no ids. A rating is text or a number; "" and None are no
    judgment. `raters` names who gave each rating, None where the file does not tell raters apart. `described` are the
    queries that the file says more about than their id, and those without a rating. `place` gives the position of a
    row, for messages. `words` maps what the format calls its grades ("e", casefolded) to the names that a scale may
    give them ("exact", "e"); `grades_of_words` are their grades where there is no scale. `by_id` says whether `queries`
    are ids or texts, None where the file does not tell. `unclear` is why the file does not show which ratings are the
    grades, unless the user says how ratings are combined.
    """

    file: str
    format: str
    queries: Sequence[str]
    documents: Sequence[str]
    ratings: Sequence[object]
    raters: Sequence[str] | None = None
    titles: Sequence[str | None] | None = None
    described: Mapping[str, Query] = field(default_factory=dict)
    place: Callable[[int], Place] = _unknown_place
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    grades_of_words: Mapping[str, float] = field(default_factory=dict)
    notices: Sequence[str] = ()
    by_id: bool | None = None
    unclear: FileProblem | None = None

    def where(self, keep: Sequence[bool]) -> Ratings:
        """Select rows. `keep`: for each row whether it stays."""
        return self.take(list(compress(range(len(keep)), keep)))

    def take(self, rows: Sequence[int]) -> Ratings:
        """Select rows by their numbers."""

        def taken(column: Sequence[Any]) -> list[Any]:
            return [column[row] for row in rows]

        return replace(
            self,
            queries=taken(self.queries),
            documents=taken(self.documents),
            ratings=taken(self.ratings),
            raters=None if self.raters is None else taken(self.raters),
            titles=None if self.titles is None else taken(self.titles),
            place=lambda number: self.place(rows[number]),
        )


class Judgments(dict[str, dict[str, float]]):
    """{query: {document: grade}}, the queries in the order of the file, and what else the file says.

    The key of a query is its id, or its text where the file gives no id. `queries` are the queries that the file says
    more about (text, weight, params, note), and those without a judgment. `titles` are {query: {document: title}};
    `ratings` {query: {document: {rater: rating}}} where there are several raters, `raters` their names. `format` is the
    name of the format it was read as. `notices` say what was left out in reading, and why.
    """

    __slots__ = ("_by_text", "file", "format", "notices", "place", "queries", "raters", "ratings", "titles")

    def __init__(
        self,
        grades: Mapping[str, dict[str, float]] | None = None,
        *,
        file: str = "",
        format: str = "",
        queries: Mapping[str, Query] | None = None,
        titles: Mapping[str, Mapping[str, str]] | None = None,
        ratings: Mapping[str, Mapping[str, Mapping[str, float]]] | None = None,
        raters: Sequence[str] = (),
        notices: Sequence[str] = (),
        place: Callable[[str, str], Place] | None = None,
    ) -> None:
        super().__init__(grades or {})
        self.file = file
        self.format = format
        self.queries: Mapping[str, Query] = queries or {}
        self.titles: Mapping[str, Mapping[str, str]] = titles or {}
        self.ratings: Mapping[str, Mapping[str, Mapping[str, float]]] = ratings or {}
        self.raters = tuple(raters)
        self.notices = tuple(notices)
        self.place = place if place is not None else _unknown_place_of
        self._by_text: dict[str, list[str]] | None = None

    def __repr__(self) -> str:
        """Describe it in one line; `dict(...)` shows the judgments."""
        named = f"{self.file}: " if self.file else ""
        count = sum(map(len, self.values()))
        return f"<Judgments {named}{len(self):,} queries, {count:,} judgments>"

    @property
    def all_queries(self) -> list[str]:
        """The keys of all queries, those with judgments first."""
        return [*self, *(query for query in self.queries if query not in self)]

    @property
    def unrated(self) -> list[str]:
        """The queries that the file names without judging any document."""
        return [query for query in self.all_queries if not self.get(query)]

    def text(self, query: str) -> str:
        """The text of a query: what the file says, or the key itself where it says nothing."""
        described = self.queries.get(query)
        return described.text if described is not None and described.text is not None else query

    def known_as(self, text: str) -> Sequence[str]:
        """The keys of the queries with this text."""
        if self._by_text is None:
            self._by_text = {}
            for key, query in self.queries.items():
                if query.text is not None and query.text != key:
                    self._by_text.setdefault(query.text, []).append(key)
        keys: Sequence[str] = self._by_text.get(text, ())
        return [text, *keys] if text in self or text in self.queries else keys


def _unknown_place_of(query: str, document: str) -> Place:
    return Place()
