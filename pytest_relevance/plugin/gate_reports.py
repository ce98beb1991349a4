"""Gates as tests of their own: judged when the cases have run, in the process that has all reports.

A gate has the node id `FILE::gate[ID]`, followed by `[VARIANT]` where the search has parameters, and the reports of a
test.
"""

from __future__ import annotations

from functools import partial
from time import time
from typing import Any, Literal, cast

import pytest

from pytest_relevance.plugin.failures import Crash, FailureText
from pytest_relevance.plugin.options import is_brief, is_by_line, verbosity
from pytest_relevance.plugin.run_store import RunStore
from pytest_relevance.reports.summary.gate_report import gate_lines
from pytest_relevance.reports.text import harmless
from pytest_relevance.results.case_result import SKIPPED
from pytest_relevance.results.gates import GateResult, judge_gates

_CHOOSERS = ("lfplugin", "stepwiseplugin")
"""Plugins of pytest that choose in the next run what failed in this one. Nobody can choose a gate."""

Outcome = Literal["passed", "failed", "skipped"]


def report_gates(session: pytest.Session, store: RunStore) -> list[GateResult]:
    """Judge the gates of the files of which something ran, or of all that were collected, and report them."""
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
    session.testscollected += 1  # progress is measured by it, and is never more than all
    session.testsfailed += outcome == "failed"  # as the session itself would, but it would stop the run for --maxfail
    now = time()
    make = partial(pytest.TestReport, nodeid, location, {name: 1}, start=now, stop=now, user_properties=found)
    log(report=make("passed", None, "setup"))
    log(report=make(outcome, longrepr, "call"))
    log(report=make("passed", None, "teardown"))
    hook.pytest_runtest_logfinish(nodeid=nodeid, location=location)


def _longrepr(option: Any, store: RunStore, gate: GateResult, outcome: Outcome) -> Any:
    """What pytest shows of a gate: nothing where it passed, a reason where it was skipped, else a report."""
    if outcome == "passed":
        return None
    path, message = store.files[gate.file].path, harmless(gate.message)
    if outcome == "skipped":
        return path, gate.line, f"Skipped: {message}"
    lines = gate_lines(gate, verbosity=max(verbosity(option), 0))
    shown = [] if is_by_line(option) else gate_lines(gate, verbosity=-1) if is_brief(option) else lines
    return FailureText(lines, Crash(path, gate.line, message), shown)
