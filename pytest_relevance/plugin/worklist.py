"""`--relevance-unjudged=FILE`: the worklist, written once, at the end of the run, by the process that has all reports.

What a case left unjudged travels on its report. The last report of an item counts, so that a case that is run again
counts once. Registered only where the option is given.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance.files import write_whole
from pytest_relevance.plugin.failures import shown_path, write_lines
from pytest_relevance.plugin.reporting import UNJUDGED, open_section
from pytest_relevance.reports.text import BAD, PLAIN, harmless, line
from pytest_relevance.reports.worklist import Ran, Worklist, why_kept
from pytest_relevance.wording import counted

OPTION = "--relevance-unjudged"

_NOTHING_RUNS = ("collectonly", "setuponly", "setupplan")
_WITHOUT_FAILURE = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


def install(config: pytest.Config, file: str) -> None:
    """Register what writes the worklist. UsageError where it is plain by now that FILE cannot be written, or must not.

    A worker of pytest-xdist writes nothing.
    """
    if hasattr(config, "workerinput"):
        return
    path = Path(os.path.abspath(os.path.expanduser(file)))
    shown = harmless(shown_path(path, config))
    trouble = _trouble(path, shown)
    if trouble is not None:
        raise pytest.UsageError(f"{OPTION}={harmless(file)}: {trouble}")
    config.pluginmanager.register(WorklistFile(config, path, shown), "relevance-unjudged")


class WorklistFile:
    """The hooks that gather the unjudged results and write them."""

    def __init__(self, config: pytest.Config, path: Path, shown: str) -> None:
        self._path = path
        self._shown = shown
        self._runs_tests = not any(config.getoption(name, False) for name in _NOTHING_RUNS)
        self._began = False
        self._unjudged: dict[str, Sequence[dict[str, Any]]] = {}
        self._outcome = ""
        self._failure = ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> None:
        """See that tests are run: `--fixtures` and the like have a session too."""
        self._began = self._runs_tests

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what an item left unjudged."""
        found = getattr(report, UNJUDGED, None)
        if found is not None:
            self._unjudged[report.nodeid] = found

    @pytest.hookimpl
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
        """Write the file. That this fails is a failure of the run."""
        all_ran = [Ran.of(values) for ran in self._unjudged.values() for values in ran]
        if not self._began or not (all_ran or exitstatus in _WITHOUT_FAILURE):  # nothing is known of what is unjudged
            self._outcome = f"{self._shown} is not written: no case was scored"
            return
        found = Worklist(all_ran)
        trouble = _trouble(self._path, self._shown)  # somebody may have filled it in meanwhile
        if trouble is None:
            try:
                write_whole(self._path, found.csv())
            except OSError as error:
                trouble = f"{self._shown} cannot be written: {error.strerror or error}"
        if trouble is None:
            self._outcome = f"{_counted(found)}: {self._shown}{'' if found.rows else ' has only its header'}"
            return
        self._failure = f"{_counted(found)}, and no list of them: {trouble}"
        if exitstatus in _WITHOUT_FAILURE:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what became of it, below the summary of the cases."""
        open_section(terminalreporter)
        write_lines(terminalreporter, [line(self._failure, BAD) if self._failure else line(self._outcome, PLAIN)])
        self._failure = ""

    @pytest.hookimpl
    def pytest_unconfigure(self) -> None:
        """Say that it was not written where there was no summary to say so."""
        if self._failure:
            print(f"{OPTION}: {self._failure}", file=sys.stderr)


def _counted(found: Worklist) -> str:
    if not found.rows:
        return "no unjudged results"
    queries = counted(found.queries, "query", "queries")
    return f"{counted(len(found.rows), 'unjudged result')} of {queries}"


def _trouble(path: Path, shown: str) -> str | None:
    """Why a worklist cannot be written to a path, or must not be, and what to do; None where nothing is known."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        return f"{shown} is a folder; name a file in it"
    if not target.parent.is_dir():
        return f"there is no folder {harmless(str(target.parent))}; make it, or name a file in another one"
    if not os.access(target.parent, os.W_OK) or (target.exists() and not os.access(target, os.W_OK)):
        return f"{shown} may not be written; see to its permissions, or name another file"
    if not target.is_file():  # there is none yet, or it is nothing that could be lost, such as a pipe
        return None
    try:
        reason = why_kept(target.read_bytes())
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
    return reason and f"{shown} {reason}"
