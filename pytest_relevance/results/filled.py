"""Grades that fill what nobody has judged (`fill: true`): how much of a result they make.

Only cases that have such grades import this module.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pytest_relevance.cases.checking.expectations import meets
from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.ndcg import grade_ranking
from pytest_relevance.results.case_parts import DROP, FLOOR, Outcome, count_grades
from pytest_relevance.results.case_result import INCONCLUSIVE, PASSED, CaseResult
from pytest_relevance.results.compare.differences import has_relevant
from pytest_relevance.results.expectations import expectation_of


def of_people(result: CaseResult, judgments: Mapping[str, float], filled: Mapping[str, str]) -> CaseResult:
    """The result with what people have judged alone: its grades, judgments and nDCG@k. Its verdict stays.

    `judgments` are those of its case, `filled` the documents whose grades fill, {document: by whom}.
    """
    people = {document: grade for document, grade in judgments.items() if document not in filled}
    graded = grade_ranking(result.ranking.documents, people)
    value = score(result.metric, graded, result.conditions.settings)
    return result._replace(
        ranking=result.ranking._replace(grades=tuple(graded.grades)),
        evaluation=result.evaluation._replace(
            judgments=count_grades([*people.values()]), scores={result.metric.text: None if value != value else value}
        ),
    )


def with_filled(result: CaseResult, judgments: Mapping[str, float], filled: Mapping[str, str]) -> CaseResult:
    """The result with how many of its top documents are filled, by whom, and whether these grades alone decide.

    They do where it has a score, and would have none without them, or no judged result within k.
    """
    people, everybody = of_people(result, judgments, filled), of_people(result, judgments, {})
    top = dict.fromkeys(result.ranking.documents[: result.conditions.k])
    by = Counter(filled[document] for document in top if document in filled)
    has_judged = any(grade is not None for grade in people.ranking.grades[: result.conditions.k])
    alone = everybody.score is not None and (people.score is None or bool(by and not has_judged))
    judged = sum(grade is not None for grade in everybody.ranking.grades[: result.conditions.k])
    evaluation = result.evaluation._replace(judged=judged, filled=filled, filled_top=dict(by), is_filled_alone=alone)
    return result._replace(evaluation=evaluation)


def beside_people(result: CaseResult, people: CaseResult) -> CaseResult:
    """The result with the scores and the verdict of `people`: the same case without the grades that fill."""
    scores = {name: value if has_relevant(people, name) else None for name, value in people.evaluation.scores.items()}
    verdict = "" if people.verdict == result.verdict else people.verdict
    return result._replace(evaluation=result.evaluation._replace(people_scores=scores, people_verdict=verdict))


def without_fill(case: CaseResult) -> CaseResult:
    """A result of `beside_people` with the scores and the verdict that it has without the grades that fill."""
    evaluation, verdict = case.evaluation, case.evaluation.people_verdict
    scored = case._replace(evaluation=evaluation._replace(scores={**evaluation.scores, **evaluation.people_scores}))
    # the outcome is what pytest made of the other verdict
    return scored._replace(verdict=verdict, call=case.call._replace(outcome="")) if verdict else scored


def passes_by_fill(result: CaseResult) -> bool:
    """Whether a case passes, and would not without the grades that fill."""
    return result.verdict == PASSED and bool(result.evaluation.people_verdict)


def is_by_fill(reason: Outcome, result: CaseResult) -> bool:
    """Whether a demand on a score is unmet by grades that fill alone: without them it is met, or nothing is known."""
    evaluation, name = result.evaluation, reason.name
    if reason.is_score or reason.kind in (FLOOR, DROP):
        if evaluation.is_filled_alone:
            return True
        if reason.kind != DROP and name in evaluation.people_scores:
            value = evaluation.people_scores[name]
            if value is None or evaluation.people_verdict == INCONCLUSIVE:
                return reason.value is not None
            return meets(expectation_of(reason), value)
    return False
