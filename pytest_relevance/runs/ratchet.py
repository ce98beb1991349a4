"""The ratchet: floors raised to what was reached, less the tolerance; never lowered, and never set where none was."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from pytest_relevance.cases.problems import CaseFileError
from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.cases.yaml.editing import Change, set_floor
from pytest_relevance.wording import quoted

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

    `shown` is what messages call the file. `CaseFileError` where it cannot be read any more: a file that it names may
    have changed.
    """
    if not floors:
        return Ratcheted(data, ())
    parse_suite(data, file)
    return _raised(data, file, shown, floors)


def _raised(data: bytes, file: str, shown: str, floors: Mapping[str, float]) -> Ratcheted:
    """The same for a file that can be read. One case that cannot be changed must not keep the others from it.

    What stands behind an anchor is another case's too. Then it is that one which is complained of, and the one that is
    in the way is found by halves.
    """
    try:
        edited = set_floor(data, file, floors)
    except CaseFileError as error:
        refusals = tuple(problem.render(shown) for problem in error.problems)
        refused = {problem.case for problem in error.problems}
        left = {name: floor for name, floor in floors.items() if quoted(name, 60) not in refused}
        if not left or len(floors) == 1:
            return Ratcheted(data, (), refusals)
        if len(left) < len(floors):
            rest = _raised(data, file, shown, left)
            return replace(rest, refusals=refusals + rest.refusals)
        names = list(floors)
        half = len(names) // 2
        one = _raised(data, file, shown, {name: floors[name] for name in names[:half]})
        two = _raised(one.data, file, shown, {name: floors[name] for name in names[half:]})
        return Ratcheted(two.data, one.changes + two.changes, one.refusals + two.refusals)
    return Ratcheted(edited.data, edited.changes)
