"""Whether the accepted ranking missed a demand at least as badly as the present one.

A demand is a floor or an expectation. A failure that is as old as its reference, and no
worse, *failed before*. It is worse if

- a figure is further on the wrong side of its bound (a score by more than the tolerance);
- a document that should stand high stands lower than it did, or is not returned any more;
- a document that should stand low, or not be there, stands higher than it did;
- a field has another value than it had, or a number that is further from its bound;
- more is wrong than was wrong.

What the reference does not keep is not known, and excuses nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_relevance.cases.expectations.documents import AT_MOST, BELOW
from pytest_relevance.cases.expectations.table import OF_DOCUMENTS, ON_FIELDS
from pytest_relevance.results.case_parts import FLOOR, Outcome

ROUNDING = 1e-9
"""The largest difference of two scores that is due to rounding."""

NOT_RETURNED = math.inf
"""The rank of a document that was not returned."""

RankOf = Callable[[str], "float | None"]
"""The rank (from 1) of a document in a ranking, `NOT_RETURNED`, or None if not known."""


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
        """Whether a document is known to stand no lower than it did."""
        before, now = self.rank_then(document), self.rank_now(document)
        return before is not None and now is not None and now <= before

    def has_not_risen(self, document: str) -> bool:
        """Whether a document is known to stand no higher than it did."""
        before, now = self.rank_then(document), self.rank_now(document)
        return before is not None and now is not None and now >= before


def was_missed_as_badly(both: TwoOutcomes) -> bool:
    """Whether the accepted ranking misses a demand, and by no less than the present one.

    False for a demand of which nothing is known, such as a latency.
    """
    if both.then.met or both.now.kind not in _RULES:
        return False
    return _RULES[both.now.kind](both)


def is_known_as_worse(both: TwoOutcomes) -> bool:
    """Whether the accepted ranking misses a demand, and is known to miss it by less."""
    if both.then.met or was_missed_as_badly(both):
        return False
    if both.now.kind in OF_DOCUMENTS:
        ranks = [both.rank_then(document) for document in both.now.wrong]
        return None not in ranks
    if both.now.kind in ON_FIELDS:
        return len(both.then.values) == len(both.then.wrong)
    return both.then.value is not None and both.now.value is not None


# --- figures --------------------------------------------------------------------------


def _by_figure(both: TwoOutcomes) -> bool:
    """Compare how far two figures are from their bound, on the same side of it."""
    then, now, bound = both.then.value, both.now.value, both.now.bound
    if then is None or now is None:
        return False
    if both.now.comparison == "==" and (then < bound) != (now < bound):
        return False  # too few results then, and too many now
    slack = ROUNDING if both.now.kind == "results" else both.tolerance + ROUNDING
    return abs(now - bound) <= abs(then - bound) + slack


# --- documents ------------------------------------------------------------------------


def _has_no_new_document(both: TwoOutcomes) -> bool:
    """Whether every document that is wrong now was wrong then."""
    return set(both.now.wrong) <= set(both.then.wrong)


def _wanted(both: TwoOutcomes) -> bool:
    """Compare the ranks of documents that should stand high."""
    if not _has_no_new_document(both):
        return False
    return all(both.has_not_fallen(document) for document in both.now.wrong)


def _unwanted(both: TwoOutcomes) -> bool:
    """Compare the ranks of documents that should stand low, or not be there."""
    if not _has_no_new_document(both):
        return False
    return all(both.has_not_risen(document) for document in both.now.wrong)


def _within(both: TwoOutcomes) -> bool:
    """Compare the rank of a document that should be in the top n, below it, or at n."""
    if both.now.comparison == AT_MOST:
        return _wanted(both)
    if both.now.comparison == BELOW:
        return _unwanted(both)
    (document,) = both.now.documents
    before, now, place = (
        both.rank_then(document),
        both.rank_now(document),
        both.now.within,
    )
    if before is None or now is None or place is None:
        return False
    if now > place:
        return place < now <= before
    return before <= now < place


def _order(both: TwoOutcomes) -> bool:
    """Compare pairs of documents of which the first should stand before the second.

    The first one of a wrong pair may not fall. The second one may, as that brings the
    two closer to their order, but it may not vanish.
    """
    pairs_then = _pairs(both.then)
    for first, second in _pairs(both.now):
        if (first, second) not in pairs_then or not both.has_not_fallen(first):
            return False
        has_vanished = both.rank_now(second) == NOT_RETURNED
        if has_vanished and both.rank_then(second) != NOT_RETURNED:
            return False
    return True


def _pairs(outcome: Outcome) -> list[tuple[str, str]]:
    """The wrong pairs of an `order`, which stand one after the other in `wrong`."""
    return list(zip(outcome.wrong[::2], outcome.wrong[1::2], strict=True))


# --- fields ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WrongResult:
    """A result that does not meet conditions on fields, with the values of these."""

    document: str
    rank: int
    values: Mapping[str, Any]


def _wrong_results(outcome: Outcome) -> list[WrongResult]:
    """The wrong results of an outcome; older baselines kept only their documents."""
    found = []
    for document, (rank, values) in zip(outcome.wrong, outcome.values, strict=False):
        found.append(WrongResult(document, rank, values))
    return found


def _by_fields(both: TwoOutcomes) -> bool:
    """Compare the results of `every`, `none` and `at_most` that are wrong.

    Each of them has to be one that was wrong then, in no other field, with no worse
    value. One that `none` forbids may not stand higher than it did.
    """
    then, now = _wrong_results(both.then), _wrong_results(both.now)
    if not then or not now:  # without a wrong result nothing was returned
        return not both.then.wrong and not both.now.wrong
    for result in now:
        earlier = _find_no_better(result, then, both.now)
        if earlier is None:
            return False
        then.remove(earlier)
    return True


def _find_no_better(
    result: WrongResult, then: Sequence[WrongResult], demand: Outcome
) -> WrongResult | None:
    """Find the same document among the wrong results of then, wrong at least as much."""
    for earlier in then:
        if earlier.document != result.document:
            continue
        if demand.kind == "none" and result.rank < earlier.rank:
            continue
        if _misses_no_more(result, earlier, demand):
            return earlier
    return None


def _misses_no_more(now: WrongResult, then: WrongResult, demand: Outcome) -> bool:
    """Whether a result is wrong in fields that were wrong then, with no worse values."""
    for path, value in now.values.items():
        if path not in then.values:
            return False
        if not _is_no_worse(value, then.values[path], path, demand):
            return False
    return True


def _some(both: TwoOutcomes) -> bool:
    """Compare the results of `some`, of which one should meet all conditions.

    No result then may have been closer to that than each of those now, and no field may
    have a value that none had then (a number may be closer to its bound).
    """
    then, now = _wrong_results(both.then), _wrong_results(both.now)
    if not then or not now:  # without a wrong result nothing was returned
        return not both.then.wrong and not both.now.wrong
    for earlier in then:
        if not any(_is_as_close(result, earlier, both.now) for result in now):
            return False
    values_then = [_texts_of(result, both.now) for result in then]
    values_now = [_texts_of(result, both.now) for result in now]
    return set().union(*values_now) <= set().union(*values_then)


def _is_as_close(now: WrongResult, then: WrongResult, demand: Outcome) -> bool:
    """Whether a result misses no further condition, and no number by more.

    Texts are not compared: one wrong text is as far from the right one as another.
    """
    for path, value in now.values.items():
        if path not in then.values:
            return False
        is_number = _sign(path, demand) in _NUMBERS
        if is_number and not _is_no_worse(value, then.values[path], path, demand):
            return False
    return True


def _texts_of(result: WrongResult, demand: Outcome) -> set[tuple[str, object]]:
    """The values of a result that are compared with texts, with the paths of fields."""
    found: set[tuple[str, object]] = set()
    for path, value in result.values.items():
        if _sign(path, demand) not in _NUMBERS:
            found.add((path, _scalars(value)))
    return found


_NUMBERS = ("<", "<=", ">", ">=")
"""The comparisons that a number may miss by more or by less."""


def _sign(path: str, demand: Outcome) -> str:
    """The comparison that a demand has for a field."""
    for field, comparison, _ in demand.conditions:
        if field == path:
            return comparison
    raise KeyError(path)


def _is_no_worse(now: Any, then: Any, path: str, demand: Outcome) -> bool:
    """Whether a value is the one of then, or a number that misses its bound by no more."""
    if _scalars(now) == _scalars(then):
        return True
    comparison = _sign(path, demand)
    if comparison not in _NUMBERS:
        return False
    numbers_now, numbers_then = _numbers_in(now), _numbers_in(then)
    if not numbers_now or not numbers_then:
        return False
    is_forbidden = demand.kind == "none"
    should_be_high = (comparison in (">", ">=")) != is_forbidden
    # of a field with several values one decides: the best, or for `none` the worst
    choose = max if comparison in (">", ">=") else min
    if should_be_high:
        return choose(numbers_now) >= choose(numbers_then)
    return choose(numbers_now) <= choose(numbers_then)


def _scalars(value: Any) -> frozenset[tuple[bool, Any]]:
    """The values of a field, which may have several in any order.

    Each says whether it is a boolean, as 1 equals True in Python.
    """
    values = value if isinstance(value, list) else [value]
    return frozenset((isinstance(each, bool), each) for each in values)


def _numbers_in(value: Any) -> list[float]:
    """The numbers among the values of a field."""
    values = value if isinstance(value, list) else [value]
    return [
        each
        for each in values
        if isinstance(each, (int, float)) and not isinstance(each, bool)
    ]


_RULES: Mapping[str, Callable[[TwoOutcomes], bool]] = {
    FLOOR: _by_figure,
    "metric": _by_figure,
    "results": _by_figure,
    "same_as": _by_figure,
    "first": _wanted,
    "include": _wanted,
    "exclude": _unwanted,
    "within": _within,
    "order": _order,
    "every": _by_fields,
    "none": _by_fields,
    "at_most": _by_fields,
    "some": _some,
}
"""How the two outcomes of each kind of demand are compared.

A latency is not here, as a reference says nothing of the machine of today. Neither is a
similarity to the accepted ranking, which that ranking itself always meets.
"""
