"""The worklist: a CSV file with the unjudged results of a run, the most valuable first.

People fill in the grades. Then the file is a file of judgments like any other. A row
belongs to the query with the same id and text. A blank grade is not a judgment.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from operator import itemgetter

from pytest_relevance._csv_cells import csv_text, escaped
from pytest_relevance._text import printable
from pytest_relevance.ext.judging.worklist_file import (
    added_columns,
    columns_with,
    field_column,
    in_a_file,
    on_one_line,
)
from pytest_relevance.results.case_result import CaseResult, variants_in_order
from pytest_relevance.results.settling import Stake, stake_of
from pytest_relevance.results.unjudged import (
    PlausibleGains,
    Unjudged,
    unjudged_results,
)

Search = tuple[str, str | None]
"""The name of a search, and its variant."""


@dataclass(frozen=True, slots=True)
class WorklistQuery:
    """A query of a run: the id of its case, and its text."""

    id: str
    text: str

    @classmethod
    def of(cls, result: CaseResult) -> WorklistQuery:
        """Return the query of a result, escaped so that a UTF-8 file can contain it."""
        return cls(in_a_file(result.id), in_a_file(result.query))


@dataclass(slots=True)
class WorklistRow:
    """An unjudged document of a query.

    `fields`: the fields of the document in the catalogue.
    `ranks`: {search: ranks (from 1) at which it returned the document}.
    `worth`, `move`: as in `Unjudged`: changes of the score of a case. Of all results
        that have the document, the change that is furthest from 0.
    `effect`, `reach`: the sizes of `worth` and `move`, times the weight of the query.
    `settles`: the chance that a grade for the document settles whether the query got
        worse (`settling.Stake`); 0 if no grade can settle this.
    `turn`: the index of the document among those that can settle the query.
    `is_undecided`: whether a verdict of the query depends on grades.
    """

    query_id: str
    query: str
    document: str
    title: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    ranks: dict[Search, set[int]] = field(default_factory=dict)
    worth: float = 0.0
    move: float = 0.0
    effect: float = 0.0
    reach: float = 0.0
    settles: float = 0.0
    turn: int = 0
    is_undecided: bool = False

    def add(self, result: CaseResult, unjudged: Unjudged) -> None:
        """Add the document as a case returned it. Cases may be added in any order."""
        self.title = _longer(self.title, unjudged.title)
        for name, value in result.texts.shown.get(unjudged.document, {}).items():
            self.fields[name] = _longer(self.fields.get(name, ""), value)
        search = result.search, result.variant
        self.ranks.setdefault(search, set()).add(unjudged.rank)
        self.worth = _larger(self.worth, unjudged.worth)
        self.move = _larger(self.move, unjudged.move)
        self.effect = max(self.effect, result.weight * abs(unjudged.worth))
        self.reach = max(self.reach, result.weight * abs(unjudged.move))

    def add_stake(self, stake: Stake, document: str) -> None:
        """Add what depends on the grades of a case that returned the document."""
        self.is_undecided = self.is_undecided or stake.is_undecided
        chance = stake.chances.get(document, 0.0)
        if chance > self.settles:
            self.settles = chance
            self.turn = [*stake.chances].index(document)

    @property
    def key(self) -> tuple[str, str, str]:
        """The query id, the query and the document. No other row has the same three."""
        return self.query_id, self.query, self.document

    @property
    def best_rank(self) -> int:
        """The best rank at which any search returned the document."""
        return min(min(ranks) for ranks in self.ranks.values())


def _larger(one: float, other: float) -> float:
    """Return the number that is further from 0; if both are equally far, the higher."""
    if abs(one) != abs(other):
        return one if abs(one) > abs(other) else other
    return max(one, other)


def _longer(one: str, other: str) -> str:
    """Return the longer of two texts of a document. `other` is put on one line.

    Searches may return different titles of one document. Of two equally long texts, the
    one that sorts last is returned, so that the order of the cases does not count.
    """
    other = on_one_line(other)
    return max((len(one), one), (len(other), other))[1]


class Worklist:
    """The unjudged results of all cases that ran.

    A pair of query and document is one row, even if several cases returned it. The rows
    are in this order:

    1. rows that can settle whether a query got worse, the highest chance first
    2. other rows of queries whose verdict depends on grades
    3. the remaining rows: no grade can settle their query, or nothing depends on one

    The second and third group are sorted by effect: first the queries whose rows have
    the most effect together, and within a query first the row with the largest effect.

    `found`: each case that ran, with its unjudged results.
    """

    def __init__(self, found: Iterable[tuple[CaseResult, Sequence[Unjudged]]]) -> None:
        found = list(found)
        ran = [result for result, _ in found]
        self._searches = variants_in_order(ran)
        names = listed_names(WorklistQuery.of(result) for result in ran)
        by_query: dict[tuple[str, str], dict[str, WorklistRow]] = {}
        for result, unjudged_of_case in found:
            query = WorklistQuery.of(result)
            stake = stake_of(result)
            for unjudged in unjudged_of_case:
                name = names[query]
                document = in_a_file(unjudged.document)
                rows = by_query.setdefault((query.text, name), {})
                new = WorklistRow(name, query.text, document)
                row = rows.setdefault(document, new)
                row.add(result, unjudged)
                row.add_stake(stake, unjudged.document)
        self.rows = _in_order(by_query)

    @classmethod
    def of(cls, results: Iterable[CaseResult]) -> Worklist:
        """Return the worklist of a run. Results without scores are left out."""
        ran = [result for result in results if result.evaluation.scores]
        gains = PlausibleGains(ran)
        return cls((result, unjudged_results(result, gains)) for result in ran)

    @property
    def queries(self) -> int:
        """The number of queries with unjudged results."""
        return len({(row.query_id, row.query) for row in self.rows})

    @property
    def columns(self) -> list[str]:
        """The names of the columns, among them the fields of the catalogue."""
        fields: dict[str, None] = {}
        for row in self.rows:
            fields |= dict.fromkeys(row.fields)
        return columns_with([*fields])

    def cells(self, row: WorklistRow) -> dict[str, str]:
        """Return {column: cell} of a row. The cell of the grade is empty."""
        cells = {
            "query_id": escaped(row.query_id),
            "query": escaped(row.query),
            "document": escaped(row.document),
            "title": escaped(row.title),
            "ranks": escaped(self._ranks(row)),
        }
        for name, value in row.fields.items():
            cells[field_column(name)] = escaped(value)
        cells["settles"] = f"{row.settles:.2f}" if row.settles else ""
        cells["worth"] = _figure(row.worth)
        cells["move"] = _figure(row.move)
        cells["grade"] = ""
        return cells

    def to_csv(self, before: bytes = b"") -> bytes:
        """Return the content of the file.

        `before`: the content of the file that is replaced. Columns that users added to
            the old file are kept.
        """
        columns = self.columns
        added = added_columns(before, columns)
        rows = [[*columns, *added.names]]
        for row in self.rows:
            cells = self.cells(row)
            key = tuple(escaped(text) for text in row.key)
            own = [cells.get(name, "") for name in columns]
            rows.append([*own, *added.cells_of(key)])
        return csv_text(rows).encode()

    def _ranks(self, row: WorklistRow) -> str:
        """Return the ranks of a row as text: `3`, or `bm25: 3; hybrid: 7`."""
        parts = []
        for search in self._searches:
            if search in row.ranks:
                label = f"{self._label(search)}: " if len(self._searches) > 1 else ""
                ranks = [str(rank) for rank in sorted(row.ranks[search])]
                parts.append(label + ", ".join(ranks))
        return "; ".join(parts)

    def _label(self, search: Search) -> str:
        """Return the name of a search and its variant: `search[variant]`.

        Return only the variant if the run has one search with several variants.
        """
        name, variant = printable(search[0]), printable(search[1] or "")
        if variant and len({other for other, _ in self._searches}) == 1:
            return variant
        return f"{name}[{variant}]" if variant else name


Order = tuple[float, float]
"""A sort key: the effect, then the reach."""


def _in_order(
    by_query: Mapping[tuple[str, str], Mapping[str, WorklistRow]],
) -> list[WorklistRow]:
    """Return the rows in the order that `Worklist` describes."""

    def query_order(query: tuple[str, str]) -> tuple[Order, tuple[str, str]]:
        return _largest_first([*by_query[query].values()]), query

    def row_order(row: WorklistRow) -> tuple[Order, int, str]:
        return _largest_first([row]), row.best_rank, row.document

    settling = []
    undecided = []
    others = []
    for place, query in enumerate(sorted(by_query, key=query_order)):
        for row in sorted(by_query[query].values(), key=row_order):
            if row.settles:
                settling.append((-row.settles, place, row.turn, row))
            elif row.is_undecided:
                undecided.append(row)
            else:
                others.append(row)
    settling.sort(key=itemgetter(0, 1, 2))
    return [*(row for *_, row in settling), *undecided, *others]


def _largest_first(rows: Sequence[WorklistRow]) -> Order:
    """Return a key that sorts groups of rows: the largest effect first, then reach."""
    effect = fsum(row.effect for row in rows)
    reach = fsum(row.reach for row in rows)
    return -round(effect, 12), -round(reach, 12)


def _figure(move: float) -> str:
    """Return a number as text with four decimals. A zero has no sign."""
    return f"{round(move, 4) + 0.0:.4f}"


def listed_names(queries: Iterable[WorklistQuery]) -> dict[WorklistQuery, str]:
    """Return the name under which the worklist lists each query.

    The name is the id of the query, or its text if the id is ambiguous. An id is
    ambiguous if it belongs to several texts, because in a file of judgments an id
    belongs to one text. A text may equal an id. Then a new name makes another id
    ambiguous, so the search for ambiguous ids is repeated.
    """
    names = {query: query.id for query in queries}
    ambiguous = _ambiguous_queries(names)
    while ambiguous:
        for query in ambiguous:
            names[query] = query.text
        ambiguous = _ambiguous_queries(names)
    return names


def _ambiguous_queries(names: Mapping[WorklistQuery, str]) -> list[WorklistQuery]:
    """Return the queries whose name also belongs to a query with another text."""
    texts_by_name: dict[str, set[str]] = defaultdict(set)
    for query, name in names.items():
        texts_by_name[name].add(query.text)
    ambiguous = []
    for query, name in names.items():
        if name != query.text and len(texts_by_name[name]) > 1:
            ambiguous.append(query)
    return ambiguous
