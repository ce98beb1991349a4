"""Grades that fill what nobody has judged (`fill: true`): how much of a result they make.

Only cases that have such grades import this module.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.ndcg import grade_ranking
from pytest_relevance.results.case_parts import (
    DROP,
    REGRESSION,
    BaselineComparison,
    Outcome,
    count_grades,
)
from pytest_relevance.results.case_result import (
    CaseResult,
)
from pytest_relevance.results.compare.differences import (
    TIE,
    change_by,
    has_relevant,
    score_before,
)


def judged_by(result: CaseResult, judgments: Mapping[str, float]) -> CaseResult:
    """The result with the grades and the nDCG@k that these judgments give it. Its verdict stays."""
    graded = grade_ranking(result.ranking.documents, judgments)
    value = score(result.metric, graded, result.conditions.settings)
    return replace(
        result,
        ranking=replace(result.ranking, grades=tuple(graded.grades)),
        evaluation=replace(
            result.evaluation,
            judgments=count_grades([*judgments.values()]),
            judged=sum(
                grade is not None for grade in graded.grades[: result.conditions.k]
            ),
            scores={result.metric.text: None if value != value else value},
        ),
    )


def with_fill(
    result: CaseResult, filled: Mapping[str, str], people: CaseResult
) -> CaseResult:
    """The result with what the grades that fill make of it: `people` is the same case without them.

    `filled` are the documents that have such grades, {document: by whom}.
    """
    top = dict.fromkeys(result.ranking.documents[: result.conditions.k])
    by = Counter(filled[document] for document in top if document in filled)
    scores = {
        name: value if has_relevant(people, name) else None
        for name, value in people.evaluation.scores.items()
    }
    evaluation = replace(
        result.evaluation,
        filled=filled,
        filled_top=dict(by),
        people_scores=scores,
        people_verdict="" if people.verdict == result.verdict else people.verdict,
    )
    return replace(result, evaluation=evaluation)


def without_fill(case: CaseResult) -> CaseResult:
    """A result with the scores, now and before, and the verdict that it has without the grades that fill."""
    evaluation, verdict, baseline = (
        case.evaluation,
        case.evaluation.people_verdict,
        case.baseline,
    )
    scored = replace(
        case,
        evaluation=replace(
            evaluation, scores={**evaluation.scores, **evaluation.people_scores}
        ),
    )
    if baseline is not None and baseline.people_scores:
        before = {**baseline.scores, **baseline.people_scores}
        score_before = before.get(case.metric.text, baseline.score)
        scored = replace(
            scored, baseline=replace(baseline, score=score_before, scores=before)
        )
    # the outcome is what pytest made of the other verdict
    return (
        replace(scored, verdict=verdict, call=replace(case.call, outcome=""))
        if verdict
        else scored
    )


def has_filled(results: Iterable[CaseResult]) -> bool:
    """Whether any case has filled grades."""
    return any(result.evaluation.people_scores for result in results)


def graders_of(results: Iterable[CaseResult]) -> list[str]:
    """Name all who gave filled grades in cases."""
    graders: dict[str, None] = {}
    for result in results:
        graders.update(dict.fromkeys(result.evaluation.graders))
    return list(graders)


def drop_of_people(result: CaseResult) -> Outcome | None:
    """The drop below the baseline that grades of people alone see; None if there is none.

    Grades that fill would hide it: those of a machine for what is new in the ranking.
    """
    name, tolerance = result.metric.text, result.conditions.tolerance
    if result.baseline is None or not result.baseline.people_scores:
        return None
    people = without_fill(result)
    if not change_by(people) < -tolerance - TIE:
        return None
    if change_by(result) < -tolerance - TIE:
        return None  # all grades see a drop
    return Outcome(
        name,
        DROP,
        met=False,
        value=people.score,
        comparison="<=",
        bound=tolerance,
        before=score_before(people),
        by_people=True,
    )


def as_people_see_it(
    result: CaseResult, found: BaselineComparison
) -> BaselineComparison:
    """A comparison that is a regression if grades that fill hide a drop."""
    if drop_of_people(replace(result, baseline=found)) is None:
        return found
    return replace(found, standing=REGRESSION, failed_before=False)
