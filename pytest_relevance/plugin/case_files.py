"""Which files are case files.

Every run imports this module, so it imports nothing heavy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import translate
from pathlib import Path

import pytest


def matcher_of(patterns: Sequence[str]) -> Callable[[str], object]:
    """Return a function whose result is true for a file name that fits a pattern."""
    either = "|".join(map(translate, patterns))
    return re.compile(either or "(?!)").match  # (?!) matches nothing


class CaseFiles:
    """Decides which files are case files.

    A case file is known by its name (ini key `relevance_files`). A file that the
    command line names is also known by its content. Raises UsageError if a pattern of
    the ini key has a folder.
    """

    def __init__(self, config: pytest.Config) -> None:
        patterns = config.getini("relevance_files")
        if any("/" in pattern for pattern in patterns):
            raise pytest.UsageError(
                f"relevance_files are patterns for file names, without folders, found: {' '.join(patterns)}"
            )
        self._has_patterns = bool(patterns)
        self._fits = matcher_of(patterns)
        self._named = set()
        for argument in config.args:
            path = config.invocation_params.dir / argument.partition("::")[0]
            if _is_yaml(path.name) and path.is_file():
                self._named.add(path.resolve())

    def includes_name(self, name: str) -> bool:
        """Say whether the name of a file, without folders, is that of a case file."""
        return bool(self._fits(name))

    def includes(self, path: Path) -> bool:
        """Say whether a file is a case file. The file need not exist.

        Raises OSError if the content decides and cannot be read.
        """
        if self._fits(path.name):
            return True
        if not self._named or path.resolve() not in self._named:
            return False
        from pytest_relevance.cases.reader import has_cases

        return has_cases(path.read_bytes())

    def passes_over(self, path: Path) -> bool:
        """Say whether a file has the content of a case file, but another name.

        This is a guess, because the YAML is not parsed.
        """
        if not (_is_yaml(path.name) and self._has_patterns):
            return False
        try:
            with path.open("rb") as file:
                text = file.read(_MOST_READ)
        except OSError:
            return False
        return bool(re.search(_CASES, text) and re.search(_QUERY, text))


_CASES = rb"(?m)^(?:cases|queries)[ \t]*:"
_QUERY = rb"(?m)\bquery[ \t]*:|^queries[ \t]*:"
_MOST_READ = 65_536
"""How many bytes of a YAML file are read: more than the keys above the cases take."""


def _is_yaml(name: str) -> bool:
    return name[-5:].lower().endswith((".yaml", ".yml"))


CASE_FILES: pytest.StashKey[CaseFiles] = pytest.StashKey()

BASELINE_SUFFIX = ".baseline.jsonl"
"""The end of the name of a baseline, here so that a run without case files imports
nothing for it.
"""

BASELINES_SEEN: pytest.StashKey[list[Path]] = pytest.StashKey()
"""The baselines in the folders that pytest has looked into."""
