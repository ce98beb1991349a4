"""Which failures of a run are shown in full, which in a line each, and which
together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_relevance.reports.styled_lines import Line
from pytest_relevance.reports.terminal_text import WIDEST
from pytest_relevance.results.case_result import (
    NOT_SEARCHED,
    SKIPPED,
    CaseResult,
    Key,
    has_failed,
)

if TYPE_CHECKING:
    from pytest_relevance.results.records.run import Run

MOST_IN_FULL = 20
"""How many failures are shown in full at most."""

MOST_LINES = 60
"""After how many lines no further failure is shown in full."""

IN_FULL, IN_BRIEF, ALIKE = "in full", "in brief", "alike"
"""How failures are shown: each by itself, a line each in one table, or all in one
sentence.
"""

_FEW = 2  # failures that are not worth a table


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Failures that are shown together, by their places; one if it is shown in full."""

    how: str
    places: list[int]


def shown_failures(
    failures: Sequence[CaseResult | None],
    explained: Mapping[Key, int],
    length: Callable[[int], int],
    *,
    folds: bool = True,
) -> list[FailureGroup]:
    """Choose how failures are shown, in their order.

    A failure is `ALIKE` if the diagnosis of an earlier one explains it: `explained` has
    the numbers of diagnoses. With `folds` it is `IN_BRIEF` if it failed before, or
    after the first `MOST_IN_FULL` failures or `MOST_LINES` lines; `length` says how
    many lines the failure at a place takes. Others are `IN_FULL`, and so is None, which
    stands for a failure of another test.
    """
    from pytest_relevance.results.failures import FAILED_BEFORE, failure_kind

    groups: dict[tuple[str, int], list[int]] = {}
    diagnoses_in_full: set[int] = set()
    shown = lines = 0
    has_enough = False
    for place, result in enumerate(failures):
        is_full = shown >= MOST_IN_FULL or lines >= MOST_LINES
        if is_full and len(failures) - place > _FEW:
            has_enough = True
        diagnosis = None if result is None else explained.get(result.key)
        if result is None:
            key = (IN_FULL, place)
        elif diagnosis is not None and diagnosis in diagnoses_in_full:
            key = (ALIKE, diagnosis)
        elif folds and (has_enough or failure_kind(result) == FAILED_BEFORE):
            key = (IN_BRIEF, 0)
        else:
            key = (IN_FULL, place)
            shown += 1
            if folds:
                lines += length(place)
            if diagnosis is not None:
                diagnoses_in_full.add(diagnosis)
        groups.setdefault(key, []).append(place)
    return [FailureGroup(how, places) for (how, _), places in groups.items()]


# --- of a run that is over ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReportedCases:
    """Cases that a report shows together; one if it is shown in full."""

    how: str
    results: Sequence[CaseResult]


def cases_to_report(
    run: Run, verbosity: int = 0, *, folds: bool = True, width: int = WIDEST
) -> Iterator[ReportedCases]:
    """Choose the cases that a report shows, and how: see `shown_failures`.

    First those that failed; with a verbosity of 2 the others too; then those that were
    not searched, together. Without `folds` no case is shown in brief.
    """
    from pytest_relevance.results import diagnoses
    from pytest_relevance.results.failures import in_failure_order

    results = []
    for result in in_failure_order(run.results):
        if result.status != NOT_SEARCHED and _is_shown(result, verbosity):
            results.append(result)
    explained = diagnoses.explained_failures(diagnoses.diagnose(run.results))

    def length(place: int) -> int:
        return len(case_lines(results[place], run, verbosity, width)) + 2

    folds = folds and verbosity == 0
    for group in shown_failures(results, explained, length, folds=folds):
        yield ReportedCases(group.how, [results[place] for place in group.places])
    given_up = diagnoses.not_searched(run.results)
    if given_up:
        yield ReportedCases(ALIKE, given_up)


def new_failures(run: Run, verbosity: int = 0) -> Iterator[ReportedCases]:
    """Choose the cases to report as `cases_to_report` does, with none in brief.

    Cases that failed before are left out, unless `verbosity` is above 0.
    """
    from pytest_relevance.results.failures import FAILED_BEFORE, failure_kind

    for reported in cases_to_report(run, verbosity, folds=False):
        if verbosity > 0 or failure_kind(reported.results[0]) != FAILED_BEFORE:
            yield reported


def _is_shown(result: CaseResult, verbosity: int) -> bool:
    if has_failed(result):
        return True
    has_ranking = bool(result.ranking.documents) and result.status != SKIPPED
    return verbosity > 1 and has_ranking


def case_lines(result: CaseResult, run: Run, verbosity: int, width: int) -> list[Line]:
    """Write the report of a case of a run."""
    from pytest_relevance.reports.failure import failure_lines

    return failure_lines(result, verbosity=verbosity, width=width, others=run.results)
