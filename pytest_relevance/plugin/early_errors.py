"""Errors that keep cases from being collected, or end the run before it begins.

If a case file or a conftest.py has a mistake, pytest makes a failed report of what it
cannot collect. The error is kept with its place, for the reports of this plugin.

If a conftest.py cannot be imported at the start, pytest calls no hook of a run, and
prints no summary. Then this module writes the files that options name.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import time
from traceback import extract_tb

import pytest

from pytest_relevance.plugin.attached import Attached, attach, make_portable
from pytest_relevance.plugin.case_files import CASE_FILES, matcher_of
from pytest_relevance.plugin.exceptions import (
    CaseFileMistakes,
    is_installed,
    search_error,
)
from pytest_relevance.plugin.news import News
from pytest_relevance.plugin.output_files import files_of_options
from pytest_relevance.plugin.outputs import with_start
from pytest_relevance.plugin.paths import files_below, shown_path
from pytest_relevance.plugin.pytest_internals import PYTEST
from pytest_relevance.plugin.redaction import redaction
from pytest_relevance.plugin.run_settings import HAS_STARTED, REPLAYED, is_worker
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.reports.workflow_commands import safe_output
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.records.run_info import (
    RunError,
    RunInfo,
    errors_in_file,
    posix,
)

MOST_ERRORS = 50
"""How many mistakes of one file are kept; a last one says how many more there are."""

_WITHOUT_CASE_FILES = (".*", "node_modules", "site-packages", "venv", "__pycache__")
"""Patterns for the names of folders, often large ones, in which no case files are."""


def keep_errors(collector: pytest.Collector, report: pytest.CollectReport) -> None:
    """Keep the errors of a file or a folder that cannot be collected, for the reports.

    A worker of pytest-xdist attaches the errors to `report`, which goes to the
    controller.
    """
    config = collector.config
    call = getattr(report, "call", None)
    raised = None if call is None else call.excinfo
    if raised is None:  # another plugin made the report
        errors = [_error_of_text(report.longreprtext, collector)]
    else:
        errors = _errors_of(raised.value, collector)
    if is_worker(config):
        attach(report, Attached(news=News(errors=errors)))
        make_portable(report)
    else:
        run_store(config).notes.keep_errors(errors)


def hides_case_files(collector: pytest.Collector) -> bool:
    """Say whether a collector that failed is a folder with case files."""
    if not isinstance(collector, pytest.Directory):
        return False
    is_case_file = collector.config.stash[CASE_FILES].includes_name
    return _has_case_files(collector.path, is_case_file)


def _errors_of(error: BaseException, collector: pytest.Collector) -> list[RunError]:
    """Return the exception of a collector as errors of the run, with their places.

    A case file may have several mistakes. Then there is an error for each mistake.
    """
    config = collector.config
    node = collector.nodeid or "."
    if isinstance(error, CaseFileMistakes):
        hide = redaction(config).text
        mistakes = errors_in_file(error.error, MOST_ERRORS, node=node)
        return [replace(each, message=hide(each.message)) for each in mistakes]
    cause = _cause_of(error)
    if isinstance(cause, pytest.Collector.CollectError):
        return [_error_of_text(str(cause), collector)]
    return [error_at(cause, node, config)]


def _cause_of(error: BaseException) -> BaseException:
    """Return the exception of the project that pytest wrapped, or `error` itself."""
    is_of_pytest = type(error).__module__.startswith(PYTEST)
    if is_of_pytest and error.__cause__ is not None:
        return error.__cause__
    return error


def error_at(error: BaseException, node: str, config: pytest.Config) -> RunError:
    """Return an exception as an error of the run, with the line that raised it.

    `node`: the node id of the file or folder that cannot be collected.
    """
    if isinstance(error, pytest.UsageError):
        return RunError(redaction(config).text(str(error)), node=node)
    message = search_error(error, config).headline or type(error).__name__
    path, line = _place_of(error)
    file = "" if path is None else posix(shown_path(path, config))
    return RunError(message, file=file, line=line, node=node)


def _has_case_files(folder: Path, includes: Callable[[str], object]) -> bool:
    """Say whether there is a case file in a folder or below it.

    `includes`: returns a true value for the name of a case file.
    """
    for path in files_below(folder, _WITHOUT_CASE_FILES):
        if includes(os.path.basename(path)):
            return True
    return False


def _error_of_text(text: str, collector: pytest.Collector) -> RunError:
    """Return a message about a file or a folder as an error of the run."""
    config = collector.config
    file = shown_path(collector.path, config)
    message = redaction(config).text(text.removeprefix(f"{file}: "))
    message = " ".join(message.split())
    return RunError(message, file=posix(file), node=collector.nodeid or ".")


def _place_of(error: BaseException) -> tuple[str | None, int]:
    """Return the file and the line of the project in which an exception was raised.

    (None, 0) if no code of the project raised it.
    """
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return error.filename, error.lineno
    frames = extract_tb(error.__traceback__)
    for frame in reversed(frames):
        if not is_installed(frame.filename) and frame.lineno is not None:
            return frame.filename, frame.lineno
    return None, 0


class FailedStart:
    """Writes the reports if an error in `pytest_configure` ends the run.

    For example, a conftest.py raises the error in its own `pytest_configure`.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl
    def pytest_internalerror(
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> None:
        """Write the reports if the session has not begun. A worker writes none."""
        self.report(excinfo.value)

    def report(self, error: BaseException) -> None:
        """Write the reports about an error that came before the session began.

        A worker of pytest-xdist writes none.
        """
        has_started = HAS_STARTED in self._config.stash
        if not (has_started or is_worker(self._config)):
            report_failed_start(error, self._config, self._config.option)


def report_failed_start(
    error: BaseException, config: pytest.Config, option: Namespace
) -> None:
    """Write the reports about an error that ended the run before it began.

    Nothing is written if the run was to run no tests, or if it names no output files
    and has no case files.
    `option`: the options that were read so far.
    """
    if option.help or option.version or option.collectonly:
        return
    names_file = any(file.given(option) for file in files_of_options(config, option))
    if not names_file and not _has_cases(config, option):
        return
    found = error_at(_cause_of(error), ".", config)
    info = RunInfo(errors=(found,), replayed=config.stash.get(REPLAYED, None))
    run = Run((), {}, with_start(info, config, time()))
    for problem in _write_files(error, run, config, option):
        print(safe_output(problem), file=sys.stderr)


def _has_cases(config: pytest.Config, option: Namespace) -> bool:
    """Say whether there is a case file among the paths that a run is to collect."""
    is_case_file = matcher_of(config.getini("relevance_files"))
    arguments = option.file_or_dir or config.getini("testpaths") or ["."]
    for argument in arguments:
        path = config.invocation_params.dir / str(argument).partition("::")[0]
        if is_case_file(path.name) or _has_case_files(path, is_case_file):
            return True
    return False


def _write_files(
    error: BaseException, run: Run, config: pytest.Config, option: Namespace
) -> list[str]:
    """Write the files of the run. Return messages about files that were not written.

    If a wrong option is the error, the files that options name are not written, because
    such a name may be the error.
    """
    # a conftest.py may fail before pytest has put the options into `config.option`
    for name, value in vars(option).items():
        setattr(config.option, name, value)
    if isinstance(error, pytest.UsageError):
        for file in files_of_options(config, option):
            setattr(config.option, file.dest, None)
    problems = []
    for messages in config.hook.pytest_relevance_write(run=run, config=config):
        problems += [message.text for message in messages if not message.is_good]
    return problems
