"""What an accepted ranking makes of the demands of today: of a floor and of
expectations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from pytest_relevance.cases.bounds import COMPARE
from pytest_relevance.cases.model import UNKNOWN, Expectation, Gate
from pytest_relevance.metrics.ndcg import GradedRanking
from pytest_relevance.registry import GATES
from pytest_relevance.results import outcomes
from pytest_relevance.results.case_parts import (
    DROP,
    FLOOR,
    STALE_ENTRY,
    TEXT,
    TOO_FEW_JUDGED,
    Outcome,
)
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.outcomes import (
    ITSELF,
    JUDGED,
    KEPT,
    KindOfOutcome,
    kind_named,
)
from pytest_relevance.results.records.baseline import BaselineEntries, BaselineEntry
from pytest_relevance.results.records.run_info import AcceptedCase


@dataclass(frozen=True, slots=True)
class AcceptedOutcomes:
    """The outcomes that a case has with its accepted ranking, under the demands of
    today.

    `graded` is the accepted ranking, `score` its nDCG@k, both under the judgments of
    today. `expect` has the expectations of the case; without them the metrics of a
    project are not known.
    """

    result: CaseResult
    entry: BaselineEntry
    graded: GradedRanking
    score: float | None
    expect: Sequence[Expectation] = ()

    def of(self, demand: Outcome) -> Outcome | None:
        """Judge a demand with the accepted ranking; None if it is not known."""
        if demand.kind == FLOOR:
            is_met = self.score is not None and self.score >= demand.bound
            return replace(demand, value=self.score, met=is_met)
        if demand.kind in (DROP, TOO_FEW_JUDGED, STALE_ENTRY, TEXT):
            return None
        kind = kind_named(demand.kind)
        if kind.reference == ITSELF:
            return self._of_similarity(demand)
        if kind.reference == KEPT:
            return self._kept(demand)
        if kind.reference == JUDGED:
            return self._judged(demand, kind)
        return None

    def misses_any(self) -> bool:
        """Whether the accepted ranking is known to miss the floor or an expectation."""
        floor = self.result.conditions.floor
        if floor is not None and (self.score is None or self.score < floor):
            return True
        for demand in self.result.evaluation.outcomes:
            outcome = self.of(demand)
            if outcome is not None and not outcome.met:
                return True
        return False

    def _of_similarity(self, demand: Outcome) -> Outcome:
        """Compare the accepted ranking with itself: it is equal, unless it is empty and
        should not be.
        """
        is_as_expected = bool(self._documents) or not outcomes.expects_results(
            self.result.evaluation.outcomes
        )
        same = float(is_as_expected)
        is_met = COMPARE[demand.comparison](same, demand.bound)
        return replace(demand, value=same, met=is_met)

    def _kept(self, demand: Outcome) -> Outcome | None:
        """Find the outcome that the entry has of the same demand, for rankings read
        alike.
        """
        if self.entry.collapse != self.result.conditions.settings.collapse:
            return None
        for kept in self.entry.outcomes:
            if is_same_demand(kept, demand):
                return kept
        return None

    def _judged(self, demand: Outcome, kind: KindOfOutcome) -> Outcome | None:
        """Judge the accepted ranking by a demand; None if its results or the metric are
        not known.
        """
        if kind.counts_results and self._may_go_on:
            return None
        expected = self._expectation(demand)
        if expected.metric is not None and not expected.metric.is_computable:
            return None
        (outcome,) = outcomes.judge_expectations([expected], self._found())
        return outcome

    def _expectation(self, demand: Outcome) -> Expectation:
        """Find the expectation of a demand; only a case knows the metrics of its
        project.
        """
        for expected in self.expect:
            if expected.metric is not None and expected.name == demand.name:
                return expected
        return outcomes.expectation_of(demand)

    @property
    def _documents(self) -> Sequence[str]:
        return self.entry.ranking(self.result.conditions.settings)

    @property
    def _may_go_on(self) -> bool:
        """Whether there may have been more results than the entry has."""
        return not self.entry.whole and len(self.entry.documents) >= self.entry.depth

    def _found(self) -> outcomes.Found:
        """Give what the search returned then, as kinds of expectations judge it."""
        documents, conditions = self._documents, self.result.conditions
        return outcomes.Found(
            k=conditions.k,
            settings=conditions.settings,
            graded=self.graded,
            ranking=documents,
            ranks=outcomes.first_ranks(documents),
            latency=None,
            is_cut=self.entry.reaches_depth,
            left_out=len(self.entry.documents) - len(documents),
        )


class KindOfGate(Protocol):
    """What a reference uses of a kind of gate. `pytest_relevance.gates.kind` explains
    it.
    """

    @property
    def needs_reference(self) -> bool:
        """Whether there is nothing to judge without a reference."""

    @property
    def may_be_known(self) -> bool:
        """Whether a gate may have failed before."""

    @property
    def needs_missed(self) -> bool:
        """Whether it needs to know which accepted rankings miss their demands."""


def kind_of_gate(gate: Gate) -> KindOfGate:
    """Find the kind of a gate; `UNKNOWN` if the package that added it is not
    installed.
    """
    name = gate.condition if gate.condition in GATES else UNKNOWN
    kind: KindOfGate = GATES.get(name)
    return kind


def compares_scores(gate: Gate, *, expects_known: bool) -> bool:
    """Whether a gate needs the scores of accepted rankings.

    `expects_known`: gates that failed before are expected to fail.
    """
    kind = kind_of_gate(gate)
    return kind.needs_reference or (expects_known and kind.may_be_known)


def need_missed(gates: Iterable[Gate]) -> bool:
    """Whether any gate needs to know which accepted rankings miss their demands."""
    return any(kind_of_gate(gate).needs_missed for gate in gates)


def accepted_cases(
    entries: BaselineEntries, gates: Iterable[Gate]
) -> tuple[AcceptedCase, ...]:
    """Give what entries have of each case; nothing unless a gate may have failed
    before.
    """
    if not any(kind_of_gate(gate).may_be_known for gate in gates):
        return ()
    return tuple(entry.as_case() for entry in entries.values())


def is_same_demand(one: Outcome, other: Outcome) -> bool:
    """Whether two outcomes are of the same expectation, in a baseline and in a run."""
    return outcomes.expectation_of(one) == outcomes.expectation_of(other)
