"""How the failures of a run are shown: in full, in a line each, or in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_relevance._text import counted, first_few, listed
from pytest_relevance.reports.brief_reasons import reason_in_brief
from pytest_relevance.reports.cells import Cell, Column
from pytest_relevance.reports.labels import case_heading, case_label, search_label
from pytest_relevance.reports.run.variant_labels import short_label, variants_of
from pytest_relevance.reports.styled_lines import Line
from pytest_relevance.reports.table import Table
from pytest_relevance.reports.terminal_text import WIDEST, cut_document
from pytest_relevance.results import diagnoses
from pytest_relevance.results.case_result import (
    NOT_SEARCHED,
    SKIPPED,
    CaseResult,
    Key,
    has_failed,
)
from pytest_relevance.results.failures import (
    FAILED_BEFORE,
    failure_kind,
    in_failure_order,
)

if TYPE_CHECKING:
    from pytest_relevance.results.records.run import Run

MOST_IN_FULL = 20
"""The most failures that are shown in full."""

MOST_LINES = 60
"""After how many lines no further failure is shown in full."""

IN_FULL, IN_BRIEF, ALIKE = "in full", "in brief", "alike"
"""How failures are shown: each by itself, as lines of one table, or in one sentence."""

_MOST_NAMED = 10
_FEW = 2  # failures that are not worth a table


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Failures that are shown together. A failure that is shown in full is alone.

    `how`: `IN_FULL`, `IN_BRIEF` or `ALIKE`.
    `places`: the indexes of the failures.
    """

    how: str
    places: list[int]


def shown_failures(
    failures: Sequence[CaseResult | None],
    explained: Mapping[Key, int],
    length: Callable[[int], int],
    *,
    folds: bool,
) -> list[FailureGroup]:
    """Return how failures are shown, in groups in the order of their first failures.

    - `ALIKE`: an earlier failure with the same diagnosis is shown in full.
    - `IN_BRIEF`: the case failed before, or `MOST_IN_FULL` failures or `MOST_LINES`
      lines are shown in full before it.
    - `IN_FULL`: any other failure.

    `failures`: in the order of the report; None for a failed test of another kind.
    `explained`: {key of a case: number of its diagnosis}.
    `length`: returns how many lines the failure at an index takes in full.
    `folds`: whether failures may be shown in brief.
    """
    groups: dict[tuple[str, int], list[int]] = {}
    in_full = _InFull()
    for place, result in enumerate(failures):
        in_full.look_ahead(len(failures) - place)
        if result is None:
            groups[IN_FULL, place] = [place]
            continue
        diagnosis = explained.get(result.key)
        if diagnosis is not None and diagnosis in in_full.diagnoses:
            key = (ALIKE, diagnosis)
        elif folds and (in_full.is_enough or failure_kind(result) == FAILED_BEFORE):
            key = (IN_BRIEF, 0)
        else:
            key = (IN_FULL, place)
            in_full.add(diagnosis, length(place) if folds else 0)
        groups.setdefault(key, []).append(place)
    return [FailureGroup(how, places) for (how, _), places in groups.items()]


class _InFull:
    """The failures shown in full so far: their diagnoses, and how many there are."""

    def __init__(self) -> None:
        self.diagnoses: set[int] = set()
        self.is_enough = False
        self._count = 0
        self._lines = 0

    def look_ahead(self, left: int) -> None:
        """Set `is_enough` if no further failure is to be shown in full.

        If only one or two failures are left, a table is not worth it: they are shown
        in full too.
        """
        is_full = self._count >= MOST_IN_FULL or self._lines >= MOST_LINES
        if is_full and left > _FEW:
            self.is_enough = True

    def add(self, diagnosis: int | None, lines: int) -> None:
        """Count a failure of so many lines. `diagnosis`: its number, if it has one."""
        self._count += 1
        self._lines += lines
        if diagnosis is not None:
            self.diagnoses.add(diagnosis)


# --- of a run that is over ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReportedCases:
    """Cases that a report shows together. A case that is shown in full is alone.

    `how`: `IN_FULL`, `IN_BRIEF` or `ALIKE`.
    """

    how: str
    results: Sequence[CaseResult]


def cases_to_report(
    run: Run, verbosity: int, *, folds: bool = True, width: int = WIDEST
) -> Iterator[ReportedCases]:
    """Yield the cases that a report shows, in groups that are shown in one way.

    They are the cases that failed; with a verbosity of 2 also cases that passed. Cases
    that were not searched come last, together.

    `folds`: whether cases may be shown in brief.
    """
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
    """Yield the failed cases that a report shows, with none of them in brief.

    Cases that failed before are left out. With a `verbosity` above 0 they are shown
    too. Cases that were not searched come last, together.
    """
    for reported in cases_to_report(run, verbosity, folds=False):
        if verbosity > 0 or failure_kind(reported.results[0]) != FAILED_BEFORE:
            yield reported


def _is_shown(result: CaseResult, verbosity: int) -> bool:
    if has_failed(result):
        return True
    has_ranking = bool(result.ranking.documents) and result.status != SKIPPED
    return verbosity > 1 and has_ranking


def case_lines(result: CaseResult, run: Run, verbosity: int, width: int) -> list[Line]:
    """Return the report of a case of a run as lines."""
    from pytest_relevance.reports.failure import failure_lines

    return failure_lines(result, verbosity=verbosity, width=width, others=run.results)


# --- a line each ----------------------------------------------------------------------


def brief_title(results: Sequence[CaseResult]) -> str:
    """Return a heading for `brief_lines`, for example `9 failed before`.

    If some did not fail before: `13 more failures, 9 of them failed before`.
    """
    before = sum(failure_kind(result) == FAILED_BEFORE for result in results)
    if before == len(results):
        return f"{before:,} failed before"
    title = counted(len(results), "more failure")
    return f"{title}, {before:,} of them failed before" if before else title


def brief_lines(results: Sequence[CaseResult], width: int) -> list[Line]:
    """Return a line for each failure: query, reason, and the most costly document."""
    from pytest_relevance.reports.run.case_change import CaseChange
    from pytest_relevance.reports.run.explaining_documents import explaining_documents

    variants = variants_of(results)
    table = Table(
        [
            Column(max_width=40, cut_to=20),
            Column(),
            Column(cut_to=34),
            Column(max_width=40, cut_to=24, shorten=cut_document),
        ]
    )
    for result in results:
        change = CaseChange.since_baseline(result)
        table.add(
            case_label(result),
            short_label(result, variants),
            reason_in_brief(result),
            Cell(explaining_documents(change).costliest.spans),
        )
    table.note = "-v shows them in full"
    return table.lines(width)


# --- all in one sentence --------------------------------------------------------------


def together_title(results: Sequence[CaseResult]) -> str:
    """Return the heading of cases that failed alike, or that were not searched."""
    if results[0].status == NOT_SEARCHED:
        return f"{counted(len(results), 'case')} not searched"
    return counted(len(results), "more case")


def together_text(results: Sequence[CaseResult], *, full: bool = False) -> str:
    """Return, for example, `and 134 more cases failed alike: q002, q003 and 132 more`.

    For cases that were not searched, the sentence is that of `not_searched_text`.

    `full`: whether all cases are named.
    """
    names = case_names(results, full=full)
    if results[0].status == NOT_SEARCHED:
        return f"{not_searched_text(results)}: {names}"
    return f"and {counted(len(results), 'more case')} failed alike: {names}"


def not_searched_text(results: Sequence[CaseResult]) -> str:
    """Return how many cases were not searched, and why.

    Example: `125 cases were not searched, as search failed in too many cases in a row
    (relevance_give_up)`.
    """
    labels = [search_label(result.search, result.variant, {}) for result in results]
    searches = listed(dict.fromkeys(labels), "and")
    cases = counted(len(results), "case was", "cases were")
    return (
        f"{cases} not searched, as {searches} failed in too many cases in a row "
        "(relevance_give_up)"
    )


def case_names(results: Iterable[CaseResult], *, full: bool) -> str:
    """Return the names of cases as in their headings, in the order of their files.

    Unless `full`, only the first few are named, and the rest is counted.
    """
    in_order = sorted(results, key=lambda result: (result.file, result.line))
    names = [case_heading(result) for result in in_order]
    # to count one more name would take as much room as the name
    if full or len(names) == _MOST_NAMED + 1:
        return first_few(names, len(names))
    return first_few(names, _MOST_NAMED)
