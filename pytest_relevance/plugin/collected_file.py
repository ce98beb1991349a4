"""A case file that was collected, with its cases and what they are compared with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_relevance.cases.expectation import most_results
from pytest_relevance.cases.model import Case, Gate, Suite
from pytest_relevance.plugin.drawn_queries import drawn_queries
from pytest_relevance.results.records.entries import (
    BaselineEntries,
    EntryKey,
    MovedEntries,
)
from pytest_relevance.results.records.run_info import Collected, FileInfo

if TYPE_CHECKING:
    from pytest_relevance.plugin.running.case_run import CaseRun
    from pytest_relevance.results.records.baseline import Baseline


@dataclass(slots=True, kw_only=True)
class CollectedFile:
    """A case file that was collected.

    `node`: its node id in pytest.
    `runs`: the runs of its cases, one for each item, in the order of the cases.
    `digest`: a digest of the file and of the files that it names; "" if the run writes
        no record.
    `record`: the name of the record that is the reference; "" for a baseline.
    `expects_known`: whether cases that failed before are expected to fail.
    `baseline`: what the cases are compared with; None if there is nothing.
    `gates_left`: the gates of case files that are gone, if their cases moved here.
    `gates_of_moved`: {id of a case that moved here: the gates of its earlier file that
        looked at the case}, without `gates_left`.
    """

    path: Path
    node: str
    suite: Suite
    runs: Sequence[CaseRun]
    digest: str
    record: str
    expects_known: bool
    baseline: Baseline | None = None
    gates_left: list[Gate] = field(default_factory=list)
    gates_of_moved: dict[str, list[Gate]] = field(default_factory=dict)

    @property
    def cases(self) -> dict[EntryKey, Case]:
        """Return the cases of the file: {(id, variant): case}."""
        return {(run.case.id, run.variant): run.case for run in self.runs}

    def compare_with(self, entries: BaselineEntries) -> Baseline:
        """Have the cases compared with entries. Return what they are compared with."""
        from pytest_relevance.results.records.baseline import Baseline

        self.baseline = Baseline(
            entries, self.cases, record=self.record, expects_known=self.expects_known
        )
        for case_run in self.runs:
            case_run.baseline = self.baseline
        return self.baseline

    def move_entries(self, moves: MovedEntries) -> None:
        """Give moved cases the accepted rankings that they had under their old keys."""
        baseline = self.baseline or self.compare_with(BaselineEntries())
        baseline.move(moves)

    def describe(self) -> FileInfo:
        """Return what reports and records keep of the file: its cases, gates and more.

        If there is a reference, the result names the cases that only the reference has.
        """
        suite = self.suite
        cases = self._collected_cases()
        counts = Counter((search, variant) for _, variant, search, *_ in cases)
        variants = Counter(case for case, *_ in cases)
        info = FileInfo(
            path=str(self.path),
            node=self.node,
            digest=self.digest,
            totals=tuple((*searched, count) for searched, count in counts.items()),
            items={case: count for case, count in variants.items() if count > 1},
            cases=cases,
            gates=suite.terms.gates,
            unjudged=suite.unjudged_words,
            known_items=suite.known_items.words if suite.known_items else "",
            without_floor=suite.without_floor,
            documents=suite.terms.documents,
            drawn=drawn_queries(suite, self.baseline, self.runs),
        )
        if self.baseline is None:
            return info
        lost = self.baseline.lost_cases(suite.left_out)
        return replace(
            info,
            has_baseline=True,
            lost=tuple(lost),
            expects_known=self.expects_known,
            accepted=self.baseline.accepted_cases(suite.terms.gates, lost),
            against=self.record,
            against_started=self.baseline.started,
            fingerprint=self.baseline.fingerprint,
        )

    def _collected_cases(self) -> tuple[Collected, ...]:
        """Return the cases, each once for each of its variants.

        Repeats of a case in one variant count once.
        """
        found: dict[Collected, None] = {}
        for case_run in self.runs:
            case = case_run.case
            key = case.id, case_run.variant
            should_find = most_results(case.expect) != 0
            is_known = self.baseline is not None and self.baseline.has_ranking(key)
            found[(*key, case.search, should_find, is_known)] = None
        return tuple(found)


COLLECTED_FILES: pytest.StashKey[dict[str, CollectedFile]] = pytest.StashKey()
"""The case files that were collected, by their names in reports."""
