"""What changed between two rankings of one query: which documents left the top, entered it, or moved within it.

No judgments are needed; where grades are known, each change has the grade of its document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pytest_relevance.metrics.similarity import jaccard, rbo


@dataclass(frozen=True, slots=True)
class Move:
    """A document whose rank changed: its ranks (from 1) in either ranking, None where it is not, as far as is known.

    `grade` is None for an unjudged document.
    """

    document: str
    first: int | None
    second: int | None
    grade: float | None = None

    @property
    def distance(self) -> int:
        """How many ranks it went up (above 0) or down; 0 where it is in one ranking alone."""
        return 0 if self.first is None or self.second is None else self.first - self.second


@dataclass(frozen=True, slots=True)
class RankChanges:
    """The changes within the top `k`.

    `left` are the documents that the first has there and the second does not, best first; `entered` are those of the
    second, best first; `moved` are in the top of both, the farthest first. Jaccard and RBO are those of the top k.
    """

    k: int
    left: tuple[Move, ...]
    entered: tuple[Move, ...]
    moved: tuple[Move, ...]
    jaccard: float
    rbo: float

    def __bool__(self) -> bool:
        """Whether anything changed."""
        return bool(self.left or self.entered or self.moved)


def rank_changes(
    first: Sequence[str],
    second: Sequence[str],
    k: int,
    grades: Mapping[str, float] = MappingProxyType({}),
    deeper: Mapping[str, int] = MappingProxyType({}),
) -> RankChanges:
    """Compare the top k of two rankings.

    What left the top may be ranked below it, as far as the second ranking goes or `deeper` has its rank. A document
    that occurs twice counts at its first rank.
    """
    before, after = _ranks(first), {**deeper, **_ranks(second)}
    left, entered, moved = [], [], []
    for document, rank in before.items():
        there = after.get(document)
        if rank <= k and (there is None or there > k):
            left.append(Move(document, rank, there, grades.get(document)))
        elif there is not None and rank <= k and there != rank:
            moved.append(Move(document, rank, there, grades.get(document)))
    for document, rank in after.items():
        there = before.get(document)
        if rank <= k and (there is None or there > k):
            entered.append(Move(document, there, rank, grades.get(document)))
    moved.sort(key=lambda move: (-abs(move.distance), move.first))
    one, two = first[:k], second[:k]
    return RankChanges(k, tuple(left), tuple(entered), tuple(moved), jaccard(one, two), rbo(one, two))


def _ranks(ranking: Sequence[str]) -> dict[str, int]:
    """The first rank of each document."""
    ranks: dict[str, int] = {}
    for rank, document in enumerate(ranking, 1):
        ranks.setdefault(document, rank)
    return ranks
