"""Check the values in a line of a record or a baseline, before a result or an entry is made of them.

A file may be damaged in any place: by a merge, by hand, or by another program. Each value has to have the type that the
field of its name is annotated with, at every depth. What types do not say of an outcome is in `check_outcome`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, is_dataclass
from functools import cache, lru_cache
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from pytest_relevance._text import shown
from pytest_relevance.metrics.names import metric_named
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import DROP, FLOOR, Outcome
from pytest_relevance.results.case_result import defaults_of

Check = Callable[[Any], bool]
"""Whether a value of JSON may become a field."""

_SCALARS: Mapping[Any, frozenset[type]] = {
    str: frozenset({str}),
    int: frozenset({int}),
    bool: frozenset({bool}),
    float: frozenset({int, float}),
    NoneType: frozenset({NoneType}),
}
"""The types in JSON of the types that fields have; all others are lists and objects."""


@cache
def check_of(hint: Any) -> Check:
    """Return the function that tells whether a value of JSON may become a field with this annotation."""
    if hint is Any:
        return _anything
    allowed = _scalar_types(hint)
    if allowed is not None:
        return lambda value: type(value) in allowed
    if isinstance(hint, UnionType):
        checks = [check_of(each) for each in get_args(hint)]
        return lambda value: any(check(value) for check in checks)
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if kind is Mapping:
        return _mapping_of(inner[1])
    if kind is Sequence or (kind is tuple and inner[1:] == (...,)):
        return _list_of(inner[0])
    if kind is tuple:
        return _tuple_of(inner)
    if is_dataclass(kind) and kind is not Settings:
        return _part_of(kind)
    return lambda value: type(value) is dict  # what makes the field checks the rest


def _anything(value: Any) -> bool:
    return True


def _scalar_types(hint: Any) -> frozenset[type] | None:
    """The types of an annotation that allows scalars alone; None for any other."""
    found: frozenset[type] = frozenset()
    for each in get_args(hint) if isinstance(hint, UnionType) else (hint,):
        if each not in _SCALARS:
            return None
        found |= _SCALARS[each]
    return found


def _list_of(hint: Any) -> Check:
    allowed = _scalar_types(hint)
    if allowed is not None:
        return lambda value: (
            type(value) is list and allowed.issuperset(map(type, value))
        )
    check = check_of(hint)
    return lambda value: type(value) is list and all(map(check, value))


def _mapping_of(hint: Any) -> Check:
    allowed = _scalar_types(hint)
    if allowed is not None:
        return lambda value: (
            type(value) is dict and allowed.issuperset(map(type, value.values()))
        )
    check = check_of(hint)
    return lambda value: type(value) is dict and all(map(check, value.values()))


def _tuple_of(hints: Sequence[Any]) -> Check:
    checks = [check_of(hint) for hint in hints]

    def check(value: Any) -> bool:
        if type(value) is not list or len(value) != len(checks):
            return False
        return all(fits(each) for fits, each in zip(checks, value, strict=True))

    return check


def _part_of(kind: Any) -> Check:
    checks = {name: check_of(hint) for name, hint in get_type_hints(kind).items()}
    needed = [name for name, default in defaults_of(kind) if default is MISSING]

    def check(value: Any) -> bool:
        if kind is Outcome and type(value) is str:  # a reason of the first records
            return True
        if type(value) is not dict or not value.keys() >= {*needed}:
            return False
        for name, each in value.items():
            if name in checks and not checks[name](each):
                return False
        return kind is not Outcome or is_outcome(value)

    return check


@cache
def _checks_of(
    kinds: Sequence[Any],
) -> Mapping[str, tuple[frozenset[type] | None, Check]]:
    """For each field of these data types the types that it may have if it is a scalar, and its check."""
    found = {}
    for kind in kinds:
        for name, hint in get_type_hints(kind).items():
            found[name] = _scalar_types(hint), check_of(hint)
    return found


@lru_cache(
    maxsize=1024
)  # most lines of a file have the same keys, with values of the same types
def _plan(
    names: Sequence[str],
    types: Sequence[type],
    kinds: Sequence[Any],
    only: frozenset[str],
) -> tuple[Sequence[str], Sequence[tuple[str, Check]]]:
    """The keys whose value has a wrong type, and the checks of those that hold lists and objects."""
    checks = _checks_of(kinds)
    wrong = []
    deeper = []
    for name, kind in zip(names, types, strict=True):
        if name not in checks or (only and name not in only):
            continue
        allowed, check = checks[name]
        if allowed is None:
            deeper.append((name, check))
        elif kind not in allowed:
            wrong.append(name)
    return wrong, deeper


def check_types(
    values: Mapping[str, Any], *kinds: Any, only: frozenset[str] = frozenset()
) -> None:
    """Raise TypeError if a value in a line is none that the field of its name in these data types may have.

    With `only` other keys are left alone.
    """
    types = tuple(map(type, values.values()))
    wrong, deeper = _plan(tuple(values), types, kinds, only)
    for name in wrong:
        raise TypeError(f"its {name} is {shown(values[name])}")
    for name, check in deeper:
        if not check(values[name]):
            raise TypeError(f"its {name} is {shown(values[name])}")


def is_outcome(values: Mapping[str, Any]) -> bool:
    """Whether the parts of an outcome fit its kind, beyond their types.

    The values of fields are each a rank and the fields; those of `same_as` are the ranks here and there.
    """
    kind = values["kind"]
    if kind in _WITH_METRIC:
        return is_metric(values["name"])
    if values.get("query"):
        return _RANKS_IN_TWO(values.get("values", []))
    return _is_on_fields(values)


def _is_on_fields(values: Mapping[str, Any]) -> bool:
    """Whether each field of a result has a condition, and each condition says what was wanted."""
    of_results = values.get("values", [])
    if not _FIELDS_OF_RESULTS(of_results):
        return False
    paths = set()
    for path, _, wanted in values.get("conditions", ()):
        if not wanted:
            return False
        paths.add(path)
    return all(paths.issuperset(fields) for _, fields in of_results)


@lru_cache(maxsize=1024)
def is_metric(name: str) -> bool:
    """Whether a text names a metric, of this program or of a project."""
    try:
        metric_named(name)
    except ValueError:
        return False
    return True


_WITH_METRIC = ("metric", "similarity", FLOOR, DROP)
"""The kinds of outcomes whose name is that of a metric."""

_OF_FIELD = str | int | float | bool | None

_FIELDS_OF_RESULTS: Check = check_of(
    Sequence[tuple[int, Mapping[str, _OF_FIELD | Sequence[_OF_FIELD]]]]
)
_RANKS_IN_TWO: Check = check_of(Sequence[tuple[int | None, int | None]])
