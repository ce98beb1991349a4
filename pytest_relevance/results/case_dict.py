"""Dataclasses of results as dicts of builtin types, and back: what a record has, and what pytest-xdist sends.

Each dataclass has `others`, the keys that a later version has added to its dict: they are kept where a record is
written again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import lru_cache, partial
from typing import Any, TypeVar

from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import BaselineComparison, Outcome, Repeats, SearchError, text_reason

Part = TypeVar("Part")


@lru_cache
def defaults_of(kind: Any) -> Sequence[tuple[str, object]]:
    """The fields of a dataclass with their defaults, in their order; without one `MISSING`, which equals nothing."""
    return [
        (each.name, each.default if each.default_factory is MISSING else each.default_factory())
        for each in fields(kind)
        if each.init
    ]


@lru_cache
def _names_of(kind: Any) -> frozenset[str]:
    return frozenset(name for name, _ in defaults_of(kind))


def to_builtin(part: Any) -> dict[str, Any]:
    """A dataclass as a dict of the fields that differ from their defaults, and of its `others`."""
    kind: Any = type(part)
    values = {name: value for name, default in defaults_of(kind) if (value := getattr(part, name)) != default}
    others: Mapping[str, Any] = values.pop("others", {})
    return {**values, **others}


def from_builtin(kind: type[Part], values: Mapping[str, Any]) -> Part:
    """The dataclass that `to_builtin` was called with. Keys that are not known here become its `others`."""
    found = {name: tuple(value) if type(value) is list else value for name, value in values.items()}
    try:
        return kind(**found)
    except TypeError:
        return kind(**with_others(kind, found))


def with_others(kind: Any, values: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a dataclass: values under names that are not its fields are put under `others`."""
    if values.keys() <= _names_of(kind):
        return values
    known = {name: value for name, value in values.items() if name in _names_of(kind)}
    return {**known, "others": {name: value for name, value in values.items() if name not in known}}


def _outcomes(found: Sequence[Any]) -> tuple[Outcome, ...]:
    """Outcomes from builtin types; the reasons of older records are sentences."""
    return tuple(text_reason(each) if isinstance(each, str) else from_builtin(Outcome, each) for each in found)


def settings_to_dict(settings: Settings) -> dict[str, Any]:
    """Settings in builtin types, without those that are the default; a mapping of gains as a list of pairs.

    The keys of JSON are text, and grades are numbers.
    """
    values = to_builtin(settings)
    if isinstance(settings.gain, Mapping):
        values["gain"] = sorted(map(list, settings.gain.items()))
    return values


def settings_from_dict(values: Mapping[str, Any]) -> Settings:
    """The settings that `settings_to_dict` was called with. Raises ValueError or TypeError for invalid ones."""
    gain = values.get("gain")
    if isinstance(gain, list):
        return Settings(**{**values, "gain": dict(gain)})
    return _shared_settings(tuple(values.items()))


@lru_cache(maxsize=64)  # nearly all results of a run share their settings, which keep a table of gains
def _shared_settings(items: tuple[tuple[str, Any], ...]) -> Settings:
    return Settings(**dict(items))


def _by_grade(values: Mapping[str, Any]) -> dict[float, Any]:
    """A mapping with grades as keys, which JSON has as text."""
    return {float(grade): value for grade, value in values.items()}


def _grade_text(grade: float) -> str:
    return f"{grade!r}".removesuffix(".0")


def _tuple(values: Any) -> tuple[Any, ...]:
    """A list as a tuple. Raises TypeError for a text, which would be a tuple of its letters."""
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"expected a list, found {values!r}")
    return tuple(values)


_TUPLES = (
    *("tags", "items", "documents", "engine_scores", "grades"),
    *("irrelevant_top", "not_applicable", "not_in_index", "not_in_catalogue"),
)

TO_BUILTIN: Mapping[str, Callable[[Any], Any]] = {
    "settings": settings_to_dict,
    "grade_names": lambda names: {_grade_text(grade): name for grade, name in names.items()},
    "judgments": lambda counts: {_grade_text(grade): count for grade, count in counts.items()},
    "params": dict,
    **dict.fromkeys(("outcomes", "reasons"), lambda outcomes: [*map(to_builtin, outcomes)]),
    **dict.fromkeys(("baseline", "error", "repeats"), to_builtin),
}
"""The functions that convert fields to builtin types."""

FROM_BUILTIN: Mapping[str, Callable[[Any], Any]] = {
    "settings": settings_from_dict,
    "grade_names": _by_grade,
    "judgments": _by_grade,
    "missing": lambda pairs: tuple(map(tuple, pairs)),
    **dict.fromkeys(("outcomes", "reasons"), _outcomes),
    "baseline": partial(from_builtin, BaselineComparison),
    "error": partial(from_builtin, SearchError),
    "repeats": partial(from_builtin, Repeats),
    **dict.fromkeys(_TUPLES, _tuple),
}
