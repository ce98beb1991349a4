"""The choice of the event loop for a case where pytest-asyncio or anyio is active.

With one of them active the cases are coroutine functions. A plugin that runs a case does so in its own loop, which
is right for a coroutine search and wrong for a plain one: a plain search may start a loop of its own. So a plain search
is called outside any loop, and only a response that must be awaited goes to the plugin's loop. A coroutine search that
no plugin runs uses the loop of `calling`.

pytest-asyncio has a loop for each scope, and an object made in one loop works in no other. `LoopScopes` makes a case
run in the loop in which its search was made.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Any

import pytest

from pytest_relevance.cases.model import Case
from pytest_relevance.plugin.collecting.items import plain_function
from pytest_relevance.plugin.failures import AsyncFixture
from pytest_relevance.plugin.private import fixtures_of, is_asyncio_fixture, loop_scope_of
from pytest_relevance.plugin.running import calling
from pytest_relevance.plugin.running.case_run import CASE_RUN
from pytest_relevance.plugin.running.run_case import call_ahead

Items = Sequence[pytest.Item | pytest.Collector]

PYTEST_ASYNCIO = ("asyncio", "pytest_asyncio", "pytest_asyncio.plugin")
ANYIO = ("anyio", "anyio.pytest_plugin")
"""The names of a plugin: that of its entry point, and the module names for `-p` and `PYTEST_PLUGINS`."""


def has_plugin(config: pytest.Config, names: Iterable[str]) -> bool:
    """Whether a plugin with one of these names is active."""
    return any(map(config.pluginmanager.has_plugin, names))


class LoopChoice:
    """A plugin that chooses for each case whether its function is called in an event loop."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Set up the items that anyio makes again, for each of its backends, when a conftest marks cases for it."""
        strangers: dict[Any, list[pytest.Function]] = {}
        for item in session.items:
            if isinstance(item, pytest.Function) and hasattr(item.parent, "adopt") and CASE_RUN not in item.stash:
                strangers.setdefault(item.parent, []).append(item)
        for file, items in strangers.items():
            file.adopt(items)

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, object, object]:
        """Replace the function of a case with a plain one if its search needs no event loop of a plugin.

        The search is known only now, after the fixtures are set up.
        """
        __tracebackhide__ = True
        this = pyfuncitem.stash.get(CASE_RUN, None)
        if this is None:
            return (yield)
        before = pyfuncitem.obj
        search = pyfuncitem.funcargs[this.case.search]
        # pytest-asyncio replaces the function of an item that it runs; anyio runs items with the fixture anyio_backend
        taken = before is not this.function or pyfuncitem.funcargs.get("anyio_backend")
        if taken and (_is_coroutine_function(search) or calling.is_waiting(call_ahead(this))):
            return (yield)
        pyfuncitem.obj = plain_function(this)
        try:
            return (yield)
        finally:
            pyfuncitem.obj = before


class LoopScopes:
    """Marks the cases of a file with the scope of the pytest-asyncio loop that they run in.

    In auto mode pytest-asyncio runs every case, in strict mode only marked ones. A case is marked where an async
    fixture makes its search in a loop of pytest-asyncio; the mark has the scope of that loop.
    """

    def __init__(self, file: pytest.Module) -> None:
        self._file = file
        config = file.config
        self._auto = _is_auto(config)
        of_fixtures = _setting(config, "asyncio_default_fixture_loop_scope")
        self._of_fixtures = of_fixtures if of_fixtures != "fixture-scope" else None
        of_tests = _setting(config, "asyncio_default_test_loop_scope")
        # One loop for each case, pytest-asyncio's default, breaks a client that is created once, in the first case.
        self._otherwise = ((of_tests if of_tests != "function" else None) or "session") if self._auto else None
        self._scopes: dict[tuple[str, ...], str | None] = {}

    def items(self, case: Case, make: Callable[[], Items]) -> Items:
        """Make the items of a case with `make`, and mark them for pytest-asyncio."""
        key, made = (case.search, *case.usefixtures), None
        if key not in self._scopes:
            made = make()
            fixtures = fixtures_of(made[0]) if made else {}
            self._scopes[key] = self._scope_of(case.search, fixtures)
        scope = self._scopes[key] or self._otherwise
        if scope is None:
            return made if made is not None else make()
        mark = pytest.mark.asyncio(loop_scope=scope)
        if not self._auto:
            # In strict mode pytest-asyncio reads the marks while it makes an item: by then only the file can have them.
            self._file.own_markers.append(mark.mark)
            try:
                made = make()
            finally:
                self._file.own_markers.remove(mark.mark)
        made = made if made is not None else make()
        for item in made:
            item.add_marker(mark, append=False)
        return made

    def _scope_of(self, search: str, fixtures: Mapping[str, Sequence[Any]]) -> str | None:
        """Return the loop scope of the nearest async fixture that the search depends on, or None if there is none."""
        names = [search]
        for name in names:
            for fixture in fixtures.get(name, ())[-1:]:
                function = fixture.func
                if _is_async(function) and (self._auto or is_asyncio_fixture(function)):
                    return str(loop_scope_of(function) or self._of_fixtures or fixture.scope)
                names += [argument for argument in fixture.argnames if argument not in names]
        return None


class AsyncFixtures:
    """Finds cases with an async fixture that no plugin sets up: pytest gives no advice on what to do about it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._auto = has_plugin(config, PYTEST_ASYNCIO) and _is_auto(config)
        self._found: dict[tuple[str, ...], str | None] = {}

    def look_at(self, case: Case, items: Items) -> None:
        """Make the items of a case fail with advice if they request an async fixture that no plugin sets up."""
        key = (case.search, *case.usefixtures)
        if key not in self._found:
            self._found[key] = self._left_alone(items[0]) if items else None
        name = self._found[key]
        if name is not None:
            manager = self._config.pluginmanager
            if not manager.has_plugin("relevance-async-fixtures"):
                manager.register(_Advice(), "relevance-async-fixtures")
            for item in items:
                item.stash[_LEFT_ALONE] = name

    def _left_alone(self, item: pytest.Item | pytest.Collector) -> str | None:
        known = ("_pytest.", "pytest_asyncio.", "anyio.")
        setups = self._config.hook.pytest_fixture_setup.get_hookimpls()
        if not all(impl.function.__module__.startswith(known) for impl in setups):
            return None  # an unknown plugin, which may set it up
        fixtures = fixtures_of(item)
        if "anyio_backend" in fixtures and has_plugin(self._config, ANYIO):
            return None
        for name, found in fixtures.items():
            function = found[-1].func
            if _is_async(function) and not (self._auto or is_asyncio_fixture(function)):
                return str(name)
        return None


_LEFT_ALONE: pytest.StashKey[str] = pytest.StashKey()


class _Advice:
    """The hook that fails such a case in its setup. Registered only where there is one."""

    @pytest.hookimpl
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        name = item.stash.get(_LEFT_ALONE, None)
        if name is not None:
            raise AsyncFixture(name, has_asyncio=has_plugin(item.config, PYTEST_ASYNCIO))


def _is_auto(config: pytest.Config) -> bool:
    return bool((config.getoption("asyncio_mode", None) or _setting(config, "asyncio_mode")) == "auto")


def _setting(config: pytest.Config, name: str) -> Any:
    """Return an ini setting of pytest-asyncio, or None if its version does not have the setting."""
    try:
        return config.getini(name)
    except (KeyError, ValueError):
        return None


def _is_async(function: object) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


def _is_coroutine_function(search: object) -> bool:
    return inspect.iscoroutinefunction(search) or inspect.iscoroutinefunction(getattr(search, "__call__", None))  # noqa: B004
