"""Use the rankings of a record in place of committed baselines.

The record of `--relevance-against` is read once in each process. The collector asks for
the rankings of each case file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pytest_relevance.results.case_result import CaseResult, grouped, of_case_files
from pytest_relevance.results.records.demands import FileDemands
from pytest_relevance.results.records.entries import (
    BaselineEntries,
    entry_of,
)
from pytest_relevance.results.records.record_file import read_record
from pytest_relevance.results.records.reference import (
    SilentSearch,
    refusal_of_run,
    silent_searches_of,
)
from pytest_relevance.results.records.run_info import (
    FileInfo,
    RecordError,
    RunInfo,
    posix,
)
from pytest_relevance.results.records.uncompared import without_ranking

Entries = Mapping[str, BaselineEntries]
"""The entries of each case file, by its name."""


@dataclass(frozen=True, slots=True)
class RecordedRankings:
    """The rankings of a record. Messages call it `name`.

    `entries`: the entries of each case file, by its name in the record.
    `nodes`: {pytest's node id of a case file: its name in the record}.
    `silent`: the searches that found nothing in most of their cases.
    """

    name: str
    entries: Entries = field(default_factory=dict)
    nodes: Mapping[str, str] = field(default_factory=dict)
    silent: Sequence[SilentSearch] = ()

    def of_file(self, node: str, file: str) -> BaselineEntries:
        """Return the entries of a case file; empty for an unknown file.

        `node`, `file`: the node id and the name of the file in this run.
        """
        return self.entries.get(self.name_of(node, file), BaselineEntries())

    def not_run(self, ran: Iterable[tuple[str, str]]) -> tuple[str, ...]:
        """Return the case files of the record that did not run now.

        `ran`: the node id and the name of each file that ran.
        """
        names = {self.name_of(node, file) for node, file in ran}
        not_run = []
        for file, found in self.entries.items():
            if found and file not in names:
                not_run.append(file)
        return tuple(not_run)

    def node_of(self, file: str) -> str:
        """Return the node id of a recorded case file: its path in the project."""
        for node, name in self.nodes.items():
            if name == file:
                return node
        return file

    def name_of(self, node: str, file: str) -> str:
        """Return the name that a case file has in the record.

        `node`, `file`: the node id and the name of the file in this run.
        """
        return self.nodes.get(node, posix(file))


def read_rankings(
    path: str | os.PathLike[str], shown: str | None = None
) -> RecordedRankings:
    """Return the rankings of a record. Messages call the file `shown`.

    Raises `RecordError` for a damaged record, a run that did not finish, and a replay.
    """
    name = shown or os.fspath(path)
    record = read_record(path, shown)
    if problem := refusal_of_run(record.info):
        raise RecordError.at(name, problem)
    return RecordedRankings(
        name,
        entries=entries_of(record.results, record.info, record.files),
        nodes={info.node or file: file for file, info in record.files.items()},
        silent=silent_searches_of(record.results),
    )


def entries_of(
    results: Sequence[CaseResult],
    info: RunInfo,
    files: Mapping[str, FileInfo],
) -> dict[str, BaselineEntries]:
    """Return entries that accept the rankings of results, by case file.

    A case without a score has no entry.

    `info`: of the run that has the results: when it began, and what was searched.
    `files`: the case files, with the cases that were collected.
    """
    of_cases = of_case_files(results)
    by_file = grouped(of_cases, lambda result: result.file)
    entries = {}
    for file in dict.fromkeys([*by_file, *files]):
        of_file = BaselineEntries(fingerprint=info.fingerprint, started=info.started)
        ran = by_file.get(file, [])
        for result in ran:
            if result.evaluation.scores:
                entry = replace(
                    entry_of(result, call=result.call),
                    texts=tuple(result.ranking.texts),
                    fields_of_texts=result.ranking.fields_of_texts,
                )
                of_file.setdefault(entry.key, entry)
                of_file.titles.update(result.texts.titles)
        file_info = files.get(file, FileInfo(file))
        of_file.without_ranking = without_ranking(file_info, ran, accepted=of_file)
        _add_demands(of_file, file_info)
        entries[file] = of_file
    return entries


def _add_demands(entries: BaselineEntries, info: FileInfo) -> None:
    """Add what the test demanded, if the record has kept it."""
    if info.demands is None:
        return
    samples = () if info.drawn is None else info.drawn.samples
    entries.demands = FileDemands(info.demands, info.gates, samples)
    for key, demands in info.demands_of(entries).items():
        entries[key] = replace(entries[key], demands=demands)
