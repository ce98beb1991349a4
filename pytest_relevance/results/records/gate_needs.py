"""What gates need of a reference: scores of its rankings, and what these miss."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from pytest_relevance.cases.model import UNKNOWN, Gate
from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.ndcg import GradedRanking
from pytest_relevance.registry import GATES
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.records.case_today import CaseToday
from pytest_relevance.results.records.entries import BaselineEntries
from pytest_relevance.results.records.run_info import AcceptedCase
from pytest_relevance.results.verdict import defined


class KindOfGate(Protocol):
    """What a reference uses of a kind of gate.

    `pytest_relevance.gates.kind` explains it.
    """

    @property
    def needs_reference(self) -> bool:
        """Say whether there is nothing to judge without a reference."""

    @property
    def may_be_known(self) -> bool:
        """Say whether a gate may have failed before."""

    @property
    def needs_missed(self) -> bool:
        """Say whether it needs to know which accepted rankings miss their demands."""


def _kind_of_gate(gate: Gate) -> KindOfGate:
    """Find the kind of a gate.

    It is `UNKNOWN` if the package that added it is not installed.
    """
    name = gate.condition if gate.condition in GATES else UNKNOWN
    kind: KindOfGate = GATES.get(name)
    return kind


def need_missed(gates: Iterable[Gate]) -> bool:
    """Say whether a gate needs to know which accepted rankings miss their demands."""
    return any(_kind_of_gate(gate).needs_missed for gate in gates)


def accepted_cases(
    entries: BaselineEntries, gates: Iterable[Gate]
) -> tuple[AcceptedCase, ...]:
    """Return what entries have of each case, if a gate may have failed before."""
    if not any(_kind_of_gate(gate).may_be_known for gate in gates):
        return ()
    return tuple(entry.as_case() for entry in entries.values())


def gate_scores(
    result: CaseResult, case: CaseToday, graded: GradedRanking
) -> dict[str, float | None]:
    """Score an accepted ranking by the metrics that gates compare, without nDCG@k.

    A metric without a score in the result is left out, as the ranking is cut. So is one
    of the project, whose function is not known.
    """
    scores = {}
    for gate in case.gates:
        is_about_case = gate.tag is None or gate.tag in result.tags
        if not is_about_case or not _compares_scores(gate, case):
            continue
        for metric in gate.metrics:
            has_score = metric.text in result.evaluation.scores
            is_known = metric == result.metric or metric.is_similarity
            if has_score and metric.is_computable and not is_known:
                value = score(metric, graded, result.conditions.settings)
                scores[metric.text] = defined(value)
    return scores


def _compares_scores(gate: Gate, case: CaseToday) -> bool:
    """Say whether a gate needs the scores of accepted rankings."""
    kind = _kind_of_gate(gate)
    return kind.needs_reference or (case.expects_known and kind.may_be_known)
