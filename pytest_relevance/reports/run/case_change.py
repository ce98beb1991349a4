"""How the score of a case changed, and which documents explain the change.

Reports name two documents of a case: the document whose place costs the score most, and
the document that is in its place now. Of a case that rose they name the document that
raised the score most.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pytest_relevance.metrics.names import is_similarity
from pytest_relevance.results.case_result import SKIPPED, CaseResult, has_failed
from pytest_relevance.results.changes import Change, Move
from pytest_relevance.results.failures import got_worse
from pytest_relevance.results.losses import Loss, losses_of
from pytest_relevance.results.outcomes import first_ranks
from pytest_relevance.results.scored_ranking import (
    ScoredRanking,
    scored_ranking,
    shares_of_change,
)


@dataclass(frozen=True)
class CaseChange:
    """How the score of a case changed, and the documents that explain the change.

    The scores are by the metric of `change`. If this is nDCG@k and nDCG@k is not
    defined, the scores are by the first metric of the case that compares two rankings.
    """

    change: Change

    @classmethod
    def since_baseline(cls, result: CaseResult) -> CaseChange:
        """Return a case compared with its accepted ranking, if it has one."""
        return cls(Change.since_baseline(result))

    @property
    def result(self) -> CaseResult:
        """The result of the case now."""
        return self.change.case

    @property
    def by(self) -> str | None:
        """The metric of the scores; None for nDCG@k."""
        return self._scored_by.metric

    @property
    def before(self) -> float | None:
        """The score of the earlier ranking; None without an earlier ranking.

        It is 1 if the metric compares the two rankings.
        """
        if is_similarity(self.by or ""):
            return 1.0
        return self._scored_by.score_before

    @property
    def after(self) -> float | None:
        """The score now; None if it is not defined."""
        return self._scored_by.score_after

    @property
    def weighted_change(self) -> float:
        """The weight of the case times the change of its score; below 0 if it fell.

        Without an earlier score, the change is from 1. Without a score now, the change
        is -1.
        """
        weight = self.result.weight
        if self.after is None:
            return -weight
        before = 1.0 if self.before is None else self.before
        return weight * (self.after - before)

    @cached_property
    def costliest(self) -> Move | None:
        """The document or passage that costs the score most; None if none costs any.

        - By nDCG@k: of the documents in the earlier ranking, the one whose new rank, or
          absence, lowers nDCG@k most.
        - By a metric that compares two rankings: the first document of the earlier
          ranking that is not returned now.
        - Without an earlier ranking: the judged document with the largest loss against
          the ideal ranking. The first rank of the move is then None.
        """
        earlier = self.change.documents_before
        if not earlier:
            return self._largest_loss()
        if is_similarity(self.by or ""):
            return self._first_not_returned(earlier)
        return self._moved_most(-1, self._ranks_before)

    @property
    def on_top(self) -> Move | None:
        """The result that took the place of `costliest`; None if there is none.

        This is the first result that rose or is new, down to the earlier rank of
        `costliest`. If no document costs any score, only rank 1 is looked at. Without
        an earlier ranking it is the first result, and the first rank of the move is
        None.
        """
        before = first_ranks(self.change.documents_before)
        documents = self.result.ranking.documents
        if not before:
            return Move(documents[0], None, 1) if documents else None
        lowest = 1
        if self.costliest is not None and self.costliest.first is not None:
            lowest = self.costliest.first
        for rank, document in enumerate(documents[:lowest], 1):
            move = Move(document, before.get(document), rank)
            if move.first is None or move.distance > 0:
                return move
        return None

    @property
    def gained(self) -> Move | None:
        """The document or passage in the top k that raised nDCG@k most, or None."""
        if not self._ranks_before:
            return None
        k = self.change.k
        in_top = {}
        for document, rank in self.change.ranks_after.items():
            if rank <= k:
                in_top[document] = rank
        return self._moved_most(1, in_top)

    @cached_property
    def losses(self) -> Sequence[Loss]:
        """What each document costs of nDCG@k, the largest loss first.

        Empty if the case has no judgments or is a known item.
        """
        if not self.result.evaluation.judgments or self.result.is_known_item:
            return ()
        return losses_of(self._scored)

    @cached_property
    def _scored_by(self) -> Change:
        """The change, by the metric of the scores."""
        change = self.change
        if change.metric is not None or change.score_after is not None:
            return change
        for name in self.result.evaluation.scores:
            if is_similarity(name):
                return replace(change, metric=name)
        return change

    @cached_property
    def _scored(self) -> ScoredRanking:
        return scored_ranking(self.result)

    @cached_property
    def _ranks_before(self) -> Mapping[str, int]:
        return self.change.ranks_before

    @cached_property
    def shares(self) -> Mapping[str, float]:
        """{document or passage: by how much it raised nDCG@k}.

        Empty if a score is not defined.
        """
        return shares_of_change(self.change, self._scored)

    def _moved_most(self, sign: int, ranks: Mapping[str, int]) -> Move | None:
        """Return the document that raised the score most; lowered it if `sign` is -1.

        None if no document did.

        `ranks`: {document: rank} of the documents to look at. If several have the same
            share, the one with the best rank is returned.
        """
        candidates = []
        for document, share in self.shares.items():
            if document in ranks and sign * share > 0:
                candidates.append((sign * share, -ranks[document], document))
        if not candidates:
            return None
        _, _, document = max(candidates)
        before = self._ranks_before.get(document)
        return Move(document, before, self.change.ranks_after.get(document))

    def _first_not_returned(self, earlier: Sequence[str]) -> Move | None:
        """Return the first document of the earlier ranking that is not returned now.

        None if all are returned.
        """
        for rank, document in enumerate(earlier, 1):
            if self.result.ranking.rank_of(document) is None:
                return Move(document, rank, None)
        return None

    def _largest_loss(self) -> Move | None:
        for loss in self.losses:
            if loss.loss > 0 and loss.document is not None:
                rank = self.change.ranks_after.get(loss.document)
                return Move(loss.document, None, rank)
        return None


def worst_first(results: Iterable[CaseResult]) -> list[CaseChange]:
    """Return the cases that failed or whose score fell, sorted by `fall_order`."""
    changes = []
    for result in results:
        change = CaseChange.since_baseline(result)
        order = fall_order(
            change, is_failed=has_failed(result), is_worse=got_worse(result)
        )
        if order is not None:
            changes.append((order, change))
    changes.sort(key=lambda pair: pair[0])
    return [change for _, change in changes]


def fall_order(
    change: CaseChange, *, is_failed: bool, is_worse: bool
) -> tuple[bool, float] | None:
    """Return the sort key of a case that failed or whose score fell; None for others.

    Sorted by this key, cases that got worse come first. Within both groups the largest
    weighted drop comes first.
    """
    effect = change.weighted_change
    is_compared = change.before is not None and change.result.status != SKIPPED
    if not is_failed and not (is_compared and effect < 0):
        return None
    return not is_worse, effect
