"""Convert a golden set to ratings and queries.

Other tools write golden sets to test a whole assistant. For each query, a set has the
texts that the answer needs, or the ids of documents. There are no grades, so all that
a query needs gets the grade 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from pytest_relevance._json_text import found_json
from pytest_relevance._problems import Place, Problems
from pytest_relevance._source import Source
from pytest_relevance._text import counted, quoted
from pytest_relevance.ext.formats.collecting import (
    queries_to_describe,
    queries_with_lines,
)
from pytest_relevance.ext.formats.golden_rows import Row, names_in
from pytest_relevance.ext.formats.query_cells import is_blank
from pytest_relevance.judgments.formats import JudgmentFormat, UnreadColumn
from pytest_relevance.judgments.list_cells import AS_JSON_LINES, NoList, list_in
from pytest_relevance.judgments.model import CONTEXTS, Query, Ratings

_MOST_NAMED = 5
"""How many rows a notice names."""


@dataclass(frozen=True, slots=True)
class Golden:
    """A query, and what its answer needs.

    `query`: the query; its `line` is not set.
    `needed`: texts of passages, or ids of documents.
    `place`: where the query stands in the file.
    `why_none`: why `needed` is empty, for a message: `it has no context`.
    `grade`: the grade of everything in `needed`.
    """

    query: Query
    needed: Sequence[str]
    place: Place
    why_none: str = ""
    grade: object = 1


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """The queries of a file, in the order of the file.

    `needed_are`: what the queries need: `IDS`, `QUOTES` or `CONTEXTS`.
    `notices`: sentences that tell the user how the file was read.
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

    `fits`: says whether a file has the format.
    `read`: returns the golden set of a file, or raises FileError.
    `read_queries`: reads a file whose queries are used and nothing else; by default
        `read`.
    `has_queries_alone`: says whether a file has queries and not what they need.
    """

    def ratings_of(source: Source) -> Ratings:
        return _ratings(source, name, read(source))

    def queries_of(source: Source) -> list[Query]:
        golden_set = (read_queries or read)(source)
        return _queries(source, golden_set.goldens)

    def columns_of(source: Source) -> list[UnreadColumn]:
        # A column with the name of a case key is refused. So columns that are read may
        # be in the list too: none of them has such a name.
        beside_judgments = not has_queries_alone(source)
        columns = []
        for name in names_in(source).all:
            columns.append(UnreadColumn(name, beside_judgments=beside_judgments))
        return columns

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
    notices = [*golden_set.notices]
    if without:
        notices.append(_notice(without))
    return Ratings(
        source.file,
        format,
        queries=queries,
        documents=documents,
        ratings=grades,
        described=queries_to_describe(_distinct(source, goldens), queries, grades),
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
    """Return the notice about queries that need nothing: their places and reasons."""
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
    """Return the queries of a golden set, each once, with its line."""
    places: dict[str, Place] = {}
    for golden in goldens:
        places.setdefault(golden.query.id, golden.place)
    return queries_with_lines(source, _distinct(source, goldens), places.__getitem__)


def _distinct(source: Source, goldens: Sequence[Golden]) -> dict[str, Query]:
    """Return {id: query}. Raises FileError if two rows of a query differ."""
    problems = Problems(source.file)
    known: dict[str, Query] = {}
    for golden in goldens:
        earlier = known.setdefault(golden.query.id, golden.query)
        fields = ("weight", "note", "params")
        contradiction = earlier.contradicted_by(golden.query, fields)
        if contradiction:
            problems.add(contradiction, golden.place)
    problems.raise_if_any()
    return known


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
        """Return the text of a query.

        A number becomes text. If `value` is an object, a list or blank, record a
        mistake and return None.
        """
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
        """Return the entries of a list; None if `value` is not a list.

        If the value looks like a list and cannot be read, record a mistake and return
        an empty list.

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


def texts_with_words(texts: Iterable[str]) -> list[str]:
    """Return the texts that have a letter or a digit.

    A text without any, such as `...`, would be found in nearly every document.
    """
    return [text for text in texts if any(map(str.isalnum, text))]
