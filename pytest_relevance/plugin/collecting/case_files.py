"""The hook that collects case files: those whose name matches, and YAML files with cases on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_relevance.plugin.options import FilePatterns, has_cases


class CaseFiles:
    """A plugin with one hook, which pytest calls for every file of a tree: keep it fast."""

    def __init__(self, patterns: FilePatterns) -> None:
        self._patterns = patterns
        self._possible = patterns.possible

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Return a collector for a case file, or None for any other file."""
        name = file_path.name
        if not name.endswith(self._possible) or not (
            self._patterns.fits(name) or (parent.session.isinitpath(file_path) and has_cases(file_path))
        ):
            return None
        from pytest_relevance.plugin.collecting.collector import CaseFile

        return CaseFile.from_parent(parent, path=file_path)
