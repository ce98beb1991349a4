"""The types that files of judgments and queries are read into: `Query`, `Ratings` and `Judgments`.

Every format is first read into `Ratings`: columns of what each row says, as it is written. `grading.graded` turns those
into `Judgments`, a dict of dicts that also knows its queries, titles and raters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field, replace
from functools import cached_property
from itertools import compress

from pytest_relevance._text import quoted
from pytest_relevance.judgments.problems import FileProblem, Place

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

    def another_text(self, other: Query) -> str:
        """The message for another query with this id and another text."""
        line = f" in line {self.line}" if self.line is not None else ""
        texts = f"{quoted(self.text or '')}{line} and for {quoted(other.text or '')}"
        return f"the query id {quoted(self.id)} stands for {texts}; give one of them another id"


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
    place: Callable[[int], Place] = lambda row: Place()
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    grades_of_words: Mapping[str, float] = field(default_factory=dict)
    notices: Sequence[str] = ()
    by_id: bool | None = None
    unclear: FileProblem | None = None

    def where(self, keep: Sequence[bool]) -> Ratings:
        """Select rows. `keep`: for each row whether it stays."""
        numbers = list(compress(range(len(keep)), keep))
        return replace(
            self,
            queries=list(compress(self.queries, keep)),
            documents=list(compress(self.documents, keep)),
            ratings=list(compress(self.ratings, keep)),
            raters=None if self.raters is None else list(compress(self.raters, keep)),
            titles=None if self.titles is None else list(compress(self.titles, keep)),
            place=lambda row: self.place(numbers[row]),
        )


@dataclass(eq=False, repr=False)
class Judgments(dict[str, dict[str, float]]):
    """{query: {document: grade}}, the queries in the order of the file, and what else the file says.

    The key of a query is its id, or its text where the file gives no id. `queries` are the queries that the file says
    more about (text, weight, params, note), and those without a judgment. `titles` are {query: {document: title}};
    `ratings` {query: {document: {rater: rating}}} where there are several raters, `raters` their names. `format` is the
    name of the format it was read as. `notices` say what was left out in reading, and why.
    """

    grades: InitVar[Mapping[str, dict[str, float]] | None] = None
    _: KW_ONLY
    file: str = ""
    format: str = ""
    queries: Mapping[str, Query] = field(default_factory=dict)
    titles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    ratings: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    raters: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    place: Callable[[str, str], Place] = lambda query, document: Place()

    def __post_init__(self, grades: Mapping[str, dict[str, float]] | None) -> None:
        """Fill the dict."""
        self.update(grades or {})

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
        keys = self._by_text.get(text, [])
        return [text, *keys] if text in self or text in self.queries else keys

    @cached_property
    def _by_text(self) -> Mapping[str, list[str]]:
        """The keys of the queries by their texts, where those are not their keys."""
        return grouped(
            (query.text, key) for key, query in self.queries.items() if query.text is not None and query.text != key
        )


def grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """{first: [second, ...]} of pairs, in their order."""
    groups: dict[str, list[str]] = {}
    for first, second in pairs:
        groups.setdefault(first, []).append(second)
    return groups
