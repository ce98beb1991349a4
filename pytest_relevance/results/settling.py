"""Find the grades that would decide whether a query got worse.

A query that got worse is open if its unjudged results may explain it
(`certainty.is_certainly_worse`). It is settled if enough of them are graded: it got
worse for certain, or it did not get worse at all. Low grades for documents that came
nearer to the top, and high ones for documents that went down, make it certain. The
opposite grades show that it did not get worse.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.ndcg import GradedRanking, grade_ranking
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.certainty import (
    ROUNDING,
    DocumentChange,
    document_changes,
    greatest_change,
    is_certainly_worse,
)
from pytest_relevance.results.changes import Change, Snapshot
from pytest_relevance.results.failures import got_worse

CERTAIN, OPEN, EXCUSED = "certain", "open", "excused"
"""What grades make of a query that got worse: it did for certain, it may have, it did
not.
"""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """The grades that would settle whether a query got worse.

    `documents`: its unjudged results in the top k. Those that change the DCG most come
    first.
    `fewest`: how many of these, in this order, can settle it.
    """

    documents: Sequence[str]
    fewest: int


def question_of(result: CaseResult) -> OpenQuestion | None:
    """Return the grades that would settle whether a case got worse.

    None if that is not open, or if no grades can settle it.
    """
    if not got_worse(result):
        return None
    change = Change.since_baseline(result)
    return None if is_certainly_worse(change) else open_question(change)


def open_question(change: Change) -> OpenQuestion | None:
    """Return the fewest grades that can settle an open query; None if none can.

    The lowest and the highest grade of the scale are tried, once against the present
    ranking and once in its favour.
    """
    returned = change.after.documents[: change.case.conditions.k]
    unjudged = []
    for each in document_changes(change):
        if each.grade is None and each.document in returned:
            unjudged.append(each)
    unjudged.sort(key=lambda each: (-abs(each.factor), each.document))
    counts = []
    for in_favour in (False, True):
        count = _count_until_settled(change, unjudged, in_favour=in_favour)
        if count is not None:
            counts.append(count)
    if not counts:
        return None
    documents = tuple(each.document for each in unjudged)
    return OpenQuestion(documents=documents, fewest=min(counts))


def _count_until_settled(
    change: Change, unjudged: Sequence[DocumentChange], *, in_favour: bool
) -> int | None:
    conditions = change.case.conditions
    grades = {}
    for count, each in enumerate(unjudged, start=1):
        came_nearer = each.factor > 0
        grades[each.document] = (
            conditions.highest if came_nearer == in_favour else conditions.lowest
        )
        if state_with(change, grades) != OPEN:
            return count
    return None


def state_with(change: Change, grades: Mapping[str, float]) -> str:
    """Return whether a query is `CERTAIN`, `OPEN` or `EXCUSED` with more grades.

    It did not get worse if its score is within the tolerance, and meets the floor if
    the ranking before does.
    """
    assert change.before is not None
    if not _is_worse(change, grades):
        return EXCUSED
    documents = []
    for each in document_changes(change):
        grade = grades.get(each.document, each.grade)
        documents.append(DocumentChange(each.document, grade, each.factor))
    if greatest_change(documents, change) < -ROUNDING:
        return CERTAIN
    return OPEN


def _is_worse(change: Change, grades: Mapping[str, float]) -> bool:
    assert change.before is not None
    conditions = change.case.conditions
    before = _score_with(change, change.before, grades)
    after = _score_with(change, change.after, grades)
    if math.isnan(before) or math.isnan(after):
        return False
    if before - after > conditions.tolerance + ROUNDING:
        return True
    floor = conditions.floor
    return floor is not None and after < floor <= before


def _score_with(
    change: Change, snapshot: Snapshot, grades: Mapping[str, float]
) -> float:
    case = change.case
    graded = grade_ranking(snapshot.documents, {**change.grades, **grades})
    judged = [*case.graded.judged, *grades.values()]
    ranking = GradedRanking(graded.grades, graded.repeated, judged)
    return score(case.metric, ranking, case.conditions.settings)
