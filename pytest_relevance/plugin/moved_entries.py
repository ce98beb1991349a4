"""Find cases that the reference has under another id, or in another file or variant.

When all case files are collected, each moved case gets its accepted ranking. If the run
updates baselines, the rankings are written to the files that have the cases now.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_relevance.plugin.against import recorded_rankings
from pytest_relevance.plugin.case_files import BASELINES_SEEN
from pytest_relevance.plugin.collected_file import COLLECTED_FILES, CollectedFile
from pytest_relevance.plugin.paths import shown_path
from pytest_relevance.plugin.redaction import mask_entries, masked_params
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
    MovedEntries,
)
from pytest_relevance.results.records.run_info import RecordError

if TYPE_CHECKING:
    from pytest_relevance.results.records.moved_cases import Moves


def follow_moved_cases(config: pytest.Config) -> None:
    """Give moved cases their accepted rankings, and note the moves in `FileInfo`."""
    collected = config.stash.get(COLLECTED_FILES, {})
    references = _references(config, collected)
    if not references:
        return
    from pytest_relevance.results.records.moved_cases import moves_since

    def may_be_gone(name: str, entry: BaselineEntry) -> bool:
        file = collected.get(name)
        return file is None or entry.id not in file.suite.left_out

    found = moves_since(
        references,
        {name: file.cases for name, file in collected.items()},
        may_be_gone=may_be_gone,
        params_of=masked_params(config),
        digest_of=digest_of_case,
    )
    for name, entries in found.entries(references).items():
        if name in collected:
            file = collected[name]
            file.move_entries(entries)
    _note_earlier_gates(found, collected, references)
    for name in found.files & collected.keys():
        file = collected[name]
        info = file.describe()
        run_store(config).collection.files[name] = found.noted_in(info, name)


def _note_earlier_gates(
    moves: Moves,
    collected: Mapping[str, CollectedFile],
    references: Mapping[str, BaselineEntries],
) -> None:
    """Note in the files of moved cases which gates looked at these cases before.

    All gates of a file that is gone are noted in one file (`gates_left`): the first one
    that its cases moved to. Any other file notes the gates of each case
    (`gates_of_moved`).
    """
    heirs: dict[str, str] = {}  # {file that is gone: the file that notes its gates}
    for now, before in moves.moved.items():
        if before.file not in collected:
            heirs.setdefault(before.file, now.file)
    for gone, heir in heirs.items():
        demands = references[gone].demands
        if demands is not None:
            collected[heir].gates_left += demands.gates
    for now, before in moves.moved.items():
        demands = references[before.file].demands
        if demands is None or now.file in (before.file, heirs.get(before.file)):
            continue
        tags = references[before.file][before.in_file].tags
        gates = []
        for gate in demands.gates:
            if gate.tag is None or gate.tag in tags:
                gates.append(gate)
        collected[now.file].gates_of_moved[now.id] = gates


# --- what the reference has -----------------------------------------------------------


def _references(
    config: pytest.Config, collected: Mapping[str, CollectedFile]
) -> dict[str, BaselineEntries]:
    """Return {case file: accepted rankings}, also for files that are gone."""
    found = {}
    for name, file in collected.items():
        if file.baseline is not None:
            found[name] = file.baseline.entries
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
    known = {recorded.name_of(file.node, name) for name, file in collected.items()}
    for name, entries in recorded.entries.items():
        is_there = (config.rootpath / recorded.node_of(name)).exists()
        if name not in known and not is_there:
            yield name, entries


def _baselines_without_a_case_file(
    config: pytest.Config, collected: Mapping[str, CollectedFile]
) -> Iterator[tuple[str, BaselineEntries]]:
    """Yield the case files that are gone and whose baselines still exist.

    A file is given by its name and its accepted rankings. Only folders in which pytest
    collects are searched.
    """
    folders = {file.path.parent for file in collected.values()}
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


# --- moves that were noted ------------------------------------------------------------

# The controller of pytest-xdist collects no cases. It knows from the data of the case
# files which cases have moved.


def with_cases_left(config: pytest.Config, files: Iterable[str]) -> tuple[str, ...]:
    """Return the `files` of the record that still have a case which has not moved."""
    from pytest_relevance.results.records.moved_cases import Moves

    moves = Moves.noted(run_store(config).collection.files)
    moved = set(moves.moved.values())
    entries = recorded_rankings(config).entries
    left = []
    for file in files:
        if any((file, *key) not in moved for key in entries[file]):
            left.append(file)
    return tuple(left)


def entries_to_move(config: pytest.Config) -> defaultdict[str, MovedEntries]:
    """Return the entries that leave or reach each baseline: {case file: entries}.

    Raises `RecordError` if a baseline cannot be read.
    """
    from pytest_relevance.results.records.baseline_file import read_baseline
    from pytest_relevance.results.records.moved_cases import Moves

    files = run_store(config).collection.files
    moves = Moves.noted(files)
    baselines = {}
    for file in dict.fromkeys(before.file for before in moves.moved.values()):
        # a case file that is gone still has its baseline
        is_gone = file not in files
        path = config.invocation_params.dir / file if is_gone else files[file].path
        baselines[file] = read_baseline(baseline_path(path), f"{file}{SUFFIX}")
    return moves.entries(baselines)
