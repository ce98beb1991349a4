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
    WITHOUT_SCORE,
    CaseResult,
)

if TYPE_CHECKING:
    from pytest_relevance.gates.judging import GateResult

NOT_PASSED = frozenset({"failed", "error", "not searched", "inconclusive"})
"""The statuses of cases that did not pass, without expected failures."""


_WORDS = {ERROR: (ERROR, "errors")}
"""The words for one case and for several, if these are not the name of the status."""


@dataclass(frozen=True, slots=True)
class CaseCount:
    """How many cases, known items and checks there are.

    A case that ran in several variants counts once.

    `cases`: without known items and checks.
    `checks`: calls of `relevance.check` in tests in Python.
    `are_judged`: whether all of the `cases` that were searched have a score.
    """

    cases: int
    checks: int
    known_items: int = 0
    are_judged: bool = False


def count_cases(results: Iterable[CaseResult]) -> CaseCount:
    """Return how many cases, known items and checks there are."""
    keys = set()
    items = set()
    checks = 0
    are_judged = True
    for result in results:
        if result.is_check:
            checks += 1
        elif result.is_known_item:
            items.add(case_key(result))
        else:
            keys.add(case_key(result))
            ran = result.verdict not in (*WITHOUT_SCORE, SKIPPED)
            are_judged = are_judged and not (ran and result.score is None)
    return CaseCount(len(keys), checks, len(items), are_judged)


def case_count(results: Iterable[CaseResult]) -> int:
    """Return the number of cases, known items and checks together (`CaseCount`)."""
    count = count_cases(results)
    return count.cases + count.known_items + count.checks


def counted_cases(results: Sequence[CaseResult]) -> str:
    """Return, for example, `3 cases and 2 checks`. Python tests make the checks.

    Known items are counted apart: `500 known items and 40 judged cases`.
    """
    count = count_cases(results)
    parts = []
    if count.known_items:
        parts.append(counted(count.known_items, "known item"))
    if count.cases or not (count.checks or count.known_items):
        name = "case"
        if count.known_items:
            name = "judged case" if count.are_judged else "other case"
        parts.append(counted(count.cases, name))
    if count.checks:
        parts.append(counted(count.checks, "check"))
    return listed(parts, "and")


def status_counts(results: Iterable[CaseResult]) -> str:
    """Return how many cases have each status: `61 passed, 30 measured`.

    A case with neither a floor nor an expectation is measured.
    """
    return kind_counts(Counter(result.status for result in results), STATUSES)


def kind_counts(counts: Mapping[str, int], kinds: Iterable[str]) -> str:
    """Return how many of each kind there are: `2 failed, 2 errors`; "" if none.

    `counts`: {kind: number}.
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
