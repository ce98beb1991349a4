"""Work with filled grades: a machine gave them where nobody has judged (`fill: true`).

The module is used when a case with such grades is scored and compared with a baseline,
and by gates at the end of a run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import isnan

from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.metric import ROUNDING
from pytest_relevance.metrics.ndcg import grade_ranking
from pytest_relevance.results.case_parts import (
    DROP,
    REGRESSION,
    BaselineComparison,
    Outcome,
    count_grades,
)
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.compare.differences import has_relevant, score_before


def judged_by(result: CaseResult, judgments: Mapping[str, float]) -> CaseResult:
    """Return a result with the grades and the score by other judgments.

    The verdict stays. All other scores are left out.

    `judgments`: {document: grade}.
    """
    graded = grade_ranking(result.ranking.documents, judgments)
    value = score(result.metric, graded, result.conditions.settings)
    in_top = graded.grades[: result.conditions.k]
    judged = [grade for grade in in_top if grade is not None]
    evaluation = replace(
        result.evaluation,
        judgments=count_grades(list(judgments.values())),
        judged=len(judged),
        scores={result.metric.text: None if isnan(value) else value},
    )
    ranking = replace(result.ranking, grades=tuple(graded.grades))
    return replace(result, ranking=ranking, evaluation=evaluation)


def with_fill(
    result: CaseResult, filled: Mapping[str, str], people: CaseResult
) -> CaseResult:
    """Return a result that also has its scores and its verdict without filled grades.

    `filled`: {document: who graded it}, for filled grades.
    `people`: the result of the same case without these grades.
    """
    counts: Counter[str] = Counter()
    for document in dict.fromkeys(result.ranking.documents[: result.conditions.k]):
        if document in filled:
            counts[filled[document]] += 1
    scores = {}
    for name, value in people.evaluation.scores.items():
        scores[name] = value if has_relevant(people, name) else None
    evaluation = replace(
        result.evaluation,
        filled=filled,
        filled_top=dict(counts),
        people_scores=scores,
        people_verdict="" if people.verdict == result.verdict else people.verdict,
    )
    return replace(result, evaluation=evaluation)


def without_fill(result: CaseResult) -> CaseResult:
    """Return a result whose scores, now and before, are those without filled grades.

    The verdict stays.
    """
    evaluation = result.evaluation
    scores = {**evaluation.scores, **evaluation.people_scores}
    scored = replace(result, evaluation=replace(evaluation, scores=scores))
    baseline = result.baseline
    if baseline is None or not baseline.people_scores:
        return scored
    before = {**baseline.scores, **baseline.people_scores}
    own_score = before.get(result.metric.text, baseline.score)
    return replace(scored, baseline=replace(baseline, score=own_score, scores=before))


def has_filled(results: Iterable[CaseResult]) -> bool:
    """Say whether any case has filled grades."""
    return any(result.evaluation.people_scores for result in results)


def graders_of(results: Iterable[CaseResult]) -> list[str]:
    """Return the names of the machines that gave grades in these cases."""
    graders: dict[str, None] = {}
    for result in results:
        graders.update(dict.fromkeys(result.evaluation.graders))
    return list(graders)


def drop_of_people(result: CaseResult) -> Outcome | None:
    """Return the drop below the baseline that filled grades hide; None without one.

    The score without filled grades drops by more than the tolerance, and the score with
    them does not. For example, a machine gave high grades to new results.
    """
    if result.baseline is None or not result.baseline.people_scores:
        return None
    people = without_fill(result)
    tolerance = result.conditions.tolerance
    limit = -tolerance - ROUNDING
    if people.change >= limit or result.change < limit:
        return None
    return Outcome(
        name=result.metric.text,
        kind=DROP,
        met=False,
        value=people.score,
        comparison="<=",
        bound=tolerance,
        before=score_before(people),
        by_people=True,
    )


def as_people_see_it(
    result: CaseResult, comparison: BaselineComparison
) -> BaselineComparison:
    """Return the comparison, as a regression if filled grades hide a drop.

    `comparison`: what comparing the result with its baseline found.
    """
    if drop_of_people(replace(result, baseline=comparison)) is None:
        return comparison
    return replace(comparison, standing=REGRESSION, failed_before=False)
