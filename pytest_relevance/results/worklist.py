"""What judging a result is worth: how far the score of its case would move if nobody's doubt were left about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isnan

from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.scalar import GradedRanking, score
from pytest_relevance.results.scoring import Scored, ndcg_at


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A result in the top k that nobody judged, at its rank (from 1).

    `move` is nDCG@k with the highest grade for this document, the ideal recomputed, less the present score; where that
    is not defined, because nothing relevant was judged, it is what the score would become.
    """

    document: str
    title: str
    rank: int
    move: float


def unjudged_results(scored: Scored) -> Iterator[Unjudged]:
    """The results of a case that wait for a judgment, best first."""
    indexes = scored.unjudged_indexes
    if not indexes:
        return
    case, ids = scored.case, scored.ranking.ids
    top = _top_grade(case)
    present = 0.0 if isnan(scored.score) else scored.score
    for index in indexes:
        possible = present if top is None else _score_with(scored, index, top)
        title = scored.ranking.title(index) or case.titles.get(ids[index], "")
        yield Unjudged(ids[index], title, index + 1, possible - present)


def _score_with(scored: Scored, index: int, grade: float) -> float:
    """nDCG@k if one result had this grade."""
    grades = list(scored.graded.grades)
    grades[index] = grade
    graded = GradedRanking(grades, scored.graded.repeated, [*scored.graded.judged, grade])
    return score(ndcg_at(scored.case.k), graded, scored.case.settings)


def _top_grade(case: Case) -> float | None:
    """The highest grade there is. Where nobody has judged anything relevant yet, one that is; None if none can be."""
    gain = case.settings.gain
    grades = [case.terms.highest, 1.0]
    if isinstance(gain, Mapping):
        grades = [grade for grade in (case.terms.highest, *sorted(gain, reverse=True)) if grade in gain]
    return next((grade for grade in grades if case.settings.gain_of(grade) > 0), None)
