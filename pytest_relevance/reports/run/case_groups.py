"""Which cases of a run the reports name, and in which order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from pytest_relevance._number_text import LEAST, SIGNIFICANT
from pytest_relevance.metrics.names import is_similarity
from pytest_relevance.reports.run.case_change import CaseChange, worst_first
from pytest_relevance.reports.run.case_tables import lowest
from pytest_relevance.reports.run.faults import errors_said_once
from pytest_relevance.results.became import (
    CHANGED,
    GOT_BETTER,
    GOT_WORSE,
    IN_DOUBT,
    became,
)
from pytest_relevance.results.case_result import SKIPPED, CaseResult, has_failed
from pytest_relevance.results.compare.differences import mean_change
from pytest_relevance.results.failures import FAILED_BEFORE, failure_kind


@dataclass(slots=True)
class CaseGroups:
    """The cases that a report names, each group in the order of its table.

    `got_worse`: cases that newly miss a demand, or fell by more than their
        tolerance.
    `fell`: cases that fell within their tolerance, if the mean fell significantly and
        no case got worse. Otherwise these cases are in no group.
    `changed`: cases whose rankings changed by more than allowed.
    `inconclusive`: cases that fell, have too few judged results, and do not fail.
    `failed`: cases that fail for another reason, also by errors. Cases that failed
        before are left out. So are cases with an error that the report names once for
        several cases.
    `differ`: cases without nDCG whose ranking differs, and that do not fail.
    `got_better`: cases that got better, by score or because they newly meet a demand.
    `lowest`: cases with the lowest scores, if no case fails, differs or got better.
    """

    got_worse: list[CaseChange] = field(default_factory=list)
    fell: list[CaseChange] = field(default_factory=list)
    changed: list[CaseChange] = field(default_factory=list)
    inconclusive: list[CaseChange] = field(default_factory=list)
    failed: list[CaseChange] = field(default_factory=list)
    differ: list[CaseChange] = field(default_factory=list)
    got_better: list[CaseChange] = field(default_factory=list)
    lowest: list[CaseChange] = field(default_factory=list)

    @property
    def without_errors(self) -> list[CaseChange]:
        """The failed cases without an error."""
        return [each for each in self.failed if each.result.call.error is None]


def case_groups(results: Sequence[CaseResult]) -> CaseGroups:
    """Sort the cases of a run into groups, without the skipped ones."""
    ran = [result for result in results if result.status != SKIPPED]
    worst = worst_first(ran)
    said_once = errors_said_once(ran)
    groups = CaseGroups()
    for change in worst:
        group = _group_of(change, groups, said_once)
        if group is not None:
            group.append(change)
    if not groups.got_worse:
        groups.fell += _fell_together(ran)
    better = [result for result in ran if became(result) == GOT_BETTER]
    better.sort(key=lambda result: -result.weight * result.change)
    groups.got_better += [CaseChange.since_baseline(result) for result in better]
    if not worst and not groups.got_better and not groups.fell:
        groups.lowest += [CaseChange.since_baseline(result) for result in lowest(ran)]
    return groups


def _group_of(
    change: CaseChange, groups: CaseGroups, said_once: Collection[int]
) -> list[CaseChange] | None:
    """Return the group of a case that failed or whose score fell; None for no group.

    `said_once`: the `id()` of results with an error that the report names once for
        several cases.
    """
    result = change.result
    word = became(result)
    if word == GOT_WORSE:
        return groups.got_worse
    if word == CHANGED:
        return groups.changed
    if has_failed(result):
        is_told = id(result) in said_once or failure_kind(result) == FAILED_BEFORE
        return None if is_told else groups.failed
    if word == IN_DOUBT:
        return groups.inconclusive
    return groups.differ if is_similarity(change.by or "") else None


def _fell_together(ran: Sequence[CaseResult]) -> list[CaseChange]:
    """Return the cases that fell, if the mean fell significantly; else [].

    The cases that lowered the mean most come first.
    """
    fallen = [result for result in ran if result.change < -LEAST]
    if not fallen:
        return []
    change = mean_change(ran)
    if change is None or change.p > SIGNIFICANT or change.means.difference >= 0:
        return []
    fallen.sort(key=lambda result: result.weight * result.change)
    return [CaseChange.since_baseline(result) for result in fallen]
