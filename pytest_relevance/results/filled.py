"""Grades that fill what nobody has judged (`fill: true`): how much of a result they make.

Only cases that have such grades import this module.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.ndcg import grade_ranking
from pytest_relevance.results.case_result import CaseResult, count_grades


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
