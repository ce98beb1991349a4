"""The verdict of a case whose entry is stale, or whose score dropped.

A drop by more than the tolerance fails the case, whatever its floor says. If too few
results are judged, and the unjudged ones could make up for the drop, the case is
inconclusive.
"""

from __future__ import annotations

from dataclasses import replace

from pytest_relevance.cases.model import Case
from pytest_relevance.results.case_parts import (
    DROP,
    STALE,
    STALE_ENTRY,
    BaselineComparison,
    Outcome,
)
from pytest_relevance.results.case_result import FAILED, INCONCLUSIVE, CaseResult
from pytest_relevance.results.records.entry_comparison import without_too_few
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.scoring import score_case
from pytest_relevance.results.verdict import is_bounded, too_few_judged


def with_verdict_of_baseline(
    result: CaseResult, found: BaselineComparison, case: Case, record: str
) -> CaseResult:
    """Give a result the verdict that its stale entry or its drop leads to.

    `found` is the comparison of the result. `record` is the name of the record that the
    entry comes from; empty for a baseline.
    """
    if found.standing == STALE:
        stale = Outcome(record, STALE_ENTRY, met=False, clauses=found.stale)
        reasons = (stale, *result.evaluation.reasons)
        return result.with_baseline(found, FAILED, reasons)
    if case.filled:
        from pytest_relevance.results.filled import drop_of_people

        drop = drop_of_people(result)
        if drop is not None:
            return _with_drop(result, found, case, drop, _by_people(result, case))
    drop = Outcome(
        name=result.metric.text,
        kind=DROP,
        met=False,
        value=result.score,
        comparison="<=",
        bound=result.conditions.tolerance,
        before=found.score,
    )
    return _with_drop(result, found, case, drop, result)


def _by_people(result: CaseResult, case: Case) -> CaseResult:
    """Score the ranking of a result without filled grades and expectations."""
    grades = case.grades_of_people
    alone = replace(case, judgments=grades, filled={}, expect=())
    return score_case(alone, Ranking(result.ranking.documents), details=False)


def _with_drop(
    result: CaseResult,
    found: BaselineComparison,
    case: Case,
    drop: Outcome,
    scored: CaseResult,
) -> CaseResult:
    """Give a result the verdict of a drop, which is in the scores of `scored`."""
    reasons = result.evaluation.reasons
    too_few = []
    for reason in too_few_judged(case, scored.evaluation.judged, scored.evaluation.top):
        too_few.append(replace(reason, by_people=drop.by_people))
    is_open = bool(too_few) and _could_make_up(scored, case, drop)
    if is_open and result.verdict != FAILED:
        reasons = (*too_few, drop, *without_too_few(reasons))
        return result.with_baseline(found, INCONCLUSIVE, reasons)
    in_order = sorted((drop, *reasons), key=lambda reason: not reason.is_new)
    return result.with_baseline(found, FAILED, tuple(in_order))


def _could_make_up(scored: CaseResult, case: Case, drop: Outcome) -> bool:
    """Say whether judging the unjudged results could make up for a drop."""
    _, upper = scored.interval
    if drop.before is None or upper is None or not is_bounded(case):
        return True
    return upper >= drop.before - scored.conditions.tolerance
