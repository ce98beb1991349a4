"""What a run has collected: its case files, and the order of their cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

import pytest

from pytest_relevance.plugin.options import CASE_FILES
from pytest_relevance.results.records.run_info import FileInfo


@dataclass(frozen=True, slots=True)
class SkippedFolder:
    """A folder that its conftest.py skips: the paths of its case files, the reason."""

    files: Sequence[str]
    reason: str


class Collection:
    """What a run has collected, in the process that receives all reports.

    `files` are the case files by their names in reports. `to_run` are the node ids of
    all tests that were collected and not deselected, in the order in which they run,
    other tests included. `in_file_order` are those of the cases in the order of their
    files; empty if they run in this order. `skipped_folders` are the folders with case
    files that were not collected, by their names in messages.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._places = count()
        self._are_case_files: dict[str, bool] = {}
        self.files: dict[str, FileInfo] = {}
        self.to_run: Sequence[str] = ()
        self.in_file_order: Sequence[str] = ()
        self.skipped_folders: dict[str, SkippedFolder] = {}

    def next_place(self) -> int:
        """Return the number of the next case, in the order of the files, from 0."""
        return next(self._places)

    def set_to_run(self, to_run: Sequence[str]) -> None:
        """Set which tests are to run, as a worker of pytest-xdist says."""
        self.to_run = to_run

    def set_order(self, to_run: Sequence[str], in_file_order: Sequence[str]) -> None:
        """Set which tests are to run, and in which order."""
        self.to_run = to_run
        self.in_file_order = in_file_order

    def add_of_worker(
        self, files: Mapping[str, FileInfo], in_file_order: Sequence[str]
    ) -> None:
        """Add what a worker has collected. All workers collect the same."""
        self.in_file_order = self.in_file_order or in_file_order
        for name, info in files.items():
            self.files.setdefault(name, info)

    @property
    def order(self) -> Sequence[str]:
        """Return the node ids in the order of collection."""
        return self.in_file_order or self.to_run

    def is_case(self, nodeid: str) -> bool:
        """Say whether a node id is that of a case or a case file.

        The controller of pytest-xdist has no items to look at.
        """
        file = nodeid.partition("::")[0]
        if file not in self._are_case_files:
            is_collected = any(info.node == file for info in self.files.values())
            case_files, path = (
                self._config.stash[CASE_FILES],
                self._config.rootpath / file,
            )
            self._are_case_files[file] = is_collected or case_files.includes(path)
        return self._are_case_files[file]
