"""Decide the verdict of a case whose score dropped, or whose entry is stale.

`baseline` and `recorded_case` call it right after they have compared such a case with
its entry.
"""

from __future__ import annotations

from math import isnan

from pytest_relevance.results.case_parts import (
    DROP,
    STALE,
    STALE_ENTRY,
    Outcome,
)
from pytest_relevance.results.case_result import FAILED, INCONCLUSIVE, CaseResult
from pytest_relevance.results.filled import drop_of_people
from pytest_relevance.results.records.case_today import CaseToday
from pytest_relevance.results.records.entry_comparison import without_too_few
from pytest_relevance.results.verdict import (
    ScoredTop,
    is_bounded,
    score_top,
    too_few_judged,
)


def with_compared_verdict(
    result: CaseResult, case: CaseToday, record: str = ""
) -> CaseResult:
    """Return a result with the verdict that a stale entry or a drop leads to.

    A drop fails the case, whatever its floor is. But the case is inconclusive if too
    few results are judged, and unjudged results could make up for the drop.

    `result`: a result that is compared with its reference.
    `record`: the name of the record that is the reference; empty for a baseline.
    """
    comparison = result.baseline
    assert comparison is not None
    if comparison.standing == STALE:
        stale = Outcome(record, STALE_ENTRY, met=False, clauses=comparison.stale)
        reasons = (stale, *result.evaluation.reasons)
        return result.with_baseline(comparison, FAILED, reasons)
    if case.of_people is not None:
        drop = drop_of_people(result)
        if drop is not None:
            graded = case.of_people.grade(result.ranking.documents)
            top = score_top(graded, result.conditions)
            return _with_drop(result, case, drop, top)
    drop = Outcome(
        name=result.metric.text,
        kind=DROP,
        met=False,
        value=result.score,
        comparison="<=",
        bound=result.conditions.tolerance,
        before=comparison.score,
    )
    return _with_drop(result, case, drop, ScoredTop.of_result(result))


def _with_drop(
    result: CaseResult, case: CaseToday, drop: Outcome, top: ScoredTop
) -> CaseResult:
    """Return a result that fails because its score dropped, or is inconclusive.

    `drop`: the reason.
    `top`: the score that dropped, by all judgments or by people's judgments alone.
    """
    comparison, reasons = result.baseline, result.evaluation.reasons
    assert comparison is not None
    too_few = too_few_judged(case.min_judged, top, by_people=drop.by_people)
    is_open = bool(too_few) and _could_make_up(result, drop, top)
    if is_open and result.verdict != FAILED:
        reasons = (*too_few, drop, *without_too_few(reasons))
        return result.with_baseline(comparison, INCONCLUSIVE, reasons)
    in_order = sorted((drop, *reasons), key=lambda reason: not reason.is_new)
    return result.with_baseline(comparison, FAILED, tuple(in_order))


def _could_make_up(result: CaseResult, drop: Outcome, top: ScoredTop) -> bool:
    """Say whether unjudged results could make up for a drop."""
    conditions = result.conditions
    is_known = is_bounded(conditions.settings) and not isnan(top.upper)
    if drop.before is None or not is_known:
        return True
    return top.upper >= drop.before - conditions.tolerance
