"""What the terminal prints: the failures, sorted, each fault that many cases have in common once, and the summary.

While the terminal prints failures and its short summary, its list of failed reports has a stand-in for each report that
would repeat a fault: a line for each of a few, one for all where there are many. All other reporters get every report
with its whole text.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import chain
from typing import Any

import pytest

from pytest_relevance._text import counted, harmless
from pytest_relevance.plugin.failures import Crash, FailureText, write_lines
from pytest_relevance.plugin.options import verbosity
from pytest_relevance.plugin.run_store import attached_to, run_store
from pytest_relevance.reports.failure import failure_lines, failure_message, failure_reason
from pytest_relevance.reports.github.commands import safe_output
from pytest_relevance.reports.reasons import item_heading
from pytest_relevance.reports.summary.cases import anything_ran
from pytest_relevance.reports.summary.faults import repeated_lines, shown_together, together_text, together_title
from pytest_relevance.reports.summary.gates import named_gate_lines
from pytest_relevance.reports.summary.summary import summary_lines, verdict_lines
from pytest_relevance.reports.text import BAD, PLAIN, WIDEST, Line, folded, folded_lines, line, terminal_width
from pytest_relevance.results.baseline.overall import failure_order
from pytest_relevance.results.case_result import CHECK, FAILED, NOT_SEARCHED, CaseResult
from pytest_relevance.results.faults import Key, fault_key, faults_of
from pytest_relevance.results.records.run_info import FileInfo, RunInfo

Status = tuple[str, str, tuple[str, Mapping[str, bool]]]
"""Category, letter, and word with its markup, as `pytest_report_teststatus` returns them."""

_MOST_OUTPUT = 10  # lines of captured output

Found = tuple[pytest.TestReport, CaseResult]


class FailuresSection:
    """The hooks that sort the failures in the terminal, and show one that many cases have in common once."""

    def __init__(self, config: pytest.Config) -> None:
        self._option = config.option
        self._store = run_store(config)

    @pytest.hookimpl
    def pytest_report_teststatus(self, report: pytest.TestReport) -> Status | None:
        """Count cases that were not searched under a status of their own."""
        if report.outcome != "failed":
            return None
        is_given_up = any(values["verdict"] == NOT_SEARCHED for values in attached_to(report).get("cases", ()))
        return (NOT_SEARCHED, "N", (NOT_SEARCHED.upper(), {"red": True})) if is_given_up else None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> Generator[None, object, object]:
        """Replace reports that repeat a fault, until the terminal has printed failures and short summary."""
        faults, stats, option = faults_of(self._store.results), terminalreporter.stats, self._option
        for report in chain.from_iterable(stats.values()):
            if isinstance(report, pytest.TestReport):
                _set_heading(report, option)
        _sort_failures(stats.get("failed", []))
        kept = {name: stats[name] for name in ("failed", "error") if name in stats}
        for name, reports in kept.items() if faults else ():
            stats[name] = _with_stand_ins(reports, faults, option)
        given_up = ((report, _result_of(report)) for report in stats.get(NOT_SEARCHED, ()))
        if left_out := [(report, result) for report, result in given_up if result is not None]:
            stand_in = _for_all(left_out, option)
            stand_in.when = "call"
            stats["failed"] = [*stats.get("failed", ()), stand_in]
        try:
            return (yield)
        finally:
            stats.pop("failed", None)
            stats.update(kept)


def _set_heading(report: pytest.TestReport, option: Any) -> None:
    """Have the heading of a report name the query. Not earlier: with `-v` pytest compares locations while tests run."""
    for values in attached_to(report).get("cases", ()):
        file, line_number, name = report.location
        query = values.get("query", values["id"])  # left out where it is the id
        if verbosity(option) < 0 or values.get("search") == CHECK:  # the line below has the query
            query = values["id"]
        report.location = (file, line_number, item_heading(name, values["id"], query))


class SummarySection:
    """The hooks that print the section of this plugin, and what no section has shown."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._store = run_store(config)

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the reports of passing cases with `-vv`, and the plugin's section, whose last line is the verdict."""
        results = self._store.results if anything_ran(self._store.results) else []
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
            self._files(),
            RunInfo(fingerprint=self._store.common_fingerprint),
            self._store.gates,
            verbosity=option.verbose,
            width=columns,
            updating=option.relevance_update,
        )
        for gate in self._store.gates:
            if gate.outcome() != FAILED:  # a failed gate has a report of its own
                summary += named_gate_lines(gate, columns)
        info = RunInfo(missing=tuple(self._store.unfinished()))
        verdict = verdict_lines(results, self._store.gates, info, verbosity=option.verbose, width=columns)
        return [*summary, *lines, *verdict]

    def _files(self) -> dict[str, FileInfo]:
        """Return the case files by name; orphaned baseline entries are left out unless all cases of the file ended."""
        return {
            file: info if not info.orphans or self._store.is_whole(file) else replace(info, orphans=())
            for file, info in self._store.files.items()
        }


def _sort_failures(failed: list[Any]) -> None:
    """Sort the failed reports of cases by the kind of their failure, where any has a baseline.

    They are sorted among the places that they have: failures of other tests and of gates keep theirs.
    """
    results = {place: result for place, report in enumerate(failed) if (result := _result_of(report)) is not None}
    found = [(result, failed[place]) for place, result in results.items() if not result.is_check]
    if any(result.baseline is not None for result, _ in found):
        places = [place for place, result in results.items() if not result.is_check]
        ordered = sorted(found, key=lambda pair: failure_order(pair[0]))
        for place, (_, report) in zip(places, ordered, strict=True):
            failed[place] = report


def _with_stand_ins(reports: Sequence[Any], faults: Mapping[Key, object], option: Any) -> list[Any]:
    """Return the reports, with stand-ins for those that repeat a fault of an earlier one."""
    results = [_result_of(report) for report in reports]
    keys = [None if result is None else fault_key(result) for result in results]
    found: list[Any] = []
    for repeats, indices in shown_together([key if key in faults else None for key in keys]):
        pairs = [(reports[index], result) for index in indices if (result := results[index]) is not None]
        if not repeats:
            report = reports[indices[0]]
            found.append(report if keys[indices[0]] not in faults else _with_cut_output(report, option))
        else:
            found.append(_brief(*pairs[0], option) if len(pairs) == 1 else _for_all(pairs, option))
    return found


def _with_cut_output(report: pytest.TestReport, option: Any) -> Any:
    """Return a report whose captured output is cut: a client may log the same at each of its attempts."""
    if verbosity(option) > 0 or all(content.count("\n") < _MOST_OUTPUT for _, content in report.sections):
        return report
    cut: Any = copy(report)
    cut.sections = [(name, _beginning(content)) for name, content in report.sections]
    return cut


def _beginning(content: str) -> str:
    lines = content.splitlines()
    more = len(lines) - _MOST_OUTPUT
    return content if more <= 1 else "\n".join([*lines[:_MOST_OUTPUT], f"... {more:,} more lines (-v shows all)"])


def _brief(report: pytest.TestReport, result: CaseResult, option: Any) -> Any:
    """Return a copy of a report with one line for its text."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is None:
        crash = Crash(result.source or result.file, result.line, lambda: harmless(failure_message(result)))

    def lines_of(*, verbosity: int = 0, width: int = WIDEST) -> list[Line]:
        return repeated_lines(result, verbosity, width)

    return _copy(report, FailureText(option, lines_of, crash))


def _for_all(found: Sequence[Found], option: Any) -> Any:
    """Return a stand-in for several reports, under the name of their file."""
    (first, result), results = found[0], [result for _, result in found]
    message, cases = failure_reason(result), counted(len(found), "case")
    if result.status == NOT_SEARCHED:
        message = f"{cases}: {message.removeprefix(f'{NOT_SEARCHED}: ')}"
    else:
        alike = message if result.error is not None else "no result is judged"
        message = f"{counted(len(found), 'more case')} failed alike: {alike}"
    text = together_text(results, full=verbosity(option) > 0)
    lines = folded_lines(text, BAD) if verbosity(option) >= 0 else [line(harmless(text), BAD)]
    crash = Crash(result.source or result.file, result.line, lambda: harmless(message))
    stand_in = _copy(first, FailureText(option, lambda **_: lines, crash))
    files = {report.nodeid.partition("::")[0] for report, _ in found}
    stand_in.nodeid = files.pop() if len(files) == 1 else counted(len(files), "file")
    vars(stand_in).pop("node", None)  # the worker of pytest-xdist, which the terminal would name
    stand_in.location = (first.location[0], None, together_title(results))
    return stand_in


def _copy(report: pytest.TestReport, text: FailureText) -> Any:
    """Return a copy of a report with another text and without what was captured."""
    stand_in: Any = copy(report)
    stand_in.longrepr, stand_in.sections = text, []
    return stand_in


def _result_of(report: pytest.TestReport) -> CaseResult | None:
    """Return the result of a case; None for a report of another test, or one of checks."""
    cases = attached_to(report).get("cases")
    return CaseResult.from_dict(cases[0]) if cases else None
