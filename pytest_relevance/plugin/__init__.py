"""The pytest plugin: hooks only, each a few lines that call into this package.

Nothing heavy is imported here: a run without case files pays for its options and a look at each file's name. What a run
with cases needs is registered when the first case file is collected (`reporting.install`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_relevance.plugin import options
from pytest_relevance.plugin.collecting import case_files

if TYPE_CHECKING:
    from pytest_relevance.plugin.running.fixture import Relevance


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare `--relevance-*` and `relevance_*`."""
    options.declare(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Make `pytest_relevance_ranking` known."""
    from pytest_relevance.plugin import hookspec

    pluginmanager.add_hookspecs(hookspec)


def pytest_configure(config: pytest.Config) -> None:
    """Be ready to collect; on the controller of pytest-xdist, which collects nothing itself, be ready for reports."""
    patterns = config.stash[options.FILE_PATTERNS] = options.FilePatterns(config)
    config.pluginmanager.register(case_files.CaseFiles(patterns), "relevance-files")
    options.tolerance(config)  # a wrong one is refused before anything runs
    options.requires_baseline(config)
    if options.is_xdist_controller(config):
        from pytest_relevance.plugin import reporting

        reporting.install(config)
    if options.writes_anything(config.option):
        from pytest_relevance.plugin.outputs import writing as outputs

        outputs.install(config)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Be ready for the reports of tests that request `relevance`: they may be run in another process."""
    if any("relevance" in getattr(item, "fixturenames", ()) for item in session.items):
        from pytest_relevance.plugin import reporting

        reporting.install(session.config)


@pytest.fixture
def relevance(request: pytest.FixtureRequest) -> Relevance:
    """Score rankings in a test written in Python: `relevance.check(query, ranking, judgments, min_ndcg=0.85)`."""
    from pytest_relevance.plugin.running.fixture import Relevance

    return Relevance(request.node)
