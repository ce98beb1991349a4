"""Which cases run in an event loop of pytest-asyncio or anyio.

The function of a case is a coroutine function only if pytest-asyncio or anyio may have
to run it: in their auto modes, and if the case requests an async fixture of theirs.
Even then the search itself may be a plain function.

A plain search must not be called in the loop of a plugin, because the search may start
a loop of its own. So a plain search is called outside any loop. Only a response that
must be awaited is awaited in the plugin's loop. A coroutine search that no plugin runs
uses the loop of `awaiting.own_loop`.

pytest-asyncio has a loop for each scope, and an object made in one loop does not work
in another. `Loops` finds the loop in which the search of a case was made.
"""

from __future__ import annotations

import inspect
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_relevance.plugin import pytest_internals as internals
from pytest_relevance.plugin.pytest_internals import ANYIO_BACKEND, Fixtures
from pytest_relevance.plugin.running.awaiting import close_unawaited
from pytest_relevance.plugin.running.case_run import CASE_RUN
from pytest_relevance.plugin.running.run_case import begin, is_awaited, run

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

PYTEST_ASYNCIO = ("asyncio", "pytest_asyncio", "pytest_asyncio.plugin")
"""The names of the plugin: its entry point, and the module names for `-p` and
`PYTEST_PLUGINS`.
"""

_LOOP_CHOICE = "relevance-loops"


@dataclass(frozen=True, slots=True)
class CaseLoop:
    """The event loop of another plugin in which the function of a case runs.

    `is_async`: whether the function is a coroutine function.
    `scope`: the scope of the loop of pytest-asyncio; None if the case needs no mark for
        it.
    """

    is_async: bool
    scope: str | None = None


class Loops:
    """Decides in which event loop of another plugin a case runs, if in any.

    In its auto mode, pytest-asyncio or anyio runs every coroutine function. In its
    strict mode, pytest-asyncio runs only marked cases. If an async fixture makes the
    search of a case in a loop of pytest-asyncio, the case gets the mark. The mark names
    the scope of this loop.
    `usual`: the loop of a case without async fixtures.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        manager = config.pluginmanager
        self._is_active = any(map(manager.has_plugin, PYTEST_ASYNCIO))
        self._is_asyncio_auto = (
            self._is_active and _setting(config, "asyncio_mode") == "auto"
        )
        of_fixtures = _setting(config, "asyncio_default_fixture_loop_scope")
        self._of_fixtures = of_fixtures if of_fixtures != "fixture-scope" else None
        scope = None
        if self._is_asyncio_auto:
            scope = _setting(config, "asyncio_default_test_loop_scope")
            # One loop for each case, pytest-asyncio's default, breaks a client that is
            # created in the first case.
            if scope in (None, "function"):
                scope = "session"
        is_anyio_auto = _setting(config, "anyio_mode") == "auto"
        self.usual = CaseLoop(self._is_asyncio_auto or is_anyio_auto, scope)
        if self.usual.is_async:
            choose_loops(config)

    def of(self, search: str, fixtures: Fixtures) -> CaseLoop:
        """Return the loop in which a search is made, or `usual` if no loop makes it."""
        scope = self._scope_of(search, fixtures) if self._is_active else None
        if scope is None and ANYIO_BACKEND not in fixtures:
            return self.usual
        choose_loops(self._config)
        return CaseLoop(is_async=True, scope=scope or self.usual.scope)

    def _scope_of(self, search: str, fixtures: Fixtures) -> str | None:
        """Return the scope of the loop of pytest-asyncio that makes a search, or None.

        This is the scope of the nearest fixture of pytest-asyncio: the search itself,
        or a fixture that the search requests, directly or through other fixtures.
        """
        names = [search]
        for name in names:
            definitions = fixtures.get(name)
            if not definitions:
                continue
            fixture = definitions[-1]
            if self._is_run_by_asyncio(fixture.func):
                own = internals.loop_scope_of(fixture.func)
                return str(own or self._of_fixtures or fixture.scope)
            for argument in fixture.argnames:
                if argument not in names:
                    names.append(argument)
        return None

    def _is_run_by_asyncio(self, function: Any) -> bool:
        """Say whether pytest-asyncio runs the function of a fixture."""
        is_async = inspect.iscoroutinefunction(function)
        if not (is_async or inspect.isasyncgenfunction(function)):
            return False
        return self._is_asyncio_auto or internals.is_asyncio_fixture(function)


def _setting(config: pytest.Config, name: str) -> Any:
    """Return an option of another plugin, or else its ini key; None without both."""
    try:
        return config.getoption(name, None) or config.getini(name)
    except (KeyError, ValueError):
        return None


def choose_loops(config: pytest.Config) -> None:
    """Register the hook that calls plain searches outside of loops, once."""
    if not config.pluginmanager.has_plugin(_LOOP_CHOICE):
        config.pluginmanager.register(LoopChoice(), _LOOP_CHOICE)


class LoopChoice:
    """Decides for a case with a coroutine function whether it needs an event loop."""

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(
        self, pyfuncitem: pytest.Function
    ) -> Generator[None, object, object]:
        """Replace the coroutine function of a case by a plain one if no loop is needed.

        The decision is made here, because the search is known only when its fixture is
        set up.
        """
        case_run = pyfuncitem.stash.get(CASE_RUN, None)
        given = pyfuncitem.obj
        function = inspect.unwrap(given)
        if case_run is None or not inspect.iscoroutinefunction(function):
            return (yield)
        begin(case_run)
        # pytest-asyncio wraps the function of an item that it runs; anyio runs items
        # with the fixture anyio_backend
        is_wrapped = given is not function
        is_run_by_plugin = is_wrapped or pyfuncitem.funcargs.get(ANYIO_BACKEND)
        try:
            if not (is_run_by_plugin and is_awaited(case_run)):
                pyfuncitem.obj = lambda **_: run(case_run)
            return (yield)
        finally:
            pyfuncitem.obj = given
            close_unawaited(case_run.attempt.pending)  # if no loop has awaited it
            case_run.attempt.is_running = False
