"""Write the output files at the end of a run: the worklist, the record, baselines, raised floors, as options ask.

The process that receives all reports writes them. If one cannot be written, the run fails.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial

import pytest

from pytest_relevance._files import write_whole
from pytest_relevance._text import counted, listed
from pytest_relevance.plugin.outputs.message import Message
from pytest_relevance.plugin.outputs.recording import RunRecord
from pytest_relevance.plugin.outputs.target import Target, ended_well, runs_tests
from pytest_relevance.plugin.run_store import RunStore, run_store
from pytest_relevance.plugin.section import FILES, Section
from pytest_relevance.reports.text import BAD, PLAIN, Line, folded, harmless, line
from pytest_relevance.results.baseline.file import Updated

_MOST_NAMED = 3


Write = Callable[[bool], Iterable[Message]]
"""Writes an output and returns messages about it; the argument is whether the run had no failure so far."""


class Output:
    """The hooks that write one output. `unwritten` is the message for a run in which no test was to run."""

    def __init__(self, config: pytest.Config, option: str, write: Write, unwritten: str = "") -> None:
        self._option = option
        self._write = write
        self._runs_tests = runs_tests(config)
        self._has_begun = False
        self._messages: Sequence[Message] = [Message(unwritten)] if unwritten else []
        Section.add(config, FILES, self._lines)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Record that tests are run, not only listed: options such as `--fixtures` have a session too.

        Only the start is recorded, as a plugin may replace the loop itself.
        """
        self._has_begun = self._runs_tests
        return (yield)

    @pytest.hookimpl
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
        """Write the output, and set the exit status of a failed run if that is not possible."""
        if not self._has_begun:
            return
        self._messages = [*self._write(ended_well(exitstatus))]
        if not all(message.is_good for message in self._messages) and ended_well(exitstatus):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _lines(self) -> list[Line]:
        """Return the messages as lines for the section, once."""
        messages, self._messages = self._messages, []
        return [
            line(part, PLAIN if message.is_good else BAD)
            for message in messages
            for part in folded(message.text, indent="    ")
        ]

    @pytest.hookimpl
    def pytest_unconfigure(self) -> None:
        """Print failures to standard error that no terminal summary has shown."""
        for message in self._messages:
            if not message.is_good:
                print(f"{self._option}: {message.text}", file=sys.stderr)


def install(config: pytest.Config) -> None:
    """Register the outputs that options ask for. A worker of pytest-xdist writes nothing.

    Raises UsageError for a file that cannot or must not be written.
    """
    if hasattr(config, "workerinput"):
        return
    for option, make in _OUTPUTS.items():
        if getattr(config.option, option.removeprefix("--").replace("-", "_")) not in (None, False):
            config.pluginmanager.register(make(config, option), option.removeprefix("--"))


def _worklist(config: pytest.Config, option: str) -> Output:
    from pytest_relevance.results.worklist import why_kept

    target = Target.of(option, config.option.relevance_unjudged, why_kept)
    unwritten = f"{target.shown} is not written: no case was scored"
    return Output(config, option, partial(_write_worklist, config, target), unwritten)


def _write_worklist(config: pytest.Config, target: Target, has_ended_well: bool) -> Iterator[Message]:
    from pytest_relevance.results.worklist import Worklist

    scored = [result for result in run_store(config).results if result.scores]
    if not (scored or has_ended_well):  # no rankings, so that the unjudged results are unknown
        yield Message(f"{target.shown} is not written: no case was scored")
        return
    found = Worklist(scored)
    trouble = target.write(lambda path: write_whole(path, found.to_csv()))
    words = "no unjudged results"
    if found.rows:
        words = f"{counted(len(found.rows), 'unjudged result')} of {counted(found.queries, 'query', 'queries')}"
    if trouble is None:
        yield Message(f"{words}: {target.shown}{'' if found.rows else ' has only its header'}")
    else:
        yield Message(f"{words}, and no list of them: {trouble}", is_good=False)


def _record(config: pytest.Config, option: str) -> Output:
    from pytest_relevance.results.record import is_record

    def why_kept(data: bytes) -> str | None:
        return None if not data.strip() or is_record(data) else "is there, and is no record; name another file"

    target = Target.of(option, config.option.relevance_record, why_kept)
    record = RunRecord(config)
    config.pluginmanager.register(record, "relevance-broken-files")
    unwritten = f"{target.shown} is not written: no test ran"
    return Output(config, option, lambda _: _write_record(config, target, record), unwritten)


def _write_record(config: pytest.Config, target: Target, record: RunRecord) -> Iterator[Message]:
    trouble = target.write(record.write)
    if trouble is not None:
        yield Message(f"no record of the run: {trouble}", is_good=False)
        return
    cases = counted(len(run_store(config).results), "case")
    yield Message(f"record: {target.shown} ({cases}{_unfinished(record.missing)})")


def _unfinished(missing: Sequence[str]) -> str:
    if not missing:
        return ""
    named = [harmless(name) for name in missing[:_MOST_NAMED]]
    more = len(missing) - len(named)
    return f", {len(missing):,} did not finish: {listed([*named, f'{more:,} more'] if more else named, 'and')}"


def _update(config: pytest.Config, option: str) -> Output:
    return Output(config, option, lambda _: _update_baselines(config))


def _update_baselines(config: pytest.Config) -> Iterator[Message]:
    store = run_store(config)
    files = dict.fromkeys(result.file for result in store.results if result.scores and not result.is_check)
    if not files:
        yield Message("no baseline is written: no case was scored")
    for file in sorted(files):
        yield from _update_baseline(store, file, only_new=config.option.relevance_update == "new")


def _update_baseline(store: RunStore, file: str, *, only_new: bool) -> Iterator[Message]:
    from pytest_relevance.results.baseline.comparison import acceptable
    from pytest_relevance.results.baseline.file import SUFFIX, baseline_path, update_baseline
    from pytest_relevance.results.run_info import RecordError

    info, shown = store.files[file], harmless(f"{file}{SUFFIX}")
    finished, is_whole = store.of_file(file), store.is_whole(file)
    accepted, unstable = acceptable([result for result in store.results if result.file == file], only_new=only_new)
    keys = frozenset((result.id, result.variant) for result in finished) if is_whole and not only_new else None
    try:
        updated = update_baseline(baseline_path(info.path), accepted, shown=shown, only_new=only_new, all_keys=keys)
    except RecordError as error:
        yield Message(f"baseline {shown} is not updated: {error}", is_good=False)
    except OSError as error:
        why = f"it cannot be written: {error.strerror or error}"
        yield Message(f"baseline {shown} is not updated, {why}", is_good=False)
    else:
        rest = "" if is_whole else f"; {len(finished):,} of {info.total:,} cases ran, the others keep what they had"
        yield Message(f"baseline {shown}: {_counted(updated)}{rest}")
    if unstable:
        rankings = counted(len(unstable), "ranking is", "rankings are")
        named = [*unstable[:_MOST_NAMED]]
        if more := len(unstable) - len(named):
            named.append(f"{more:,} more")
        why = "not accepted, as the search returned another one when it was called again"
        yield Message(f"baseline {shown}: {rankings} {why}: {listed(named, 'and')}", is_good=False)


def _counted(updated: Updated) -> str:
    """Describe the changes of a baseline: `3 added, 2 changed, 1 gone, 46 as they were`."""
    if not updated.is_change:
        return "nothing changed"
    counts = (
        (updated.added, "added"),
        (updated.changed, "changed"),
        (updated.dropped, "gone"),
        (updated.kept, "as they were"),
    )
    return ", ".join(f"{count:,} {what}" for count, what in counts if count)


def _ratchet(config: pytest.Config, option: str) -> Output:
    from pytest_relevance.plugin.outputs.ratchet import ratchet

    return Output(config, option, lambda _: ratchet(config))


_OUTPUTS: Mapping[str, Callable[[pytest.Config, str], Output]] = {
    "--relevance-unjudged": _worklist,
    "--relevance-record": _record,
    "--relevance-update": _update,
    "--relevance-ratchet": _ratchet,
}
"""The options that write a file, each with the function that makes its output."""
