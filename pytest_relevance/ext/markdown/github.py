"""Write the report of a run to the step summary of GitHub Actions, and annotations."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from pytest_relevance._text import harmless
from pytest_relevance.ext.markdown.annotations import Annotation, run_annotations
from pytest_relevance.plugin.paths import relative
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.reports.run.case_counts import anything_ran
from pytest_relevance.results.case_parts import SETUP
from pytest_relevance.results.case_result import FAILED, NOT_SEARCHED, CaseResult
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.records.run_info import RunInfo

MOST_OF_SUMMARY = 200_000
"""The most characters of a report in the step summary. GitHub shows at most 1 MiB."""

_ANNOTATORS = ("annotate_errors", "pytest_github_actions_annotate_failures")
"""The names under which pytest knows pytest-github-actions-annotate-failures.

The first is that of version 0.3 and later.
"""


def has_something_to_say(run: Run) -> bool:
    """Say whether a run searched something, has errors, or fails."""
    fails = any(finding.fails for finding in run.info.findings)
    return bool(run.info.errors) or fails or anything_ran(run.results)


class Annotations:
    """A plugin that prints the annotations when pytest ends."""

    @pytest.hookimpl
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Print the annotations after the last line of the terminal.

        If another plugin annotates failing tests, gates and cases that failed in their
        call are left out.
        """
        store = run_store(config)
        results = store.results
        failed_gates = [gate for gate in store.gates if gate.outcome() == FAILED]
        if any(map(config.pluginmanager.has_plugin, _ANNOTATORS)):
            results = [result for result in results if not _fails_in_its_call(result)]
            failed_gates = []
        about = RunInfo(errors=store.notes.errors, findings=store.notes.findings)
        run = Run(results, {}, about)
        print_annotations(run_annotations(run, failed_gates), config)


def append_to_summary(report: str, summary: str) -> str:
    """Append a report to the file `summary`. Return why it cannot be written, or ""."""
    try:
        with open(summary, "ab") as file:
            gap = "\n\n" if file.tell() else ""
            file.write(f"{gap}{report}".encode("utf-8", "backslashreplace"))
    except OSError as error:
        why = f"{harmless(summary)} cannot be written: {error.strerror or error}"
        return f"no report in the summary of the job: {why}"
    return ""


def _fails_in_its_call(result: CaseResult) -> bool:
    """Say whether pytest reports a failing case for its call, not for its setup."""
    error = result.call.error
    is_of_setup = error is not None and error.phase == SETUP
    return not is_of_setup and result.status != NOT_SEARCHED


def print_annotations(annotations: Iterable[Annotation], config: pytest.Config) -> None:
    """Print annotations for the runner. Characters that stdout lacks are escaped."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    for annotation in annotations:
        text = annotation.as_command(_path_in_workspace(annotation.file, config))
        print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)


def _path_in_workspace(file: str, config: pytest.Config) -> str | None:
    """Return the path of a file within the workspace; None if it is outside."""
    if not file:
        return None
    workspace = os.environ.get("GITHUB_WORKSPACE") or config.rootpath
    path = relative(
        os.path.realpath(config.invocation_params.dir / file),
        os.path.realpath(workspace),
    )
    if path is None or path.startswith(os.pardir):
        return None
    return Path(path).as_posix()
