"""The pytest plugin: hooks only, each a few lines that call into this wing.

Nothing heavy is imported here: a run without case files pays for two options and a look at each file's name. What a run
with cases needs is registered when the first case file is collected (`reporting.install`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_relevance.plugin import options

if TYPE_CHECKING:
    from pytest_relevance.plugin.collector import CaseFile
    from pytest_relevance.plugin.fixture import Relevance


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare `--relevance-*` and `relevance_*`."""
    options.declare(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Make `pytest_relevance_ranking` known."""
    from pytest_relevance.plugin import hookspec

    pluginmanager.add_hookspecs(hookspec)


def pytest_configure(config: pytest.Config) -> None:
    """Read the options; on the controller of pytest-xdist, which collects nothing itself, be ready for reports."""
    options.read(config)
    if options.is_xdist_controller(config):
        from pytest_relevance.plugin import reporting

        reporting.install(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> CaseFile | None:
    """Collect case files, by the patterns and those named on the command line."""
    matching = parent.config.stash[options.MATCHING]
    if matching.by_name(file_path.name) or matching.by_content(file_path, parent.session):
        from pytest_relevance.plugin.collector import CaseFile

        return CaseFile.from_parent(parent, path=file_path)
    return None


@pytest.fixture
def relevance(request: pytest.FixtureRequest) -> Relevance:
    """Score rankings in a test written in Python: `relevance.check(query, ranking, judgments, min_ndcg=0.85)`."""
    from pytest_relevance.plugin.fixture import Relevance

    return Relevance(request.node)
