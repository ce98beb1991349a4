"""Find the baseline of a case file on disk."""

from __future__ import annotations

import os
from pathlib import Path

SUFFIX = ".baseline.jsonl"
"""The suffix that is added to the name of a case file for the name of its baseline."""


def baseline_path(case_file: str | os.PathLike[str]) -> Path:
    """Return the path of the baseline of a case file."""
    return Path(f"{os.fspath(case_file)}{SUFFIX}")


def has_baseline(case_file: str | os.PathLike[str]) -> bool:
    """Say whether a case file has a baseline.

    True also for a link to a missing file. To read it raises `RecordError`.
    """
    return os.path.lexists(baseline_path(case_file))


def orphaned_baselines(folder: str | os.PathLike[str]) -> list[str]:
    """Return the names of the baselines in a folder whose case file is gone.

    Empty if the folder cannot be read.
    """
    try:
        names = set(os.listdir(folder))
    except OSError:
        return []
    orphans = []
    for name in names:
        if name.endswith(SUFFIX) and name.removesuffix(SUFFIX) not in names:
            orphans.append(name)
    return sorted(orphans)
