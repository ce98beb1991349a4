"""What a case expects of its ranking: `Expectation`, `FieldCondition` and `Passage`.

All classes are frozen, as those of `model`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol, TypeAlias

from pytest_relevance.cases.scalars import with_type
from pytest_relevance.metrics.measures import is_reciprocal_rank, ranks_needed
from pytest_relevance.metrics.metric import ROUNDING, Metric
from pytest_relevance.metrics.names import LARGEST_CUTOFF
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.registry import EXPECTATIONS

METRIC = "metric"
"""The kind of an expectation that bounds a metric: `P@5: 0.6`."""

SIMILARITY = "similarity"
"""The kind of an expectation that compares the ranking with the accepted one:
`overlap@10: 0.8`.
"""

EXCLUDE_PASSAGES = "exclude_passages"
"""The kind of an expectation that no result of the top k holds one of its quotes.

It is a key of a case, beside `passages`.
"""

UNKNOWN = "unknown"
"""The kind of an expectation in a record whose kind is not installed here."""

WITHOUT_KEY = frozenset({METRIC, SIMILARITY, EXCLUDE_PASSAGES, UNKNOWN})
"""The kinds of expectations that are not keys of `expect:`."""


@dataclass(frozen=True, slots=True)
class FieldCondition:
    """A condition on a field of a document.

    `path` is the name of the field; dots lead into nested ones. `comparison` is one of

    - "==": the field equals any of the `values`, which are texts, numbers and booleans.
      For `response` the only value may be None: nothing is there
    - "!=", ">=", ">", "<=", "<": the field is a number, compared with the only value
    - "contains": the field is a text that contains the only value, in upper or lower
      case
    - "at_most": no value of the field occurs in more results than the only value says
    """

    path: str
    comparison: str
    values: Sequence[str | float | bool | None]

    def __eq__(self, other: object) -> bool:
        """Say whether both are the same. 1 equals True in Python, but not here."""
        if not isinstance(other, FieldCondition):
            return NotImplemented
        return self._compared == other._compared

    def __hash__(self) -> int:
        """Return the same for equal conditions."""
        return hash(self._compared)

    @property
    def _compared(self) -> tuple[object, ...]:
        return self.path, self.comparison, *map(with_type, self.values)

    @classmethod
    def of_record(cls, written: Sequence[Any]) -> FieldCondition:
        """Return the condition that three values in a record describe."""
        path, comparison, values = written
        return cls(path, comparison, tuple(values))

    @property
    def expects_null(self) -> bool:
        """Say whether the condition is that a path of a response has no value."""
        return tuple(self.values) == (None,)

    @property
    def for_record(self) -> tuple[str, str, Sequence[str | float | bool | None]]:
        """Return the three values that describe the condition in a record."""
        return self.path, self.comparison, self.values


@dataclass(frozen=True, slots=True)
class Expectation:
    """An entry of `expect:`.

    `kind`: the name of a row of `EXPECTATIONS`, which decides what other fields mean.
    `written`: the key of the entry, as it is written.
    `metric`: the metric of a `METRIC` or a `SIMILARITY`.
    `comparison`, `bound`: the bound of a score, a number of results, or seconds.
    `documents`: the documents that the entry names.
    `within`: the number of top results that count. None means the top k of the case, or
        for `order` the whole ranking.
    `sets`: for `order`, how many of the `documents` each set has, in turn. Empty if
        each document is a set.
    `inherited`: whether the suite sets it.
    `conditions`: the conditions on fields of results; for `response`, those on the
        response.
    `query`: the other query of `same_as`.
    `quotes`: for `exclude_passages`, the quotes that no text of the top k may hold.
    """

    kind: str
    written: str
    metric: Metric | None = None
    comparison: str = ">="
    bound: float = 0.0
    documents: tuple[str, ...] = ()
    within: int | None = None
    sets: tuple[int, ...] = ()
    inherited: bool = False
    conditions: tuple[FieldCondition, ...] = ()
    query: str = ""
    quotes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the usual name of the metric, or the key as written: `every@5`."""
        return self.written if self.metric is None else self.metric.text

    @property
    def needs_judgments(self) -> bool:
        """Say whether the expectation is a metric that needs judgments."""
        return self.kind == METRIC

    @property
    def document_sets(self) -> list[tuple[str, ...]]:
        """Return the sets of `order`: `[("a", "b"), ("c",)]` for `[[a, b], c]`.

        Empty sets are left out.
        """
        sizes = self.sets or [1] * len(self.documents)
        sets = []
        start = 0
        for size in sizes:
            documents = self.documents[start : start + size]
            if documents:
                sets.append(documents)
            start += size
        return sets

    def ranks(self, settings: Settings) -> int | None:
        """Return how many ranks decide whether a metric meets its bound; None for all.

        A bound x of RR is decided by the first floor(1 / x) ranks: a document below
        them cannot give RR a value of x.
        """
        assert self.metric is not None
        has_no_cutoff = self.metric.k is None
        is_rr = is_reciprocal_rank(self.metric)
        if is_rr and has_no_cutoff and settings.unjudged == "zero":
            return self._ranks_of_bound
        return ranks_needed(self.metric, settings)

    @property
    def deepest(self) -> int:
        """Return the last rank that the metric looks at: 5 for `P@5`.

        For RR without a cutoff, it is the last rank at which RR meets its bound: 2 for
        `RR: 0.5`. 0 for other metrics without a cutoff, and without a metric.
        """
        if self.metric is None:
            return 0
        if self.metric.k is not None:
            return self.metric.k
        if is_reciprocal_rank(self.metric):
            return self._ranks_of_bound or 0
        return 0

    @property
    def _ranks_of_bound(self) -> int | None:
        """Return the last rank at which RR meets the bound: 2 for 0.5.

        None if that is deeper than any cutoff.
        """
        if self.bound * LARGEST_CUTOFF < 1:
            return None
        ranks = int(1 / self.bound)
        if 1 / (ranks + 1) >= self.bound - ROUNDING:  # as for 0.333 and rank 3
            ranks += 1
        return ranks


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that a result has to hold: what the answer to a query needs.

    `quotes`: the forms of the passage; a result holds the passage if it holds one of
        them. The first one names the passage.
    `conditions`: conditions on fields of the result that holds it.
    `is_context`: whether it comes from a golden set of another tool, whose contexts
        were cut by another splitter. Half of such a text is enough.
    """

    quotes: tuple[str, ...]
    grade: float = 1
    conditions: tuple[FieldCondition, ...] = ()
    is_context: bool = False

    @property
    def name(self) -> str:
        """Return the first quote."""
        return self.quotes[0]


@dataclass(frozen=True, slots=True)
class AllowedRanks:
    """The ranks at which an expectation allows a document: `highest` to `lowest`.

    `lowest`: infinity if the document may be absent.
    `path`: the keys below `expect:` under which the document stands.
    """

    highest: int
    lowest: float
    path: tuple[str, ...]


RanksOfDocuments: TypeAlias = Mapping[str, AllowedRanks]


class KindOfExpectation(Protocol):
    """The methods and attributes of an `ExpectationKind` that cases use."""

    looks_at_response: bool
    cutoff: Callable[[Expectation], int]
    depth: Callable[[Expectation], int]
    looks_at_all: Callable[[Expectation], bool]
    most_results: Callable[[Expectation], float]
    allowed_ranks: Callable[[Expectation, int], RanksOfDocuments]


def kind_of(expected: Expectation) -> KindOfExpectation:
    """Return the kind of an expectation."""
    kind: KindOfExpectation = EXPECTATIONS.get(expected.kind)
    return kind


def most_results(expect: Iterable[Expectation]) -> float:
    """Return how many results expectations allow at most; infinity without a limit."""
    most = inf
    for expected in expect:
        most = min(most, kind_of(expected).most_results(expected))
    return most
