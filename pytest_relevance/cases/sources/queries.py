"""The queries that the files under `queries:` name: each becomes a case, unless a written case stands for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from pytest_relevance.cases import checks
from pytest_relevance.cases.problems import Problem, Refused, RefusedSeveral
from pytest_relevance.wording import counted, listed, quoted

if TYPE_CHECKING:
    from pytest_relevance.judgments.model import Query


@dataclass(frozen=True, slots=True)
class ListedQuery:
    """A query in a file of queries, and what messages call the file.

    `only_judged`: it becomes a case only where it has judgments.
    """

    query: Query
    file: str
    only_judged: bool = False

    @property
    def id(self) -> str:
        """Its id, or its text where the file gives it none."""
        return self.query.id

    @property
    def text(self) -> str:
        """Its text, or its id in a file that has ids alone."""
        return self.query.id if self.query.text is None else self.query.text

    @property
    def where(self) -> str:
        """`file:line`, as far as it is known."""
        return self.file if self.query.line is None else f"{self.file}:{self.query.line}"

    def problem(self, message: str, case: str | None = None) -> Problem:
        """What is wrong with it, in its place."""
        return Problem(self.query.line or 0, 0, message, case, self.file)

    def defaults(self, suite: Mapping[str, object]) -> dict[str, object]:
        """What it says of its case; its parameters are merged over the suite's.

        `Refused` or `RefusedSeveral`, with paths from the case, for what a case may not say.
        """
        query = self.query
        found: dict[str, object] = {}
        if query.weight != 1:
            found["weight"] = query.weight
        if query.note is not None:
            found["note"] = query.note
        if query.params:
            try:
                found["params"] = checks.params(query.params, suite)
            except (Refused, RefusedSeveral) as error:
                raise RefusedSeveral([refused.under("params") for refused in error.all()]) from None
        return found


class ListedQueries:
    """The queries of all the files of a suite, in their order, each id once."""

    def __init__(self) -> None:
        self._by_id: dict[str, ListedQuery] = {}
        self._stood_for = set[str]()

    def __len__(self) -> int:
        """How many queries there are."""
        return len(self._by_id)

    def add(self, queries: Iterable[Query], file: str, *, only_judged: bool = False) -> list[Refused]:
        """Add the queries of a file, and return what is wrong with them beside those of other files."""
        refusals = []
        for query in queries:
            listed_query = ListedQuery(query, file, only_judged)
            earlier = self._by_id.setdefault(query.id, listed_query)
            if earlier.text != listed_query.text:
                message = (
                    f"the query id {quoted(query.id)} stands for {quoted(earlier.text)} in {earlier.where} and for "
                    f"{quoted(listed_query.text)} here; give one of them another id"
                )
                refusals.append(Refused(message, elsewhere=partial(listed_query.problem, message)))
        return refusals

    def of_case(self, written_id: str | None, text: str | None) -> ListedQuery | None:
        """The query that a written case stands for: that of its id, or without an id that of its text.

        From then on it is that case's. `Refused`, with a path from the case, where the two contradict each other.
        """
        if written_id is None:
            ids = () if text is None else self.ids(text)
        else:
            ids = (written_id,) if written_id in self._by_id else ()
        self._stood_for.update(ids)
        if not ids:
            return None
        found = self._by_id[ids[0]]
        if len(ids) > 1:
            these = listed(map(quoted, ids), "and")
            what = f"{quoted(found.text)} is the text of {len(ids)} queries, with the ids {these}"
            raise Refused(f"{what}; write the id of the one that is meant", ("query",))
        if text is not None and found.text != text:
            what = f"the id {quoted(found.id)} stands for {quoted(found.text)} in {found.where}"
            raise Refused(f"{what}, and for {quoted(text)} here; write another id, or that query", ("id",))
        return found

    def ids(self, text: str) -> Sequence[str]:
        """The ids of the queries with a text."""
        return self._ids.get(text, ())

    @cached_property
    def _ids(self) -> Mapping[str, Sequence[str]]:
        """Asked for once all queries are there, and only where a case does not go by its id."""
        ids: dict[str, list[str]] = {}
        for found in self._by_id.values():
            ids.setdefault(found.text, []).append(found.id)
        return ids

    def rest(self) -> list[ListedQuery]:
        """The queries that no written case stands for."""
        return [found for found in self._by_id.values() if found.id not in self._stood_for]

    def stood_for(self) -> list[ListedQuery]:
        """The queries that written cases stand for."""
        return [found for found in self._by_id.values() if found.id in self._stood_for]


_MOST_NAMED = 3


def unjudged_words(unjudged: Sequence[str], total: int) -> str:
    """`146 of 200 queries have no judgments: "a", "b", "c" ...`."""
    named = ", ".join(quoted(query, 40) for query in unjudged[:_MOST_NAMED])
    more = " ..." if len(unjudged) > _MOST_NAMED else ""
    have = "has" if len(unjudged) == 1 else "have"
    return f"{len(unjudged):,} of {counted(total, 'query', 'queries')} {have} no judgments: {named}{more}"
