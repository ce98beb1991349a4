"""What a run writes at its end: a record, baselines, and other files of options.

The process that receives all reports writes them; a worker of pytest-xdist writes
nothing. The run fails if a file cannot be written. To refuse an unusable file at once,
`output_files` checks each file before the run too.
"""

from __future__ import annotations

import platform
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from pytest_relevance import __version__
from pytest_relevance.plugin.exceptions import ENDING, hook_error_text
from pytest_relevance.plugin.output_files import (
    RECORD,
    Message,
    Target,
)
from pytest_relevance.plugin.paths import relative, without_root
from pytest_relevance.plugin.redaction import redaction
from pytest_relevance.plugin.required_reference import files_not_run
from pytest_relevance.plugin.run_settings import REPLAYED, ended_well, settings
from pytest_relevance.plugin.run_store import first_named, run_store
from pytest_relevance.plugin.selection import is_part
from pytest_relevance.reports.run.case_counts import counted_cases
from pytest_relevance.results.diagnoses import faults_to_record
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.records.run_info import (
    RunFinding,
    RunInfo,
    files_with_errors,
)


class Outputs:
    """The hooks that write at the end of a run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._store = run_store(config)
        self._runs_tests = settings(config).runs_tests
        self._has_begun = False

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Note that the loop of tests begins. With `--fixtures` it does not begin.

        Another plugin may run the tests in a loop of its own, so their end is not
        noted.
        """
        self._has_begun = self._runs_tests
        return (yield)

    @pytest.hookimpl
    def pytest_sessionfinish(
        self, session: pytest.Session, exitstatus: int | pytest.ExitCode
    ) -> None:
        """Write baselines and files. The run fails if one cannot be written."""
        # a hook may have failed before the first test: reports must show its error
        has_failed_early = self._runs_tests and self._store.notes.errors
        if not (self._has_begun or has_failed_early):
            self._note_unwritten()
            return
        # baselines come first, since reports say which could not be updated
        if self._config.option.relevance_update is not None:
            from pytest_relevance.plugin.baseline_output import update_baselines

            keep_messages(update_baselines(self._config), session, exitstatus)
        run = present_run(self._config)
        # an implementation writes its file when its messages are iterated; by then the
        # run has the findings about files that were written before
        try:
            for messages in self._config.hook.pytest_relevance_write(
                run=run, config=self._config
            ):
                for message in messages:
                    keep_messages([message], session, exitstatus)
                    findings = tuple(self._store.notes.findings)
                    run.info = replace(run.info, findings=findings)
        except ENDING:
            raise
        except Exception as error:
            hook = "pytest_relevance_write"
            problem = hook_error_text(hook, error, self._config)
            text = f"{problem}; files that options name may be missing"
            keep_messages([Message(text, is_good=False)], session, exitstatus)

    def _note_unwritten(self) -> None:
        """Keep a message about each file that is not written, because no test ran."""
        for file in settings(self._config).files:
            target = Target.of(file, self._config)
            if target is not None and file.unwritten:
                text = f"{target.shown} is not written: {file.unwritten}"
                self._store.notes.say(Message(text))


def keep_messages(
    messages: Sequence[Message],
    session: pytest.Session,
    exitstatus: int | pytest.ExitCode,
) -> None:
    """Keep messages for the end of the run. The run fails if one is not good."""
    notes = run_store(session.config).notes
    for message in messages:
        if message.is_good:
            notes.say(message)
            continue
        brief = "not everything was written"
        notes.keep_finding(RunFinding(message.text, fails=True, brief=brief))
        if ended_well(exitstatus):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def write_record(run: Run, config: pytest.Config) -> Iterator[Message]:
    """Write the record of a run if an option names it. Yield a message about it."""
    target = Target.of(RECORD, config)
    if target is None:
        return
    if not config.getini("relevance_record_texts"):
        results = [result.without_texts_of_results() for result in run.results]
        run = Run(results, run.files, run.info)
    problem = target.write(run.write)
    if problem is not None:
        yield Message(f"no record of the run: {problem}", is_good=False)
        return
    unfinished = ""
    if run.info.missing:
        count = len(run.info.missing)
        unfinished += f", {count:,} did not finish: {first_named(run.info.missing)}"
    if run.info.uncollected:
        unfinished += f"; {files_with_errors(run.info.uncollected)}"
    cases = counted_cases(run.results)
    yield Message(f"record: {target.shown} ({cases}{unfinished})")


def present_run(config: pytest.Config) -> Run:
    """Return the data of the run that is about to end."""
    store = run_store(config)
    results = store.results  # their titles may show an error of a catalogue
    files = {}
    for file, file_info in sorted(store.collection.files.items()):
        path = relative(file_info.path, config.rootpath) or Path(file_info.path).name
        files[Path(file).as_posix()] = replace(file_info, path=Path(path).as_posix())
    faults = faults_to_record(results, store.notes.warnings.values())
    info = replace(how_it_ended(config), faults=faults)
    started = settings(config).started
    return Run(results, files, with_start(info, config, started))


def how_it_ended(config: pytest.Config) -> RunInfo:
    """Return how the run ends, without its start (`with_start`) and its faults."""
    store = run_store(config)
    of_run = settings(config)
    return RunInfo(
        fingerprint=store.notes.fingerprint,
        missing=tuple(store.unfinished()),
        requires_gates=of_run.requires_gates,
        not_run=files_not_run(config),
        requires_baseline=of_run.requires_baseline,
        is_part=is_part(config),
        errors=store.notes.errors,
        findings=tuple(store.notes.findings),
        replayed=config.stash.get(REPLAYED, None),
    )


def with_start(info: RunInfo, config: pytest.Config, started: float) -> RunInfo:
    """Return the data of a run, with how it was started: versions, command, and time.

    `started`: in seconds since 1970.
    """
    root = str(config.rootpath)
    command = ["pytest"]
    arguments = map(str, config.invocation_params.args)
    for argument in redaction(config).arguments(arguments):
        is_root = argument == root
        command.append("." if is_root else without_root(argument, config))
    began = datetime.fromtimestamp(started, timezone.utc)
    return replace(
        info,
        program=__version__,
        started=began.isoformat(timespec="seconds"),
        versions={"python": platform.python_version(), "pytest": pytest.__version__},
        command=tuple(command),
    )
