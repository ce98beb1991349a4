"""Where the baseline of a case file is; apart from `baseline`, as every run of a case file looks for one."""

from __future__ import annotations

import os
from pathlib import Path

SUFFIX = ".baseline.jsonl"


def beside(case_file: str | os.PathLike[str]) -> Path:
    """Where the baseline of a case file is."""
    return Path(f"{os.fspath(case_file)}{SUFFIX}")
