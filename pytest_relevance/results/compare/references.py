"""Find demands that the second of two runs newly misses, and drops of its scores.

The ranking of the first run is the accepted ranking. So `compare FIRST SECOND` finds
the same as a run with `--relevance-against=FIRST`.

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
    """Return the pairs, with `found`: how the second result compares with the first.

    `found` stays None if a result is not of a case file, or has no scores. It also
    stays None if the rankings cannot be compared, for example if the queries differ.

    `files`: the case files of the second run.
    """
    demands = DemandsOfFiles(files)
    found = []
    for pair in pairs:
        found.append(with_reference(pair, demands.of_file(pair.second.file)))
    return found


def with_reference(pair: Pair, demands: RecordedDemands) -> Pair:
    """Return a pair with `found`, or as it is; see `with_references`.

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
