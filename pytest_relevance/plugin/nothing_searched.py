"""A run that searched nothing: it says so, and fails if it was to be compared with
something.

Otherwise such a run is green. All cases are skipped if a fixture has an empty list of
parameters, if a fixture or the search calls `pytest.skip`, or if each case has a mark
to skip it. A folder is not even collected if its conftest calls `pytest.skip`.

A case that the command line deselects (`-k`, `-m`) was not to be searched. So a run
that deselects all cases fails only if its command line also requires a reference.
"""

from __future__ import annotations

import pytest

from pytest_relevance._text import counted, harmless
from pytest_relevance.plugin.options import recorded_rankings, settings
from pytest_relevance.plugin.run_store import RunStore, first_named
from pytest_relevance.reports.run.run_findings import (
    nothing_searched_text,
    nothing_was_searched,
)
from pytest_relevance.results.records.run_info import SUFFIX, RunFinding, has_baseline

_REMEDY = "let the search run, or leave the cases out of this run (-m, -k, --ignore)"


def nothing_searched(config: pytest.Config, store: RunStore) -> RunFinding | None:
    """Say that nothing was searched, and whether the run fails for it.

    Return None if a case was searched or has failed, or if there is no case file.
    """
    if not nothing_was_searched(store.results):
        return None
    names_of_cases = [
        name for name in store.collection.to_run if store.collection.is_case(name)
    ]
    if not names_of_cases and not store.collection.skipped_folders:
        return _all_deselected(config, store)
    told = nothing_searched_text(store.results) or _never_ran(store, names_of_cases)
    reference = _reference(config, store)
    if not reference:
        return RunFinding(told, is_of_part=True)
    text = f"{told}; {reference}, so the run fails: {_REMEDY}"
    return RunFinding(text, fails=True, is_of_part=True)


def folders_skipped(config: pytest.Config, store: RunStore) -> RunFinding | None:
    """Say which folders were skipped, in a run that searched others, and whether it
    fails.
    """
    if not store.collection.skipped_folders or nothing_was_searched(store.results):
        return None
    told = _skipped_folders(store)
    count = len(store.collection.skipped_folders)
    brief = counted(count, "folder with cases is", "folders with cases are")
    brief = f"{brief} skipped"
    if settings(config).requires_baseline and not _updates(config):
        text = f"{told}; relevance_baseline is require, so the run fails"
        return RunFinding(text, fails=True, brief=brief)
    return RunFinding(told, brief=brief)


def _all_deselected(config: pytest.Config, store: RunStore) -> RunFinding | None:
    """Say that all cases were deselected, if there is a reference that they were to be
    compared with.
    """
    reference = _reference(config, store)
    if not (store.collection.files and reference):
        return None
    total = sum(info.total for info in store.collection.files.values())
    deselected = "1 case was" if total == 1 else f"all {total:,} cases were"
    told = f"no case was searched: {deselected} deselected"
    if config.option.relevance_baseline != "require":
        return RunFinding(told, is_of_part=True)
    required = "--relevance-baseline=require is given"
    text = f"{told}, and {required}, so the run fails: leave one of them out"
    return RunFinding(text, fails=True, is_of_part=True)


def _never_ran(store: RunStore, names_of_cases: list[str]) -> str:
    """Say that cases were to run and did not, or that their folders were skipped."""
    if not names_of_cases:
        return f"no case was searched: {_skipped_folders(store)}"
    count = counted(len(names_of_cases), "case was", "cases were")
    return f"no case was searched: {count} to run ({first_named(names_of_cases)})"


def _skipped_folders(store: RunStore) -> str:
    folders = list(store.collection.skipped_folders)
    reason = harmless(store.collection.skipped_folders[folders[0]].reason)
    if len(folders) == 1:
        return (
            f"the conftest.py of {first_named(folders)} skips its case files ({reason})"
        )
    return f"the conftest.py of {first_named(folders)} skip their case files ({reason})"


def _reference(config: pytest.Config, store: RunStore) -> str:
    """Say what the cases were to be compared with, or that something is required; empty
    if neither.
    """
    against = config.option.relevance_against
    if against is not None:
        return f"there is {harmless(recorded_rankings(config).name)} to compare with"
    paths = [info.path for info in store.collection.files.values()]
    for folder in store.collection.skipped_folders.values():
        paths += folder.files
    with_baseline = [path for path in paths if has_baseline(path)]
    if with_baseline:
        baselines = counted(len(with_baseline), "baseline")
        are = "is" if len(with_baseline) == 1 else "are"
        return f"there {are} {baselines} to compare with (*{SUFFIX})"
    if settings(config).requires_baseline and not _updates(config):
        return "relevance_baseline is require"
    return ""


def _updates(config: pytest.Config) -> bool:
    """Whether the run writes baselines; then they need not be there yet."""
    return config.option.relevance_update is not None
