"""The ratchet: raises floors to the reached score less the tolerance; never lowers one, never adds one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from pytest_relevance._text import quoted
from pytest_relevance.cases.problems import CaseFileError
from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.cases.yaml.editing import Change, set_floor
from pytest_relevance.results.case_result import PASSED, CaseResult
from pytest_relevance.results.records.run_info import FileInfo

_STEPS = 1000  # a floor has three decimals
_ROUNDING = 1e-9


def new_floor(result: CaseResult) -> float:
    """The floor that a result allows: its score less the tolerance, rounded down to three decimals."""
    assert result.score is not None
    return math.floor((result.score - result.tolerance + _ROUNDING) * _STEPS) / _STEPS


def floors_to_raise(results: Iterable[CaseResult], info: FileInfo) -> dict[str, CaseResult]:
    """The cases of a file whose floors rise, by their ids, each as it ran in the variant that reached least.

    A case counts that has a floor, and of which all items (`info.items`; one where it is not named) ran and passed.
    `results` are those of the file, a result for each item; checks of tests in Python do not count.
    """
    by_case: dict[str, list[CaseResult]] = {}
    for result in results:
        if not result.is_check:
            by_case.setdefault(result.id, []).append(result)
    found = {}
    for name, items in by_case.items():
        if len(items) < info.items.get(name, 1) or not all(map(_counts, items)):
            continue
        least = min(items, key=new_floor)
        assert least.floor is not None
        if new_floor(least) > least.floor + _ROUNDING:
            found[name] = least
    return found


def _counts(result: CaseResult) -> bool:
    return result.verdict == result.outcome == PASSED and result.floor is not None and result.score is not None


@dataclass(frozen=True, slots=True)
class Ratcheted:
    """A case file with its floors raised: `data`, and the changes in it. `refusals` say which cannot rise, and why."""

    data: bytes
    changes: tuple[Change, ...]
    refusals: tuple[str, ...] = ()


def raise_floors(data: bytes, file: str, shown: str, floors: Mapping[str, float]) -> Ratcheted:
    """Raise the floors of cases in the text of a case file, which messages call `shown`.

    What cannot be changed in place is left, and named with its place. Raises `CaseFileError` where the file cannot be
    read any more: a file that it names may have changed.
    """
    if not floors:
        return Ratcheted(data, ())
    parse_suite(data, file)
    return _raised(data, file, shown, floors)


def _raised(data: bytes, file: str, shown: str, floors: Mapping[str, float]) -> Ratcheted:
    """Raise the floors in a file that can be read. A case that cannot be changed does not keep the others from it.

    The value behind an anchor is that of other cases too. An error then names one of those, and the case at fault is
    found by halving.
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
