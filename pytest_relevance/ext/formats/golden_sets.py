"""Convert a golden set, queries with what each needs, to ratings and queries.

Other tools write golden sets to test a whole assistant. A set has the texts that an
answer needs, or the ids of documents, and no grades. Everything that a query needs has
the grade 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from pytest_relevance._json_text import found_json
from pytest_relevance._problems import Place, Problems
from pytest_relevance._source import Source
from pytest_relevance._text import counted, examples, quoted
from pytest_relevance.ext.formats.golden_rows import Row, names_in
from pytest_relevance.ext.formats.query_cells import is_blank
from pytest_relevance.judgments.formats import JudgmentFormat, UnreadColumn
from pytest_relevance.judgments.list_cells import AS_JSON_LINES, NoList, list_in
from pytest_relevance.judgments.model import CONTEXTS, Query, Ratings

_MOST_NAMED = 5
"""How many rows a notice names."""


@dataclass(frozen=True, slots=True)
class Golden:
    """A query, and what it needs.

    `query`: without its line.
    `needed`: texts of passages, or ids of documents.
    `place`: where the query stands.
    `why_none`: why nothing is needed, for a message: `it has no context`.
    `grade`: the grade of all that is needed.
    """

    query: Query
    needed: Sequence[str]
    place: Place
    why_none: str = ""
    grade: object = 1


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """The queries of a file, in their order.

    `needed_are`: what the queries need: `IDS`, `QUOTES` or `CONTEXTS`.
    `notices`: what a user should know of how the file was read.
    """

    goldens: Sequence[Golden]
    needed_are: str = CONTEXTS
    notices: Sequence[str] = ()


def golden_format(
    name: str,
    about: str,
    *,
    fits: Callable[[Source], bool],
    read: Callable[[Source], GoldenSet],
    read_queries: Callable[[Source], GoldenSet] | None = None,
    has_queries_alone: Callable[[Source], bool] = lambda source: False,
    options: frozenset[str] = frozenset(),
) -> JudgmentFormat:
    """Return the format of the golden sets of a tool.

    `read` returns the golden set of a file, or raises FileError.
    `read_queries`: the same for the queries alone, if that differs.
    `has_queries_alone`: says whether a file does not say what its queries need.
    """

    def ratings_of(source: Source) -> Ratings:
        return _ratings(source, name, read(source))

    def queries_of(source: Source) -> list[Query]:
        golden_set = (read_queries or read)(source)
        return _queries(source, golden_set.goldens)

    def columns_of(source: Source) -> list[UnreadColumn]:
        return _columns(source, beside_judgments=not has_queries_alone(source))

    def is_golden_set(source: Source) -> bool:
        return fits(source) and not has_queries_alone(source)

    return JudgmentFormat(
        name=name,
        about=about,
        fits=fits,
        read=ratings_of,
        read_queries=queries_of,
        has_queries_alone=has_queries_alone,
        is_golden_set=is_golden_set,
        unread_columns=columns_of,
        options=options,
    )


def _ratings(source: Source, format: str, golden_set: GoldenSet) -> Ratings:
    """Return the ratings of a golden set. Raises FileError if nothing is needed."""
    goldens = golden_set.goldens
    queries = []
    documents = []
    grades = []
    places = []
    for golden in goldens:
        for needed in dict.fromkeys(golden.needed):
            queries.append(golden.query.id)
            documents.append(needed)
            grades.append(golden.grade)
            places.append(golden.place)
    judged = set(queries)
    without = [golden for golden in goldens if golden.query.id not in judged]
    if not documents:
        _refuse_empty(source, without)
    described = _distinct(source, goldens)
    for key, grade in zip(queries, grades, strict=True):
        # a query that a file does not grade has to be described
        if grade not in (None, "") and key in described:
            if not described[key].says_more:
                del described[key]
    notices = [*golden_set.notices]
    if without:
        notices.append(_notice(without))
    return Ratings(
        source.file,
        format,
        queries=queries,
        documents=documents,
        ratings=grades,
        described=described,
        place=places.__getitem__,
        notices=notices,
        by_id=any(golden.query.text != golden.query.id for golden in goldens),
        documents_are=golden_set.needed_are,
        is_golden_set=True,
    )


def _refuse_empty(source: Source, without: Sequence[Golden]) -> NoReturn:
    if not without:
        source.refuse("the file has no queries")
    first = without[0]
    source.refuse(
        "no query of the file has anything that a search should find; of the first, "
        f"{quoted(first.query.text_or_id, 40)}, {first.why_none}",
        first.place,
    )


def _notice(without: Sequence[Golden]) -> str:
    """Return the notice that names the queries which need nothing, and why."""
    named = []
    for golden in without[:_MOST_NAMED]:
        where = f"line {golden.place.line}" if golden.place.line else golden.place.path
        named.append(
            f"{where} ({quoted(golden.query.text_or_id, 40)}): {golden.why_none}"
        )
    more = len(without) - len(named)
    if more > 0:
        named.append(f"and {more:,} more")
    have = "has" if len(without) == 1 else "have"
    queries = counted(len(without), "query", "queries")
    return f"{queries} {have} nothing that a search should find, so nothing is judged: {'; '.join(named)}"


def _queries(source: Source, goldens: Sequence[Golden]) -> list[Query]:
    """Return the queries of a golden set, each once, with its line.

    Raises FileError if there are none, if one has no text, or if two contradict.
    """
    known = _distinct(source, goldens)
    if not known:
        source.refuse("the file has no queries")
    without_text = [key for key, query in known.items() if query.text is None]
    if without_text:
        source.refuse(
            f"the file has only the ids of queries ({examples(without_text)}); name a file with their texts"
        )
    lines: dict[str, int] = {}
    for golden in goldens:
        lines.setdefault(golden.query.id, golden.place.line)
    queries = []
    for key, query in known.items():
        queries.append(replace(query, line=lines[key] or None))
    return queries


def _distinct(source: Source, goldens: Sequence[Golden]) -> dict[str, Query]:
    """Return the queries by their ids.

    Raises FileError if two rows say something else of one query.
    """
    problems = Problems(source.file)
    known: dict[str, Query] = {}
    for golden in goldens:
        query = golden.query
        earlier = known.setdefault(query.id, query)
        if earlier.text != query.text:
            problems.add(earlier.another_text(query), golden.place)
            continue
        for what in ("weight", "note", "params"):
            if getattr(earlier, what) != getattr(query, what):
                problems.add(
                    f"the query {quoted(query.id, 40)} stands here with another {what} than before; keep one of them",
                    golden.place,
                )
    problems.raise_if_any()
    return known


def _columns(source: Source, *, beside_judgments: bool) -> list[UnreadColumn]:
    """Return all columns of a file as unread.

    The caller refuses an unread column with the name of a case key. No column that is
    read has such a name.
    """
    found = []
    for name in names_in(source).all:
        found.append(UnreadColumn(name, beside_judgments=beside_judgments))
    return found


class Goldens:
    """Collects the queries of rows, and the mistakes in them.

    `query`: the name of the column or key with the query.
    """

    def __init__(self, source: Source, query: str) -> None:
        self._source = source
        self._query = query
        self._problems = Problems(source.file)
        self._found: list[Golden] = []

    def wrong(self, message: str, place: Place) -> None:
        """Record a mistake."""
        self._problems.add(message, place)

    def query_of(self, row: Row, value: object) -> str | None:
        """Return the text of a query; None if `value` is no text, which is recorded."""
        if isinstance(value, dict):
            self.wrong(
                f"{quoted(self._query)} is the text of a query, found an object by row or key; if pandas wrote it, "
                f"{AS_JSON_LINES}",
                row.place,
            )
            return None
        if isinstance(value, list):
            self.wrong(
                f"{quoted(self._query)} is the text of a query, found {found_json(value)}; a conversation of several "
                "turns is not a query: write the question that the search gets",
                row.place,
            )
            return None
        if is_blank(value):
            self.wrong(
                f"the row has no {quoted(self._query)}, the query; write it, or take the row out",
                row.place,
            )
            return None
        return value if isinstance(value, str) else str(value)

    def list_of(self, row: Row, name: str, value: object) -> list[str] | None:
        """Return the entries of a list; None if `value` is none.

        A mistake is recorded if the value looks like a list and cannot be read. Then
        the result is an empty list.

        `name`: the name of the column.
        """
        try:
            return list_in(value)
        except NoList as error:
            self.wrong(f"{quoted(name)}: {error}", row.place)
            return []

    def add(self, golden: Golden) -> None:
        """Add a query."""
        self._found.append(golden)

    def add_text(
        self, text: str | None, needed: Sequence[str], row: Row, why_none: str
    ) -> None:
        """Add a query without an id. Nothing is added if `text` is None."""
        if text is not None:
            self.add(Golden(Query(text, text), needed, row.place, why_none))

    def end(self) -> list[Golden]:
        """Return all queries. Raises FileError if there are mistakes."""
        self._problems.raise_if_any()
        return self._found


def texts_alone(texts: Iterable[str]) -> list[str]:
    """Return the texts with a letter or a digit; others are in nearly any text."""
    return [text for text in texts if any(map(str.isalnum, text))]
