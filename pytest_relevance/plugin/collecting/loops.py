"""Where pytest-asyncio or anyio are about: which loop a case runs in.

With one of them installed the cases are coroutine functions. A plugin that takes a case runs it in its own loop, which
is right for a coroutine search and wrong for a plain one: a plain search may start a loop of its own. So a plain search
is called outside of any loop, and only what it returns, where that must be awaited, is handed over. A coroutine search
that no plugin takes runs on the loop of `calling`.

pytest-asyncio has a loop for each scope, and what was made in one of them works in no other. `LoopScopes` sees to it
that a case runs in the loop that its search was made in.
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
"""The names that a plugin is known by: of its entry point, and of the module where `-p` or an environment names it."""


def has_plugin(config: pytest.Config, names: Iterable[str]) -> bool:
    """Whether a plugin that goes by one of some names is active."""
    return any(map(config.pluginmanager.has_plugin, names))


class LoopChoice:
    """A plugin that chooses how the function of a case is called."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """See to the items that anyio makes anew, for both of its backends, when a conftest marks cases for it."""
        strangers: dict[Any, list[pytest.Function]] = {}
        for item in session.items:
            if isinstance(item, pytest.Function) and hasattr(item.parent, "adopt") and CASE_RUN not in item.stash:
                strangers.setdefault(item.parent, []).append(item)
        for file, items in strangers.items():
            file.adopt(items)

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, object, object]:
        """Put the function in place that suits the search, which is known only now that the fixtures are set up."""
        __tracebackhide__ = True
        this = pyfuncitem.stash.get(CASE_RUN, None)
        if this is None:
            return (yield)
        before = pyfuncitem.obj
        search = pyfuncitem.funcargs[this.case.search]
        # pytest-asyncio puts a function of its own in the place of the one it takes; anyio goes by the fixture
        taken = before is not this.function or pyfuncitem.funcargs.get("anyio_backend")
        if taken and (_is_coroutine_function(search) or calling.is_waiting(call_ahead(this))):
            return (yield)
        pyfuncitem.obj = plain_function(this)
        try:
            return (yield)
        finally:
            pyfuncitem.obj = before


class LoopScopes:
    """The loops of pytest-asyncio that the cases of a file run in, where it is active.

    In auto mode it takes every case, in strict mode what is marked. A case is marked when its search is made in one of
    pytest-asyncio's loops, by an async fixture: with the scope of that loop.
    """

    def __init__(self, file: pytest.Module) -> None:
        self._file = file
        config = file.config
        self._auto = _is_auto(config)
        of_fixtures = _setting(config, "asyncio_default_fixture_loop_scope")
        self._of_fixtures = of_fixtures if of_fixtures != "fixture-scope" else None
        of_tests = _setting(config, "asyncio_default_test_loop_scope")
        # A loop a case, which is pytest-asyncio's default, breaks a client that is made once, on the first case.
        self._otherwise = ((of_tests if of_tests != "function" else None) or "session") if self._auto else None
        self._scopes: dict[tuple[str, ...], str | None] = {}

    def items(self, case: Case, make: Callable[[], Items]) -> Items:
        """The items of a case, which `make` makes, as pytest-asyncio shall take them."""
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
            # In strict mode an item is taken by its marks when it is made: then only its file can have them already.
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
        """The scope of the loop of the nearest async fixture that the search is made of; None without one."""
        names = [search]
        for name in names:
            for fixture in fixtures.get(name, ())[-1:]:
                function = fixture.func
                if _is_async(function) and (self._auto or is_asyncio_fixture(function)):
                    return str(loop_scope_of(function) or self._of_fixtures or fixture.scope)
                names += [argument for argument in fixture.argnames if argument not in names]
        return None


class AsyncFixtures:
    """A look at the async fixtures that cases request: pytest does not say what to do when nobody sets one up."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._auto = has_plugin(config, PYTEST_ASYNCIO) and _is_auto(config)
        self._found: dict[tuple[str, ...], str | None] = {}

    def look_at(self, case: Case, items: Items) -> None:
        """Have the items of a case fail with advice if they request an async fixture that no plugin sets up."""
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
            return None  # a plugin that may well set it up
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
    """Registered only where a case requests an async fixture that no plugin sets up."""

    @pytest.hookimpl
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        name = item.stash.get(_LEFT_ALONE, None)
        if name is not None:
            raise AsyncFixture(name, has_asyncio=has_plugin(item.config, PYTEST_ASYNCIO))


def _is_auto(config: pytest.Config) -> bool:
    return bool((config.getoption("asyncio_mode", None) or _setting(config, "asyncio_mode")) == "auto")


def _setting(config: pytest.Config, name: str) -> Any:
    """A setting of pytest-asyncio; None where its version does not have it."""
    try:
        return config.getini(name)
    except (KeyError, ValueError):
        return None


def _is_async(function: object) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


def _is_coroutine_function(search: object) -> bool:
    return inspect.iscoroutinefunction(search) or inspect.iscoroutinefunction(getattr(search, "__call__", None))  # noqa: B004
