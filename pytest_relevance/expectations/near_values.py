"""Values of fields that nearly meet an expectation: `Lenovo` where `lenovo` is
wanted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._near import difference, difference_within
from pytest_relevance._text import first_few
from pytest_relevance.cases.model import FieldCondition
from pytest_relevance.results.case_parts import Outcome

_MOST_RANKS = 10


@dataclass(frozen=True, slots=True)
class NearValue:
    """A value of a field, in what it differs from the wanted one, and the ranks of the
    results that have it.
    """

    path: str
    value: str
    how: str
    ranks: tuple[int, ...]


def near_values(reason: Outcome) -> list[NearValue]:
    """Group the wrong results that would meet an expectation but for the spelling of
    one value.
    """
    conditions = {}
    for written in reason.conditions:
        condition = FieldCondition.of_record(written)
        conditions[condition.path] = condition
    ranks: dict[tuple[str, str, str], list[int]] = {}
    for rank, values in reason.values:
        near = _near_value(conditions, values)
        if near is not None:
            ranks.setdefault(near, []).append(rank)
    return [NearValue(*near, tuple(those)) for near, those in ranks.items()]


def _near_value(
    conditions: Mapping[str, FieldCondition], values: Mapping[str, object]
) -> tuple[str, str, str] | None:
    """Find the path, the near value and the difference of a wrong result; None if
    another field is wrong too.
    """
    if len(values) != 1:
        return None
    ((path, value),) = values.items()
    condition = conditions.get(path)
    if condition is None:
        return None
    for each in value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(each, str):
            how = _difference(condition, each)
            if how:
                return path, each, how
    return None


def _difference(condition: FieldCondition, value: str) -> str:
    """Say in what a value differs from a wanted one; empty if it is not near."""
    for wanted in condition.values:
        if not isinstance(wanted, str):
            continue
        how = ""
        if condition.comparison == "==":
            how = difference(wanted, value)
        elif condition.comparison == "contains":
            how = difference_within(wanted, value)
        if how:
            return how
    return ""


def counted_ranks(ranks: Sequence[int]) -> str:
    """`rank 3`, `ranks 1, 2 and 5`."""
    noun = "rank" if len(ranks) == 1 else "ranks"
    return f"{noun} {first_few([str(rank) for rank in ranks], _MOST_RANKS)}"
