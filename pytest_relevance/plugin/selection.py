"""Which part of the project a run looks at: what the command line chooses.

A run has a *selection* if an option or a node id chooses cases. Without one, every case
of the named folders and files is to run.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_relevance.plugin.run_store import run_store

_CHOOSING = (
    "keyword",  # -k
    "markexpr",  # -m
    "deselect",
    "ignore",
    "ignore_glob",
    "lf",
    "stepwise",
    "splits",  # pytest-split
    "test-group-count",  # pytest-test-groups
)
"""The names under which pytest and its plugins keep the options that choose tests."""

_SHARDS = "num_shards"
"""The name under which pytest-shard keeps the number of shards, which is 1 by
default.
"""


def has_selection(config: pytest.Config) -> bool:
    """Whether the command line, or the ini key addopts, chooses some of the cases."""
    if any("::" in argument for argument in config.args):
        return True
    if getattr(config.option, _SHARDS, 1) > 1:
        return True
    return any(getattr(config.option, name, None) for name in _CHOOSING)


def is_part(config: pytest.Config) -> bool:
    """Whether a run looks at a part of the cases: it has a selection, or was broken
    off.
    """
    return has_selection(config) or bool(run_store(config).unfinished())


def covers(config: pytest.Config, path: Path) -> bool:
    """Whether a file is one that a run without a selection has to collect.

    It is if the command line names the file or a folder around it. Without a name
    pytest takes the folders of the ini key testpaths, or else the folder where it was
    started.
    """
    real = os.path.realpath(path)
    for argument in config.args:
        named = os.path.realpath(config.invocation_params.dir / argument)
        if real == named or real.startswith(os.path.join(named, "")):
            return True
    return False
