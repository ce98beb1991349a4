"""What a run reports: the entry that travels on each report, the failure in colours, the summary at the end.

A case's entry is a dict of builtin types, and an attribute of the report: it survives pytest-xdist, whose workers
attach it and whose controller reads it, and what a worker finished survives its crash. Without xdist the same code does
both.
"""

from __future__ import annotations

import gc
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance.plugin import calling, running
from pytest_relevance.plugin.failures import AsyncFixture, Crash, FailureText, write_lines
from pytest_relevance.plugin.ledger import ENTRIES, ledger_of
from pytest_relevance.plugin.loops import ANYIO, PYTEST_ASYNCIO, LoopChoice, has_plugin
from pytest_relevance.plugin.options import is_brief, is_by_line
from pytest_relevance.plugin.section import SUMMARY, VERDICT, Section
from pytest_relevance.reports.entries import Entry
from pytest_relevance.reports.summary import summary_lines
from pytest_relevance.reports.text import Line
from pytest_relevance.reports.verdict import verdict_lines
from pytest_relevance.runs.scored import ERROR, FAILED, PASSED, SKIPPED, Scored
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
        self._ended: _Ended | None = None
        self._told: dict[str, Any] | None = None
        self._advised: set[str] = set()
        self._to_run: Sequence[str] | Sequence[pytest.Item] = ()
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
                self._ended = _Ended(item, call, runs)
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
        self._to_run = self._to_run or session.items

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Keep what the workers are to run; all collect the same."""
        self._to_run = ids

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

    def _attach(self, ended: _Ended, report: pytest.TestReport) -> dict[str, Any] | None:
        """Attach what others want of the cases that ended, and their entries; return what is told of a failure."""
        if self._lists_unjudged:
            scored = [(run, run.scored) for run in ended.runs if run.scored is not None]
            setattr(report, UNJUDGED, [_unjudged(*each) for each in scored])
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
        lines = summary_lines(entries, self._config.option.verbose, self._ledger.gates)
        if self._config.option.verbose >= 0 and any(facts.gone is not None for facts in self._ledger.files.values()):
            from pytest_relevance.plugin import baselines

            lines += baselines.lines(self._config, self._ledger, entries)
        return lines

    def _verdict(self) -> list[Line]:
        entries = self._entries()
        unfinished = self._ledger.unfinished(item if isinstance(item, str) else item.nodeid for item in self._to_run)
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


@dataclass(frozen=True, slots=True)
class _Ended:
    """A call that has ended, and the runs of cases in it: one of an item of a case file."""

    item: pytest.Item
    call: pytest.CallInfo[None]
    runs: Sequence[running.CaseRun]

    def attach_to(self, report: pytest.TestReport) -> dict[str, Any] | None:
        """Attach the entries, and return what is told of the run that the call ended in."""
        error = self.call.excinfo.value if self.call.excinfo is not None else None
        entries, told = [], None
        for run in self.runs:
            if report.passed and not run.has_ended:
                continue
            entry = _entry(run, self.item.name)
            if run.was_skipped(report, self.call):
                entry["verdict"] = SKIPPED
            entries.append(entry)
            if run.error is not None and run.error is error:
                told = self._told(run, report)
            elif run.function is None:  # a check of a test that went on, or ended otherwise: its outcome is its own
                entry["outcome"] = FAILED if run.scored is None or run.scored.verdict == FAILED else PASSED
            elif run.scored is None and report.failed and report.when == "call":
                report.sections.append(("relevance case", f"{run.where}: {run.facts}"))
            run.forget()
        setattr(report, ENTRIES, entries)
        return told

    def of_subtest(self, report: pytest.TestReport) -> dict[str, Any] | None:
        """Return what is told of the check that a subtest ended in; they stay the test's, whose report is last."""
        self.item.stash[running.RUNS] = [*self.runs]
        error = self.call.excinfo.value if self.call.excinfo is not None else None
        ended = [run for run in self.runs if run.error is not None and run.error is error]
        return self._told(ended[0], report) if ended else None

    def _told(self, run: running.CaseRun, report: pytest.TestReport) -> dict[str, Any] | None:
        if report.skipped and not hasattr(report, "wasxfail"):
            report.longrepr = (*run.place(self.item), f"Skipped: {run.error}")
            return None
        from pytest_relevance.plugin import telling

        return telling.failure(run, self.item)


def _entry(this: running.CaseRun, name: str) -> dict[str, Any]:
    """What is kept of a case that ran, in types that travel."""
    case, scored = this.case, this.scored
    entry: dict[str, Any] = {
        "file": this.file,
        "line": case.line,
        "id": case.id,
        "name": name,
        "query": case.query,
        "search": this.search,
        "variant": this.variant,
        "tags": case.tags,
        "weight": float(case.weight),
        "k": case.k,
        "verdict": ERROR,
    }
    if case.source is not None:
        entry["source"] = case.source
    if scored is not None:
        entry["verdict"] = scored.verdict
        entry["score"] = None if scored.score != scored.score else float(scored.score)
        entry["latency"] = scored.latency
        if this.lines is not None and this.error is None:
            entry["lines"] = this.lines
        if this.repeated is not None:
            entry["repeated"] = this.repeated
        if this.baseline is not None:
            from pytest_relevance.runs.held import standing

            entry |= {"standing": standing(this.since), "change": this.since.change if this.since is not None else 0.0}
        if case.terms.gates:
            from pytest_relevance.plugin import gates

            entry |= gates.scores(this, scored)
    return entry


def _unjudged(this: running.CaseRun, scored: Scored) -> dict[str, Any]:
    """What a case left unjudged, in types that travel."""
    from pytest_relevance.reports.worklist import Ran
    from pytest_relevance.runs.worklist import unjudged_results

    case = this.case
    ran = Ran(case.id, case.query, (this.search, this.variant), case.weight, list(unjudged_results(scored)))
    return ran.values()
