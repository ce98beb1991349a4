"""The files below a folder, and paths as messages and records show them.

Every run imports this module, so it imports nothing heavy.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path

import pytest


def files_below(folder: Path, left_out: Sequence[str]) -> Iterator[str]:
    """Yield the paths of the files in a folder and below it.

    `left_out`: patterns for the names of folders that are left out.
    """
    for path, folders, names in os.walk(folder):
        searched = []
        for name in sorted(folders):
            if not any(fnmatch(name, pattern) for pattern in left_out):
                searched.append(name)
        folders[:] = searched
        for name in sorted(names):
            yield os.path.join(path, name)


def shown_path(path: Path | str, config: pytest.Config) -> str:
    """Return a path for messages, relative to the folder where pytest was started."""
    return relative(path, config.invocation_params.dir) or str(path)


def relative(path: Path | str, folder: Path | str) -> str | None:
    """Return a path relative to a folder; None if it is on another drive (Windows)."""
    try:
        return os.path.relpath(path, folder)
    except ValueError:
        return None


def without_root(text: str, config: pytest.Config) -> str:
    """Return a text in which paths inside the project are relative to its root."""
    root = config.rootpath
    return text if root == root.parent else text.replace(f"{root}{os.sep}", "")
