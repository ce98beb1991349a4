"""Find which demands of the test changed from the first run to the second."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pytest_relevance.results.case_result import CaseResult, grouped
from pytest_relevance.results.changes import Pair
from pytest_relevance.results.records.demands import DemandChange
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.records.run_info import FileInfo

if TYPE_CHECKING:
    from pytest_relevance.cases.model import Sample


def changes_of_demands(
    older: Run, newer: Run, pairs: Iterable[Pair]
) -> Iterator[tuple[str, DemandChange]]:
    """Yield (case file, change) for each demand that differs in the newer run.

    Demands are those of cases, gates and samples. A case file that one run lacks is
    left out.
    """
    by_files = grouped(pairs, lambda each: (each.first.file, each.second.file))
    for (first, second), of_files in by_files.items():
        before, now = older.files.get(first), newer.files.get(second)
        if before is not None and now is not None:
            for change in _changes_of_file(before, now, of_files):
                yield second, change


def _changes_of_file(
    before: FileInfo, now: FileInfo, pairs: Sequence[Pair]
) -> list[DemandChange]:
    """Return the demands of a case file that differ in the newer run.

    Demands that one of the runs has not recorded are left out.
    """
    demands_before = before.demands_of(_key(each.first) for each in pairs)
    demands_now = now.demands_of(_key(each.second) for each in pairs)
    if (
        demands_before == demands_now
        and before.gates == now.gates
        and samples_of(before) == samples_of(now)
        and all(_is_as_before(each) for each in pairs)
    ):
        return []
    # it imports the reader of case files, which most comparisons do not need
    from pytest_relevance.results.records.demand_changes import (
        DemandedOfCase,
        changes_of_pairs,
        changes_of_samples,
    )

    demanded = []
    for each in pairs:
        was = demands_before.get(_key(each.first))
        is_now = demands_now.get(_key(each.second))
        earlier = DemandedOfCase.of_result(each.first, was)
        later = DemandedOfCase.of_result(each.second, is_now)
        demanded.append((each.second.id, earlier, later))
    knows_gates = before.demands is not None and now.demands is not None
    gates = before.gates if knows_gates else None
    changes = list(changes_of_pairs(demanded, gates, now.gates))
    if before.demands is not None:
        changes += changes_of_samples(samples_of(before), samples_of(now))
    return changes


def samples_of(info: FileInfo) -> Sequence[Sample]:
    """Return the samples of queries that a case file drew; () if it drew none."""
    return () if info.drawn is None else info.drawn.samples


def _is_as_before(pair: Pair) -> bool:
    """Say whether both results of a case have the same weight, tags and judgments."""
    first, second = pair.first, pair.second
    return (
        first.weight == second.weight
        and first.tags == second.tags
        and first.evaluation.digest == second.evaluation.digest
    )


def _key(result: CaseResult) -> tuple[str, str | None]:
    return result.id, result.variant
