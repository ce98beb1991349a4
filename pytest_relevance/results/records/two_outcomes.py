"""The outcomes of one demand with two rankings: the accepted one, and the present one.

A demand is a floor or an expectation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from pytest_relevance.results.case_parts import Outcome

ROUNDING = 1e-9
"""The largest difference of two scores that is due to rounding."""

NOT_RETURNED = math.inf
"""The rank of a document that was not returned."""

RankOf = Callable[[str], "float | None"]
"""The rank (from 1) of a document in a ranking, `NOT_RETURNED`, or None if not
known.
"""


@dataclass(frozen=True, slots=True)
class TwoOutcomes:
    """The outcomes of one demand: of the accepted ranking, and of the present one.

    `rank_then` and `rank_now` give the ranks of documents in the two rankings. A score
    may be lower by `tolerance` now and still count as missed by no more.
    """

    then: Outcome
    now: Outcome
    rank_then: RankOf
    rank_now: RankOf
    tolerance: float

    def has_not_fallen(self, document: str) -> bool:
        """Say whether a document is known to stand no lower than it did."""
        before, now = self.rank_then(document), self.rank_now(document)
        return before is not None and now is not None and now <= before

    def has_not_risen(self, document: str) -> bool:
        """Say whether a document is known to stand no higher than it did."""
        before, now = self.rank_then(document), self.rank_now(document)
        return before is not None and now is not None and now >= before

    def knows_ranks_then(self) -> bool:
        """Say whether the accepted rank of each document that is wrong now is known."""
        ranks = [self.rank_then(document) for document in self.now.wrong]
        return None not in ranks

    def has_no_new_document(self) -> bool:
        """Say whether every document that is wrong now was wrong then."""
        return set(self.now.wrong) <= set(self.then.wrong)

    def misses_bound_by_no_more(self, tolerance: float) -> bool:
        """Say whether the figure is no further from its bound, on the same side."""
        then, now, bound = self.then.value, self.now.value, self.now.bound
        if then is None or now is None:
            return False
        if self.now.comparison == "==" and (then < bound) != (now < bound):
            return False  # too few results then, and too many now
        return abs(now - bound) <= abs(then - bound) + tolerance + ROUNDING
