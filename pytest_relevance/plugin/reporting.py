"""The hooks of a run with cases, from the call of a case to the terminal summary.

Under pytest-xdist the workers attach results to reports and the controller reads them. Without xdist one process does
both, with the same code.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance._text import counted, examples, harmless, listed
from pytest_relevance.plugin.collecting.case_items import set_locations
from pytest_relevance.plugin.failures import CaseError, Crash, FailureText, report_gates, shown_path
from pytest_relevance.plugin.options import ended_well, outputs_of, recorded_rankings, requires_baseline, runs_tests
from pytest_relevance.plugin.pytest_internals import forget_parameters, is_fixture_defined
from pytest_relevance.plugin.run_store import (
    ATTRIBUTE,
    DOCUMENTS,
    LOST,
    PASSED_OVER,
    Message,
    attached_to,
    first_named,
    run_store,
)
from pytest_relevance.plugin.running import calling
from pytest_relevance.plugin.running.case_run import (
    CASE_RUN,
    CHECKS,
    CallEnd,
    CaseRun,
    case_runs_of,
    is_running,
)
from pytest_relevance.plugin.running.errors import missing_fixture, shorten
from pytest_relevance.plugin.running.failing_searches import GivingUp
from pytest_relevance.plugin.running.project import FIXTURE as FINGERPRINT
from pytest_relevance.plugin.running.project import request_fingerprint
from pytest_relevance.plugin.running.run_case import set_properties
from pytest_relevance.plugin.terminal import FailuresSection, SummarySection, not_run
from pytest_relevance.reports.text import Line, is_github
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.records.run_info import SUFFIX

NAME = "relevance-reporting"

_MANY_CASES = 1_000
"""From this number of cases on the heap is frozen (`gc.freeze`): the garbage collector no longer walks the items."""

_CHECK_CALLS = "relevance-check-calls"

_BROKEN_OFF = (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR)
"""The exit codes of a run that did not finish."""


def install(config: pytest.Config) -> None:
    """Register the hooks of a run with cases, unless they are registered already."""
    manager = config.pluginmanager
    if manager.has_plugin(NAME):
        return
    manager.register(Reporting(config), NAME)
    manager.register(FailuresSection(config), "relevance-failures")
    manager.register(SummarySection(config), "relevance-summary")
    if is_github():
        from pytest_relevance.plugin.outputs import ci

        ci.install(config)


def install_for_checks(session: pytest.Session) -> None:
    """Register the hooks of a run with checks in tests in Python, unless they are registered already."""
    install(session.config)
    _install_documents(session)
    if not session.config.pluginmanager.has_plugin(_CHECK_CALLS):
        session.config.pluginmanager.register(CheckCalls(), _CHECK_CALLS)


def _explain(run: CaseRun, call: pytest.CallInfo[None]) -> None:
    """Replace the exception about a missing fixture in a call, or shorten the traceback of any other."""
    assert call.excinfo is not None
    error = call.excinfo.value
    if not isinstance(error, pytest.FixtureLookupError):
        shorten(call.excinfo, run.item.config)
        return
    message = missing_fixture(error, run.case.search)
    run.attempt.error = CaseError(message, pytrace=False)
    first_line = CaseError(message.partition("\n")[0], pytrace=False)
    call.excinfo = pytest.ExceptionInfo.from_exception(first_line.with_traceback(error.__traceback__))


def pass_over(path: Path, config: pytest.Config) -> None:
    """Have the summary name a file that seems to be a case file, but does not have the name of one."""
    install(config)
    run_store(config).name(PASSED_OVER, shown_path(path, config))


def _install_documents(session: pytest.Session) -> None:
    """Register the hooks for `relevance_documents` where any fixture has that name."""
    if is_fixture_defined(DOCUMENTS, session):
        from pytest_relevance.plugin.running import documents

        documents.install(session)


class CheckCalls:
    """The hook of tests in Python that request `relevance`."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Record that the call of a test with checks is in progress."""
        __tracebackhide__ = True
        if CHECKS not in item.stash:
            return (yield)
        if run_store(item.config).fingerprint is None:
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
        self._runs_tests = runs_tests(config)
        self._store = run_store(config)
        self._giving_up = GivingUp(config)
        self._gates_are_judged = self._was_cut_short = self._is_heap_frozen = False

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach the results to the report of a case, or of a test with checks, when the report is made.

        Results are not attached when the report is logged: it may be made in a process that logs nothing. This is the
        outermost wrapper, as other wrappers change the outcome or run the item again before they return the report.
        """
        run, checks = item.stash.get(CASE_RUN, None), item.stash.get(CHECKS, None)
        if checks is not None and call.when == "teardown":
            checks.are_over = True
        if (run is None and checks is None) or (
            call.when != "call" and call.excinfo is None and (checks is None or not checks.raised)
        ):
            report = yield
        else:
            is_subtest = call.when == "call" and is_running(item)
            self._prepare(item, call, is_subtest=is_subtest)
            report = yield
            end = CallEnd(item, call, case_runs_of(item))
            if end.runs and is_subtest:
                end.attach_subtest(report)
            elif end.runs and call.when != "teardown":
                end.attach(report)
                if checks is not None:
                    checks.runs.clear()  # a rerun of the test makes its checks again
        self._store.send_unsent(report)
        return report

    def _prepare(self, item: pytest.Item, call: pytest.CallInfo[None], *, is_subtest: bool) -> None:
        """Set the exception to report for a call, and the JUnit properties of an error."""
        if not is_subtest and CHECKS in item.stash and item.stash[CHECKS].raised:
            from pytest_relevance.plugin.running.fixture import raise_lost_check

            raise_lost_check(item, call)
        if call.excinfo is None:
            return
        runs = case_runs_of(item)
        if call.when != "teardown" and not (is_subtest or isinstance(call.excinfo.value, pytest.skip.Exception)):
            for each in runs:
                if each.attempt.result is None:
                    set_properties(each)
        if CASE_RUN in item.stash:
            _explain(item.stash[CASE_RUN], call)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Store the results attached to a report, and replace the text of a failure."""
        attached = attached_to(report)
        cases = attached.get("cases", ())
        if cases and report.outcome in ("passed", "failed", "skipped"):  # after "rerun" another report follows
            self._giving_up.count(report.nodeid, cases)
        if self._is_worker:
            self._store.send_files(report)
            return
        if "shown" in attached and report.failed:
            report.longrepr = self._text(CaseResult.from_dict(attached["shown"]))  # type: ignore[assignment]
        self._store.add(report, attached)

    @pytest.hookimpl
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Store the name of a case file that cannot be collected."""
        if report.failed and self._store.is_case(report.nodeid):
            self._store.broken[report.nodeid] = None

    @pytest.hookimpl
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Store the node ids of the tests that are to run, and register the hooks for `relevance_documents`."""
        if session.items:  # there are no items on the controller of pytest-xdist
            _install_documents(session)
            if self._store.fingerprint is None and not is_fixture_defined(FINGERPRINT, session):
                self._store.fingerprint = {}
            self._store.to_run = [item.nodeid for item in session.items]
            set_locations(session.items)
            self._giving_up.watch(session.items)
            if sum(CASE_RUN in item.stash for item in session.items) >= _MANY_CASES:
                gc.freeze()
                self._is_heap_frozen = True

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Store the node ids of the tests that the workers are to run; every worker collects the same."""
        self._store.to_run = ids

    @pytest.hookimpl(wrapper=True, trylast=True)  # inside the terminal's wrapper, which then writes its final 100 %
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Judge the gates of the case files when all cases have run, or the run was stopped.

        Cases that have not run by now may still be run by another plugin, in a loop of its own.
        """
        try:
            result = yield
        except BaseException as error:
            self._was_cut_short = True
            if isinstance(error, (session.Failed, KeyboardInterrupt, pytest.exit.Exception)):
                self._judge_gates(session)
            raise
        if not self._store.unfinished():
            self._judge_gates(session)
        return result

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Store the data that a worker of pytest-xdist sends after its last report; a crashed worker sends none."""
        self._store.receive(getattr(node, "workeroutput", {}).get(ATTRIBUTE, {}))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
        """Send or store the remaining data; judge gates that were not judged yet; check that no result was lost."""
        if self._is_worker:
            self._config.workeroutput[ATTRIBUTE] = self._store.take_unsent()  # type: ignore[attr-defined]
            return
        self._store.receive(self._store.take_unsent())
        if not self._runs_tests:
            forget_parameters(item for item in session.items if CASE_RUN in item.stash)
            return
        self._store.end()
        failed, is_incomplete = session.testsfailed, False
        if exitstatus not in _BROKEN_OFF:
            self._judge_gates(session)
            if text := self._nothing_ran():
                self._store.messages.append(Message(text, is_good=False))
        if not (self._was_cut_short or session.shouldstop or session.shouldfail or exitstatus in _BROKEN_OFF):
            text, is_incomplete = self._lost_results()
            if text:
                self._store.messages.append(Message(text, is_good=False))
            for text in filter(None, (self._without_comparison(), *self._lost_cases())):
                self._store.messages.append(Message(text, is_good=False))
                is_incomplete = True
        if lost := self._store.named[LOST]:
            is_incomplete = True
            checks = counted(len(lost), "check was", "checks were")
            text = f"{checks} made in a thread that its test did not wait for, and the run fails: {first_named(lost)}"
            self._store.messages.append(Message(text, is_good=False))
        if files := [*dict.fromkeys(self._store.named[PASSED_OVER])]:
            self._store.messages.append(Message(_passed_over(files, self._config), is_good=False))
        if text := self._store.disagreement():
            self._store.messages.append(Message(text, is_good=False))
        if (is_incomplete or session.testsfailed > failed) and ended_well(exitstatus):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Close the event loop of coroutine searches, and thaw the heap."""
        calling.close_own_loop(config)
        if self._is_heap_frozen:
            gc.unfreeze()

    def _lost_results(self) -> tuple[str, bool]:
        """Return a message about cases without a result (or ""), and whether the run fails because of them.

        A plugin that runs tests in another process and builds reports of its own may drop the results attached to
        reports. Cases with a failed report, such as those whose process crashed, are not counted: that failure is shown
        already. A case that passed without being scored, because a plugin ran something else instead, is counted only
        where an option needs every result.
        """
        option, store = self._config.option, self._store
        needed_by = ["--relevance-gates=require"] if option.relevance_gates == "require" else []
        needed_by += [f"--relevance-{name}" for name in outputs_of(option)]
        known = store.failed if needed_by else store.failed | store.unscored
        names = [name for name in store.unfinished() if name not in known]
        if not names:
            return "", False
        total = sum(map(store.is_case, store.to_run))
        text = (
            f"{len(names):,} of {counted(total, 'case')} that were to run {'has' if len(names) == 1 else 'have'} no "
            f"result ({first_named(names)}): a plugin that runs tests elsewhere, makes reports of its own, or runs "
            "something else in the place of cases may be the cause"
        )
        if not needed_by:
            return text, False
        needs = "needs" if len(needed_by) == 1 else "need"
        return f"{text}; {listed(needed_by, 'and')} {needs} every result, so the run fails", True

    def _nothing_ran(self) -> str:
        """Return a message where a record is to be compared with and no case ran, so that there is no summary."""
        against = self._config.option.relevance_against
        if against is None or self._store.results or not (files := not_run(self._config)):
            return ""
        return f"--relevance-against: nothing ran of {counted(len(files), 'file')} in {against} ({examples(files)})"

    def _without_comparison(self) -> str:
        """Return a message if the record to compare with has none of the case files that ran; else an empty string."""
        against = self._config.option.relevance_against
        ran = {result.file for result in self._store.results if result.scores and not result.is_check}
        if against is None or not ran:
            return ""
        recorded = recorded_rankings(self._config)
        if any(recorded.of_file(self._store.files[file].node, file) for file in ran):
            return ""
        return (
            f"--relevance-against: {against} has none of the case files that ran, so that nothing was compared, and "
            "the run fails; was it recorded from another folder, or of other files?"
        )

    def _lost_cases(self) -> Iterator[str]:
        """Yield a message about each file that ran whole and lacks cases of its required baseline."""
        option = self._config.option
        if option.relevance_update is not None or not requires_baseline(self._config):
            return
        for file, info in self._store.files.items():
            names = [case for case, *_ in info.lost]
            if names and self._store.is_whole(file):
                reference = info.against or f"{file}{SUFFIX}"
                cases = counted(len({*names}), "case")
                yield (
                    f"{harmless(file)} ran whole and does not compare {cases} of {harmless(reference)} "
                    f"({examples([*dict.fromkeys(names)])}), and relevance_baseline is require, so the run fails: "
                    "restore them or their judgments, or accept it with --relevance-update or another record"
                )

    def _judge_gates(self, session: pytest.Session) -> None:
        if self._is_worker or self._gates_are_judged or not self._runs_tests:
            return
        self._gates_are_judged = True
        if any(info.gates for info in self._store.files.values()):
            self._store.gates = report_gates(session, self._store)

    def _text(self, result: CaseResult) -> FailureText:
        """Return the report of a failure for pytest to print."""
        from pytest_relevance.reports.failure import failure_lines, failure_message
        from pytest_relevance.results.diagnoses import ids_are_known

        file = os.path.normpath(self._config.invocation_params.dir / result.file)

        def complete() -> CaseResult:
            self._store.complete([result])
            return result

        def lines_of(**form: int) -> list[Line]:
            known = result.is_unjudged and ids_are_known(result, self._store.results)
            return failure_lines(complete(), ids_are_known=known, **form)

        crash = Crash(result.source or file, result.line, lambda: harmless(failure_message(complete())))
        return FailureText(self._config.option, lines_of, crash)


def _passed_over(files: Sequence[str], config: pytest.Config) -> str:
    """Return the message about files that seem to be case files, but do not have the names of case files."""
    one, patterns = len(files) == 1, listed(config.getini("relevance_files"), "or")
    return (
        f"{counted(len(files), 'file has cases and is', 'files have cases and are')} not collected: "
        f"{first_named(files)}; rename {'it' if one else 'them'} to {patterns}, or set relevance_files"
    )
