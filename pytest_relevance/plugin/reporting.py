"""The hooks of a run with cases, from the call of a case to the terminal summary.

Under pytest-xdist the workers attach results to reports and the controller reads them. Without xdist one process does
both, with the same code.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from pytest_relevance.plugin.collecting.case_items import ANYIO, PYTEST_ASYNCIO, LoopChoice, has_plugin
from pytest_relevance.plugin.failures import Crash, FailureText, MaskedError, report_gates, write_lines
from pytest_relevance.plugin.giving_up import GivingUp
from pytest_relevance.plugin.options import ended_well, recorded_rankings, runs_tests, verbosity
from pytest_relevance.plugin.run_store import ATTRIBUTE, Message, attached_to, run_store
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
from pytest_relevance.plugin.running.fixture_help import brief_traceback, explain, refuse_neglected_fixture
from pytest_relevance.plugin.running.project import request_fingerprint
from pytest_relevance.plugin.running.run_case import set_properties
from pytest_relevance.plugin.terminal import RepeatedFailures
from pytest_relevance.reports.failure import failure_lines, failure_message
from pytest_relevance.reports.reasons import item_heading
from pytest_relevance.reports.summary.cases import anything_ran
from pytest_relevance.reports.summary.gates import named_gate_lines
from pytest_relevance.reports.summary.summary import summary_lines, verdict_lines
from pytest_relevance.reports.text import BAD, PLAIN, Line, folded, harmless, line, terminal_width
from pytest_relevance.results.baseline.overall import failure_order
from pytest_relevance.results.case_result import CHECK, FAILED, CaseResult
from pytest_relevance.results.gates import GateResult
from pytest_relevance.results.run_info import FileInfo, RunInfo

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
    manager.register(RepeatedFailures(), "relevance-repeated-failures")
    if has_plugin(config, (*PYTEST_ASYNCIO, *ANYIO)):
        manager.register(LoopChoice(), "relevance-loops")


class Reporting:
    """The hooks of a run with cases."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._is_worker = hasattr(config, "workerinput")
        self._runs_tests = runs_tests(config)
        self._store = run_store(config)
        self._gates: Sequence[GateResult] = ()
        self._gates_are_judged = self._was_cut_short = False
        self._failures: dict[str, CaseResult] = {}

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
        if run is not None and report.failed and (brief := brief_traceback(call, report, item.config)) is not None:
            report.longrepr = brief
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
        if report.failed and attached.get("cases"):
            result = CaseResult.from_dict(attached["cases"][0])
            if not result.is_check:
                self._failures[report.nodeid] = result
        self._store.add(report)
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
            text, is_incomplete = self._store.lost_results()
            if text:
                self._store.messages.append(Message(text, is_good=False))
            if text := self._without_comparison():
                self._store.messages.append(Message(text, is_good=False))
                is_incomplete = True
        if text := self._store.disagreement():
            self._store.messages.append(Message(text, is_good=False))
        if (is_incomplete or session.testsfailed > failed) and ended_well(exitstatus):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        self._sort_failures()

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the reports of passing cases with `-vv`, and the plugin's section, whose last line is the verdict."""
        results = self._results()
        passed = [result for result in results if result.outcome == "passed" and result.scores]
        if passed and self._config.option.verbose > 1:
            terminalreporter.write_sep("=", "passing relevance cases")
            for result in passed:
                name = (result.node or result.id).rpartition("::")[2]
                terminalreporter.write_sep("_", item_heading(name, result.id, result.query))
                write_lines(terminalreporter, failure_lines(result, verbosity=1, width=terminal_width()))
        lines = self._lines(results)
        if lines:
            terminalreporter.write_sep("=", "relevance")
            write_lines(terminalreporter, lines)

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Close the event loop of coroutine searches; print the failures that no terminal summary has shown."""
        for message in self._store.messages:
            if not message.is_good:
                print(": ".join(filter(None, (message.option, message.text))), file=sys.stderr)
        calling.close_own_loop(config)

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

    def _sort_failures(self) -> None:
        """Sort the failures of cases by their kind, for the failures section and the short summary of pytest.

        They are sorted among the places that they have: failures of other tests and of gates keep theirs.
        """
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if terminal is None or all(result.baseline is None for result in self._failures.values()):
            return
        failed = terminal.stats.get("failed", [])
        places = [place for place, report in enumerate(failed) if getattr(report, "nodeid", None) in self._failures]
        ordered = sorted(
            (failed[place] for place in places), key=lambda each: failure_order(self._failures[each.nodeid])
        )
        for place, report in zip(places, ordered, strict=True):
            failed[place] = report

    def _judge_gates(self, session: pytest.Session) -> None:
        if self._is_worker or self._gates_are_judged or not self._runs_tests:
            return
        self._gates_are_judged = True
        if any(info.gates for info in self._store.files.values()):
            self._gates = report_gates(session, self._store)

    def _results(self) -> list[CaseResult]:
        """Return the results of all cases that ended, or an empty list if no case ran."""
        results = self._store.results
        return results if anything_ran(results) else []

    def _lines(self, results: Sequence[CaseResult]) -> list[Line]:
        """Return the lines of the section: summary and gates, messages about written files (once), verdict."""
        messages, self._store.messages = self._store.messages, []
        columns = terminal_width()
        lines = [
            line(part, PLAIN if message.is_good else BAD)
            for message in messages
            for part in folded(message.text, columns, indent="    ")
        ]
        if not results:
            return lines
        option = self._config.option
        require = option.relevance_gates == "require"
        summary = summary_lines(
            results,
            self._files(),
            RunInfo(fingerprint=self._store.common_fingerprint),
            self._gates,
            verbosity=option.verbose,
            width=columns,
            updating=option.relevance_update,
            require_gates=require,
        )
        for gate in self._gates:
            if gate.outcome(require=require) != FAILED:  # a failed gate has a report of its own
                summary += named_gate_lines(gate, columns)
        info = RunInfo(missing=tuple(self._store.unfinished()))
        verdict = verdict_lines(
            results, self._gates, info, verbosity=option.verbose, width=columns, require_gates=require
        )
        return [*summary, *lines, *verdict]

    def _files(self) -> dict[str, FileInfo]:
        """Return the case files by name; orphaned baseline entries are left out unless all cases of the file ended."""
        return {
            file: info if not info.orphans or self._store.is_whole(file) else replace(info, orphans=())
            for file, info in self._store.files.items()
        }

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
