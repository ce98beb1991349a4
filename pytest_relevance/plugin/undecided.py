"""Cases that passed although nobody has seen the ranks that they look at: they become
errors at the end of a run.

A case alone does not show that its search returns ten results whatever it is asked for.
All cases together do (`results.unseen`). So the case has passed when that is found. It
gets one more report, of an error after the call, as a test has whose teardown fails.
"""

from __future__ import annotations

import pytest

from pytest_relevance.plugin.attached import Attached, attach
from pytest_relevance.plugin.clock import wall_time
from pytest_relevance.plugin.run_store import RunStore
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.unseen import find_undecided


def report_undecided(session: pytest.Session, store: RunStore) -> None:
    """Report the cases of whole files that are not decided as errors. The store then
    has them as errors.
    """
    whole_files = [file for file in store.collection.files if store.is_whole(file)]
    undecided_cases = find_undecided(store.finished, whole_files)
    if not undecided_cases:
        return
    names = store.reported_names()
    for undecided in undecided_cases.values():
        result = undecided.as_error()
        nodeid = names.get(result.node, result.node)
        _log(session, nodeid, result, store.collection.files[result.file].path)


def _log(session: pytest.Session, nodeid: str, result: CaseResult, path: str) -> None:
    """Log a failed report of the teardown of a case that passed and is undecided by all
    cases together.
    """
    file, _, name = result.node.partition("::")
    now = wall_time()
    report = pytest.TestReport(
        nodeid=nodeid,
        location=(file, result.line - 1, name),
        keywords={name: 1},
        outcome="failed",
        longrepr=(path, result.line, result.evaluation.reasons[0].clauses[0]),
        when="teardown",
        start=now,
        stop=now,
    )
    attach(report, Attached(results=(result,), shown=result))
    session.config.hook.pytest_runtest_logreport(report=report)
