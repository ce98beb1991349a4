"""Reports that are made when all cases have run: gates as tests, and undecided cases.

The node id of a gate is `FILE::gate[ID]`, followed by `[VARIANT]` if the search has
parameters. A gate has the reports of a test: setup, call and teardown. All plugins get
these reports, so a gate that fails counts for `--maxfail`, `--lf` and `--sw`.

A case is undecided if it looks at more ranks than its search ever returns, for example
because the search ignores `k`. Only all cases together show that (`results/unseen.py`),
and by then the case has passed. So the case gets one more report: an error after its
call, like a test whose teardown fails.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance._text import harmless
from pytest_relevance.plugin.attached import Attached, attach
from pytest_relevance.plugin.clock import wall_time
from pytest_relevance.plugin.failure_text import FailurePlace, FailureText
from pytest_relevance.plugin.run_settings import settings
from pytest_relevance.plugin.run_store import RunStore
from pytest_relevance.results.case_result import FAILED, SKIPPED, XFAILED
from pytest_relevance.results.unseen import find_undecided

if TYPE_CHECKING:
    from pytest_relevance.gates.judging import GateResult


def report_gates(session: pytest.Session, store: RunStore) -> list[GateResult]:
    """Judge the gates of case files, report them as tests, and return their results.

    If no case of a file ran, the gates of the file are left out. Exceptions: all its
    cases were skipped, or `--relevance-gates=require` is given.
    """
    # most runs have no gates
    from pytest_relevance.gates.judging import judge_gates

    require = settings(session.config).requires_gates
    updating = session.config.option.relevance_update == "all"
    results = store.finished
    ran = {result.file for result in results if result.status != SKIPPED}
    ended = {result.file for result in results}
    whole_files = store.whole_files()
    gates = []
    for gate in judge_gates(
        results, store.collection.files, updating=updating, require=require
    ):
        is_skipped_whole = gate.file in ended and gate.file in whole_files
        if require or gate.file in ran or is_skipped_whole:
            gates.append(gate)
    for gate in gates:
        _report_as_test(session, store.collection.files[gate.file].path, gate)
    return gates


def _report_as_test(session: pytest.Session, path: str, gate: GateResult) -> None:
    """Send pytest the reports of a gate, as for a test.

    `path`: the path of the case file.
    """
    hook = session.config.hook
    nodeid = f"{gate.node}::{gate.name}"
    location = (gate.node, gate.line - 1, gate.name)
    session.testscollected += 1  # progress must not exceed 100 %
    hook.pytest_runtest_logstart(nodeid=nodeid, location=location)
    for report in _reports_of_gate(session, path, gate):
        hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=nodeid, location=location)


def _reports_of_gate(
    session: pytest.Session, path: str, gate: GateResult
) -> list[pytest.TestReport]:
    """Return the reports of the setup, the call and the teardown of a gate."""
    from pytest_relevance.reports.run.gates import gate_lines, gate_message

    outcome, message = gate.outcome(), harmless(gate_message(gate))
    nodeid = f"{gate.node}::{gate.name}"
    reports = {}
    for when in ("setup", "call", "teardown"):
        report = _passed_report(nodeid, gate.node, gate.line, when)
        report.user_properties = [("verdict", outcome), ("found", message)]
        reports[when] = report
    call = reports["call"]
    if outcome == SKIPPED:
        call.outcome = "skipped"
        call.longrepr = path, gate.line, f"Skipped: {message}"
    elif outcome == XFAILED:
        call.outcome = "skipped"
        call.wasxfail = f"failed before: {message}"
    elif outcome == FAILED:
        call.outcome = "failed"
    if outcome in (FAILED, XFAILED):
        call.longrepr = FailureText(
            session.config.option,
            partial(gate_lines, gate),
            FailurePlace(path, gate.line, lambda: message),
        )
    return [*reports.values()]


def _passed_report(nodeid: str, node: str, line: int, when: Any) -> Any:
    """Return the report of a phase that passed; the caller may change its outcome.

    `node`: the node id of the file.
    `line`: the line of the gate or the case, from 1.
    `when`: "setup", "call" or "teardown".
    """
    name = nodeid.removeprefix(f"{node}::")
    now = wall_time()
    return pytest.TestReport(
        nodeid=nodeid,
        location=(node, line - 1, name),
        keywords={name: 1},
        outcome="passed",
        longrepr=None,
        when=when,
        start=now,
        stop=now,
    )


def report_undecided(session: pytest.Session, store: RunStore) -> None:
    """Report undecided cases as errors, in files whose cases have all run."""
    undecided_cases = find_undecided(store.finished, store.whole_files())
    if not undecided_cases:
        return
    names = store.reported_names()
    for undecided in undecided_cases.values():
        result = undecided.as_error()
        file = result.node.partition("::")[0]
        report = _passed_report(result.node, file, result.line, "teardown")
        # pytest-xdist may have added a group to the node id
        report.nodeid = names.get(result.node, result.node)
        report.outcome = "failed"
        path = store.collection.files[result.file].path
        reason = result.evaluation.reasons[0].clauses[0]
        report.longrepr = path, result.line, reason
        attach(report, Attached(results=(result,), shown=result))
        session.config.hook.pytest_runtest_logreport(report=report)
