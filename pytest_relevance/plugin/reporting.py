"""The hooks of a run with cases, from the call of a case to the terminal summary.

Under pytest-xdist the workers attach results to reports and the controller reads them. Without xdist one process does
both, with the same code.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance._text import counted, harmless
from pytest_relevance.plugin.case_items import set_locations
from pytest_relevance.plugin.failures import (
    CaseError,
    Crash,
    FailureText,
    NotSearched,
    missing_fixture,
    shorten,
    shown_path,
)
from pytest_relevance.plugin.options import ended_well, settings
from pytest_relevance.plugin.pytest_internals import forget_parameters, is_fixture_defined
from pytest_relevance.plugin.run_end import findings, report_gates
from pytest_relevance.plugin.run_store import (
    ATTRIBUTE,
    DOCUMENTS,
    PASSED_OVER,
    Message,
    attached_to,
    run_store,
)
from pytest_relevance.plugin.running import calling
from pytest_relevance.plugin.running.case_run import (
    CASE_RUN,
    CHECKS,
    SEARCHES,
    CallEnd,
    CaseRun,
    case_runs_of,
    is_running,
)
from pytest_relevance.plugin.running.run_case import FINGERPRINT, request_fingerprint, set_properties
from pytest_relevance.plugin.terminal import Terminal
from pytest_relevance.reports.text import Line, is_github
from pytest_relevance.results.case_parts import SCORING, SETUP, SearchError
from pytest_relevance.results.case_result import NOT_SEARCHED, SKIPPED, CaseResult

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
    manager.register(Terminal(config), "relevance-terminal")
    if is_github():
        from pytest_relevance.plugin.outputs import install_github_report

        install_github_report(config)


def install_for_checks(session: pytest.Session) -> None:
    """Register the hooks of a run with checks in tests in Python, unless they are registered already."""
    install(session.config)
    _install_documents(session)
    if not session.config.pluginmanager.has_plugin(_CHECK_CALLS):
        session.config.pluginmanager.register(CheckCalls(), _CHECK_CALLS)


def pass_over(path: Path, config: pytest.Config) -> None:
    """Have the summary name a file that seems to be a case file, but does not have the name of one."""
    install(config)
    run_store(config).unsent.name(PASSED_OVER, shown_path(path, config))


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
        self._runs_tests = settings(config).runs_tests
        self._store = run_store(config)
        self._giving_up = GivingUp(config)
        self._gates_are_judged = self._was_cut_short = self._is_heap_frozen = False
        self._items: Sequence[pytest.Item] = ()

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
        self._store.unsent.attach(report)
        return report

    def _prepare(self, item: pytest.Item, call: pytest.CallInfo[None], *, is_subtest: bool) -> None:
        """Set the exception to report for a call, and the JUnit properties of an error.

        The exception about a missing fixture is replaced; the traceback of any other is shortened.
        """
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
        run, error = item.stash.get(CASE_RUN, None), call.excinfo.value
        if run is None:
            return
        if not isinstance(error, pytest.FixtureLookupError):
            shorten(call.excinfo, item.config)
            return
        message = missing_fixture(error, run.case.search)
        run.attempt.error = CaseError(message, pytrace=False)
        first_line = CaseError(message.partition("\n")[0], pytrace=False)
        call.excinfo = pytest.ExceptionInfo.from_exception(first_line.with_traceback(error.__traceback__))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Store the results attached to a report, and replace the text of a failure."""
        attached = attached_to(report)
        cases = attached.get("cases", ())
        if cases and report.outcome in ("passed", "failed", "skipped"):  # after "rerun" another report follows
            self._giving_up.count(report.nodeid, cases[0])
        if self._is_worker:
            self._store.send_files(report)
            return
        if "shown" in attached and report.failed:
            report.longrepr = self._text(CaseResult.from_dict(attached["shown"]))  # type: ignore[assignment]
        if attached or report.failed:  # two of the three reports of a case that passes have nothing to tell
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
            if self._store.unsent.fingerprint is None and not is_fixture_defined(FINGERPRINT, session):
                self._store.unsent.fingerprint = {}
            self._store.to_run = [item.nodeid for item in session.items]
            set_locations(session.items)
            self._items = [item for item in session.items if CASE_RUN in item.stash]
            self._giving_up.watch(self._items)
            if len(self._items) >= _MANY_CASES:
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

    @pytest.hookimpl
    def pytest_keyboard_interrupt(self) -> None:
        """Name the query whose search was interrupted: no report of its case follows."""
        for query in filter(None, (item.stash[CASE_RUN].in_flight for item in self._items)):
            self._store.unsent.warn("searches in flight", f"searches in flight: {query}")

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Store the data that a worker of pytest-xdist sends after its last report; a crashed worker sends none."""
        self._store.receive(getattr(node, "workeroutput", {}).get(ATTRIBUTE, {}))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
        """Send or store the remaining data; judge gates that were not judged yet; check that no result was lost."""
        if self._is_worker:
            self._config.workeroutput[ATTRIBUTE] = self._store.unsent.take()  # type: ignore[attr-defined]
            return
        self._store.receive(self._store.unsent.take())
        if not self._runs_tests:
            forget_parameters(self._items)
            return
        self._store.end()
        failed, has_ended = session.testsfailed, exitstatus not in _BROKEN_OFF
        if has_ended:
            self._judge_gates(session)
        is_complete = has_ended and not (self._was_cut_short or session.shouldstop or session.shouldfail)
        found = dict(findings(self._config, has_ended=has_ended, is_complete=is_complete))
        self._store.messages += [Message(text, is_good=False) for text in found]
        if (session.testsfailed > failed or any(found.values())) and ended_well(exitstatus):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Close the event loop of coroutine searches, and thaw the heap."""
        calling.close_own_loop(config)
        if self._is_heap_frozen:
            gc.unfreeze()

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
            return self._store.completed([result])[0]

        def lines_of(**form: int) -> list[Line]:
            known = result.is_unjudged and ids_are_known(result, self._store.results)
            return failure_lines(complete(), ids_are_known=known, **form)

        crash = Crash(result.origin.source or file, result.line, lambda: harmless(failure_message(complete())))
        return FailureText(self._config.option, lines_of, crash)


PATIENCE = 5
"""A search that has succeeded before must fail this many times as often in a row."""


Search = tuple[str, str | None, str, Sequence[str]]
"""The key of a search: its name, its variant, the folder of its fixture, and the other fixtures of the case.

Another folder may have a fixture of the same name, and one of the other fixtures may be the broken one.
"""


class GivingUp:
    """Counts failed searches, and has the remaining cases of a search fail once it is given up (`relevance_give_up`).

    Each process counts for itself, by the reports that it logs, so that a case counts after its last rerun, and once. A
    search is its fixture and its variant, together with the further fixtures of the case.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._manager = config.pluginmanager
        self._most = settings(config).give_up
        self._runs: Mapping[str, CaseRun] = {}
        self._succeeded: set[Search] = set()
        self._failed: dict[Search, set[tuple[str, str]]] = {}
        self._given_up: dict[Search, str] = {}

    def watch(self, items: Iterable[pytest.Item]) -> None:
        """Take note of the items of cases that are to run."""
        self._runs = {item.nodeid: item.stash[CASE_RUN] for item in items} if self._most else {}

    def count(self, nodeid: str, values: Mapping[str, Any]) -> None:
        """Count the result of a case, in builtin types, by its final report. Checks of tests in Python do not count."""
        run = self._runs.get(nodeid)
        if run is None or values["verdict"] in (SKIPPED, NOT_SEARCHED):
            return
        search, error = _search_of(run), SearchError(**values["error"]) if values.get("error") else None
        if error is not None and values.get("outcome") == "xfailed":
            return
        if error is None or error.phase == SCORING:
            self._succeeded.add(search)
            self._failed.pop(search, None)
            return
        if error.phase == SETUP and not error.type:  # the fixture is missing: such a failure costs no time
            return
        cases = self._failed.setdefault(search, set())
        cases.add((values["file"], values["id"]))
        if len(cases) >= self._most * (PATIENCE if search in self._succeeded else 1):
            failed = f"{search[0]} failed in {counted(len(cases), 'case')} in a row"
            if not self._given_up:
                self._manager.register(NotSearching(self._given_up), "relevance-not-searching")
            why = f"not searched: {failed} (relevance_give_up), at last with {error.headline}"
            self._given_up.setdefault(search, why)


class NotSearching:
    """The hooks that fail the remaining cases of the searches that were given up.

    A case that was searched before, together with others, keeps its own result or error.
    """

    def __init__(self, given_up: Mapping[Search, str]) -> None:
        self._given_up = given_up

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> object:
        """Leave a case of such a search to pytest alone, as other plugins would run it again where it fails."""
        if self._why(item) is None:
            return None
        runner: Any = item.config.pluginmanager.get_plugin("runner")
        return runner.pytest_runtest_protocol(item=item, nextitem=nextitem)

    @pytest.hookimpl
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Fail a case whose search is given up, before any fixture is set up. Raises `NotSearched`."""
        __tracebackhide__ = True
        why, run = self._why(item), item.stash.get(CASE_RUN, None)
        searches = item.config.stash.get(SEARCHES, None)
        if why is not None and run is not None and not (searches is not None and searches.is_ahead(run)):
            run.attempt.error = NotSearched(why, pytrace=False)
            raise run.attempt.error

    def _why(self, item: pytest.Item) -> str | None:
        """Return why the search of a case is given up; None where it is not, and for any other test."""
        run = item.stash.get(CASE_RUN, None)
        return None if run is None else self._given_up.get(_search_of(run))


def _search_of(run: CaseRun) -> Search:
    return run.case.search, run.variant, run.search_folder, run.case.usefixtures
