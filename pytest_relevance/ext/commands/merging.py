"""The records of the shards of one run, merged: what overlaps and what is missing.

Shards belong together when they found the same case files, with the same text and the
same judgments. A case that several shards ran must have the same result in all, unless
the last one is to count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pytest_relevance._text import counted, first_few, listed, quoted, with_variant
from pytest_relevance.results.case_result import CaseResult, Key
from pytest_relevance.results.diagnoses import faults_to_record, project_faults
from pytest_relevance.results.records.fingerprint import Changes, changed, common
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.records.run_info import (
    AcceptedCase,
    FileInfo,
    RunError,
    RunFinding,
    RunInfo,
)
from pytest_relevance.results.unseen import Undecided, find_undecided

_Match = tuple[str | int | None, ...]
"""The key by which results are matched: key, search, the test that checked it, and
which check of that test it is.
"""


class Unmergeable(ValueError):
    """Raised for records that are not of one run; `reasons` has every reason."""

    def __init__(self, reasons: Iterable[str]) -> None:
        self.reasons = tuple(reasons)
        super().__init__(
            "\n".join(
                [
                    "the records cannot be merged:",
                    *(f"- {reason}" for reason in self.reasons),
                ]
            )
        )


@dataclass(frozen=True, slots=True)
class Gap:
    """Cases of a file that no record has, in one variant of a search: `found` of
    `total` are there.
    """

    file: str
    search: str
    variant: str | None
    found: int
    total: int


@dataclass(frozen=True, slots=True)
class Merged:
    """The whole run. `run.missing` is what did not finish in one record and is in none.

    `again` are the cases that several records have, with the same results; `replaced`
    those whose last result counts. `searched` is how the fingerprint of another record
    differs from the first record's, if any does. `undecided` are the cases that passed
    in a record, and that all records together show to be undecided: the run has them as
    errors.
    """

    run: Run
    again: tuple[Key, ...] = ()
    replaced: tuple[Key, ...] = ()
    gaps: tuple[Gap, ...] = ()
    searched: Changes = field(default_factory=dict)
    undecided: tuple[Undecided, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether every case is there, and no file had an error."""
        return not (self.gaps or self.run.info.why_incomplete)


def _came_to(result: CaseResult) -> tuple[object, ...]:
    """What two runs of a case have to agree in for their results to count as equal."""
    ranking, evaluation, conditions = (
        result.ranking,
        result.evaluation,
        result.conditions,
    )
    return (
        *(
            result.verdict,
            result.outcome,
            ranking.documents,
            ranking.grades,
            evaluation.digest,
            evaluation.scores,
        ),
        *(conditions.k, conditions.depth, conditions.is_depth_set, conditions.settings),
    )


def merge_runs(
    runs: Sequence[Run], *, last: bool = False, name: str = "merged"
) -> Merged:
    """Merge runs, in the order in which they are given.

    Raises `Unmergeable` where they do not belong together, or where a case has
    different results in two of them; with `last` the last of its results counts.
    """
    reasons = [*_other_files(runs)]
    if len({run.info.program for run in runs}) > 1:
        made = ", ".join(
            f"{run.name} by {run.info.program or 'an unknown one'}" for run in runs
        )
        wrong = "they were made by different versions of pytest-relevance"
        reasons.insert(0, f"{wrong}: {made}; run the shards with one version")
    found: dict[_Match, tuple[CaseResult, Run]] = {}
    again: dict[Key, None] = {}
    different: dict[Key, tuple[Run, Run]] = {}
    for run in runs:
        for match, result in _matched(run.results):
            if match in found:
                before, other = found[match]
                if _came_to(before) == _came_to(result):
                    again[result.key] = None
                    continue
                different[result.key] = other, run
            found[match] = result, run
    if different and not last:
        pairs = dict.fromkeys(
            f"{one.name} and {two.name}" for one, two in different.values()
        )
        names = [quoted(with_variant(case, variant)) for _, case, variant in different]
        differ = f"{counted(len(different), 'case')} came to something else in {listed(pairs)}: {first_few(names)}"
        reasons.append(
            f"{differ}; --last takes the result of the record that is named last"
        )
    if reasons:
        raise Unmergeable(reasons)
    results = [result for result, _ in found.values()]
    found.clear()  # what follows needs as much memory
    files = _all_files(runs)
    undecided = _undecided_of_whole(results, files)
    results = [
        undecided[result.key].as_error() if result.key in undecided else result
        for result in results
    ]
    whole = Run(results, files, _joined_info(runs, results, files), name=name)
    changes = (changed(runs[0].info.fingerprint, run.info.fingerprint) for run in runs)
    searched = next(filter(None, changes), {})
    return Merged(
        whole,
        tuple(again),
        tuple(different),
        tuple(_gaps(results, files)),
        searched,
        tuple(undecided.values()),
    )


def _undecided_of_whole(
    results: Sequence[CaseResult], files: Mapping[str, FileInfo]
) -> dict[Key, Undecided]:
    """The cases that are not decided, of the files of which all cases are there."""
    whole = [file for file, info in files.items() if info.is_whole(results, file)]
    return find_undecided(results, whole)


def _other_files(runs: Sequence[Run]) -> Iterator[str]:
    """Why the runs are not of the same case files."""
    first: dict[str, tuple[FileInfo, Run]] = {}
    counts: dict[tuple[str, str, str | None], tuple[int, Run]] = {}
    for run in runs:
        for file, info in run.files.items():
            known, other = first.setdefault(file, (info, run))
            if known.digest != info.digest:
                yield (
                    f"{file}, or a file of judgments or queries that it names, is not the same in {other.name} and "
                    f"{run.name}: run the shards on one commit"
                )
                continue
            for search, variant, count in info.totals:
                before, other = counts.setdefault((file, search, variant), (count, run))
                if before != count:
                    yield (
                        f"{file} has {before:,} cases in {other.name} and {count:,} in {run.name}, "
                        f"with {with_variant(search, variant)}"
                    )


def _matched(results: Iterable[CaseResult]) -> Iterator[tuple[_Match, CaseResult]]:
    """Each result with a key that other runs share; it numbers the checks of one query
    by one test.
    """
    times: Counter[tuple[str | None, ...]] = Counter()
    for result in results:
        known = *result.key, result.search, result.origin.test
        yield (*known, times[known]), result
        times[known] += 1


def _all_files(runs: Iterable[Run]) -> dict[str, FileInfo]:
    """The files of all runs; the shards of a matrix may each have variants of their
    own.

    A case of the baseline is lost where every run that found the file has lost it.
    """
    files: dict[str, FileInfo] = {}
    for run in runs:
        for file, info in run.files.items():
            known = files.setdefault(file, info)
            totals = tuple(dict.fromkeys([*known.totals, *info.totals]))
            lost = tuple(each for each in known.lost if each in info.lost)
            files[file] = replace(
                known,
                totals=totals,
                items={**known.items, **info.items},
                lost=lost,
                moved=tuple(dict.fromkeys([*known.moved, *info.moved])),
                unclear=tuple(dict.fromkeys([*known.unclear, *info.unclear])),
                expects_known=known.expects_known and info.expects_known,
                cases=tuple(dict.fromkeys([*known.cases, *info.cases])),
                accepted=_joined_cases(known.accepted, info.accepted),
            )
    return files


def _joined_cases(
    first: Iterable[AcceptedCase], second: Iterable[AcceptedCase]
) -> tuple[AcceptedCase, ...]:
    """The cases of the reference that either shard knows, each once."""
    found = {(case.id, case.variant): case for case in second}
    found.update({(case.id, case.variant): case for case in first})
    return tuple(found.values())


def _gaps(
    results: Iterable[CaseResult], files: Mapping[str, FileInfo]
) -> Iterator[Gap]:
    # a result that is there twice counts once
    keys = {(*result.key, result.search) for result in results}
    found = Counter((file, search, variant) for file, _, variant, search in keys)
    for file, info in files.items():
        for search, variant, total in info.totals:
            count = found[file, search, variant]
            if count < total:
                yield Gap(file, search, variant, count, total)


def _joined_info(
    runs: Sequence[Run], results: Iterable[CaseResult], files: Mapping[str, FileInfo]
) -> RunInfo:
    """How the whole run was made: what all runs have in common, what none finished, and
    the faults of the whole.
    """
    infos = [run.info for run in runs]
    warnings = (fault.message for info in infos for fault in project_faults(info))
    faults = faults_to_record(results, warnings)
    started = min((info.started for info in infos if info.started), default="")
    command = (
        infos[0].command
        if all(info.command == infos[0].command for info in infos)
        else ()
    )
    versions, fingerprint = (
        common([getattr(info, name) for info in infos])
        for name in ("versions", "fingerprint")
    )
    missing = _missing(infos, results, files)
    not_run = tuple(
        file for file in infos[0].not_run if all(file in info.not_run for info in infos)
    )
    return RunInfo(
        program=infos[0].program,
        started=started,
        versions=versions,
        command=command,
        fingerprint=fingerprint,
        missing=missing,
        faults=faults,
        requires_gates=any(info.requires_gates for info in infos),
        not_run=not_run,
        errors=_errors(infos, files),
        requires_baseline=any(info.requires_baseline for info in infos),
        findings=_findings(infos),
    )


def _errors(
    infos: Iterable[RunInfo], files: Mapping[str, FileInfo]
) -> tuple[RunError, ...]:
    """The errors of all runs, each once. An error that kept a file from being collected
    is left out if one run has it.
    """
    collected = [info.node for info in files.values()]
    errors: list[RunError] = []
    for info in infos:
        for error in info.errors:
            if error not in errors and not _is_collected(error.node, collected):
                errors.append(error)
    return tuple(errors)


def _findings(infos: Iterable[RunInfo]) -> tuple[RunFinding, ...]:
    """Return what the runs say about themselves, each once.

    What a shard says of its part may be wrong for the whole. It counts if all shards
    say it.
    """
    of_runs = [info.findings for info in infos]
    found: list[RunFinding] = []
    for findings in of_runs:
        for finding in findings:
            is_shared = all(finding in others for others in of_runs)
            if finding not in found and (is_shared or not finding.is_of_part):
                found.append(finding)
    return tuple(found)


def _is_collected(node: str, collected: Iterable[str]) -> bool:
    """Whether a file, or a file in a folder, is among those that were collected."""
    if not node:
        return False
    return any(each == node or each.startswith(f"{node}/") for each in collected)


def _missing(
    infos: Iterable[RunInfo],
    results: Iterable[CaseResult],
    files: Mapping[str, FileInfo],
) -> tuple[str, ...]:
    """The node ids of cases that some run did not finish, and no run did."""
    missing = dict.fromkeys(name for info in infos for name in info.missing)
    if not missing:
        return ()
    finished = {info.node for info in files.values()}
    for result in results:
        info = files.get(result.file)
        finished |= {
            result.node,
            *(
                f"{info.node}::{name}"
                for name in result.origin.items
                if info is not None
            ),
        }
    # `--dist loadgroup` of pytest-xdist appends the name of a group to node ids
    known = finished | {node.rpartition("@")[0] for node in finished}
    return tuple(
        name
        for name in missing
        if name not in known and name.rpartition("@")[0] not in finished
    )
