"""The hooks around a test of a run with cases: what its reports carry, and what is done
with it.

Under pytest-xdist the workers attach results to reports and the controller reads them.
Without xdist one process does both, with the same code. What is attached is an object.
It becomes text if the report leaves the process: pytest-xdist asks for that by
`pytest_report_to_serializable`; other plugins copy the reports of a child process,
which they forked.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance.plugin.attached import (
    ATTRIBUTE,
    Attached,
    as_text,
    attached_to,
    make_portable,
)
from pytest_relevance.plugin.case_reports import report_case
from pytest_relevance.plugin.crashed_workers import Workers
from pytest_relevance.plugin.failure_text import text_of_report
from pytest_relevance.plugin.giving_up import GivingUp
from pytest_relevance.plugin.options import (
    REPORTING,
    has_cases,
    redaction,
    shown_path,
)
from pytest_relevance.plugin.pytest_internals import hide_in_report
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running.case_run import CASE_RUN, CHECKS
from pytest_relevance.plugin.terminal import Terminal
from pytest_relevance.plugin.told import PASSED_OVER
from pytest_relevance.plugin.whole_run import WholeRun

_CHECK_CALLS = "relevance-check-calls"


def install(config: pytest.Config) -> None:
    """Register the hooks of a run with cases, unless they are registered already."""
    manager = config.pluginmanager
    if has_cases(config):
        return
    giving_up = GivingUp(config)
    manager.register(Reporting(config, giving_up), REPORTING)
    manager.register(WholeRun(config, giving_up), "relevance-run")
    manager.register(Terminal(config), "relevance-terminal")
    if hasattr(config, "workerinput"):
        return
    from pytest_relevance.plugin.outputs import Outputs

    manager.register(Workers(run_store(config)), "relevance-workers")
    manager.register(Outputs(config), "relevance-outputs")


def install_for_checks(session: pytest.Session) -> None:
    """Register the hooks of a run in which tests in Python check rankings, unless they
    are registered already.
    """
    install(session.config)
    if not session.config.pluginmanager.has_plugin(_CHECK_CALLS):
        from pytest_relevance.plugin.check_reports import CheckCalls

        session.config.pluginmanager.register(CheckCalls(), _CHECK_CALLS)


def pass_over(path: Path, config: pytest.Config) -> None:
    """Have the summary name a file that seems to be a case file, but does not have the
    name of one.
    """
    install(config)
    run_store(config).unsent.name(PASSED_OVER, shown_path(path, config))


class Reporting:
    """The hooks that make, send and receive the reports of tests."""

    def __init__(self, config: pytest.Config, giving_up: GivingUp) -> None:
        self._config = config
        self._is_worker = hasattr(config, "workerinput")
        self._process = os.getpid()
        self._store = run_store(config)
        self._giving_up = giving_up

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach the results to the report of a case, or of a test with checks, when
        the report is made.

        Results are not attached when the report is logged: it may be made in a process
        that logs nothing. This is the outermost wrapper, as other wrappers change the
        outcome or run the item again before they return the report.
        """
        is_case, has_checks = CASE_RUN in item.stash, CHECKS in item.stash
        has_raised = has_checks and bool(item.stash[CHECKS].raised)
        if has_checks:
            from pytest_relevance.plugin.check_reports import (
                prepare_checks,
                report_checks,
            )

            prepare_checks(item, call)
        if is_case:
            report = yield from report_case(item.stash[CASE_RUN], call)
        elif has_checks:
            report = yield from report_checks(item, call, has_raised=has_raised)
        else:
            report = yield
        if is_case or has_checks:
            self._hide_secrets(report)
        self._store.unsent.attach(report)
        if os.getpid() != self._process:  # such as a child that pytest-forked made
            make_portable(report)
        return report

    def _hide_secrets(self, report: pytest.TestReport) -> None:
        """Mask known secrets in the text and the captured output of a report."""
        if report.longrepr is None and not report.sections:
            return
        known = redaction(self._config).known
        if known:
            hide_in_report(report, known.hide)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Store the results attached to a report, and replace the text of a failure."""
        attached = attached_to(report)
        # after "rerun" another report follows
        if attached.results and report.outcome in (
            "passed",
            "failed",
            "skipped",
        ):
            self._giving_up.count(report.nodeid, attached.results[0])
        if self._is_worker:
            self._store.send_files(report, attached.news)
            return
        if attached.shown is not None and report.failed:
            text: Any = text_of_report(attached.shown, self._config)
            report.longrepr = text
        self._store.add(report, attached)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_report_to_serializable(
        self, report: pytest.TestReport | pytest.CollectReport
    ) -> Generator[None, dict[str, Any] | None, dict[str, Any] | None]:
        """Turn what a report carries into text, which pytest-xdist can send.
        `attached_to` reads it again.
        """
        values = yield
        if values is not None and isinstance(values.get(ATTRIBUTE), Attached):
            values[ATTRIBUTE] = as_text(values[ATTRIBUTE])
        return values
