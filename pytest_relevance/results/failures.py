"""Sort failing cases into kinds, for example those that got worse or failed before.

Reports ask for the kind of each failing case when the run has ended.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance.results.became import CHANGED, GOT_WORSE, IN_DOUBT, became
from pytest_relevance.results.case_parts import NEW, NOT_COMPARED, STALE
from pytest_relevance.results.case_result import (
    INCONCLUSIVE,
    WITHOUT_SCORE,
    CaseResult,
    has_failed,
)

ENDED_IN_ERROR = "error"
STALE_ENTRY = "stale"
WITHOUT_ENTRY = "without an entry"

OTHER = "failed"
"""Any other failure, for example a search that was too slow."""

FAILED_BEFORE = "failed before"
"""The accepted ranking is known to miss the same demands, at least as badly."""

FAILURE_KINDS = (
    GOT_WORSE,
    CHANGED,
    IN_DOUBT,
    ENDED_IN_ERROR,
    STALE_ENTRY,
    WITHOUT_ENTRY,
    OTHER,
    FAILED_BEFORE,
)
"""The kinds of failing cases, in the order in which they are reported."""


def failure_kind(result: CaseResult) -> str:
    """Return the kind of a failing case: one of `FAILURE_KINDS`."""
    if result.verdict == INCONCLUSIVE:
        return IN_DOUBT
    if result.verdict in WITHOUT_SCORE:
        return ENDED_IN_ERROR
    baseline = result.baseline
    if result.is_check:  # a test in Python gave the ranking: no baseline has it
        return OTHER
    if baseline is None or baseline.standing in (NEW, NOT_COMPARED):
        return WITHOUT_ENTRY
    if baseline.standing == STALE:
        return STALE_ENTRY
    word = became(result)
    if word in (GOT_WORSE, CHANGED):
        return word
    return FAILED_BEFORE if baseline.failed_before else OTHER


def got_worse(result: CaseResult) -> bool:
    """Say whether a case got worse since its reference."""
    return became(result) == GOT_WORSE


def failed_before(result: CaseResult) -> bool:
    """Say whether a case fails, and its accepted ranking failed as badly.

    A case that pytest reports as xfailed for this reason counts too.
    """
    fails = has_failed(result) or result.is_known
    return fails and result.baseline is not None and result.baseline.failed_before


def failure_order(result: CaseResult) -> tuple[int, float]:
    """Return the sort key of a failing case in reports.

    Failures are sorted by their kind, then by how much they lowered the mean.
    """
    return FAILURE_KINDS.index(failure_kind(result)), result.weight * result.change


def in_failure_order(results: Sequence[CaseResult]) -> list[CaseResult]:
    """Return the failures in the order of reports, then all other results.

    Without a baseline the order stays.
    """
    if all(result.baseline is None for result in results):
        return list(results)
    failed = [result for result in results if has_failed(result)]
    others = [result for result in results if not has_failed(result)]
    return sorted(failed, key=failure_order) + others
