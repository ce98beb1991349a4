"""The queries that files list for a suite, and which of them have written cases.

Suites without files of queries do not import this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_relevance._problems import Place
from pytest_relevance._text import listed, quoted
from pytest_relevance.cases.checking import values as checks
from pytest_relevance.cases.problems import Location
from pytest_relevance.judgments.model import Query


@dataclass(frozen=True, slots=True)
class ListedQuery:
    """A query in a file of queries, with the path of the file in messages.

    `only_judged`: the query becomes a case only where it has judgments.
    """

    query: Query
    file: str
    only_judged: bool = False

    @property
    def text(self) -> str:
        """The text, or the id in a file that has ids alone."""
        return self.query.text_or_id

    @property
    def where(self) -> str:
        """`file:line`, as far as it is known."""
        return self.file if self.query.line is None else f"{self.file}:{self.query.line}"

    def position(self) -> tuple[str, Place]:
        """The name of the file and the place in it."""
        return self.file, Place(self.query.line)

    def defaults(self, at: Location) -> dict[str, object]:
        """The weight, note and params that the file gives the case; params are merged over those of the suite."""
        query = self.query
        found: dict[str, object] = {"weight": query.weight} if query.weight != 1 else {}
        if query.note is not None:
            found["note"] = query.note
        if query.params:
            found["params"] = checks.params(query.params, at.under("params"))
        return found


class ListedQueries:
    """The queries of all the files of a suite, in their order, each id once."""

    def __init__(self) -> None:
        self._by_id: dict[str, ListedQuery] = {}
        self._ids: dict[str, list[str]] = {}
        self._written = set[str]()

    def __len__(self) -> int:
        """How many queries there are."""
        return len(self._by_id)

    def add(self, queries: Iterable[Query], file: str, at: Location, *, only_judged: bool) -> None:
        """Add the queries of a file; report ids that already have another text."""
        for query in queries:
            new = ListedQuery(query, file, only_judged)
            earlier = self._by_id.setdefault(query.id, new)
            if earlier is new:
                self._ids.setdefault(new.text, []).append(query.id)
            elif earlier.text != new.text:
                what = f"the query id {quoted(query.id)} stands for {quoted(earlier.text)} in {earlier.where}"
                at.refuse(
                    f"{what} and for {quoted(new.text)} here; give one of them another id", elsewhere=new.position
                )

    def ids(self, text: str) -> Sequence[str]:
        """The ids of the queries with a text."""
        return self._ids.get(text, ())

    def of_case(self, written_id: str | None, text: str | None, at: Location) -> ListedQuery | None:
        """The listed query that a written case matches, by the id of the case, or by its text where it has no id.

        From then on `split` counts the query among the written ones. Reports an id that another query has.
        """
        ids = self.ids(text or "") if written_id is None else [written_id] * (written_id in self._by_id)
        self._written.update(ids)
        if not ids:
            return None
        found = self._by_id[ids[0]]
        if len(ids) > 1:
            these = listed(map(quoted, ids), "and")
            at.refuse(f"{quoted(found.text)} is the text of queries with the ids {these}; write the one meant", "query")
        elif text is not None and found.text != text:
            what = f"the id {quoted(found.query.id)} is that of the query {quoted(found.text)} in {found.where}"
            at.refuse(f"{what}; write another id, or that query", "id")
        return found

    def split(self) -> tuple[list[ListedQuery], list[ListedQuery]]:
        """The queries that match a written case, and the others."""
        written = [found for found in self._by_id.values() if found.query.id in self._written]
        return written, [found for found in self._by_id.values() if found.query.id not in self._written]
