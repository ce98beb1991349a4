"""Join what several records say of their case files and of their runs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.diagnoses import faults_to_record, project_warnings
from pytest_relevance.results.records.fingerprint import common
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.records.run_info import (
    AcceptedCase,
    FileInfo,
    RunError,
    RunFinding,
    RunInfo,
)

Item = TypeVar("Item", bound=Hashable)


def _each_once(*parts: Iterable[Item]) -> tuple[Item, ...]:
    """Return the items of all parts without copies, in the order of the parts."""
    items: dict[Item, None] = {}
    for part in parts:
        items.update(dict.fromkeys(part))
    return tuple(items)


# --- case files -----------------------------------------------------------------------


def joined_files(runs: Iterable[Run]) -> dict[str, FileInfo]:
    """Return the data of all case files of the runs, each file once."""
    files: dict[str, FileInfo] = {}
    for run in runs:
        for file, info in run.files.items():
            known = files.get(file)
            files[file] = info if known is None else _joined_file(known, info)
    return files


def _joined_file(first: FileInfo, second: FileInfo) -> FileInfo:
    """Return the data of one case file, joined from two runs.

    Each run may have other variants of a search.
    """
    # a variant that only another shard runs is lost in this shard
    lost_in_both = [case for case in first.lost if case in second.lost]
    return replace(
        first,
        totals=_each_once(first.totals, second.totals),
        items={**first.items, **second.items},
        lost=tuple(lost_in_both),
        moved=_each_once(first.moved, second.moved),
        unclear=_each_once(first.unclear, second.unclear),
        expects_known=first.expects_known and second.expects_known,
        cases=_each_once(first.cases, second.cases),
        accepted=_joined_accepted(first.accepted, second.accepted),
        own_demands=_with_added(first.own_demands, second.own_demands),
        test_changes=_with_added(first.test_changes, second.test_changes),
        knows_demands=first.knows_demands and second.knows_demands,
    )


def _with_added(first: Sequence[Any], second: Sequence[Any]) -> tuple[Any, ...]:
    """Return the items of both, each once. Items need not be hashable."""
    if first == second:
        return tuple(first)  # what is usual, and faster
    added = [item for item in second if item not in first]
    return (*first, *added)


def _joined_accepted(
    first: Iterable[AcceptedCase], second: Iterable[AcceptedCase]
) -> tuple[AcceptedCase, ...]:
    """Return the cases of both references, each once, as the first reference has it."""
    cases = {}
    for case in (*second, *first):
        cases[case.id, case.variant] = case
    return tuple(cases.values())


# --- runs -----------------------------------------------------------------------------


def joined_info(
    runs: Sequence[Run], results: Sequence[CaseResult], files: Mapping[str, FileInfo]
) -> RunInfo:
    """Return how the whole run was made, joined from what its shards say.

    `results` and `files`: of the whole run.
    """
    infos = [run.info for run in runs]
    first = infos[0]
    has_one_command = all(info.command == first.command for info in infos)
    return RunInfo(
        program=first.program,
        started=_first_start(infos),
        versions=common([info.versions for info in infos]),
        command=first.command if has_one_command else (),
        fingerprint=common([info.fingerprint for info in infos]),
        missing=_missing(infos, results, files),
        faults=faults_to_record(results, _warnings(infos)),
        requires_gates=any(info.requires_gates for info in infos),
        not_run=_not_run(infos),
        errors=_errors(infos, files),
        requires_baseline=any(info.requires_baseline for info in infos),
        findings=_findings(infos),
        replayed=first.replayed,
    )


def _first_start(infos: Iterable[RunInfo]) -> str:
    """Return when the first shard started; "" if no shard says when."""
    times = [info.started for info in infos if info.started]
    return min(times, default="")


def _warnings(infos: Iterable[RunInfo]) -> list[str]:
    """Return the messages of all shards about hooks and fixtures of the project."""
    messages = []
    for info in infos:
        messages += project_warnings(info)
    return messages


def _not_run(infos: Sequence[RunInfo]) -> tuple[str, ...]:
    """Return the case files of the reference of which no shard ran a case."""
    not_run = []
    for file in infos[0].not_run:
        if all(file in info.not_run for info in infos):
            not_run.append(file)
    return tuple(not_run)


def _errors(
    infos: Iterable[RunInfo], files: Mapping[str, FileInfo]
) -> tuple[RunError, ...]:
    """Return the errors of all shards, each once.

    An error in the collection of a file is left out if another shard collected the
    file.
    """
    collected = [info.node for info in files.values()]
    errors = []
    for info in infos:
        for error in info.errors:
            if not _is_collected(error.node, collected):
                errors.append(error)
    return _each_once(errors)


def _is_collected(node: str, collected: Iterable[str]) -> bool:
    """Say whether a file, or any file in a folder, is among `collected`."""
    if not node:
        return False
    return any(each == node or each.startswith(f"{node}/") for each in collected)


def _findings(infos: Sequence[RunInfo]) -> tuple[RunFinding, ...]:
    """Return what the shards report about themselves, each finding once.

    A finding about a part of the run (`is_of_part`) may be wrong for the whole run. So
    such a finding is kept only if all shards have it.
    """
    findings = []
    for info in infos:
        for finding in info.findings:
            is_of_all = all(finding in each.findings for each in infos)
            if is_of_all or not finding.is_of_part:
                findings.append(finding)
    return _each_once(findings)


def _missing(
    infos: Iterable[RunInfo],
    results: Iterable[CaseResult],
    files: Mapping[str, FileInfo],
) -> tuple[str, ...]:
    """Return the node ids of the cases that shards began and no shard finished."""
    unfinished: list[str] = []
    for info in infos:
        unfinished += info.missing
    if not unfinished:
        return ()
    finished = {info.node for info in files.values()}
    for result in results:
        finished.add(result.node)
        if result.file in files:
            file_node = files[result.file].node
            finished.update(f"{file_node}::{name}" for name in result.origin.items)
    finished |= {_without_group(node) for node in finished}
    missing = []
    for node in unfinished:
        if node not in finished and _without_group(node) not in finished:
            missing.append(node)
    return _each_once(missing)


def _without_group(node: str) -> str:
    """Return a node id without the name of a group that `--dist loadgroup` adds."""
    name, sign, _ = node.rpartition("@")
    return name if sign else node
