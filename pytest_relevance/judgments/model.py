"""Define the objects that files of judgments and queries are read into.

Every format is first read into `Ratings`: columns with the content of each row, as it
is written. `grading.graded` makes `Judgments` from them: a dict of dicts with further
attributes, such as queries, titles and raters. `Query` describes one query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field, replace
from functools import cached_property
from typing import Any

from pytest_relevance._json_text import found_json
from pytest_relevance._problems import Place, Problem
from pytest_relevance._text import quoted


@dataclass(frozen=True, slots=True)
class Query:
    """A query as a file describes it.

    `id`: the key of its judgments. It is the text if the query has no id.
    `text`: None if the file has ids alone.
    `note`: an information need or a description.
    `line`: the line of the file, from 1.
    `keys`: further keys of a case that columns of the file set, as checked plain
    values.
    `sample_by`: the size of the query, which decides how likely a sample draws it; None
    for a blank.
    `sample_per`: the group of the query, from which a sample draws.
    """

    id: str
    text: str | None = None
    weight: float = 1
    params: Mapping[str, object] = field(default_factory=dict)
    note: str | None = None
    line: int | None = None
    keys: Mapping[str, object] = field(default_factory=dict)
    sample_by: float | None = None
    sample_per: str = ""

    @property
    def text_or_id(self) -> str:
        """Return the text, or the id if there is no text."""
        return self.id if self.text is None else self.text

    @property
    def says_more(self) -> bool:
        """Say whether the file has more of the query than its key."""
        return self not in (Query(self.id), Query(self.id, self.id))

    def another_text(self, other: Query) -> str:
        """Return the message that `other` has the same id and another text."""
        line = f" in line {self.line}" if self.line is not None else ""
        return (
            f"the query id {quoted(self.id)} stands for {quoted(self.text or '')}{line} "
            f"and for {quoted(other.text or '')}; give one of them another id"
        )

    def contradicted_by(self, other: Query, fields: Iterable[str]) -> str:
        """Return how a later row of the query contradicts this one; "" if it agrees.

        `fields`: what is compared beside the text: "params", "weight" or "note".
        """
        if self.text != other.text:
            return self.another_text(other)
        for name in fields:
            before, here = getattr(self, name), getattr(other, name)
            if before != here:
                return (
                    f"the query {quoted(self.id)} has the {name} {found_json(here)} here and {found_json(before)} "
                    "before; keep one of them"
                )
        return ""


class QueryList(list[Query]):
    """The queries of a file.

    `notices`: what was left out in reading, and what may be a mistake.
    `unused_drops`: a sentence for each text of `drop` that no row has.
    """

    def __init__(
        self,
        queries: Iterable[Query],
        notices: Sequence[str] = (),
        unused_drops: Sequence[str] = (),
    ) -> None:
        super().__init__(queries)
        self.notices = tuple(notices)
        self.unused_drops = tuple(unused_drops)


IDS = "ids"
QUOTES = "quotes"
CONTEXTS = "contexts"
"""What the documents of judgments are.

Most files judge ids of documents. A file with passages has texts in their place. A
result has to hold a quote as a whole. Of a context, which a golden set of another tool
has, half is enough, since another splitter cut it.
"""


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of one file as columns, before they are checked.

    Each column has an element for each rating.

    `queries`: ids, or texts if the file has no ids.
    `by_id`: whether `queries` are ids; None if the file does not say.
    `ratings`: texts or numbers; "" and None mean that nobody judged.
    `raters`: who gave each rating; None if the file does not name raters.
    `described`: {key: query}, for queries with more than an id, and queries without a
        rating.
    `place`: returns the place of a row in the file.
    `words`: {word of the format in small letters: names that a scale may give it}, for
        example {"e": ("exact", "e")}.
    `grades_of_words`: the grades of these words without a scale.
    `notices`: what was left out in reading, and why.
    `unclear`: why it is not clear which ratings are the grades; None if it is. Such
        ratings are an error if the user does not say how ratings are combined.
    `machine`: whether a machine gave each rating; None if the file does not say.
    `is_worklist`: whether the file is a worklist of a run. It may have queries of
        several suites.
    `documents_are`: `IDS`, `QUOTES` or `CONTEXTS`.
    `is_golden_set`: whether the file has queries and what each needs, so that a case
        file names it once.
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
    unclear: Problem | None = None
    machine: Sequence[bool] | None = None
    is_worklist: bool = False
    documents_are: str = IDS
    is_golden_set: bool = False

    def where(self, keep: Sequence[bool]) -> Ratings:
        """Return the ratings of the rows for which `keep` has True."""
        return self.take([row for row, stays in enumerate(keep) if stays])

    def take(self, rows: Sequence[int]) -> Ratings:
        """Return the ratings of the rows with these numbers, from 0."""

        def taken(column: Sequence[Any]) -> list[Any]:
            return [column[row] for row in rows]

        def taken_if_given(column: Sequence[Any] | None) -> list[Any] | None:
            return None if column is None else taken(column)

        def place(number: int) -> Place:
            return self.place(rows[number])

        return replace(
            self,
            queries=taken(self.queries),
            documents=taken(self.documents),
            ratings=taken(self.ratings),
            raters=taken_if_given(self.raters),
            titles=taken_if_given(self.titles),
            machine=taken_if_given(self.machine),
            place=place,
        )


@dataclass(eq=False, repr=False)
class Judgments(dict[str, dict[str, float]]):
    """{query: {document: grade}}, with what else a file says of queries and documents.

    The queries are in the order of the file. The key of a query is its id, or its text
    if the file has no id. The class is a dataclass, so `dataclasses.replace` makes
    changed copies.

    `format`: the name of the format that the file was read in.
    `queries`: {key: query}, for queries with more than a key (text, weight, params,
    note), and queries without a judgment.
    `titles`: {query: {document: title}}.
    `ratings`: {query: {document: {rater: rating}}} if the file names raters.
    `raters`: the names of the raters.
    `notices`: what was left out in reading, and why.
    `place`: returns the place of the judgment of a query and a document in the file.
    `documents_are`: `IDS`, or `QUOTES` or `CONTEXTS` if the keys of the inner dicts are
    texts of passages.
    """

    grades: InitVar[Mapping[str, dict[str, float]] | None] = None
    _: KW_ONLY
    file: str = ""
    format: str = ""
    queries: Mapping[str, Query] = field(default_factory=dict)
    titles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    ratings: Mapping[str, Mapping[str, Mapping[str, float]]] = field(
        default_factory=dict
    )
    raters: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    place: Callable[[str, str], Place] = lambda query, document: Place()
    documents_are: str = IDS

    def __post_init__(self, grades: Mapping[str, dict[str, float]] | None) -> None:
        """Copy the grades into the dict."""
        self.update(grades or {})

    def __repr__(self) -> str:
        """Describe the judgments in one line; `dict(...)` shows them all."""
        named = f"{self.file}: " if self.file else ""
        count = sum(len(documents) for documents in self.values())
        return f"<Judgments {named}{len(self):,} queries, {count:,} judgments>"

    @property
    def have_passages(self) -> bool:
        """Say whether the documents are texts of passages instead of ids."""
        return self.documents_are != IDS

    @property
    def all_queries(self) -> list[str]:
        """Return the keys of all queries, queries with judgments first."""
        return list(dict.fromkeys([*self, *self.queries]))

    @property
    def unrated(self) -> list[str]:
        """Return the keys of the queries without a judgment."""
        return [query for query in self.all_queries if not self.get(query)]

    def text(self, query: str) -> str:
        """Return the text of the query with this key, or the key if it has no text."""
        return self.queries[query].text_or_id if query in self.queries else query

    def known_as(self, text: str) -> Sequence[str]:
        """Return the keys of the queries with this text."""
        keys = self._by_text.get(text, [])
        if text in self or text in self.queries:
            return [text, *keys]
        return keys

    @cached_property
    def _by_text(self) -> Mapping[str, list[str]]:
        """Return {text: keys of the queries with this text}.

        A key that is the text itself is left out.
        """
        keys: dict[str, list[str]] = {}
        for key, query in self.queries.items():
            if query.text is not None and query.text != key:
                keys.setdefault(query.text, []).append(key)
        return keys


FORMATS_OF_IDS = frozenset({"trec", "beir"})
"""The formats of judgments that have ids of queries and no texts."""


def queries_of(judgments: Judgments) -> list[Query]:
    """Return all queries of the judgments.

    If the file has only the key of a query, the key is also its text. In a format that
    has only ids, such a query has no text.
    """
    ids_alone = judgments.format in FORMATS_OF_IDS
    queries = []
    for key in judgments.all_queries:
        described = judgments.queries.get(key)
        queries.append(described or Query(key, None if ids_alone else key))
    return queries
