"""The variant that an item runs in: the parameters that its ranking may depend on.

These are the parameters of the fixtures that `search` and the `usefixtures` of the case depend on, found by argument
names. Other parameters do not count: those of a plugin that repeats every test, or of an unrelated autouse fixture. A
fixture that takes `request` may get any other fixture by name. So if one of the fixtures does, other than for
`request.param`, all parameters of the project's own fixtures count.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_relevance.cases.model import Case
from pytest_relevance.plugin.pytest_internals import PYTEST, AnyItem, Parameters, fixtures_of, parameters_of

Fixtures = Mapping[str, Sequence[Any]]

_INSTALLED = frozenset({"site-packages", "dist-packages"})


class Variant(NamedTuple):
    """The variant of an item: its name, None without parameters that count, and its number (from 0) in its case.

    `ends` are what follows the name of the case in the names of the items of this variant, if that is not the variant.
    """

    name: str | None
    number: int
    ends: Sequence[str] = ()


class Variants:
    """Determines the variants of items."""

    def __init__(self, config: pytest.Config) -> None:
        self._own = OwnFixtures(config)

    def of(self, case: Case, items: Sequence[AnyItem]) -> Sequence[Variant]:
        """Return the variant of each item of a case, named by the ids of the parameters that count, joined by "-"."""
        found = [parameters for item in items if (parameters := parameters_of(item)) is not None]
        names: Sequence[str | None] = [None] * len(items)
        if found and len(found) == len(items):
            counting = self._counting((case.search, *case.usefixtures), fixtures_of(items[0]), found[0].indices)
            names = _ids(found, counting)
        by_variant: dict[str | None, list[AnyItem]] = {}
        for item, name in zip(items, names, strict=True):
            by_variant.setdefault(name, []).append(item)
        made = {name: Variant(name, number, _ends(name, of)) for number, (name, of) in enumerate(by_variant.items())}
        return [made[name] for name in names]

    def _counting(self, names: Iterable[str], fixtures: Fixtures, parametrised: Iterable[str]) -> frozenset[str]:
        """Return the parametrised arguments that the ranking may depend on."""
        arguments = frozenset(parametrised)
        used = _closure(names, fixtures)
        counting = arguments & used.keys()
        asks = (chain for name, chain in used.items() if name not in arguments)
        if any(map(_may_ask_for_others, asks)):
            counting |= {name for name in arguments - counting if self._own.is_parameter(name, fixtures)}
        return counting


class OwnFixtures:
    """Distinguishes the fixtures of the project itself from those of pytest and of installed plugins."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._packages: frozenset[str] | None = None

    def is_parameter(self, name: str, fixtures: Fixtures) -> bool:
        """Whether a parametrised argument is a fixture of the project itself, or is requested by one."""
        chain = fixtures.get(name, ())
        if chain and not chain[-1].func.__module__.startswith(PYTEST):
            return self.is_own(chain[-1].func)
        return any(name in chain[-1].argnames and self.is_own(chain[-1].func) for chain in fixtures.values())

    def is_own(self, function: Any) -> bool:
        """Whether a fixture belongs to the project: neither to pytest nor to an installed plugin."""
        code = getattr(inspect.unwrap(function), "__code__", None)
        path = Path(code.co_filename) if code is not None else Path()
        if path.name == "conftest.py":
            return True
        if self._packages is None:
            plugins = (plugin for plugin, _ in self._config.pluginmanager.list_plugin_distinfo())
            installed = {_package(getattr(plugin, "__name__", "")) for plugin in plugins}
            self._packages = frozenset(installed | {"_pytest", "pytest_relevance"})
        return _INSTALLED.isdisjoint(path.parts) and _package(function.__module__) not in self._packages


def _package(module: str) -> str:
    return module.partition(".")[0]


def _closure(names: Iterable[str], fixtures: Fixtures) -> dict[str, Sequence[Any]]:
    """Return the used definitions of the named fixtures, and of all fixtures that these depend on, by name."""
    used: dict[str, Sequence[Any]] = {}
    waiting = [*names]
    for name in waiting:
        if name not in used:
            used[name] = chain = _chain(name, fixtures.get(name, ()))
            waiting += [argument for fixture in chain for argument in fixture.argnames]
    return used


def _chain(name: str, definitions: Sequence[Any]) -> Sequence[Any]:
    """Return the used definitions of a fixture: the last one, and the overridden ones that it requests by its name."""
    chain = []
    for fixture in reversed(definitions):
        chain.append(fixture)
        if name not in fixture.argnames:
            break
    return chain


def _may_ask_for_others(chain: Iterable[Any]) -> bool:
    """Whether a fixture takes `request`, which gives access to any other. Fixtures of pytest itself do not count."""
    return any("request" in fixture.argnames and not fixture.func.__module__.startswith(PYTEST) for fixture in chain)


def _ends(variant: str | None, items: Sequence[AnyItem]) -> Sequence[str]:
    """Return the ends of the names of the items of a variant, if they have parameters that it leaves out."""
    parameters = parameters_of(items[0])
    if len(items) == 1 and (parameters is None or parameters.id == variant):
        return ()
    return [item.name.removeprefix(getattr(item, "originalname", "")) for item in items]


def _ids(found: Sequence[Parameters], counting: frozenset[str]) -> Sequence[str | None]:
    """Return the variants of the items of a case. `counting` are the arguments that the ranking may depend on."""
    names = tuple(found[0].indices)
    if not counting:
        return [None] * len(found)
    groups = [[name] for name in names]
    if len(names) != len(found[0].ids):
        groups = _groups(names, found)
    return [
        "-".join(part for group, part in zip(groups, parameters.ids, strict=True) if not counting.isdisjoint(group))
        if len(groups) == len(parameters.ids)
        else parameters.id
        for parameters in found
    ]


def _groups(names: Sequence[str], found: Sequence[Parameters]) -> list[list[str]]:
    """Group the arguments that were parametrised together and share an id: their value indices are always equal."""
    groups = [[names[0]]]
    for before, name in pairwise(names):
        if all(parameters.indices[before] == parameters.indices[name] for parameters in found):
            groups[-1].append(name)
        else:
            groups.append([name])
    return groups
