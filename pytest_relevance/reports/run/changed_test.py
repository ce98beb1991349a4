"""What changed in the demands of a run since its reference.

The data are the `test_changes` of each case file, and cases that are gone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.records.demands import (
    JUDGMENTS,
    PASSAGES,
    SKIP,
    DemandChange,
)
from pytest_relevance.results.records.run_info import FileInfo, RunInfo
from pytest_relevance.results.records.uncompared import (
    GONE,
    IRRELEVANT,
    LEFT_OUT,
    MARKED_SKIP,
    UNDEFINED,
    UNJUDGED,
    UncomparedCase,
    lost_cases,
)

OF_JUDGMENTS = (JUDGMENTS, PASSAGES)
"""The keys of changes without values before and now. The case file shows these."""

OF_TEST = frozenset({GONE, LEFT_OUT})
"""Why a case is lost, if somebody removed it from the case file."""

_UNSCORED = frozenset({UNJUDGED, IRRELEVANT, UNDEFINED})
"""Why a case is lost, if its judgments changed. It is reported only as lost."""


ChangeInFile = tuple[str, DemandChange]
"""A case file, and a change of its demands."""


@dataclass(frozen=True, slots=True)
class ChangedTest:
    """What changed in the demands since the reference.

    `gone`: the cases of the reference that the test does not have now.
    `looser`, `stricter`: all other changes.
    """

    gone: Sequence[UncomparedCase]
    looser: Sequence[ChangeInFile]
    stricter: Sequence[ChangeInFile]

    @classmethod
    def of(
        cls, changes: Iterable[ChangeInFile], gone: Sequence[UncomparedCase] = ()
    ) -> ChangedTest:
        """Return changes of demands, sorted into looser and stricter ones."""
        looser = []
        stricter = []
        for file, change in changes:
            if change.is_looser:
                looser.append((file, change))
            else:
                stricter.append((file, change))
        return cls(gone, looser, stricter)

    @property
    def is_looser(self) -> bool:
        """Whether something may pass now that failed then."""
        return bool(self.gone or self.looser)

    def of_cases(self, cases: Collection[str]) -> ChangedTest:
        """Return only the changes of the cases with these ids.

        Changes of gates and cases that are gone are left out.
        """
        looser = _of_cases(self.looser, cases)
        return ChangedTest((), looser, _of_cases(self.stricter, cases))


def _of_cases(
    changes: Iterable[ChangeInFile], cases: Collection[str]
) -> list[ChangeInFile]:
    """Return the changes that concern any of these cases, without other cases."""
    found = []
    for file, change in changes:
        of_change = tuple(case for case in change.cases if case in cases)
        if of_change:
            found.append((file, replace(change, cases=of_change)))
    return found


def changed_test(
    results: Sequence[CaseResult], files: Mapping[str, FileInfo], info: RunInfo
) -> ChangedTest:
    """Return what changed in the demands of a run since its reference.

    Changed judgments of a case that lost its score are left out.
    """
    changes = []
    lost = lost_cases(files, results, info)
    without_score = {(case.file, case.id) for case in lost if case.why in _UNSCORED}
    for file, file_info in files.items():
        for change in file_info.test_changes:
            if change.key in OF_JUDGMENTS:
                change = _without_cases(file, change, without_score)
                if not change.cases:
                    continue
            changes.append((file, change))
    gone = [case for case in lost if case.why in OF_TEST]
    return ChangedTest.of(changes, gone)


def _without_cases(
    file: str, change: DemandChange, others: Collection[tuple[str, str]]
) -> DemandChange:
    """Return a change without the cases in `others`: (file, id of a case)."""
    left = tuple(case for case in change.cases if (file, case) not in others)
    return replace(change, cases=left)


@dataclass(frozen=True, slots=True)
class LooserFiles:
    """The case files whose demands are looser than in their baselines.

    `names`: the files.
    `by_judgments`: whether only judgments or passages changed in them.
    """

    names: Sequence[str] = ()
    by_judgments: bool = False


NONE_LOOSER = LooserFiles()


def looser_files(
    results: Sequence[CaseResult], files: Mapping[str, FileInfo], info: RunInfo
) -> LooserFiles:
    """Return the case files whose demands are looser than in their baselines.

    Files that are compared with a record are left out: no update accepts their demands.
    """
    changed = changed_test(results, files, info)
    keys_of_file: dict[str, set[str]] = {}
    for case in changed.gone:
        keys_of_file.setdefault(case.file, set()).add(case.why)
    for file, change in changed.looser:
        keys_of_file.setdefault(file, set()).add(change.key)
    names = []
    keys: set[str] = set()
    for name, of_file in keys_of_file.items():
        file_info = files.get(name)
        if file_info is not None and not file_info.against:
            names.append(name)
            keys |= of_file
    is_by_judgments = bool(keys) and keys <= {*OF_JUDGMENTS}
    return LooserFiles(names, by_judgments=is_by_judgments)


def lost_otherwise(
    lost: Iterable[UncomparedCase], files: Mapping[str, FileInfo]
) -> list[UncomparedCase]:
    """Return the lost cases that no sentence about changed demands names.

    These are not cases that were removed or that `only: judged` leaves out, and not
    cases that are newly skipped.
    """
    skipped: set[tuple[str, str]] = set()
    for file, info in files.items():
        for change in info.test_changes:
            if change.key == SKIP and change.is_looser:
                skipped.update((file, case) for case in change.cases)
    left = []
    for case in lost:
        is_skip = case.why == MARKED_SKIP and (case.file, case.id) in skipped
        if case.why not in OF_TEST and not is_skip:
            left.append(case)
    return left
