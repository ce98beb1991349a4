"""Whether the build fails, and why, in one plain sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pytest_relevance._text import counted, listed
from pytest_relevance.reports.run.case_counts import case_count, unmet_gates
from pytest_relevance.reports.run.errors import unfinished_parts
from pytest_relevance.results.became import CHANGED, GOT_WORSE, IN_DOUBT
from pytest_relevance.results.case_result import CaseResult, grouped, has_failed
from pytest_relevance.results.change_counts import count_results
from pytest_relevance.results.failures import (
    ENDED_IN_ERROR,
    FAILED_BEFORE,
    FAILURE_KINDS,
    STALE_ENTRY,
    failure_kind,
)
from pytest_relevance.results.records.run_info import RunInfo

if TYPE_CHECKING:
    from pytest_relevance.gates.judging import GateResult

PASSES = "The build passes."
PASSES_REPLAY = "The build passes, and says nothing of a change to the ranking."
NOTHING = "The build says nothing of search: no case was searched."
"""What the build says if no case, gate or other reason makes it fail."""

_WORDS = {
    GOT_WORSE: ("query got worse", "queries got worse"),
    CHANGED: (
        "query changed by more than allowed",
        "queries changed by more than allowed",
    ),
    IN_DOUBT: (
        "query has too few judged results",
        "queries have too few judged results",
    ),
    ENDED_IN_ERROR: ("case could not be scored", "cases could not be scored"),
    STALE_ENTRY: (
        "case cannot be compared with its reference any more",
        "cases cannot be compared with their reference any more",
    ),
    FAILED_BEFORE: (
        "case fails as it did before",
        "cases fail as they did before",
    ),
}
"""{kind of failure: words for one case, words for several}."""

_OTHER = ("case fails", "cases fail")
"""The words for all other kinds of failures."""


def build_text(
    results: Sequence[CaseResult], gates: Iterable[GateResult], info: RunInfo
) -> str:
    """Return whether the build fails, and why.

    Example: `The build fails because 44 queries got worse and 1 gate is not met.`

    If it fails only because queries got worse, the text says what that means for a
    release: `The build fails because 44 queries got worse: do not release this search
    as it is.`

    Without results the text says that no case was searched: then pytest's exit code
    depends on the other tests of the run.
    """
    reasons = _reasons(results, gates, info)
    if not results and not reasons:
        return NOTHING
    if not reasons:
        return PASSES if info.replayed is None else PASSES_REPLAY
    meaning = ""
    if len(reasons) == 1 and info.replayed is None:
        meaning = _meaning(results)
    return f"The build fails because {listed(reasons, 'and')}{meaning}."


def _meaning(results: Sequence[CaseResult]) -> str:
    """Return what to do with the search if cases fail only because queries got worse.

    Example: `: do not release this search as it is`. If grades may show that no query
    got worse, the text says to grade first. "" if a case fails for another reason.
    """
    failed = [result for result in results if has_failed(result)]
    if not failed or any(failure_kind(result) != GOT_WORSE for result in failed):
        return ""
    counts = count_results(failed)
    if counts.open and counts.open == counts.got_worse:
        return ": grade the ungraded results before you decide on a release"
    return ": do not release this search as it is"


def build_fails(
    results: Sequence[CaseResult], gates: Iterable[GateResult], info: RunInfo
) -> bool:
    """Say whether the build fails."""
    return bool(_reasons(results, gates, info))


def _reasons(
    results: Sequence[CaseResult], gates: Iterable[GateResult], info: RunInfo
) -> list[str]:
    """Return why the build fails, each reason as a clause; [] if it passes."""
    reasons = _of_cases(results)
    unmet = unmet_gates(gates)
    if unmet:
        reasons.append(unmet)
    return [*reasons, *unfinished_parts(info), *reasons_beside_cases(info)]


def reasons_beside_cases(info: RunInfo) -> list[str]:
    """Return why a run fails other than for a case or a gate, each as a clause.

    Example: `30 cases of shop.relevance.yaml are missing`.
    """
    clauses = [finding.because or finding.brief for finding in info.reasons_to_fail]
    return list(dict.fromkeys(clauses))


def _of_cases(results: Sequence[CaseResult]) -> list[str]:
    """Return how many cases fail, one text for each kind of failure in `_WORDS`.

    All other kinds share the last text. A case counts once for all its variants.
    """
    failed = [result for result in results if has_failed(result)]
    by_kind = grouped(failed, failure_kind)
    reasons = []
    others: list[CaseResult] = []
    for kind in FAILURE_KINDS:
        of_kind = by_kind.get(kind, [])
        if kind not in _WORDS:
            others += of_kind
        elif of_kind:
            one, several = _WORDS[kind]
            reasons.append(counted(case_count(of_kind), one, several))
    if others:
        reasons.append(counted(case_count(others), *_OTHER))
    return reasons
