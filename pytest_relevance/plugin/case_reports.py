"""Make the report of a case, with the result of the case attached."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import pytest

from pytest_relevance._text import harmless
from pytest_relevance.plugin.attached import Attached, attach
from pytest_relevance.plugin.exceptions import (
    CaseError,
    NotSearched,
    begin_at_own_code,
    missing_fixture,
    search_error,
)
from pytest_relevance.plugin.redaction import redaction
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.plugin.running.run_case import set_properties
from pytest_relevance.reports.labels import search_label
from pytest_relevance.results.case_parts import SCORING, SETUP, SearchError, text_reason
from pytest_relevance.results.case_result import (
    ERROR,
    FAILED,
    NOT_SEARCHED,
    PASSED,
    SKIPPED,
    XFAILED,
    XPASSED,
    CaseResult,
)
from pytest_relevance.results.details import digest_of_case
from pytest_relevance.results.records.marks import read_marks
from pytest_relevance.results.scoring import unscored


def report_case(
    case_run: CaseRun, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Return pytest's report of a phase of a case, with the result attached.

    The hook `pytest_runtest_makereport` delegates to this generator. It yields once;
    then pytest makes the report and sends it in.
    """
    if call.when != "call" and call.excinfo is None:
        return (yield)
    if call.excinfo is not None:
        is_skipped = call.excinfo.errisinstance(pytest.skip.Exception)
        is_error = call.when != "teardown" and not is_skipped
        if is_error and case_run.attempt.result is None:
            set_properties(case_run)
        _set_exception(case_run, call, call.excinfo)
    report = yield
    if call.when != "teardown":
        _attach_result(case_run, report, call)
    return report


def _set_exception(
    case_run: CaseRun,
    call: pytest.CallInfo[None],
    excinfo: pytest.ExceptionInfo[BaseException],
) -> None:
    """Replace or shorten the exception that pytest will report.

    The exception about a missing fixture is replaced. The traceback of any other
    exception begins at the project's own code.
    """
    error = excinfo.value
    if not isinstance(error, pytest.FixtureLookupError):
        begin_at_own_code(excinfo)
        return
    message = missing_fixture(error, case_run.case.search)
    case_run.attempt.error = CaseError(message, pytrace=False)
    first_line = CaseError(message.partition("\n")[0], pytrace=False)
    call.excinfo = pytest.ExceptionInfo.from_exception(
        first_line.with_traceback(error.__traceback__)
    )


def _attach_result(
    case_run: CaseRun, report: pytest.TestReport, call: pytest.CallInfo[None]
) -> None:
    """Attach the result of a case to its report, and forget the attempt.

    If this plugin raised the exception (`attempt.error`), the result explains the
    failure. `call` may have another exception, if another plugin ran the item again.
    Otherwise the code of the project or another plugin raised it. Then pytest shows its
    traceback, and a section of the report names the case.

    `attempt.error` may also skip the case, or expect it to fail. `Attached.shown` is
    set then too, but only reports that failed are given its text.
    """
    attempt = case_run.attempt
    if report.passed and attempt.result is None:
        # another plugin ran the item in its own way
        attach(report, Attached(results=()))
        return
    result = result_for_report(case_run, report, call)
    shown = None
    if attempt.error is not None:
        shown = result
        name_skipped_case(report, case_run)
    elif result.verdict == ERROR and report.failed and report.when == "call":
        text = f"{result.place}: {_call_text(result, attempt.searched.calls)}"
        report.sections.append(("relevance case", text))
    case_run.forget_attempt()
    attach(report, Attached(results=(result,), shown=shown))


def _call_text(result: CaseResult, calls: int) -> str:
    """Return the query and the search of a case, for example `query "a"   search`.

    The number of the call is added if the search was called several times.
    """
    label = search_label(result.search, result.variant, result.params)
    parts = [f'query "{harmless(result.query)}"', label]
    if calls > 1:
        parts.append(f"in call {calls}")
    return "   ".join(parts)


def result_for_report(
    case_run: CaseRun, report: pytest.TestReport, call: pytest.CallInfo[None]
) -> CaseResult:
    """Return the result of a case as it goes with a report: with pytest's outcome.

    If the case was not scored, the result has a verdict and no score. Secrets are
    masked.
    """
    result = case_run.attempt.result
    if result is None:
        result = _unscored(case_run, report, call)
    outcome = _outcome(case_run, result, report, call)
    if outcome != result.verdict:
        result = replace(result, call=replace(result.call, outcome=outcome))
    if outcome in (XFAILED, XPASSED) and case_run.had_no_xfail:
        reason = _reason_of_xfail(case_run.item)
        result = replace(result, call=replace(result.call, added_xfail=reason))
    return redaction(case_run.item.config).hide_in_result(result)


def name_skipped_case(report: pytest.TestReport, case_run: CaseRun) -> None:
    """Make the report of a skipped case name its line in the case file, and the reason.

    The report of an expected failure (`xfail`) is not changed.
    """
    if report.skipped and not hasattr(report, "wasxfail"):
        path = case_run.case.source or case_run.path
        report.longrepr = path, case_run.case.line, f"Skipped: {case_run.attempt.error}"


def _unscored(
    case_run: CaseRun, report: pytest.TestReport, call: pytest.CallInfo[None]
) -> CaseResult:
    """Return the result of a case that was skipped, not searched, or an error."""
    raised = None if call.excinfo is None else call.excinfo.value
    is_xfail = isinstance(raised, pytest.xfail.Exception)
    is_skipped = report.skipped and (is_xfail or not hasattr(report, "wasxfail"))
    if is_skipped:
        verdict = SKIPPED
    elif isinstance(case_run.attempt.error, NotSearched):
        verdict = NOT_SEARCHED
    else:
        verdict = ERROR
    error = _error_of(case_run, call)
    reasons = () if error is None else (text_reason(error.headline),)
    called = case_run.call(error=error if verdict == ERROR else None)
    result = unscored(case_run.case, verdict, case_run.in_run, called, reasons)
    if case_run.item.config.option.relevance_update is not None:
        # an update notes the judgments of such a case too
        evaluation = replace(result.evaluation, digest=digest_of_case(case_run.case))
        result = replace(result, evaluation=evaluation)
    if is_skipped and _is_marked_skip(case_run.item):
        result = replace(result, call=replace(result.call, is_marked_skip=True))
    if case_run.baseline is not None:
        result = case_run.baseline.of_unscored(result)
    return result


def _reason_of_xfail(item: pytest.Item) -> str | None:
    """Return the reason of the marks `xfail` of an item; None if it has none.

    A failure that is expected because the case failed before comes without a mark.
    """
    return read_marks(item.iter_markers("xfail"), is_strict=False).xfail


def _is_marked_skip(item: pytest.Item) -> bool:
    """Say whether an item has a mark `skip` or `skipif`."""
    marks = (item.get_closest_marker(name) for name in ("skip", "skipif"))
    return any(mark is not None for mark in marks)


def _outcome(
    case_run: CaseRun,
    result: CaseResult,
    report: pytest.TestReport,
    call: pytest.CallInfo[None],
) -> str:
    """Return the outcome of a case, for example `passed` or `xfailed`.

    This is the outcome of the report. Exception: a check in Python that did not end its
    test by an exception has the outcome of its own verdict.
    """
    if case_run.is_check and (
        call.excinfo is None or case_run.attempt.error is not call.excinfo.value
    ):
        return FAILED if result.verdict in (FAILED, ERROR) else PASSED
    if "wasxfail" in vars(report):
        return XFAILED if report.skipped else XPASSED
    return report.outcome


def _error_of(case_run: CaseRun, call: pytest.CallInfo[None]) -> SearchError | None:
    """Return the error of a case without a score; None if there is none.

    The error of the case itself comes first: a test may catch the exception of a failed
    check, and end in another exception.
    """
    error = case_run.attempt.error
    if error is None and call.excinfo is not None:
        error = call.excinfo.value
    if error is None:
        return None
    phase = ""
    if call.when == "setup":
        phase = SETUP
    elif case_run.attempt.is_read or case_run.attempt.searched.is_recorded:
        phase = SCORING
    calls = case_run.attempt.searched.calls
    prefix = f"in call {calls}: " if calls > 1 else ""
    return search_error(error, case_run.item.config, phase=phase, prefix=prefix)
