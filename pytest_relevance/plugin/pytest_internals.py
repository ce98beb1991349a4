"""All access to private attributes of pytest and pytest-asyncio.

Any of their releases may change these attributes.

| attribute | why it is read |
|---|---|
| `_fixtureinfo.name2fixturedefs` of an item | only this says which definitions of fixtures an item uses |
| `_fixturemanager.getfixturedefs` of a session | only this says whether an item sees a fixture of a name |
| `_fixtureinfo` of an item | another item with the same fixtures is made without looking for them again |
| `_request` of an item | hooks that get only an item have no other way to a fixture |
| `callspec.indices`, `callspec._idlist` of an item | the name of an item joins the ids of its parameters by "-" |
| `callspec` of an item, which is removed | the plugin of VS Code loses its tree of tests because of it |
| `_force_asyncio_fixture`, `_loop_scope` of a fixture | in strict mode pytest-asyncio runs only these, each in its loop |
| the attributes of a failure's representation | secrets are masked in every text of it |

Tried with pytest 8.4.1 and 9.2.0, and pytest-asyncio 1.5.0. No other module of the
package may read a private attribute: ruff's rule SLF001 checks that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

AnyItem = pytest.Item | pytest.Collector

Fixtures = Mapping[str, Sequence[Any]]

PYTEST = "_pytest."
"""The prefix of the names of pytest's own modules."""

ANYIO_BACKEND = "anyio_backend"
"""The fixture that says which event loop anyio runs a test in."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters that an item runs with.

    `indices`: for each argument, in the order of parametrisation, the index of its
        value.
    `ids`: the parts of the name in brackets: one for each call of `parametrize`, even
        if it sets several arguments, and none for a hidden parameter.
    """

    indices: Mapping[str, int]
    ids: Sequence[str]

    @property
    def id(self) -> str:
        """Return the text in brackets in the name of the item."""
        return "-".join(self.ids)


def parameters_of(item: AnyItem) -> Parameters | None:
    """Return the parameters of an item; None if it has none."""
    callspec = getattr(item, "callspec", None)
    return None if callspec is None else Parameters(callspec.indices, callspec._idlist)


def forget_parameters(items: Iterable[AnyItem]) -> None:
    """Remove `callspec` from items that were collected and will not run.

    The plugin of VS Code draws its tree of tests when a session ends. It expects that
    every item with this attribute is in a file `*.py`. For an item of another file, it
    loses the whole tree.
    """
    for item in items:
        vars(item).pop("callspec", None)


def hide_in_report(report: pytest.TestReport, hide: Callable[[str], str]) -> None:
    """Replace each text in a report, also of its captured output, by `hide(text)`."""
    report.longrepr = _hidden(report.longrepr, hide)
    report.sections = [(title, hide(text)) for title, text in report.sections]


def _hidden(part: Any, hide: Callable[[str], str]) -> Any:
    """Return a part of a failure's representation, with `hide` called for each text.

    Objects of pytest are changed in place.
    """
    if isinstance(part, str):
        return hide(part)
    if isinstance(part, (list, tuple)):
        return type(part)([_hidden(each, hide) for each in part])
    if type(part).__module__.startswith(PYTEST):
        for name, value in vars(part).items():
            setattr(part, name, _hidden(value, hide))
    return part


def fixtures_of(item: AnyItem) -> Fixtures:
    """Return the definitions of all fixtures that an item uses: {name: definitions}.

    The last definition of a name is used. A definition has `argname`, `argnames`,
    `baseid`, `func` and `scope`. An argument of `parametrize` also has a definition,
    with a function of pytest.
    """
    info = getattr(item, "_fixtureinfo", None)
    definitions: Fixtures = getattr(info, "name2fixturedefs", {})
    return definitions


def item_like(item: pytest.Function, name: str) -> pytest.Function:
    """Return a new item of the same file, with what pytest found for another item.

    Both have one function, the same fixtures, and equal parameters.

    `name`: the name of the new item, without the ids of its parameters.
    """
    ids = item.name.removeprefix(item.originalname)
    made = {"fixtureinfo": item._fixtureinfo, "originalname": name, "callobj": item.obj}
    callspec = getattr(item, "callspec", None)
    if callspec is not None:
        own = replace(
            callspec, params=dict(callspec.params), indices=dict(callspec.indices)
        )
        made |= {"callspec": own, "keywords": {own.id: True}}
    like: pytest.Function = pytest.Function.from_parent(
        item.parent, name=name + ids, **made
    )
    return like


def requested(item: pytest.Item, name: str) -> tuple[object] | None:
    """Return the value of a fixture in a tuple; None if the item does not see a fixture.

    The fixture is set up if needed. Fixtures that the item itself requests are set up
    already. Raises whatever the fixture raises.
    """
    if not item.session._fixturemanager.getfixturedefs(name, item):
        return None
    request = request_of(item)
    return None if request is None else (request.getfixturevalue(name),)


def is_asyncio_fixture(function: object) -> bool:
    """Say whether a function is decorated with `pytest_asyncio.fixture`."""
    return hasattr(function, "_force_asyncio_fixture")


def loop_scope_of(function: Callable[..., object]) -> str | None:
    """Return the `loop_scope` of a function decorated with `pytest_asyncio.fixture`.

    None if the decorator does not set the scope.
    """
    scope: str | None = getattr(function, "_loop_scope", None)
    return scope


def request_of(item: AnyItem) -> pytest.FixtureRequest | None:
    """Return the object `request` of an item, which gives any fixture; None without one."""
    request: pytest.FixtureRequest | None = getattr(item, "_request", None)
    return request


def is_fixture_defined(name: str, session: pytest.Session) -> bool:
    """Say whether any test of a run sees a fixture of some name."""
    manager = session._fixturemanager
    files = {item.parent for item in session.items if item.parent is not None}
    return any(manager.getfixturedefs(name, file) for file in files)
