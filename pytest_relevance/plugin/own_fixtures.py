"""Which fixtures are the project's own, and not of pytest or installed plugins."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance.plugin.pytest_internals import PYTEST, Fixtures

_INSTALLED = frozenset({"site-packages", "dist-packages"})


class OwnFixtures:
    """Decides which fixtures are the project's own."""

    def __init__(self, config: pytest.Config) -> None:
        packages = {"_pytest", "pytest_relevance"}
        for plugin, _ in config.pluginmanager.list_plugin_distinfo():
            packages.add(_package(getattr(plugin, "__name__", "")))
        self._packages = frozenset(packages)

    @classmethod
    def of(cls, config: pytest.Config) -> OwnFixtures:
        """Return the object of a run, which is made on first use."""
        if _OWN_FIXTURES not in config.stash:
            config.stash[_OWN_FIXTURES] = cls(config)
        return config.stash[_OWN_FIXTURES]

    def is_parameter(self, name: str, fixtures: Fixtures) -> bool:
        """Say whether a parametrised argument belongs to the project.

        True for a fixture of the project, and for an argument that a fixture of the
        project requests.
        """
        definitions = fixtures.get(name, ())
        if definitions and not definitions[-1].func.__module__.startswith(PYTEST):
            return self.is_own(definitions[-1].func)
        for others in fixtures.values():
            if name in others[-1].argnames and self.is_own(others[-1].func):
                return True
        return False

    def is_own(self, function: Any) -> bool:
        """Say whether a function is defined in the project itself."""
        code = getattr(inspect.unwrap(function), "__code__", None)
        path = Path(code.co_filename) if code is not None else Path()
        if path.name == "conftest.py":
            return True
        if not _INSTALLED.isdisjoint(path.parts):
            return False
        return _package(function.__module__) not in self._packages


_OWN_FIXTURES: pytest.StashKey[OwnFixtures] = pytest.StashKey()


def _package(module: str) -> str:
    """Return the name of the package that a module is in."""
    return module.partition(".")[0]
