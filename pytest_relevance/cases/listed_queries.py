"""The queries in files: each becomes a case, or adds what the file says to a written
case.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_relevance._problems import Place
from pytest_relevance._text import listed, quoted
from pytest_relevance.cases.location import WRONG, Location, Path, Wrong
from pytest_relevance.cases.values import check_params
from pytest_relevance.judgments.model import Query


@dataclass(frozen=True, slots=True)
class ListedQuery:
    """A query in a file of queries.

    `file`: the path of the file in messages.
    `only_judged`: the query becomes a case only if it has judgments.
    """

    query: Query
    file: str
    only_judged: bool = False

    @property
    def text(self) -> str:
        """The text, or the id in a file that has ids alone."""
        return self.query.text_or_id

    @property
    def place(self) -> Place:
        """Where the query stands."""
        return Place(file=self.file, line=self.query.line or 0)

    @property
    def where(self) -> str:
        """`file:line`, as far as it is known."""
        if self.query.line is None:
            return self.file
        return f"{self.file}:{self.query.line}"

    def defaults(self, at: Location) -> dict[str, object] | Wrong:
        """Give the weight, note and params that the file has for the case.

        Params are merged over those of the suite.
        """
        query = self.query
        values: dict[str, object] = {}
        if query.weight != 1:
            values["weight"] = query.weight
        if query.note is not None:
            values["note"] = query.note
        if query.params:
            params = check_params(query.params, at.under("params"))
            if params is WRONG:
                return WRONG
            values["params"] = params
        return values


class ListedPosition:
    """Where the values of a listed query stand: all of them in its row."""

    __slots__ = ("_name", "_query")

    def __init__(self, query: ListedQuery, name: str) -> None:
        self._query = query
        self._name = name

    def place(self, path: Path, *, at_key: bool) -> Place:
        """Give the place of the row."""
        return self._query.place

    def label(self) -> str:
        """Name the case."""
        return self._name


class ListedQueries:
    """The queries of all the files of a suite, in their order, each id once.

    It knows which of them have written cases.
    """

    def __init__(self) -> None:
        self.by_id: dict[str, ListedQuery] = {}
        self._ids_by_text: dict[str, list[str]] = {}
        self._written = set[str]()

    def add(
        self, queries: Iterable[Query], file: str, at: Location, *, only_judged: bool
    ) -> None:
        """Add the queries of a file. Reports ids that already have another text."""
        for query in queries:
            new = ListedQuery(query, file, only_judged)
            earlier = self.by_id.get(query.id)
            if earlier is None:
                self.by_id[query.id] = new
                self._ids_by_text.setdefault(new.text, []).append(query.id)
            else:
                message = _contradiction(earlier, new)
                if message is not None:
                    at.refuse_at(message, new.place)

    def ids(self, text: str) -> Sequence[str]:
        """Give the ids of the queries with a text."""
        return self._ids_by_text.get(text, ())

    def of_case(
        self, written_id: str | None, text: str | None, at: Location
    ) -> ListedQuery | Wrong | None:
        """Find the listed query that a written case matches.

        It matches by the id of the case, or by its text if it has no id. From then on
        the query counts as one with a written case. Reports an id that another query
        has.
        """
        ids: Sequence[str] = ()
        if written_id is None:
            ids = self.ids(text or "")
        elif written_id in self.by_id:
            ids = [written_id]
        self._written.update(ids)
        if not ids:
            return None
        query = self.by_id[ids[0]]
        if len(ids) > 1:
            these = listed(map(quoted, ids), "and")
            return at.refuse(
                f"{quoted(query.text)} is the text of queries with the ids {these}; write "
                "the one meant",
                "query",
            )
        if text is not None and query.text != text:
            return at.refuse(
                f"the id {quoted(query.query.id)} is that of the query "
                f"{quoted(query.text)} in {query.where}; write another id, or that query",
                "id",
            )
        return query

    def with_case(self) -> list[ListedQuery]:
        """List the queries that match a written case."""
        return self._where_written(is_written=True)

    def without_case(self) -> list[ListedQuery]:
        """List the queries that match no written case."""
        return self._where_written(is_written=False)

    def _where_written(self, *, is_written: bool) -> list[ListedQuery]:
        queries = []
        for query in self.by_id.values():
            if (query.query.id in self._written) == is_written:
                queries.append(query)
        return queries


def _contradiction(earlier: ListedQuery, new: ListedQuery) -> str | None:
    """Say in what a second query of an id differs from the first one; None if they
    agree.
    """
    name = quoted(new.query.id)
    if earlier.text != new.text:
        return (
            f"the query id {name} stands for {quoted(earlier.text)} in {earlier.where} and "
            f"for {quoted(new.text)} here; give one of them another id"
        )
    for part in ("weight", "note", "params"):
        if getattr(earlier.query, part) != getattr(new.query, part):
            return (
                f"the query id {name} stands in {earlier.where} with another {part}; keep "
                "one of them, or give one of them another id"
            )
    return None
