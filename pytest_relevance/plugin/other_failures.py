"""Why a run fails, if neither a case nor anything else that its report tells is the
reason.

A test in Python may fail, or the teardown of a case, or another plugin may fail the run
for reasons of its own, such as too little coverage.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pytest_relevance._text import counted
from pytest_relevance.plugin.options import ended_well
from pytest_relevance.plugin.run_store import RunStore, first_named
from pytest_relevance.results.case_result import FAILED, has_failed
from pytest_relevance.results.records.run_info import RunFinding


def other_failures(
    store: RunStore, exitstatus: int | pytest.ExitCode
) -> Iterator[RunFinding]:
    """Say which tests failed that are not cases, or that a run failed for an unknown
    reason.

    The reports of a run without cases have nothing to say about other tests.
    """
    if not store.results:
        return
    names = _other_tests(store)
    if names:
        count = counted(len(names), "other failure")
        yield RunFinding(f"{count}: {first_named(names)}", fails=True, brief=count)
    elif not ended_well(exitstatus) and not _is_told(store):
        yield RunFinding(
            f"pytest ended with exit code {int(exitstatus)}, and not because of a case: "
            "its output says why",
            fails=True,
        )


def _other_tests(store: RunStore) -> list[str]:
    """Name the tests with a failure that no result of a case has, and that no gate
    is.
    """
    told = {f"{gate.node}::{gate.name}" for gate in store.gates}
    told.update(store.unfinished())
    return [name for name in store.other_failures if name not in told]


def _is_told(store: RunStore) -> bool:
    """Whether a report tells of any failure."""
    if store.told.errors or store.unfinished():
        return True
    if any(finding.fails for finding in store.told.findings):
        return True
    if any(gate.outcome() == FAILED for gate in store.gates):
        return True
    return any(has_failed(result) for result in store.results)
