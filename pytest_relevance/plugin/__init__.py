"""The pytest plugin: its hooks, each a few lines that call into this package.

Nothing heavy is imported here: in a run without case files the plugin only declares its options and checks the name of
each file. The hooks of a run with cases are registered when the first case file is collected (`reporting.install`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_relevance.plugin import options
from pytest_relevance.plugin.collecting import case_files

if TYPE_CHECKING:
    from pytest_relevance.plugin.running.fixture import Relevance


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options `--relevance-*` and the ini keys `relevance_*`."""
    options.declare(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Register the hook `pytest_relevance_ranking`."""
    from pytest_relevance.plugin import hookspec

    pluginmanager.add_hookspecs(hookspec)


def pytest_configure(config: pytest.Config) -> None:
    """Register what collects case files, and the outputs; on the controller of pytest-xdist, `Reporting` too.

    That controller collects nothing itself and only receives reports. Raises UsageError for an option or ini key with
    an invalid value.
    """
    patterns = config.stash[options.FILE_PATTERNS] = options.FilePatterns(config)
    config.pluginmanager.register(case_files.CaseFiles(patterns), "relevance-files")
    options.tolerance(config)  # raises for an invalid value before any test runs
    options.requires_baseline(config)
    if options.is_xdist_controller(config):
        from pytest_relevance.plugin import reporting

        reporting.install(config)
    if options.writes_anything(config.option):
        from pytest_relevance.plugin.outputs import writing as outputs

        outputs.install(config)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Register `Reporting` where a test requests `relevance`: the test itself may run in another process."""
    if any("relevance" in getattr(item, "fixturenames", ()) for item in session.items):
        from pytest_relevance.plugin import reporting

        reporting.install(session.config)


@pytest.fixture
def relevance(request: pytest.FixtureRequest) -> Relevance:
    """Score rankings in a test written in Python: `relevance.check(query, ranking, judgments, min_ndcg=0.85)`."""
    from pytest_relevance.plugin.running.fixture import Relevance

    return Relevance(request.node)
