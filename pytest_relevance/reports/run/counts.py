"""How many cases a run has, and how many of each status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._text import counted, listed
from pytest_relevance.reports.labels import STATUSES
from pytest_relevance.reports.run.variants import key_of
from pytest_relevance.results.case_result import ERROR, SKIPPED, CaseResult

NOT_PASSED = frozenset({"failed", "error", "not searched", "inconclusive"})
"""The statuses of cases that did not pass."""


@dataclass(frozen=True, slots=True)
class CaseCount:
    """How many cases and checks there are.

    A case that ran in several variants counts once. A check is one of a test in Python
    (`relevance.check`).
    """

    cases: int
    checks: int


def count_cases(results: Iterable[CaseResult]) -> CaseCount:
    """Count the cases and the checks."""
    keys = set()
    checks = 0
    for result in results:
        if result.is_check:
            checks += 1
        else:
            keys.add(key_of(result))
    return CaseCount(len(keys), checks)


def case_count(results: Iterable[CaseResult]) -> int:
    """Count the cases and the checks together. See `CaseCount`."""
    count = count_cases(results)
    return count.cases + count.checks


def counted_cases(results: Sequence[CaseResult]) -> str:
    """Write `3 cases`, `2 checks` (of tests in Python), or `3 cases and 2 checks`."""
    count = count_cases(results)
    parts = []
    if count.cases or not count.checks:
        parts.append(counted(count.cases, "case"))
    if count.checks:
        parts.append(counted(count.checks, "check"))
    return listed(parts, "and")


def status_counts(results: Iterable[CaseResult]) -> str:
    """Write how many cases have each status: `61 passed, 2 errors, 30 measured`."""
    return kind_counts(Counter(result.status for result in results), STATUSES)


def kind_counts(counts: Mapping[str, int], kinds: Iterable[str]) -> str:
    """Write how many there are of each of these kinds: `2 failed, 2 errors`."""
    parts = []
    for kind in kinds:
        if counts.get(kind):
            several = "errors" if kind == ERROR else kind
            parts.append(counted(counts[kind], kind, several))
    return ", ".join(parts)


def anything_ran(results: Iterable[CaseResult]) -> bool:
    """Say whether any case was not skipped."""
    return any(result.status != SKIPPED for result in results)
