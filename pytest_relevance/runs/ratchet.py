"""The ratchet: floors raised to what was reached, less the tolerance; never lowered, and never set where none was."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pytest_relevance.cases.editing import Change, set_floor
from pytest_relevance.cases.problems import CaseFileError

_STEPS = 1000  # a floor has three decimals
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Reached:
    """What a case reached in one variant.

    `floor` is the one that it has, its own or an inherited one, None where it has none; `passed` whether it passed;
    `variants` in how many it runs. `source` is the file of queries that it comes from.
    """

    id: str
    floor: float | None
    score: float | None
    tolerance: float
    passed: bool
    variants: int
    source: str | None = None

    def values(self) -> dict[str, Any]:
        """The same in types that JSON has."""
        return asdict(self)

    @property
    def new_floor(self) -> float:
        """The floor that it would have, rounded down."""
        assert self.score is not None
        return math.floor((self.score - self.tolerance + _ROUNDING) * _STEPS) / _STEPS


def raised(all_reached: Iterable[Reached]) -> dict[str, Reached]:
    """The cases whose floors rise, by their ids: as they ran in the variant that reached least.

    A case counts that ran and passed in all of its variants.
    """
    by_case: dict[str, list[Reached]] = {}
    for reached in all_reached:
        by_case.setdefault(reached.id, []).append(reached)
    found = {}
    for name, variants in by_case.items():
        if len(variants) < variants[0].variants or not all(map(_counts, variants)):
            continue
        least = min(variants, key=lambda reached: reached.new_floor)
        if least.floor is not None and least.new_floor > least.floor + _ROUNDING:
            found[name] = least
    return found


def _counts(reached: Reached) -> bool:
    return reached.passed and reached.floor is not None and reached.score is not None


@dataclass(frozen=True, slots=True)
class Ratcheted:
    """A case file with its floors raised: `data`, and the changes in it. `refusals` say which cannot rise, and why."""

    data: bytes
    changes: tuple[Change, ...]
    refusals: tuple[str, ...] = ()


def ratcheted(data: bytes, file: str, shown: str, floors: Mapping[str, float]) -> Ratcheted:
    """Raise the floors of cases in a case file. What cannot be changed in place is left, and said with its place.

    `shown` is what messages call the file. One case that cannot be changed would keep all of them from it, and may not
    be the one that is complained of (what stands behind an anchor is another's too): it is found by halves.
    """
    if not floors:
        return Ratcheted(data, ())
    try:
        edited = set_floor(data, file, floors)
    except CaseFileError as error:
        if len(floors) == 1:
            return Ratcheted(data, (), (error.problems[0].render(shown),))
        names = list(floors)
        half = len(names) // 2
        one = ratcheted(data, file, shown, {name: floors[name] for name in names[:half]})
        two = ratcheted(one.data, file, shown, {name: floors[name] for name in names[half:]})
        return Ratcheted(two.data, one.changes + two.changes, one.refusals + two.refusals)
    return Ratcheted(edited.data, edited.changes)
