"""The files written at the end of a run: worklist, record, baselines, raised floors, as options ask.

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
from pytest_relevance.plugin.options import ended_well, outputs_of, runs_tests
from pytest_relevance.plugin.outputs.updates import ratchet, update_baselines
from pytest_relevance.plugin.outputs.whole_run import about_run, report_of, started
from pytest_relevance.plugin.run_store import Message, first_named, run_store
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
        self._outputs = {f"--relevance-{name}": _OUTPUTS[name](config) for name in outputs_of(config.option)}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Record that tests are run, not only listed: options such as `--fixtures` have a session too.

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
    for name in outputs_of(config.option):
        file = getattr(config.option, f"relevance_{name}")
        if isinstance(file, str) and file and name not in _WITHOUT_FILE and not _is_stream(path := _path_of(file)):
            other = options.setdefault(os.path.realpath(path), name)
            if other != name:
                raise pytest.UsageError(
                    f"--relevance-{other} and --relevance-{name} name the same file, {harmless(file)}; name two files"
                )


_WITHOUT_FILE = ("update", "ratchet")  # the values of these options are no names of files


def _is_stream(path: Path) -> bool:
    """Whether a path is a pipe or a device, to which several outputs can be written."""
    return path.exists() and not path.is_file()


def _path_of(file: str) -> Path:
    """The absolute path of a file that an option names."""
    return Path(os.path.abspath(os.path.expanduser(file)))


def _worklist(config: pytest.Config) -> tuple[Write, str]:
    from pytest_relevance.results.worklist import why_kept

    target = Target.of("--relevance-unjudged", config.option.relevance_unjudged, config, why_kept)
    return partial(_write_worklist, target), f"{target.shown} is not written: no case was scored"


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
    """Return the content of a file; nothing where it is none, a pipe for instance."""
    return path.read_bytes() if path.is_file() else b""


def _record(config: pytest.Config) -> tuple[Write, str]:
    from pytest_relevance.results.records.file import is_record

    def why_kept(data: bytes) -> str | None:
        return None if not data.strip() or is_record(data) else "is there, and is no record; name another file"

    target = Target.of("--relevance-record", config.option.relevance_record, config, why_kept)
    return lambda _: [_write_record(target)], f"{target.shown} is not written: no test ran"


def _write_record(target: Target) -> Message:
    from pytest_relevance.results.records.file import write_record

    store = run_store(target.config)
    files, info = about_run(target.config)
    with paused_gc():
        problem = target.write(lambda path: write_record(path, store.dicts, files, info))
    if problem is not None:
        return Message(f"no record of the run: {problem}", is_good=False)
    unfinished = f", {len(info.missing):,} did not finish: {first_named(info.missing)}" if info.missing else ""
    return Message(f"record: {target.shown} ({counted(len(store.results), 'case')}{unfinished})")


def _report(name: str, config: pytest.Config) -> tuple[Write, str]:
    """The output of a report that people forward: `html` or `markdown`."""

    def why_kept(data: bytes) -> str | None:
        is_own = not data.strip() or is_report(data)
        return None if is_own else "is there, and is no report; name another file"

    target = Target.of(f"--relevance-{name}", getattr(config.option, f"relevance_{name}"), config, why_kept)
    return lambda _: [_write_report(name, target)], f"{target.shown} is not written: no test ran"


def _write_report(name: str, target: Target) -> Message:
    text = report_of(target.config, name, target.path.name)
    data = text.encode("utf-8", "backslashreplace")
    if (problem := target.write(lambda path: write_whole(path, data))) is not None:
        return Message(f"no report: {problem}", is_good=False)
    return Message(f"report: {target.shown}")


@dataclass(frozen=True, slots=True)
class Target:
    """An output file that an option names; `shown` is its name for messages.

    `why_kept` returns the reason not to overwrite a file with this content, or None if it may be overwritten.
    """

    path: Path
    shown: str
    config: pytest.Config
    why_kept: Callable[[bytes], str | None]

    @classmethod
    def of(cls, option: str, file: str, config: pytest.Config, why_kept: Callable[[bytes], str | None]) -> Target:
        """Return the target that an option names. Raises UsageError where the file cannot or must not be written."""
        target = cls(_path_of(file), harmless(file), config, why_kept)
        problem = target.problem() if file else "the name of the file is empty"
        if problem is not None:
            raise pytest.UsageError(f"{option}={harmless(file)}: {problem}")
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
        if not target.is_file():  # the file does not exist, or has no content to lose, as a pipe
            return None
        try:
            reason = self.why_kept(target.read_bytes())
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


_OUTPUTS: Mapping[str, Callable[[pytest.Config], tuple[Write, str]]] = {
    "unjudged": _worklist,
    "record": _record,
    "html": partial(_report, "html"),
    "markdown": partial(_report, "markdown"),
    "update": lambda config: (lambda _: update_baselines(config), ""),
    "ratchet": lambda config: (lambda _: ratchet(config), ""),
}
"""Makes each output from the options: the function that writes it, and a message for a run that ran no test."""
