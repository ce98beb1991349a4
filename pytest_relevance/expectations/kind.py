"""What a kind of expectation is: a row with all that the program knows of it.

`pytest_relevance.registry.EXPECTATIONS` has the rows by name. To add a kind to the
package, write a row in a module of this folder and name it in `bundled.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Protocol

from pytest_relevance._number_text import number_text
from pytest_relevance.cases.expect import Made
from pytest_relevance.cases.location import Location
from pytest_relevance.cases.model import UNKNOWN, AllowedRanks, Expectation
from pytest_relevance.cases.schema_parts import Schema
from pytest_relevance.registry import EXPECTATIONS
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.outcomes import KEPT, Found
from pytest_relevance.results.records.two_outcomes import TwoOutcomes
from pytest_relevance.results.responses.ranking import Ranking


class Names(Protocol):
    """How the report of a case names its documents."""

    @property
    def result(self) -> CaseResult:
        """The result of the case."""

    def document(self, document: str, /) -> str:
        """Name a document with its title: `"sku-1" (Watch)`."""

    def places(self, documents: Sequence[str], /) -> str:
        """Name documents with their places: `"sku-1" (Watch, at rank 3)`."""


@dataclass(frozen=True, slots=True)
class Unwanted:
    """The first `within` results, in which a document should not be, and how reports
    mark it.
    """

    within: int
    mark: str


def no_rank(expected: Expectation) -> int:
    """Say that an expectation names no rank."""
    return 0


def never_open(expected: Expectation, k: int, ranking: Ranking) -> int:
    """Say that nothing below the results of a search can change whether an expectation
    is met.
    """
    return 0


def not_all(expected: Expectation) -> bool:
    """Say that only the top of the ranking counts."""
    return False


def no_limit(expected: Expectation) -> float:
    """Say that an expectation allows any number of results."""
    return inf


def no_ranks(expected: Expectation, k: int) -> Mapping[str, AllowedRanks]:
    """Say that an expectation allows any ranks."""
    return {}


def not_known(both: TwoOutcomes) -> bool:
    """Say that it is not known whether two outcomes are equally bad."""
    return False


def have_figures(both: TwoOutcomes) -> bool:
    """Whether two outcomes have figures that can be compared."""
    return both.then.value is not None and both.now.value is not None


def value_text(outcome: Outcome) -> str:
    """Show the name and the figure of an expectation that is met: `results 0`,
    `first`.
    """
    if outcome.value is None:
        return outcome.name
    return f"{outcome.name} {number_text(outcome.value)}"


def nothing_unwanted(outcome: Outcome, k: int) -> Unwanted | None:
    """Say that an expectation keeps no document out of the results."""
    return None


@dataclass(frozen=True, slots=True)
class ExpectationKind:
    """A kind of expectation. `k` is the cutoff of a case.

    The case file:

    `name`: the key of `expect:`.
    `check`: makes the expectations of the key as it is written, the value and its
        location, or refuses the value by `Location.refuse`.
    `about`, `schema`: describe the key in an editor, and the JSON Schema of the value.
        By default any value is allowed.
    `takes_rank`: whether the key may end in `@5`, the number of results that it looks
    at.
    `names_documents`: whether the value names documents.
    `allowed_ranks`: gives the ranks that an expectation allows documents, {document:
    ranks}.
    `most_results`: gives the most results that it allows.

    The search:

    `cutoff`: gives the deepest rank that an expectation names; 0 if it names none.
    `depth`: gives how many results the search is asked for, if that is more than the
    cutoff.
    `looks_at_all`: whether the whole ranking counts that was returned.
    `needs_latency`: whether the search has to be called alone and measured.

    The result:

    `judge`: makes the outcome of an expectation for what a search returned.
    `open_rank`: gives the rank below the results at which one more result could make an
        expectation unmet that is met; 0 if none could.
    `open_rank_without_k`: gives the depth of an expectation if results that nobody has
        seen could decide it, as the search takes no number of results; otherwise 0.
    `counts_results`: whether it looks at how many results there are, even below its
    depth.
    `excludes_documents`: whether documents that are not in the index meet it.

    The words:

    `explain`: says in a sentence why an expectation is not met.
    `show_met`: shows an expectation that is met.
    `unwanted`: says which results a report marks.

    The reference, which is a baseline or a record:

    `reference`: what the reference tells of an expectation; one of the names in
        `results.outcomes`. By default it keeps the outcome.
    `missed_as_badly`: whether the reference, which misses it, does so by no less. By
        default that is not known, so that the case has not failed before.
    `is_comparable`: whether both outcomes are known well enough to say that one is
    worse.
    """

    name: str
    check: Callable[[str, object, Location], Made]
    judge: Callable[[Expectation, Found], Outcome]
    explain: Callable[[Outcome, Names], str]
    about: str = ""
    schema: Schema = field(default_factory=dict)
    takes_rank: bool = False
    names_documents: bool = False
    allowed_ranks: Callable[[Expectation, int], Mapping[str, AllowedRanks]] = no_ranks
    most_results: Callable[[Expectation], float] = no_limit
    cutoff: Callable[[Expectation], int] = no_rank
    depth: Callable[[Expectation], int] = no_rank
    looks_at_all: Callable[[Expectation], bool] = not_all
    needs_latency: bool = False
    open_rank: Callable[[Expectation, int, Ranking], int] = never_open
    open_rank_without_k: Callable[[Expectation, int, Ranking], int] = never_open
    counts_results: bool = False
    excludes_documents: bool = False
    show_met: Callable[[Outcome], str] = value_text
    unwanted: Callable[[Outcome, int], Unwanted | None] = nothing_unwanted
    reference: str = KEPT
    missed_as_badly: Callable[[TwoOutcomes], bool] = not_known
    is_comparable: Callable[[TwoOutcomes], bool] = have_figures


def expectation_kind(name: str) -> ExpectationKind:
    """Find a kind of expectations; `UNKNOWN` if the package that added it is not
    installed.
    """
    kind: ExpectationKind = EXPECTATIONS.get(name if name in EXPECTATIONS else UNKNOWN)
    return kind
