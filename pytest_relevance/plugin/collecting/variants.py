"""The variant that an item runs in: the parameters that its ranking may depend on.

These are the parameters of the fixtures that `search` and the `usefixtures` of the case are made of, by the names of
their arguments. Others are not: a plugin that repeats every test, an autouse fixture about something else. A fixture
that takes `request` may ask for any other by its name, so that all parameters of the project's own fixtures count where
one does (`request.param` apart).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance.cases.model import Case
from pytest_relevance.plugin.private import PYTEST, AnyItem, Parameters, fixtures_of, parameters_of

Fixtures = Mapping[str, Sequence[Any]]

_INSTALLED = frozenset({"site-packages", "dist-packages"})


class Variants:
    """Tells the variants of items, each combination of fixtures and parameters once."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._known: dict[tuple[object, ...], Sequence[str | None]] = {}
        self._packages: frozenset[str] | None = None

    def of(self, case: Case, items: Sequence[AnyItem]) -> Sequence[str | None]:
        """The variant of each item of a case: the ids of its parameters joined by "-", None without any that counts."""
        found = [parameters for item in items if (parameters := parameters_of(item)) is not None]
        if not found or len(found) < len(items):
            return [None] * len(items)
        key = (case.search, *case.usefixtures, tuple(found[0].indices), *(parameters.id for parameters in found))
        if key not in self._known:
            counting = self._counting((case.search, *case.usefixtures), fixtures_of(items[0]), found[0].indices)
            self._known[key] = _ids(found, counting)
        return self._known[key]

    def _counting(self, names: Iterable[str], fixtures: Fixtures, parametrised: Iterable[str]) -> frozenset[str]:
        """The parametrised arguments that a ranking may depend on."""
        arguments = frozenset(parametrised)
        used = _closure(names, fixtures)
        counting = arguments & used.keys()
        asks = (chain for name, chain in used.items() if name not in arguments)
        if any(map(_may_ask_for_others, asks)):
            counting |= {name for name in arguments - counting if self._is_of_the_project(name, fixtures)}
        return counting

    def _is_of_the_project(self, name: str, fixtures: Fixtures) -> bool:
        """Whether a parametrised argument is a fixture of the project's own, or what one requests."""
        chain = fixtures.get(name, ())
        if chain and not chain[-1].func.__module__.startswith(PYTEST):
            return self._is_own(chain[-1].func)
        return any(name in chain[-1].argnames and self._is_own(chain[-1].func) for chain in fixtures.values())

    def _is_own(self, function: Any) -> bool:
        """Whether a fixture is neither pytest's nor an installed plugin's."""
        code = getattr(inspect.unwrap(function), "__code__", None)
        path = Path(code.co_filename) if code is not None else Path()
        if path.name == "conftest.py":
            return True
        if self._packages is None:
            plugins = (plugin for plugin, _ in self._config.pluginmanager.list_plugin_distinfo())
            self._packages = frozenset(_package(getattr(plugin, "__name__", "")) for plugin in plugins) | {"_pytest"}
        return _INSTALLED.isdisjoint(path.parts) and _package(function.__module__) not in self._packages


def _package(module: str) -> str:
    return module.partition(".")[0]


def _closure(names: Iterable[str], fixtures: Fixtures) -> dict[str, Sequence[Any]]:
    """The fixtures that some are made of, themselves too, by the names of arguments; of each the definitions used."""
    used: dict[str, Sequence[Any]] = {}
    waiting = [*names]
    for name in waiting:
        if name not in used:
            used[name] = chain = _chain(name, fixtures.get(name, ()))
            waiting += [argument for fixture in chain for argument in fixture.argnames]
    return used


def _chain(name: str, definitions: Sequence[Any]) -> Sequence[Any]:
    """The definitions of a fixture that are used: the last one, and those that it overrides and requests by name."""
    chain = []
    for fixture in reversed(definitions):
        chain.append(fixture)
        if name not in fixture.argnames:
            break
    return chain


def _may_ask_for_others(chain: Iterable[Any]) -> bool:
    """Whether a fixture takes `request`, with which it can ask for any other. Those of pytest itself ask for none."""
    return any("request" in fixture.argnames and not fixture.func.__module__.startswith(PYTEST) for fixture in chain)


def _ids(found: Sequence[Parameters], counting: frozenset[str]) -> Sequence[str | None]:
    """The variants of the items of a case, of whose arguments some count."""
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
    """The arguments that were parametrised together, and have one id: those whose values always go together."""
    groups = [[names[0]]]
    for before, name in pairwise(names):
        if all(parameters.indices[before] == parameters.indices[name] for parameters in found):
            groups[-1].append(name)
        else:
            groups.append([name])
    return groups
