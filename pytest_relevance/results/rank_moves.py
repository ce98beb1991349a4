"""Differences between two rankings of one query: what left the top, entered it or
moved.

No judgments are needed. If grades are known, each move has the grade of its document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pytest_relevance.metrics.similarity import jaccard, rbo
from pytest_relevance.results.outcomes import first_ranks

_NOTHING: Mapping[str, float] = MappingProxyType({})
_NO_RANKS: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Move:
    """A document whose rank changed, with its ranks (from 1) in both rankings.

    A rank is None if the ranking is not known to have the document. `grade` is None for
    an unjudged document.
    """

    document: str
    first: int | None
    second: int | None
    grade: float | None = None

    @property
    def distance(self) -> int:
        """Return how many ranks it rose; below 0 if it fell, 0 if one rank is None."""
        if self.first is None or self.second is None:
            return 0
        return self.first - self.second


@dataclass(frozen=True, slots=True)
class RankChanges:
    """The changes within the top `k`.

    `left`: the documents that only the first ranking has there, best first.
    `entered`: those that only the second ranking has there, best first.
    `moved`: those that are in the top of both, the farthest first.

    Jaccard and RBO are computed over the top k.
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


def rank_changes(
    first: Sequence[str],
    second: Sequence[str],
    k: int,
    grades: Mapping[str, float] = _NOTHING,
    deeper: Mapping[str, int] = _NO_RANKS,
) -> RankChanges:
    """Compare the top k of two rankings.

    A document that left the top may be ranked below it, as far as the second ranking
    goes or `deeper` has its rank. A document that occurs twice counts at its first
    rank.
    """
    before = first_ranks(first)
    after = {**deeper, **first_ranks(second)}
    left, entered, moved = [], [], []
    for document in {**before, **after}:
        move = Move(
            document=document,
            first=before.get(document),
            second=after.get(document),
            grade=grades.get(document),
        )
        was_in_top = move.first is not None and move.first <= k
        is_in_top = move.second is not None and move.second <= k
        if was_in_top and not is_in_top:
            left.append(move)
        elif is_in_top and not was_in_top:
            entered.append(move)
        elif is_in_top and move.distance:
            moved.append(move)
    left.sort(key=lambda move: move.first or 0)
    entered.sort(key=lambda move: move.second or 0)
    moved.sort(key=lambda move: (-abs(move.distance), move.first))
    return RankChanges(
        k=k,
        left=tuple(left),
        entered=tuple(entered),
        moved=tuple(moved),
        jaccard=jaccard(first[:k], second[:k]),
        rbo=rbo(first[:k], second[:k]),
    )
