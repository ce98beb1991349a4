"""Compare a recorded result with a reference, as its run would have compared it.

The record keeps the ranking of a case and what the test demands of it. That is enough
to judge the expectations that need an accepted ranking, and to decide the verdict.

`recorded_comparison` calls it for each result of a record, and `compare` for each
result of its second run.
"""

from __future__ import annotations

from dataclasses import replace

from pytest_relevance.registry import EXPECTATIONS
from pytest_relevance.results.case_parts import REGRESSION, WITHOUT_COMPARISON, Outcome
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.outcomes import ITSELF, without_similarities
from pytest_relevance.results.records.case_today import case_in_record
from pytest_relevance.results.records.compared_verdict import with_compared_verdict
from pytest_relevance.results.records.entries import BaselineEntry
from pytest_relevance.results.records.entry_comparison import compare_with_entry
from pytest_relevance.results.records.recorded_demands import RecordedDemands
from pytest_relevance.results.verdict import Limits, ScoredTop, decide


def compare_recorded_case(
    result: CaseResult,
    entry: BaselineEntry,
    other: CaseResult | None,
    demands: RecordedDemands,
) -> CaseResult:
    """Return a recorded result, compared with an entry.

    The verdict stays as it was recorded. If the comparison leads to another verdict,
    `baseline.verdict` has it.

    `other`: the result that `entry` was made of, if it comes from a record and has the
    same judgments.
    `demands`: what its case file demands.
    """
    case = case_in_record(result, entry, other, demands)
    alone = _without_reference(result, demands)
    compared = compare_with_entry(alone, entry, case)
    comparison = compared.baseline
    assert comparison is not None
    if comparison.standing in WITHOUT_COMPARISON:
        return replace(without_similarities(result), baseline=comparison)
    if comparison.standing == REGRESSION:
        compared = with_compared_verdict(compared, case)
    if compared.verdict != result.verdict:
        comparison = replace(comparison, verdict=compared.verdict)
    reasons = compared.evaluation.reasons or _reasons_alone(result)
    return compared.with_baseline(comparison, result.verdict, reasons)


def _reasons_alone(result: CaseResult) -> tuple[Outcome, ...]:
    """Return why a case failed in its run, without a comparison with a reference.

    `is_new`, `is_worse` and `before` are cleared, because they describe the reference
    of that run, and the result is now shown beside another one.
    """
    reasons = []
    for reason in result.evaluation.reasons:
        reasons.append(replace(reason, is_new=False, is_worse=False, before=None))
    return tuple(reasons)


def _without_reference(result: CaseResult, demands: RecordedDemands) -> CaseResult:
    """Return a result as its run would have made it without a reference."""
    result = without_similarities(result)
    if result.baseline is None:
        return result
    outcomes = []
    for outcome in result.evaluation.outcomes:
        if EXPECTATIONS.get_or_unknown(outcome.kind).reference != ITSELF:
            outcomes.append(outcome)
    verdict = decide(
        Limits(
            k=result.conditions.k,
            settings=result.conditions.settings,
            min_ndcg=result.conditions.floor,
            min_judged=demands.min_judged_of(result),
        ),
        ScoredTop.of_result(result),
        outcomes,
    )
    evaluation = replace(
        result.evaluation, outcomes=tuple(outcomes), reasons=verdict.reasons
    )
    return replace(result, verdict=verdict.name, evaluation=evaluation, baseline=None)
