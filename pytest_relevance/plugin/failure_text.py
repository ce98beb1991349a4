"""The text of a failing case or gate.

A failing case has two texts. The text of its exception is for code that catches the
exception. The text of its report replaces pytest's traceback. The terminal makes the
text of the report at the end of the run, when all results and titles are known.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from pytest_relevance._text import harmless
from pytest_relevance.plugin.run_settings import verbosity
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.reports.styled_lines import (
    BAD,
    DIM,
    DOUBT,
    GOOD,
    STRONG,
    Line,
    plain_text,
)
from pytest_relevance.reports.terminal_text import terminal_width
from pytest_relevance.reports.workflow_commands import (
    is_github,
    line_without_commands,
    safe_output,
)
from pytest_relevance.results.case_result import CaseResult


def text_of_exception(result: CaseResult, *, is_check: bool) -> str:
    """Return the text for the exception of a case that failed.

    The text of a case is one line. The text of a check in Python is the whole report,
    because a test that catches the exception may print the text.
    """
    if is_check:
        from pytest_relevance.reports.failure import failure_lines

        return plain_text(failure_lines(result))
    from pytest_relevance.reports.failure import failure_message

    return failure_message(result)


def text_of_report(result: CaseResult, config: pytest.Config) -> FailureText:
    """Return the text for the report of a case that failed, instead of a traceback."""
    from pytest_relevance.reports.failure import failure_lines

    store = run_store(config)

    def lines_of(**form: int) -> list[Line]:
        return failure_lines(
            store.with_latest_texts(result), others=store.results, **form
        )

    def message() -> str:
        return harmless(
            text_of_exception(store.with_latest_texts(result), is_check=False)
        )

    def in_summary() -> str:
        from pytest_relevance.reports.failure import failure_in_summary

        return harmless(failure_in_summary(store.with_latest_texts(result)))

    file = os.path.normpath(config.invocation_params.dir / result.file)
    path = result.origin.source or file
    place = FailurePlace(path, result.line, message, in_summary)
    return FailureText(config.option, lines_of, place)


MARKUP: dict[str, dict[str, bool]] = {
    BAD: {"red": True, "bold": True},
    GOOD: {"green": True},
    DIM: {"light": True},
    DOUBT: {"yellow": True},
    STRONG: {"bold": True},
}
"""The markup for pytest's terminal writer, by style of a report."""


class FailurePlace:
    """The place and the message of a failing case or gate: pytest's `reprcrash`.

    `--tb=line`, JUnit and the short summary show both.
    `explain`: makes the message when a reporter asks for it.
    `in_summary`: makes a shorter message for the short summary, because the whole
        report is printed above the summary.
    `is_for_summary`: whether the shorter message is wanted. `terminal` sets it.
    """

    def __init__(
        self,
        path: str,
        lineno: int,
        explain: Callable[[], str],
        in_summary: Callable[[], str] | None = None,
    ) -> None:
        self.path = path
        self.lineno = lineno
        self.is_for_summary = False
        self._explain = explain
        self._in_summary = in_summary or explain

    @property
    def message(self) -> str:
        """Return why the case failed, in one line without workflow commands."""
        explain = self._in_summary if self.is_for_summary else self._explain
        return safe_output(explain())

    def __str__(self) -> str:
        """Return the first line of the message with its place: `PATH:LINE: MESSAGE`."""
        first, *_ = self.message.split("\n", 1)
        return f"{self.path}:{self.lineno}: {first}"


class FailureText:
    """The text of a failing case or gate, with colours: pytest's `longrepr`.

    The terminal shows the text in its own width. JUnit and other reporters get the
    whole text, 100 columns wide.
    `lines_of`: makes the lines for a `verbosity` and a `width`. It is called at the end
        of the run, when all results are known.
    """

    def __init__(
        self, option: Any, lines_of: Callable[..., Sequence[Line]], place: FailurePlace
    ) -> None:
        self.reprcrash = place  # pytest's name for it
        self._lines_of = lines_of
        self._verbosity = verbosity(option)
        # pytest prints a line for each failure itself
        self._is_by_line = getattr(option, "tbstyle", None) == "line"

    def __str__(self) -> str:
        """Return the whole text, without colours."""
        return plain_text(self._lines_of(verbosity=max(self._verbosity, 0)))

    def toterminal(self, tw: Any) -> None:
        """Write the lines to pytest's terminal writer."""
        if not self._is_by_line:
            width = terminal_width()
            write_lines(tw, self._lines_of(verbosity=self._verbosity, width=width))


def write_lines(tw: Any, lines: Iterable[Line]) -> None:
    """Write styled lines to pytest's terminal writer or terminal reporter.

    In GitHub Actions, workflow commands in the lines are made harmless.
    """
    for line in lines:
        spans = line_without_commands(line) if is_github() else line
        for part, style in spans:
            if part:
                tw.write(part, **MARKUP.get(style, {}))
        tw.write("\n")


class HeadingAlone:
    """Takes the place of a failure's text, so that the terminal prints its heading.

    Other reporters still get the whole text. `restore` undoes the replacement.
    """

    def __init__(self, report: Any) -> None:
        """Replace the text of a report by this object, and hide its captured output."""
        self._report = report
        self._text = report.longrepr
        self._sections = report.sections
        place = getattr(report.longrepr, "reprcrash", None)
        if place is not None:
            self.reprcrash = place
        report.longrepr = self
        report.sections = []

    def restore(self) -> None:
        """Put the text and the output of the report back."""
        self._report.longrepr = self._text
        self._report.sections = self._sections

    def __str__(self) -> str:
        """Return the whole text, for reporters other than the terminal."""
        return str(self._text)

    def toterminal(self, tw: Any) -> None:
        """Write nothing below the heading."""
