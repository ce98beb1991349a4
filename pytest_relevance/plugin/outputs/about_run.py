"""The run as a whole, for its record and its reports: with paths relative to the project's root."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance._paused_gc import paused_gc
from pytest_relevance.plugin.failures import without_root
from pytest_relevance.plugin.options import redaction, requires_gates, verbosity
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.terminal import not_run
from pytest_relevance.results.records.run_info import FileInfo, RunInfo

_STARTED: pytest.StashKey[str] = pytest.StashKey()


def started(config: pytest.Config) -> str:
    """When the run began, in UTC (ISO 8601): the time of the first call, so that all outputs have the same time."""
    return config.stash.setdefault(_STARTED, datetime.now(timezone.utc).isoformat(timespec="seconds"))


def about_run(config: pytest.Config) -> tuple[dict[str, FileInfo], RunInfo]:
    """The case files of the run, and how it was made."""
    from pytest_relevance import __version__
    from pytest_relevance.results.diagnoses import faults_to_record

    store = run_store(config)
    command = ("pytest", *_command(config))
    versions = {"python": platform.python_version(), "pytest": pytest.__version__}
    missing = (*store.broken, *store.unfinished())
    files = {
        Path(file).as_posix(): replace(info, path=_from_root(info.path, config))
        for file, info in sorted(store.files.items())
    }
    faults = faults_to_record(store.results, store.warnings.values())
    how = (__version__, started(config), versions, command, store.common_fingerprint)
    return files, RunInfo(*how, missing, faults, requires_gates(config), not_run(config))


def report_of(config: pytest.Config, name: str, title: str, most: int | None = None) -> str:
    """The report of the run as `html` or `markdown`; a report in Markdown has at most `most` characters."""
    from pytest_relevance.results.records.run import Run

    with paused_gc():
        run = Run(run_store(config).results, *about_run(config), name=title)
        if name == "html":
            from pytest_relevance.reports.html.page import html_page

            return html_page(run)
        from pytest_relevance.reports.run.markdown import run_markdown
        from pytest_relevance.reports.text import safe_output

        limit: dict[str, Any] = {} if most is None else {"most": most}
        return safe_output(run_markdown(run, verbosity=max(verbosity(config.option), 0), **limit))


def _command(config: pytest.Config) -> Iterator[str]:
    """Give the arguments of the command line without secrets, and without the path of the root."""
    for argument in redaction(config).arguments(map(str, config.invocation_params.args)):
        yield "." if argument == str(config.rootpath) else without_root(argument, config)


def _from_root(path: str, config: pytest.Config) -> str:
    """Return a path relative to the root of the project, for a record."""
    try:
        return Path(os.path.relpath(path, config.rootpath)).as_posix()
    except ValueError:  # the file is on another drive (Windows)
        return Path(path).name
