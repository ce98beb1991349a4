"""Show a failure that many cases have in common once in the terminal: in the failures and in pytest's short summary.

While the terminal prints these, its list of failed reports has a stand-in for each report that would repeat a fault: a
line for each of a few, one for all where there are many. All other reporters get every report with its whole text.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any

import pytest

from pytest_relevance._text import counted
from pytest_relevance.plugin.failures import Crash, FailureText
from pytest_relevance.plugin.options import verbosity
from pytest_relevance.plugin.run_store import attached_to, run_store
from pytest_relevance.reports.failure import failure_message, failure_reason
from pytest_relevance.reports.summary.faults import repeated_lines, shown_together, together_text, together_title
from pytest_relevance.reports.text import BAD, WIDEST, Line, folded_lines, harmless, line
from pytest_relevance.results.case_result import NOT_SEARCHED, CaseResult
from pytest_relevance.results.faults import Key, fault_key, faults_of

Status = tuple[str, str, tuple[str, Mapping[str, bool]]]
"""Category, letter, and word with its markup, as `pytest_report_teststatus` returns them."""

_MOST_OUTPUT = 10  # lines of captured output

Found = tuple[pytest.TestReport, CaseResult]


class RepeatedFailures:
    """The hooks that make the terminal show a failure that many cases have in common once."""

    @pytest.hookimpl
    def pytest_report_teststatus(self, report: pytest.TestReport) -> Status | None:
        """Count cases that were not searched under a status of their own."""
        if report.outcome != "failed":
            return None
        is_given_up = any(values["verdict"] == NOT_SEARCHED for values in attached_to(report).get("cases", ()))
        return (NOT_SEARCHED, "N", (NOT_SEARCHED.upper(), {"red": True})) if is_given_up else None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Generator[None, object, object]:
        """Replace reports that repeat a fault, until the terminal has printed failures and short summary."""
        with _repeated_once(terminalreporter, run_store(terminalreporter.config).results):
            return (yield)


@contextmanager
def _repeated_once(reporter: Any, results: Sequence[CaseResult]) -> Iterator[None]:
    """Put stand-ins in the place of reports that repeat a fault, until the terminal has printed its summaries."""
    faults, stats = faults_of(results), reporter.stats
    kept = {name: stats[name] for name in ("failed", "error") if name in stats}
    option = reporter.config.option
    if faults:
        for name, reports in kept.items():
            stats[name] = _with_stand_ins(reports, faults, option)
    given_up = ((report, _result_of(report)) for report in stats.get(NOT_SEARCHED, ()))
    if left_out := [(report, result) for report, result in given_up if result is not None]:
        stand_in = _for_all(left_out, option)
        stand_in.when = "call"
        stats["failed"] = [*stats.get("failed", ()), stand_in]
    try:
        yield
    finally:
        stats.pop("failed", None)
        stats.update(kept)


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
