"""Find the grades that would decide whether a query got worse.

A query that got worse is open if its unjudged results may explain the fall
(`certainty.is_certainly_worse`). Grades for enough of these results settle the query:
it certainly got worse, or it did not get worse.

- Low grades for documents that rose, and high grades for documents that fell, make the
  fall certain.
- The opposite grades show that the query did not get worse.

When a run has ended, the worklist asks for the stake of each query, and reports ask for
the stake of the queries that they show.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.metric import ROUNDING
from pytest_relevance.metrics.ndcg import GradedRanking, grade_ranking
from pytest_relevance.results.case_result import INCONCLUSIVE, CaseResult
from pytest_relevance.results.certainty import (
    DocumentChange,
    document_changes,
    falls_for_certain,
    is_certainly_worse,
)
from pytest_relevance.results.changes import Change, Snapshot
from pytest_relevance.results.failures import got_worse

CERTAIN, OPEN, EXCUSED = "certain", "open", "excused"
"""What further grades make of a query that got worse.

- `CERTAIN`: it got worse whatever grades its other unjudged results have.
- `OPEN`: grades of its other unjudged results decide.
- `EXCUSED`: it did not get worse.
"""

_MOST_TRIED = 3
"""How many results are graded together. Each gets the lowest and the highest grade, so
three results have 2^3 gradings.
"""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """The unjudged results whose grades would settle whether a query got worse.

    `documents`: the unjudged results in the top k. Those that change the DCG most come
    first.
    `fewest`: how many documents, from the first on, have to be graded at least.
    `chances`: for each of the first documents, the chance that its grade settles the
    query, from 0 to 1. Documents that settle it only together share their chance.
    """

    documents: Sequence[str]
    fewest: int
    chances: Sequence[float]


@dataclass(frozen=True, slots=True)
class Stake:
    """What depends on the grades of the unjudged results of a case.

    `chances`: {document: chance}, for the results whose grades can settle whether the
    case got worse. The chance is that of `OpenQuestion`. Empty if the question is not
    open, or if no grades can settle it.
    `fewest`: the fewest results that can settle it, in their order.
    `is_undecided`: whether grades can still decide that the case got worse, that it
    meets its floor, or that it has enough judged results.

    Results are judged in this order: first the settling ones, by falling chance. Then
    the other results of undecided cases, then the rest.
    """

    chances: Mapping[str, float] = field(default_factory=dict)
    fewest: Sequence[str] = ()
    is_undecided: bool = False


def stake_of(result: CaseResult) -> Stake:
    """Return what depends on the grades of a case, since its baseline."""
    return stake_of_change(Change.since_baseline(result), is_worse=got_worse(result))


def stake_of_change(change: Change, *, is_worse: bool) -> Stake:
    """Return what depends on the grades of a case.

    `change`: the case beside an earlier ranking.
    `is_worse`: whether the case got worse.
    """
    if is_worse:
        question = None if is_certainly_worse(change) else open_question(change)
        if question is None:
            return Stake()
        return Stake(
            chances=dict(zip(question.documents, question.chances, strict=False)),
            fewest=question.documents[: question.fewest],
            is_undecided=True,
        )
    result = change.case
    return Stake(is_undecided=result.verdict == INCONCLUSIVE or _floor_is_open(result))


def _floor_is_open(result: CaseResult) -> bool:
    """Say whether unjudged results decide if the floor of a case is met."""
    floor = result.conditions.floor
    lower, upper = result.interval
    if floor is None or lower is None or upper is None:
        return False
    return lower < floor <= upper


def open_question(change: Change) -> OpenQuestion | None:
    """Return the results whose grades would settle an open query; None if none can.

    The extreme grades of the scale are tried: once all in favour of the present
    ranking, and once all against it. For example, if two grades in favour settle the
    query, or three against it, `fewest` is 2.
    """
    unjudged = _unjudged_in_top(change)
    counts = []
    for in_favour in (False, True):
        count = _count_until_settled(change, unjudged, in_favour=in_favour)
        if count is not None:
            counts.append(count)
    if not counts:
        return None
    documents = tuple(each.document for each in unjudged)
    shares = _shares_that_settle(change, documents[:_MOST_TRIED])
    if not any(shares):
        shares = _share_of_extremes(counts)
    return OpenQuestion(
        documents=documents, fewest=min(counts), chances=_chances(shares)
    )


def _unjudged_in_top(change: Change) -> list[DocumentChange]:
    """Return the unjudged results in the top k.

    Those that change the DCG most come first.
    """
    top = change.after.documents[: change.case.conditions.k]
    unjudged = []
    for each in document_changes(change):
        if each.grade is None and each.document in top:
            unjudged.append(each)
    unjudged.sort(key=lambda each: (-abs(each.factor), each.document))
    return unjudged


def _count_until_settled(
    change: Change, unjudged: Sequence[DocumentChange], *, in_favour: bool
) -> int | None:
    """Return how many documents, in their order, need a grade to settle a change.

    None if even the grades of all documents do not settle the change.

    `in_favour`: whether the grades favour the present ranking. Then documents that rose
        get the highest grade, and documents that fell the lowest. Otherwise it is the
        other way round.
    """
    conditions = change.case.conditions
    grades = {}
    for count, each in enumerate(unjudged, start=1):
        has_risen = each.factor > 0
        grade = conditions.highest if has_risen == in_favour else conditions.lowest
        grades[each.document] = grade
        if state_with(change, grades) != OPEN:
            return count
    return None


def _shares_that_settle(change: Change, documents: Sequence[str]) -> list[float]:
    """Return the share of gradings that settle a change, for 1, 2, ... documents.

    A grading gives each document the lowest or the highest grade. So n documents have
    2^n gradings.
    """
    conditions = change.case.conditions
    shares = []
    for count in range(1, len(documents) + 1):
        settled = 0
        for grading in product((conditions.lowest, conditions.highest), repeat=count):
            grades = dict(zip(documents, grading, strict=False))
            settled += state_with(change, grades) != OPEN
        shares.append(settled / 2**count)
    return shares


def _share_of_extremes(counts: Sequence[int]) -> list[float]:
    """Return the share of gradings that settle a change, if few documents never do.

    n documents have 2^n gradings. Only the two extreme ones were tried: all grades in
    favour of the present ranking, and all against it. For example, if 4 documents
    settle the change in favour, and 5 against it, the shares are 0, 0, 0 and 1/16.

    `counts`: how many documents settle the change by an extreme grading.
    """
    fewest = min(counts)
    return [0.0] * (fewest - 1) + [counts.count(fewest) / 2**fewest]


def _chances(shares: Sequence[float]) -> list[float]:
    """Return for each document the chance that its grade settles the change.

    The chance of a document is by how much it raises the share. Documents that settle
    only together get equal chances. So the chances never rise from one document to the
    next. The last documents are left out if they do not raise the share. For example,
    the shares are 0, 0.5 and 0.6:

    - Two documents raise the share from 0 to 0.5. Their chances are 0.25 each.
    - The third raises it from 0.5 to 0.6. Its chance is 0.1.

    `shares`: the share of gradings that settle the change, for 1, 2, ... documents.
    """
    chances: list[float] = []
    share_so_far = 0.0
    while len(chances) < len(shares):
        best_chance, documents_together = 0.0, 0
        for count, share in enumerate(shares[len(chances) :], start=1):
            chance = (share - share_so_far) / count
            if chance > best_chance + ROUNDING:
                best_chance, documents_together = chance, count
        if not documents_together:
            break
        chances += [best_chance] * documents_together
        share_so_far = shares[len(chances) - 1]
    return chances


def state_with(change: Change, grades: Mapping[str, float]) -> str:
    """Return whether a query is `CERTAIN`, `OPEN` or `EXCUSED` with further grades.

    It is excused if its score is within the tolerance, and meets the floor if the score
    before does.

    `grades`: {document: grade} for unjudged documents.
    """
    if not _is_worse(change, grades):
        return EXCUSED
    return CERTAIN if falls_for_certain(change, grades) else OPEN


def _is_worse(change: Change, grades: Mapping[str, float]) -> bool:
    """Say whether nDCG falls by more than the tolerance, or below the floor.

    `grades`: {document: grade} for unjudged documents.
    """
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
    """Return the score of one ranking of a case with further grades."""
    case = change.case
    graded = grade_ranking(snapshot.documents, {**change.grades, **grades})
    judged = [*case.graded.judged, *grades.values()]
    ranking = GradedRanking(graded.grades, graded.repeated, judged)
    return score(case.metric, ranking, case.conditions.settings)
