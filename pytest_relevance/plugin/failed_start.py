"""The reports of a run that ended before it began, as a conftest.py cannot be imported.

No hook of a run is called then, and there is no summary in the terminal. So the files that options ask for are written
here, and what a run leaves in GitHub Actions.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import time

import pytest

from pytest_relevance._files import write_whole
from pytest_relevance.plugin.options import HAS_STARTED, matcher_of
from pytest_relevance.plugin.outputs import (
    MOST_OF_SUMMARY,
    Target,
    append_to_summary,
    how_run,
    print_annotations,
    report_text,
)
from pytest_relevance.plugin.uncollected import cause_of, error_at, has_case_files
from pytest_relevance.reports.run.annotations import run_annotations
from pytest_relevance.reports.workflow_commands import is_github, safe_output
from pytest_relevance.results.records.file import Record, write_record
from pytest_relevance.results.records.run import Run

_REPORTS = ("record", "html", "markdown")
"""The options `--relevance-*` that name a file which tells of the error."""


class FailedStart:
    """The hook that hears of an error of `pytest_configure`, in a conftest.py for example."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl
    def pytest_internalerror(
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> None:
        """Write the reports, unless the run has begun."""
        self.report(excinfo.value)

    def report(self, error: BaseException) -> None:
        """Write the reports of a run that an error ended, unless the run has begun."""
        is_worker = hasattr(self._config, "workerinput")
        if HAS_STARTED not in self._config.stash and not is_worker:
            report_failed_start(error, self._config, self._config.option)


def report_failed_start(
    error: BaseException, config: pytest.Config, option: Namespace
) -> None:
    """Write the reports of a run that an error ended before it began.

    `option` has the options, as far as they were read. Nothing is written where the run has nothing to do with cases.
    """
    if _is_left_to_others(config, option):
        return
    found = error_at(cause_of(error), ".", config)
    run = Run((), {}, replace(how_run(config, time()), errors=(found,)))
    problems = []
    if not isinstance(error, pytest.UsageError):  # else the options may be the mistake
        problems += [_write(name, run, config, option) for name in _REPORTS]
    if _reports_to_ci(config, option):
        report = report_text(run, "markdown", config, most=MOST_OF_SUMMARY)
        summary = os.environ.get("GITHUB_STEP_SUMMARY")
        if summary:
            problems.append(append_to_summary(report, summary))
        print_annotations(run_annotations(run, []), config)
    for problem in filter(None, problems):
        print(safe_output(problem), file=sys.stderr)


def _is_left_to_others(config: pytest.Config, option: Namespace) -> bool:
    """Whether the run has no cases, or shows a help text alone."""
    if option.help or option.version:
        return True
    is_asked = any(_file_of(name, option) is not None for name in _REPORTS)
    return not is_asked and not _has_cases(config, option)


def _has_cases(config: pytest.Config, option: Namespace) -> bool:
    """Whether there are case files among the arguments, or below them."""
    is_case_file = matcher_of(config.getini("relevance_files"))
    arguments = option.file_or_dir or config.getini("testpaths") or ["."]
    for argument in arguments:
        path = config.invocation_params.dir / str(argument).partition("::")[0]
        if is_case_file(path.name) or has_case_files(path, is_case_file):
            return True
    return False


def _file_of(name: str, option: Namespace) -> str | None:
    file: str | None = getattr(option, f"relevance_{name}", None)
    return file or None


def _reports_to_ci(config: pytest.Config, option: Namespace) -> bool:
    setting = option.relevance_ci or config.getini("relevance_ci")
    return is_github() and setting != "off" and not option.collectonly


def _write(name: str, run: Run, config: pytest.Config, option: Namespace) -> str:
    """Write the file that an option asks for. Return why that failed; else an empty text."""
    file = _file_of(name, option)
    if file is None or option.collectonly:
        return ""
    target = Target.named(file, name, config)
    run.name = Path(file).name
    if name == "record":
        problem = target.write(partial(_write_record, run))
    else:
        text = report_text(run, name, config)
        data = text.encode("utf-8", "backslashreplace")
        problem = target.write(partial(_write_report, data))
    return f"--relevance-{name}: {problem}" if problem else ""


def _write_record(run: Run, path: Path) -> None:
    write_record(path, Record(results=(), files={}, info=run.info))


def _write_report(data: bytes, path: Path) -> None:
    write_whole(path, data)
