"""What a run does not compare with its reference: case files and cases.

If a reference is required (`--relevance-baseline=require`), these files and cases make
the run fail. If the command line has no selection, the run is compared with the whole
reference, whatever the configuration leaves out. With a selection, only the cases that
ran count, and the files whose cases all ran.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_relevance._text import counted, examples, harmless
from pytest_relevance.plugin.against import recorded_rankings
from pytest_relevance.plugin.command_line import command_line
from pytest_relevance.plugin.moved_entries import with_cases_left
from pytest_relevance.plugin.paths import files_below, shown_path
from pytest_relevance.plugin.run_settings import settings
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.selection import (
    command_line_selects,
    has_selection,
    must_collect,
)
from pytest_relevance.results.case_result import ERROR, SKIPPED, CaseResult, grouped
from pytest_relevance.results.records.baseline_paths import SUFFIX, orphaned_baselines
from pytest_relevance.results.records.run_info import FileInfo, RunFinding
from pytest_relevance.results.records.uncompared import (
    GONE,
    LEFT_OUT,
    MARKED_SKIP,
    NOT_RUN,
    UncomparedCase,
    dropped_of_file,
    lost_of_file,
    lost_result,
    not_compared_cases,
)


def files_not_run(config: pytest.Config) -> tuple[str, ...]:
    """Return the case files of the reference that have no result in this run.

    If the reference is a record, all its files without a result are returned. If the
    reference consists of baselines, only case files that are gone are returned. These
    are looked for beside the files that ran, or, if a baseline is required, in the
    whole project.
    """
    if config.option.relevance_against is not None:
        return _files_of_record(config)
    if settings(config).requires_baseline:
        return tuple(_baselines_without_a_run(config))
    return tuple(_baselines_beside_case_files(config))


def _files_of_record(config: pytest.Config) -> tuple[str, ...]:
    """Return the files in the record that have no result in this run.

    A file whose cases have all moved to other files is left out.
    """
    store = run_store(config)
    ran = []
    for file in dict.fromkeys(result.file for result in store.results):
        if file in store.collection.files:
            ran.append((store.collection.files[file].node, file))
    return with_cases_left(config, recorded_rankings(config).not_run(ran))


def _baselines_beside_case_files(config: pytest.Config) -> Iterator[str]:
    """Yield the case files that are gone and whose baselines are in a folder that ran.

    A folder that ran has another case file that was collected.
    """
    folders: dict[tuple[str, str], None] = {}
    for file, info in run_store(config).collection.files.items():
        folders[os.path.dirname(info.path), os.path.dirname(file)] = None
    for folder, shown in folders:
        for name in orphaned_baselines(folder):
            yield Path(shown, name.removesuffix(SUFFIX)).as_posix()


def _baselines_without_a_run(config: pytest.Config) -> Iterator[str]:
    """Yield the case files of all baselines of the project that were not collected.

    Such a case file may be gone.
    """
    collected = set()
    for info in run_store(config).collection.files.values():
        collected.add(os.path.realpath(info.path))
    for baseline in _all_baselines(config):
        case_file = Path(str(baseline).removesuffix(SUFFIX))
        if os.path.realpath(case_file) not in collected:
            yield Path(shown_path(case_file, config)).as_posix()


_LEFT_OUT = frozenset(
    {
        "*.egg",
        ".*",
        "_darcs",
        "build",
        "CVS",
        "dist",
        "node_modules",
        "venv",
        "{arch}",
    }
)
"""pytest's default of norecursedirs. No baseline is looked for in these folders.

A branch can add other folders to norecursedirs. The baselines in these count.
"""

_BASELINES: pytest.StashKey[tuple[Path, ...]] = pytest.StashKey()


def _all_baselines(config: pytest.Config) -> tuple[Path, ...]:
    """Return the paths of all baselines of the project.

    The folders of the project are searched once in a run.
    """
    if _BASELINES not in config.stash:
        found: list[Path] = []
        left_out = [*_LEFT_OUT.intersection(config.getini("norecursedirs"))]
        for folder in _folders_of_project(config):
            for path in files_below(folder, left_out):
                if path.endswith(SUFFIX):
                    found.append(Path(path))
        config.stash[_BASELINES] = tuple(dict.fromkeys(found))
    return config.stash[_BASELINES]


def _folders_of_project(config: pytest.Config) -> list[Path]:
    """Return the folders in which baselines of the project may be.

    With a configuration file: the root, and the folder in which pytest was started, if
    this folder is outside of the root. Without a configuration file: the folder in
    which pytest was started, and the folders that the command line names, because the
    root of pytest may then be any folder above.
    """
    start = config.invocation_params.dir
    if config.inipath is not None:
        is_inside = start.is_relative_to(config.rootpath)
        return [config.rootpath] if is_inside else [config.rootpath, start]
    folders = [start]
    for argument in command_line(config).file_or_dir:
        name, _, _ = argument.partition("::")
        path = start / name
        folders.append(path if path.is_dir() else path.parent)
    return folders


_REQUIRED = "relevance_baseline is require"


@dataclass(frozen=True, slots=True)
class _FileOfRun:
    """A case file that was collected, with its results.

    `name`: its name in messages.
    `is_whole`: whether all its cases should have run. Otherwise only cases with a
        result count.
    """

    name: str
    info: FileInfo
    results: Sequence[CaseResult]
    is_whole: bool

    @property
    def reference(self) -> str:
        """Return the name of the record, or of the baseline of the file."""
        return harmless(self.info.against or f"{self.name}{SUFFIX}")

    def lost(self) -> list[UncomparedCase]:
        """Return the cases that the reference has and the run has not."""
        if self.is_whole:
            return [
                *lost_of_file(self.name, self.info, self.results),
                *dropped_of_file(self.name, self.info, self.results),
            ]
        return [lost for lost in map(lost_result, self.results) if lost is not None]


def findings_on_reference(config: pytest.Config) -> Iterator[RunFinding]:
    """Yield what a run does not compare with a required reference.

    Each finding makes the run fail.
    """
    is_updating = config.option.relevance_update is not None
    if is_updating or not settings(config).requires_baseline:
        return
    store = run_store(config)
    is_whole_run = not command_line_selects(config)
    if is_whole_run:
        yield from _files_that_are_gone(config)
    is_configured = is_whole_run and has_selection(config.option, config.args)
    by_file = grouped(store.finished, lambda result: result.file)
    for name, info in store.collection.files.items():
        results = by_file.get(name, [])
        is_whole = is_whole_run or info.is_whole(results)
        file = _FileOfRun(name, info, results, is_whole)
        yield from _lost_cases(file, is_configured=is_configured)
        if not info.against:
            yield from _findings_on_test(file)
        yield from _cases_not_compared(file)


def _lost_cases(file: _FileOfRun, *, is_configured: bool) -> Iterator[RunFinding]:
    """Yield a finding about cases that the reference has and the run has not.

    `is_configured`: the configuration has a selection, and the command line has none.
    """
    lost = file.lost()
    if not lost:
        return
    against = file.info.against
    reference = harmless(against) or "its baseline"
    what = f"does not compare {_number_of_cases(lost)} of {reference}"
    # reports name cases of a baseline among the changes of the test
    if against or not _are_of_test(lost):
        what += f" ({_names(lost)})"
    if is_configured and all(case.why == NOT_RUN for case in lost):
        how = _SELECT
    else:
        how = _remedy(lost, is_against=bool(against))
    text = f"{harmless(file.name)} {what}, and {_REQUIRED}: {how}"
    yield _failing(text, _cases_are(lost, file.name, "lost"))


def _remedy(lost: Sequence[UncomparedCase], *, is_against: bool) -> str:
    """Return what to do, so that lost cases are compared again, or accepted as gone.

    `is_against`: whether the reference is a record.
    """
    it, its = "them", "their"
    if len({case.id for case in lost}) == 1:
        it, its = "it", "its"
    if all(case.why == ERROR for case in lost):
        return f"mend the search, and run {it} again"
    if is_against:
        return f"restore {it} or {its} judgments, or {_ONLY_REPORT} {it}"
    if _are_of_test(lost):
        return f"restore {it}, or {_ACCEPT}"
    if all(case.why == SKIPPED for case in lost):
        return f"run {it}, or write `skip: REASON` in the case file"
    return f"restore {it} or {its} judgments, or {_ACCEPT_WITH_UPDATE}"


def _are_of_test(lost: Sequence[UncomparedCase]) -> bool:
    """Say whether all lost cases were removed, left out, or skipped by a mark."""
    return all(case.why in (GONE, LEFT_OUT, MARKED_SKIP) for case in lost)


def _cases_not_compared(file: _FileOfRun) -> Iterator[RunFinding]:
    """Yield a finding about cases that the reference knows and has no ranking of.

    Only cases that ran count. New cases do not.
    """
    found = not_compared_cases(file.results)
    if not found:
        return
    cases = f"{_number_of_cases(found)} of {harmless(file.name)} ({_names(found)})"
    how = "accept their rankings with --relevance-update=new"
    if file.info.against:
        how = "make the record again, with a search that works for all cases"
    text = f"{file.reference} has no ranking of {cases}, and {_REQUIRED}: {how}"
    yield _failing(text, _cases_are(found, file.name, "not compared"))


def _failing(text: str, because: str) -> RunFinding:
    """Return a finding that fails the run. `because`: the reason in brief."""
    return RunFinding(text, fails=True, is_of_part=True, because=because)


def _cases_are(found: Sequence[UncomparedCase], file: str, what: str) -> str:
    """Return, for example, `2 cases of FILE are lost`, if `what` is `lost`."""
    count = len({case.id for case in found})
    of_file = f"of {harmless(file)}"
    return counted(count, f"case {of_file} is {what}", f"cases {of_file} are {what}")


_ACCEPT = "accept it if it is intended"
_ACCEPT_WITH_UPDATE = "accept it with --relevance-update"
_ONLY_REPORT = "run with --relevance-baseline=auto, which only reports"

_SELECT = (
    "take the selection (-k, -m ...) out of addopts, or give one on the command line"
)

_COLLECT = (
    "pytest left them out because of testpaths, norecursedirs, addopts or a conftest.py; mend that, or name what "
    "to test on the command line"
)

_LOOSER = "the test is looser than accepted"


def _findings_on_test(file: _FileOfRun) -> Iterator[RunFinding]:
    """Yield a finding if a file demands less now than its baseline records.

    Yield another one if the baseline records no demands. If only a part of the file
    ran, only the demands on cases that ran count.
    """
    if not file.info.knows_demands:
        text = (
            f"{file.reference} does not say what the test demanded, because an earlier "
            f"version of pytest-relevance made it, and {_REQUIRED}"
        )
        how = (
            "run --relevance-update=test once, which accepts what the test demands now"
        )
        yield _failing(f"{text}: {how}", "a baseline has no demands")
    looser = [change for change in file.info.test_changes if change.is_looser]
    if not file.is_whole:
        ran = {result.id for result in file.results}
        looser = [change for change in looser if ran.intersection(change.cases)]
    if looser:
        what = f"the test of {harmless(file.name)} is looser than its baseline has it"
        text = f"{what}, and {_REQUIRED}: undo the change, or {_ACCEPT}"
        yield _failing(text, _LOOSER)


def _files_that_are_gone(config: pytest.Config) -> Iterator[RunFinding]:
    """Yield a finding if case files of the reference should have run and did not."""
    paths = {}
    for file in files_not_run(config):
        path = _path_of(file, config)
        if must_collect(config, path):
            paths[file] = path
    if not paths:
        return
    because = f"no case ran of {counted(len(paths), 'file')}"
    if config.option.relevance_against is None:
        reference = "with a baseline"
        how = "restore the case files, or delete their baselines"
    else:
        reference = f"in {harmless(recorded_rankings(config).name)}"
        it = "it" if len(paths) == 1 else "them"
        how = f"restore {it}, or {_ONLY_REPORT} {it}"
    if all(path.exists() for path in paths.values()):
        how = _COLLECT
    text = f"{because} ({examples([*paths])}) {reference}, and {_REQUIRED}: {how}"
    yield _failing(text, because)


def _path_of(file: str, config: pytest.Config) -> Path:
    """Return the path of a case file, from its name in the reference."""
    if config.option.relevance_against is not None:
        return config.rootpath / recorded_rankings(config).node_of(file)
    return config.invocation_params.dir / file


def _number_of_cases(found: Sequence[UncomparedCase]) -> str:
    """Return the number of cases in words: `2 cases`. Variants of a case count once."""
    return counted(len({case.id for case in found}), "case")


def _names(found: Sequence[UncomparedCase]) -> str:
    """Return the names of the first cases: `"boots" and "hats"`."""
    return examples([*dict.fromkeys(case.id for case in found)])
