"""Refuse case files under pytest-testmon.

pytest-testmon runs a test again only if Python code that the test ran has changed. It
does not know of judgments, queries, catalogues and indexes. So after a change to
judgments it would run no case, and the run would pass.

Checked with pytest-testmon 2.2.0. Every run imports this module, so it imports nothing
heavy.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_relevance.plugin.case_files import CASE_FILES

NAME = "TestmonSelect"
"""The name under which pytest-testmon registers what chooses tests."""

_REFUSED = (
    "pytest-testmon is active, and it does not see changes to judgments, queries, catalogues and indexes: it would skip "
    "cases, and the run would pass. Run case files without it (--no-testmon), and name the folders of other tests where "
    "it is used: pytest --testmon tests/unit"
)


def is_active(config: pytest.Config) -> bool:
    """Say whether pytest-testmon chooses tests, and does not only sort them."""
    if not config.pluginmanager.hasplugin(NAME):
        return False
    its_settings = getattr(config, "testmon_config", None)
    return bool(getattr(its_settings, "select", True))


class RefusedFile(pytest.File):
    """A case file under pytest-testmon. Its collection fails with the reason."""

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        """Raise `CollectError`, which says why case files are refused."""
        raise self.CollectError(_REFUSED)


class NoSkippedFiles:
    """The hook that makes pytest collect case files that pytest-testmon leaves out.

    `RefusedFile` then refuses each of these files, so that the run fails.
    """

    @pytest.hookimpl(tryfirst=True)
    def pytest_ignore_collect(
        self, collection_path: Path, config: pytest.Config
    ) -> bool | None:
        """Return False for a case file that pytest-testmon leaves out, else None."""
        if not config.stash[CASE_FILES].includes(collection_path):
            return None
        testmon = config.pluginmanager.get_plugin(NAME)
        ignore = getattr(testmon, "pytest_ignore_collect", None)
        if ignore is None:
            return None
        return False if ignore(collection_path, config) else None
