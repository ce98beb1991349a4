"""Compute what each result of a ranking adds to its nDCG@k.

The figures come from `metrics.ndcg`, so that they add up to exactly the score.

`breakdown` and reports on changes call it when a report is made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from pytest_relevance.metrics import ndcg
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.changes import Change


@dataclass(frozen=True)
class ScoredRanking:
    """A ranking with grades, and with what each result adds to its DCG.

    `missing`: (document, grade) for judged documents that the ranking lacks.
    `deeper`: {document: rank} for missing documents with a known rank below it.
    """

    documents: Sequence[str]
    graded: ndcg.GradedRanking
    settings: Settings
    k: int | None
    missing: Sequence[tuple[str, float]] = ()
    deeper: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def indexes(self) -> Sequence[int]:
        """Return the indexes (from 0) of the results that are scored."""
        return ndcg.scored_indexes(self.graded, self.settings)

    @cached_property
    def own(self) -> list[float | None]:
        """Return the grades of the scored results, down to k."""
        return ndcg.scored_grades(self.graded, self.settings)[: self.k]

    @cached_property
    def ideal(self) -> Sequence[float]:
        """Return the grades of the ideal ranking, best first."""
        return ndcg.ideal_grades(self.graded, self.settings, self.k)

    @cached_property
    def best(self) -> Sequence[float]:
        """Return the grades of the best order of the judged documents.

        These are the grades of the ideal ranking, except with ideal "max".
        """
        if self.settings.ideal != "max":
            return self.ideal
        of_judged = replace(self.settings, ideal="judged")
        return ndcg.ideal_grades(self.graded, of_judged, len(self.ideal))

    @cached_property
    def discounted(self) -> list[float]:
        """Return gain / discount of the scored results, down to k."""
        return ndcg.discounted_gains(self.own, self.settings)

    @cached_property
    def ideal_dcg(self) -> float:
        """Return the DCG of the ideal ranking."""
        return ndcg.dcg(self.ideal, self.settings)

    def shares(self) -> list[tuple[str, float]]:
        """Return (document, what it adds to nDCG@k) for each scored result."""
        shares = []
        for index, discounted in zip(self.indexes, self.discounted, strict=False):
            shares.append((self.documents[index], discounted / (self.ideal_dcg or 1)))
        return shares


def scored_ranking(result: CaseResult) -> ScoredRanking:
    """Return the ranking of a result with its grades and judgments."""
    return ScoredRanking(
        documents=result.ranking.documents,
        graded=result.graded,
        settings=result.conditions.settings,
        k=result.conditions.k,
        missing=result.evaluation.missing,
        deeper=result.ranking.deeper,
    )


def shares_of_change(change: Change, now: ScoredRanking) -> Mapping[str, float]:
    """Return {document: by how much it changed nDCG@k}.

    The values add up to the change of the score. Empty if either score is not defined,
    or if the ranking is the same.

    `now`: the ranking of the case now.
    """
    shares = defaultdict[str, float](float)
    case, before = change.case, change.before
    if before is None or case.score is None:
        return shares
    if before.scores.get(case.metric.text) is None:
        return shares
    if list(before.documents) == list(case.ranking.documents):
        return shares
    graded = ndcg.GradedRanking(
        grades=list(before.grades),
        repeated=ndcg.repeated_indexes(before.documents),
        judged=now.graded.judged,
    )
    then = ScoredRanking(
        documents=before.documents, graded=graded, settings=now.settings, k=now.k
    )
    for document, share in then.shares():
        shares[document] -= share
    for document, share in now.shares():
        shares[document] += share
    return shares
