"""Reports of the items of case files: each carries the result of its case."""

from collections.abc import Generator

import pytest

from pytest_relevance._text import harmless
from pytest_relevance.plugin.attached import Attached, attach
from pytest_relevance.plugin.call_results import name_skipped_case, result_after
from pytest_relevance.plugin.failures import (
    CaseError,
    begin_at_own_code,
    missing_fixture,
)
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.plugin.running.run_case import set_properties
from pytest_relevance.results.case_result import ERROR, CaseResult


def report_case(
    run: CaseRun, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach the result of a case to the report of a call, which pytest makes
    meanwhile.
    """
    if call.when != "call" and call.excinfo is None:
        return (yield)
    if call.excinfo is not None:
        _set_properties_of_error(run, call, call.excinfo.value)
        _set_exception(run, call, call.excinfo)
    report = yield
    if call.when != "teardown":
        _attach_result(run, report, call)
    return report


def _set_properties_of_error(
    run: CaseRun, call: pytest.CallInfo[None], error: BaseException
) -> None:
    """Set the JUnit properties of a case that ended in an error."""
    if call.when == "teardown" or isinstance(error, pytest.skip.Exception):
        return
    if run.attempt.result is None:
        set_properties(run)


def _set_exception(
    run: CaseRun,
    call: pytest.CallInfo[None],
    excinfo: pytest.ExceptionInfo[BaseException],
) -> None:
    """Set the exception to report for a call.

    The exception about a missing fixture is replaced; the traceback of any other begins
    at the project's code.
    """
    error = excinfo.value
    if not isinstance(error, pytest.FixtureLookupError):
        begin_at_own_code(excinfo)
        return
    message = missing_fixture(error, run.case.search)
    run.attempt.error = CaseError(message, pytrace=False)
    first_line = CaseError(message.partition("\n")[0], pytrace=False)
    call.excinfo = pytest.ExceptionInfo.from_exception(
        first_line.with_traceback(error.__traceback__)
    )


def _attach_result(
    run: CaseRun, report: pytest.TestReport, call: pytest.CallInfo[None]
) -> None:
    """Attach the result of a case to its report.

    A failure is about the case if the case ended in an exception. The report may be of
    a later attempt than that exception, as a case has one call. An error in a case that
    has none of its own is another plugin's; a section of the report then names the
    case.
    """
    attempt = run.attempt
    if report.passed and attempt.result is None:
        # another plugin ran the item in its own way
        attach(report, Attached(results=()))
        return
    result = result_after(call, run, report)
    shown = None
    if attempt.error is not None:
        shown = result
        name_skipped_case(report, run)
    elif result.verdict == ERROR and report.failed and report.when == "call":
        text = f"{result.place}: {_asked(result, attempt.searched.calls)}"
        report.sections.append(("relevance case", text))
    run.forget_attempt()
    attach(report, Attached(results=(result,), shown=shown))


def _asked(result: CaseResult, calls: int) -> str:
    """Return the query and search of a case with an error, and the number of the call
    if there were several.
    """
    from pytest_relevance.reports.labels import search_label

    label = search_label(result.search, result.variant, result.params)
    return "   ".join(
        [
            f'query "{harmless(result.query)}"',
            label,
            *([f"in call {calls}"] if calls > 1 else []),
        ]
    )
