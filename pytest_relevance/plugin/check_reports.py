"""Make the reports of tests in Python that check rankings, with the results attached.

A check in a subtest counts as a check of the whole test. The report of the test is made
last, and carries the results of all its checks.
"""

from collections.abc import Generator

import pytest

from pytest_relevance.plugin.attached import Attached, attach
from pytest_relevance.plugin.case_reports import name_skipped_case, result_for_report
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running.case_run import CHECKS, CaseRun, Checks
from pytest_relevance.plugin.running.fixture import raise_lost_check
from pytest_relevance.plugin.running.run_case import request_fingerprint, set_properties
from pytest_relevance.results.case_result import CaseResult


class CheckCalls:
    """The hook around the call of a test in Python that requests `relevance`."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Mark the checks of a test as running during its call."""
        __tracebackhide__ = True
        if CHECKS not in item.stash:
            return (yield)
        if run_store(item.config).unsent.fingerprint is None:
            request_fingerprint(item)
        checks = item.stash[CHECKS]
        checks.is_running = True
        try:
            return (yield)
        finally:
            checks.is_running = False


def report_checks(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Return pytest's report of a phase of a test, with results of checks attached.

    The hook `pytest_runtest_makereport` delegates to this generator. It yields once;
    then pytest makes the report and sends it in. Another plugin may run the test again
    during the `yield`, and the test then has new checks.
    """
    checks = item.stash[CHECKS]
    if call.when == "teardown":
        checks.are_over = True
    is_of_subtest = call.when == "call" and checks.is_running
    if is_of_subtest:
        report = yield
        _attach_failing_check(report, item.stash[CHECKS], call)
        return report
    has_raised = bool(checks.raised)
    if has_raised:
        raise_lost_check(item, call)
    if call.when != "call" and call.excinfo is None and not has_raised:
        return (yield)
    if call.when != "teardown":
        _set_properties_of_errors(checks, call)
    report = yield
    checks = item.stash[CHECKS]
    if call.when != "teardown" and checks.runs:
        _attach_results(report, checks, call)
        checks.runs.clear()  # a rerun of the test makes its checks again
    return report


def _set_properties_of_errors(checks: Checks, call: pytest.CallInfo[None]) -> None:
    """Set the JUnit properties of checks without a result, if the test has failed."""
    if call.excinfo is None or isinstance(call.excinfo.value, pytest.skip.Exception):
        return
    for case_run in checks.runs:
        if case_run.attempt.result is None:
            set_properties(case_run)


def _attach_results(
    report: pytest.TestReport, checks: Checks, call: pytest.CallInfo[None]
) -> None:
    """Attach the results of the checks of a test to its report.

    A check whose exception ended the test explains the failure. A check whose exception
    the test has caught has a result too.
    """
    results: list[CaseResult] = []
    shown = None
    for case_run in checks.runs:
        has_ended = (
            case_run.attempt.result is not None or case_run.attempt.error is not None
        )
        if report.passed and not has_ended:
            continue
        result = result_for_report(case_run, report, call)
        results.append(result)
        if _has_ended_call(case_run, call):
            shown = result
            name_skipped_case(report, case_run)
        case_run.forget_attempt()
    attach(report, Attached(results=tuple(results), shown=shown))


def _attach_failing_check(
    report: pytest.TestReport, checks: Checks, call: pytest.CallInfo[None]
) -> None:
    """Attach the result of the check that ended a subtest to the report of it."""
    for case_run in checks.runs:
        if _has_ended_call(case_run, call):
            attach(report, Attached(shown=result_for_report(case_run, report, call)))


def _has_ended_call(case_run: CaseRun, call: pytest.CallInfo[None]) -> bool:
    """Say whether the exception of a check is the exception that ended a call."""
    error = None if call.excinfo is None else call.excinfo.value
    return error is not None and case_run.attempt.error is error
