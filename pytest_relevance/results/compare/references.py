"""What the first run makes of each case of the second: floors, expectations, tolerance.

A pair is compared as the second run compares a case with the record of the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pytest_relevance.cases.model import Gate
from pytest_relevance.results.case_parts import WITHOUT_COMPARISON
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.changes import Pair
from pytest_relevance.results.outcomes import without_similarities
from pytest_relevance.results.records.case_today import case_in_record
from pytest_relevance.results.records.entries import entry_of
from pytest_relevance.results.records.entry_comparison import compare_with_entry
from pytest_relevance.results.records.run_info import FileInfo


def with_references(pairs: Sequence[Pair], files: Mapping[str, FileInfo]) -> list[Pair]:
    """Add to each pair what the comparison of its results found.

    `files`: those of the second run. A pair gets nothing if a result comes from no case
    file, or if too little is known of the first ranking.
    """
    gates = {}
    for file, info in files.items():
        gates[file] = [recorded.gate for recorded in info.gates]
    return [with_reference(pair, gates.get(pair.second.file, ())) for pair in pairs]


def with_reference(pair: Pair, gates: Sequence[Gate] = ()) -> Pair:
    """Add to a pair what the comparison of its results found. See `with_references`."""
    first, second = pair.first, pair.second
    is_of_cases = first.file and second.file
    if not is_of_cases or not (first.evaluation.scores and second.evaluation.scores):
        return pair
    entry = replace(entry_of(first), call=first.call)
    has_same_judgments = first.evaluation.digest == second.evaluation.digest
    other = first if has_same_judgments else None
    alone = without_similarities(_without_reference(second))
    case = case_in_record(second, entry, other, gates)
    compared = compare_with_entry(alone, entry, case)
    found = compared.baseline
    if found is None or found.standing in WITHOUT_COMPARISON:
        return pair
    evaluation = replace(second.evaluation, reasons=compared.evaluation.reasons)
    return replace(pair, second=replace(second, evaluation=evaluation), found=found)


def _without_reference(result: CaseResult) -> CaseResult:
    """Leave out what another reference made of the reasons of a result."""
    reasons = []
    for reason in result.evaluation.reasons:
        reasons.append(replace(reason, is_new=False, is_worse=False, before=None))
    evaluation = replace(result.evaluation, reasons=tuple(reasons))
    return replace(result, evaluation=evaluation, baseline=None)
