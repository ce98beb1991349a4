"""What is told of a run in which no case was searched: how many cases were skipped, and
why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pytest_relevance._text import harmless
from pytest_relevance.reports.run.counts import status_counts
from pytest_relevance.reports.terminal_text import cut
from pytest_relevance.results.case_parts import TEXT
from pytest_relevance.results.case_result import CaseResult, has_failed

_LONGEST_REASON = 100


def nothing_was_searched(results: Sequence[CaseResult]) -> bool:
    """Whether none of these cases was searched, and none has failed. Checks of tests in
    Python do not count.
    """
    cases = [result for result in results if not result.is_check]
    return not any(result.evaluation.scores or has_failed(result) for result in cases)


def nothing_searched_text(results: Sequence[CaseResult]) -> str:
    """`no case was searched: 3 skipped (no engine)`; empty if a case was searched, or
    if there is none.
    """
    cases = [result for result in results if not result.is_check]
    if not cases or not nothing_was_searched(cases):
        return ""
    told = f"no case was searched: {status_counts(cases)}"
    reasons = Counter(_reason(result) for result in cases)
    reason, count = reasons.most_common(1)[0]
    if not reason:
        return told
    others = "" if count == len(cases) else f"; {len(cases) - count:,} for others"
    return f"{told} ({reason}{others})"


def _reason(result: CaseResult) -> str:
    """Return why a case was skipped, in one line; empty if that is not known."""
    for reason in result.evaluation.reasons:
        if reason.kind == TEXT and reason.clauses:
            first_line = reason.clauses[0].partition("\n")[0]
            return cut(harmless(first_line), _LONGEST_REASON)
    return ""
