"""Gates as tests: each is reported after the cases, in the process that receives all
reports.

The node id of a gate is `FILE::gate[ID]`, followed by `[VARIANT]` if the search has
parameters. A gate has the reports of a test: setup, call and teardown. All plugins get
them, so a gate that fails counts for `--maxfail`, `--lf` and `--sw`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from pytest_relevance._text import harmless
from pytest_relevance.gates.judging import GateResult, judge_gates
from pytest_relevance.plugin.clock import wall_time
from pytest_relevance.plugin.failure_text import FailurePlace, FailureText
from pytest_relevance.plugin.options import settings
from pytest_relevance.plugin.run_store import RunStore
from pytest_relevance.results.case_result import FAILED, SKIPPED, XFAILED


def report_gates(session: pytest.Session, store: RunStore) -> list[GateResult]:
    """Judge the gates of case files, report them as tests, and return their results.

    Without `--relevance-gates=require` the gates of a file are left out if none of its
    cases ran, unless all of them were collected and skipped.
    """
    require = settings(session.config).requires_gates
    updating = session.config.option.relevance_update == "all"
    results = store.finished
    ran = {result.file for result in results if result.status != SKIPPED}
    ended = {result.file for result in results}
    gates = []
    for gate in judge_gates(
        results, store.collection.files, updating=updating, require=require
    ):
        is_skipped_whole = gate.file in ended and store.is_whole(gate.file)
        if require or gate.file in ran or is_skipped_whole:
            gates.append(gate)
    for gate in gates:
        _log(session, store.collection.files[gate.file].path, gate)
    return gates


def _log(session: pytest.Session, path: str, gate: GateResult) -> None:
    """Report a gate as pytest reports a test."""
    hook = session.config.hook
    nodeid = f"{gate.node}::{gate.name}"
    location = (gate.node, gate.line - 1, gate.name)
    session.testscollected += 1  # progress must not exceed 100 %
    hook.pytest_runtest_logstart(nodeid=nodeid, location=location)
    for report in _reports(session, path, gate):
        hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=nodeid, location=location)


def _reports(
    session: pytest.Session, path: str, gate: GateResult
) -> list[pytest.TestReport]:
    """Make the reports of the setup, the call and the teardown of a gate."""
    from pytest_relevance.reports.run.gates import gate_lines, gate_message

    outcome, message = gate.outcome(), harmless(gate_message(gate))
    now = wall_time()
    reports = {}
    for when in ("setup", "call", "teardown"):
        reports[when] = pytest.TestReport(
            nodeid=f"{gate.node}::{gate.name}",
            location=(gate.node, gate.line - 1, gate.name),
            keywords={gate.name: 1},
            outcome="passed",
            longrepr=None,
            when=when,
            start=now,
            stop=now,
            user_properties=[("verdict", outcome), ("found", message)],
        )
    call: Any = reports["call"]
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
