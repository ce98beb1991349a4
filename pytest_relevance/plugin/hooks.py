"""The hooks of a run with cases: around each test, and around the whole run.

`install` registers the hooks when the first case file is collected. Three modules have
further hooks: `terminal` prints, `outputs` writes files, `workers` receives what the
workers of pytest-xdist send.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance.plugin.attached import (
    ATTRIBUTE,
    Attached,
    as_text,
    attach_news,
    attached_to,
    make_portable,
)
from pytest_relevance.plugin.case_reports import report_case
from pytest_relevance.plugin.failure_text import text_of_report
from pytest_relevance.plugin.findings import findings, other_failures
from pytest_relevance.plugin.gate_reports import report_gates, report_undecided
from pytest_relevance.plugin.giving_up import GivingUp
from pytest_relevance.plugin.moved_entries import follow_moved_cases
from pytest_relevance.plugin.news import NO_NEWS, PASSED_OVER
from pytest_relevance.plugin.note_demands import note_added_xfails, note_demands
from pytest_relevance.plugin.paths import shown_path
from pytest_relevance.plugin.pytest_internals import (
    forget_parameters,
    hide_in_report,
    is_fixture_defined,
)
from pytest_relevance.plugin.redaction import redaction
from pytest_relevance.plugin.run_settings import (
    HAS_CASES,
    ended_well,
    has_cases,
    is_worker,
    settings,
)
from pytest_relevance.plugin.run_store import is_last, run_store
from pytest_relevance.plugin.running import awaiting
from pytest_relevance.plugin.running.case_run import CASE_RUN, CHECKS, IN_FLIGHT
from pytest_relevance.plugin.running.run_case import FINGERPRINT
from pytest_relevance.plugin.terminal import Terminal
from pytest_relevance.plugin.workers import Controller, send_collected, send_rest

_HAS_CHECKS: pytest.StashKey[bool] = pytest.StashKey()


def install(config: pytest.Config) -> None:
    """Register the hooks of a run with cases. Later calls do nothing."""
    if has_cases(config):
        return
    config.stash[HAS_CASES] = True
    # the hooks have no names, so that no option such as -p no:NAME switches them off
    register = config.pluginmanager.register
    giving_up = GivingUp(config)
    register(Reporting(config, giving_up))
    register(WholeRun(config, giving_up))
    register(Terminal(config))
    if is_worker(config):
        return
    from pytest_relevance.plugin.outputs import Outputs

    register(Controller(run_store(config)))
    register(Outputs(config))


def install_for_checks(session: pytest.Session) -> None:
    """Register the hooks of a run with checks in Python. Later calls do nothing."""
    config = session.config
    install(config)
    if _HAS_CHECKS not in config.stash:
        from pytest_relevance.plugin.check_reports import CheckCalls

        config.stash[_HAS_CHECKS] = True
        config.pluginmanager.register(CheckCalls())


def pass_over(path: Path, config: pytest.Config) -> None:
    """Note for the summary that a file has cases and is not collected."""
    install(config)
    run_store(config).unsent.name(PASSED_OVER, shown_path(path, config))


class Reporting:
    """The hooks that make, send and receive the reports of tests.

    pytest-xdist and pytest-forked run tests in other processes. Their reports are sent
    to this process.
    """

    def __init__(self, config: pytest.Config, giving_up: GivingUp) -> None:
        self._config = config
        self._is_worker = is_worker(config)
        self._process = os.getpid()
        self._store = run_store(config)
        self._giving_up = giving_up

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach results and news to a report, in the process that makes the report.

        Results are attached only for a case, and for a test with checks. This wrapper
        is the outermost one, because other wrappers change the outcome or run the item
        again before they return the report.
        """
        if CASE_RUN in item.stash:
            report = yield from report_case(item.stash[CASE_RUN], call)
            self._hide_secrets(report)
        elif CHECKS in item.stash:
            from pytest_relevance.plugin.check_reports import report_checks

            report = yield from report_checks(item, call)
            self._hide_secrets(report)
        else:
            report = yield
        news = self._store.unsent.take()
        if news is not NO_NEWS:
            attach_news(report, news)
        if os.getpid() != self._process:  # for example a child of pytest-forked
            make_portable(report)
        return report

    def _hide_secrets(self, report: pytest.TestReport) -> None:
        """Mask known secrets in the text and the captured output of a report."""
        if report.longrepr is None and not report.sections:
            return
        known = redaction(self._config).known
        if known:
            hide_in_report(report, known.hide)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Store the results attached to a report, and set the text of a failure."""
        attached = attached_to(report)
        if attached.results and is_last(report):
            self._giving_up.count(report.nodeid, attached.results[0])
        if self._is_worker:
            send_collected(report, self._store)
            return
        if attached.shown is not None and report.failed:
            text: Any = text_of_report(attached.shown, self._config)
            report.longrepr = text
        self._store.add(report, attached)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_report_to_serializable(
        self, report: pytest.TestReport | pytest.CollectReport
    ) -> Generator[None, dict[str, Any] | None, dict[str, Any] | None]:
        """Turn what is attached to a report into text, which pytest-xdist can send.

        `attached_to` turns the text into an object again.
        """
        values = yield
        if values is not None and isinstance(values.get(ATTRIBUTE), Attached):
            values[ATTRIBUTE] = as_text(values[ATTRIBUTE])
        return values


_UNFINISHED = (
    pytest.ExitCode.INTERRUPTED,
    pytest.ExitCode.INTERNAL_ERROR,
    pytest.ExitCode.USAGE_ERROR,
)
"""The exit codes of a run that did not finish."""


class WholeRun:
    """The hooks of the run as a whole: its collection, its loop and its end."""

    def __init__(self, config: pytest.Config, giving_up: GivingUp) -> None:
        self._config = config
        self._is_worker = is_worker(config)
        self._runs_tests = settings(config).runs_tests
        self._store = run_store(config)
        self._giving_up = giving_up
        self._gates_are_judged = self._was_cut_short = False
        self._items: Sequence[pytest.Item] = ()

    @pytest.hookimpl
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep the errors that a worker found while it collected, for the reports."""
        if not self._is_worker:
            self._store.notes.keep_errors(attached_to(report).news.errors)

    @pytest.hookimpl
    def pytest_internalerror(
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> None:
        """Keep an error that ends the run, for example one of a conftest.py."""
        self._keep_error(excinfo.value)

    def _keep_error(self, error: BaseException) -> None:
        """Keep an exception that ends the run, for the reports."""
        from pytest_relevance.plugin.early_errors import error_at

        self._store.notes.keep_errors([error_at(error, ".", self._config)])

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config) -> None:
        """Give moved cases their accepted rankings, before any case is deselected."""
        follow_moved_cases(config)

    @pytest.hookimpl
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note the demands of the collected files, and which tests are to run."""
        note_demands(self._config)
        if not session.items:  # for example on the controller of pytest-xdist
            return
        unsent = self._store.unsent
        if unsent.fingerprint is None and not is_fixture_defined(FINGERPRINT, session):
            unsent.fingerprint = {}
        self._items = [item for item in session.items if CASE_RUN in item.stash]
        collection = self._store.collection
        collection.to_run = [item.nodeid for item in session.items]
        collection.in_file_order = _in_order_of_collection(self._items)
        self._giving_up.watch(self._items)

    # inside the terminal's wrapper, which then writes its final 100 %
    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(
        self, session: pytest.Session
    ) -> Generator[None, object, object]:
        """Judge the gates when all cases have run, or when the run was stopped.

        If some cases have not run, another plugin may still run them in a loop of its
        own. Then `pytest_sessionfinish` judges the gates.
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
        """Note the query whose search was interrupted, since its case has no report.

        The message of `pytest.exit` is kept as an error of the run.
        """
        if isinstance(excinfo.value, pytest.exit.Exception):
            self._keep_error(excinfo.value)
        for item in self._items:
            query = item.stash[CASE_RUN].in_flight
            if query:
                self._store.unsent.warn(IN_FLIGHT, f"{IN_FLIGHT}: {query}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(
        self, session: pytest.Session, exitstatus: int | pytest.ExitCode
    ) -> None:
        """Judge the gates if this was not done, and keep the findings of the run.

        A gate or a finding that fails makes the exit status 1. A worker of pytest-xdist
        only sends what it has not sent yet.
        """
        if self._is_worker:
            send_rest(self._config, self._store)
            return
        self._store.receive(self._store.unsent.take())
        if not self._runs_tests:
            forget_parameters(self._items)
            return
        has_ended = exitstatus not in _UNFINISHED
        failed_tests = session.testsfailed
        if has_ended:
            self._judge_gates(session)
        gate_failed = session.testsfailed > failed_tests
        note_added_xfails(self._config)
        self._store.complete()
        finding_fails = self._keep_findings(session, has_ended=has_ended)
        if (gate_failed or finding_fails) and ended_well(exitstatus):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _keep_findings(self, session: pytest.Session, *, has_ended: bool) -> bool:
        """Keep the findings of the run for its reports. Say whether one fails the run.

        A failed test makes pytest fail the run by itself, so it does not count here.
        `has_ended`: false if the run was broken off.
        """
        notes = self._store.notes
        is_complete = has_ended and not self._was_cut_short
        found = findings(self._config, has_ended=has_ended, is_complete=is_complete)
        fails = False
        for finding in found:
            notes.keep_finding(finding)
            fails = fails or finding.fails
        for finding in other_failures(self._store, session.exitstatus):
            notes.keep_finding(finding, is_printed=True)
        return fails

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Close the event loop of coroutine searches, and forget the results."""
        if awaiting.LOOP in config.stash:
            awaiting.close_own_loop(config)
        self._store.forget_cases()

    def _judge_gates(self, session: pytest.Session) -> None:
        """Report undecided cases and judge the gates, once, and not in a worker."""
        if self._is_worker or self._gates_are_judged or not self._runs_tests:
            return
        self._gates_are_judged = True
        # a gate that fails may stop the run too, but nothing is left to run by then
        if session.shouldstop or session.shouldfail:
            self._was_cut_short = True
        report_undecided(session, self._store)
        if any(info.gates for info in self._store.collection.files.values()):
            self._store.gates = report_gates(session, self._store)


def _in_order_of_collection(items: Sequence[pytest.Item]) -> Sequence[str]:
    """Return the node ids of cases in the order of their files.

    Empty if the cases run in this order.
    """
    ordered = sorted(items, key=lambda item: item.stash[CASE_RUN].place)
    return () if ordered == items else [item.nodeid for item in ordered]
