"""What a run leaves in GitHub Actions: its report in the summary of the job, and annotations of its first failures."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from pytest_relevance._text import harmless
from pytest_relevance.plugin.options import runs_tests, writes_ci_report
from pytest_relevance.plugin.outputs.about_run import report_of, started
from pytest_relevance.plugin.run_store import Message, run_store
from pytest_relevance.reports.run.cases import anything_ran
from pytest_relevance.results.case_result import FAILED

LARGEST_SUMMARY = 1024 * 1024
"""How many bytes the summary of a step may have; GitHub shows nothing of a larger one."""

_ANNOTATORS = ("annotate_errors", "pytest_github_actions_annotate_failures")
"""The names of the plugin pytest-github-actions-annotate-failures: its hooks since 0.3, its module before."""


def install(config: pytest.Config) -> None:
    """Register the hooks for GitHub Actions, except in a worker of pytest-xdist."""
    if not hasattr(config, "workerinput") and writes_ci_report(config) and runs_tests(config):
        config.pluginmanager.register(GitHubReport(config), "relevance-github")


class GitHubReport:
    """The hooks that append to the summary of the job and print annotations, if any case ran."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._store = run_store(config)
        started(config)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Append the report to the summary of the job. A problem becomes a message and changes no exit status."""
        summary = os.environ.get("GITHUB_STEP_SUMMARY")
        if summary and anything_ran(self._store.results):
            try:
                problem = self._append(Path(summary))
            except OSError as error:
                problem = f"{harmless(summary)} cannot be written: {error.strerror or error}"
            if problem:
                self._store.messages.append(Message(f"no report in the summary of the job: {problem}", is_good=False))

    @pytest.hookimpl
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Print the annotations, when the terminal has ended its last line, unless another plugin annotates."""
        if any(map(config.pluginmanager.has_plugin, _ANNOTATORS)) or not anything_ran(self._store.results):
            return
        from pytest_relevance.reports.run.markdown import run_annotations
        from pytest_relevance.results.records.run import Run

        failed_gates = [gate for gate in self._store.gates if gate.outcome() == FAILED]
        for each in run_annotations(Run(self._store.results), failed_gates):
            _print(each.as_command(self._path(each.file)))

    def _append(self, path: Path) -> str:
        """Append the report to the summary, as far as there is room; return why nothing was appended, or ""."""
        there = path.read_bytes() if path.exists() else b""
        gap = b"\n" * (2 - there.endswith(b"\n")) if there else b""
        room = LARGEST_SUMMARY - len(there) - len(gap)
        report = self._report(room)
        if report is None:
            return f"{harmless(str(path))} has {len(there):,} of {LARGEST_SUMMARY:,} bytes already"
        with path.open("ab") as file:
            file.write(gap + report)
        return ""

    def _report(self, room: int) -> bytes | None:
        """The report in at most so many bytes; None if not even its beginning fits."""
        most = room
        while most > 0:
            text = report_of(self._config, "markdown", "", most)
            data = text.encode("utf-8", "backslashreplace")
            if len(data) <= room:
                return data
            most = min(most - 1, most * room // len(data)) if len(text) <= most else 0
        return None

    def _path(self, file: str) -> str | None:
        """The path of a file relative to the workspace of the job, or None where it is outside."""
        workspace = os.path.realpath(os.environ.get("GITHUB_WORKSPACE") or self._config.rootpath)
        try:
            path = os.path.relpath(os.path.realpath(self._config.invocation_params.dir / file), workspace)
        except ValueError:  # the file is on another drive (Windows)
            return None
        return None if path.split(os.sep)[0] == os.pardir else Path(path).as_posix()


def _print(text: str) -> None:
    """Print a line, with escapes for characters that the encoding of standard output lacks."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)
