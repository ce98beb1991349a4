"""The files of queries: each query becomes a case, or adds to a written case.

Only the query, its id, its weight and a note are read from columns with usual names.
Any other column is read if the user maps it to a key of a case.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._problems import Place
from pytest_relevance._text import folded_text, listed, quoted
from pytest_relevance.cases.keys import CASE, check_keys
from pytest_relevance.cases.location import WRONG, Location, Path, Position, Wrong
from pytest_relevance.cases.model import ParamsByText
from pytest_relevance.judgments.model import Query
from pytest_relevance.judgments.placeholders import (
    notice_of_placeholders,
    placeholders_in,
)


@dataclass(frozen=True, slots=True)
class ListedQuery:
    """A query in a file of queries.

    `row`: what the file has of the query.
    `file`: the path of the file in messages.
    `only_judged`: whether the query becomes a case only if it has judgments.
    `is_sampled`: whether queries are drawn from the file.
    `weight_in_sample`: its weight if it is drawn; None if it is not.
    """

    row: Query
    file: str
    only_judged: bool = False
    is_sampled: bool = False
    weight_in_sample: float | None = None

    @property
    def is_taken(self) -> bool:
        """Say whether the query is drawn, or in a file from which all are taken.

        A query that is taken becomes a case. With `only_judged` it needs judgments too.
        """
        return not self.is_sampled or self.weight_in_sample is not None

    @property
    def text(self) -> str:
        """Return the text of the query, or its id in a file that has ids alone."""
        return self.row.text_or_id

    @property
    def names(self) -> tuple[str, str]:
        """Return the id and the text of the query."""
        return self.row.id, self.text

    @property
    def place(self) -> Place:
        """Return where the query stands."""
        return Place(file=self.file, line=self.row.line or 0)

    @property
    def where(self) -> str:
        """Return `file:line`, or the file alone if the line is not known."""
        if self.row.line is None:
            return self.file
        return f"{self.file}:{self.row.line}"

    def defaults(self, at: Location) -> dict[str, object] | Wrong:
        """Return the keys that the file sets for the case, or report wrong ones.

        Params are merged over the params of the suite.
        """
        query = self.row
        values: dict[str, object] = {}
        weight = self.weight_in_sample or query.weight
        if weight != 1:
            values["weight"] = weight
        if query.note is not None:
            values["note"] = query.note
        written = dict(query.keys)
        if query.params:
            written["params"] = query.params
        checked = check_keys(CASE, written, at)
        return {**values, **checked.values} if checked.is_right else WRONG


class ListedPosition(Position):
    """The place of a listed query, and the name of its case."""

    __slots__ = ()

    def kind(self, path: Path) -> Hashable:
        """Return the key of the case that a path begins with; None for an empty path.

        Many rows may have a mistake in one column. These are mistakes of one kind.
        """
        return path[0] if path else None


class ListedQueries:
    """The queries of all files of queries of a suite, in their order, each id once.

    Queries for which the case file writes a case are marked.
    """

    def __init__(self) -> None:
        self.by_id: dict[str, ListedQuery] = {}
        self._ids_by_text: dict[str, list[str]] = {}
        self._written = set[str]()

    def add(
        self,
        queries: Iterable[Query],
        file: str,
        at: Location,
        *,
        only_judged: bool,
        drawn: Mapping[str, float] | None = None,
    ) -> None:
        """Add the queries of a file. Report a query that contradicts an earlier one.

        Two queries with one id contradict each other if anything else is different.

        `drawn`: {id of a drawn query: its weight}; None if all queries are taken.
        """
        for query in queries:
            new = ListedQuery(
                query,
                file,
                only_judged,
                is_sampled=drawn is not None,
                weight_in_sample=None if drawn is None else drawn.get(query.id),
            )
            earlier = self.by_id.get(query.id)
            if earlier is None:
                self.by_id[query.id] = new
                self._ids_by_text.setdefault(new.text, []).append(query.id)
                continue
            message = _contradiction(earlier, new)
            if message is not None:
                at.refuse_at(message, new.place)
            elif new.is_taken and not earlier.is_taken:
                self.by_id[query.id] = new

    def ids(self, text: str) -> Sequence[str]:
        """Return the ids of the queries with a text."""
        return self._ids_by_text.get(text, ())

    def take_for_case(
        self, written_id: str | None, text: str | None, at: Location
    ) -> ListedQuery | Wrong | None:
        """Mark the query that a written case is about, and return it; None without one.

        The query has the id of the case. If the case has no id, the query has the text
        of the case. A marked query gets no second case. Reports an id that has another
        text, and a text that several ids have.
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
                f"the id {quoted(query.row.id)} is that of the query "
                f"{quoted(query.text)} in {query.where}; write another id, or that query",
                "id",
            )
        return query

    def with_written_case(self) -> list[ListedQuery]:
        """Return the queries that a written case is about, whether drawn or not."""
        return [query for name, query in self.by_id.items() if name in self._written]

    def without_written_case(self) -> list[ListedQuery]:
        """Return the taken queries that no written case is about.

        Each becomes a case, unless `only: judged` leaves it out.
        """
        selected = []
        for name, query in self.by_id.items():
            if query.is_taken and name not in self._written:
                selected.append(query)
        return selected

    def not_drawn(self) -> ParamsByText:
        """Return the queries that were not drawn and have no written case."""
        found: dict[str, list[Mapping[str, object]]] = {}
        for name, query in self.by_id.items():
            if not query.is_taken and name not in self._written:
                found.setdefault(query.text, []).append(query.row.params)
        return found

    def names(self) -> set[str]:
        """Return the ids and the texts of all queries, also of those not drawn."""
        names: set[str] = set()
        for query in self.by_id.values():
            names.update(query.names)
        return names

    def without_case_by_folded_name(self) -> dict[str, ListedQuery]:
        """Return the queries without a written case by their ids and texts.

        Case and white space make no difference between two names.
        """
        found: dict[str, ListedQuery] = {}
        for name, query in self.by_id.items():
            if name not in self._written:
                for each in query.names:
                    found.setdefault(folded_text(each), query)
        return found

    def notices_of_placeholders(self) -> list[str]:
        """Return a notice for each file with queries such as `(not set)`.

        A query with a written case is kept on purpose. With `only: judged` it is a case
        only if somebody judged it.
        """
        by_file: dict[str, list[Query]] = {}
        for name, query in self.by_id.items():
            if name not in self._written and not query.only_judged:
                by_file.setdefault(query.file, []).append(query.row)
        notices = []
        for file, rows in by_file.items():
            found = placeholders_in(rows)
            if found:
                first = quoted(found[0].text_or_id)
                notices.append(
                    f"{file}: {notice_of_placeholders(found)}. Or keep a query without "
                    f"this warning: cases: [{{query: {first}, judgments: {{}}}}]"
                )
        return notices

    def names_not_drawn(self) -> set[str]:
        """Return the ids and the texts of the queries that were not drawn."""
        names: set[str] = set()
        for query in self.by_id.values():
            if not query.is_taken:
                names.update(query.names)
        return names

    @property
    def count(self) -> int:
        """Return how many queries there are, without those that were not drawn."""
        return sum(query.is_taken for query in self.by_id.values())


def _contradiction(earlier: ListedQuery, new: ListedQuery) -> str | None:
    """Return how two queries with one id differ; None if they do not."""
    name = quoted(new.row.id)
    if earlier.text != new.text:
        return (
            f"the query id {name} stands for {quoted(earlier.text)} in {earlier.where} and "
            f"for {quoted(new.text)} here; give one of them another id"
        )
    for part in ("weight", "note", "params", "keys"):
        if getattr(earlier.row, part) != getattr(new.row, part):
            if part == "keys":
                part = listed(_keys_that_differ(earlier.row, new.row), "and")
            return (
                f"the query id {name} stands in {earlier.where} with another {part}; keep "
                "one of them, or give one of them another id"
            )
    return None


def _keys_that_differ(one: Query, other: Query) -> list[str]:
    names = dict.fromkeys([*one.keys, *other.keys])
    return [name for name in names if one.keys.get(name) != other.keys.get(name)]
