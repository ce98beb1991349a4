"""What all tests share: modules that are imported once, compiled modules, and which examples Hypothesis draws.

A run draws the same examples every time. `--hypothesis-profile=deep --hypothesis-seed=N` draws others, and more;
`--hypothesis-profile=brief` draws few, where another Python has drawn them all.
"""

import gc
import os
import sys
from collections.abc import Generator, Iterator
from functools import cached_property
from importlib import import_module, metadata
from tempfile import TemporaryDirectory
from typing import Any

# A pytest run in this process forgets the modules that it was the first to import. Imported a second time, the modules
# of numpy and of PyYAML no longer fit their compiled halves.
import numpy  # noqa: F401
import pandas  # noqa: F401
import pytest
import yaml  # noqa: F401
from hypothesis import HealthCheck, settings

from tests.chorus import FOUND, NOT_COMPARED, SHARED

# Tests start several hundred processes. Where bytecode files are switched off, each compiles all that it imports, which
# takes two thirds of its time. The workers of pytest-xdist, which import most first, are started without it too.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Of the runs that tests start, only those that set this variable are to write to the summary of a job.
os.environ.pop("GITHUB_ACTIONS", None)

SUITE, BRIEF, DEEP = "suite", "brief", "deep"

# no verdict depends on the time that something takes, nor on what an earlier run has left in a folder
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
    """Draw the same examples in every run, read once what is installed, and choose how workers share the tests."""
    if config.getoption("--hypothesis-profile", None) != DEEP:
        _draw_no_constants_of_modules()
    has_plugins = [
        found
        for found in metadata.distributions()
        if found.entry_points.select(group="pytest11")
    ]
    installed = tuple(map(_ReadOnce, has_plugins))
    patch = pytest.MonkeyPatch()
    patch.setattr(metadata, "distributions", lambda: installed)
    config.add_cleanup(patch.undo)
    if FOUND not in os.environ:  # a worker has that of its controller
        folder = TemporaryDirectory()
        patch.setenv(FOUND, folder.name)
        config.add_cleanup(folder.cleanup)
    if (
        config.getoption("dist", None) == "load"
    ):  # what -n chooses: tests that share a fixture go to several workers
        config.option.dist = "worksteal"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what is lost where there is no reference data."""
    if not SHARED.is_dir():
        terminalreporter.write_line(NOT_COMPARED)


class _ReadOnce(metadata.Distribution):
    """An installed distribution whose metadata is read once.

    A pytest run in this process reads the metadata of all that is installed three times: to find the plugins, to find
    the files that they consist of, and to name their versions. That takes a quarter of the time of such a run.
    """

    def __init__(self, found: metadata.Distribution) -> None:
        self._found = found

    def read_text(self, filename: str) -> str | None:
        return self._found.read_text(filename)

    def locate_file(self, path: Any) -> Any:
        return self._found.locate_file(path)

    @cached_property
    def metadata(self) -> Any:
        return self._found.metadata

    @cached_property
    def entry_points(self) -> Any:
        return self._found.entry_points

    @cached_property
    def files(self) -> Any:
        return self._found.files


def _draw_no_constants_of_modules() -> None:
    """Hypothesis draws constants that stand in local modules too, in those that have been imported by then.

    Which ones these are depends on the tests that ran before in the same process, and so do the examples. There is no
    setting for it; checked with Hypothesis 6.100, which has no such constants, and 6.170.
    """
    providers = (
        import_module("hypothesis.internal.conjecture.providers")
        if _has_providers()
        else None
    )
    nothing = getattr(
        providers, "_local_constants", None
    )  # empty as long as nothing was drawn
    if nothing is not None and hasattr(providers, "_get_local_constants"):
        setattr(providers, "_get_local_constants", lambda: nothing)  # noqa: B010 - of a module without types


def _has_providers() -> bool:
    try:
        import_module("hypothesis.internal.conjecture.providers")
    except ImportError:
        return False
    return True


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


@pytest.fixture
def pytester(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> pytest.Pytester:
    """Runs in this process do not look for garbage in all that was imported so far.

    Some versions of pytest do so five times after every run, which takes longer than the run.
    """
    run = pytester.inline_run

    def inline_run(*args: Any, **options: Any) -> pytest.HookRecorder:
        gc.freeze()
        try:
            return run(*args, **options)
        finally:
            gc.unfreeze()

    monkeypatch.setattr(pytester, "inline_run", inline_run)
    return pytester


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The connection string of a PostgreSQL server of this session's own; a test is skipped where there is none."""
    if os.name != "posix":
        pytest.skip("needs Unix sockets")
    from tests.postgres import programs, running_server

    directory = programs()
    if directory is None:
        pytest.skip("needs PostgreSQL (initdb and pg_ctl)")
    with running_server(directory) as connection_string:
        yield connection_string
