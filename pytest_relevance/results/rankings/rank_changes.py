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
    for document in {**before, **after}:
        move = Move(document, before.get(document), after.get(document), grades.get(document))
        was_in_top, is_in_top = (rank is not None and rank <= k for rank in (move.first, move.second))
        if was_in_top and not is_in_top:
            left.append(move)
        elif is_in_top and not was_in_top:
            entered.append(move)
        elif is_in_top and move.distance:
            moved.append(move)
    left.sort(key=lambda move: move.first or 0)
    entered.sort(key=lambda move: move.second or 0)
    moved.sort(key=lambda move: (-abs(move.distance), move.first))
    one, two = first[:k], second[:k]
    return RankChanges(k, tuple(left), tuple(entered), tuple(moved), jaccard(one, two), rbo(one, two))


def _ranks(ranking: Sequence[str]) -> dict[str, int]:
    """The first rank of each document."""
    return dict(zip(reversed(ranking), range(len(ranking), 0, -1), strict=True))
