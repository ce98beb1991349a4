"""Compare each case of the second run with the first run, as a run with its baseline.

So `compare FIRST SECOND` finds the same as a run with `--relevance-against=FIRST`:
newly missed demands, and drops by more than the tolerance.

`compare_runs` calls it when it has paired the results, and `history` for each run that
it adds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_relevance.results.case_parts import WITHOUT_COMPARISON
from pytest_relevance.results.changes import Pair
from pytest_relevance.results.records.entries import entry_of
from pytest_relevance.results.records.recorded_case import compare_recorded_case
from pytest_relevance.results.records.recorded_demands import (
    DemandsOfFiles,
    RecordedDemands,
)
from pytest_relevance.results.records.run_info import FileInfo


def with_references(pairs: Sequence[Pair], files: Mapping[str, FileInfo]) -> list[Pair]:
    """Return the pairs, each with what the comparison of its results found.

    A pair stays as it is if a result comes from no case file, or if too little is known
    of the first ranking.

    `files`: the case files of the second run.
    """
    demands = DemandsOfFiles(files)
    found = []
    for pair in pairs:
        found.append(with_reference(pair, demands.of_file(pair.second.file)))
    return found


def with_reference(pair: Pair, demands: RecordedDemands) -> Pair:
    """Return a pair with what the comparison of its results found.

    `with_references` says which pairs stay as they are.

    `demands`: what the case file of the second result demands.
    """
    first, second = pair.first, pair.second
    is_of_cases = first.file and second.file
    if not is_of_cases or not (first.evaluation.scores and second.evaluation.scores):
        return pair
    entry = entry_of(first, call=first.call)
    has_same_judgments = first.evaluation.digest == second.evaluation.digest
    other = first if has_same_judgments else None
    compared = compare_recorded_case(second, entry, other, demands)
    comparison = compared.baseline
    if comparison is None or comparison.standing in WITHOUT_COMPARISON:
        return pair
    return Pair(first, compared, comparison)
