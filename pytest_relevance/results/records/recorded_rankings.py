"""The rankings of a record, used instead of committed baselines."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.records.entries import (
    BaselineEntries,
    EntryKey,
    entry_of,
)
from pytest_relevance.results.records.fingerprint import Fingerprint
from pytest_relevance.results.records.record_file import read_record
from pytest_relevance.results.records.reference import (
    SilentSearch,
    is_incomplete,
    silent_searches_of,
)
from pytest_relevance.results.records.run_info import FileInfo, RecordError, posix
from pytest_relevance.results.records.uncompared import NOT_RUN, why_without_ranking

Entries = Mapping[str, BaselineEntries]
"""The entries of each case file, by its name."""


@dataclass(frozen=True, slots=True)
class RecordedRankings:
    """The rankings of a record, which messages call `name`.

    `entries`: the accepted rankings of each case file, by its name in the record.
    `nodes`: these names by pytest's node id.
    `silent`: the searches that found nothing in most cases.
    """

    name: str
    entries: Entries = field(default_factory=dict)
    nodes: Mapping[str, str] = field(default_factory=dict)
    silent: Sequence[SilentSearch] = ()

    def of_file(self, node: str, file: str) -> BaselineEntries:
        """Return the entries of a case file; none for an unknown one."""
        return self.entries.get(self.name_of(node, file), BaselineEntries())

    def not_run(self, ran: Iterable[tuple[str, str]]) -> tuple[str, ...]:
        """Name the recorded case files that did not run.

        `ran` has the node id and the name of each file that did.
        """
        names = {self.name_of(node, file) for node, file in ran}
        return tuple(
            file for file, found in self.entries.items() if found and file not in names
        )

    def node_of(self, file: str) -> str:
        """Return the node id of a recorded case file: its path in the project."""
        for node, name in self.nodes.items():
            if name == file:
                return node
        return file

    def name_of(self, node: str, file: str) -> str:
        """Return the name that the record has of a case file.

        It is found by the node id, or else by the name of the file.
        """
        return self.nodes.get(node, posix(file))


def read_rankings(
    path: str | os.PathLike[str], shown: str | None = None
) -> RecordedRankings:
    """Read the rankings of a record, which messages call `shown`.

    Raises `RecordError` for a damaged record and for a run that did not finish.
    """
    name = shown or os.fspath(path)
    record = read_record(path, shown)
    if incomplete := is_incomplete(record.info):
        raise RecordError.at(name, incomplete)
    return RecordedRankings(
        name,
        entries=entries_of(record.results, record.info.fingerprint, record.files),
        nodes={info.node or file: file for file, info in record.files.items()},
        silent=silent_searches_of(record.results),
    )


def entries_of(
    results: Sequence[CaseResult],
    fingerprint: Fingerprint,
    files: Mapping[str, FileInfo],
) -> dict[str, BaselineEntries]:
    """Make the entries that accept the rankings of results, by case file.

    A case without a score has none. `fingerprint` says what was searched. `files` have
    the cases that were collected and did not run.
    """
    entries: dict[str, BaselineEntries] = {}
    for result in results:
        if result.evaluation.scores and not result.is_check:
            entry = replace(entry_of(result), call=result.call)
            of_file = entries.setdefault(
                result.file, BaselineEntries(fingerprint=fingerprint)
            )
            of_file.setdefault(entry.key, entry)
            of_file.titles.update(result.texts.titles)
    for file, without_ranking in _without_ranking(results, files).items():
        of_file = entries.setdefault(file, BaselineEntries(fingerprint=fingerprint))
        for key, why in without_ranking.items():
            if key not in of_file:
                of_file.without_ranking[key] = why
    return entries


def _without_ranking(
    results: Iterable[CaseResult], files: Mapping[str, FileInfo]
) -> dict[str, dict[EntryKey, str]]:
    """Find the cases of each file that may have no ranking, with the reason."""
    found: dict[str, dict[EntryKey, str]] = {}
    for file, about in files.items():
        found[file] = {}
        for case, variant, *_ in about.cases:
            found[file][case, variant] = NOT_RUN
    for result in results:
        if not result.is_check and not result.evaluation.scores:
            of_file = found.setdefault(result.file, {})
            of_file[result.id, result.variant] = why_without_ranking(result)
    return found
