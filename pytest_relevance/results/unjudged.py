"""Find unjudged results, and how far a grade for each of them may move the score.

The worklist and the page of a run call it when the run has ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import fsum, isnan, log2

from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.ndcg import GradedRanking
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_result import CaseResult

WORKLIST_COLUMNS = (
    "query_id",
    "query",
    "document",
    "title",
    "ranks",
    "settles",
    "worth",
    "move",
    "grade",
)
"""The columns of every worklist: a file with unjudged results.

Fields of the catalogue are behind the title. Columns that users add are at the end.
"""

_FEW_JUDGED = 10
"""With fewer judged results than this at a rank, the results at the ranks around it
count too.
"""

_NO_JUDGED_SHARE = 0.5
"""The share of an unjudged result if no result of the run is judged."""


@dataclass(frozen=True, slots=True)
class Unjudged:
    """An unjudged result in the top k.

    `rank`: from 1.
    `move`: by how much nDCG@k would rise with the highest grade for this document. If
    nDCG@k is not defined, because nothing relevant was judged, it counts as 0 now.
    `worth`: by how much nDCG@k would rise with a plausible grade: one with the mean
    gain of judged results at this rank. If nothing relevant was judged, it is `move`
    times (this mean gain / the highest gain).
    """

    document: str
    title: str
    rank: int
    move: float
    worth: float = 0.0


class PlausibleGains:
    """The mean gain of the judged results of a run, at each rank.

    A gain is a share of the highest gain, because suites have different scales.
    """

    def __init__(self, results: Iterable[CaseResult]) -> None:
        self._shares: dict[int, list[float]] = {}
        self._means: dict[int, float] = {}
        for result in results:
            self._add(result)

    def _add(self, result: CaseResult) -> None:
        """Add the gains of the judged results of a case; nothing for passages."""
        top = top_grade(result)
        if top is None or result.evaluation.passages:
            return
        gains = result.conditions.settings.gains
        grades = result.ranking.grades[: result.conditions.k]
        for rank, grade in enumerate(grades, 1):
            if grade is not None:
                self._shares.setdefault(rank, []).append(gains[grade] / gains[top])

    def share(self, rank: int) -> float:
        """Return the mean gain at a rank (from 1), as a share of the highest gain.

        If few results are judged at this rank, results at the ranks around it count
        too.
        """
        if rank not in self._means:
            shares = self._shares_around(rank)
            mean = fsum(shares) / len(shares) if shares else _NO_JUDGED_SHARE
            self._means[rank] = mean
        return self._means[rank]

    def _shares_around(self, rank: int) -> list[float]:
        """Return the shares at a rank and around it, until there are enough."""
        shares: list[float] = []
        deepest = max(self._shares, default=0)
        for distance in range(deepest + rank):
            for other in {rank - distance, rank + distance}:
                shares += self._shares.get(other, ())
            if len(shares) >= _FEW_JUDGED:
                break
        return shares

    def grade(self, rank: int, top: float, settings: Settings) -> float:
        """Return the grade whose gain is the mean gain at a rank (from 1).

        With a mapping of gains, that is the grade with the nearest gain.

        `top`: the grade with the highest gain.
        """
        gain = self.share(rank) * settings.gain_of(top)
        if isinstance(settings.gain, Mapping):

            def distance(grade: float) -> float:
                return abs(settings.gain_of(grade) - gain)

            return min(settings.gain, key=distance)
        grade = log2(1 + gain) if settings.gain == "exponential" else gain
        return min(top, grade)  # rounding may exceed the top


def unjudged_results(result: CaseResult, gains: PlausibleGains) -> list[Unjudged]:
    """Return the unjudged results in the top k of a case, best rank first."""
    documents = result.unjudged
    if not documents:
        return []
    top = top_grade(result)
    graded = result.graded
    unjudged = []
    for document in documents:
        index = result.ranking.documents.index(document)
        move = worth = 0.0
        if top is not None:
            move = _move(result, graded, index, top)
            if result.score is None:
                # any gain would make nDCG@k about 1
                worth = gains.share(index + 1) * move
            else:
                grade = gains.grade(index + 1, top, result.conditions.settings)
                worth = _move(result, graded, index, grade)
        unjudged.append(
            Unjudged(
                document=document,
                title=result.texts.titles.get(document, ""),
                rank=index + 1,
                move=move,
                worth=worth,
            )
        )
    return unjudged


def _move(result: CaseResult, graded: GradedRanking, index: int, grade: float) -> float:
    """Return by how much nDCG@k would change if one result had this grade.

    0 if nDCG@k would not be defined.

    `graded`: the ranking of the result.
    `index`: the place of the result in the ranking, from 0.
    """
    grades = [*graded.grades]
    grades[index] = grade
    ranking = GradedRanking(grades, graded.repeated, [*graded.judged, grade])
    possible = score(result.metric, ranking, result.conditions.settings)
    return 0.0 if isnan(possible) else possible - (result.score or 0.0)


def top_grade(result: CaseResult) -> float | None:
    """Return the highest grade of the scale, or another grade if it has no gain.

    The other grade is the highest one with a gain in a mapping of gains, or 1. It may
    be above the scale. None if no grade has a gain.
    """
    settings = result.conditions.settings
    grades = [result.conditions.highest, 1.0]
    if isinstance(settings.gain, Mapping):
        by_gain = sorted(settings.gain, reverse=True)
        grades = [grade for grade in (grades[0], *by_gain) if grade in settings.gain]
    for grade in grades:
        if settings.gain_of(grade) > 0:
            return grade
    return None
