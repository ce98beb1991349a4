"""Print in the terminal: the failures, sorted and shortened, and the summary.

Only the heading of a failure is printed if the case failed before, if an earlier
failure has the same cause, or if the first few failures are printed already. Modules
that only failures need are imported in the functions that use them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_relevance.plugin.attached import attached_to
from pytest_relevance.plugin.exceptions import ENDING, hook_error_text
from pytest_relevance.plugin.failure_text import FailurePlace, HeadingAlone, write_lines
from pytest_relevance.plugin.output_files import Message
from pytest_relevance.plugin.paths import shown_path
from pytest_relevance.plugin.run_settings import verbosity
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.reports.labels import case_heading, item_heading
from pytest_relevance.reports.run.case_counts import anything_ran
from pytest_relevance.reports.run.shown_failures import IN_FULL, shown_failures
from pytest_relevance.reports.run.summary import SummaryOf, summary_lines
from pytest_relevance.reports.styled_lines import BAD, PLAIN, Line, styled_line
from pytest_relevance.reports.terminal_text import folded, terminal_width
from pytest_relevance.reports.workflow_commands import safe_output
from pytest_relevance.results.case_result import NOT_SEARCHED, CaseResult
from pytest_relevance.results.diagnoses import diagnose, explained_failures
from pytest_relevance.results.failures import failure_order


@dataclass(frozen=True, slots=True)
class Section:
    """A section at the end of a run in the terminal, below a rule with a title.

    Sections of extensions come before the section `relevance`.
    `lines`: lines of styled spans, as `styled_line(text)` makes them.
    """

    title: str
    lines: Sequence[Line]


Status = tuple[str, str, tuple[str, Mapping[str, bool]]]
"""What `pytest_report_teststatus` returns: category, letter, and word with markup."""


def run_terminal(config: pytest.Config) -> tuple[Callable[[str], None], bool]:
    """Return a function that writes to the terminal, and whether that is a terminal.

    The function writes even if pytest captures output. Its first text begins on a new
    line. The second value is False if the output goes to a file or a pipe.
    """
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    capture: Any = config.pluginmanager.get_plugin("capturemanager")
    has_begun = False

    def write(text: str) -> None:
        nonlocal has_begun
        if reporter is None:
            return
        uncaptured: Any = nullcontext()
        if capture is not None:
            uncaptured = capture.global_and_fixture_disabled()
        with uncaptured:
            reporter.write(text if has_begun else f"\n{text}", flush=True)
        has_begun = True

    return write, getattr(reporter, "isatty", False)


class Terminal:
    """The hooks that print in the terminal."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._store = run_store(config)

    @pytest.hookimpl
    def pytest_report_teststatus(self, report: pytest.TestReport) -> Status | None:
        """Return an own status for a case that was not searched; None for others."""
        if report.outcome != "failed":
            return None
        results = attached_to(report).results or ()
        is_given_up = any(result.verdict == NOT_SEARCHED for result in results)
        if not is_given_up:
            return None
        return NOT_SEARCHED, "N", (NOT_SEARCHED.upper(), {"red": True})

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: Any
    ) -> Generator[None, object, object]:
        """Sort and shorten the failures, let pytest print them, and print our sections.

        Our sections come last, so that the run ends with what got worse and what to do.
        """
        stats = terminalreporter.stats
        for category, reports in stats.items():
            # pytest prints headings of passed reports only with -rP; the category ""
            # has the reports of setup and teardown that passed
            if category not in ("", "passed") or terminalreporter.hasopt("P"):
                _set_headings(reports, self._config.option)
        _sort_failures(stats.get("failed", []))
        shortened = self._shorten(stats.get("failed", []))
        shortened += self._shorten(stats.get("error", []))
        places = _places(stats.get("failed", []))
        for place in places:
            place.is_for_summary = self._config.option.tbstyle not in ("no", "line")
        try:
            result = yield
        finally:
            for place in places:
                place.is_for_summary = False
            for failure in shortened:
                failure.restore()
        self._print_section(terminalreporter)
        return result

    def _shorten(self, reports: Sequence[Any]) -> list[HeadingAlone]:
        """Replace the texts of reports that are not shown in full. Return replacements.

        [] if there are fewer than two reports. The caller restores the texts when
        pytest has printed the failures.
        """
        if len(reports) < 2:
            return []
        option = self._config.option

        def length(place: int) -> int:
            return str(reports[place].longrepr).count("\n") + 2

        shown = shown_failures(
            failures=[_result_of(report) for report in reports],
            explained=explained_failures(diagnose(self._store.results)),
            length=length,
            folds=verbosity(option) == 0 and option.tbstyle != "line",
        )
        shortened = []
        for group in shown:
            if group.how != IN_FULL:
                shortened += [HeadingAlone(reports[place]) for place in group.places]
        return shortened

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Print messages about failures that no terminal summary has printed."""
        for message in self._store.notes.take_messages():
            if not message.is_good:
                print(safe_output(message.text), file=sys.stderr)

    def _print_section(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print passing cases for `-vv`, then sections of extensions and our own."""
        results = self._store.results if anything_ran(self._store.results) else []
        if self._config.option.verbose > 1:
            _print_passed(terminalreporter, results)
        sections = self._sections_of_extensions()
        lines = self._lines(results)
        if lines:
            sections.append(Section("relevance", lines))
        for section in sections:
            terminalreporter.write_sep("=", section.title)
            write_lines(terminalreporter, section.lines)

    def _sections_of_extensions(self) -> list[Section]:
        """Return the sections that the hook `pytest_relevance_summary` adds.

        [] without an implementation. Then the data of the run is not made, because that
        takes time. An exception of an implementation becomes a section.
        """
        hook = self._config.hook.pytest_relevance_summary
        if not hook.get_hookimpls():
            return []
        from pytest_relevance.plugin.outputs import present_run

        run = present_run(self._config)
        name = "pytest_relevance_summary"
        sections: list[Section] = []
        try:
            for added in hook(run=run, detail=verbosity(self._config.option)):
                sections += added
        except ENDING:
            raise
        except Exception as error:
            problem = hook_error_text(name, error, self._config)
            sections.append(Section(name, [styled_line(problem, BAD)]))
        return sections

    def _reference(self) -> str:
        """Return the path of the record to compare with, for a command, or ""."""
        given = self._config.option.relevance_against
        if given is None:
            return ""
        return shown_path(os.path.abspath(os.path.expanduser(given)), self._config)

    def _lines(self, results: Sequence[CaseResult]) -> list[Line]:
        """Return the summary; without results, the messages alone."""
        messages = self._store.notes.take_messages()
        if results:
            return self._summary_lines(results, messages)
        lines = []
        for message in messages:
            style = PLAIN if message.is_good else BAD
            for part in folded(message.text, terminal_width(), indent="    "):
                lines.append(styled_line(part, style))
        return lines

    def _summary_lines(
        self, results: Sequence[CaseResult], messages: Sequence[Message]
    ) -> list[Line]:
        """Return the summary of the run, with the messages about files and findings."""
        from pytest_relevance.plugin.outputs import how_it_ended

        option, store = self._config.option, self._store
        pages = [message.page for message in messages if message.page]
        of = SummaryOf(
            results,
            store.collection.files,
            how_it_ended(self._config),
            store.gates,
            verbosity=option.verbose,
            updating=option.relevance_update,
            against=self._reference(),
            problems=[each.text for each in messages if not each.is_good],
            written=[each.text for each in messages if each.is_good and not each.page],
            page=pages[0] if pages else "",
        )
        return summary_lines(of, terminal_width())


def _print_passed(terminal: Any, results: Iterable[CaseResult]) -> None:
    """Print the report of each passing case that has a score."""
    passed = []
    for result in results:
        if result.outcome == "passed" and result.evaluation.scores:
            passed.append(result)
    if not passed:
        return
    from pytest_relevance.reports.failure import failure_lines

    terminal.write_sep("=", "passing relevance cases")
    for result in passed:
        terminal.write_sep("_", case_heading(result))
        lines = failure_lines(result, verbosity=1, width=terminal_width())
        write_lines(terminal, lines)


def _set_headings(reports: Iterable[Any], option: Any) -> None:
    """Put the query of each case into the heading of its report.

    Call this at the end: with `-v` pytest compares the locations of reports while tests
    run.
    """
    for report in reports:
        if not isinstance(report, pytest.TestReport):
            continue
        for result in attached_to(report).results or ():
            file, line_number, name = report.location
            query = result.query
            if verbosity(option) < 0 or result.is_check:  # the line below has the query
                query = result.id
            heading = item_heading(name, result.id, query)
            report.location = (file, line_number, heading)


def _sort_failures(failed: list[Any]) -> None:
    """Sort the failed reports of cases by the kind of failure, in place.

    They are left as they are if no case has a baseline. Failures of other tests and of
    gates keep their places in the list.
    """
    results = {}
    for place, report in enumerate(failed):
        result = _result_of(report)
        if result is not None:
            results[place] = result
    if all(result.baseline is None for result in results.values()):
        return
    ordered = sorted(results, key=lambda place: failure_order(results[place]))
    reports = [failed[place] for place in ordered]
    for place, report in zip(results, reports, strict=True):
        failed[place] = report


def _places(reports: Iterable[Any]) -> list[FailurePlace]:
    """Return the places of failures that have a text of this plugin."""
    found = [getattr(report.longrepr, "reprcrash", None) for report in reports]
    return [place for place in found if isinstance(place, FailurePlace)]


def _result_of(report: pytest.TestReport) -> CaseResult | None:
    """Return the result of a case; None for a report of checks or of another test."""
    results = attached_to(report).results
    return results[0] if results and not results[0].is_check else None
