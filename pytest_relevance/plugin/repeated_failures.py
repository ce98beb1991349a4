"""The failures in the terminal: sorted, and a stand-in for each report that would repeat a fault.

Few repeats get a line each; many share one line. This module is imported only in runs with failures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from functools import partial
from typing import Any

import pytest

from pytest_relevance._text import counted, harmless
from pytest_relevance.plugin.failures import Crash, FailureText
from pytest_relevance.plugin.options import verbosity
from pytest_relevance.plugin.run_store import attached_to
from pytest_relevance.reports.failure import failure_message, failure_reason
from pytest_relevance.reports.run.faults import repeated_lines, shown_together, together_text, together_title
from pytest_relevance.reports.text import BAD, folded_lines, line
from pytest_relevance.results.case_result import NOT_SEARCHED, CaseResult
from pytest_relevance.results.compare.differences import failure_order
from pytest_relevance.results.diagnoses import Diagnosis, Key, diagnose, key_of

_MOST_OUTPUT = 10  # lines of captured output

Found = tuple[pytest.TestReport, CaseResult]


@contextmanager
def stand_ins(stats: dict[str, list[Any]], results: Sequence[CaseResult], option: Any) -> Iterator[None]:
    """Sort the failed reports, and replace those that repeat a fault within the `with` block.

    `stats` are the reports that the terminal has, by category; `results` are all results of the run.
    """
    diagnoses = diagnose(results)
    _sort_failures(stats.get("failed", []))
    kept: dict[str, list[Any]] = {name: stats[name] for name in ("failed", "error") if name in stats}
    for name, reports in kept.items() if diagnoses else ():
        stats[name] = _with_stand_ins(reports, diagnoses, option)
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


def _sort_failures(failed: list[Any]) -> None:
    """Sort the failed reports of cases by the kind of their failure, where any has a baseline.

    Failures of other tests and of gates keep their places in the list.
    """
    found = ((place, _result_of(report)) for place, report in enumerate(failed))
    results = {place: result for place, result in found if result is not None and not result.is_check}
    if any(result.baseline is not None for result in results.values()):
        ordered = sorted(results, key=lambda place: failure_order(results[place]))
        for place, report in zip(results, [failed[place] for place in ordered], strict=True):
            failed[place] = report


def _with_stand_ins(reports: Sequence[Any], diagnoses: Mapping[Key, Diagnosis], option: Any) -> list[Any]:
    """Return the reports, with stand-ins for those that have the diagnosis of an earlier one."""
    results = [_result_of(report) for report in reports]
    keys = [None if result is None else key_of(result, diagnoses) for result in results]
    found: list[Any] = []
    for repeats, indices in shown_together(keys):
        pairs = [(reports[index], result) for index in indices if (result := results[index]) is not None]
        if not repeats:
            report = reports[indices[0]]
            found.append(report if keys[indices[0]] is None else _with_cut_output(report, option))
        else:
            found.append(_brief(*pairs[0], option) if len(pairs) == 1 else _for_all(pairs, option))
    return found


def _with_cut_output(report: pytest.TestReport, option: Any) -> Any:
    """Return a report with its captured output cut short: a client may log the same text at each attempt."""
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
        crash = Crash(result.origin.source or result.file, result.line, lambda: harmless(failure_message(result)))
    return _copy(report, FailureText(option, partial(repeated_lines, result), crash))


def _for_all(found: Sequence[Found], option: Any) -> Any:
    """Return a stand-in for several reports, under the name of their file."""
    (first, result), results = found[0], [result for _, result in found]
    message, cases = failure_reason(result), counted(len(found), "case")
    if result.status == NOT_SEARCHED:
        message = f"{cases}: {message.removeprefix(f'{NOT_SEARCHED}: ')}"
    else:
        alike = (
            message
            if result.call.error is not None
            else "no result is judged"
            if result.ranking.returned
            else "no results"
        )
        message = f"{counted(len(found), 'more case')} failed alike: {alike}"
    text = together_text(results, full=verbosity(option) > 0)
    lines = folded_lines(text, BAD) if verbosity(option) >= 0 else [line(harmless(text), BAD)]
    crash = Crash(result.origin.source or result.file, result.line, lambda: harmless(message))
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
