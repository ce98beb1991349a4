"""Which cases a run is to look at: all, or a selection.

A run has a *selection* if an option or a node id chooses cases, for example `-k boots`.
Options of the configuration count too, except for what only the command line may
decide (`command_line`).
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_relevance.plugin.command_line import command_line
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


def has_selection(options: Namespace, arguments: Sequence[str]) -> bool:
    """Say whether options or node ids choose cases."""
    if any("::" in argument for argument in arguments):
        return True
    if getattr(options, _SHARDS, 1) > 1:
        return True
    return any(getattr(options, name, None) for name in _CHOOSING)


def is_part(config: pytest.Config) -> bool:
    """Say whether some cases did not run, because of a selection or an early end."""
    if has_selection(config.option, config.args):
        return True
    return bool(run_store(config).unfinished())


def command_line_selects(config: pytest.Config) -> bool:
    """Say whether the command line has a selection."""
    given = command_line(config)
    return has_selection(given, given.file_or_dir)


def command_line_chooses(config: pytest.Config) -> bool:
    """Say whether the command line names files or folders, or has a selection."""
    return bool(command_line(config).file_or_dir) or command_line_selects(config)


def must_collect(config: pytest.Config, path: Path) -> bool:
    """Say whether a run without a selection has to collect a file.

    It has to if the command line names the file or a folder above it. A command line
    without a name counts as one with the folder in which pytest was started, whatever
    testpaths says.
    """
    real = os.path.realpath(path)
    for argument in command_line(config).file_or_dir or ("",):
        named = os.path.realpath(config.invocation_params.dir / argument)
        if real == named or real.startswith(os.path.join(named, "")):
            return True
    return False
