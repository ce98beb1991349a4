"""The hooks of a run with cases, from the call of a case to the terminal summary.

Under pytest-xdist the workers attach results to reports and the controller reads them. Without xdist one process does
both, with the same code.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from typing import Any

import pytest

from pytest_relevance._text import counted, harmless, listed
from pytest_relevance.plugin.collecting.case_items import ANYIO, PYTEST_ASYNCIO, LoopChoice, has_plugin
from pytest_relevance.plugin.failures import Crash, FailureText, MaskedError, report_gates
from pytest_relevance.plugin.giving_up import GivingUp
from pytest_relevance.plugin.options import ended_well, outputs_of, recorded_rankings, runs_tests, verbosity
from pytest_relevance.plugin.run_store import ATTRIBUTE, Message, attached_to, first_named, run_store
from pytest_relevance.plugin.running import calling, documents
from pytest_relevance.plugin.running.case_run import (
    CASE_RUN,
    CHECKS,
    IN_CALL,
    RAISED,
    CallEnd,
    case_runs_of,
    mask_secrets,
)
from pytest_relevance.plugin.running.fixture_help import explain, refuse_neglected_fixture
from pytest_relevance.plugin.running.project import request_fingerprint
from pytest_relevance.plugin.running.run_case import set_properties
from pytest_relevance.plugin.terminal import FailuresSection, SummarySection
from pytest_relevance.reports.failure import failure_lines, failure_message
from pytest_relevance.reports.github.commands import is_github
from pytest_relevance.reports.reasons import item_heading
from pytest_relevance.reports.text import Line
from pytest_relevance.results.case_result import CHECK, CaseResult

NAME = "relevance-reporting"

_BROKEN_OFF = (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR)
"""The exit codes of a run that did not finish."""


def install(config: pytest.Config) -> None:
    """Register the hooks of a run with cases, unless they are registered already."""
    manager = config.pluginmanager
    if manager.has_plugin(NAME):
        return
    manager.register(Reporting(config), NAME)
    manager.register(GivingUp(config), "relevance-giving-up")
    manager.register(FailuresSection(config), "relevance-failures")
    manager.register(SummarySection(config), "relevance-summary")
    if has_plugin(config, (*PYTEST_ASYNCIO, *ANYIO)):
        manager.register(LoopChoice(), "relevance-loops")
    if is_github():
        from pytest_relevance.plugin import ci

        ci.install(config)


class Reporting:
    """The hooks of a run with cases."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._is_worker = hasattr(config, "workerinput")
        self._runs_tests = runs_tests(config)
        self._store = run_store(config)
        self._gates_are_judged = self._was_cut_short = False

    @pytest.hookimpl
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Fail a case with an async fixture that no plugin sets up: pytest gives no advice on what to do about it."""
        run = item.stash.get(CASE_RUN, None)
        if run is not None and run.neglected_fixture is not None:
            refuse_neglected_fixture(run, has_asyncio=has_plugin(item.config, PYTEST_ASYNCIO))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Record that the call of an item is in progress, and reset its case run.

        A plugin may call an item several times before it makes a report.
        """
        __tracebackhide__ = True
        if (run := item.stash.get(CASE_RUN, None)) is not None:
            run.reset()
        if self._store.fingerprint is None and (run is not None or CHECKS in item.stash):
            request_fingerprint(item)
        item.stash[IN_CALL] = True
        try:
            return (yield)
        finally:
            item.stash[IN_CALL] = False

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach the results to the report of a case, or of a test with checks, when the report is made.

        It is not done when the report is logged, as the report may be made in a process that logs nothing. This is the
        outermost wrapper, as other wrappers change the outcome or run the item again before they return the report.
        """
        is_subtest = call.when == "call" and item.stash.get(IN_CALL, False)
        if not is_subtest and item.stash.get(RAISED, None):
            from pytest_relevance.plugin.running.fixture import raise_lost_check

            raise_lost_check(item, call)
        run = item.stash.get(CASE_RUN, None)
        if call.when != "call" and call.excinfo is None:
            report = yield
            if run is not None and report.sections:
                mask_secrets(run, report)
            self._store.send_unsent(report)
            return report
        ends = call.when in ("setup", "call") and not is_subtest
        if call.excinfo is not None:
            if ends and not isinstance(call.excinfo.value, pytest.skip.Exception):
                for each in case_runs_of(item):
                    if each.result is None:
                        set_properties(each)
            if run is not None:
                explain(run, call)
        report = yield
        end = CallEnd(item, call, case_runs_of(item))
        if end.runs and is_subtest:
            end.attach_subtest(report)
        elif end.runs and ends:
            end.attach(report)
            if run is None:
                item.stash[CHECKS] = []  # a rerun of the test makes its checks again
        if run is not None:
            mask_secrets(run, report)
        self._store.send_unsent(report)
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, object, object]:
        """Store the results attached to a report, and replace the text and the heading of a failure.

        The heading is replaced last: with `-v` pytest tells by the location whether it has printed the name already.
        """
        if self._is_worker:
            self._store.send_files(report)
            return (yield)
        attached = attached_to(report)
        if "shown" in attached and report.failed:
            report.longrepr = self._text(CaseResult.from_dict(attached["shown"]))  # type: ignore[assignment]
        elif "masked" in attached:
            report.longrepr = MaskedError(self._config, report.longrepr, **attached["masked"])  # type: ignore[assignment]
        self._store.add(report, attached)
        reported = yield
        for values in attached.get("cases", ()):
            file, line_number, name = report.location
            query = values.get("query", values["id"])  # left out where it is the id
            if verbosity(self._config.option) < 0 or values.get("search") == CHECK:  # the line below has the query
                query = values["id"]
            report.location = (file, line_number, item_heading(name, values["id"], query))
        return reported

    @pytest.hookimpl
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Store the name of a case file that cannot be collected."""
        if report.failed and self._store.is_case(report.nodeid):
            self._store.broken[report.nodeid] = None

    @pytest.hookimpl
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Store the node ids of the tests that are to run, and register the hooks for `relevance_documents`."""
        if session.items:  # none on the controller of pytest-xdist
            documents.install(session)
            self._store.to_run = [item.nodeid for item in session.items]

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Store the node ids of the tests that the workers are to run; every worker collects the same."""
        self._store.to_run = ids

    @pytest.hookimpl(wrapper=True, trylast=True)  # inner to the terminal's wrapper, which then writes its final 100 %
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Judge the gates of the case files when all cases have run, or the run was stopped.

        Where cases have not run by now, a plugin may still run them in a loop of its own.
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
        """Store what a worker of pytest-xdist had to send after its last report; one that crashed sends nothing."""
        self._store.receive(getattr(node, "workeroutput", {}).get(ATTRIBUTE, {}))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
        """Send or store what is left to send; judge gates that were not judged yet; check that no result was lost."""
        if self._is_worker:
            self._config.workeroutput[ATTRIBUTE] = self._store.take_unsent()  # type: ignore[attr-defined]
            return
        self._store.receive(self._store.take_unsent())
        if not self._runs_tests:
            return
        self._store.is_over = True
        failed, is_incomplete = session.testsfailed, False
        if exitstatus not in _BROKEN_OFF:
            self._judge_gates(session)
        if not (self._was_cut_short or session.shouldstop or session.shouldfail or exitstatus in _BROKEN_OFF):
            text, is_incomplete = self._lost_results()
            if text:
                self._store.messages.append(Message(text, is_good=False))
            if text := self._without_comparison():
                self._store.messages.append(Message(text, is_good=False))
                is_incomplete = True
        if text := self._store.disagreement():
            self._store.messages.append(Message(text, is_good=False))
        if (is_incomplete or session.testsfailed > failed) and ended_well(exitstatus):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Close the event loop of coroutine searches."""
        calling.close_own_loop(config)

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

    def _without_comparison(self) -> str:
        """Return a message where a record is to be compared with and has no case file that ran; else empty."""
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

    def _judge_gates(self, session: pytest.Session) -> None:
        if self._is_worker or self._gates_are_judged or not self._runs_tests:
            return
        self._gates_are_judged = True
        if any(info.gates for info in self._store.files.values()):
            self._store.gates = report_gates(session, self._store)

    def _text(self, result: CaseResult) -> FailureText:
        """Return the report of a failure for pytest to print."""
        file = os.path.normpath(self._config.invocation_params.dir / result.file)

        def complete() -> CaseResult:
            self._store.complete([result])
            return result

        def lines_of(**form: int) -> list[Line]:
            return failure_lines(complete(), **form)

        crash = Crash(result.source or file, result.line, lambda: harmless(failure_message(complete())))
        return FailureText(self._config.option, lines_of, crash)
