"""The case files that the reference knows, and of which nothing ran."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path

import pytest

from pytest_relevance.plugin.moved_cases import with_cases_left
from pytest_relevance.plugin.options import recorded_rankings, settings, shown_path
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.selection import covers
from pytest_relevance.results.records.run_info import SUFFIX, orphaned_baselines


def files_not_run(config: pytest.Config) -> tuple[str, ...]:
    """Name the case files of the reference of which nothing ran.

    Of a record these are all its files without a result. Of committed baselines these
    are the baselines without their case file: beside the case files that ran, or in the
    whole project if a baseline is required.
    """
    if config.option.relevance_against is not None:
        return _files_of_record(config)
    if settings(config).requires_baseline:
        found = _baselines_without_a_run(config)
    else:
        found = _baselines_beside_case_files(config)
    return tuple(found)


def _files_of_record(config: pytest.Config) -> tuple[str, ...]:
    store = run_store(config)
    ran = {result.file for result in store.results}
    known = [
        (info.node, file)
        for file, info in store.collection.files.items()
        if file in ran
    ]
    return with_cases_left(config, recorded_rankings(config).not_run(known))


def _baselines_beside_case_files(config: pytest.Config) -> Iterator[str]:
    """Find baselines without their case file in the folders of the case files."""
    folders: dict[tuple[str, str], None] = {}
    for file, info in run_store(config).collection.files.items():
        folders[os.path.dirname(info.path), os.path.dirname(file)] = None
    for folder, shown in folders:
        for name in orphaned_baselines(folder):
            yield Path(shown, name.removesuffix(SUFFIX)).as_posix()


def _baselines_without_a_run(config: pytest.Config) -> Iterator[str]:
    """Find baselines whose case file is gone, or was to be collected and was not."""
    collected = set()
    for info in run_store(config).collection.files.values():
        collected.add(os.path.realpath(info.path))
    for baseline in _all_baselines(config):
        case_file = Path(str(baseline).removesuffix(SUFFIX))
        is_gone = not case_file.exists()
        is_collected = os.path.realpath(case_file) in collected
        if is_gone or (not is_collected and covers(config, case_file)):
            yield Path(shown_path(case_file, config)).as_posix()


_BASELINES: pytest.StashKey[tuple[Path, ...]] = pytest.StashKey()


def _all_baselines(config: pytest.Config) -> tuple[Path, ...]:
    """Find all baselines of the project; the folders are searched once in a run."""
    if _BASELINES not in config.stash:
        found: list[Path] = []
        for folder in _folders_of_project(config):
            found += _baselines_below(folder, config.getini("norecursedirs"))
        config.stash[_BASELINES] = tuple(dict.fromkeys(found))
    return config.stash[_BASELINES]


def _folders_of_project(config: pytest.Config) -> list[Path]:
    """Return the root of the project.

    Without a configuration file pytest's root may be any folder above. The folder where
    pytest was started stands for it then, with what the command line names.
    """
    if config.inipath is not None:
        return [config.rootpath]
    folders = [config.invocation_params.dir]
    for argument in config.args:
        name, _, _ = argument.partition("::")
        path = config.invocation_params.dir / name
        folders.append(path if path.is_dir() else path.parent)
    return folders


def _baselines_below(folder: Path, not_searched: Sequence[str]) -> Iterator[Path]:
    """Find the baselines in a folder and in those below that pytest may look into."""
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not any(fnmatch(name, pattern) for pattern in not_searched)
        )
        for name in sorted(names):
            if name.endswith(SUFFIX):
                yield Path(path, name)
