"""The findings of a run: what is missing, and why it fails if no case fails.

All reports show the same sentences: the texts of `RunInfo.findings`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pytest_relevance._text import harmless
from pytest_relevance.reports.markdown_text import code_span
from pytest_relevance.reports.run.case_counts import status_counts
from pytest_relevance.reports.terminal_text import cut
from pytest_relevance.results.case_parts import TEXT
from pytest_relevance.results.case_result import CaseResult, has_failed, of_case_files
from pytest_relevance.results.records.run_info import RunFinding, RunInfo

_LONGEST = 1000

FAILS = "so the run fails"
"""The last words of a headline if the run fails for another reason than a case."""


def reason_texts(info: RunInfo) -> list[str]:
    """Return the texts of the findings that fail the run."""
    return [finding.text for finding in info.findings if finding.fails]


def remark_texts(info: RunInfo) -> list[str]:
    """Return the texts of the findings that do not fail the run."""
    return [finding.text for finding in info.findings if not finding.fails]


def briefs(findings: Sequence[RunFinding]) -> list[str]:
    """Return the brief texts of findings, for a headline. Some findings have none."""
    return [finding.brief for finding in findings if finding.brief]


def in_markdown(text: str) -> str:
    """Return a finding in a code span, so that nothing in it is a link or a mention."""
    return code_span(cut(harmless(text), _LONGEST))


# --- no case was searched -------------------------------------------------------------

_LONGEST_REASON = 100


def nothing_was_searched(results: Sequence[CaseResult]) -> bool:
    """Say whether no case was searched and none has failed. Checks do not count."""
    cases = of_case_files(results)
    return not any(result.evaluation.scores or has_failed(result) for result in cases)


def nothing_searched_text(results: Sequence[CaseResult]) -> str:
    """Return, for example, `no case was searched: 3 skipped (no engine)`.

    The text is "" if a case was searched or has failed, or if there are no cases.
    """
    cases = of_case_files(results)
    if not cases or not nothing_was_searched(cases):
        return ""
    text = f"no case was searched: {status_counts(cases)}"
    reasons = Counter(_reason(result) for result in cases)
    reason, count = reasons.most_common(1)[0]
    if not reason:
        return text
    others = "" if count == len(cases) else f"; {len(cases) - count:,} for others"
    return f"{text} ({reason}{others})"


def unsaid_nothing_searched(results: Sequence[CaseResult], info: RunInfo) -> str:
    """Return `nothing_searched_text`; "" if a finding of the run already says this."""
    text = nothing_searched_text(results)
    is_said = any(finding.text.startswith(text) for finding in info.findings)
    return "" if is_said else text


def _reason(result: CaseResult) -> str:
    """Return why a case was skipped, in one line, or "" if that is not known."""
    for reason in result.evaluation.reasons:
        if reason.kind == TEXT and reason.clauses:
            first_line = reason.clauses[0].partition("\n")[0]
            return cut(harmless(first_line), _LONGEST_REASON)
    return ""
