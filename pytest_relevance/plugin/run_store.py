"""`RunStore`: the results and case files of a run, in the process that receives all reports.

Under pytest-xdist the controller neither collects nor runs cases, and other plugins run each test in a process of its
own, so all data about cases is taken from reports (`travel`). The last report of an item counts, so that a case that is
run again counts once. The summary and the output files at the end of a run are made from this data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from pytest_relevance._paused_gc import paused_gc
from pytest_relevance.plugin.travel import ATTRIBUTE, attached_to
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.rankings.repeats import worst_of_repeats
from pytest_relevance.results.run_info import FileInfo

ENDED = ("passed", "failed", "skipped")
"""The final outcomes of a report. After "rerun" another report of the same item follows."""


@dataclass(slots=True)
class RunStore:
    """The results of the cases that ended, and the case files by the names used in reports.

    `to_run` are the node ids of all tests that were collected and not deselected, in order, other tests included.
    `failed` are the node ids of items with a failed report; `unscored` those whose call passed without scoring a case.
    """

    files: dict[str, FileInfo] = field(default_factory=dict)
    to_run: Sequence[str] = ()
    failed: set[str] = field(default_factory=set)
    unscored: set[str] = field(default_factory=set)
    _cases: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    _results: list[CaseResult] | None = None
    _waiting: dict[str, FileInfo] = field(default_factory=dict)

    def announce(self, file: str, info: FileInfo, *, travels: bool) -> None:
        """Store the `FileInfo` of a case file; if it `travels`, only until the first report of this process is sent."""
        (self._waiting if travels else self.files)[file] = info

    def attach_files(self, report: pytest.TestReport) -> None:
        """Attach the stored `FileInfo` of all files to the first report, also of files without a selected case."""
        if self._waiting:
            files = {file: info.to_dict() for file, info in self._waiting.items()}
            setattr(report, ATTRIBUTE, {"cases": [], **getattr(report, ATTRIBUTE, {}), "files": files})
            self._waiting.clear()

    def add(self, report: pytest.TestReport) -> None:
        """Store the data attached to a report."""
        attached = attached_to(report)
        for file, values in attached.get("files", {}).items():
            self.files.setdefault(file, FileInfo.from_dict(values))
        if report.outcome not in ENDED:
            return
        if report.failed:
            self.failed.add(report.nodeid)
        cases = attached.get("cases")
        if cases is None:
            return
        if not cases and report.when == "call":
            self.unscored.add(report.nodeid)
        for number, values in enumerate(cases):
            self._cases[report.nodeid, number] = values
            self._results = None

    @property
    def results(self) -> list[CaseResult]:
        """The results of all cases that ended, in the order of collection; of repeats of a case only the worst."""
        if self._results is None:
            with paused_gc():
                self._results = worst_of_repeats([CaseResult.from_dict(values) for values in self._ended()])
        return self._results

    @property
    def dicts(self) -> list[dict[str, Any]]:
        """The dicts of `results`: as they arrived, unless there are repeats, of which the results have a summary."""
        ended = self._ended()
        has_repeats = any(values.get("items") for values in ended)
        return [result.to_dict() for result in self.results] if has_repeats else ended

    def _ended(self) -> list[dict[str, Any]]:
        """Return the dicts of all cases that ended, in the order of collection."""
        order = {name: number for number, name in enumerate(self.to_run)}
        last = len(order)
        ended = sorted(self._cases, key=lambda key: (order.get(key[0], last), key[1] if key[0] in order else 0))
        return [self._cases[key] for key in ended]

    @property
    def finished(self) -> list[CaseResult]:
        """The results of the cases of which every repeat ended."""
        repeated = (CaseResult.from_dict(values) for values in self._cases.values() if values.get("items"))
        ended = Counter(result.key for result in repeated)
        return [result for result in self.results if ended[result.key] >= len(result.items)]

    def of_file(self, file: str) -> list[CaseResult]:
        """Return the finished results of a case file."""
        return [result for result in self.finished if result.file == file]

    def is_whole(self, file: str) -> bool:
        """Whether every case of a file ended or was skipped: none was deselected, and the run was not stopped early."""
        info = self.files.get(file)
        return info is not None and info.is_whole(self.finished, file)

    def unfinished(self) -> list[str]:
        """Return the node ids of cases that were to run and have no result."""
        files = {info.node for info in self.files.values()}
        return [name for name in self.without_result() if name.partition("::")[0] in files]

    def without_result(self) -> Iterator[str]:
        """Return the node ids of all tests that were to run and have no relevance result, other tests included."""
        return (name for name in self.to_run if (name, 0) not in self._cases)


RUN_STORE: pytest.StashKey[RunStore] = pytest.StashKey()


def run_store(config: pytest.Config) -> RunStore:
    """Return the store of this process; create it on first use."""
    store = config.stash.get(RUN_STORE, None)
    if store is None:
        store = config.stash[RUN_STORE] = RunStore()
    return store
