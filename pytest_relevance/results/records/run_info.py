"""Define the data of a run beside its results: its case files, and how it was made.

The plugin notes a `FileInfo` when a case file is collected, and makes the `RunInfo` at
the end of the run.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from pytest_relevance._problems import FileError, Problem
from pytest_relevance._text import counted, listed
from pytest_relevance.cases.model import CatalogueFile, Gate, Sample
from pytest_relevance.results.case_result import CaseResult, grouped
from pytest_relevance.results.records.demands import (
    CaseDemands,
    DemandChange,
    OwnDemands,
    demands_of_cases,
)

Lost = tuple[str, str | None, str]
"""A case of the reference that is not compared: its id, its variant, and why."""

Collected = tuple[str, str | None, str, bool, bool]
"""A case that was collected: its id, its variant, its search, whether it should find
something, and whether the reference has a ranking of it.
"""

Total = tuple[str, str | None, int]
"""A search, a variant of it, and how many items a file has in it, whether they were
chosen to run or not.
"""


@dataclass(frozen=True, slots=True)
class AcceptedCase:
    """A case as the reference has it, for gates that may have failed before.

    Attributes:
        id: its id in this run, or in the reference if it is gone.
        variant: the variant of its search.
        weight: its weight in means; None if that is not known.
        tags: its tags.
        scores: {metric: score}; None for a score that was not defined.
        missed: whether it missed a floor or an expectation; None if it had neither of
            them nor a score.
    """

    id: str
    variant: str | None
    weight: float | None
    tags: Sequence[str] = ()
    scores: Mapping[str, float | None] = field(default_factory=dict)
    missed: bool | None = False


@dataclass(frozen=True, slots=True)
class MovedCase:
    """A case that the reference has at another place, with its old and new place."""

    id: str
    variant: str | None
    file_before: str
    id_before: str
    variant_before: str | None


@dataclass(frozen=True, slots=True)
class DrawnQueries:
    """What was drawn from the files of queries of a case file.

    Attributes:
        samples: what was drawn now, from each file with the key `sample`.
        before: what was drawn in the reference.
        entered: how many queries are drawn now that the reference does not know.
        left: how many queries of the reference are still in their file, and are not
            drawn now.
        left_out: how many of the queries that are drawn now `only: judged` leaves out.
    """

    samples: Sequence[Sample] = ()
    before: Sequence[Sample] = ()
    entered: int = 0
    left: int = 0
    left_out: int = 0


class RecordError(FileError):
    """A record or a baseline that cannot be used."""


@dataclass(frozen=True, slots=True)
class FileInfo:
    """The data of a case file other than the results of its cases.

    Attributes:
        path: its path when it was read.
        node: its node id in pytest.
        digest: a digest of its text and of the files that it names.
        totals: `(search, variant, number of items)` for each search and variant.
        items: {case id: number of items}, for cases that have several.
        cases: its cases in each variant, as `Collected`, whether they were chosen to
            run or not.
        gates: its gates.
        has_baseline: whether it is compared: with its baseline, or with the record
            `against`.
        lost: the cases of the reference that are not compared, as far as that is known
            before they run.
        moved: its cases that the reference has under another id, in another file or in
            another variant.
        unclear: the id and variant of new cases that may have been moved; it is not
            clear from where.
        expects_known: whether cases and gates that failed before are expected to fail
            (`--relevance-known=xfail`).
        accepted: the cases of the reference, for gates: with `expects_known` all of
            them, if a gate may have failed before; else those of `lost`, if a gate
            compares with the reference.
        unjudged: a sentence about its listed queries that have no judgments; empty
            if all have some.
        known_items: a sentence about rows that are left out of its known items; empty
            if none are.
        without_floor: sentences about cases that a floor of the suite does not apply
            to, because their score is not defined.
        against: the name of the record that is compared with in the place of its
            baseline; empty for none.
        against_started: when that record was made, in UTC (ISO 8601).
        documents: its catalogue; None for none.
        fingerprint: what was searched when its baseline was accepted.
        demands: what the suite demands of a case that says nothing else; None if that
            is not kept.
        own_demands: what single cases demand other than the suite, by id and variant.
        test_changes: the demands of the test that differ from those in the reference.
        knows_demands: whether the reference has kept what its test demanded.
        drawn: what was drawn from its files of queries; None if nothing was, now and in
            the reference.
    """

    path: str
    node: str = ""
    digest: str = ""
    totals: Sequence[Total] = ()
    items: Mapping[str, int] = field(default_factory=dict)
    cases: Sequence[Collected] = ()
    gates: Sequence[Gate] = ()
    has_baseline: bool = False
    lost: Sequence[Lost] = ()
    moved: Sequence[MovedCase] = ()
    unclear: Sequence[tuple[str, str | None]] = ()
    expects_known: bool = False
    accepted: Sequence[AcceptedCase] = ()
    unjudged: str = ""
    known_items: str = ""
    without_floor: Sequence[str] = ()
    against: str = ""
    against_started: str = ""
    documents: CatalogueFile | None = None
    fingerprint: Mapping[str, Any] = field(default_factory=dict)
    demands: CaseDemands | None = None
    own_demands: Sequence[OwnDemands] = ()
    test_changes: Sequence[DemandChange] = ()
    knows_demands: bool = True
    drawn: DrawnQueries | None = None

    @property
    def total(self) -> int:
        """Return how many items the file has."""
        return sum(count for *_, count in self.totals)

    def demands_of(
        self, keys: Iterable[tuple[str, str | None]]
    ) -> dict[tuple[str, str | None], CaseDemands]:
        """Return what is demanded of cases; nothing if that is not kept."""
        if self.demands is None:
            return {}
        own = demands_of_cases(self.demands, self.own_demands)
        return {key: own.get(key, self.demands) for key in keys}

    def is_whole(self, results: Iterable[CaseResult]) -> bool:
        """Say whether every item of the file ended or was skipped.

        False if an item was left out or cut short.

        `results`: the results of the file.
        """
        ended = Counter((result.search, result.variant) for result in results)
        return all(
            ended[search, variant] >= count for search, variant, count in self.totals
        )


def whole_files(
    files: Mapping[str, FileInfo], results: Iterable[CaseResult]
) -> frozenset[str]:
    """Return the names of the files of which every item ended or was skipped.

    `results`: the results of all files.
    """
    by_file = grouped(results, attrgetter("file"))
    whole = set()
    for name, info in files.items():
        if info.is_whole(by_file.get(name, ())):
            whole.add(name)
    return frozenset(whole)


@dataclass(frozen=True, slots=True)
class RunError:
    """An error of a run that does not belong to a case, for example in a case file.

    Attributes:
        message: what is wrong, and what to do.
        file: the file with the mistake, as messages call it; empty if it is not known.
        line: the line in this file, from 1; 0 if it is not known.
        column: the column in this line, from 1; 0 if it is not known.
        node: the node id of the file or folder that was not collected for this reason;
            empty if all were collected.
    """

    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    node: str = ""

    @property
    def place(self) -> str:
        """Return the known parts of file, line and column.

        They are joined by colons, as in `a.yaml:3:5`.
        """
        return ":".join(
            str(part) for part in (self.file, self.line, self.column) if part
        )

    @property
    def text(self) -> str:
        """Return the place and the message.

        A colon joins them, as in `a.yaml:3:5: no such key`.
        """
        return f"{self.place}: {self.message}" if self.file else self.message

    @property
    def hides_cases(self) -> bool:
        """Say whether this error may have kept cases from being collected.

        True if a case file or a folder was not collected. A test module in Python has
        no cases that a reference has rankings of.
        """
        return bool(self.node) and not self.node.endswith(".py")


@dataclass(frozen=True, slots=True)
class RunFinding:
    """A remark on the run as a whole: what it did not do, or why it fails.

    Attributes:
        text: the sentence, with what to do.
        fails: whether the run fails for this reason.
        brief: the finding in a few words, for the headline of a report; empty if the
            headline says it without.
        is_of_part: whether the finding may be wrong for the whole run, if this run is
            one of several shards.
        because: why the run fails, as a clause: `1 gate is not met`; empty if the run
            does not fail for this, or if `brief` is such a clause.
    """

    text: str
    fails: bool = False
    brief: str = ""
    is_of_part: bool = False
    because: str = ""


@dataclass(frozen=True, slots=True)
class RecordedFault:
    """What is wrong with several cases alike, or with a fixture or hook of the project.

    Attributes:
        kind: a kind of `results.diagnoses`.
        message: what is wrong, in the words of the first case.
        frame: the innermost frame of the project; empty without one.
        cases: how many cases have it; 0 if it belongs to no case.
        first: the node id of the first case.
    """

    kind: str
    message: str
    frame: str = ""
    cases: int = 0
    first: str = ""


@dataclass(frozen=True, slots=True)
class Replayed:
    """The record whose rankings a run has judged without calling a search.

    Attributes:
        name: what messages call the record.
        started: when its run began, in UTC (ISO 8601).
        fingerprint: what was searched in its run.
    """

    name: str
    started: str = ""
    fingerprint: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunInfo:
    """How a run was made, and what of it did not finish.

    Attributes:
        program: the version of pytest-relevance.
        started: when it began, in UTC (ISO 8601).
        versions: the versions of Python and pytest, by their names.
        command: the arguments of the command line, the name of the program first.
        fingerprint: what was searched: names with texts, numbers or booleans.
        missing: the node ids of cases that were to run and did not finish.
        faults: what is wrong with several cases alike, and errors of fixtures and hooks
            of the project.
        requires_gates: whether a gate without a verdict has failed
            (`--relevance-gates=require`).
        not_run: the case files that the reference knows and that did not run: they are
            gone, or were not chosen to run.
        errors: the errors that do not belong to a case, for example a mistake in a case
            file or in a conftest.py.
        requires_baseline: whether the run fails if a case is not compared
            (`--relevance-baseline=require`).
        is_part: whether the run looked only at some of the cases: the command line
            chose them, or the run was broken off.
        findings: what the run did not do, and why it fails other than for a case, a
            gate or an error.
        replayed: the record whose rankings were judged (`pytest-relevance replay`);
            None if searches were called.
    """

    program: str = ""
    started: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    command: Sequence[str] = ()
    fingerprint: Mapping[str, Any] = field(default_factory=dict)
    missing: Sequence[str] = ()
    faults: Sequence[RecordedFault] = ()
    requires_gates: bool = False
    not_run: Sequence[str] = ()
    errors: Sequence[RunError] = ()
    requires_baseline: bool = False
    is_part: bool = False
    findings: Sequence[RunFinding] = ()
    replayed: Replayed | None = None

    @property
    def uncollected(self) -> Sequence[RunError]:
        """Return the errors that kept a file or a folder from being collected."""
        return [error for error in self.errors if error.node]

    @property
    def reasons_to_fail(self) -> Sequence[RunFinding]:
        """Return the findings that make the run fail."""
        return [finding for finding in self.findings if finding.fails]

    @property
    def why_incomplete(self) -> str:
        """Return why the run is not complete: `2 cases did not finish`; empty if it is.

        Cases are missing, or an error has kept case files from being collected.
        """
        parts = []
        hiding = [error for error in self.errors if error.hides_cases]
        if hiding:
            parts.append(f"{files_with_errors(hiding)} ({hiding[0].text})")
        if self.missing:
            parts.append(f"{counted(len(self.missing), 'case')} did not finish")
        return ", and ".join(parts)


def errors_in_file(error: FileError, most: int, *, node: str = "") -> list[RunError]:
    """Return the first `most` mistakes of a file, and one more that counts the rest.

    `node` is the node id of the file that was not collected because of them.
    """
    errors = [_error_of(problem, error.file, node) for problem in error.problems[:most]]
    more = len(error.problems) - most
    if more > 0:
        at_least = "at least " if error.at_least else ""
        message = f"... and {at_least}{counted(more, 'more problem')}"
        errors.append(RunError(message, file=posix(error.file), node=node))
    return errors


def _error_of(problem: Problem, file: str, node: str) -> RunError:
    place = problem.place
    message = f"{place.path}: {problem.message}" if place.path else problem.message
    if problem.case:
        message = f"{message} (in case {problem.case})"
    if place.file:  # messages show no columns of other files
        return RunError(message, posix(place.file), place.line, node=node)
    return RunError(message, posix(file), place.line, place.column, node)


def posix(file: str) -> str:
    """Return the name of a file with slashes, as results have it on every system."""
    return file.replace(os.sep, "/")


def file_names(files: Sequence[Collection[str]]) -> Callable[[str], str]:
    """Return a function that maps a case file to a name that all runs share.

    Two checkouts may have a file in different folders, so the name has no folders. It
    has them if two files of a run have the same name without folders. It is empty if no
    run has several files.

    `files`: the case files of each run.
    """
    if all(len(own) <= 1 for own in files):
        return lambda file: ""
    for own in files:
        if len({without_folders(file) for file in own}) < len(own):
            return str
    return without_folders


def without_folders(file: str) -> str:
    """Return the name of a file without its folders."""
    return file.rpartition("/")[2]


def files_with_errors(errors: Iterable[RunError]) -> str:
    """Return how many files have errors: `2 files have errors`.

    An error without a file counts as a file.
    """
    files = set()
    others = 0
    for error in errors:
        if error.file:
            files.add(error.file)
        else:
            others += 1
    parts = []
    if files:
        parts.append(counted(len(files), "file has an error", "files have errors"))
    if others:
        parts.append(counted(others, "error"))
    return listed(parts, "and")
