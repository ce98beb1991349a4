"""Write the record of a run: results in collection order, case files, `RunInfo`, and what did not finish."""

from __future__ import annotations

import platform
from datetime import datetime, timezone
from pathlib import Path

import pytest

from pytest_relevance._paused_gc import paused_gc
from pytest_relevance.plugin.options import FILE_PATTERNS, has_cases
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.results.record import write_record
from pytest_relevance.results.run_info import RunInfo


def run_info(config: pytest.Config, missing: tuple[str, ...] = ()) -> RunInfo:
    """Return the `RunInfo` of this run. `missing` are the node ids of cases and files that did not finish."""
    from pytest_relevance import __version__

    versions = {"python": platform.python_version(), "pytest": pytest.__version__}
    command = ("pytest", *config.invocation_params.args)
    return RunInfo(__version__, _started(config), versions, tuple(map(str, command)), missing=missing)


_STARTED: pytest.StashKey[str] = pytest.StashKey()


def _started(config: pytest.Config) -> str:
    """Return the start of the run in ISO 8601, UTC: the time of the first call of this function."""
    if _STARTED not in config.stash:
        config.stash[_STARTED] = datetime.now(timezone.utc).isoformat(timespec="seconds")
    return config.stash[_STARTED]


class RunRecord:
    """Writes the record of a run; collects the names of case files that cannot be collected."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._patterns = config.stash[FILE_PATTERNS]
        named = (config.invocation_params.dir / argument.partition("::")[0] for argument in config.args)
        self._named = {path.resolve() for path in named if path.is_file()}
        self._known: dict[str, bool] = {}
        self._broken: dict[str, None] = {}
        _started(config)

    @pytest.hookimpl
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Store the name of a case file that cannot be collected."""
        if report.failed and self._is_case_file(report.nodeid):
            self._broken[report.nodeid] = None

    @property
    def missing(self) -> tuple[str, ...]:
        """The node ids of cases that did not finish, and of case files that could not be collected."""
        names = run_store(self._config).without_result()
        return (*self._broken, *(name for name in names if self._is_case_file(name.partition("::")[0])))

    def write(self, path: Path) -> None:
        """Write the record of the finished run. Raises OSError."""
        store = run_store(self._config)
        files = {Path(file).as_posix(): info for file, info in sorted(store.files.items())}
        with paused_gc():
            write_record(path, store.dicts, files, run_info(self._config, self.missing))

    def _is_case_file(self, file: str) -> bool:
        """Whether a file, named as in node ids, is a case file.

        The name, or the content, decides, as the controller of pytest-xdist has no collected items to look at.
        """
        if file not in self._known:
            path = self._config.rootpath / file
            self._known[file] = self._patterns.fits(path.name) or (path.resolve() in self._named and has_cases(path))
        return self._known[file]
