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
from pytest_relevance.plugin.run_store import ATTRIBUTE, attached_to, run_store
from pytest_relevance.reports.failure import failure_lines, failure_message
from pytest_relevance.reports.summary.faults import MOST_ALIKE, alike_text, case_names, not_searched_text
from pytest_relevance.reports.text import BAD, folded_lines, harmless, line
from pytest_relevance.results.case_result import NOT_SEARCHED, CaseResult
from pytest_relevance.results.faults import Key, fault_key, faults_of

_IS_GIVEN_UP = "relevance_is_given_up"
"""The attribute that marks the stand-in for cases that were not searched."""

Status = tuple[str, str, tuple[str, Mapping[str, bool]]]
"""Category, letter, and word with its markup, as `pytest_report_teststatus` returns them."""

Found = tuple[pytest.TestReport, CaseResult]


class RepeatedFailures:
    """The hooks that make the terminal show a failure that many cases have in common once."""

    @pytest.hookimpl
    def pytest_report_teststatus(self, report: pytest.TestReport) -> Status | None:
        """Count cases that were not searched under a status of their own, which their stand-in has too."""
        if report.outcome != "failed":
            return None
        is_given_up = hasattr(report, _IS_GIVEN_UP) or any(
            values["verdict"] == NOT_SEARCHED for values in attached_to(report).get("cases", ())
        )
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
        stats["failed"] = [*stats.get("failed", ()), _not_searched(left_out, option)]
    try:
        yield
    finally:
        stats.pop("failed", None)
        stats.update(kept)


def _with_stand_ins(reports: Sequence[Any], faults: Mapping[Key, object], option: Any) -> list[Any]:
    """Return the reports, with stand-ins for those that repeat a fault of an earlier one."""
    groups: dict[Key, list[Found]] = {}
    keys: list[Key | None] = []
    for report in reports:
        result = _result_of(report)
        key = None if result is None else fault_key(result)
        keys.append(key if key in faults else None)
        if result is not None and key in faults:
            groups.setdefault(key, []).append((report, result))
    found: list[Any] = []
    told: dict[Key, int] = {}
    for report, key in zip(reports, keys, strict=True):
        before = told[key] = 0 if key is None else told.get(key, -1) + 1
        others = [] if key is None else groups[key][1:]
        if not before:
            found.append(report)
        elif len(others) <= MOST_ALIKE:
            found.append(_brief(*others[before - 1], option))
        elif before == 1:
            found.append(_for_all_alike(others, option))
    return found


def _brief(report: pytest.TestReport, result: CaseResult, option: Any) -> Any:
    """Return a copy of a report with one line for its text."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is None:
        crash = Crash(result.source or result.file, result.line, harmless(failure_message(result)))
    return _copy(report, FailureText(option, lambda _: failure_lines(result, verbosity=-1), crash))


def _for_all_alike(others: Sequence[Found], option: Any) -> Any:
    results = [result for _, result in others]
    message = f"{counted(len(others), 'more case')} failed alike: {failure_message(results[0])}"
    return _for_all(others, alike_text(results, full=verbosity(option) > 0), message, option)


def _not_searched(left_out: Sequence[Found], option: Any) -> Any:
    results = [result for _, result in left_out]
    message = f"{counted(len(results), 'case')}: {failure_message(results[0]).removeprefix(f'{NOT_SEARCHED}: ')}"
    text = f"{not_searched_text(results)}: {case_names(results, full=verbosity(option) > 0)}"
    report = _for_all(left_out, text, message, option)
    report.when = "call"
    setattr(report, _IS_GIVEN_UP, True)
    return report


def _for_all(found: Sequence[Found], text: str, message: str, option: Any) -> Any:
    """Return a stand-in for several reports, under the name of their file."""
    first, result = found[0]
    files = {report.nodeid.partition("::")[0] for report, _ in found}
    crash = Crash(result.source or result.file, result.line, harmless(message))
    lines = folded_lines(text, BAD) if verbosity(option) >= 0 else [line(harmless(text), BAD)]
    stand_in = _copy(first, FailureText(option, lambda _: lines, crash))
    delattr(stand_in, ATTRIBUTE)
    stand_in.nodeid = files.pop() if len(files) == 1 else counted(len(files), "file")
    stand_in.location = (first.location[0], None, counted(len(found), "more case"))
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
