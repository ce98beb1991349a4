"""What a run reports: the entry that travels on each report, the failure in colours, the summary at the end.

A case's entry is a dict of builtin types, and an attribute of the report: it survives pytest-xdist, whose workers run this
module's `pytest_runtest_makereport` and whose controller runs the rest, and what a worker finished survives its crash.
Without xdist the same code does both.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from pytest_relevance.plugin import calling, running
from pytest_relevance.plugin.failures import CaseFailure, Crash, FailureText, write_lines
from pytest_relevance.reports.summary import Entry, summary_lines
from pytest_relevance.reports.text import BAD, Line, line
from pytest_relevance.runs.scored import ERROR, INCONCLUSIVE
from pytest_relevance.wording import quoted

NAME = "relevance-reporting"

ENTRIES = "relevance"
"""The attribute of a report that carries the entries: one of a case, as many as its checks of a test in Python."""


def install(config: pytest.Config) -> None:
    """Register what a run with cases needs, once."""
    manager = config.pluginmanager
    if manager.has_plugin(NAME):
        return
    manager.register(Reporting(config), NAME)
    if any(manager.has_plugin(name) for name in running.ASYNC_PLUGINS):
        from pytest_relevance.plugin.loops import LoopChoice

        manager.register(LoopChoice(), "relevance-loops")


class Reporting:
    """The hooks that follow a case from its call to the summary."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._is_worker = hasattr(config, "workerinput")
        self._entries: dict[tuple[str, int], Entry] = {}
        self._explained: set[str] = set()

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> None:
        """Let a case's function know its item."""
        running.about_to_call(pyfuncitem)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach the entries to the report of the call, or say why there is no call."""
        report = yield
        this = item.stash.get(running.RUN, None)
        runs = [this] if this is not None else item.stash.get(running.RUNS, None)
        if not runs:
            return report
        if call.when == "call":
            setattr(report, ENTRIES, [self._entry(item, run, report, call.excinfo) for run in runs])
            for run in runs:
                run.scored = run.lines = None  # what is reported need not be kept
        elif call.when == "setup" and call.excinfo is not None and this is not None:
            self._explain_setup(this, report, call.excinfo)
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the entries for the summary, and give a failure its colours before anybody prints it."""
        for number, entry in enumerate(getattr(report, ENTRIES, ())):
            if entry.get("crash"):
                lines = [tuple(map(tuple, spans)) for spans in entry["lines"]]
                report.longrepr = FailureText(lines, Crash(*entry["crash"]))  # type: ignore[assignment, arg-type]
            if not self._is_worker and report.outcome in ("passed", "failed", "skipped"):  # after "rerun" comes another
                was_xfail = hasattr(report, "wasxfail")
                self._entries[report.nodeid, number] = Entry.of(entry, report.outcome, was_xfail=was_xfail)

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the summary."""
        if not self._entries:
            return
        verbose = self._config.option.verbose
        entries = list(self._entries.values())
        if verbose > 1:
            for entry in entries:
                if entry.lines and entry.outcome == "passed":
                    terminalreporter.write_sep("_", entry.name)
                    write_lines(terminalreporter, entry.lines)
        terminalreporter.write_sep("=", "relevance")
        write_lines(terminalreporter, summary_lines(entries, verbose))

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Close the loop that coroutine searches ran on."""
        calling.close_own_loop(config)

    def _entry(
        self,
        item: pytest.Item,
        this: running.CaseRun,
        report: pytest.TestReport,
        excinfo: pytest.ExceptionInfo[BaseException] | None,
    ) -> dict[str, Any]:
        case, scored = this.case, this.scored
        entry: dict[str, Any] = {
            "file": this.file,
            "line": case.line,
            "id": case.id,
            "name": item.name,
            "query": case.query,
            "search": case.search,
            "variant": this.variant,
            "tags": case.tags,
            "weight": float(case.weight),
            "k": case.k,
            "verdict": ERROR,
        }
        if scored is not None:
            entry["verdict"] = scored.verdict
            entry["score"] = None if scored.score != scored.score else float(scored.score)
            entry["latency"] = scored.latency
            if this.lines is not None:
                entry["lines"] = this.lines
            if excinfo is not None and scored.reasons:
                path, reason = str(item.path), scored.reasons[0]
                if isinstance(excinfo.value, CaseFailure) and report.failed:
                    entry["crash"] = (path, case.line, reason)
                elif scored.verdict == INCONCLUSIVE and report.skipped:
                    report.longrepr = (path, case.line, f"Skipped: {reason}")
        elif report.failed:
            from pytest_relevance.reports.failure import case_line

            report.sections.append(("relevance case", case_line(case, this.where, this.label)))
        return entry

    def _explain_setup(
        self, this: running.CaseRun, report: pytest.TestReport, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> None:
        """Say how to write the fixture that a case's search is, where there is none."""
        error, search = excinfo.value, this.case.search
        if not isinstance(error, pytest.FixtureLookupError) or error.argname != search:
            return
        message = f"fixture {quoted(search)} not found, which the case calls to search"
        lines: list[Line] = [line(f"{this.where}: {message}", BAD)]
        if search not in self._explained:  # once a run: a suite has many cases and they all lack the same fixture
            self._explained.add(search)
            lines += [line(text) for text in _HOW_TO.format(search=search).splitlines()]
        report.longrepr = FailureText(lines, Crash(report.location[0], this.case.line, message))  # type: ignore[assignment]


_HOW_TO = """
Write it in a conftest.py beside the case file; it returns a function from a query to results, best first:

    import pytest

    @pytest.fixture(scope="session")
    def {search}():
        engine = ...                      # connect to your search engine, once
        def search(query, k=10):
            return engine.search(query, limit=k)    # ids, (id, score) pairs, or dicts with an id
        return search

If it goes by another name, write it in the case file:  search: name_of_the_fixture"""
