"""The exception that a scored case ends in."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from pytest_relevance.plugin.failures import BaselineFailure, CaseFailure
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.plugin.running.scoring import Scored
from pytest_relevance.results.case_result import FAILED, INCONCLUSIVE, CaseResult


@dataclass(frozen=True, slots=True)
class Ending:
    """How a scored case ends.

    Attributes:
        error: the exception to raise, or None if the case goes on.
        is_known: the case failed before, and is expected to fail.
    """

    error: BaseException | None = None
    is_known: bool = False


GOES_ON = Ending()


def ending_of(this: CaseRun, scored: Scored) -> Ending:
    """Return how a scored case ends: it passes, fails, is skipped, or fails as
    expected.
    """
    result = scored.result
    inconclusive = this.item.config.option.relevance_inconclusive
    if result.verdict == FAILED:
        if _is_known(this, result):
            from pytest_relevance.reports.failure import failure_message

            error = pytest.xfail.Exception(failure_message(result))
            return Ending(error, is_known=True)
        return Ending(_failure(this, scored))
    if result.verdict != INCONCLUSIVE:
        return GOES_ON
    if inconclusive == "fail":
        return Ending(_failure(this, scored))
    if inconclusive == "skip":
        from pytest_relevance.reports.brief_reasons import reason_in_brief

        return Ending(pytest.skip.Exception(reason_in_brief(result)))
    return GOES_ON


def known_failure(result: CaseResult) -> CaseResult:
    """Return the result of a case that failed before too, and was expected to."""
    assert result.baseline is not None
    return replace(result, baseline=replace(result.baseline, known=True))


def _is_known(this: CaseRun, result: CaseResult) -> bool:
    """Whether a case failed before, and is expected to. A mark `xfail` is left to
    pytest.
    """
    return (
        result.baseline is not None
        and result.baseline.failed_before
        and this.settings.expects_known
        and this.item.get_closest_marker("xfail") is None
    )


def _failure(this: CaseRun, scored: Scored) -> CaseFailure | BaselineFailure:
    """Return the exception of a case that fails.

    A test that catches the exception of a check may print its text, which is the whole
    report. The text of an item is one line, as the terminal makes the report of it.
    """
    if this.is_check:
        from pytest_relevance.reports.failure import failure_lines
        from pytest_relevance.reports.styled_lines import plain_text

        text = plain_text(failure_lines(scored.result))
    else:
        from pytest_relevance.reports.failure import failure_message

        text = failure_message(scored.result)
    if scored.fails_baseline:
        return BaselineFailure(text, pytrace=False)
    return CaseFailure(text, pytrace=False)
