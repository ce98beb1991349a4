"""The exceptions of failing cases, the text of a failure in a report, and the reports of gates.

Gates are reported as tests of their own, after the cases have run, in the process that receives all reports. The node
id of a gate is `FILE::gate[ID]`, followed by `[VARIANT]` where the search has parameters. A gate has the same reports
as a test: setup, call and teardown.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any, Literal, cast

import pytest

from pytest_relevance._text import harmless
from pytest_relevance.plugin.options import requires_gates, verbosity
from pytest_relevance.plugin.run_store import RunStore
from pytest_relevance.reports.text import (
    BAD,
    DIM,
    DOUBT,
    GOOD,
    STRONG,
    Line,
    is_github,
    line_without_commands,
    plain,
    safe_output,
    terminal_width,
)
from pytest_relevance.results.case_result import SKIPPED

MARKUP: dict[str, dict[str, bool]] = {
    BAD: {"red": True, "bold": True},
    GOOD: {"green": True},
    DIM: {"light": True},
    DOUBT: {"yellow": True},
    STRONG: {"bold": True},
}
"""The markup for pytest's terminal writer, by style of a report."""


if TYPE_CHECKING:
    from pytest_relevance.results.gates import GateResult

    class _Failed(BaseException):
        def __init__(self, msg: str | None = None, pytrace: bool = True) -> None: ...

else:
    _Failed = pytest.fail.Exception


class CaseFailure(_Failed):
    """A floor or an expectation of a case is not met, or the case is inconclusive. `xfail` covers only this error."""


class BaselineFailure(_Failed):
    """A case is worse than its baseline, or its baseline entry is stale. `xfail` does not cover it."""


class CaseError(_Failed):
    """A case could not be scored: the search could not be called, or its response could not be used as a ranking.

    `xfail` does not cover it.
    """


class NotSearched(CaseError):
    """The search of a case was not called because it had failed in too many cases in a row."""


@dataclass(frozen=True, slots=True)
class Crash:
    """The position of a failing case and its message, as `--tb=line`, JUnit and the short summary show them.

    `explain` makes the message when a reporter asks for it.
    """

    path: str
    lineno: int
    explain: Callable[[], str]

    @property
    def message(self) -> str:
        """Why the case failed, in one line; in GitHub Actions it holds no workflow command."""
        return safe_output(self.explain())

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

    def __init__(self, option: Any, lines_of: Callable[..., Sequence[Line]], crash: Crash) -> None:
        self.reprcrash = crash
        self._lines_of = lines_of
        self._verbosity = verbosity(option)
        self._is_by_line = getattr(option, "tbstyle", None) == "line"  # pytest prints a line for each failure itself

    def __str__(self) -> str:
        """Return the whole text, without colours."""
        return plain(self._lines_of(verbosity=max(self._verbosity, 0)))

    def toterminal(self, tw: Any) -> None:
        """Write the lines for the terminal to pytest's terminal writer."""
        if not self._is_by_line:
            write_lines(tw, self._lines_of(verbosity=self._verbosity, width=terminal_width()))


def write_lines(tw: Any, lines: Iterable[Line]) -> None:
    """Write styled lines, each with a line end, to pytest's terminal writer or terminal reporter.

    In GitHub Actions the lines hold no workflow command.
    """
    for spans in map(line_without_commands, lines) if is_github() else lines:
        for text, style in spans:
            if text:
                tw.write(text, **MARKUP.get(style, {}))
        tw.write("\n")


def shown_path(path: Path | str, config: pytest.Config) -> str:
    """Return the path of a file for messages: relative to the folder where pytest was started, as in pytest's own."""
    try:
        return os.path.relpath(path, config.invocation_params.dir)
    except ValueError:  # the file is on another drive (Windows)
        return str(path)


def without_root(text: str, config: pytest.Config) -> str:
    """Return a text with the paths of files in the project relative to its root."""
    root = config.rootpath
    return text if root == root.parent else text.replace(f"{root}{os.sep}", "")


_CHOOSERS = ("lfplugin", "stepwiseplugin")
"""Plugins of pytest that select in the next run the tests that failed in this one. A gate cannot be selected."""

_TEST_EXPLORER = "vscode_pytest"
"""The plugin of VS Code. It treats every report of a call as the outcome of a test in its tree, which has no gates."""

Outcome = Literal["passed", "failed", "skipped"]


def report_gates(session: pytest.Session, store: RunStore) -> list[GateResult]:
    """Judge the gates of case files, report them as tests, and return their results.

    Without `--relevance-gates=require` the gates of a file are left out if none of its cases ran, unless all of them
    were collected and skipped.
    """
    from pytest_relevance.results.gates import judge_gates

    option = session.config.option
    require = requires_gates(session.config)
    updating = option.relevance_update == "all"
    results = store.finished
    ran = {result.file for result in results if result.status != SKIPPED}
    ended = {result.file for result in results}
    judged = [
        gate
        for gate in judge_gates(results, store.files, updating=updating, require=require)
        if gate.file in ran or require or (gate.file in ended and store.is_whole(gate.file))
    ]
    for gate in judged:
        outcome = cast("Outcome", gate.outcome())
        _log(session, store.files[gate.file].path, gate, outcome, _longrepr(option, store, gate, outcome))
    return judged


def _log(session: pytest.Session, path: str, gate: GateResult, outcome: Outcome, longrepr: Any) -> None:
    """Report a gate as pytest reports a test."""
    from pytest_relevance.reports.run.gates import gate_message

    manager, hook, name = session.config.pluginmanager, session.config.hook, gate.name
    choosers = [plugin for plugin in map(manager.get_plugin, _CHOOSERS) if plugin is not None]
    log = manager.subset_hook_caller("pytest_runtest_logreport", [session, *choosers])
    nodeid, location = f"{gate.node}::{name}", (gate.node, gate.line - 1, name)
    found = [("verdict", outcome), ("found", harmless(gate_message(gate)))]
    hook.pytest_runtest_logstart(nodeid=nodeid, location=location)
    session.testscollected += 1  # the progress display counts it: progress must not exceed 100 %
    session.testsfailed += outcome == "failed"  # counted here: the session would also stop the run for --maxfail
    now = time()
    make = partial(pytest.TestReport, nodeid, location, {name: 1}, start=now, stop=now, user_properties=found)
    log(report=make("passed", None, "setup"))
    report = make(outcome, longrepr, "call")
    if manager.has_plugin(_TEST_EXPLORER):
        report.when = "gate"  # type: ignore[assignment]  # the terminal counts and shows it like a call
    log(report=report)
    log(report=make("passed", None, "teardown"))
    hook.pytest_runtest_logfinish(nodeid=nodeid, location=location)


def _longrepr(option: Any, store: RunStore, gate: GateResult, outcome: Outcome) -> Any:
    """Return the `longrepr` of a gate's report: None if it passed, a reason if it was skipped, else its failure."""
    if outcome == "passed":
        return None
    from pytest_relevance.reports.run.gates import gate_lines, gate_message

    path, message = store.files[gate.file].path, harmless(gate_message(gate))
    if outcome == "skipped":
        return path, gate.line, f"Skipped: {message}"
    return FailureText(option, partial(gate_lines, gate), Crash(path, gate.line, lambda: message))
