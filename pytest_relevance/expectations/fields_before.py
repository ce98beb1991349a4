"""Compare how badly the present and the accepted ranking miss an expectation on fields.

A failure is not new only if the accepted ranking missed the expectation at least as
badly as the present ranking. The kinds of expectations on fields call this module for a
failing case that has an accepted ranking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_relevance.cases.scalars import is_number, with_type
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.records.accepted_outcomes import TwoOutcomes

_NUMBERS = ("<", "<=", ">", ">=")
"""The comparisons that a number may miss by more or by less."""


def are_known(both: TwoOutcomes) -> bool:
    """Say whether the values of all results that were wrong then are known."""
    return len(both.then.values) == len(both.then.wrong)


@dataclass(frozen=True, slots=True)
class _WrongResult:
    """A result that misses conditions on fields, and its values of these fields.

    `values`: {path of a field: value}.
    """

    document: str
    rank: int
    values: Mapping[str, Any]


def _wrong_results(outcome: Outcome) -> list[_WrongResult]:
    """Return the wrong results of an outcome.

    Empty for older baselines, which have only the documents, not the values.
    """
    found = []
    for document, (rank, values) in zip(outcome.wrong, outcome.values, strict=False):
        found.append(_WrongResult(document, rank, values))
    return found


@dataclass(frozen=True, slots=True)
class _Demand:
    """What an expectation demands of fields.

    `comparisons`: {path of a field: its comparison}.
    `forbids`: whether no result may meet the conditions, as with `none`.
    """

    comparisons: Mapping[str, str]
    forbids: bool = False

    @classmethod
    def of(cls, outcome: Outcome, *, forbids: bool = False) -> _Demand:
        """Return the demand of the expectation of an outcome."""
        comparisons = {path: comparison for path, comparison, _ in outcome.conditions}
        return cls(comparisons, forbids)

    def is_of_numbers(self, path: str) -> bool:
        """Say whether a field is compared by `<`, `<=`, `>` or `>=`.

        Only then does it count how far a value is from its bound.
        """
        return self.comparisons[path] in _NUMBERS


def fields_as_badly(both: TwoOutcomes) -> bool:
    """Say whether the accepted ranking misses `every` or `at_most` at least as badly.

    Each result that is wrong now must have been wrong then in the same fields. No value
    may be worse now.
    """
    return _were_all_wrong(both, _Demand.of(both.now))


def none_as_badly(both: TwoOutcomes) -> bool:
    """Say whether the accepted ranking misses `none` at least as badly.

    Each forbidden result must have been there then, at the same rank or higher, and
    with no better values.
    """
    return _were_all_wrong(both, _Demand.of(both.now, forbids=True))


def _were_all_wrong(both: TwoOutcomes, demand: _Demand) -> bool:
    """Say whether each result that is wrong now was at least as wrong then."""
    then, now = _wrong_results(both.then), _wrong_results(both.now)
    if not then or not now:  # without a wrong result nothing was returned
        return not both.then.wrong and not both.now.wrong
    for result in now:
        earlier = _find_no_better(result, then, demand)
        if earlier is None:
            return False
        then.remove(earlier)
    return True


def _find_no_better(
    result: _WrongResult, then: Sequence[_WrongResult], demand: _Demand
) -> _WrongResult | None:
    """Return the earlier result with the same document if it was at least as wrong.

    None if there is no such result.

    `then`: the results that were wrong in the accepted ranking.
    """
    for earlier in then:
        if earlier.document != result.document:
            continue
        if demand.forbids and result.rank < earlier.rank:
            continue
        if _misses_no_more(result, earlier, demand):
            return earlier
    return None


def _misses_no_more(now: _WrongResult, then: _WrongResult, demand: _Demand) -> bool:
    """Say whether all fields that are wrong now were at least as wrong then."""
    for path, value in now.values.items():
        if path not in then.values:
            return False
        if not _is_no_worse(value, then.values[path], path, demand):
            return False
    return True


def response_as_badly(both: TwoOutcomes) -> bool:
    """Say whether the accepted response misses the conditions at least as badly.

    Each value that is wrong now must have been wrong then, and no better.
    """
    now = _WrongResult("", 0, dict(both.now.values))
    then = _WrongResult("", 0, dict(both.then.values))
    return _misses_no_more(now, then, _Demand.of(both.now))


def some_as_badly(both: TwoOutcomes) -> bool:
    """Say whether the accepted ranking misses `some` at least as badly.

    For each accepted result, some present result must be as close to the conditions.
    Each text that a field has now must be in an accepted result too. If one ranking has
    no results, the other must have none either.
    """
    demand = _Demand.of(both.now)
    then, now = _wrong_results(both.then), _wrong_results(both.now)
    if not then or not now:  # without a wrong result nothing was returned
        return not both.then.wrong and not both.now.wrong
    for earlier in then:
        if not any(_is_as_close(result, earlier, demand) for result in now):
            return False
    values_then = [_texts_of(result, demand) for result in then]
    values_now = [_texts_of(result, demand) for result in now]
    return set().union(*values_now) <= set().union(*values_then)


def _is_as_close(now: _WrongResult, then: _WrongResult, demand: _Demand) -> bool:
    """Say whether a wrong result is as near to the conditions as an earlier one.

    The result must meet each condition that the earlier result meets, and miss no
    number by more. Texts are not compared: each wrong text is as far from the right one
    as any other.
    """
    for path, value in now.values.items():
        if path not in then.values:
            return False
        if not demand.is_of_numbers(path):
            continue
        if not _is_no_worse(value, then.values[path], path, demand):
            return False
    return True


def _texts_of(result: _WrongResult, demand: _Demand) -> set[tuple[str, object]]:
    """Return the wrong values of a result, except numbers, each with its path."""
    found: set[tuple[str, object]] = set()
    for path, value in result.values.items():
        if not demand.is_of_numbers(path):
            found.add((path, _scalars(value)))
    return found


def _is_no_worse(now: Any, then: Any, path: str, demand: _Demand) -> bool:
    """Say whether a value did not change, or is a number no farther from its bound.

    `then`: the value in the accepted ranking.
    """
    if _scalars(now) == _scalars(then):
        return True
    if not demand.is_of_numbers(path):
        return False
    comparison = demand.comparisons[path]
    numbers_now, numbers_then = _numbers_in(now), _numbers_in(then)
    if not numbers_now or not numbers_then:
        return False
    should_be_high = (comparison in (">", ">=")) != demand.forbids
    # If a field has several values, the best one decides, or for `none` the worst.
    choose = max if comparison in (">", ">=") else min
    if should_be_high:
        return choose(numbers_now) >= choose(numbers_then)
    return choose(numbers_now) <= choose(numbers_then)


def _scalars(value: Any) -> frozenset[tuple[bool, Any]]:
    """Return the values of a field, as `with_type` makes them comparable.

    `value`: one value, or a list of them.
    """
    values = value if isinstance(value, list) else [value]
    return frozenset(map(with_type, values))


def _numbers_in(value: Any) -> list[float]:
    """Return the numbers of a field, which may have several values."""
    values = value if isinstance(value, list) else [value]
    return [each for each in values if is_number(each)]
