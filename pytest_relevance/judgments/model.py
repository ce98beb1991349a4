"""The types that files of judgments and queries are read into: `Query`, `Ratings` and `Judgments`.

Every format is first read into `Ratings`: columns of what each row says, as it is written. `grading.graded` turns those
into `Judgments`, a dict of dicts that also knows its queries, titles and raters. `with_queries` joins judgments with a
file of queries (texts for ids, or ids for texts).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import Any

from pytest_relevance._problems import Place, Problem
from pytest_relevance._text import counted, examples, listed, quoted


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

    @property
    def text_or_id(self) -> str:
        """The text, or the id where there is no text."""
        return self.id if self.text is None else self.text

    @property
    def says_more(self) -> bool:
        """Whether it is described by more than its key."""
        return self not in (Query(self.id), Query(self.id, self.id))

    def another_text(self, other: Query) -> str:
        """The message for another query with this id and another text."""
        line = f" in line {self.line}" if self.line is not None else ""
        texts = f"{quoted(self.text or '')}{line} and for {quoted(other.text or '')}"
        return f"the query id {quoted(self.id)} stands for {texts}; give one of them another id"


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of one file as columns, with an element for each rating. Nothing is checked yet.

    `queries` are the ids, or the texts where the file has no ids. A rating is text or a number; "" and None are no
    judgment. `raters` names who gave each rating, None where the file does not distinguish raters. `described` are the
    queries that the file says more about than their id, and those without a rating. `place` gives the position of a
    row, for messages. `words` maps what the format calls its grades ("e", casefolded) to the names that a scale may
    give them ("exact", "e"); `grades_of_words` are their grades where there is no scale. `by_id` says whether `queries`
    are ids or texts, None where the file does not say. `unclear` is why the file does not show which ratings are the
    grades, unless the user says how ratings are combined. `machine` says of each row whether a machine gave the rating;
    None where the file does not say.
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
            machine=None if self.machine is None else taken(self.machine),
            place=lambda number: self.place(rows[number]),
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
    ratings: Mapping[str, Mapping[str, Mapping[str, float]]] = field(
        default_factory=dict
    )
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
        return self.queries[query].text_or_id if query in self.queries else query

    def known_as(self, text: str) -> Sequence[str]:
        """The keys of the queries with this text."""
        keys = self._by_text.get(text, [])
        return [text, *keys] if text in self or text in self.queries else keys

    @cached_property
    def _by_text(self) -> Mapping[str, list[str]]:
        """The keys of the queries by their texts, where those are not their keys."""
        return grouped(
            (query.text, key)
            for key, query in self.queries.items()
            if query.text is not None and query.text != key
        )


def grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """{first: [second, ...]} of pairs, in their order."""
    groups: dict[str, list[str]] = {}
    for first, second in pairs:
        groups.setdefault(first, []).append(second)
    return groups


FORMATS_OF_IDS = frozenset({"trec", "beir"})
"""The formats of judgments that have ids of queries and no texts."""


def queries_of(judgments: Judgments) -> list[Query]:
    """Describe all queries. The text of one that is not described is its key, except in a format that has ids alone."""
    ids_alone = judgments.format in FORMATS_OF_IDS
    return [
        judgments.queries.get(key) or Query(key, None if ids_alone else key)
        for key in judgments.all_queries
    ]


def _rekeyed(judgments: Judgments, names: Mapping[str, str]) -> Judgments:
    """Give all queries new keys: `names` is {old key: new key}."""
    olds = {new: old for old, new in names.items()}
    return replace(
        judgments,
        grades={names[query]: documents for query, documents in judgments.items()},
        queries={
            names[old]: replace(query, id=names[old])
            for old, query in judgments.queries.items()
        },
        titles={names[query]: titles for query, titles in judgments.titles.items()},
        ratings={names[query]: ratings for query, ratings in judgments.ratings.items()},
        place=lambda query, document: judgments.place(olds[query], document),
    )


def with_queries(
    judgments: Judgments, queries: Sequence[Query], file: str
) -> tuple[Judgments, list[str]]:
    """Give judgments the ids of a file of queries, with all that it says of them. Returns notices too.

    A query of the judgments is matched by id, or else by text. A query that the file does not have is not changed; a
    query that only the file has is left out.

    Raises:
        ValueError: two queries of the judgments are one in the file.
    """
    by_id = {query.id: query for query in queries}
    by_text = grouped(
        (query.text, query.id) for query in queries if query.text is not None
    )
    names: dict[str, str] = {}
    unknown: list[str] = []
    ambiguous: list[str] = []
    for key in judgments.all_queries:
        text = judgments.queries[key].text if key in judgments.queries else None
        ids = by_text.get(key if text is None else text, [])
        if key in by_id and text in (None, by_id[key].text):
            ids = [key]
        names[key] = ids[0] if len(ids) == 1 else key
        if len(ids) != 1:
            (ambiguous if ids else unknown).append(key)
    for new, olds in grouped((new, old) for old, new in names.items()).items():
        if len(olds) > 1:
            these = listed(map(quoted, olds), "and")
            raise ValueError(
                f"the queries {these} are one in {file}, {quoted(new)}; join them"
            )
    joined = _rekeyed(judgments, names)
    known = [key for key in by_id if key in {*names.values()}]
    joined.queries = {
        **joined.queries,
        **{key: _united(by_id[key], joined.queries.get(key)) for key in known},
    }
    texts = [
        query.text_or_id for key, query in by_id.items() if key not in joined.queries
    ]
    return joined, [
        *_notice(unknown, names, f"not in {file}"),
        *_notice(ambiguous, names, f"the text of several queries in {file}"),
        *_notice(texts, by_id, f"only in {file}, without judgments, and left out"),
    ]


def _united(query: Query, other: Query | None) -> Query:
    """Unite two descriptions of a query; the first counts where both say something."""
    if other is None:
        return query
    return replace(
        query,
        text=other.text if query.text is None else query.text,
        weight=other.weight if query.weight == 1 else query.weight,
        params=query.params or other.params,
        note=query.note or other.note,
    )


def _notice(keys: Sequence[str], all_of_them: Collection[str], what: str) -> list[str]:
    if not keys:
        return []
    total = counted(len(all_of_them), "query", "queries")
    return [
        f"{len(keys):,} of {total} {'is' if len(keys) == 1 else 'are'} {what}: {examples(keys)}"
    ]
