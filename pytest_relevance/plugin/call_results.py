"""The result of a case or of a check after a call, with pytest's outcome of it."""

from dataclasses import replace

import pytest

from pytest_relevance.plugin.failures import NotSearched, search_error
from pytest_relevance.plugin.run_store import hide_secrets
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.results.case_parts import SCORING, SETUP, SearchError, text_reason
from pytest_relevance.results.case_result import (
    ERROR,
    FAILED,
    NOT_SEARCHED,
    PASSED,
    SKIPPED,
    CaseResult,
)
from pytest_relevance.results.scoring import unscored


def result_after(
    call: pytest.CallInfo[None], run: CaseRun, report: pytest.TestReport
) -> CaseResult:
    """Return the result of a case run after a call, with pytest's outcome and without
    secrets.

    A run that was not scored has a result without a score.
    """
    result = run.attempt.result
    if result is None:
        result = _unscored(run, report, call)
    outcome = _outcome(run, result, report, call)
    if outcome != result.verdict:
        result = replace(result, call=replace(result.call, outcome=outcome))
    return hide_secrets(result, run.item.config)


def name_skipped_case(report: pytest.TestReport, run: CaseRun) -> None:
    """Give the report of a case or check that is skipped the place of the case, and the
    reason.

    A report that was expected to fail stays as it is.
    """
    if report.skipped and not hasattr(report, "wasxfail"):
        path = run.case.source or run.path
        report.longrepr = path, run.case.line, f"Skipped: {run.attempt.error}"


def _unscored(
    run: CaseRun, report: pytest.TestReport, call: pytest.CallInfo[None]
) -> CaseResult:
    """Return the result of a case run that has no score."""
    is_skipped = report.skipped and (_is_xfail(call) or not hasattr(report, "wasxfail"))
    if is_skipped:
        verdict = SKIPPED
    elif isinstance(run.attempt.error, NotSearched):
        verdict = NOT_SEARCHED
    else:
        verdict = ERROR
    error = _error_of(run, call)
    reasons = () if error is None else (text_reason(error.headline),)
    called = run.call(error=error if verdict == ERROR else None)
    result = unscored(run.case, verdict, run.in_run, called, reasons)
    if is_skipped and _is_marked_skip(run.item):
        result = replace(result, call=replace(result.call, is_marked_skip=True))
    if run.baseline is not None:
        result = run.baseline.of_unscored(result)
    return result


def _is_xfail(call: pytest.CallInfo[None]) -> bool:
    """Whether a call raised the exception of `pytest.xfail`."""
    return call.excinfo is not None and isinstance(
        call.excinfo.value, pytest.xfail.Exception
    )


def _is_marked_skip(item: pytest.Item) -> bool:
    """Whether a mark may skip an item: `skip` of its case is such a mark."""
    marks = (item.get_closest_marker(name) for name in ("skip", "skipif"))
    return any(mark is not None for mark in marks)


def _outcome(
    run: CaseRun,
    result: CaseResult,
    report: pytest.TestReport,
    call: pytest.CallInfo[None],
) -> str:
    """Return pytest's outcome of a case.

    A check gets an outcome from its own verdict, unless its exception is the one that
    ended the test.
    """
    if run.is_check and (
        call.excinfo is None or run.attempt.error is not call.excinfo.value
    ):
        return FAILED if result.verdict in (FAILED, ERROR) else PASSED
    if "wasxfail" in vars(report):
        return "xfailed" if report.skipped else "xpassed"
    return report.outcome


def _error_of(run: CaseRun, call: pytest.CallInfo[None]) -> SearchError | None:
    """Return the error of a case without a score, or None if there is none.

    The error of the run itself comes first: a test may continue after a failed check
    and end in another exception.
    """
    error = (
        run.attempt.error
        if run.attempt.error is not None or call.excinfo is None
        else call.excinfo.value
    )
    if error is None:
        return None
    phase = SETUP if call.when == "setup" else SCORING if run.attempt.is_read else ""
    prefix = (
        f"in call {run.attempt.searched.calls}: "
        if run.attempt.searched.calls > 1
        else ""
    )
    return search_error(error, run.item.config, phase=phase, prefix=prefix)
