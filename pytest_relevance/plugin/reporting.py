"""The hooks of a run with cases, from the call of a case to the terminal summary.

Under pytest-xdist the workers attach results to reports and the controller reads them. Without xdist one process does
both, with the same code. What is attached is an object. It becomes text if the report leaves the process: pytest-xdist
asks for that by `pytest_report_to_serializable`; other plugins copy the reports of a child process, which they forked.
"""

import os
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance._text import harmless
from pytest_relevance.plugin.attached import (
    ATTRIBUTE,
    Attached,
    News,
    as_text,
    attach,
    attached_to,
    from_text,
    make_portable,
)
from pytest_relevance.plugin.completeness import findings
from pytest_relevance.plugin.failure_text import Crash, FailureText
from pytest_relevance.plugin.failures import (
    CaseError,
    NotSearched,
    begin_at_own_code,
    missing_fixture,
    search_error,
)
from pytest_relevance.plugin.giving_up import GivingUp
from pytest_relevance.plugin.moved_cases import follow_moved_cases
from pytest_relevance.plugin.options import (
    REPORTING,
    ended_well,
    has_cases,
    redaction,
    settings,
    shown_path,
)
from pytest_relevance.plugin.other_failures import other_failures
from pytest_relevance.plugin.pytest_internals import (
    forget_parameters,
    hide_in_report,
    is_fixture_defined,
)
from pytest_relevance.plugin.run_store import (
    PASSED_OVER,
    hide_secrets,
    run_store,
)
from pytest_relevance.plugin.running import awaiting
from pytest_relevance.plugin.running.case_run import (
    CASE_RUN,
    CHECKS,
    CaseRun,
    case_runs_of,
)
from pytest_relevance.plugin.running.run_case import (
    FINGERPRINT,
    request_fingerprint,
    set_properties,
)
from pytest_relevance.plugin.terminal import Terminal
from pytest_relevance.plugin.undecided import report_undecided
from pytest_relevance.reports.styled_lines import Line
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

_CHECK_CALLS = "relevance-check-calls"

_UNFINISHED = (
    pytest.ExitCode.INTERRUPTED,
    pytest.ExitCode.INTERNAL_ERROR,
    pytest.ExitCode.USAGE_ERROR,
)
"""The exit codes of a run that did not finish."""


def install(config: pytest.Config) -> None:
    """Register the hooks of a run with cases, unless they are registered already."""
    manager = config.pluginmanager
    if has_cases(config):
        return
    manager.register(Reporting(config), REPORTING)
    manager.register(Terminal(config), "relevance-terminal")
    if hasattr(config, "workerinput"):
        return
    from pytest_relevance.plugin.outputs import Outputs

    manager.register(Outputs(config), "relevance-outputs")


def install_for_checks(session: pytest.Session) -> None:
    """Register the hooks of a run in which tests in Python check rankings, unless they are registered already."""
    install(session.config)
    if not session.config.pluginmanager.has_plugin(_CHECK_CALLS):
        session.config.pluginmanager.register(CheckCalls(), _CHECK_CALLS)


def pass_over(path: Path, config: pytest.Config) -> None:
    """Have the summary name a file that seems to be a case file, but does not have the name of one."""
    install(config)
    run_store(config).unsent.name(PASSED_OVER, shown_path(path, config))


class CheckCalls:
    """The hook of tests in Python that request `relevance`."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Record that the call of a test with checks is in progress."""
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


class Reporting:
    """The hooks of a run with cases."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._is_worker = hasattr(config, "workerinput")
        self._process = os.getpid()
        self._runs_tests = settings(config).runs_tests
        self._store = run_store(config)
        self._giving_up = GivingUp(config)
        self._gates_are_judged = self._was_cut_short = False
        self._items: Sequence[pytest.Item] = ()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach the results to the report of a case, or of a test with checks, when the report is made.

        Results are not attached when the report is logged: it may be made in a process that logs nothing. This is the
        outermost wrapper, as other wrappers change the outcome or run the item again before they return the report.
        """
        stash = (
            item.stash
        )  # whose `get` raises and catches an exception where there is none
        checks = stash[CHECKS] if CHECKS in stash else None  # noqa: SIM401
        if checks is not None and call.when == "teardown":
            checks.are_over = True
        if (
            call.when != "call"
            and call.excinfo is None
            and (checks is None or not checks.raised)
        ):
            report = yield
        else:
            is_subtest = (
                call.when == "call" and checks is not None and checks.is_running
            )
            if checks is not None or call.excinfo is not None:
                self._prepare(item, call, is_subtest=is_subtest)
            report = yield
            runs = case_runs_of(item)
            if runs and is_subtest:
                _attach_subtest(report, runs, call)
            elif runs and call.when != "teardown":
                _attach(report, runs, call)
                if checks is not None:
                    checks.runs.clear()  # a rerun of the test makes its checks again
        is_ours = checks is not None or CASE_RUN in stash
        if is_ours and (report.longrepr is not None or report.sections):
            known = redaction(item.config).known
            if known:
                hide_in_report(report, known.hide)
        self._store.unsent.attach(report)
        if os.getpid() != self._process:  # such as a child that pytest-forked made
            make_portable(report)
        return report

    def _prepare(
        self, item: pytest.Item, call: pytest.CallInfo[None], *, is_subtest: bool
    ) -> None:
        """Set the exception to report for a call, and the JUnit properties of an error.

        The exception about a missing fixture is replaced; the traceback of any other begins at the project's code.
        """
        if not is_subtest and CHECKS in item.stash and item.stash[CHECKS].raised:
            from pytest_relevance.plugin.running.fixture import raise_lost_check

            raise_lost_check(item, call)
        if call.excinfo is None:
            return
        runs = case_runs_of(item)
        if call.when != "teardown" and not (
            is_subtest or isinstance(call.excinfo.value, pytest.skip.Exception)
        ):
            for each in runs:
                if each.attempt.result is None:
                    set_properties(each)
        run, error = item.stash.get(CASE_RUN, None), call.excinfo.value
        if run is None:
            return
        if not isinstance(error, pytest.FixtureLookupError):
            begin_at_own_code(call.excinfo)
            return
        message = missing_fixture(error, run.case.search)
        run.attempt.error = CaseError(message, pytrace=False)
        first_line = CaseError(message.partition("\n")[0], pytrace=False)
        call.excinfo = pytest.ExceptionInfo.from_exception(
            first_line.with_traceback(error.__traceback__)
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Store the results attached to a report, and replace the text of a failure."""
        attached = attached_to(report)
        if attached.results and report.outcome in (
            "passed",
            "failed",
            "skipped",
        ):  # after "rerun" another report follows
            self._giving_up.count(report.nodeid, attached.results[0])
        if self._is_worker:
            self._store.send_files(report, attached.news)
            return
        if attached.shown is not None and report.failed:
            report.longrepr = self._text(attached.shown)  # type: ignore[assignment]
        self._store.add(report, attached)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_report_to_serializable(
        self, report: pytest.TestReport | pytest.CollectReport
    ) -> Generator[None, dict[str, Any] | None, dict[str, Any] | None]:
        """Turn what a report carries into text, which pytest-xdist can send. `attached_to` reads it again."""
        values = yield
        if values is not None and isinstance(values.get(ATTRIBUTE), Attached):
            values[ATTRIBUTE] = as_text(values[ATTRIBUTE])
        return values

    @pytest.hookimpl
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Store the errors that a worker of pytest-xdist attached to the report of what it cannot collect."""
        if not self._is_worker:
            self._store.keep_errors(attached_to(report).news.errors)

    @pytest.hookimpl
    def pytest_internalerror(
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> None:
        """Store an error that ended the run, such as one of a hook in a conftest.py."""
        from pytest_relevance.plugin.uncollected import error_at

        self._store.keep_errors([error_at(excinfo.value, ".", self._config)])

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config) -> None:
        """Give each case that was moved its accepted ranking, before any is deselected."""
        follow_moved_cases(config)

    @pytest.hookimpl
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Store the node ids of the tests that are to run."""
        if session.items:  # there are no items on the controller of pytest-xdist
            if self._store.unsent.fingerprint is None and not is_fixture_defined(
                FINGERPRINT, session
            ):
                self._store.unsent.fingerprint = {}
            self._store.to_run = [item.nodeid for item in session.items]
            self._items = [item for item in session.items if CASE_RUN in item.stash]
            self._store.collected = _in_order_of_collection(self._items)
            self._giving_up.watch(self._items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Store the node ids of the tests that the workers are to run; every worker collects the same."""
        self._store.to_run = ids

    @pytest.hookimpl(
        wrapper=True, trylast=True
    )  # inside the terminal's wrapper, which then writes its final 100 %
    def pytest_runtestloop(
        self, session: pytest.Session
    ) -> Generator[None, object, object]:
        """Judge the gates of the case files when all cases have run, or the run was stopped.

        Cases that have not run by now may still be run by another plugin, in a loop of its own.
        """
        try:
            result = yield
        except BaseException as error:
            self._was_cut_short = True
            if isinstance(
                error, (session.Failed, KeyboardInterrupt, pytest.exit.Exception)
            ):
                self._judge_gates(session)
            raise
        if not self._store.unfinished():
            self._judge_gates(session)
        return result

    @pytest.hookimpl
    def pytest_keyboard_interrupt(
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> None:
        """Name the query whose search was interrupted: no report of its case follows.

        What `pytest.exit` says is an error of the run.
        """
        if isinstance(excinfo.value, pytest.exit.Exception):
            from pytest_relevance.plugin.uncollected import error_at

            self._store.keep_errors([error_at(excinfo.value, ".", self._config)])
        for query in filter(
            None, (item.stash[CASE_RUN].in_flight for item in self._items)
        ):
            self._store.unsent.warn(
                "searches in flight", f"searches in flight: {query}"
            )

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Store the data that a worker of pytest-xdist sends after its last report; a crashed worker sends none."""
        sent = getattr(node, "workeroutput", {}).get(ATTRIBUTE)
        if sent is not None:
            self._store.receive(from_text(News, sent))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(
        self, session: pytest.Session, exitstatus: int | pytest.ExitCode
    ) -> None:
        """Send or store the remaining data; judge gates that were not judged yet; check that no result was lost."""
        if self._is_worker:
            sent = as_text(self._store.unsent.take())
            self._config.workeroutput[ATTRIBUTE] = sent  # type: ignore[attr-defined]
            return
        self._store.receive(self._store.unsent.take())
        if not self._runs_tests:
            forget_parameters(self._items)
            return
        self._store.end()
        failed, has_ended = session.testsfailed, exitstatus not in _UNFINISHED
        if has_ended:
            self._judge_gates(session)
        is_complete = has_ended and not self._was_cut_short
        found = [*findings(self._config, has_ended=has_ended, is_complete=is_complete)]
        for finding in found:
            self._store.keep_finding(finding)
        for finding in other_failures(self._store, session.exitstatus):
            self._store.keep_finding(finding, is_told=True)
        fails = any(finding.fails for finding in found)
        if (session.testsfailed > failed or fails) and ended_well(exitstatus):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Close the event loop of coroutine searches, and forget the results."""
        if awaiting.LOOP in config.stash:
            awaiting.close_own_loop(config)
        self._store.forget_cases()

    def _judge_gates(self, session: pytest.Session) -> None:
        if self._is_worker or self._gates_are_judged or not self._runs_tests:
            return
        self._gates_are_judged = True
        # a gate that fails may stop the run too, but nothing is left to run by then
        if session.shouldstop or session.shouldfail:
            self._was_cut_short = True
        report_undecided(session, self._store)
        if any(info.gates for info in self._store.files.values()):
            from pytest_relevance.plugin.gate_reports import report_gates

            self._store.gates = report_gates(session, self._store)

    def _text(self, result: CaseResult) -> FailureText:
        """Return the report of a failure for pytest to print."""
        from pytest_relevance.reports.failure import failure_lines
        from pytest_relevance.reports.failure_message import failure_message

        file = os.path.normpath(self._config.invocation_params.dir / result.file)

        def complete() -> CaseResult:
            return self._store.completed([result])[0]

        def lines_of(**form: int) -> list[Line]:
            return failure_lines(complete(), others=self._store.results, **form)

        crash = Crash(
            result.origin.source or file,
            result.line,
            lambda: harmless(failure_message(complete())),
        )
        return FailureText(self._config.option, lines_of, crash)


def _in_order_of_collection(items: Sequence[pytest.Item]) -> Sequence[str]:
    """Return the node ids of cases in the order of their files; empty if they run in this order."""
    ordered = sorted(items, key=lambda item: item.stash[CASE_RUN].place)
    return () if ordered == items else [item.nodeid for item in ordered]


def _attach(
    report: pytest.TestReport, runs: Sequence[CaseRun], call: pytest.CallInfo[None]
) -> None:
    """Attach the results of a call to its report: of the case of an item, or of the checks of a test in Python."""
    error = None if call.excinfo is None else call.excinfo.value
    results: list[CaseResult] = []
    shown = None
    for run in runs:
        attempt = run.attempt
        if (
            report.passed
            and attempt.result is None
            and not (run.is_check and attempt.error is not None)
        ):
            continue  # another plugin ran the item in its own way (not so a check whose error the test has caught)
        # a case has one call; the report may be of a later attempt than the exception
        is_shown = attempt.error is not None and (
            attempt.error is error or not run.is_check
        )
        result = hide_secrets(_result(run, report, call), run.item.config)
        results.append(result)
        if is_shown:
            shown = result
            if report.skipped and not hasattr(report, "wasxfail"):
                report.longrepr = (
                    run.case.source or run.path,
                    run.case.line,
                    f"Skipped: {attempt.error}",
                )
        elif (
            result.verdict == ERROR
            and not run.is_check
            and report.failed
            and report.when == "call"
        ):
            report.sections.append(
                ("relevance case", f"{result.place}: {_asked(result, attempt.calls)}")
            )
        run.forget_attempt()
    attach(report, Attached(results=tuple(results), shown=shown))


def _attach_subtest(
    report: pytest.TestReport, runs: Sequence[CaseRun], call: pytest.CallInfo[None]
) -> None:
    """Attach the failing check of a subtest, for the text of the failure.

    The results themselves are attached to the report of the test, which is made last.
    """
    error = None if call.excinfo is None else call.excinfo.value
    for run in runs:
        if error is not None and run.attempt.error is error:
            result = hide_secrets(_result(run, report, call), run.item.config)
            attach(report, Attached(shown=result))


def _result(
    run: CaseRun, report: pytest.TestReport, call: pytest.CallInfo[None]
) -> CaseResult:
    """Return the result of a case run, with pytest's outcome."""
    result = run.attempt.result
    if result is None:
        xfail = call.excinfo is not None and isinstance(
            call.excinfo.value, pytest.xfail.Exception
        )
        skipped = report.skipped and (xfail or not hasattr(report, "wasxfail"))
        error = _error_of(run, call)
        verdict = (
            SKIPPED
            if skipped
            else NOT_SEARCHED
            if isinstance(run.attempt.error, NotSearched)
            else ERROR
        )
        reasons = () if error is None else (text_reason(error.headline),)
        result = unscored(
            run.case,
            verdict,
            run.in_run,
            run.call(error=error if verdict == ERROR else None),
            reasons,
        )
        if skipped and _is_marked_skip(run.item):
            result = replace(result, call=replace(result.call, is_marked_skip=True))
        if run.baseline is not None:
            result = run.baseline.of_unscored(result)
    outcome = _outcome(run, result, report, call)
    if outcome == result.verdict:
        return result
    return replace(result, call=replace(result.call, outcome=outcome))


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

    A check gets an outcome from its own verdict, unless its exception is the one that ended the test.
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

    The error of the run itself comes first: a test may continue after a failed check and end in another exception.
    """
    error = (
        run.attempt.error
        if run.attempt.error is not None or call.excinfo is None
        else call.excinfo.value
    )
    if error is None:
        return None
    phase = SETUP if call.when == "setup" else SCORING if run.attempt.is_read else ""
    prefix = f"in call {run.attempt.calls}: " if run.attempt.calls > 1 else ""
    return search_error(error, run.item.config, phase=phase, prefix=prefix)


def _asked(result: CaseResult, calls: int) -> str:
    """Return the query and search of a case with an error, and the number of the call if there were several."""
    from pytest_relevance.reports.reasons import search_label

    label = search_label(result.search, result.variant, result.params)
    return "   ".join(
        [
            f'query "{harmless(result.query)}"',
            label,
            *([f"in call {calls}"] if calls > 1 else []),
        ]
    )
