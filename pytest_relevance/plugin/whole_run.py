"""The hooks of a run as a whole: its collection, its loop and its end.

The gates are judged when all cases have run. At the end the run says what it lacks, and
fails if that is to fail it.
"""

from collections.abc import Generator, Sequence

import pytest

from pytest_relevance.plugin.attached import ATTRIBUTE, as_text, attached_to
from pytest_relevance.plugin.completeness import findings
from pytest_relevance.plugin.giving_up import GivingUp
from pytest_relevance.plugin.moved_cases import follow_moved_cases
from pytest_relevance.plugin.options import ended_well, settings
from pytest_relevance.plugin.other_failures import other_failures
from pytest_relevance.plugin.pytest_internals import (
    forget_parameters,
    is_fixture_defined,
)
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running import awaiting
from pytest_relevance.plugin.running.case_run import CASE_RUN, IN_FLIGHT
from pytest_relevance.plugin.running.run_case import FINGERPRINT
from pytest_relevance.plugin.undecided import report_undecided

_UNFINISHED = (
    pytest.ExitCode.INTERRUPTED,
    pytest.ExitCode.INTERNAL_ERROR,
    pytest.ExitCode.USAGE_ERROR,
)
"""The exit codes of a run that did not finish."""


class WholeRun:
    """The hooks of a run with cases, but for those around a test."""

    def __init__(self, config: pytest.Config, giving_up: GivingUp) -> None:
        self._config = config
        self._is_worker = hasattr(config, "workerinput")
        self._runs_tests = settings(config).runs_tests
        self._store = run_store(config)
        self._giving_up = giving_up
        self._gates_are_judged = self._was_cut_short = False
        self._items: Sequence[pytest.Item] = ()

    @pytest.hookimpl
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Store the errors that a worker of pytest-xdist attached to the report of what
        it cannot collect.
        """
        if not self._is_worker:
            self._store.told.keep_errors(attached_to(report).news.errors)

    @pytest.hookimpl
    def pytest_internalerror(
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> None:
        """Store an error that ended the run, such as one of a hook in a conftest.py."""
        from pytest_relevance.plugin.uncollected import error_at

        self._store.told.keep_errors([error_at(excinfo.value, ".", self._config)])

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config) -> None:
        """Give each case that was moved its accepted ranking, before any is
        deselected.
        """
        follow_moved_cases(config)

    @pytest.hookimpl
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Store the node ids of the tests that are to run."""
        if session.items:  # there are no items on the controller of pytest-xdist
            if self._store.unsent.fingerprint is None and not is_fixture_defined(
                FINGERPRINT, session
            ):
                self._store.unsent.fingerprint = {}
            self._items = [item for item in session.items if CASE_RUN in item.stash]
            self._store.collection.set_order(
                to_run=[item.nodeid for item in session.items],
                in_file_order=_in_order_of_collection(self._items),
            )
            self._giving_up.watch(self._items)

    @pytest.hookimpl(
        wrapper=True, trylast=True
    )  # inside the terminal's wrapper, which then writes its final 100 %
    def pytest_runtestloop(
        self, session: pytest.Session
    ) -> Generator[None, object, object]:
        """Judge the gates of the case files when all cases have run, or the run was
        stopped.

        Cases that have not run by now may still be run by another plugin, in a loop of
        its own.
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

            self._store.told.keep_errors([error_at(excinfo.value, ".", self._config)])
        for item in self._items:
            query = item.stash[CASE_RUN].in_flight
            if query:
                self._store.unsent.warn(IN_FLIGHT, f"{IN_FLIGHT}: {query}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(
        self, session: pytest.Session, exitstatus: int | pytest.ExitCode
    ) -> None:
        """Send or store the remaining data; judge gates that were not judged yet; check
        that no result was lost.
        """
        if self._is_worker:
            sent = as_text(self._store.unsent.take())
            self._config.workeroutput[ATTRIBUTE] = sent  # type: ignore[attr-defined]
            return
        self._store.receive(self._store.unsent.take())
        if not self._runs_tests:
            forget_parameters(self._items)
            return
        failed, has_ended = session.testsfailed, exitstatus not in _UNFINISHED
        if has_ended:
            self._judge_gates(session)
        self._store.complete()
        is_complete = has_ended and not self._was_cut_short
        found = [*findings(self._config, has_ended=has_ended, is_complete=is_complete)]
        for finding in found:
            self._store.told.keep_finding(finding)
        for finding in other_failures(self._store, session.exitstatus):
            self._store.told.keep_finding(finding, is_told=True)
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
        if any(info.gates for info in self._store.collection.files.values()):
            from pytest_relevance.plugin.gate_reports import report_gates

            self._store.gates = report_gates(session, self._store)


def _in_order_of_collection(items: Sequence[pytest.Item]) -> Sequence[str]:
    """Return the node ids of cases in the order of their files; empty if they run in
    this order.
    """
    ordered = sorted(items, key=lambda item: item.stash[CASE_RUN].place)
    return () if ordered == items else [item.nodeid for item in ordered]
