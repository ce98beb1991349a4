"""The variant that an item runs in: the parameters that its ranking may depend on.

A parameter counts if it belongs to the search fixture of the case, to one of its
`usefixtures`, or to a fixture that one of these requests, directly or through others.
Parameters of other fixtures do not count, for example of a plugin that repeats tests.

A fixture that takes `request` may get any other fixture by name. So if one of the
requested fixtures takes `request`, all parameters of the project's own fixtures count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_relevance.cases.model import Case
from pytest_relevance.plugin import pytest_internals as internals
from pytest_relevance.plugin.own_fixtures import OwnFixtures
from pytest_relevance.plugin.pytest_internals import PYTEST, Fixtures, Parameters


@dataclass(frozen=True, slots=True)
class Variant:
    """The variant of an item.

    Attributes:
        name: the ids of the parameters that count, joined by "-"; None if none counts.
        number: the number of the variant among the variants of its case, from 0.
        name_endings: for each item of the variant, the end of its name, which follows
            the name of the case. Empty if there is one item, and its name ends in the
            name of the variant.
        parameters: the ids of the parameters that count.
    """

    name: str | None
    number: int
    name_endings: Sequence[str] = ()
    parameters: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class KnownVariant:
    """A variant that is known without the fixtures of the case.

    The hook `pytest_relevance_variants` returns it.

    Attributes:
        name: the name of the variant; None if the search has no variants.
        search_folder: the folder that defines the search fixture, as in node ids.
    """

    name: str | None = None
    search_folder: str = ""


_ONLY_VARIANT = Variant(name=None, number=0)
"""The variant of the item of a case without parameters."""


def variants_of(case: Case, items: Sequence[pytest.Function]) -> list[Variant]:
    """Return the variant of each item of a case, in the order of the items."""
    if len(items) == 1 and internals.parameters_of(items[0]) is None:
        return [_ONLY_VARIANT]
    ids = _ids_that_count(case, items)
    names = [None if of_item is None else "-".join(of_item) for of_item in ids]
    by_name: dict[str | None, list[pytest.Function]] = {}
    for item, name in zip(items, names, strict=True):
        by_name.setdefault(name, []).append(item)
    numbers = {name: number for number, name in enumerate(by_name)}
    variants = []
    for name, of_item in zip(names, ids, strict=True):
        variant = Variant(
            name=name,
            number=numbers[name],
            name_endings=_name_endings(name, by_name[name]),
            parameters=of_item or (),
        )
        variants.append(variant)
    return variants


def _ids_that_count(
    case: Case, items: Sequence[pytest.Function]
) -> list[tuple[str, ...] | None]:
    """Return for each item the ids of its parameters that count; None if none do."""
    nothing_counts: list[tuple[str, ...] | None] = [None] * len(items)
    parameters = []
    for item in items:
        of_item = internals.parameters_of(item)
        if of_item is None:
            return nothing_counts
        parameters.append(of_item)
    if not parameters:
        return nothing_counts
    # All items of a case are made of one function, so their arguments are the same.
    arguments = _arguments_that_count(
        case,
        arguments=[*parameters[0].indices],
        fixtures=internals.fixtures_of(items[0]),
        own=OwnFixtures.of(items[0].config),
    )
    if not arguments:
        return nothing_counts
    return [*_ids_of_arguments(parameters, arguments)]


def _arguments_that_count(
    case: Case, arguments: Sequence[str], fixtures: Fixtures, own: OwnFixtures
) -> set[str]:
    """Return the parametrised arguments that the ranking of a case may depend on.

    `arguments`: all parametrised arguments of the items of the case.
    `own`: knows which parameters belong to fixtures of the project.
    """
    used = _used_fixtures([case.search, *case.usefixtures], fixtures)
    found = {name for name in arguments if name in used}
    for name, definitions in used.items():
        if name not in arguments and _may_ask_for_others(definitions):
            for argument in arguments:
                if own.is_parameter(argument, fixtures):
                    found.add(argument)
            break
    return found


def _used_fixtures(names: Iterable[str], fixtures: Fixtures) -> dict[str, list[Any]]:
    """Return the named fixtures and all that they request: {name: definitions in use}.

    The last definition of a name is in use. If this definition requests its own name,
    the definition that it overrides is in use too.
    """
    used: dict[str, list[Any]] = {}
    waiting = [*names]
    for name in waiting:
        if name in used:
            continue
        definitions = used[name] = []
        for fixture in reversed(fixtures.get(name, ())):
            definitions.append(fixture)
            waiting += fixture.argnames
            if name not in fixture.argnames:
                break
    return used


def _may_ask_for_others(definitions: Iterable[Any]) -> bool:
    """Say whether a fixture takes `request`, by which it may get any other fixture.

    Fixtures of pytest itself do not count.
    """
    for fixture in definitions:
        is_of_pytest = fixture.func.__module__.startswith(PYTEST)
        if "request" in fixture.argnames and not is_of_pytest:
            return True
    return False


def _ids_of_arguments(
    parameters: Sequence[Parameters], arguments: set[str]
) -> Iterable[tuple[str, ...]]:
    """Yield for each item the ids of the parameters of some arguments.

    All ids of an item are yielded if an id cannot be assigned to one argument, because
    `parametrize` set several arguments at once.
    """
    names = [*parameters[0].indices]
    has_one_each = all(len(names) == len(of_item.ids) for of_item in parameters)
    for of_item in parameters:
        if not has_one_each:
            yield tuple(of_item.ids)
            continue
        pairs = zip(names, of_item.ids, strict=True)
        yield tuple([its_id for name, its_id in pairs if name in arguments])


def _name_endings(
    variant: str | None, items: Sequence[pytest.Function]
) -> Sequence[str]:
    """Return the ends of the names of a variant's items, for `Variant.name_endings`.

    Example: `[bm25-1-2]` and `[bm25-2-2]` if pytest-repeat runs the variant `bm25`
    twice. () for the only item of the variant `bm25`, if its name ends in `[bm25]`.
    """
    parameters = internals.parameters_of(items[0])
    if len(items) == 1 and (parameters is None or parameters.id == variant):
        return ()
    return [item.name.removeprefix(item.originalname) for item in items]
