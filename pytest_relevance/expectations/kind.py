"""What a kind of expectation is: the base class of all kinds.

`pytest_relevance.registry.EXPECTATIONS` has an object of each kind by name. To add a
kind to the package, write a subclass in a module of this folder, make an object of it,
and name the object in `bundled.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar, Protocol

from pytest_relevance._number_text import number_text
from pytest_relevance.cases.expect import Made
from pytest_relevance.cases.location import Location
from pytest_relevance.cases.model import Expectation, RanksOfDocuments
from pytest_relevance.cases.schema_parts import Schema
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.outcomes import KEPT, Found
from pytest_relevance.results.records.accepted_outcomes import TwoOutcomes
from pytest_relevance.results.responses.ranking import Ranking


class Names(Protocol):
    """How the report of a case names its documents."""

    @property
    def result(self) -> CaseResult:
        """Return the result of the case."""

    def document(self, document: str, /) -> str:
        """Name a document with its title: `"sku-1" (Watch)`."""

    def places(self, documents: Sequence[str], /) -> str:
        """Name documents with their places: `"sku-1" (Watch, at rank 3)`."""


@dataclass(frozen=True, slots=True)
class Unwanted:
    """The first `within` results, in which a document should not be.

    `mark`: how reports mark the document there.
    """

    within: int
    mark: str


class ExpectationKind(ABC):
    """A kind of expectation: what `expect: {first: sku-1}` means, and its sentences.

    A subclass has a `name` and the methods `check`, `judge` and `explain`. Everything
    else has a default. An object of the subclass is registered. In all methods `k` is
    the cutoff of the case.
    """

    # What stands in the case file

    name: ClassVar[str]
    """The key of `expect:`."""

    about: ClassVar[str] = ""
    """The description of the key in an editor."""

    schema: ClassVar[Schema] = {}
    """The JSON Schema of the value. By default any value is allowed."""

    takes_rank: ClassVar[bool] = False
    """Whether the key may end in `@5`, the number of results that it looks at."""

    names_documents: ClassVar[bool] = False
    """Whether the value names documents."""

    @abstractmethod
    def check(self, key: str, value: object, at: Location) -> Made:
        """Make the expectations of an entry of `expect:`, or refuse the entry.

        `key` is the key as it is written, and `at` is where the value stands. To refuse
        the value, return `at.refuse(message)`.
        """

    def allowed_ranks(self, expected: Expectation, k: int) -> RanksOfDocuments:
        """Return the ranks at which an expectation allows documents; by default any."""
        return {}

    def most_results(self, expected: Expectation) -> float:
        """Return the most results that an expectation allows; infinity for any."""
        return inf

    # What the search is asked for

    needs_latency: ClassVar[bool] = False
    """Whether the search has to be called alone and measured."""

    def cutoff(self, expected: Expectation) -> int:
        """Return the deepest rank that an expectation names; 0 if it names none."""
        return 0

    def depth(self, expected: Expectation) -> int:
        """Return how many results to ask for, if these are more than the cutoff."""
        return 0

    def looks_at_all(self, expected: Expectation) -> bool:
        """Say whether everything that was returned counts, not only its top."""
        return False

    # What the search returned

    counts_results: ClassVar[bool] = False
    """Whether it looks at how many results there are, even below its depth."""

    compares_rankings: ClassVar[bool] = False
    """Whether it compares two rankings, so that missing it is a change and no loss."""

    excludes_documents: ClassVar[bool] = False
    """Whether documents that are not in the index meet it."""

    @abstractmethod
    def judge(self, expected: Expectation, found: Found) -> Outcome:
        """Decide whether results meet an expectation; `outcome_of` makes an outcome."""

    def open_rank(self, expected: Expectation, k: int, ranking: Ranking) -> int:
        """Return the rank at which one more result could make a met expectation unmet.

        0 if no result below the returned ones could.
        """
        return 0

    def open_rank_without_k(
        self, expected: Expectation, k: int, ranking: Ranking
    ) -> int:
        """Return the depth of an expectation that further results could decide.

        A search that takes no number of results may have more than it returned. 0 if
        these could not decide the expectation.
        """
        return 0

    # The words

    @abstractmethod
    def explain(self, reason: Outcome, names: Names) -> str:
        """Write why an expectation is not met, in a sentence."""

    def show_met(self, outcome: Outcome) -> str:
        """Write a met expectation and its figure: `results 0`, or `first` alone."""
        if outcome.value is None:
            return outcome.name
        return f"{outcome.name} {number_text(outcome.value)}"

    def unwanted(self, outcome: Outcome, k: int) -> Unwanted | None:
        """Return the top in which a report marks the documents; None for no top."""
        return None

    # The reference, which is a baseline or a record

    reference: ClassVar[str] = KEPT
    """What the reference tells of an expectation: a constant of `results.outcomes`."""

    def missed_as_badly(self, both: TwoOutcomes) -> bool:
        """Say whether the reference misses an expectation at least as badly.

        By default that is not known, and the case counts as one that did not fail
        before.
        """
        return False

    def is_comparable(self, both: TwoOutcomes) -> bool:
        """Say whether enough is known of both outcomes to say which one is worse.

        By default nothing is known if the kind has no `missed_as_badly`.
        """
        if type(self).missed_as_badly is ExpectationKind.missed_as_badly:
            return False
        return both.then.value is not None and both.now.value is not None
