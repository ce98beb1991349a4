"""Count an `xfail` that a fixture or a test adds while a case runs.

The demands of a test are noted when all cases are collected. An `xfail` that is added
later is only known when the case has run. `CaseCall.added_xfail` of the result keeps
the `xfail`.

The plugin calls this module after the last case of a run, and `merge` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from pytest_relevance.results.case_parts import NEW, NOT_COMPARED
from pytest_relevance.results.case_result import CaseResult, grouped
from pytest_relevance.results.records.demands import (
    XFAIL,
    DemandChange,
    own_demands,
)
from pytest_relevance.results.records.run_info import FileInfo


def with_added_xfails(
    files: Mapping[str, FileInfo], results: Iterable[CaseResult]
) -> dict[str, FileInfo]:
    """Return the case files with each added `xfail` among the demands of its case.

    Such an `xfail` was added while the case ran. One that is among the demands already
    changes nothing.
    """
    added = [result for result in results if result.call.added_xfail is not None]
    found = dict(files)
    for file, of_file in grouped(added, lambda result: result.file).items():
        info = found.get(file)
        if info is None:
            continue
        for result in of_file:
            info = _with_xfail_demanded(info, result)
            info = _with_xfail_as_change(info, result)
        found[file] = info
    return found


def _with_xfail_demanded(info: FileInfo, result: CaseResult) -> FileInfo:
    """Return the data of a file, in which the demands on a case have its `xfail`."""
    key = result.id, result.variant
    demands = info.demands_of([key]).get(key)
    if demands is None or info.demands is None:
        return info
    with_xfail = replace(demands, xfail=result.call.added_xfail)
    kept = []
    for case, variant, values in info.own_demands:
        if (case, variant) != key:
            kept.append((case, variant, values))
    kept.append((*key, own_demands(with_xfail, info.demands)))
    return replace(info, own_demands=tuple(kept))


def _with_xfail_as_change(info: FileInfo, result: CaseResult) -> FileInfo:
    """Return the data of a file, with an added `xfail` among the changes of the test.

    When the case was collected, it had no `xfail`. If the reference has one, a change
    says that the `xfail` is gone: the case is taken out of this change. If the
    reference has none, a change is added.
    """
    if not _has_entry(result) or not info.knows_demands:
        return info
    changes = []
    is_noted = False
    for change in info.test_changes:
        is_of_case = change.key == XFAIL and result.id in change.cases
        is_noted = is_noted or is_of_case
        if not is_of_case or change.now is not None:
            changes.append(change)
            continue
        others = tuple(case for case in change.cases if case != result.id)
        if others:
            changes.append(replace(change, cases=others))
    if not is_noted:
        now = result.call.added_xfail
        changes.append(
            DemandChange(XFAIL, None, now, cases=(result.id,), is_looser=True)
        )
    return replace(info, test_changes=tuple(changes))


def _has_entry(result: CaseResult) -> bool:
    """Say whether the reference has an entry of the case of a result."""
    comparison = result.baseline
    return comparison is not None and comparison.standing not in (NEW, NOT_COMPARED)
