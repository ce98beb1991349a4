"""The reports of a run that ended before it began, as a conftest.py cannot be imported.

No hook of a run is called then, and there is no summary in the terminal. So the files
that options ask for are written here, and what a run leaves in GitHub Actions.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import replace
from time import time

import pytest

from pytest_relevance.plugin.options import HAS_STARTED, matcher_of
from pytest_relevance.plugin.output_files import files_of_options
from pytest_relevance.plugin.run_data import how_run
from pytest_relevance.plugin.uncollected import cause_of, error_at, has_case_files
from pytest_relevance.reports.workflow_commands import safe_output
from pytest_relevance.results.records.run import Run


class FailedStart:
    """The hook that hears of an error of `pytest_configure`, in a conftest.py for
    example.
    """

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

    `option` has the options, as far as they were read. Nothing is written where the run
    has nothing to do with cases.
    """
    if _is_left_to_others(config, option):
        return
    found = error_at(cause_of(error), ".", config)
    run = Run((), {}, replace(how_run(config, time()), errors=(found,)))
    for problem in _problems_of_writing(error, run, config, option):
        print(safe_output(problem), file=sys.stderr)


def _is_left_to_others(config: pytest.Config, option: Namespace) -> bool:
    """Whether the run has no cases, lists tests, or shows a help text alone."""
    if option.help or option.version or option.collectonly:
        return True
    is_asked = any(file.given(option) for file in files_of_options(config, option))
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


def _problems_of_writing(
    error: BaseException, run: Run, config: pytest.Config, option: Namespace
) -> list[str]:
    """Write what a run leaves at its end. Return why that failed."""
    # an error of a conftest.py comes before the options are part of the configuration
    for name, value in vars(option).items():
        setattr(config.option, name, value)
    # the names of the files may be the mistake
    if isinstance(error, pytest.UsageError):
        for file in files_of_options(config, option):
            setattr(config.option, file.dest, None)
    problems = []
    for messages in config.hook.pytest_relevance_write(run=run, config=config):
        problems += [message.text for message in messages if not message.is_good]
    return problems
