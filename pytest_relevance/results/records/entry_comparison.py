"""Compare a result with the entry that a reference has of its case.

The accepted ranking is scored again, under the present judgments and settings, so that
a new judgment or another gain is never taken for a regression.

The result is one that was just made (`baseline`) or one of a record
(`recorded_comparison`). The reference is a baseline or a record.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pytest_relevance.cases.model import Gate
from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.metric import ROUNDING
from pytest_relevance.metrics.ndcg import GradedRanking, repeated_indexes
from pytest_relevance.registry import GATES
from pytest_relevance.results import outcomes
from pytest_relevance.results.case_parts import (
    IMPROVEMENT,
    NEW,
    NOT_COMPARED,
    REGRESSION,
    STALE,
    TOO_FEW_JUDGED,
    WITHIN,
    BaselineComparison,
    Outcome,
    texts_by_result,
)
from pytest_relevance.results.case_result import FAILED, MEASURED, PASSED, CaseResult
from pytest_relevance.results.filled import as_people_see_it
from pytest_relevance.results.judged_alone import has_unjudged, score_of_judged
from pytest_relevance.results.recorded_passages import held_by_keys, keys_of_result
from pytest_relevance.results.records.accepted_outcomes import AcceptedOutcomes
from pytest_relevance.results.records.case_today import (
    CaseToday,
    KnownJudgments,
    why_stale,
)
from pytest_relevance.results.records.entries import BaselineEntries, BaselineEntry
from pytest_relevance.results.records.run_info import AcceptedCase, Lost
from pytest_relevance.results.records.uncompared import (
    MARKED_SKIP,
    as_lost,
    lost_metrics,
    why_undefined,
    why_without_ranking,
)
from pytest_relevance.results.verdict import defined


def compare_with_entry(
    result: CaseResult, entry: BaselineEntry, case: CaseToday, *, details: bool = True
) -> CaseResult:
    """Return the result, compared with the accepted ranking of its case.

    Each reason of a failure says whether the accepted ranking fails for it too. Only an
    expectation on the similarity of both rankings can change the verdict.

    `details`: if false, a passing case with the accepted ranking is not graded again,
        as it scores the same.
    """
    changes, judgments = why_stale(entry, result, case), case.judgments
    if changes or judgments is None:
        stale = BaselineComparison(STALE, stale=changes)
        return replace(result, baseline=stale)
    result = _with_similarities(result, entry, case)
    if details or case.gates or not _passes_unchanged(result, entry, case):
        result = _compare_scores(result, entry, case, judgments)
    else:
        result = _compare_unchanged(result, entry, case, judgments)
    return _with_lost_metrics(result, entry, judgments)


def without_entry(result: CaseResult, why: str) -> CaseResult:
    """Return the result as new, or as not compared if the reference knows its case.

    `why`: why the reference has no ranking of the case; empty if it does not know the
    case.
    """
    standing = NOT_COMPARED if why else NEW
    return replace(result, baseline=BaselineComparison(standing, why=why))


def compare_without_ranking(
    result: CaseResult, entry: BaselineEntry, entries: BaselineEntries
) -> CaseResult:
    """Return a result without a ranking as lost, because the reference has a ranking.

    If the reference has accepted the skip of the case, it is not lost.
    """
    why_accepted = entries.without_ranking.get((result.id, result.variant))
    if why_without_ranking(result) == why_accepted == MARKED_SKIP:
        return result
    return as_lost(result, entry.scores)


def _with_similarities(
    result: CaseResult, entry: BaselineEntry, case: CaseToday
) -> CaseResult:
    """Return the result with scores of its similarity to the accepted ranking.

    Expectations of these scores are judged, and may change the verdict.
    """
    if not case.similarities:
        return result
    accepted = entry.ranking(result.conditions.settings)
    result = outcomes.with_similarities(result, case.similarities, accepted)
    evaluation = result.evaluation
    made = outcomes.similarity_outcomes(case.expect, evaluation.scores)
    if not made:
        return result
    verdict, reasons = result.verdict, evaluation.reasons
    unmet = [outcome for outcome in made if not outcome.met]
    if unmet:  # no judgment of an unjudged result could change that
        verdict, reasons = FAILED, (*without_too_few(reasons), *unmet)
    elif verdict == MEASURED:
        verdict = PASSED
    evaluation = replace(
        evaluation, outcomes=(*evaluation.outcomes, *made), reasons=reasons
    )
    return replace(result, verdict=verdict, evaluation=evaluation)


def without_too_few(reasons: Iterable[Outcome]) -> list[Outcome]:
    """Return the reasons without the one that too few results are judged."""
    return [reason for reason in reasons if reason.kind != TOO_FEW_JUDGED]


def _passes_unchanged(
    result: CaseResult, entry: BaselineEntry, case: CaseToday
) -> bool:
    """Say whether a case passes, and its ranking is the accepted one.

    Both are compared down to the depth of the case. False if the accepted ranking
    missed an expectation that depends on more than the ranking.
    """
    if result.verdict not in (PASSED, MEASURED):
        return False
    if any(not outcome.met for outcome in entry.outcomes):
        return False
    depth = None if case.looks_at_all else result.conditions.depth
    accepted = entry.ranking(result.conditions.settings)
    if tuple(accepted[:depth]) != tuple(result.ranking.documents[:depth]):
        return False
    return _holds_the_same(result, entry, depth)


def _holds_the_same(
    result: CaseResult, entry: BaselineEntry, depth: int | None
) -> bool:
    """Say whether the texts of equal results hold the same passages as then.

    A search may return another text under the same id.
    """
    if not entry.passages and not keys_of_result(result):
        return True
    held = held_by_keys(entry.held, entry.passages, keys_of_result(result))
    if held is None or tuple(held[:depth]) != tuple(result.ranking.held[:depth]):
        return False
    return tuple(entry.lengths[:depth]) == tuple(result.ranking.lengths[:depth])


def _compare_unchanged(
    result: CaseResult,
    entry: BaselineEntry,
    case: CaseToday,
    judgments: KnownJudgments,
) -> CaseResult:
    """Return the result with the comparison of a case that `_passes_unchanged`.

    The accepted ranking has the score of the result, so it is not graded.
    """
    comparison = _comparison(result, entry, before=result.score)
    if result.evaluation.judged < result.evaluation.top:
        now = _graded_now(result, judgments.judged)
        judged_alone = _judged_alone(result, before=now, now=now, case=case)
        comparison = replace(comparison, judged_alone=judged_alone)
    return replace(result, baseline=comparison)


def _compare_scores(
    result: CaseResult,
    entry: BaselineEntry,
    case: CaseToday,
    judgments: KnownJudgments,
) -> CaseResult:
    """Return the result with the accepted ranking, its scores, and compared reasons."""
    settings = result.conditions.settings
    documents = entry.ranking(settings)
    graded = judgments.grade_entry(entry, settings)
    before = defined(score(result.metric, graded, settings))
    accepted = AcceptedOutcomes(
        result=result,
        entry=entry,
        graded=graded,
        score=before,
        expect=case.expect,
        project_scores=case.project_scores,
    )
    now = _graded_now(result, judgments.judged)
    comparison = replace(
        _comparison(result, entry, before),
        standing=_standing(result, before),
        documents=documents,
        grades=tuple(graded.grades),
        held=tuple(map(tuple, graded.held)),
        texts=texts_by_result(documents, entry.documents, entry.texts),
        then=entry.scores,
        scores=_other_scores(result, case, graded),
        newly_met=accepted.misses_what_is_met(),
        judged_alone=_judged_alone(result, graded, now, case),
        missed=_needs_missed(case) and accepted.misses_any(),
    )
    if case.of_people is not None:
        comparison = _with_people(comparison, result, case, case.of_people)
    return _with_compared_reasons(result, comparison, accepted)


def _with_compared_reasons(
    result: CaseResult, comparison: BaselineComparison, accepted: AcceptedOutcomes
) -> CaseResult:
    """Return the result with its comparison.

    If the case fails, its reasons are compared with those of the accepted ranking. Then
    the comparison says whether the case fails newly, or failed before.
    """
    if result.verdict != FAILED:
        return replace(result, baseline=comparison)
    compared = accepted.compare_reasons()
    is_regression = comparison.standing == REGRESSION
    comparison = replace(
        comparison,
        newly_failing=any(reason.is_new for reason in compared.reasons),
        failed_before=compared.failed_before and not is_regression,
    )
    return result.with_baseline(comparison, FAILED, compared.reasons)


def _other_scores(
    result: CaseResult, case: CaseToday, graded: GradedRanking
) -> dict[str, float | None]:
    """Return {metric: score} of the accepted ranking, for metrics other than nDCG@k."""
    scores = _gate_scores(result, case, graded) if graded.judged else {}
    return {**scores, **case.project_scores}


def _needs_missed(case: CaseToday) -> bool:
    """Say whether a gate needs to know if the accepted ranking misses a demand.

    Only gates on the share of cases that pass need it.
    """
    kinds = [GATES.get_or_unknown(gate.condition) for gate in case.gates]
    return case.expects_known and any(kind.needs_missed for kind in kinds)


def _comparison(
    result: CaseResult, entry: BaselineEntry, before: float | None
) -> BaselineComparison:
    """Return a comparison that says that the score is within the tolerance.

    `before`: the score of the accepted ranking; None if it is not defined.
    """
    expects_results = outcomes.expects_results(result.evaluation.outcomes)
    return BaselineComparison(
        WITHIN,
        before,
        latency=entry.call.latency_like(result.call),
        found_nothing=not entry.documents and expects_results,
    )


def _graded_now(result: CaseResult, judged: Sequence[float]) -> GradedRanking:
    """Return the present ranking with its grades, and the grades of all judgments."""
    if result.evaluation.passages:
        return result.graded
    repeated = repeated_indexes(result.ranking.documents)
    return GradedRanking([*result.ranking.grades], repeated, judged)


def _judged_alone(
    result: CaseResult, before: GradedRanking, now: GradedRanking, case: CaseToday
) -> Sequence[float]:
    """Return the scores of both rankings over judged results alone, before and now.

    Empty if nDCG@k is not defined now, or if neither top k has an unjudged result. No
    result is unjudged if there are passages, or if the case is a known item.
    """
    if result.evaluation.passages or result.is_known_item:
        return ()
    conditions = result.conditions
    k = conditions.k
    if result.score is None or not (has_unjudged(now, k) or has_unjudged(before, k)):
        return ()
    depth = None if case.looks_at_all else conditions.depth
    metric, settings = result.metric, conditions.settings
    score_before = score_of_judged(metric, _cut(before, depth), settings)
    if now is before:  # scored once
        return score_before, score_before
    return score_before, score_of_judged(metric, _cut(now, depth), settings)


def _cut(ranking: GradedRanking, depth: int | None) -> GradedRanking:
    """Return the first `depth` results of a ranking; all for None."""
    if depth is None or len(ranking.grades) <= depth:
        return ranking
    repeated = tuple([index for index in ranking.repeated if index < depth])
    return GradedRanking(ranking.grades[:depth], repeated, ranking.judged)


def _standing(result: CaseResult, before: float | None) -> str:
    """Return whether the score rose, fell or stayed, by the tolerance of the case."""
    if before is None or result.score is None:
        return WITHIN
    change = result.score - before
    if abs(change) <= result.conditions.tolerance + ROUNDING:
        return WITHIN
    return IMPROVEMENT if change > 0 else REGRESSION


def _with_people(
    comparison: BaselineComparison,
    result: CaseResult,
    case: CaseToday,
    of_people: KnownJudgments,
) -> BaselineComparison:
    """Add the scores that the accepted ranking has by people's judgments alone.

    If the score by these judgments dropped, the case is a regression, even if grades of
    a machine hide the drop.
    """
    graded = of_people.grade(comparison.documents)
    scores = _gate_scores(result, case, graded)
    value = score(result.metric, graded, result.conditions.settings)
    scores[result.metric.text] = defined(value)
    return as_people_see_it(result, replace(comparison, people_scores=scores))


def _with_lost_metrics(
    result: CaseResult, entry: BaselineEntry, judgments: KnownJudgments
) -> CaseResult:
    """Return the result as lost if a metric has a score only in the reference."""
    lost = lost_metrics(result, entry.scores)
    if not lost or result.baseline is None:
        return result
    why = why_undefined(judgments.judged, result.conditions.settings)
    return replace(result, baseline=replace(result.baseline, lost=lost, why=why))


# --- what gates need ------------------------------------------------------------------


def accepted_cases(
    entries: BaselineEntries,
    gates: Iterable[Gate],
    lost: Iterable[Lost],
    *,
    expects_known: bool,
) -> tuple[AcceptedCase, ...]:
    """Return the cases of the reference that one of the gates needs; () if none does.

    - All cases, if a gate may have failed before.
    - The `lost` cases, if a gate compares with the reference. It counts those of them
      that have a score there.

    `expects_known`: whether gates that failed before are expected to fail.
    """
    kinds = [GATES.get_or_unknown(gate.condition) for gate in gates]
    if expects_known and any(kind.may_be_known for kind in kinds):
        return tuple(entry.as_case() for entry in entries.values())
    if not any(kind.needs_reference for kind in kinds):
        return ()
    keys = {(case, variant) for case, variant, _ in lost}
    return tuple(entry.as_case() for key, entry in entries.items() if key in keys)


def _gate_scores(
    result: CaseResult, case: CaseToday, graded: GradedRanking
) -> dict[str, float | None]:
    """Return {metric: score} of an accepted ranking, for the metrics of gates.

    nDCG@k (RR@k of a known item), similarities, a metric without a score in the result,
    and a metric of the project whose function is not known are left out.
    """
    scores = {}
    for gate in case.gates:
        is_about_case = gate.tag is None or gate.tag in result.tags
        if not is_about_case or not _compares_scores(gate, case):
            continue
        for metric in gate.metrics:
            has_score = metric.text in result.evaluation.scores
            is_known = metric == result.metric or metric.is_similarity
            if has_score and metric.is_computable and not is_known:
                value = score(metric, graded, result.conditions.settings)
                scores[metric.text] = defined(value)
    return scores


def _compares_scores(gate: Gate, case: CaseToday) -> bool:
    """Say whether a gate looks at the scores of accepted rankings."""
    kind = GATES.get_or_unknown(gate.condition)
    return kind.needs_reference or (case.expects_known and kind.may_be_known)
