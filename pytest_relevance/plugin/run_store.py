"""`RunStore`: the results of a run, in the process that receives all reports.

All data about cases comes from what is attached to reports (`attached`), even in a
process that runs the cases itself. The summary and the files at the end of a run are
made of this data.

If an item runs again, its last report counts, so that a case counts once. If a worker
crashes, the results that it has sent are kept, and `RunStore.unfinished` names the
cases without a result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_relevance._text import first_few, harmless, printable
from pytest_relevance.plugin.attached import Attached
from pytest_relevance.plugin.collection import Collection
from pytest_relevance.plugin.exceptions import ENDING, hook_error_text
from pytest_relevance.plugin.news import NO_NEWS, News, RunNotes, Unsent
from pytest_relevance.plugin.run_settings import DOCUMENTS, settings
from pytest_relevance.results.case_result import (
    ERROR,
    FAILED,
    INCONCLUSIVE,
    CaseResult,
    has_failed,
)
from pytest_relevance.results.records.run_info import whole_files
from pytest_relevance.results.repeats import worst_of_repeats

if TYPE_CHECKING:
    from pytest_relevance.gates.judging import GateResult

OTHER_IDS = f"{DOCUMENTS}: other ids"
"""The subject of the warning that an index has other ids than the search returned.

Then no document counts as missing in the index.
"""

_MOST_NAMED = 3


class RunStore:
    """Keeps the results of the cases that ended, and all else that is known of the run.

    Attributes:
        collection: what was collected.
        notes: what the reports have besides results.
        unsent: what this process has not sent yet.
        gates: the results of the gates.
        failed: the node ids of tests with a failed report.
        unscored: the node ids of cases whose call passed without a score, because
            another plugin ran something else.
        other_failures: the node ids of tests with a failed report and no failed result.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.unsent = Unsent(config)
        self.collection = Collection(config)
        self.notes = RunNotes(config)
        self.gates: Sequence[GateResult] = ()
        self.failed: set[str] = set()
        self.unscored: set[str] = set()
        self.other_failures: dict[str, None] = {}
        self._run_again: dict[str, None] = {}
        self._cases: dict[tuple[str, int], CaseResult] = {}
        self._results: list[CaseResult] | None = None
        self._is_complete = False

    def add(self, report: pytest.TestReport, attached: Attached) -> None:
        """Store what is attached to a report, and the node id if the report failed."""
        if attached.news is not NO_NEWS:
            self.receive(attached.news)
        nodeid, results = report.nodeid, attached.results
        if not is_last(report):
            self._run_again[nodeid] = None
            return
        if report.failed:
            self.failed.add(nodeid)
            if not any(has_failed(result) for result in results or ()):
                self.other_failures[nodeid] = None
        if results is None:
            return
        if not results and report.when == "call":
            self.unscored.add(nodeid)
        for number, result in enumerate(results):
            self._cases[nodeid, number] = result
            self._results = None

    def receive(self, news: News) -> None:
        """Store what a process has sent besides results."""
        self.notes.receive(news)
        self.collection.add_of_worker(news.files, news.collected)
        for described in news.described:
            key = described.nodeid, described.number
            if key in self._cases:
                self._cases[key] = replace(self._cases[key], texts=described.texts)
        if news.warnings or news.described:
            self._results = None

    @property
    def results(self) -> list[CaseResult]:
        """Return the results of all cases that ended, in the order of collection.

        If a case has several items, for example repeats, its worst result is returned.
        """
        if self._results is None:
            results = self._in_order()
            if any(len(result.origin.items) > 1 for result in results):
                results = worst_of_repeats(results)
            self._results = [self._without_doubtful_ids(result) for result in results]
        return self._results

    def complete(self) -> None:
        """Add the texts of documents that the hook `pytest_relevance_complete` returns.

        Call this after the last result. If the hook raises an exception, the run warns
        that texts are missing; no result is lost.
        """
        hook = "pytest_relevance_complete"
        try:
            self._results = self._with_texts(self.results)
        except ENDING:
            raise
        except Exception as error:
            problem = hook_error_text(hook, error, self._config)
            text = f"{problem}; titles of documents may be missing"
            self.notes.warn(hook, printable(text))
            return
        self._is_complete = True

    def with_latest_texts(self, result: CaseResult) -> CaseResult:
        """Return a result with the texts that the run now has about its documents."""
        result = self._without_doubtful_ids(result)
        return self._with_texts([result])[0] if self._is_complete else result

    def _without_doubtful_ids(self, result: CaseResult) -> CaseResult:
        """Return a result without `not_in_index`, if the index has other ids.

        Then a document that seems to be missing may have another id in the index.
        """
        if OTHER_IDS not in self.notes.warnings:
            return result
        return result.with_texts(not_in_index=())

    def forget_cases(self) -> None:
        """Forget the results of the cases, after everything is shown and written."""
        self._cases.clear()
        self._results = None

    def _with_texts(self, results: Sequence[CaseResult]) -> list[CaseResult]:
        """Return results with texts of the hook `pytest_relevance_complete`.

        Only results that a report shows get texts.
        """
        completed = list(results)
        places = []
        for place, result in enumerate(results):
            if self._is_shown(result):
                places.append(place)
        for texts in self._config.hook.pytest_relevance_complete(
            config=self._config,
            results=[results[place] for place in places],
            files=self.collection.files,
        ):
            for place, more in zip(places, texts, strict=True):
                result = completed[place]
                completed[place] = replace(result, texts=result.texts.with_more(more))
        return completed

    def _is_shown(self, result: CaseResult) -> bool:
        """Say whether a report may show the ranking of a result.

        A report may show failed results, and others because of a baseline, a gate, an
        option or repeats.
        """
        if settings(self._config).details or result.is_check:
            return True
        if result.verdict in (FAILED, INCONCLUSIVE, ERROR):
            return True
        is_repeated = len(result.origin.items) > 1
        if is_repeated or not result.ranking.returned:
            return True
        if result.baseline is not None and result.baseline.documents:
            return True
        info = self.collection.files.get(result.file)
        gates = () if info is None else info.gates
        return any(gate.against is not None for gate in gates)

    def _in_order(self) -> list[CaseResult]:
        """Return all results: first cases as collected, then checks by file and line.

        A plugin may shuffle the tests, so the order in which they ran is not used.
        """
        of_checks = dict(self._cases)
        in_order = []
        for nodeid in self.collection.order:
            # a case has one result
            if (nodeid, 0) in of_checks and self.collection.is_case(nodeid):
                in_order.append(of_checks.pop((nodeid, 0)))
        by_line = sorted(
            of_checks.items(), key=lambda item: (item[1].file, item[1].line, item[0])
        )
        return in_order + [result for _, result in by_line]

    def reported_names(self) -> dict[str, str]:
        """Return {node id of a case: node id of its report}.

        They differ if pytest-xdist has added a group to the node id of the report.
        """
        names = {}
        for (nodeid, _), result in self._cases.items():
            if result.node:
                names[result.node] = nodeid
        return names

    @property
    def finished(self) -> list[CaseResult]:
        """Return the results of the cases of which all repeats have ended."""
        ended = Counter(result.key for result in self._cases.values())
        finished = []
        for result in self.results:
            if ended[result.key] >= len(result.origin.items):
                finished.append(result)
        return finished

    def whole_files(self) -> frozenset[str]:
        """Return the case files of which every case has ended or was skipped.

        A file is not whole if a case was deselected, or if the run was stopped early.
        """
        return whole_files(self.collection.files, self.finished)

    def passed_when_run_again(self) -> list[str]:
        """Return the node ids of tests with results that passed at a later attempt.

        A plugin such as pytest-rerunfailures ran them again, because they failed.
        """
        passed = []
        for name in self._run_again:
            if name not in self.failed and (name, 0) in self._cases:
                passed.append(name)
        return passed

    def unfinished(self) -> list[str]:
        """Return the node ids of the cases that were to run and have no result."""
        unfinished = []
        for name in self.collection.to_run:
            if (name, 0) not in self._cases and self.collection.is_case(name):
                unfinished.append(name)
        return unfinished


def first_named(names: Sequence[str]) -> str:
    """Return the first three names in prose, and how many more there are."""
    return first_few([*map(harmless, names)], _MOST_NAMED)


def is_last(report: pytest.TestReport) -> bool:
    """Say whether a report is final: no plugin will run the test again."""
    return report.outcome in ("passed", "failed", "skipped")


RUN_STORE: pytest.StashKey[RunStore] = pytest.StashKey()


def run_store(config: pytest.Config) -> RunStore:
    """Return the store of this process, which is made on first use."""
    try:
        return config.stash[RUN_STORE]
    except KeyError:
        return config.stash.setdefault(RUN_STORE, RunStore(config))
