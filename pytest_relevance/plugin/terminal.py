"""Print in the terminal: the sorted failures, those that are not shown in full together, and the summary.

What failed before, what comes behind many others, and what has the fault of an earlier failure is shown together. While
the terminal prints failures and its short summary, its lists of reports have stand-ins for them. All other reporters
get every report with its whole text. What only failures need is imported where it is used.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from copy import copy
from functools import partial
from operator import attrgetter
from typing import Any

import pytest

from pytest_relevance._text import counted, harmless
from pytest_relevance.plugin.files_not_run import files_not_run
from pytest_relevance.plugin.options import shown_path, verbosity
from pytest_relevance.plugin.run_store import attached_to, run_store
from pytest_relevance.plugin.selection import is_part
from pytest_relevance.reports.reasons import case_heading, item_heading
from pytest_relevance.reports.run.counts import anything_ran
from pytest_relevance.reports.run.shown_failures import ALIKE, IN_BRIEF, shown_failures
from pytest_relevance.reports.run.summary import summary_lines
from pytest_relevance.reports.run.verdict import verdict_lines
from pytest_relevance.reports.styled_lines import (
    BAD,
    DIM,
    DOUBT,
    GOOD,
    PLAIN,
    STRONG,
    Line,
    folded_lines,
    plain_text,
    styled_line,
)
from pytest_relevance.reports.terminal_text import folded, terminal_width
from pytest_relevance.reports.workflow_commands import (
    is_github,
    line_without_commands,
    safe_output,
)
from pytest_relevance.results.case_result import (
    CHECK,
    FAILED,
    NOT_SEARCHED,
    CaseResult,
    Key,
)
from pytest_relevance.results.records.run_info import RunInfo

Status = tuple[str, str, tuple[str, Mapping[str, bool]]]
"""Category, letter, and word with its markup, as `pytest_report_teststatus` returns them."""

_FAILED = ("failed", "error", NOT_SEARCHED)
"""The categories of the terminal's reports that hold failures."""

_MOST_ALIKE = 5
"""How many failures with one fault the short summary lists."""


MARKUP: dict[str, dict[str, bool]] = {
    BAD: {"red": True, "bold": True},
    GOOD: {"green": True},
    DIM: {"light": True},
    DOUBT: {"yellow": True},
    STRONG: {"bold": True},
}
"""The markup for pytest's terminal writer, by style of a report."""


class Crash:
    """The position of a failing case and its message, as `--tb=line`, JUnit and the short summary show them.

    `explain` makes the message when a reporter asks for it.
    """

    def __init__(self, path: str, lineno: int, explain: Callable[[], str]) -> None:
        self.path = path
        self.lineno = lineno
        self._explain = explain

    @property
    def message(self) -> str:
        """Why the case failed, in one line; in GitHub Actions it holds no workflow command."""
        return safe_output(self._explain())

    def __str__(self) -> str:
        """Return the first line of `PATH:LINE: MESSAGE`."""
        first, *_ = self.message.split("\n", 1)
        return f"{self.path}:{self.lineno}: {first}"


class FailureText:
    """The report of a failing case or gate with colours, which replaces pytest's own representation of the exception.

    `lines_of` makes the lines for a `verbosity` and a `width`. The terminal asks for them at the end of the run, when
    all results are known, with its own verbosity and width. JUnit and other reporters get the whole text, 100 columns
    wide.
    """

    def __init__(
        self, option: Any, lines_of: Callable[..., Sequence[Line]], crash: Crash
    ) -> None:
        self.reprcrash = crash
        self._lines_of = lines_of
        self._verbosity = verbosity(option)
        self._is_by_line = (
            getattr(option, "tbstyle", None) == "line"
        )  # pytest prints a line for each failure itself

    def __str__(self) -> str:
        """Return the whole text, without colours."""
        return plain_text(self._lines_of(verbosity=max(self._verbosity, 0)))

    def toterminal(self, tw: Any) -> None:
        """Write the lines for the terminal to pytest's terminal writer."""
        if not self._is_by_line:
            write_lines(
                tw,
                self._lines_of(verbosity=self._verbosity, width=terminal_width()),
            )


def write_lines(tw: Any, lines: Iterable[Line]) -> None:
    """Write styled lines, each with a line end, to pytest's terminal writer or terminal reporter.

    In GitHub Actions the lines hold no workflow command.
    """
    for spans in map(line_without_commands, lines) if is_github() else lines:
        for part, style in spans:
            if part:
                tw.write(part, **MARKUP.get(style, {}))
        tw.write("\n")


def run_terminal(config: pytest.Config) -> tuple[Callable[[str], None], bool]:
    """A function that writes to the terminal of a run, past the capture of output; and whether it is a terminal.

    The first text begins on a line of its own.
    """
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    capture: Any = config.pluginmanager.get_plugin("capturemanager")
    before = iter("\n")

    def write(text: str) -> None:
        if reporter is not None:
            with (
                nullcontext()
                if capture is None
                else capture.global_and_fixture_disabled()
            ):
                reporter.write(next(before, "") + text, flush=True)

    return write, getattr(reporter, "isatty", False)


class Terminal:
    """The hooks that print in the terminal."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._store = run_store(config)
        self._between = _Between()
        config.pluginmanager.register(self._between)

    @pytest.hookimpl
    def pytest_report_teststatus(self, report: pytest.TestReport) -> Status | None:
        """Count cases that were not searched under a status of their own."""
        if report.outcome != "failed":
            return None
        is_given_up = any(
            values["verdict"] == NOT_SEARCHED
            for values in attached_to(report).get("cases", ())
        )
        return (
            (NOT_SEARCHED, "N", (NOT_SEARCHED.upper(), {"red": True}))
            if is_given_up
            else None
        )

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: Any
    ) -> Generator[None, object, object]:
        """Put stand-ins for reports while the terminal prints failures and short summary; print this plugin's section.

        It is the last section, so that the end of the output says what got worse and what to do.
        """
        stats = terminalreporter.stats
        for category, reports in stats.items():
            # passed reports get a heading with -rP alone; under "" are the reports of setup and teardown that passed
            if category not in ("", "passed") or terminalreporter.hasopt("P"):
                _set_headings(reports, self._config.option)
        if any(map(stats.get, _FAILED)):
            with _stand_ins(stats, self._config) as self._between.call:
                found = yield
        else:
            found = yield
        self._print_section(terminalreporter)
        return found

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Print the failures that no terminal summary has shown."""
        for message in self._store.messages:
            if not message.is_good:
                print(safe_output(message.text), file=sys.stderr)

    def _print_section(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the reports of passing cases with `-vv`, and the plugin's section, whose last line is the verdict."""
        results = self._store.results if anything_ran(self._store.results) else []
        is_shown = self._config.option.verbose > 1
        passed = [
            each
            for each in results
            if is_shown and each.outcome == "passed" and each.evaluation.scores
        ]
        if passed:
            from pytest_relevance.reports.failure import failure_lines

            terminalreporter.write_sep("=", "passing relevance cases")
            for result in passed:
                terminalreporter.write_sep("_", case_heading(result))
                write_lines(
                    terminalreporter,
                    failure_lines(result, verbosity=1, width=terminal_width()),
                )
        lines = self._lines(results)
        for title, shown in (
            *self._store.sections,
            *([("relevance", lines)] if lines else []),
        ):
            terminalreporter.write_sep("=", title)
            write_lines(terminalreporter, shown)

    def _reference(self) -> str:
        """Return the record to compare with, as a command names it here; no report has an absolute path."""
        given = self._config.option.relevance_against
        if given is None:
            return ""
        return shown_path(os.path.abspath(os.path.expanduser(given)), self._config)

    def _lines(self, results: Sequence[CaseResult]) -> list[Line]:
        """Return the lines of the section: summary and gates, messages about written files (once), verdict."""
        messages, self._store.messages = self._store.messages, []
        columns = terminal_width()
        lines = [
            styled_line(part, PLAIN if message.is_good else BAD)
            for message in sorted(messages, key=attrgetter("place"))
            for part in folded(message.text, columns, indent="    ")
        ]
        if not results:
            return lines
        option = self._config.option
        summary = summary_lines(
            results,
            self._store.files,
            RunInfo(
                fingerprint=self._store.fingerprint,
                not_run=files_not_run(self._config),
                is_part=is_part(self._config),
                findings=self._store.findings,
            ),
            self._store.gates,
            verbosity=option.verbose,
            width=columns,
            updating=option.relevance_update,
            against=self._reference(),
        )
        for gate in self._store.gates:
            if gate.outcome() != FAILED:  # a failed gate has a report of its own
                from pytest_relevance.reports.run.gates import named_gate_lines

                summary += named_gate_lines(gate, columns)
        info = RunInfo(
            missing=tuple(self._store.unfinished()),
            errors=self._store.errors,
            findings=self._store.findings,
        )
        verdict = verdict_lines(
            results, self._store.gates, info, verbosity=option.verbose, width=columns
        )
        return [*summary, *lines, *verdict]


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
        for values in (
            attached_to(report).get("cases", ())
            if isinstance(report, pytest.TestReport)
            else ()
        ):
            file, line_number, name = report.location
            query = values.get(
                "query", values["id"]
            )  # the query is left out if it is the id
            if (
                verbosity(option) < 0 or values.get("search") == CHECK
            ):  # the line below has the query
                query = values["id"]
            report.location = (
                file,
                line_number,
                item_heading(name, values["id"], query),
            )


@contextmanager
def _stand_ins(
    stats: dict[str, list[Any]], config: pytest.Config
) -> Iterator[Callable[[], None]]:
    """Sort the failed reports, and replace those that are not shown in full, within the `with` block.

    `stats` are the reports that the terminal has, by category. The block gets a function to be called when the failures
    are printed: it puts into their place what the short summary shows.
    """
    from pytest_relevance.results.diagnoses import diagnose, explained_failures

    results = run_store(config).results
    explained = explained_failures(diagnose(results)) if len(results) > 1 else {}
    _sort_failures(stats.get("failed", []))
    kept: dict[str, list[Any]] = {
        name: stats[name] for name in ("failed", "error") if name in stats
    }
    short: dict[str, list[Any]] = {}
    for name, reports in kept.items():
        stats[name], short[name] = _with_stand_ins(reports, explained, config)
    given_up = [
        report
        for report in stats.get(NOT_SEARCHED, ())
        if _result_of(report) is not None
    ]
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
    from pytest_relevance.results.failures import failure_order

    found = ((place, _result_of(report)) for place, report in enumerate(failed))
    results = {place: result for place, result in found if result is not None}
    if any(result.baseline is not None for result in results.values()):
        ordered = sorted(results, key=lambda place: failure_order(results[place]))
        for place, report in zip(
            results, [failed[place] for place in ordered], strict=True
        ):
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

    for group in shown_failures(results, explained, length, folds=folds):
        found = [reports[place] for place in group.places]
        if group.how == ALIKE:
            shown.append(_alike(found, config))
            short += (
                shown[-1:]
                if len(found) > _MOST_ALIKE
                else [_with_short_message(each, config) for each in found]
            )
        elif group.how == IN_BRIEF:
            shown.append(_in_brief(found, config))
            short += [_with_short_message(report, config) for report in found]
        else:
            shown += found
            short.append(_with_short_message(found[0], config))
    return shown, short


def _with_short_message(report: Any, config: pytest.Config) -> Any:
    """Return a copy of a report whose message has its figures within a line of the short summary.

    pytest cuts messages to the width of the terminal, but not in CI.
    """
    crash, result = getattr(report.longrepr, "reprcrash", None), _result_of(report)
    if (
        result is None
        or not isinstance(crash, Crash)
        or os.environ.get("CI")
        or os.environ.get("BUILD_NUMBER")
    ):
        return report
    from pytest_relevance.reports.failure_message import failure_message

    room = config.get_terminal_writer().fullwidth - len(f"FAILED {report.nodeid} - ")
    short = copy(report)
    short.longrepr = copy(report.longrepr)
    short.longrepr.reprcrash = Crash(
        crash.path, crash.lineno, lambda: harmless(failure_message(result, room))
    )
    return short


def _in_brief(reports: Sequence[Any], config: pytest.Config) -> Any:
    """Return a stand-in for failures that get a line each."""
    from pytest_relevance.reports.run import together

    results = run_store(config).completed(
        [result for report in reports if (result := _result_of(report)) is not None]
    )
    title = together.brief_title(results)
    return _stand_in(
        reports,
        title,
        title,
        lambda width=100, **_: together.brief_lines(results, width),
        config,
    )


def _alike(reports: Sequence[Any], config: pytest.Config) -> Any:
    """Return a stand-in for failures of which an earlier one has the fault."""
    from pytest_relevance.reports.reasons import reason_in_brief
    from pytest_relevance.reports.run import together

    results = [
        result for report in reports if (result := _result_of(report)) is not None
    ]
    result, cases = results[0], counted(len(results), "case")
    message = reason_in_brief(result)
    if result.status == NOT_SEARCHED:
        message = f"{cases}: {message.removeprefix(f'{NOT_SEARCHED}: ')}"
    else:
        if result.call.error is None:
            message = "no result is judged" if result.ranking.returned else "no results"
        message = f"{counted(len(results), 'more case')} failed alike: {message}"
    told = together.together_text(results, full=verbosity(config.option) > 0)
    lines = (
        folded_lines(told, BAD)
        if verbosity(config.option) >= 0
        else [styled_line(harmless(told), BAD)]
    )
    return _stand_in(
        reports, together.together_title(results), message, lambda **_: lines, config
    )


def _stand_in(
    reports: Sequence[Any],
    title: str,
    message: str,
    lines_of: Callable[..., Sequence[Line]],
    config: pytest.Config,
) -> Any:
    """Return a copy of the first report with a heading and a text for all of them, under the name of their file."""
    result, stand_in = _result_of(reports[0]), copy(reports[0])
    assert result is not None
    crash = Crash(
        result.origin.source or result.file, result.line, lambda: harmless(message)
    )
    stand_in.longrepr, stand_in.sections = (
        FailureText(config.option, lines_of, crash),
        [],
    )
    files = {report.nodeid.partition("::")[0] for report in reports}
    stand_in.nodeid = files.pop() if len(files) == 1 else counted(len(files), "file")
    vars(stand_in).pop(
        "node", None
    )  # the worker of pytest-xdist, which the terminal would name
    stand_in.location = (reports[0].location[0], None, title)
    return stand_in


def _result_of(report: pytest.TestReport) -> CaseResult | None:
    """Return the result of a case; None for a report of another test, or one of checks."""
    cases = attached_to(report).get("cases")
    result = CaseResult.from_dict(cases[0]) if cases else None
    return None if result is None or result.is_check else result
