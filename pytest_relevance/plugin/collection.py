"""What a run has collected: its case files, and the order of its cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

import pytest

from pytest_relevance.plugin.case_files import CASE_FILES
from pytest_relevance.results.records.run_info import FileInfo


@dataclass(frozen=True, slots=True)
class SkippedFolder:
    """A folder with case files that is skipped by its conftest.py.

    `files`: the paths of the case files.
    `reason`: why the folder is skipped.
    """

    files: Sequence[str]
    reason: str


class Collection:
    """What a run has collected, in the process that receives all reports.

    `files`: {name in reports: data of the case file}.
    `to_run`: the node ids of all tests that are to run, also of other tests than cases,
        in the order in which they run.
    `in_file_order`: the node ids of the cases in the order of their files; empty if
        they run in this order.
    `skipped_folders`: {name in messages: folder with case files that was skipped}.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._places = count()
        self._are_case_files: dict[str, bool] = {}
        self._path_of_node: dict[str, str] = {}
        self.files: dict[str, FileInfo] = {}
        self.to_run: Sequence[str] = ()
        self.in_file_order: Sequence[str] = ()
        self.skipped_folders: dict[str, SkippedFolder] = {}

    def next_place(self) -> int:
        """Return the number of the next case to be collected, from 0."""
        return next(self._places)

    def add(self, name: str, info: FileInfo) -> None:
        """Add a case file under its name in reports."""
        self.files[name] = info
        self._path_of_node.setdefault(info.node, info.path)

    def path_of_node(self, node: str) -> str | None:
        """Return the path of the case file with a node id; None if there is none."""
        return self._path_of_node.get(node)

    def add_of_worker(
        self, files: Mapping[str, FileInfo], in_file_order: Sequence[str]
    ) -> None:
        """Add what a worker has collected. What another worker has sent is kept.

        `in_file_order`: the value that the attribute of this name has in the worker.
        """
        self.in_file_order = self.in_file_order or in_file_order
        for name, info in files.items():
            if name not in self.files:
                self.add(name, info)

    @property
    def order(self) -> Sequence[str]:
        """Return the node ids of the cases in the order of their files.

        Node ids of other tests may be among them.
        """
        return self.in_file_order or self.to_run

    def is_case(self, nodeid: str) -> bool:
        """Say whether a node id is that of a case, or of a case file.

        The file decides, because the controller of pytest-xdist has no items.
        """
        file = nodeid.partition("::")[0]
        if file not in self._are_case_files:
            is_collected = file in self._path_of_node
            case_files = self._config.stash[CASE_FILES]
            path = self._config.rootpath / file
            self._are_case_files[file] = is_collected or case_files.includes(path)
        return self._are_case_files[file]
