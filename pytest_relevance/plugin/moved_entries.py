"""Find cases that the reference has under another id, or in another file or variant.

When all case files are collected, each moved case gets its accepted ranking. If the run
updates baselines, the rankings are written to the files that have the cases now.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance.cases.model import Case, RecordedGate, Suite
from pytest_relevance.plugin.against import recorded_rankings
from pytest_relevance.plugin.case_files import BASELINES_SEEN
from pytest_relevance.plugin.paths import shown_path
from pytest_relevance.plugin.redaction import redaction
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.results.details import digest_of_case
from pytest_relevance.results.records.baseline_paths import (
    SUFFIX,
    baseline_path,
    orphaned_baselines,
)
from pytest_relevance.results.records.entries import (
    BaselineEntries,
    BaselineEntry,
    EntryKey,
    MovedEntries,
    asked_of,
)
from pytest_relevance.results.records.run_info import RecordError

if TYPE_CHECKING:
    from pytest_relevance.plugin.running.case_run import CaseRun
    from pytest_relevance.results.records.moved_cases import Moves, PlacedCase


@dataclass(slots=True)
class CollectedFile:
    """A case file that was collected.

    `collector`: the `CaseFile` that collected it.
    `runs`: its cases, one for each variant.
    `digest`: the digest of the file and of the files that it names.
    `gates_left`: the gates of case files that are gone, if their cases moved here.
    `gates_of_moved`: {id of a case that moved here: the gates of its earlier file that
        looked at the case}, without `gates_left`.
    """

    collector: Any  # a CaseFile, whose module imports this one
    suite: Suite
    runs: Sequence[CaseRun]
    digest: str
    gates_left: list[RecordedGate] = field(default_factory=list)
    gates_of_moved: dict[str, list[RecordedGate]] = field(default_factory=dict)

    @property
    def cases(self) -> dict[EntryKey, Case]:
        """Return the cases of the file: {(id, variant): case}."""
        return {(run.case.id, run.variant): run.case for run in self.runs}


COLLECTED_FILES: pytest.StashKey[dict[str, CollectedFile]] = pytest.StashKey()
"""The case files that were collected, by their names in reports."""


def follow_moved_cases(config: pytest.Config) -> None:
    """Give moved cases their accepted rankings, and note the moves in `FileInfo`."""
    collected = config.stash.get(COLLECTED_FILES, {})
    references = _references(config, collected)
    gone = list(_gone(config, collected, references))
    if not gone:
        return
    from pytest_relevance.results.records.moved_cases import find_moves

    found = find_moves(gone, _new(config, collected, references, gone))
    if not (found.moved or found.unclear):
        return
    for name, entries in found.entries(references).items():
        if name in collected:
            file = collected[name]
            file.collector.move_entries(entries, file)
    _note_earlier_gates(found, collected, references)
    for name in found.files & collected.keys():
        file = collected[name]
        info = file.collector.describe(file)
        run_store(config).collection.files[name] = found.noted_in(info, name)


def _note_earlier_gates(
    moves: Moves,
    collected: Mapping[str, CollectedFile],
    references: Mapping[str, BaselineEntries],
) -> None:
    """Note which gates looked at moved cases: in each file that has the cases now.

    All gates of a file that is gone are noted in one file: the first one that its cases
    moved to.
    """
    heirs: dict[str, str] = {}
    for now, before in moves.moved.items():
        demands = references[before.file].demands
        is_first = before.file not in collected and before.file not in heirs
        if is_first:
            heirs[before.file] = now.file
        if demands is None:
            continue
        file = collected[now.file]
        if is_first:
            file.gates_left += demands.gates
        if now.file in (before.file, heirs.get(before.file)):
            continue
        tags = references[before.file][before.id, before.variant].tags
        gates = []
        for gate in demands.gates:
            if gate.tag is None or gate.tag in tags:
                gates.append(gate)
        file.gates_of_moved[now.id] = gates


# --- what the reference has -----------------------------------------------------------


def _references(
    config: pytest.Config, collected: Mapping[str, CollectedFile]
) -> dict[str, BaselineEntries]:
    """Return {case file: accepted rankings}, also for files that are gone."""
    found = {}
    for name, file in collected.items():
        if file.collector.baseline is not None:
            found[name] = file.collector.baseline.entries
    if config.option.relevance_against is not None:
        others = _recorded_files_that_are_gone(config, collected)
    else:
        others = _baselines_without_a_case_file(config, collected)
    for name, entries in others:
        found.setdefault(name, entries)
    return found


def _recorded_files_that_are_gone(
    config: pytest.Config, collected: Mapping[str, CollectedFile]
) -> Iterator[tuple[str, BaselineEntries]]:
    """Yield the case files of the record that do not exist any more.

    A file is given by its name and its accepted rankings.
    """
    recorded = recorded_rankings(config)
    nodes = {name: node for node, name in recorded.nodes.items()}
    known = {
        recorded.name_of(file.collector.nodeid, name)
        for name, file in collected.items()
    }
    for name, entries in recorded.entries.items():
        is_there = (config.rootpath / nodes.get(name, name)).exists()
        if name not in known and not is_there:
            yield name, entries


def _baselines_without_a_case_file(
    config: pytest.Config, collected: Mapping[str, CollectedFile]
) -> Iterator[tuple[str, BaselineEntries]]:
    """Yield the case files that are gone and whose baselines still exist.

    A file is given by its name and its accepted rankings. Only folders in which pytest
    collects are searched.
    """
    folders = {file.collector.path.parent for file in collected.values()}
    paths: set[Path] = set()
    for folder in folders:
        paths.update(folder / name for name in orphaned_baselines(folder))
    for path in config.stash.get(BASELINES_SEEN, []):
        if not Path(str(path).removesuffix(SUFFIX)).exists():
            paths.add(path)
    for path in sorted(paths):
        from pytest_relevance.results.records.baseline_file import read_baseline

        name = shown_path(path, config).removesuffix(SUFFIX)
        try:
            entries = read_baseline(path, f"{name}{SUFFIX}")
        except RecordError as error:
            why = f"a baseline without its case file: {error}"
            run_store(config).unsent.warn(name, why)
            continue
        mask_entries(config, entries)
        yield name, entries


def mask_entries(config: pytest.Config, entries: BaselineEntries) -> None:
    """Mask secrets in the params and the fingerprint of entries, in place.

    The entries may have been written before the ini key `relevance_redact` was set.
    """
    masked = redaction(config).values
    for key, entry in entries.items():
        if entry.params:
            entries[key] = replace(entry, params=masked(entry.params))
    entries.fingerprint = masked(entries.fingerprint)


# --- gone and new ---------------------------------------------------------------------


def _gone(
    config: pytest.Config,
    collected: Mapping[str, CollectedFile],
    references: Mapping[str, BaselineEntries],
) -> Iterator[PlacedCase]:
    """Yield the cases of the reference that the run does not have at their place.

    A case with another query or other params at that place is another case.
    """
    if not references:
        return
    from pytest_relevance.results.records.moved_cases import CasePlace, PlacedCase

    for name, entries in references.items():
        file = collected.get(name)
        cases = {} if file is None else file.cases
        left_out = () if file is None else file.suite.left_out
        for key, entry in entries.items():
            case = cases.get(key)
            if case is None:
                is_gone = entry.id not in left_out
            else:
                is_gone = not asks_the_same(config, entry, case)
            if is_gone:
                yield PlacedCase(CasePlace(name, *key), entry.asked)


def _new(
    config: pytest.Config,
    collected: Mapping[str, CollectedFile],
    references: Mapping[str, BaselineEntries],
    gone: Iterable[PlacedCase],
) -> Iterator[PlacedCase]:
    """Yield the cases of the run that the reference does not have at their place.

    Only cases are yielded that have the query or the id of a case in `gone`, because no
    other case can have moved.
    """
    from pytest_relevance.results.records.moved_cases import CasePlace, PlacedCase

    queries = {case.asked.query for case in gone}
    ids = {(case.place.file, case.place.id) for case in gone}
    for name, file in collected.items():
        entries = references.get(name, BaselineEntries())
        for key, case in file.cases.items():
            if case.query not in queries and (name, case.id) not in ids:
                continue
            if key in entries.without_ranking:
                continue  # the reference knows the case at this place
            entry = entries.get(key)
            if entry is None or not asks_the_same(config, entry, case):
                params = redaction(config).values(case.params)
                asked = asked_of(case.query, params, digest_of_case(case))
                yield PlacedCase(CasePlace(name, *key), asked)


def asks_the_same(config: pytest.Config, entry: BaselineEntry, case: Case) -> bool:
    """Say whether a case has the query and the params of an entry."""
    if entry.query != case.query:
        return False
    if entry.params == case.params:  # spares most cases the JSON
        return True
    now = asked_of(case.query, redaction(config).values(case.params), entry.digest)
    return now == entry.asked


def with_cases_left(config: pytest.Config, files: Iterable[str]) -> tuple[str, ...]:
    """Return the `files` of the record that still have a case which has not moved."""
    moved = defaultdict(set)
    for info in run_store(config).collection.files.values():
        for case in info.moved:
            moved[case.file_before].add((case.id_before, case.variant_before))
    entries = recorded_rankings(config).entries
    return tuple(file for file in files if not entries[file].keys() <= moved[file])


# --- updates --------------------------------------------------------------------------


def entries_to_move(config: pytest.Config) -> defaultdict[str, MovedEntries]:
    """Return the entries that leave or reach each baseline: {case file: entries}.

    Raises `RecordError` if a baseline cannot be read.
    """
    from pytest_relevance.results.records.baseline_file import read_baseline

    store = run_store(config)
    found: defaultdict[str, MovedEntries] = defaultdict(MovedEntries)
    baselines: dict[str, BaselineEntries] = {}
    for name, info in store.collection.files.items():
        for case in info.moved:
            before = case.file_before
            if before not in baselines:
                path = _baseline_of(config, before)
                baselines[before] = read_baseline(path, f"{before}{SUFFIX}")
            entries, key = baselines[before], (case.id_before, case.variant_before)
            found[before].leaving.add(key)
            if key in entries:
                found[name].add((case.id, case.variant), entries[key], entries)
    return found


def _baseline_of(config: pytest.Config, file: str) -> Path:
    """Return the path of the baseline of a case file, which may be gone itself."""
    info = run_store(config).collection.files.get(file)
    path = config.invocation_params.dir / file if info is None else info.path
    return baseline_path(path)
