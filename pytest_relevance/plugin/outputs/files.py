"""The files written at the end of a run: worklist, record, reports, baselines, as options ask.

The process that receives all reports writes them; a worker of pytest-xdist writes nothing. A file that an option names
is checked before the run, so that an unusable one is refused at once. If one cannot be written, the run fails.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from pytest_relevance._files import is_read_only, write_whole
from pytest_relevance._paused_gc import paused_gc
from pytest_relevance._text import counted, harmless
from pytest_relevance.plugin import reporting
from pytest_relevance.plugin.options import FILES, ended_well, outputs_of, runs_tests
from pytest_relevance.plugin.outputs.about_run import about_run, report_of, started
from pytest_relevance.plugin.outputs.updates import update_baselines
from pytest_relevance.plugin.run_store import Message, first_named, run_store
from pytest_relevance.reports.run.cases import counted_cases
from pytest_relevance.reports.text import is_report

Write = Callable[[bool], Iterable[Message]]
"""Writes an output and returns messages about it; the argument is whether the run had no failure so far."""


def install(config: pytest.Config) -> None:
    """Register the outputs that options ask for. Raises UsageError for a file that cannot or must not be written."""
    if not hasattr(config, "workerinput"):
        reporting.install(config)
        config.pluginmanager.register(Outputs(config), "relevance-outputs")


class Outputs:
    """The hooks that write the output files."""

    def __init__(self, config: pytest.Config) -> None:
        self._store = run_store(config)
        self._runs_tests = runs_tests(config)
        self._has_begun = False
        started(config)
        _refuse_shared_file(config)
        self._outputs = {f"--relevance-{name}": _output(name, config) for name in outputs_of(config.option)}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Record that the session runs tests: options such as `--fixtures` also start a session.

        Only the start is recorded, as a plugin may replace the loop itself.
        """
        self._has_begun = self._runs_tests
        return (yield)

    @pytest.hookimpl
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
        """Write the outputs, and set the exit status of a failed run if that is not possible."""
        for option, (write, unwritten) in self._outputs.items():
            if not self._has_begun:
                self._store.messages += [Message(unwritten)] if unwritten else []
                continue
            messages = [*write(ended_well(exitstatus))]
            self._store.messages += [message._replace(option=option) for message in messages]
            if not all(message.is_good for message in messages) and ended_well(exitstatus):
                session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _refuse_shared_file(config: pytest.Config) -> None:
    """Raise UsageError where two options name the same file: one would replace what the other wrote."""
    options: dict[str, str] = {}
    for name in FILES:
        file = getattr(config.option, f"relevance_{name}")
        if file and not _is_stream(path := _path_of(file)):
            other = options.setdefault(os.path.realpath(path), name)
            if other != name:
                raise pytest.UsageError(
                    f"--relevance-{other} and --relevance-{name} name the same file, {harmless(file)}; name two files"
                )


def _is_stream(path: Path) -> bool:
    """Whether a path is a pipe or a device, to which several outputs can be written."""
    return path.exists() and not path.is_file()


def _path_of(file: str) -> Path:
    """The absolute path of a file that an option names."""
    return Path(os.path.abspath(os.path.expanduser(file)))


def _output(name: str, config: pytest.Config) -> tuple[Write, str]:
    """Return the function that writes an output, and a message for a run that ran no test, which may be empty."""
    if name not in FILES:
        return lambda _: update_baselines(config), ""
    target = Target.of(name, config)
    why = "no case was scored" if name == "unjudged" else "no test ran"
    return partial(_WRITERS[name], target), f"{target.shown} is not written: {why}"


def _write_worklist(target: Target, has_ended_well: bool) -> Iterator[Message]:
    from pytest_relevance.results.worklist import Worklist

    scored = [result for result in run_store(target.config).results if result.scores]
    if not (scored or has_ended_well):  # no rankings, so that the unjudged results are unknown
        yield Message(f"{target.shown} is not written: no case was scored")
        return
    found = Worklist.of(scored)
    problem = target.write(lambda path: write_whole(path, found.to_csv(_content(path))))
    words = "no unjudged results"
    if found.rows:
        words = f"{counted(len(found.rows), 'unjudged result')} of {counted(found.queries, 'query', 'queries')}"
    if problem is None:
        yield Message(f"{words}: {target.shown}{'' if found.rows else ' has only its header'}")
    else:
        yield Message(f"{words}, and no list of them: {problem}", is_good=False)


def _content(path: Path) -> bytes:
    """Return the content of a file; empty for anything but a regular file, a pipe for instance."""
    return path.read_bytes() if path.is_file() else b""


def _write_record(target: Target, _: bool) -> Iterator[Message]:
    from pytest_relevance.results.records.file import write_record

    store = run_store(target.config)
    files, info = about_run(target.config)
    with paused_gc():
        problem = target.write(lambda path: write_record(path, store.dicts, files, info))
    if problem is not None:
        yield Message(f"no record of the run: {problem}", is_good=False)
        return
    unfinished = f", {len(info.missing):,} did not finish: {first_named(info.missing)}" if info.missing else ""
    yield Message(f"record: {target.shown} ({counted_cases(store.results)}{unfinished})")


def _write_report(target: Target, _: bool) -> Iterator[Message]:
    data = report_of(target.config, target.name, target.path.name).encode("utf-8", "backslashreplace")
    problem = target.write(lambda path: write_whole(path, data))
    yield Message(f"report: {target.shown}") if problem is None else Message(f"no report: {problem}", is_good=False)


_WRITERS: Mapping[str, Callable[[Target, bool], Iterator[Message]]] = {
    "unjudged": _write_worklist,
    "record": _write_record,
    "html": _write_report,
    "markdown": _write_report,
}


@dataclass(frozen=True, slots=True)
class Target:
    """The file that the option `--relevance-{name}` names; `shown` is the name of the file for messages."""

    name: str
    path: Path
    shown: str
    config: pytest.Config

    @classmethod
    def of(cls, name: str, config: pytest.Config) -> Target:
        """Return the target that an option names. Raises UsageError where the file cannot or must not be written."""
        file = getattr(config.option, f"relevance_{name}")
        target = cls(name, _path_of(file), harmless(file), config)
        problem = target.problem() if file else "the name of the file is empty"
        if problem is not None:
            raise pytest.UsageError(f"--relevance-{name}={harmless(file)}: {problem}")
        return target

    def problem(self) -> str | None:
        """Return why the file cannot or must not be written, and what to do; None if no reason is known."""
        target = Path(os.path.realpath(self.path))
        if target.is_dir():
            return f"{self.shown} is a folder; name a file in it"
        if not target.parent.is_dir():
            return f"there is no folder {harmless(str(target.parent))}; make it, or name a file in another one"
        if not os.access(target.parent, os.W_OK) or is_read_only(target):
            return f"{self.shown} may not be written; see to its permissions, or name another file"
        if not target.is_file():  # the file does not exist, or is a pipe without content to lose
            return None
        try:
            reason = _why_kept(self.name, target.read_bytes())
        except OSError as error:
            reason = f"cannot be read: {error.strerror or error}"
        return reason and f"{self.shown} {reason}"

    def write(self, write: Callable[[Path], None]) -> str | None:
        """Write the file with the function `write`; return why that failed, or None.

        The target is checked again first, as it may have changed during the run.
        """
        problem = self.problem()
        if problem is None:
            try:
                write(self.path)
            except OSError as error:
                problem = f"{self.shown} cannot be written: {error.strerror or error}"
        return problem


def _why_kept(name: str, data: bytes) -> str | None:
    """Return why an output must not overwrite a file with this content; None if it may be overwritten."""
    if name == "unjudged":
        from pytest_relevance.results.worklist import why_kept

        return why_kept(data)
    from pytest_relevance.results.records.file import RECORDS, is_record

    is_own, what = (is_record, RECORDS) if name == "record" else (is_report, "report")
    return None if not data.strip() or is_own(data) else f"is there, and is no {what}; name another file"
