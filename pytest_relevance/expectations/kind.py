"""The base class of all kinds of expectations.

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
from pytest_relevance.cases.expectation import Expectation, RanksOfDocuments
from pytest_relevance.cases.location import Location
from pytest_relevance.cases.schema_parts import Schema
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.outcomes import KEPT, Found
from pytest_relevance.results.records.accepted_outcomes import TwoOutcomes
from pytest_relevance.results.records.two_expectations import TwoExpectations
from pytest_relevance.results.responses.ranking import Ranking


class DocumentNames(Protocol):
    """The names of documents in sentences about a case, and the result of the case."""

    @property
    def result(self) -> CaseResult:
        """Return the result of the case."""

    def document(self, document: str, /) -> str:
        """Return the name of a document with its title: `"sku-1" (Watch)`."""

    def places(self, documents: Sequence[str], /) -> str:
        """Return names of documents with their ranks: `"sku-1" (Watch, at rank 3)`."""


@dataclass(frozen=True, slots=True)
class Unwanted:
    """The part of a ranking in which the documents of an expectation should not be.

    `within`: the number of top results.
    `mark`: how reports mark these documents there.
    """

    within: int
    mark: str


class ExpectationKind(ABC):
    """A kind of expectation: what `expect: {first: sku-1}` means, and its sentences.

    A subclass has a `name` and the methods `check`, `judge` and `explain`. Everything
    else has a default. In all methods `k` is the cutoff of the case.
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
        """Return the expectations of an entry of `expect:`, or refuse the entry.

        To refuse it, return `at.refuse(message)`.

        `key`: the key in the case file, for example `every@5`.
        `at`: the place of the value.
        """

    def allowed_ranks(self, expected: Expectation, k: int) -> RanksOfDocuments:
        """Return the ranks that the documents may have; {} if any rank is allowed."""
        return {}

    def most_results(self, expected: Expectation) -> float:
        """Return how many results may be returned; infinity if there is no limit."""
        return inf

    # What the search is asked for

    needs_latency: ClassVar[bool] = False
    """Whether the search has to be called alone and measured."""

    def cutoff(self, expected: Expectation) -> int:
        """Return the last rank that an expectation names; 0 if it names none."""
        return 0

    def depth(self, expected: Expectation) -> int:
        """Return how many results are asked for at least; 0 if the top k is enough."""
        return 0

    def looks_at_all(self, expected: Expectation) -> bool:
        """Say whether the whole ranking counts, not only its top."""
        return False

    # What the search returned

    looks_at_response: ClassVar[bool] = False
    """Whether conditions are on the response itself, not on fields of results."""

    counts_results: ClassVar[bool] = False
    """Whether the number of results counts, also of those below the depth."""

    compares_rankings: ClassVar[bool] = False
    """Whether two rankings are compared.

    A case that misses such an expectation changed, but did not get worse.
    """

    excludes_documents: ClassVar[bool] = False
    """Whether the expectation is met by a document that the index does not have."""

    @abstractmethod
    def judge(self, expected: Expectation, found: Found) -> Outcome:
        """Return the outcome of an expectation, made by `outcome_of`."""

    def open_rank(self, expected: Expectation, k: int, ranking: Ranking) -> int:
        """Return the last rank at which an unseen result could break the expectation.

        0 if none could. The answer counts if the expectation is met, and if all cases
        of a run together show that the search stops above this rank, whatever it is
        asked for. Then the case is an error.

        `ranking`: all results that were returned.
        """
        return 0

    def open_rank_without_k(
        self, expected: Expectation, k: int, ranking: Ranking
    ) -> int:
        """Return the last rank that must be seen to decide the expectation.

        0 if no further results are needed.

        This is asked only if the search has no parameter `k`, so that it cannot be
        asked for more results. If it returned fewer results than this rank, the case is
        an error.

        `ranking`: all results that were returned.
        """
        return 0

    # The words

    @abstractmethod
    def explain(self, reason: Outcome, names: DocumentNames) -> str:
        """Return a sentence that says why an expectation is not met."""

    def show_met(self, outcome: Outcome) -> str:
        """Return an expectation that is met as text, with its figure: `results 0`."""
        if outcome.value is None:
            return outcome.name
        return f"{outcome.name} {number_text(outcome.value)}"

    def unwanted(self, outcome: Outcome, k: int) -> Unwanted | None:
        """Return where the documents should not be; None if the kind wants them."""
        return None

    # The reference, which is a baseline or a record

    reference: ClassVar[str] = KEPT
    """What the reference keeps of an expectation: a constant of `results.outcomes`."""

    def missed_as_badly(self, both: TwoOutcomes) -> bool:
        """Say whether the accepted ranking misses an expectation at least as badly.

        By default this is not known: the case counts as one that did not fail before.
        """
        return False

    def is_comparable(self, both: TwoOutcomes) -> bool:
        """Say whether it is known how badly both outcomes miss the expectation.

        If it is not known, no report says that the case misses it by more than before.
        By default: whether the kind defines `missed_as_badly`, and both outcomes have a
        value.
        """
        if type(self).missed_as_badly is ExpectationKind.missed_as_badly:
            return False
        return both.then.value is not None and both.now.value is not None

    # The same test at another time

    def implies(self, both: TwoExpectations) -> bool:
        """Say whether each ranking that meets `both.now` meets `both.before` too.

        If not, the test is looser than before. By default both have to be equal.
        """
        return both.are_equal
