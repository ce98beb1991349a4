"""`merge_runs`: the records of the shards of one run become one run.

Shards belong together if they found the same case files, with the same text and the
same judgments. A case that several shards ran must have the same result in all of them.
With `last` its last result counts instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pytest_relevance._text import counted, first_few, listed, quoted, with_variant
from pytest_relevance.ext.merging.joining import joined_files, joined_info
from pytest_relevance.reports.run.run_findings import nothing_searched_text
from pytest_relevance.results.case_result import (
    INCONCLUSIVE,
    PASSED,
    CaseResult,
    Key,
)
from pytest_relevance.results.records.added_xfails import with_added_xfails
from pytest_relevance.results.records.fingerprint import Changes, changed
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.records.run_info import (
    FileInfo,
    RunFinding,
    RunInfo,
    whole_files,
)
from pytest_relevance.results.records.uncompared import lacks_reference
from pytest_relevance.results.unseen import Undecided, find_undecided, was_undecided


class Unmergeable(ValueError):
    """The records are not of one run. `reasons` has a sentence for each reason."""

    def __init__(self, reasons: Iterable[str]) -> None:
        self.reasons = tuple(reasons)
        lines = [f"- {reason}" for reason in self.reasons]
        super().__init__("\n".join(["the records cannot be merged:", *lines]))


@dataclass(frozen=True, slots=True)
class Gap:
    """A variant of a search with cases that no record has.

    `found`: how many of its `total` cases the records have.
    """

    file: str
    search: str
    variant: str | None
    found: int
    total: int


@dataclass(frozen=True, slots=True)
class Merged:
    """The whole run, and how it was merged.

    Attributes:
        run: the whole run. Its `missing` has the cases that did not finish in one
            record and are in no other.
        records: how many records were merged.
        again: the cases that several records have, with the same results.
        replaced: the cases with different results, of which the last one counts.
        gaps: the variants with cases that no record has.
        searched: how the fingerprint of a later record differs from the first one.
        undecided: the cases that passed in their records, and that all records together
            show to be undecided. `run` has them as errors.
    """

    run: Run
    records: int
    again: Sequence[Key] = ()
    replaced: Sequence[Key] = ()
    gaps: Sequence[Gap] = ()
    searched: Changes = field(default_factory=dict)
    undecided: Sequence[Undecided] = ()

    @property
    def is_whole(self) -> bool:
        """Whether every case is there, and no file had an error."""
        return not self.gaps and not self.run.info.why_incomplete

    @property
    def has_failed(self) -> bool:
        """Whether the merge fails, even if all gates are met."""
        if not self.is_whole or self.run.info.reasons_to_fail:
            return True
        # also those that an earlier merge found: no shard failed for them
        return any(was_undecided(result) for result in self.run.results)


def merge_runs(runs: Sequence[Run], *, last: bool = False) -> Merged:
    """Return the whole run, merged from runs in the given order.

    `last`: whether the last result of a case counts if its results differ.

    Raises `Unmergeable` if the runs do not belong together, or if a case has different
    results in two of them, without `last`.
    """
    joined = _joined_results(runs)
    reasons = [*_other_versions(runs), *_other_replays(runs), *_other_files(runs)]
    if joined.different and not last:
        reasons.append(_difference_text(joined.different))
    if reasons:
        raise Unmergeable(reasons)
    files = with_added_xfails(joined_files(runs), joined.results)
    undecided = find_undecided(joined.results, whole_files(files, joined.results))
    results = []
    for result in joined.results:
        if result.key in undecided:
            result = undecided[result.key].as_error()
        results.append(result)
    info = joined_info(runs, results, files)
    findings = [*info.findings, *_findings_of_whole(results, files, info)]
    # a run that was merged before has some of these findings already
    info = replace(info, findings=tuple(dict.fromkeys(findings)))
    return Merged(
        run=Run(results, files, info, name="merged"),
        records=len(runs),
        again=joined.again,
        replaced=tuple(joined.different),
        gaps=_gaps(results, files),
        searched=_first_change(runs),
        undecided=tuple(undecided.values()),
    )


# --- the results ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _JoinedResults:
    """The results of all runs, one for each case.

    `again`: the cases that several runs have, with the same results.
    `different`: {case: "RUN and RUN"}, two runs that have different results of a case.
    """

    results: Sequence[CaseResult]
    again: Sequence[Key]
    different: Mapping[Key, str]


def _joined_results(runs: Iterable[Run]) -> _JoinedResults:
    """Return one result for each case: the first, or the last if they differ."""
    results: dict[Hashable, CaseResult] = {}
    run_of: dict[Hashable, str] = {}
    again: dict[Key, None] = {}
    different: dict[Key, str] = {}
    for run in runs:
        for check, result in _numbered(run.results):
            if check in results:
                known = results[check]
                if _is_same(known, result):
                    again[result.key] = None
                    if was_undecided(result):
                        results[check] = result
                    continue
                different[result.key] = f"{run_of[check]} and {run.name}"
            results[check] = result
            run_of[check] = run.name
    return _JoinedResults(
        results=list(results.values()), again=tuple(again), different=different
    )


def _numbered(results: Iterable[CaseResult]) -> Iterator[tuple[Hashable, CaseResult]]:
    """Yield (key, result) for each result; the same case has the same key in all runs.

    The key ends with a number, because a test may check a query several times.
    """
    times: Counter[Hashable] = Counter()
    for result in results:
        check = (result.key, result.search, result.origin.test)
        yield (check, times[check]), result
        times[check] += 1


def _is_same(one: CaseResult, other: CaseResult) -> bool:
    """Say whether two results of a case are the same.

    An earlier merge may have made an error of a result, because all records together
    showed that it is undecided. The error is the same as the result.
    """
    if _is_result_of_error(one, other) or _is_result_of_error(other, one):
        return True
    return _outcome_of(one) == _outcome_of(other)


def _is_result_of_error(result: CaseResult, error: CaseResult) -> bool:
    """Say whether an earlier merge may have made an error of a result."""
    if not was_undecided(error) or result.verdict not in (PASSED, INCONCLUSIVE):
        return False
    return {*error.evaluation.undecided} <= {*result.evaluation.undecided}


def _outcome_of(result: CaseResult) -> tuple[object, ...]:
    """Return the parts of a result that are equal if two results are the same."""
    ranking = result.ranking
    evaluation = result.evaluation
    conditions = result.conditions
    return (
        result.verdict,
        result.outcome,
        ranking.documents,
        ranking.grades,
        evaluation.digest,
        evaluation.scores,
        conditions.k,
        conditions.depth,
        conditions.is_depth_set,
        conditions.settings,
    )


def _gaps(
    results: Iterable[CaseResult], files: Mapping[str, FileInfo]
) -> tuple[Gap, ...]:
    """Return the variants of searches that have cases which no record has."""
    recorded: Counter[tuple[str, str, str | None]] = Counter()
    counted_cases = set()
    for result in results:
        case = (result.key, result.search)
        if case not in counted_cases:
            counted_cases.add(case)
            recorded[result.file, result.search, result.variant] += 1
    gaps = []
    for file, info in files.items():
        for search, variant, total in info.totals:
            count = recorded[file, search, variant]
            if count < total:
                gaps.append(Gap(file, search, variant, count, total))
    return tuple(gaps)


# --- why records do not belong together -----------------------------------------------


def _other_versions(runs: Sequence[Run]) -> list[str]:
    """Return a sentence if different versions of the program made the runs; else []."""
    if len({run.info.program for run in runs}) < 2:
        return []
    made = []
    for run in runs:
        made.append(f"{run.name} by {run.info.program or 'an unknown one'}")
    return [
        "they were made by different versions of pytest-relevance: "
        f"{', '.join(made)}; run the shards with one version"
    ]


def _other_replays(runs: Sequence[Run]) -> list[str]:
    """Return a sentence about the first run with another origin than `runs[0]`.

    [] if all runs have searched, or if all are replays of the same record.
    """
    first = runs[0]
    for run in runs:
        if run.info.replayed != first.info.replayed:
            return [
                f"{first.name} has {_origin(first)}, and {run.name} has {_origin(run)}: "
                "merge the shards of one run, or of a replay of one record"
            ]
    return []


def _origin(run: Run) -> str:
    """Return in words whether a run has searched or replayed."""
    replayed = run.info.replayed
    return "searched" if replayed is None else f"replayed {replayed.name}"


def _other_files(runs: Iterable[Run]) -> list[str]:
    """Return sentences about case files that differ in content or number of cases."""
    first_run: dict[str, Run] = {}
    first_count: dict[tuple[str, str, str | None], tuple[int, str]] = {}
    reasons = []
    for run in runs:
        for file, info in run.files.items():
            first = first_run.setdefault(file, run)
            if first.files[file].digest != info.digest:
                reasons.append(
                    f"{file}, or a file of judgments or queries that it names, is not "
                    f"the same in {first.name} and {run.name}: run the shards on one "
                    "commit"
                )
                continue
            for search, variant, count in info.totals:
                count_before, name_before = first_count.setdefault(
                    (file, search, variant), (count, run.name)
                )
                if count != count_before:
                    reasons.append(
                        f"{file} has {count_before:,} cases in {name_before} and "
                        f"{count:,} in {run.name}, with {with_variant(search, variant)}"
                    )
    return reasons


def _difference_text(different: Mapping[Key, str]) -> str:
    """Return a sentence about cases with different results: {case: "RUN and RUN"}."""
    pairs = dict.fromkeys(different.values())
    names = [quoted(with_variant(case, variant)) for _, case, variant in different]
    return (
        f"{counted(len(different), 'case has', 'cases have')} different results in "
        f"{listed(pairs)}: {first_few(names)}; --last takes the result of the record "
        "that is named last"
    )


# --- what the whole run shows ---------------------------------------------------------


def _findings_of_whole(
    results: Sequence[CaseResult], files: Mapping[str, FileInfo], info: RunInfo
) -> list[RunFinding]:
    """Return why the merge fails, even if all cases are there and all gates are met.

    The findings are marked as those of a part (`is_of_part`), because the merged record
    may be merged with further records.
    """
    findings = []
    nothing = nothing_searched_text(results)
    if nothing and any(file_info.has_baseline for file_info in files.values()):
        text = f"{nothing}; there is a reference to compare with"
        findings.append(_failing(text, "no case was searched"))
    if lacks_reference(results, files, info):
        why = "the run is not compared with all of its reference"
        findings.append(_failing(f"{why}, and relevance_baseline is require", why))
    return findings


def _failing(text: str, because: str) -> RunFinding:
    """Return a finding that fails the merge. `because`: the reason in brief."""
    text = f"{text}, so the merge fails"
    return RunFinding(text, fails=True, is_of_part=True, because=because)


def _first_change(runs: Sequence[Run]) -> Changes:
    """Return how the fingerprint of a later run differs from that of the first run.

    The first later run that differs is taken; {} if none does.
    """
    for run in runs:
        changes = changed(runs[0].info.fingerprint, run.info.fingerprint)
        if changes:
            return changes
    return {}
