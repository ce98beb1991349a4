"""A run as data: its results, its case files, and how it was made."""

from __future__ import annotations

import platform
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from pytest_relevance.plugin.files_not_run import files_not_run
from pytest_relevance.plugin.options import (
    redaction,
    relative,
    settings,
    without_root,
)
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.selection import is_part
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.records.run_info import FileInfo, RunInfo


def present_run(config: pytest.Config) -> Run:
    """Return the run that ends now."""
    files, info = _about_run(config)
    return Run(run_store(config).results, files, info)


def _about_run(config: pytest.Config) -> tuple[dict[str, FileInfo], RunInfo]:
    """The case files of the run, and how it was made."""
    from pytest_relevance.results.diagnoses import faults_to_record

    store = run_store(config)
    root = str(config.rootpath)
    results = store.results  # their titles may show an error of a catalogue
    files = {
        Path(file).as_posix(): replace(
            info,
            path=Path(relative(info.path, root) or Path(info.path).name).as_posix(),
        )
        for file, info in sorted(store.collection.files.items())
    }
    faults = faults_to_record(results, store.told.warnings.values())
    how = how_run(config, settings(config).started)
    return files, replace(
        how,
        fingerprint=store.told.fingerprint,
        missing=tuple(store.unfinished()),
        faults=faults,
        requires_gates=settings(config).requires_gates,
        not_run=files_not_run(config),
        requires_baseline=settings(config).requires_baseline,
        is_part=is_part(config),
        errors=store.told.errors,
        findings=tuple(store.told.findings),
    )


def how_run(config: pytest.Config, started: float) -> RunInfo:
    """Return what is known of a run before it begins: programs, command, and the time
    (seconds since the epoch).
    """
    from pytest_relevance import __version__

    root = str(config.rootpath)
    command = ["pytest"]
    arguments = map(str, config.invocation_params.args)
    for argument in redaction(config).arguments(arguments):
        is_root = argument == root
        command.append("." if is_root else without_root(argument, config))
    began = datetime.fromtimestamp(started, timezone.utc)
    return RunInfo(
        program=__version__,
        started=began.isoformat(timespec="seconds"),
        versions={"python": platform.python_version(), "pytest": pytest.__version__},
        command=tuple(command),
    )
