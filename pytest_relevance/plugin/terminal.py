"""Print in the terminal: the sorted failures, those that are not shown in full together, and the summary.

While the terminal prints failures and its short summary, its lists of reports have stand-ins (`repeated_failures`). All
other reporters get every report with its whole text.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance.plugin.failures import write_lines
from pytest_relevance.plugin.options import recorded_rankings, verbosity
from pytest_relevance.plugin.run_store import attached_to, run_store
from pytest_relevance.reports.reasons import item_heading
from pytest_relevance.reports.run.cases import anything_ran
from pytest_relevance.reports.run.report import summary_lines, verdict_lines
from pytest_relevance.reports.text import BAD, PLAIN, Line, folded, line, safe_output, terminal_width
from pytest_relevance.results.case_result import CHECK, FAILED, NOT_SEARCHED, CaseResult
from pytest_relevance.results.records.run_info import SUFFIX, RunInfo, orphaned_baselines

Status = tuple[str, str, tuple[str, Mapping[str, bool]]]
"""Category, letter, and word with its markup, as `pytest_report_teststatus` returns them."""

_FAILED = ("failed", "error", NOT_SEARCHED)
"""The categories of the terminal's reports that hold failures."""


class FailuresSection:
    """The hooks that sort the failures in the terminal, and show together what is not shown in full."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._between = _Between()
        config.pluginmanager.register(self._between)

    @pytest.hookimpl
    def pytest_report_teststatus(self, report: pytest.TestReport) -> Status | None:
        """Count cases that were not searched under a status of their own."""
        if report.outcome != "failed":
            return None
        is_given_up = any(values["verdict"] == NOT_SEARCHED for values in attached_to(report).get("cases", ()))
        return (NOT_SEARCHED, "N", (NOT_SEARCHED.upper(), {"red": True})) if is_given_up else None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> Generator[None, object, object]:
        """Put stand-ins for reports, until the terminal has printed failures and short summary."""
        for category, reports in terminalreporter.stats.items():
            # passed reports get a heading with -rP alone; under "" are the reports of setup and teardown that passed
            if category not in ("", "passed") or terminalreporter.hasopt("P"):
                _set_headings(reports, self._config.option)
        if not any(map(terminalreporter.stats.get, _FAILED)):
            return (yield)
        from pytest_relevance.plugin.repeated_failures import stand_ins

        with stand_ins(terminalreporter.stats, self._config) as self._between.call:
            return (yield)


class _Between:
    """A hook that pytest calls when the failures are printed and the short summary is not yet."""

    call: Callable[[], None] | None = None

    @pytest.hookimpl
    def pytest_terminal_summary(self) -> None:
        """Put the reports of the short summary into the place of those of the failures."""
        if self.call is not None:
            self.call()


def _set_headings(reports: Iterable[Any], option: Any) -> None:
    """Have headings name the query. Not earlier: with `-v` pytest compares the locations of reports while tests run."""
    for report in reports:
        for values in attached_to(report).get("cases", ()) if isinstance(report, pytest.TestReport) else ():
            file, line_number, name = report.location
            query = values.get("query", values["id"])  # the query is left out if it is the id
            if verbosity(option) < 0 or values.get("search") == CHECK:  # the line below has the query
                query = values["id"]
            report.location = (file, line_number, item_heading(name, values["id"], query))


class SummarySection:
    """The hooks that print the section of this plugin, and failures that no section has shown."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._store = run_store(config)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Generator[None, object, object]:
        """Print the reports of passing cases with `-vv`, and the plugin's section, whose last line is the verdict.

        It is the last section, so that the end of the output says what got worse and what to do.
        """
        found = yield
        results = self._store.results if anything_ran(self._store.results) else []
        passed = [result for result in results if result.outcome == "passed" and result.evaluation.scores]
        if passed and self._config.option.verbose > 1:
            from pytest_relevance.reports.failure import failure_lines

            terminalreporter.write_sep("=", "passing relevance cases")
            for result in passed:
                name = (result.node or result.id).rpartition("::")[2]
                terminalreporter.write_sep("_", item_heading(name, result.id, result.query))
                write_lines(terminalreporter, failure_lines(result, verbosity=1, width=terminal_width()))
        lines = self._lines(results)
        if lines:
            terminalreporter.write_sep("=", "relevance")
            write_lines(terminalreporter, lines)
        return found

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Print the failures that no terminal summary has shown."""
        for message in self._store.messages:
            if not message.is_good:
                text = ": ".join(filter(None, (message.option, message.text)))
                print(safe_output(text), file=sys.stderr)

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
        summary = summary_lines(
            results,
            self._store.files,
            RunInfo(fingerprint=self._store.told.fingerprint, not_run=not_run(self._config)),
            self._store.gates,
            verbosity=option.verbose,
            width=columns,
            updating=option.relevance_update,
        )
        for gate in self._store.gates:
            if gate.outcome() != FAILED:  # a failed gate has a report of its own
                from pytest_relevance.reports.run.gates import named_gate_lines

                summary += named_gate_lines(gate, columns)
        info = RunInfo(missing=tuple(self._store.unfinished()))
        verdict = verdict_lines(results, self._store.gates, info, verbosity=option.verbose, width=columns)
        return [*summary, *lines, *verdict]


def not_run(config: pytest.Config) -> tuple[str, ...]:
    """The case files of the compared record, or of baselines beside case files, of which nothing ran."""
    store = run_store(config)
    if config.option.relevance_against is not None:
        ran = {result.file for result in store.results}
        return recorded_rankings(config).not_run((info.node, file) for file, info in store.files.items() if file in ran)
    folders = dict.fromkeys((os.path.dirname(info.path), os.path.dirname(file)) for file, info in store.files.items())
    found = ((shown, name) for folder, shown in folders for name in orphaned_baselines(folder))
    return tuple(Path(shown, name.removesuffix(SUFFIX)).as_posix() for shown, name in found)
