"""How many cases a run has, and how many of each status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_relevance._text import counted, listed
from pytest_relevance.reports.labels import STATUSES
from pytest_relevance.reports.run.variant_labels import case_key
from pytest_relevance.results.case_result import (
    ERROR,
    FAILED,
    SKIPPED,
    CaseResult,
)

if TYPE_CHECKING:
    from pytest_relevance.gates.judging import GateResult

NOT_PASSED = frozenset({"failed", "error", "not searched", "inconclusive"})
"""The statuses of cases that did not pass."""


_WORDS = {ERROR: (ERROR, "errors")}
"""The words for one case and for several, if these are not the name of the status."""


@dataclass(frozen=True, slots=True)
class CaseCount:
    """How many cases and checks there are.

    A case that ran in several variants counts once. A check is a call of
    `relevance.check` in a test in Python.
    """

    cases: int
    checks: int


def count_cases(results: Iterable[CaseResult]) -> CaseCount:
    """Return how many cases and how many checks there are."""
    keys = set()
    checks = 0
    for result in results:
        if result.is_check:
            checks += 1
        else:
            keys.add(case_key(result))
    return CaseCount(len(keys), checks)


def case_count(results: Iterable[CaseResult]) -> int:
    """Return how many cases and checks there are together. See `CaseCount`."""
    count = count_cases(results)
    return count.cases + count.checks


def counted_cases(results: Sequence[CaseResult]) -> str:
    """Return, for example, `3 cases and 2 checks`. Checks are those of Python tests."""
    count = count_cases(results)
    parts = []
    if count.cases or not count.checks:
        parts.append(counted(count.cases, "case"))
    if count.checks:
        parts.append(counted(count.checks, "check"))
    return listed(parts, "and")


def status_counts(results: Iterable[CaseResult]) -> str:
    """Return how many cases have each status: `61 passed, 30 measured`.

    A case with neither a floor nor an expectation is measured.
    """
    return kind_counts(Counter(result.status for result in results), STATUSES)


def kind_counts(counts: Mapping[str, int], kinds: Iterable[str]) -> str:
    """Return how many of each kind `counts` has: `2 failed, 2 errors`.

    `kinds`: the kinds to write, in this order.
    """
    parts = []
    for kind in kinds:
        if counts.get(kind):
            one, several = _WORDS.get(kind, (kind, kind))
            parts.append(counted(counts[kind], one, several))
    return ", ".join(parts)


def unmet_gates(gates: Iterable[GateResult]) -> str:
    """Return how many gates failed: `1 gate is not met`, or "" if none did."""
    unmet = sum(1 for gate in gates if gate.outcome() == FAILED)
    return counted(unmet, "gate is not met", "gates are not met") if unmet else ""


def anything_ran(results: Iterable[CaseResult]) -> bool:
    """Say whether any case was not skipped."""
    return any(result.status != SKIPPED for result in results)
