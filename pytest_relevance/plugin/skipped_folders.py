"""Note the folders with case files that a conftest.py skips by `pytest.skip`.

Every run imports this module, so it imports nothing heavy.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_relevance.plugin.case_files import CASE_FILES
from pytest_relevance.plugin.paths import files_below, shown_path


class SkippedFolders:
    """The hook that notes skipped folders with case files, for `findings` to report."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a folder that was skipped, if there are case files in it."""
        if not report.skipped:
            return
        folder = self._config.rootpath / report.nodeid
        if not folder.is_dir():
            return
        case_files = self._config.stash[CASE_FILES]
        files = []
        for path in files_below(folder, self._config.getini("norecursedirs")):
            if case_files.includes(Path(path)):
                files.append(path)
        if not files:
            return
        from pytest_relevance.plugin import hooks
        from pytest_relevance.plugin.collection import SkippedFolder
        from pytest_relevance.plugin.run_store import run_store

        hooks.install(self._config)
        shown = shown_path(folder, self._config)
        found = SkippedFolder(files, _reason(report))
        run_store(self._config).collection.skipped_folders[shown] = found


def _reason(report: pytest.CollectReport) -> str:
    """Return the reason why a folder was skipped.

    pytest keeps it in a tuple: (path, line, "Skipped: reason").
    """
    found = report.longrepr
    reason = found[2] if isinstance(found, tuple) else str(found)
    return reason.removeprefix("Skipped: ")
