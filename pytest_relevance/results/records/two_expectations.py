"""An expectation as it is now, beside one that a reference has.

`demand_changes` hands it to `implies` of a kind, which says whether the present one is
as strict.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pytest_relevance.cases.bounds import Bound, implies
from pytest_relevance.cases.expectation import Expectation


@dataclass(frozen=True, slots=True)
class TwoExpectations:
    """Two expectations of one kind: now, and before.

    `k_now`, `k_before`: the cutoffs of the case.
    """

    now: Expectation
    before: Expectation
    k_now: int
    k_before: int

    @property
    def are_equal(self) -> bool:
        """Say whether both are the same, wherever they are written."""
        return replace(self.now, inherited=self.before.inherited) == self.before

    @property
    def depth_now(self) -> int:
        """Return how many results the present one looks at."""
        return self.now.within or self.k_now

    @property
    def depth_before(self) -> int:
        """Return how many results the earlier one looks at.

        If both look at the top k, this is the present depth: a change of k is reported
        by itself.
        """
        if self.before.within is None and self.now.within is None:
            return self.k_now
        return self.before.within or self.k_before

    def implies_bound(self, *, rounding: float = 0) -> bool:
        """Say whether each figure that meets the present bound meets the earlier one.

        `rounding`: how far a figure may be from a bound with `==`.
        """
        now = Bound(self.now.comparison, self.now.bound)
        before = Bound(self.before.comparison, self.before.bound)
        return implies(now, before, rounding=rounding)
