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
from pytest_relevance.results.case_parts import CasePassage
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.changes import Change


@dataclass(frozen=True, slots=True)
class RankedItem:
    """A judged document, or a passage, whose rank is known.

    `name`: the id of the document, or the quote of the passage.
    `discounted`: what it adds to the DCG; 0 below k.
    """

    rank: int
    name: str
    grade: float
    discounted: float


@dataclass(frozen=True)
class ScoredRanking:
    """A ranking with grades, and with what each judged document adds to its DCG.

    If the case has passages, these take the place of the judged documents.

    `k`: the cutoff; None for the whole ranking.
    `missing`: (document, grade) for judged documents that the ranking lacks.
    `deeper`: {document: rank} for missing documents with a known rank below the
    ranking.
    `passages`: the passages of the case; empty if documents are judged.
    """

    documents: Sequence[str]
    graded: ndcg.GradedRanking
    settings: Settings
    k: int | None
    missing: Sequence[tuple[str, float]] = ()
    deeper: Mapping[str, int] = field(default_factory=dict)
    passages: Sequence[CasePassage] = ()

    @cached_property
    def indexes(self) -> Sequence[int]:
        """Return the indexes (from 0) of the results that are scored."""
        return ndcg.scored_indexes(self.graded, self.settings)

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
    def terms(self) -> Sequence[ndcg.Term]:
        """Return the summands of the DCG down to k, one for each scored result."""
        return ndcg.terms_of_ranking(self.graded, self.settings, self.k)

    @cached_property
    def ranked(self) -> Sequence[RankedItem]:
        """Return the judged documents or passages with a known rank, by rank.

        Ranks below the cutoff are included. They add nothing to the DCG.
        """
        items = self._ranked_passages() if self.passages else self._ranked_results()
        below = []
        for name, grade in self.missing:
            if name in self.deeper:
                below.append(RankedItem(self.deeper[name], name, grade, 0.0))
        below.sort(key=lambda each: (each.rank, each.name, each.grade))
        return items + below

    def _ranked_results(self) -> list[RankedItem]:
        items = []
        for rank, index in enumerate(self.indexes, 1):
            grade = self.graded.grades[index]
            if grade is None:
                continue
            is_scored = rank <= len(self.terms)
            discounted = self.terms[rank - 1].discounted if is_scored else 0.0
            items.append(RankedItem(rank, self.documents[index], grade, discounted))
        return items

    def _ranked_passages(self) -> list[RankedItem]:
        """Return the passages that the results hold, by rank."""
        items = []
        added = ndcg.added_by_passages(self.graded, self.settings, self.k)
        seen: set[int] = set()
        for rank, held in enumerate(self.graded.held, 1):
            for index in held:
                if index in seen:
                    continue
                seen.add(index)
                passage = self.passages[index]
                discounted = added.get(index, 0.0)
                items.append(RankedItem(rank, passage.text, passage.grade, discounted))
        return items

    @cached_property
    def ideal_dcg(self) -> float:
        """Return the DCG of the ideal ranking."""
        return ndcg.dcg(self.ideal, self.settings)

    def shares(self) -> list[tuple[str, float]]:
        """Return (document or passage, what it adds to nDCG@k), for known ranks."""
        ideal_dcg = self.ideal_dcg or 1
        return [(item.name, item.discounted / ideal_dcg) for item in self.ranked]


def scored_ranking(result: CaseResult) -> ScoredRanking:
    """Return the ranking of a result with its grades and judgments."""
    passages = result.evaluation.passages
    missing, deeper = result.evaluation.missing, result.ranking.deeper
    if passages:
        not_held = _passages_not_held(result)
        missing = [(passage.text, passage.grade) for passage in not_held]
        ranks = {passage.text: passage.rank for passage in not_held}
        deeper = {text: rank for text, rank in ranks.items() if rank is not None}
    return ScoredRanking(
        documents=result.ranking.documents,
        graded=result.graded,
        settings=result.conditions.settings,
        k=result.conditions.k,
        missing=missing,
        deeper=deeper,
        passages=passages,
    )


def _passages_not_held(result: CaseResult) -> list[CasePassage]:
    """Return the passages of a case that no result of its kept ranking holds."""
    held: set[int] = set()
    for indexes in result.ranking.held:
        held.update(indexes)
    not_held = []
    for index, passage in enumerate(result.evaluation.passages):
        if index not in held:
            not_held.append(passage)
    return not_held


def shares_of_change(change: Change, now: ScoredRanking) -> Mapping[str, float]:
    """Return {document or passage: by how much it changed nDCG@k}; 0 for all others.

    The values add up to the change of the score. Empty if either score is not defined,
    if the ranking is the same, or for a known item, which is scored by RR@k.

    `now`: what `scored_ranking` returns for the case of the change.
    """
    shares = defaultdict[str, float](float)
    case, before = change.case, change.before
    if before is None or case.score is None or case.is_known_item:
        return shares
    if before.scores.get(case.metric.text) is None:
        return shares
    if now.passages:
        graded = ndcg.grade_passages(before.held, now.graded.judged)
    elif list(before.documents) == list(case.ranking.documents):
        return shares
    else:
        graded = ndcg.GradedRanking(
            grades=list(before.grades),
            repeated=ndcg.repeated_indexes(before.documents),
            judged=now.graded.judged,
        )
    then = replace(
        now, documents=before.documents, graded=graded, missing=(), deeper={}
    )
    for document, share in then.shares():
        shares[document] -= share
    for document, share in now.shares():
        shares[document] += share
    return shares
