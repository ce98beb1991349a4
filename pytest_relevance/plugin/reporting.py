"""What a run reports: what travels on each report (`ended`), the failure in colours, the summary at the end.

Under pytest-xdist its workers attach it and its controller reads it. Without xdist the same code does both.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance.plugin import arrival, calling, running
from pytest_relevance.plugin.ended import Ended, unjudged
from pytest_relevance.plugin.failures import AsyncFixture, Crash, FailureText, write_lines
from pytest_relevance.plugin.ledger import Ledger, ledger_of
from pytest_relevance.plugin.loops import ANYIO, PYTEST_ASYNCIO, LoopChoice, has_plugin
from pytest_relevance.plugin.options import CASE_FILES, CaseFiles, is_brief, is_by_line
from pytest_relevance.plugin.section import FILES, SUMMARY, VERDICT, Section
from pytest_relevance.plugin.target import ended_well, runs_tests
from pytest_relevance.reports.entries import Entry
from pytest_relevance.reports.summary import summary_lines
from pytest_relevance.reports.text import BAD, DOUBT, Line, folded, harmless, line
from pytest_relevance.reports.verdict import verdict_lines
from pytest_relevance.runs.scored import SKIPPED
from pytest_relevance.wording import counted

if TYPE_CHECKING:
    from pytest_relevance.plugin.recording import Recorder

NAME = "relevance-reporting"

TOLD = "relevance_told"
"""The attribute of a report that carries what is told of a failure (`telling`)."""


UNJUDGED = "relevance_unjudged"
"""The attribute of a report that carries what is unjudged, where a worklist is asked for."""

_BROKEN_OFF = (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR)
"""The exit codes of a run that did not come to its end."""

FROZEN: pytest.StashKey[bool] = pytest.StashKey()
"""Set where the items of a large suite were hidden from the garbage collector."""


def install(config: pytest.Config) -> None:
    """Register what a run with cases needs, once."""
    manager = config.pluginmanager
    if manager.has_plugin(NAME):
        return
    manager.register(Reporting(config), NAME)
    if has_plugin(config, (*PYTEST_ASYNCIO, *ANYIO)):
        manager.register(LoopChoice(), "relevance-loops")


class Reporting:
    """The hooks that follow a case from its call to the summary."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._is_worker = hasattr(config, "workerinput")
        self._lists_unjudged = config.option.relevance_unjudged is not None
        self._recorder = _recorder() if config.option.relevance_record is not None else None
        self._updates = config.option.relevance_update is not None
        self._ratchets = config.option.relevance_ratchet
        self._runs_tests = runs_tests(config)
        self._ledger = ledger_of(config)
        self._advised: set[str] = set()
        self._was_cut_short = self._gates_are_judged = False
        self._lost = ""
        Section.add(config, SUMMARY, self._summary)
        Section.add(config, FILES, self._without_result)
        Section.add(config, VERDICT, self._verdict)

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> None:
        """Let a case's function know its item."""
        running.about_to_call(pyfuncitem)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Note when the call of an item begins and ends; a plugin may call it several times before it reports it."""
        __tracebackhide__ = True
        running.call_begins(item)
        try:
            return (yield)
        finally:
            running.call_ends()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach what travels to the report of a case, or of a test with checks, when it is made.

        It may be made in another process that logs nothing. Outermost of all wrappers, as others change the outcome, or
        run the item again before they let go of the report.
        """
        is_subtest = call.when == "call" and running.is_in_call(item)
        if not is_subtest:
            running.raise_what_was_lost(item, call)
        if call.when != "call" and call.excinfo is None:
            return (yield)
        this, told = item.stash.get(running.RUN, None), None
        ends = call.when in ("setup", "call") and not is_subtest
        if call.excinfo is not None:
            if ends and not isinstance(call.excinfo.value, pytest.skip.Exception):
                self._set_properties_of_errors(item)
            if this is not None:
                told = _before_report(this, item, call)
        report = yield
        ended = Ended(item, call, running.runs_of(item))
        if ended.runs and is_subtest:
            told = ended.told_of_subtest(report)
        elif ended.runs and ends:
            told = self._attach(ended, report) or told
            if this is None:
                item.stash[running.RUNS] = []  # the test checks again when it is run again
        if told is not None and report.failed:
            setattr(report, TOLD, told)
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the entries of a report for the summary, and give a failure its text."""
        if self._is_worker:
            self._ledger.attach_facts(report)
            return
        told = getattr(report, TOLD, None)
        if told is not None and report.failed:
            report.longrepr = self._text(told)  # type: ignore[assignment]
        self._ledger.add(report)

    @pytest.hookimpl
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Keep what is to run."""
        if session.items:  # none on the controller of pytest-xdist
            self._ledger.to_run = [item.nodeid for item in session.items]

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Keep what the workers are to run; all collect the same."""
        self._ledger.to_run = ids

    @pytest.hookimpl(wrapper=True, trylast=True)  # inside of the terminal's, which writes its last 100 % after it
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Judge the gates of the case files when all has run, or when nothing more will.

        Where cases have not run by now, a plugin may be about to run them in a loop of its own.
        """
        try:
            result = yield
        except BaseException as error:
            self._was_cut_short = True
            if isinstance(error, (session.Failed, KeyboardInterrupt, pytest.exit.Exception)):
                self._judge_gates(session)
            raise
        if not self._ledger.unfinished():
            self._judge_gates(session)
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
        """Judge the gates that were not judged yet, and see that all results are here."""
        if self._is_worker or not self._runs_tests:
            return
        failed, is_incomplete = session.testsfailed, False
        if exitstatus not in _BROKEN_OFF:
            self._judge_gates(session)
        if not (self._was_cut_short or session.shouldstop or session.shouldfail or exitstatus in _BROKEN_OFF):
            files: CaseFiles = self._config.pluginmanager.getplugin(CASE_FILES)
            self._lost, is_incomplete = arrival.lost(self._ledger, files.fits, self._config.option)
        if (is_incomplete or session.testsfailed > failed) and ended_well(exitstatus):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the reports of cases that passed, where these are asked for, before the plugin's own section."""
        if self._config.option.verbose < 2:
            return
        passed = [entry for entry in self._entries() if entry.lines and entry.outcome == "passed"]
        if passed:
            terminalreporter.write_sep("=", "passing relevance cases")
        for entry in passed:
            terminalreporter.write_sep("_", entry.name)
            write_lines(terminalreporter, entry.lines)

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Close the loop that coroutine searches ran on, and let go of the items; say what no summary said."""
        if self._lost:
            print(self._lost, file=sys.stderr)
        calling.close_own_loop(config)
        if config.stash.get(FROZEN, False):  # a project may have frozen objects of its own
            gc.unfreeze()

    def _attach(self, ended: Ended, report: pytest.TestReport) -> dict[str, Any] | None:
        """Attach what others want of the cases that ended, and their entries; return what is told of a failure."""
        if self._lists_unjudged:
            scored = [(run, run.scored) for run in ended.runs if run.scored is not None]
            setattr(report, UNJUDGED, [unjudged(*each) for each in scored])
        if self._recorder is not None:
            self._recorder.keep(report, ended.runs, ended.call)
        if self._updates:
            from pytest_relevance.plugin import baselines

            setattr(report, baselines.ACCEPTED, baselines.accepted(ended.runs))
        if self._ratchets:
            from pytest_relevance.plugin import ratchet

            setattr(report, ratchet.REACHED, ratchet.reached(self._config, report, ended.runs))
        return ended.attach_to(report)

    def _set_properties_of_errors(self, item: pytest.Item) -> None:
        if running.wants_properties(self._config.option):
            for run in running.runs_of(item):
                if run.scored is None:
                    running.set_properties(item, run)

    def _entries(self) -> list[Entry]:
        """The entries of all cases that ended; none where nothing ran."""
        entries = self._ledger.entries()
        return [] if all(entry.status == SKIPPED for entry in entries) else entries

    def _summary(self) -> list[Line]:
        entries = self._entries()
        if not entries:
            return []
        lines = summary_lines(entries, self._config.option.verbose, self._ledger.gates) + self._ledger.gate_lines
        if self._config.option.verbose >= 0 and any(facts.gone is not None for facts in self._ledger.files.values()):
            from pytest_relevance.plugin import baselines

            lines += baselines.lines(self._config, self._ledger, entries)
        if self._config.option.verbose >= 0:
            lines += _unjudged_lines(self._ledger)
        return lines

    def _without_result(self) -> list[Line]:
        lost, self._lost = self._lost, ""
        return [line(part, BAD) for part in folded(lost, indent="    ")] if lost else []

    def _verdict(self) -> list[Line]:
        entries = self._entries()
        unfinished = self._ledger.unfinished()
        rest = f"{counted(unfinished, 'case')} did not finish" if unfinished else ""
        return verdict_lines(entries, self._ledger.gates, rest) if entries else []

    def _judge_gates(self, session: pytest.Session) -> None:
        if self._is_worker or self._gates_are_judged or not self._runs_tests:
            return
        self._gates_are_judged = True
        if not any(facts.gates for facts in self._ledger.files.values()):
            return
        from pytest_relevance.plugin import gates

        gates.report(session, self._ledger)

    def _text(self, told: Mapping[str, Any]) -> FailureText:
        """What is told of a failure, as pytest prints it. Advice is given once: many cases lack the same fixture."""
        option = self._config.option
        lines, brief = told["lines"], told["brief"]
        if told["advice"] in self._advised:
            lines = brief
        elif told["advice"] is not None:
            self._advised.add(told["advice"])
        shown = brief if is_brief(option) else lines
        if is_by_line(option):  # pytest prints the crash itself
            shown = []
        return FailureText(lines, Crash(*told["crash"]), shown)


def _before_report(this: running.CaseRun, item: pytest.Item, call: pytest.CallInfo[None]) -> dict[str, Any] | None:
    """Make of an exception what pytest shall report of it."""
    from pytest_relevance.plugin import telling

    assert call.excinfo is not None
    if isinstance(call.excinfo.value, pytest.FixtureLookupError):
        told = telling.missing_fixture(this, item, call.excinfo.value)
        call.excinfo = telling.in_place_of(call.excinfo, told["crash"][-1])
        return told
    if isinstance(call.excinfo.value, AsyncFixture):
        return telling.async_fixture(this, item, call.excinfo.value)
    telling.leave_out_ours(call.excinfo)
    return None


def _unjudged_lines(ledger: Ledger) -> list[Line]:
    """Which listed queries of which file have no judgments, so that they are measured without a floor."""
    said = {file: facts.unjudged for file, facts in sorted(ledger.files.items()) if facts.unjudged}
    texts = [f"{harmless(file)}: {words}" for file, words in said.items()]
    return [line(part, DOUBT) for text in texts for part in folded(text, indent="    ")]


def _recorder() -> Recorder:
    from pytest_relevance.plugin.recording import Recorder

    return Recorder()
