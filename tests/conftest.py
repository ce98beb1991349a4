"""What all tests share: modules that are imported once, compiled modules, and which
examples Hypothesis draws.

A run draws the same examples every time.
`--hypothesis-profile=deep --hypothesis-seed=N` draws others, and more;
`--hypothesis-profile=brief` draws few, where another Python has drawn them all.
"""

import os
import sys
from collections.abc import Generator, Iterator
from tempfile import TemporaryDirectory

# A pytest run in this process forgets the modules that it was the first to import.
# Imported a second time, the modules of numpy and of PyYAML no longer fit their
# compiled halves.
import numpy  # noqa: F401
import pandas  # noqa: F401
import pytest
import yaml  # noqa: F401
from hypothesis import HealthCheck, settings

from tests.chorus import FOUND, NOT_COMPARED, SHARED

# Tests start several hundred processes. Where bytecode files are switched off, each
# compiles all that it imports, which takes two thirds of its time. The workers of
# pytest-xdist, which import most first, are started without it too.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Of the runs that tests start, only those that set this variable are to write to the
# summary of a job.
os.environ.pop("GITHUB_ACTIONS", None)

SUITE, BRIEF, DEEP = "suite", "brief", "deep"

# no verdict depends on the time that something takes, nor on what an earlier run has
# left in a folder
settings.register_profile(
    SUITE,
    derandomize=True,
    max_examples=50,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(BRIEF, settings.get_profile(SUITE), max_examples=10)
settings.register_profile(
    DEEP,
    settings.get_profile(SUITE),
    derandomize=False,
    max_examples=1000,
    print_blob=True,
)
settings.load_profile(SUITE)


def pytest_configure(config: pytest.Config) -> None:
    """Choose how workers share the tests, and make one folder for the Chorus runs."""
    if FOUND not in os.environ:  # a worker has that of its controller
        folder = TemporaryDirectory()
        os.environ[FOUND] = folder.name
        config.add_cleanup(folder.cleanup)
        config.add_cleanup(_forget_folder)
    if config.getoption("dist", None) == "load":
        # What -n chooses. Tests that share a fixture are to go to several workers.
        config.option.dist = "worksteal"


def _forget_folder() -> None:
    del os.environ[FOUND]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what is lost where there is no reference data."""
    if not SHARED.is_dir():
        terminalreporter.write_line(NOT_COMPARED)


REQUIRED = "RELEVANCE_ENGINES"
"""The environment variable with which no test of an engine may be skipped."""


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Refuse a module that skips itself where all engines are required."""
    report = yield
    if report.skipped and REQUIRED in os.environ:
        _refuse(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Refuse a skipped test of an engine where all engines are required."""
    report = yield
    is_skipped = report.skipped and not hasattr(report, "wasxfail")
    if (
        is_skipped
        and REQUIRED in os.environ
        and item.get_closest_marker("engines") is not None
    ):
        _refuse(report)
    return report


def _refuse(report: pytest.CollectReport | pytest.TestReport) -> None:
    reason = (
        report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
    )
    report.outcome, report.longrepr = (
        "failed",
        f"with {REQUIRED} set, it must not be skipped: {reason}",
    )


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The connection string of a PostgreSQL server of this session's own; a test is
    skipped where there is none.
    """
    if os.name != "posix":
        pytest.skip("needs Unix sockets")
    from tests.postgres import programs, running_server

    directory = programs()
    if directory is None:
        pytest.skip("needs PostgreSQL (initdb and pg_ctl)")
    with running_server(directory) as connection_string:
        yield connection_string
