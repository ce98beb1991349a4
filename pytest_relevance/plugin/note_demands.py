"""What the tests demand in this run, and what changed in that since the reference.

The demands are noted when all cases are collected, in the `FileInfo` of each case file.
By then a conftest.py may have added marks to items. These marks count like the keys
`skip` and `xfail` of a case.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_relevance.plugin.collected_file import COLLECTED_FILES, CollectedFile
from pytest_relevance.plugin.run_settings import settings
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.results.details import digest_of_case
from pytest_relevance.results.records.demands import (
    CaseDemands,
    DemandsOfSuite,
    own_demands,
)
from pytest_relevance.results.records.marks import read_marks
from pytest_relevance.results.records.run_info import FileInfo

if TYPE_CHECKING:
    from pytest_relevance.plugin.running.case_run import CaseRun
    from pytest_relevance.results.records.entries import BaselineEntries, EntryKey

_MARKS = ("skipif", "skip", "xfail")
"""The marks that may keep an item from failing, in the order in which pytest looks at
them.
"""


def note_demands(config: pytest.Config) -> None:
    """Note in each `FileInfo` what the file demands, and how its demands changed."""
    option = config.option
    is_kept = option.relevance_record is not None or option.relevance_update is not None
    files = run_store(config).collection.files
    for name, file in config.stash.get(COLLECTED_FILES, {}).items():
        if is_kept or file.baseline is not None:
            files[name] = _with_demands(config, files[name], file, is_kept=is_kept)


def note_added_xfails(config: pytest.Config) -> None:
    """Note which cases got an `xfail` while they ran. Call it after the last case."""
    store = run_store(config)
    if any(result.call.added_xfail is not None for result in store.finished):
        from pytest_relevance.results.records.added_xfails import with_added_xfails

        files = store.collection.files
        files.update(with_added_xfails(files, store.finished))


def _with_demands(
    config: pytest.Config, info: FileInfo, file: CollectedFile, *, is_kept: bool
) -> FileInfo:
    """Return the data of a file, with its demands and how they changed.

    `is_kept`: whether the run writes the demands to a record or a baseline.
    """
    of_suite = DemandsOfSuite(file.suite.terms, tolerance=settings(config).tolerance)
    demands = _demands_of_cases(config, file.runs, of_suite)
    if is_kept:
        own = []
        for (case, variant), of_case in demands.items():
            values = own_demands(of_case, of_suite.suite)
            if values:
                own.append((case, variant, values))
        info = replace(info, demands=of_suite.suite, own_demands=tuple(own))
    if file.baseline is None:
        return info
    return _with_changes(info, file, file.baseline.entries, demands)


def _demands_of_cases(
    config: pytest.Config, runs: Iterable[CaseRun], of_suite: DemandsOfSuite
) -> dict[EntryKey, CaseDemands]:
    """Return what is demanded of each case: {(id, variant): demands}.

    A case may have several items, for example if it is repeated. Then the marks of the
    first item that has marks count. Each run is told whether its item has no `xfail`.
    """
    is_strict = _is_xfail_strict(config)
    found: dict[EntryKey, CaseDemands] = {}
    marked = set()
    for case_run in runs:
        key = case_run.case.id, case_run.variant
        marks: list[pytest.Mark] = []
        for name in _MARKS:
            marks += case_run.item.iter_markers(name)
        marks_of_item = read_marks(marks, is_strict=is_strict)
        case_run.had_no_xfail = marks_of_item.xfail is None
        if key in found and (not marks or key in marked):
            continue
        found[key] = of_suite.of(case_run.case, marks_of_item)
        if marks:
            marked.add(key)
    return found


def _is_xfail_strict(config: pytest.Config) -> bool:
    """Say whether a mark `xfail` without `strict=` is strict.

    The ini key `xfail_strict` decides. If it is not set, the ini key `strict` decides,
    from pytest 9 on.
    """
    strict = config.getini("xfail_strict")
    if strict is None:
        strict = config.getini("strict")
    return bool(strict)


def _with_changes(
    info: FileInfo,
    file: CollectedFile,
    entries: BaselineEntries,
    demands: Mapping[EntryKey, CaseDemands],
) -> FileInfo:
    """Return the data of a file, with how its demands changed since the reference.

    `entries`: what the reference has of the file.
    """
    from pytest_relevance.results.records.demand_changes import (
        DemandedOfCase,
        changes_of_file,
    )

    now = []
    for key, case in file.cases.items():
        if key in entries:
            demanded = DemandedOfCase(
                demands[key],
                weight=case.weight,
                tags=case.tags,
                digest=digest_of_case(case),
                has_passages=bool(case.passages),
                is_sampled=case.is_sampled,
            )
            now.append((key, demanded))
    found = changes_of_file(
        entries,
        now,
        info.gates,
        file.gates_left,
        file.gates_of_moved,
        samples=file.suite.samples,
    )
    return replace(info, test_changes=found.changes, knows_demands=found.is_known)
