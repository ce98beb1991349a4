"""What a run reports: what travels on each report (`ended`), the failure in colours, the summary at the end.

Under pytest-xdist its workers attach it and its controller reads it. Without xdist the same code does both.
"""

from __future__ import annotations

import gc
from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance.plugin import calling, running
from pytest_relevance.plugin.ended import Ended, unjudged
from pytest_relevance.plugin.failures import AsyncFixture, Crash, FailureText, write_lines
from pytest_relevance.plugin.ledger import ledger_of
from pytest_relevance.plugin.loops import ANYIO, PYTEST_ASYNCIO, LoopChoice, has_plugin
from pytest_relevance.plugin.options import is_brief, is_by_line
from pytest_relevance.plugin.section import SUMMARY, VERDICT, Section
from pytest_relevance.reports.entries import Entry
from pytest_relevance.reports.summary import summary_lines
from pytest_relevance.reports.text import Line
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
        self._recorder = _recorder(config) if config.option.relevance_record is not None else None
        self._updates = config.option.relevance_update is not None
        self._ratchets = config.option.relevance_ratchet
        self._ledger = ledger_of(config)
        self._ended: Ended | None = None
        self._told: dict[str, Any] | None = None
        self._advised: set[str] = set()
        Section.add(config, SUMMARY, self._summary)
        Section.add(config, VERDICT, self._verdict)

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> None:
        """Let a case's function know its item."""
        running.about_to_call(pyfuncitem)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """See what a case, or a test with checks, came to, before the report is made of it.

        No wrapper, which would cost three times as much for each of an item's three reports: what belongs on the
        report is put there when it is logged, before anybody else sees it.
        """
        raised = call.excinfo is not None and not isinstance(call.excinfo.value, pytest.skip.Exception)
        if call.when == "call" or (call.when == "setup" and call.excinfo is not None):
            this = item.stash.get(running.RUN, None)
            runs = (this,) if this is not None else item.stash.get(running.RUNS, ())
            if runs:
                self._ended = Ended(item, call, runs)
                if raised and running.wants_properties(self._config.option):
                    for run in runs:
                        if run.scored is None:
                            running.set_properties(item, run)
                if this is None:
                    del item.stash[running.RUNS]  # the test checks again when it is run again
        if call.excinfo is not None and (this := item.stash.get(running.RUN, None)) is not None:
            self._told = _before_report(this, item, call)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Attach what belongs on a report; keep its entries for the summary, and give a failure its text."""
        told, self._told = self._told, None
        if self._ended is not None and report.when == self._ended.call.when:
            ended, self._ended = self._ended, None
            if ended.item.nodeid == report.nodeid:
                # one of pytest, or of pytest-subtests
                is_subtest = hasattr(report, "context") and running.RUN not in ended.item.stash
                told = (ended.of_subtest(report) if is_subtest else self._attach(ended, report)) or told
        if told is not None and report.failed:
            setattr(report, TOLD, told)
        if self._is_worker:
            return
        told = getattr(report, TOLD, None)
        if told is not None:
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
        """Judge the gates of the case files when all has run, or when nothing more will."""
        try:
            result = yield
        except (session.Failed, KeyboardInterrupt, pytest.exit.Exception):
            self._judge_gates(session)
            raise
        self._judge_gates(session)
        return result

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
        """Close the loop that coroutine searches ran on, and let go of the items."""
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
        told = ended.attach_to(report)
        self._ledger.attach_facts(report)
        return told

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
        return lines

    def _verdict(self) -> list[Line]:
        entries = self._entries()
        unfinished = self._ledger.unfinished()
        rest = f"{counted(unfinished, 'case')} did not finish" if unfinished else ""
        return verdict_lines(entries, self._ledger.gates, rest) if entries else []

    def _judge_gates(self, session: pytest.Session) -> None:
        if self._is_worker or not any(facts.gates for facts in self._ledger.files.values()):
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


def _recorder(config: pytest.Config) -> Recorder:
    from pytest_relevance.plugin.recording import Recorder

    return Recorder(config)
