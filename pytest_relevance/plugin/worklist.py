"""`--relevance-unjudged=FILE`: the worklist, written once, at the end of the run, by the process that has all reports.

What a case left unjudged travels on its report. The last report of an item counts, so that a case that is run again
counts once. Registered only where the option is given.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence
from typing import Any

import pytest

from pytest_relevance.files import write_whole
from pytest_relevance.plugin.reporting import UNJUDGED
from pytest_relevance.plugin.section import FILES, Section
from pytest_relevance.plugin.target import Target, ended_well, runs_tests
from pytest_relevance.reports.text import BAD, PLAIN, Line, line
from pytest_relevance.reports.worklist import Ran, Worklist, why_kept
from pytest_relevance.wording import counted

OPTION = "--relevance-unjudged"


def install(config: pytest.Config, file: str) -> None:
    """Register what writes the worklist. UsageError where it is plain by now that FILE cannot be written, or must not.

    A worker of pytest-xdist writes nothing.
    """
    if hasattr(config, "workerinput"):
        return
    target = Target.of(OPTION, file, why_kept)
    config.pluginmanager.register(WorklistFile(config, target), "relevance-unjudged")


class WorklistFile:
    """The hooks that gather the unjudged results and write them."""

    def __init__(self, config: pytest.Config, target: Target) -> None:
        self._target = target
        Section.add(config, FILES, self._lines)
        self._runs_tests = runs_tests(config)
        self._began = False
        self._unjudged: dict[str, Sequence[dict[str, Any]]] = {}
        self._outcome = ""
        self._failure = ""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """See that tests are run: `--fixtures` and the like have a session too. A plugin may have a loop of its own."""
        self._began = self._runs_tests
        return (yield)

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
        shown = self._target.shown
        if not self._began or not (all_ran or ended_well(exitstatus)):  # nothing is known of what is unjudged
            self._outcome = f"{shown} is not written: no case was scored"
            return
        found = Worklist(all_ran)
        trouble = self._target.write(lambda path: write_whole(path, found.csv()))
        if trouble is None:
            self._outcome = f"{_counted(found)}: {shown}{'' if found.rows else ' has only its header'}"
            return
        self._failure = f"{_counted(found)}, and no list of them: {trouble}"
        if ended_well(exitstatus):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _lines(self) -> list[Line]:
        """What became of it, below the summary of the cases."""
        failure, self._failure = self._failure, ""
        return [line(failure, BAD) if failure else line(self._outcome, PLAIN)]

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
