"""The data of a run other than its results: its case files, and how it was made."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_relevance._problems import FileError, Problem
from pytest_relevance._text import counted, listed
from pytest_relevance.cases.model import CatalogueFile, RecordedGate
from pytest_relevance.results.case_result import CaseResult

Lost = tuple[str, str | None, str]
"""A case of the baseline that is not compared: its id, its variant, and why."""

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
    """A case as its reference has it, for gates that ask whether they failed before.

    Attributes:
        id: its id in this run, or in the reference if it is gone.
        variant: the variant of its search.
        weight: its weight in means then; None if that is not known.
        tags: its tags then.
        scores: its scores then, by the names of the metrics; None: not defined.
        missed: whether it missed a floor or an expectation then; None: there was
            nothing to miss, and no score.
    """

    id: str
    variant: str | None
    weight: float | None
    tags: Sequence[str] = ()
    scores: Mapping[str, float | None] = field(default_factory=dict)
    missed: bool | None = False


@dataclass(frozen=True, slots=True)
class MovedCase:
    """A case that the reference has at another place: its place now, and before."""

    id: str
    variant: str | None
    file_before: str
    id_before: str
    variant_before: str | None


class RecordError(FileError):
    """A record or a baseline that cannot be used."""


@dataclass(frozen=True, slots=True)
class FileInfo:
    """The data of a case file other than the results of its cases.

    Attributes:
        path: its path when it was read.
        node: its node id in pytest.
        digest: the digest of its text and of the files that it names; equal digests
            mean equal contents.
        totals: how many items it has, `(search, variant, count)` for each search and
            variant.
        items: by the id of a case that has several items, how many.
        gates: its gates.
        has_baseline: whether it is compared: with its baseline, or with the record
            `against`.
        cases: its cases in each variant, as `Collected`, whether they were chosen to
            run or not.
        lost: the cases of the baseline that are not compared, as far as that is known
            before they run.
        expects_known: whether cases and gates that failed before are expected to fail
            (`--relevance-known=xfail`).
        moved: its cases that the reference has under another id, in another file or in
            another variant.
        unclear: its new cases that may have been moved, by id and variant; it is not
            clear from where.
        accepted: what the reference has of each case, for gates that may have failed
            before; only if that is expected.
        without_floor: sentences about the cases that a floor of the suite does not
            hold, as their score is not defined.
        unjudged: a sentence about its listed queries that have no judgments; empty
            if all have some.
        against: the name of the record that is compared with in the place of its
            baseline; empty for none.
        documents: its catalogue; None for none.
        fingerprint: what was searched when its baseline was accepted.
    """

    path: str
    node: str = ""
    digest: str = ""
    totals: Sequence[Total] = ()
    items: Mapping[str, int] = field(default_factory=dict)
    cases: Sequence[Collected] = ()
    gates: Sequence[RecordedGate] = ()
    has_baseline: bool = False
    lost: Sequence[Lost] = ()
    moved: Sequence[MovedCase] = ()
    unclear: Sequence[tuple[str, str | None]] = ()
    expects_known: bool = False
    accepted: Sequence[AcceptedCase] = ()
    unjudged: str = ""
    without_floor: Sequence[str] = ()
    against: str = ""
    documents: CatalogueFile | None = None
    fingerprint: Mapping[str, Any] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """Return how many items the file has."""
        return sum(count for *_, count in self.totals)

    def is_whole(self, results: Iterable[CaseResult], file: str) -> bool:
        """Say whether every item of the file ended or was skipped.

        None was left out or cut short. An item that ended several times counts once for
        each. `file` is the name of the file in results.
        """
        ended = Counter(
            (result.search, result.variant) for result in results if result.file == file
        )
        return all(
            ended[search, variant] >= count for search, variant, count in self.totals
        )


@dataclass(frozen=True, slots=True)
class RunError:
    """An error of a run that is not the error of a case.

    It is in a case file or a conftest.py, for example.

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
        """Return the file, the line and the column that are known, joined by colons."""
        return ":".join(
            str(part) for part in (self.file, self.line, self.column) if part
        )

    @property
    def text(self) -> str:
        """Return the place and the message, joined by a colon."""
        return f"{self.place}: {self.message}" if self.file else self.message

    @property
    def hides_cases(self) -> bool:
        """Say whether cases may be missing because of this error.

        Its file or folder may have cases. The module of a test in Python has none: no
        reference has rankings of such tests.
        """
        return bool(self.node) and not self.node.endswith(".py")


@dataclass(frozen=True, slots=True)
class RunFinding:
    """What a run says about itself: what is missing, or why it fails without a case.

    Attributes:
        text: the sentence, with what to do.
        fails: whether the run fails for this reason.
        brief: the finding in a few words, for the headline of a report; empty if the
            headline says it without.
        is_of_part: whether it may be wrong for the whole, if the run is one of several
            shards.
    """

    text: str
    fails: bool = False
    brief: str = ""
    is_of_part: bool = False


@dataclass(frozen=True, slots=True)
class RecordedFault:
    """What several cases have in common, or an error in a fixture or hook.

    Attributes:
        kind: a kind of `results.diagnoses`.
        message: what is wrong, as the first case has it.
        frame: the innermost frame of the project, if there is one.
        cases: how many cases have it; 0 if it belongs to no case.
        first: the node id of the first case.
    """

    kind: str
    message: str
    frame: str = ""
    cases: int = 0
    first: str = ""


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
        faults: the errors that several cases have in common, and the errors of fixtures
            and hooks of the project.
        requires_gates: whether a gate without a verdict has failed
            (`--relevance-gates=require`).
        not_run: the case files of the baseline of which nothing ran: they are gone, or
            were not chosen to run.
        errors: the errors that are not those of a case, such as a mistake in a case
            file or in a conftest.py.
        requires_baseline: whether the run fails for what is not compared
            (`--relevance-baseline=require`).
        is_part: whether the run was to look at a part of the cases: the command line
            chose some, or the run was broken off.
        findings: what is missing from the run, and why it fails other than for a case,
            a gate or an error.
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

    @property
    def uncollected(self) -> Sequence[RunError]:
        """Return the errors for which a file or a folder was not collected."""
        return [error for error in self.errors if error.node]

    @property
    def reasons_to_fail(self) -> Sequence[RunFinding]:
        """Return the findings for which the run fails."""
        return [finding for finding in self.findings if finding.fails]

    @property
    def why_incomplete(self) -> str:
        """Say why cases may be missing: `2 cases did not finish`.

        Empty if the run is complete.
        """
        parts = []
        hiding = [error for error in self.errors if error.hides_cases]
        if hiding:
            parts.append(f"{files_with_errors(hiding)} ({hiding[0].text})")
        if self.missing:
            parts.append(f"{counted(len(self.missing), 'case')} did not finish")
        return ", and ".join(parts)


def errors_in_file(error: FileError, most: int, *, node: str = "") -> list[RunError]:
    """Return the first mistakes of a file, and a last one that counts the others.

    There are at most `most` of them. `node` is the node id of what was not collected
    because of them.
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
    """Write the name of a file with slashes, as results have it on every system."""
    return file.replace(os.sep, "/")


def file_names(files: Sequence[Collection[str]]) -> Callable[[str], str]:
    """Return a function that maps a case file to its name for matching several runs.

    Two checkouts may have a file in different folders. `files` are those of each run.
    """
    if all(len(own) <= 1 for own in files):
        return lambda file: ""
    for own in files:
        if len({_without_folder(file) for file in own}) < len(own):
            return str
    return _without_folder


def _without_folder(file: str) -> str:
    return file.rpartition("/")[2]


def files_with_errors(errors: Iterable[RunError]) -> str:
    """Write how many files have errors: `2 files have errors`.

    An error without a file counts for itself.
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
