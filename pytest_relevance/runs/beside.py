"""What there is to know of baselines without reading one: where they are, and how cases may stand to them.

Apart from `baseline`, as every run of a case file looks for one.
"""

from __future__ import annotations

import os
from pathlib import Path

SUFFIX = ".baseline.jsonl"

NEW, STALE, REGRESSION, IMPROVEMENT, WITHIN = "new", "stale", "regression", "improvement", "within"
"""How a case stands to its baseline: it has no entry; the entry is stale; its score fell, rose, or did neither, by more
than is tolerated."""


def beside(case_file: str | os.PathLike[str]) -> Path:
    """Where the baseline of a case file is."""
    return Path(f"{os.fspath(case_file)}{SUFFIX}")


def has_baseline(case_file: str | os.PathLike[str]) -> bool:
    """Whether a case file has a baseline: a link to a file that is missing counts, reading it says what is wrong."""
    return os.path.lexists(beside(case_file))


def orphans(folder: Path) -> list[str]:
    """The names of the baselines in a folder whose case file is not there any more: it was renamed, say."""
    names = set(os.listdir(folder))
    return sorted(name for name in names if name.endswith(SUFFIX) and name.removesuffix(SUFFIX) not in names)
