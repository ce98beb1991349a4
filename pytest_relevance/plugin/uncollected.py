"""What kept files from being collected: mistakes in case files, conftest files and test
modules, for every report.

pytest reports such an error for the collector that failed: a case file, a module, or a
folder whose conftest.py cannot be imported. This module gives the error a place and a
message, and has `Told` keep it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from traceback import extract_tb

import pytest

from pytest_relevance.plugin.attached import Attached, News, attach, make_portable
from pytest_relevance.plugin.failures import (
    CaseFileMistakes,
    is_installed,
    search_error,
)
from pytest_relevance.plugin.options import CASE_FILES, redaction, shown_path
from pytest_relevance.plugin.pytest_internals import PYTEST
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.results.records.run_info import RunError, errors_in_file, posix

MOST_ERRORS = 50
"""How many mistakes of one file are kept; a last one says how many more there are."""

_WITHOUT_CASE_FILES = {"node_modules", "site-packages", "venv", "__pycache__"}
"""The names of large folders in which nobody keeps case files."""


def keep_errors(collector: pytest.Collector, report: pytest.CollectReport) -> None:
    """Keep the errors of a collector that failed, for the reports of the run.

    A worker of pytest-xdist attaches them to its report instead, and the controller
    receives them.
    """
    config = collector.config
    call = getattr(report, "call", None)
    raised = None if call is None else call.excinfo
    if raised is None:  # another plugin made the report
        errors = [_of_text(report.longreprtext, collector)]
    else:
        errors = errors_of(raised.value, collector)
    if hasattr(config, "workerinput"):
        attach(report, Attached(news=News(errors=errors)))
        make_portable(report)
    else:
        run_store(config).told.keep_errors(errors)


def hides_case_files(collector: pytest.Collector) -> bool:
    """Whether a collector that failed is a folder with case files, of which none is
    collected now.
    """
    if not isinstance(collector, pytest.Directory):
        return False
    is_case_file = collector.config.stash[CASE_FILES].includes_name
    return has_case_files(collector.path, is_case_file)


def errors_of(error: BaseException, collector: pytest.Collector) -> list[RunError]:
    """Return what an exception that a collector raised says, each mistake with its
    place.
    """
    config = collector.config
    node = collector.nodeid or "."
    if isinstance(error, CaseFileMistakes):
        hide = redaction(config).text
        mistakes = errors_in_file(error.error, MOST_ERRORS, node=node)
        return [replace(each, message=hide(each.message)) for each in mistakes]
    cause = cause_of(error)
    if isinstance(cause, pytest.Collector.CollectError):
        return [_of_text(str(cause), collector)]
    return [error_at(cause, node, config)]


def cause_of(error: BaseException) -> BaseException:
    """Return the exception of the project's own code that pytest wrapped in one of its
    own, or the error itself.
    """
    is_of_pytest = type(error).__module__.startswith(PYTEST)
    if is_of_pytest and error.__cause__ is not None:
        return error.__cause__
    return error


def error_at(error: BaseException, node: str, config: pytest.Config) -> RunError:
    """Return an exception of the project's own code, with the line that raised it.

    `node` is the node id of what was not collected for this reason.
    """
    if isinstance(error, pytest.UsageError):
        return RunError(redaction(config).text(str(error)), node=node)
    message = search_error(error, config).headline or type(error).__name__
    path, line = _place_of(error)
    file = "" if path is None else posix(shown_path(path, config))
    return RunError(message, file=file, line=line, node=node)


def has_case_files(folder: Path, includes: Callable[[str], object]) -> bool:
    """Whether there is a case file in a folder or below it; `includes` tells by the
    name whether a file is one.
    """
    for _, below, files in os.walk(folder):
        if any(map(includes, files)):
            return True
        below[:] = [name for name in below if _may_have_case_files(name)]
    return False


def _may_have_case_files(folder: str) -> bool:
    return not folder.startswith(".") and folder not in _WITHOUT_CASE_FILES


def _of_text(text: str, collector: pytest.Collector) -> RunError:
    """Return a message that has no place but the file or folder that was not
    collected.
    """
    config = collector.config
    file = shown_path(collector.path, config)
    message = redaction(config).text(text.removeprefix(f"{file}: "))
    message = " ".join(message.split())
    return RunError(message, file=posix(file), node=collector.nodeid or ".")


def _place_of(error: BaseException) -> tuple[str | None, int]:
    """Return the file and the line of the project's own code in which an exception was
    raised.
    """
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return error.filename, error.lineno
    frames = extract_tb(error.__traceback__)
    for frame in reversed(frames):
        if not is_installed(frame.filename) and frame.lineno is not None:
            return frame.filename, frame.lineno
    return None, 0
