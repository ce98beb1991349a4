"""Whether the accepted ranking missed a demand at least as badly as the present one.

A demand is a floor or an expectation. A failure that is as old as its reference, and no
worse, *failed before*. It is worse if

- a figure is further on the wrong side of its bound (a score by more than the
  tolerance);
- a document that should stand high stands lower than it did, or is not returned any
  more;
- a document that should stand low, or not be there, stands higher than it did;
- a field has another value than it had, or a number that is further from its bound;
- more is wrong than was wrong.

What the reference does not keep is not known, and excuses nothing. The kinds of
expectations compare their outcomes.
"""

from __future__ import annotations

from pytest_relevance.registry import EXPECTATIONS
from pytest_relevance.results.case_parts import FLOOR
from pytest_relevance.results.outcomes import kind_named
from pytest_relevance.results.records.two_outcomes import TwoOutcomes


def was_missed_as_badly(both: TwoOutcomes) -> bool:
    """Whether the accepted ranking misses a demand, and by no less than the present
    one.

    False for a demand of which nothing is known, such as a latency.
    """
    if both.then.met:
        return False
    kind = both.now.kind
    if kind == FLOOR:
        return both.misses_bound_by_no_more(both.tolerance)
    with EXPECTATIONS.calling(kind):
        return kind_named(kind).missed_as_badly(both)


def is_known_as_worse(both: TwoOutcomes) -> bool:
    """Whether the accepted ranking misses a demand, and is known to miss it by less."""
    if both.then.met or was_missed_as_badly(both):
        return False
    if both.now.kind == FLOOR:
        return both.then.value is not None and both.now.value is not None
    return kind_named(both.now.kind).is_comparable(both)
