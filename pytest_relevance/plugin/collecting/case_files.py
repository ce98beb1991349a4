"""The hook that collects case files: by their names, or named on the command line and by their content."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_relevance.plugin.options import FilePatterns, has_cases


class CaseFiles:
    """A plugin with this one hook, which is asked for every file of a tree, whatever it is."""

    def __init__(self, patterns: FilePatterns) -> None:
        self._patterns = patterns
        self._possible = patterns.possible

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Make a collector of a case file."""
        name = file_path.name
        if not name.endswith(self._possible) or not (
            self._patterns.fits(name) or (parent.session.isinitpath(file_path) and has_cases(file_path))
        ):
            return None
        from pytest_relevance.plugin.collecting.collector import CaseFile

        return CaseFile.from_parent(parent, path=file_path)
