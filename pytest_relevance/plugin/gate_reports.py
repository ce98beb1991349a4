"""Report gates as tests of their own, after the cases have run, in the process that receives all reports.

The node id of a gate is `FILE::gate[ID]`, followed by `[VARIANT]` where the search has parameters. A gate has the same
reports as a test: setup, call and teardown.
"""

from __future__ import annotations

from functools import partial
from time import time
from typing import Any, Literal, cast

import pytest

from pytest_relevance.plugin.failures import Crash, FailureText
from pytest_relevance.plugin.run_store import RunStore
from pytest_relevance.reports.summary.gate_report import gate_lines
from pytest_relevance.reports.text import harmless
from pytest_relevance.results.case_result import SKIPPED
from pytest_relevance.results.gates import GateResult, judge_gates

_CHOOSERS = ("lfplugin", "stepwiseplugin")
"""Plugins of pytest that select in the next run the tests that failed in this one. A gate cannot be selected."""

Outcome = Literal["passed", "failed", "skipped"]


def report_gates(session: pytest.Session, store: RunStore) -> list[GateResult]:
    """Judge the gates of case files, report them as tests, and return their results.

    Without `--relevance-gates=require` the gates of a file are left out if none of its cases ran, unless all of them
    were collected and skipped.
    """
    option = session.config.option
    require = option.relevance_gates == "require"
    results = store.finished
    ran = {result.file for result in results if result.status != SKIPPED}
    ended = {result.file for result in results}
    judged = [
        gate
        for gate in judge_gates(results, store.files, updating=option.relevance_update == "all")
        if gate.file in ran or require or (gate.file in ended and store.is_whole(gate.file))
    ]
    for gate in judged:
        outcome = cast("Outcome", gate.outcome(require=require))
        _log(session, store.files[gate.file].path, gate, outcome, _longrepr(option, store, gate, outcome))
    return judged


def _log(session: pytest.Session, path: str, gate: GateResult, outcome: Outcome, longrepr: Any) -> None:
    """Report a gate as pytest reports a test."""
    manager, hook, name = session.config.pluginmanager, session.config.hook, gate.name
    choosers = [plugin for plugin in map(manager.get_plugin, _CHOOSERS) if plugin is not None]
    log = manager.subset_hook_caller("pytest_runtest_logreport", [session, *choosers])
    nodeid, location = f"{gate.node}::{name}", (gate.node, gate.line - 1, name)
    found = [("verdict", outcome), ("found", harmless(gate.message))]
    hook.pytest_runtest_logstart(nodeid=nodeid, location=location)
    session.testscollected += 1  # the progress display counts it: progress must not exceed 100 %
    session.testsfailed += outcome == "failed"  # counted here: the session would also stop the run for --maxfail
    now = time()
    make = partial(pytest.TestReport, nodeid, location, {name: 1}, start=now, stop=now, user_properties=found)
    log(report=make("passed", None, "setup"))
    log(report=make(outcome, longrepr, "call"))
    log(report=make("passed", None, "teardown"))
    hook.pytest_runtest_logfinish(nodeid=nodeid, location=location)


def _longrepr(option: Any, store: RunStore, gate: GateResult, outcome: Outcome) -> Any:
    """Return the `longrepr` of a gate's report: None if it passed, a reason if it was skipped, else its failure."""
    if outcome == "passed":
        return None
    path, message = store.files[gate.file].path, harmless(gate.message)
    if outcome == "skipped":
        return path, gate.line, f"Skipped: {message}"
    return FailureText(option, lambda verbosity: gate_lines(gate, verbosity=verbosity), Crash(path, gate.line, message))
