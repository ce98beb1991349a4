"""The failures in the terminal: sorted, and stand-ins for those that are not shown in full.

What failed before, what comes behind many others, and what has the fault of an earlier failure is shown together. The
short summary of pytest has a line for each, except for a fault of many. This is imported in runs with failures alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from functools import partial
from typing import Any

import pytest

from pytest_relevance._text import counted, harmless
from pytest_relevance.plugin.failures import Crash, FailureText
from pytest_relevance.plugin.options import verbosity
from pytest_relevance.plugin.run_store import attached_to, run_store
from pytest_relevance.reports.failure import failure_message, failure_reason
from pytest_relevance.reports.run import faults
from pytest_relevance.reports.text import BAD, Line, folded_lines, line
from pytest_relevance.results.case_result import NOT_SEARCHED, CaseResult, Key
from pytest_relevance.results.compare.differences import failure_order
from pytest_relevance.results.diagnoses import diagnose, explained_failures

_MOST_OUTPUT = 10  # lines of captured output
_MOST_ALIKE = 5  # failures with one fault that the short summary lists


@contextmanager
def stand_ins(stats: dict[str, list[Any]], config: pytest.Config) -> Iterator[Callable[[], None]]:
    """Sort the failed reports, and replace those that are not shown in full, within the `with` block.

    `stats` are the reports that the terminal has, by category. The block gets a function to be called when the failures
    are printed: it puts into their place what the short summary shows.
    """
    store = run_store(config)
    explained = explained_failures(diagnose(store.results))
    _sort_failures(stats.get("failed", []))
    kept: dict[str, list[Any]] = {name: stats[name] for name in ("failed", "error") if name in stats}
    short: dict[str, list[Any]] = {}
    for name, reports in kept.items():
        stats[name], short[name] = _with_stand_ins(reports, explained, config)
    given_up = [report for report in stats.get(NOT_SEARCHED, ()) if _result_of(report) is not None]
    if given_up:
        stand_in = _alike(given_up, config)
        stand_in.when = "call"
        for shown in (stats, short):
            shown["failed"] = [*shown.get("failed", ()), stand_in]
    try:
        yield partial(stats.update, short)
    finally:
        stats.pop("failed", None)
        stats.update(kept)


def _sort_failures(failed: list[Any]) -> None:
    """Sort the failed reports of cases by the kind of their failure, where any has a baseline.

    Failures of other tests and of gates keep their places in the list.
    """
    found = ((place, _result_of(report)) for place, report in enumerate(failed))
    results = {place: result for place, result in found if result is not None}
    if any(result.baseline is not None for result in results.values()):
        ordered = sorted(results, key=lambda place: failure_order(results[place]))
        for place, report in zip(results, [failed[place] for place in ordered], strict=True):
            failed[place] = report


def _with_stand_ins(
    reports: Sequence[Any], explained: Mapping[Key, int], config: pytest.Config
) -> tuple[list[Any], list[Any]]:
    """Return what stands for the reports among the failures, and in the short summary."""
    results = [_result_of(report) for report in reports]
    folds = verbosity(config.option) == 0 and config.option.tbstyle != "line"
    shown: list[Any] = []
    short: list[Any] = []

    def length(index: int) -> int:
        return str(reports[index].longrepr).count("\n") + 2

    for how, indexes in faults.shown_failures(results, explained, length, folds=folds):
        found = [reports[index] for index in indexes]
        if how == faults.ALIKE:
            shown.append(_alike(found, config))
            short += shown[-1:] if len(found) > _MOST_ALIKE else [_with_short_message(each, config) for each in found]
        elif how == faults.IN_BRIEF:
            shown.append(_in_brief(found, config))
            short += [_with_short_message(report, config) for report in found]
        else:
            result = results[indexes[0]]
            is_first = result is not None and result.key in explained
            shown.append(_with_cut_output(found[0], config) if is_first else found[0])
            short.append(_with_short_message(found[0], config))
    return shown, short


def _with_cut_output(report: pytest.TestReport, config: pytest.Config) -> Any:
    """Return a report with its captured output cut short: a client may log the same text at each attempt."""
    if verbosity(config.option) > 0 or all(content.count("\n") < _MOST_OUTPUT for _, content in report.sections):
        return report
    cut: Any = copy(report)
    cut.sections = [(name, _beginning(content)) for name, content in report.sections]
    return cut


def _beginning(content: str) -> str:
    lines = content.splitlines()
    more = len(lines) - _MOST_OUTPUT
    return content if more <= 1 else "\n".join([*lines[:_MOST_OUTPUT], f"... {more:,} more lines (-v shows all)"])


def _with_short_message(report: Any, config: pytest.Config) -> Any:
    """Return a copy of a report whose message has its figures within a line of the short summary.

    pytest cuts messages to the width of the terminal, but not in CI.
    """
    crash, result = getattr(report.longrepr, "reprcrash", None), _result_of(report)
    if result is None or not isinstance(crash, Crash) or os.environ.get("CI") or os.environ.get("BUILD_NUMBER"):
        return report
    room = config.get_terminal_writer().fullwidth - len(f"FAILED {report.nodeid} - ")
    short = copy(report)
    short.longrepr = copy(report.longrepr)
    short.longrepr.reprcrash = Crash(crash.path, crash.lineno, lambda: harmless(failure_message(result, room)))
    return short


def _in_brief(reports: Sequence[Any], config: pytest.Config) -> Any:
    """Return a stand-in for failures that get a line each."""
    results = run_store(config).completed([result for report in reports if (result := _result_of(report)) is not None])
    title = faults.brief_title(results)
    return _stand_in(reports, title, title, lambda width=100, **_: faults.brief_lines(results, width), config)


def _alike(reports: Sequence[Any], config: pytest.Config) -> Any:
    """Return a stand-in for failures of which an earlier one has the fault."""
    results = [result for report in reports if (result := _result_of(report)) is not None]
    result, cases = results[0], counted(len(results), "case")
    message = failure_reason(result)
    if result.status == NOT_SEARCHED:
        message = f"{cases}: {message.removeprefix(f'{NOT_SEARCHED}: ')}"
    else:
        if result.call.error is None:
            message = "no result is judged" if result.ranking.returned else "no results"
        message = f"{counted(len(results), 'more case')} failed alike: {message}"
    text = faults.together_text(results, full=verbosity(config.option) > 0)
    lines = folded_lines(text, BAD) if verbosity(config.option) >= 0 else [line(harmless(text), BAD)]
    return _stand_in(reports, faults.together_title(results), message, lambda **_: lines, config)


def _stand_in(
    reports: Sequence[Any], title: str, message: str, lines_of: Callable[..., Sequence[Line]], config: pytest.Config
) -> Any:
    """Return a copy of the first report with a heading and a text for all of them, under the name of their file."""
    result, stand_in = _result_of(reports[0]), copy(reports[0])
    assert result is not None
    crash = Crash(result.origin.source or result.file, result.line, lambda: harmless(message))
    stand_in.longrepr, stand_in.sections = FailureText(config.option, lines_of, crash), []
    files = {report.nodeid.partition("::")[0] for report in reports}
    stand_in.nodeid = files.pop() if len(files) == 1 else counted(len(files), "file")
    vars(stand_in).pop("node", None)  # the worker of pytest-xdist, which the terminal would name
    stand_in.location = (reports[0].location[0], None, title)
    return stand_in


def _result_of(report: pytest.TestReport) -> CaseResult | None:
    """Return the result of a case; None for a report of another test, or one of checks."""
    cases = attached_to(report).get("cases")
    result = CaseResult.from_dict(cases[0]) if cases else None
    return None if result is None or result.is_check else result
