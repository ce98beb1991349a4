"""Compare a recorded run with a baseline or with another record, without a search.

`pytest-relevance report --against` calls `compare_recorded`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from operator import attrgetter

from pytest_relevance.cases.model import Sample
from pytest_relevance.results.case_result import CaseResult, Key
from pytest_relevance.results.outcomes import without_similarities
from pytest_relevance.results.records.demand_changes import (
    ChangesOfFile,
    DemandedOfCase,
    changes_of_file,
)
from pytest_relevance.results.records.entries import (
    BaselineEntries,
    EntryKey,
)
from pytest_relevance.results.records.entry_comparison import (
    accepted_cases,
    compare_without_ranking,
    without_entry,
)
from pytest_relevance.results.records.moved_cases import (
    CaseKey,
    Moves,
    moves_since,
)
from pytest_relevance.results.records.recorded_case import compare_recorded_case
from pytest_relevance.results.records.recorded_demands import (
    DemandsOfFiles,
    RecordedDemands,
)
from pytest_relevance.results.records.recorded_rankings import Entries
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.records.run_info import DrawnQueries, FileInfo, Lost
from pytest_relevance.results.records.uncompared import GONE

Ran = Mapping[str, Mapping[EntryKey, CaseResult]]
"""The results of the cases that ran, by case file and key."""


def compare_recorded(
    run: Run, entries: Entries, name: str, other: Iterable[CaseResult] = ()
) -> Run:
    """Return a recorded run, compared with the entries of a reference.

    Verdicts stay as they were recorded. The accepted rankings are scored under the
    judgments of the run.

    `name`: what reports call the reference.
    `other`: the results of the record that the entries come from. If a case has the
    same judgments in both runs, the grades of its accepted documents come from there.
    Otherwise they come from the judged documents that `run` names. An entry with an
    unknown grade is stale.
    """
    ran = _results_by_file(run.results)
    moves = _moves(run, ran, entries)
    reference = _Reference(
        entries=_with_moves(entries, moves),
        moves=moves,
        results={result.key: result for result in other if not result.is_check},
    )
    demands = DemandsOfFiles(run.files)
    results = []
    for result in run.results:
        if not result.is_check:
            result = reference.compare(result, demands.of_file(result.file))
        results.append(result)
    files = {}
    for file, info in run.files.items():
        beside = _FileBesideReference(
            info=moves.noted_in(info, file),
            ran=ran.get(file, {}),
            entries=reference.of_file(file),
            demands=demands.of_file(file),
        )
        files[file] = beside.compared_info(name)
    not_run = []
    for file, of_file in reference.entries.items():
        if file not in ran and of_file:
            not_run.append(file)
    info_now = replace(run.info, not_run=tuple(not_run))
    return Run(results, files, info_now, name=run.name)


@dataclass(frozen=True, slots=True)
class _Reference:
    """What a recorded run is compared with.

    `entries`: the entries of each case file, under the present ids of their cases.
    `moves`: which cases were moved.
    `results`: the results that the entries were made of, if they come from a record.
    """

    entries: Entries
    moves: Moves
    results: Mapping[Key, CaseResult]

    def of_file(self, file: str) -> BaselineEntries:
        """Return the entries of a case file; empty for an unknown file."""
        return self.entries.get(file, BaselineEntries())

    def compare(self, result: CaseResult, demands: RecordedDemands) -> CaseResult:
        """Return the result, compared with its entry.

        `demands`: what its case file demands.
        """
        of_file = self.of_file(result.file)
        key = result.id, result.variant
        entry = of_file.get(key)
        if not result.evaluation.scores:
            alone = replace(result, baseline=None)
            if entry is None:
                return alone
            return compare_without_ranking(alone, entry, of_file)
        if entry is None:
            # The recorded similarities are those to the ranking of another reference.
            alone = without_similarities(result)
            return without_entry(alone, of_file.without_ranking.get(key, ""))
        other = self._result_of(result)
        compared = compare_recorded_case(result, entry, other, demands)
        found = compared.baseline
        if found is not None and found.failed_before and result.is_known:
            return replace(compared, baseline=replace(found, known=True))
        return compared

    def _result_of(self, result: CaseResult) -> CaseResult | None:
        """Return the result of the same case in the other record.

        None if there is none, or if its judgments differ. The case may have been moved.
        """
        key = CaseKey(*result.key)
        other = self.results.get(self.moves.moved.get(key, key))
        if other is None or other.evaluation.digest != result.evaluation.digest:
            return None
        return other


def _results_by_file(results: Iterable[CaseResult]) -> Ran:
    ran: dict[str, dict[EntryKey, CaseResult]] = {}
    for result in results:
        if not result.is_check:
            ran.setdefault(result.file, {})[result.id, result.variant] = result
    return ran


@dataclass(frozen=True, slots=True)
class _FileBesideReference:
    """A case file of a recorded run, beside what the reference has of it.

    `ran`: the results of its cases.
    `entries`: the entries of the reference.
    `demands`: what the file demands of its cases.
    """

    info: FileInfo
    ran: Mapping[EntryKey, CaseResult]
    entries: BaselineEntries
    demands: RecordedDemands

    def compared_info(self, name: str) -> FileInfo:
        """Return the data of the file, compared with the reference.

        `name`: what reports call the reference.
        """
        changed = self._changes_of_test()
        lost = self._lost()
        gates = self.demands.gates
        return replace(
            self.info,
            has_baseline=True,
            lost=lost,
            against=name,
            against_started=self.entries.started,
            fingerprint=self.entries.fingerprint,
            accepted=accepted_cases(self.entries, gates, lost, expects_known=True),
            test_changes=changed.changes,
            knows_demands=changed.is_known,
            drawn=self._drawn(),
        )

    @property
    def _samples(self) -> Sequence[Sample]:
        """Return what was drawn from the files of queries in this run; () if nothing
        was.
        """
        return () if self.info.drawn is None else self.info.drawn.samples

    def _changes_of_test(self) -> ChangesOfFile:
        """Return how the test changed, as far as both records keep its demands."""
        now = []
        for key, result in self.ran.items():
            demands = self.demands.of(result)
            now.append((key, DemandedOfCase.of_result(result, demands)))
        return changes_of_file(
            self.entries, now, self.info.gates, samples=self._samples
        )

    def _lost(self) -> tuple[Lost, ...]:
        """Return the cases that only the reference has.

        Empty if only a part of the file ran.
        """
        if not self.info.is_whole(self.ran.values()):
            return ()
        lost = []
        for key, entry in self.entries.items():
            # A record does not say whether a query is still in its file, but not drawn.
            may_be_left = bool(self._samples) and entry.is_sampled
            if key not in self.ran and not may_be_left:
                lost.append((*key, GONE))
        return tuple(lost)

    def _drawn(self) -> DrawnQueries | None:
        """Return what was drawn now and in the reference; None if nothing was."""
        entries = self.entries
        before = () if entries.demands is None else entries.demands.samples
        if not (self._samples or before):
            return None
        entered, left = set(), set()
        for key, result in self.ran.items():
            is_known = key in entries or key in entries.without_ranking
            if entries and result.is_sampled and not is_known:
                entered.add(result.id)
        for key, entry in entries.items():
            if self._samples and entry.is_sampled and key not in self.ran:
                left.add(entry.id)
        return DrawnQueries(
            samples=self._samples,
            before=before,
            entered=len(entered),
            left=len(left),
            left_out=0 if self.info.drawn is None else self.info.drawn.left_out,
        )


# --- moved cases ----------------------------------------------------------------------


def _moves(run: Run, ran: Ran, entries: Entries) -> Moves:
    """Return which cases of a run have another key in the reference.

    A case is gone if the whole file ran without it, or if it asks something else now.
    """
    partly_run = set()
    for file, info in run.files.items():
        if not info.is_whole(ran.get(file, {}).values()):
            partly_run.add(file)
    return moves_since(
        entries,
        ran,
        may_be_gone=lambda file, entry: file not in partly_run,
        params_of=attrgetter("params"),
        digest_of=_known_digest,
    )


def _known_digest(result: CaseResult) -> str:
    """Return the digest of the judgments of a result; "" if it has no score."""
    return result.evaluation.digest if result.evaluation.scores else ""


def _with_moves(entries: Entries, moves: Moves) -> Entries:
    """Return the entries of all files, under the present ids of their cases."""
    moved_entries = dict(entries)
    for file, moved in moves.entries(entries).items():
        moved_entries[file] = copy(entries.get(file, BaselineEntries()))
        moved_entries[file].move(moved)
    return moved_entries
