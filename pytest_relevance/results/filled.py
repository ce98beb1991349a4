"""Grades that fill what nobody has judged (`fill: true`): how much of a result they make.

Only cases that have such grades import this module.
"""

from __future__ import annotations

from collections import Counter

from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.ndcg import grade_ranking
from pytest_relevance.results.case_result import CaseResult, count_grades


def of_people(result: CaseResult, case: Case) -> CaseResult:
    """The result with what people have judged alone: its grades, judgments and nDCG@k. Its verdict stays."""
    people = {document: grade for document, grade in case.judgments.items() if document not in case.filled}
    graded = grade_ranking(result.ranking.documents, people)
    value = score(result.metric, graded, result.conditions.settings)
    return result._replace(
        ranking=result.ranking._replace(grades=tuple(graded.grades)),
        evaluation=result.evaluation._replace(
            judgments=count_grades([*people.values()]), scores={result.metric.text: None if value != value else value}
        ),
    )


def with_filled(result: CaseResult, case: Case) -> CaseResult:
    """The result with how many of its top documents are filled, by whom, and whether these grades alone decide.

    They do where it has a score, and would have none without them, or no judged result within k.
    """
    people = of_people(result, case)
    top = dict.fromkeys(result.ranking.documents[: result.conditions.k])
    by = Counter(case.filled[document] for document in top if document in case.filled)
    has_judged = any(grade is not None for grade in people.ranking.grades[: result.conditions.k])
    alone = result.score is not None and (people.score is None or bool(by and not has_judged))
    evaluation = result.evaluation._replace(filled=case.filled, filled_top=dict(by), is_filled_alone=alone)
    return result._replace(evaluation=evaluation)
