"""What is read of pytest and pytest-asyncio that they do not promise to keep, all in this one module.

Checked with pytest 8.4.2 and 9.2.0, pytest-asyncio 1.5.0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

AnyItem = pytest.Item | pytest.Collector

PYTEST = "_pytest."
"""What the names of pytest's own modules begin with."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters that an item runs with.

    `indices` are the arguments, in the order in which they were parametrised, and the index of the value of each in its
    list. `ids` are the parts of the name in brackets: one a call of `parametrize`, which may be of several arguments,
    and none for a hidden parameter.
    """

    indices: Mapping[str, int]
    ids: Sequence[str]

    @property
    def id(self) -> str:
        """What stands in brackets in the name of the item."""
        return "-".join(self.ids)


def parameters_of(item: AnyItem) -> Parameters | None:
    """The parameters of an item; None where it has none."""
    callspec = getattr(item, "callspec", None)
    return None if callspec is None else Parameters(callspec.indices, callspec._idlist)


def pattern_of(item: AnyItem) -> Callable[[], dict[str, Any]] | None:
    """Make the arguments of `Function.from_parent` for further items of the same fixtures and parameters.

    None where the item is not one that pytest makes by itself. Each item gets a list of fixture names of its own: a
    conftest may append to `item.fixturenames` of one.
    """
    found = getattr(item, "_fixtureinfo", None)
    if type(item) is not pytest.Function or found is None:
        return None
    names = [*found.names_closure]
    callspec = getattr(item, "callspec", None)
    parameters: dict[str, Any] = {} if callspec is None else {"callspec": callspec, "keywords": {callspec.id: True}}

    def arguments() -> dict[str, Any]:
        return {"fixtureinfo": replace(found, names_closure=names.copy()), **parameters}

    return arguments


def fixtures_of(item: AnyItem) -> Mapping[str, Sequence[Any]]:
    """The definitions of all fixtures that an item sets up, by name; of each the one that is used is the last.

    A definition has `argname`, `argnames`, `func` and `scope`. An argument that is parametrised directly has one that
    pytest made, whose function is pytest's.
    """
    found: Mapping[str, Sequence[Any]] = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
    return found


def is_asyncio_fixture(function: object) -> bool:
    """Whether a function is decorated with `pytest_asyncio.fixture`."""
    return hasattr(function, "_force_asyncio_fixture")


def loop_scope_of(function: Callable[..., object]) -> str | None:
    """The scope of the loop that `pytest_asyncio.fixture(loop_scope=...)` asks for."""
    scope: str | None = getattr(function, "_loop_scope", None)
    return scope
