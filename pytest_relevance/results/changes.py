"""Compare the ranking of a case with an earlier one.

The earlier ranking comes from a baseline or a record (`Change.since_baseline`), or from
the first of two runs (`Change.between`). Reports show both kinds in the same way.

Changes are made when a run has ended, for its reports and gates, and by `compare`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pytest_relevance.metrics.names import metric_named
from pytest_relevance.metrics.ndcg import Held, grade_passages
from pytest_relevance.metrics.similarity import jaccard, rbo
from pytest_relevance.results.case_parts import (
    WITHOUT_COMPARISON,
    BaselineComparison,
    CasePassage,
    texts_by_result,
)
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.outcomes import first_ranks
from pytest_relevance.results.passages import first_ranks_of_held


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A ranking of a case, scored under the present judgments.

    `documents`: the results, best first.
    `grades`: the grade of each document, None for an unjudged one; empty without
    judgments.
    `held`: for each result the indexes (from 0) of the passages that it holds, if the
    case has passages.
    `texts`: for each result its texts, as in `BaselineComparison`.
    `scores`: {metric: score}; None if a score is not defined.
    `latency`: how long the search took, in seconds; None if that is not known.
    """

    documents: Sequence[str] = ()
    grades: Sequence[float | None] = ()
    held: Held = ()
    texts: Sequence[Sequence[str]] = ()
    scores: Mapping[str, float | None] = field(default_factory=dict)
    latency: float | None = None

    @classmethod
    def of_result(cls, result: CaseResult) -> Snapshot:
        """Return the ranking of a result."""
        ranking = result.ranking
        texts: Sequence[Sequence[str]] = ()
        if ranking.texts:
            returned = ranking.uncollapsed
            texts = texts_by_result(ranking.documents, returned, ranking.texts)
        return cls(
            documents=ranking.documents,
            grades=ranking.grades,
            held=ranking.held,
            texts=texts,
            scores=result.evaluation.scores,
            latency=result.call.latency,
        )

    @classmethod
    def accepted_for(cls, result: CaseResult) -> Snapshot | None:
        """Return the ranking that the baseline has of a case; None without one."""
        baseline = result.baseline
        if baseline is None:
            return None
        return cls(
            documents=baseline.documents,
            grades=baseline.grades,
            held=baseline.held,
            texts=baseline.texts,
            scores={**baseline.scores, result.metric.text: baseline.score},
            latency=baseline.latency,
        )


@dataclass(frozen=True, slots=True)
class Pair:
    """The results of one case in two runs, which can be compared.

    `found`: what the comparison of the second result with the ranking of the first
    found; None if that is not known.
    """

    first: CaseResult
    second: CaseResult
    found: BaselineComparison | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A case with its ranking now and an earlier one.

    `case`: the result of the case now.
    `before`: the earlier ranking; None if there is none.
    `after`: the ranking now.
    `metric`: the metric by which the scores are compared; None is the nDCG@k of the
    case.
    `is_compared`: whether the rankings can be compared; not if the earlier one is of
    another query, for example.
    `found`: what the comparison with the reference found; None if that is not known.
    """

    case: CaseResult
    before: Snapshot | None
    after: Snapshot
    metric: str | None = None
    is_compared: bool = True
    found: BaselineComparison | None = None

    @classmethod
    def since_baseline(cls, result: CaseResult, metric: str | None = None) -> Change:
        """Return the change of a case since the ranking in its baseline.

        Without a baseline the change has no earlier ranking.

        `metric`: the name of a metric; None for the nDCG@k of the case.
        """
        baseline = result.baseline
        is_compared = (
            baseline is not None and baseline.standing not in WITHOUT_COMPARISON
        )
        return cls(
            case=result,
            before=Snapshot.accepted_for(result),
            after=Snapshot.of_result(result),
            metric=metric,
            is_compared=is_compared,
            found=baseline,
        )

    @classmethod
    def between(cls, pair: Pair, metric: str | None = None) -> Change:
        """Return the change of a case from the first run to the second."""
        latency = pair.first.call.latency_like(pair.second.call)
        return cls(
            case=pair.second,
            before=replace(Snapshot.of_result(pair.first), latency=latency),
            after=Snapshot.of_result(pair.second),
            metric=metric,
            found=pair.found,
        )

    @property
    def is_by_ndcg(self) -> bool:
        """Say whether the scores are compared by nDCG."""
        return self.metric is None or metric_named(self.metric).measure == "nDCG"

    @property
    def k(self) -> int:
        """Return the cutoff of the metric, or else of the case."""
        cutoff = None if self.metric is None else metric_named(self.metric).k
        return self.case.conditions.k if cutoff is None else cutoff

    @property
    def score_before(self) -> float | None:
        """Return the score of the earlier ranking; None without one."""
        if self.before is None:
            return None
        return self.before.scores.get(self.metric or self.case.metric.text)

    @property
    def score_after(self) -> float | None:
        """Return the score of the ranking now; None without one."""
        return self.after.scores.get(self.metric or self.case.metric.text)

    @property
    def difference(self) -> float:
        """Return by how much the score rose; NaN if either score is not defined."""
        before, after = self.score_before, self.score_after
        return math.nan if before is None or after is None else after - before

    @property
    def has_other_ranking(self) -> bool:
        """Say whether the search returned other results, or another order.

        A case without a score counts too. False if the rankings cannot be compared.
        """
        if self.before is None or not self.is_compared:
            return False
        return tuple(self.before.documents) != tuple(self.after.documents)

    @property
    def documents_before(self) -> Sequence[str]:
        """Return the earlier ranking; () if the rankings cannot be compared."""
        if self.before is None or not self.is_compared:
            return ()
        return self.before.documents

    @property
    def grades(self) -> dict[str, float]:
        """Return {document: grade} for the judged documents of both rankings.

        If the case has passages: {passage: grade} for all its passages.
        """
        passages = self.case.evaluation.passages
        if passages:
            return {passage.text: passage.grade for passage in passages}
        grades = {}
        for snapshot in (self.before, self.after):
            if snapshot is None:
                continue
            for document, grade in zip(
                snapshot.documents, snapshot.grades, strict=False
            ):
                if grade is not None:
                    grades[document] = grade
        return grades

    @property
    def ranks_before(self) -> Mapping[str, int]:
        """Return {document: its first rank} in the earlier ranking.

        If the case has passages: {passage: the rank at which it was found}. Empty if
        the rankings cannot be compared.
        """
        if self.before is None or not self.is_compared:
            return {}
        return ranks_of_judged(self.case, self.before)

    @property
    def ranks_after(self) -> Mapping[str, int]:
        """Return {document: its first rank} in the ranking now.

        If the case has passages: {passage: the rank at which it is found}. Known ranks
        below the ranking are included.
        """
        passages = self.case.evaluation.passages
        if passages:
            return _ranks_now(passages, self.case.conditions.k)
        return {**self.case.ranking.deeper, **first_ranks(self.after.documents)}

    @property
    def lost_passages(self) -> list[str]:
        """Return the passages that only the earlier ranking has in its top k.

        [] if the case has no passages, or if the rankings cannot be compared.
        """
        if not self.case.evaluation.passages or self.moves is None:
            return []
        return [move.document for move in self.moves.left]

    @property
    def moves(self) -> RankChanges | None:
        """Return which documents, or passages, left, entered and moved in the top k.

        None if the rankings cannot be compared.
        """
        if self.before is None or not self.is_compared:
            return None
        k = self.case.conditions.k
        left, entered, moved = [], [], []
        for move in self._all_moves():
            was_in_top = move.first is not None and move.first <= k
            is_in_top = move.second is not None and move.second <= k
            if was_in_top and not is_in_top:
                left.append(move)
            elif is_in_top and not was_in_top:
                entered.append(move)
            elif is_in_top and move.distance:
                moved.append(move)
        gains = self.case.conditions.settings.gains
        left.sort(key=lambda move: (-gains[move.grade], move.first))
        entered.sort(key=lambda move: move.second or 0)
        moved.sort(key=lambda move: (-abs(move.distance), move.first))
        first, second = self.before.documents[:k], self.after.documents[:k]
        return RankChanges(
            k=k,
            left=tuple(left),
            entered=tuple(entered),
            moved=tuple(moved),
            jaccard=jaccard(first, second),
            rbo=rbo(first, second),
        )

    def _all_moves(self) -> list[Move]:
        """Return the ranks of each document, or passage, in both rankings."""
        before, after, grades = self.ranks_before, self.ranks_after, self.grades
        moves = []
        for name in {**before, **after}:
            move = Move(name, before.get(name), after.get(name), grades.get(name))
            moves.append(move)
        return moves


def changes_since_baseline(results: Sequence[CaseResult]) -> list[Change]:
    """Return the change of each case since its baseline."""
    return [Change.since_baseline(result) for result in results]


def count_other_rankings(changes: Iterable[Change]) -> int:
    """Return how many cases have another ranking than before, each variant once."""
    return sum(change.has_other_ranking for change in changes)


# --- ranks that changed ---------------------------------------------------------------


def _ranks_now(passages: Sequence[CasePassage], k: int) -> dict[str, int]:
    """Return {passage: the rank of the first result that holds it}.

    A missing passage has its rank in the deeper search, if this rank is below k.
    """
    ranks = {}
    for passage in passages:
        if passage.rank is not None:
            ranks[passage.text] = passage.rank
        elif passage.deeper_rank is not None and passage.deeper_rank > k:
            ranks[passage.text] = passage.deeper_rank
    return ranks


def ranks_of_judged(case: CaseResult, snapshot: Snapshot) -> dict[str, int]:
    """Return {document: its first rank} in a ranking of a case.

    If the case has passages: {passage: the rank of the first result that holds it}.
    """
    passages = case.evaluation.passages
    if not passages:
        return first_ranks(snapshot.documents)
    graded = grade_passages(snapshot.held, [passage.grade for passage in passages])
    ranks: dict[str, int] = {}
    for index, rank in first_ranks_of_held(graded.held).items():
        ranks.setdefault(passages[index].text, rank)
    return ranks


@dataclass(frozen=True, slots=True)
class Move:
    """The ranks of a document, or a passage, in an earlier and a later ranking.

    `document`: its id, or the quote of the passage.
    `first`, `second`: its ranks (from 1) in both rankings; None if the ranking is not
    known to have it.
    `grade`: None for an unjudged document.
    """

    document: str
    first: int | None
    second: int | None
    grade: float | None = None

    @property
    def distance(self) -> int:
        """Return by how many ranks the document rose; below 0 if it fell.

        0 if one rank is None.
        """
        if self.first is None or self.second is None:
            return 0
        return self.first - self.second

    @property
    def has_fallen(self) -> bool:
        """Whether the document ranks lower than before, or is not returned any more."""
        if self.first is None:
            return False
        return self.second is None or self.distance < 0


@dataclass(frozen=True, slots=True)
class RankChanges:
    """The changes within the top `k` of two rankings.

    `left`: the documents that only the first ranking has there. Those with the highest
    gains come first: they explain the lost score.
    `entered`: the documents that only the second ranking has there, by their rank.
    `moved`: the documents that both have there at different ranks, the farthest first.
    `jaccard`, `rbo`: how similar the two top k are, from 0 to 1.
    """

    k: int
    left: tuple[Move, ...]
    entered: tuple[Move, ...]
    moved: tuple[Move, ...]
    jaccard: float
    rbo: float

    def __bool__(self) -> bool:
        """Say whether anything changed."""
        return bool(self.left or self.entered or self.moved)
