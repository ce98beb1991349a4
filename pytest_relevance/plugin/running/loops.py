"""The event loops that searches run in: of other plugins, or the plugin's own; and awaiting a response in them."""

from __future__ import annotations

import inspect
import sys
from collections.abc import AsyncIterable
from operator import attrgetter
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance.results.responses.reading import is_unsent_search

if TYPE_CHECKING:
    import asyncio

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

LOOP: pytest.StashKey[asyncio.AbstractEventLoop] = pytest.StashKey()


async def wait(response: object) -> object:
    """Await a response in the running event loop, and return the result. An async iterable becomes a list."""
    if inspect.isawaitable(response):
        response = await response
    if isinstance(response, AsyncIterable) and not hasattr(response, "__iter__"):
        if is_unsent_search(response):
            return await response.execute()  # type: ignore[attr-defined]
        results = [result async for result in response]
        if not hasattr(response, "description"):
            return results
        from pytest_relevance.results.responses.families import ReadCursor

        return ReadCursor(response.description, results)
    return response


def wait_on_own_loop(config: pytest.Config, response: object, started: float) -> tuple[object, float]:
    """Await a response on one event loop for the whole run; return the result, and when the search began (seconds)."""
    loop = own_loop(config)
    if inspect.iscoroutine(response):  # a coroutine starts only now; creating the loop must not count as its time
        started = perf_counter()
    return loop.run_until_complete(wait(response)), started


def own_loop(config: pytest.Config) -> asyncio.AbstractEventLoop:
    """Return the plugin's own event loop, which stays open for the whole run."""
    loop = config.stash.get(LOOP, None)
    if loop is None:
        import asyncio  # takes 13 ms, saved for a suite with a plain search

        loop = config.stash[LOOP] = asyncio.new_event_loop()
    return loop


def running_loop() -> Any:
    """Return the asyncio loop that runs in this thread, the module trio if a loop of trio does, or None."""
    for name, current in (("asyncio", "get_running_loop"), ("trio", "lowlevel.current_trio_token")):
        module = sys.modules.get(name)
        try:
            if module is not None:
                found = attrgetter(current)(module)()
                return found if name == "asyncio" else module
        except RuntimeError:  # no loop of this kind runs
            continue
    return None


def is_trio(loop: Any) -> bool:
    """Whether a `running_loop` is one of trio."""
    return getattr(loop, "__name__", None) == "trio"


def running_task() -> Any:
    """Return the task of asyncio that runs in this thread, or None."""
    asyncio = sys.modules.get("asyncio")
    try:
        return None if asyncio is None else asyncio.current_task()
    except RuntimeError:  # no loop runs
        return None


def wait_between_calls(config: pytest.Config, response: object, loop: Any) -> object:
    """Await a response while no loop runs: on the `running_loop` of an earlier call, or the plugin's own if it is None.

    The plugin's own loop also replaces a loop that is closed; with trio it is a new run, as its loop ends with a call.
    """
    if is_trio(loop):
        return loop.run(wait, response)
    if loop is not None and not loop.is_closed():
        return loop.run_until_complete(wait(response))
    return wait_on_own_loop(config, response, 0.0)[0]


def close_own_loop(config: pytest.Config) -> None:
    """Cancel the tasks that still run on the own loop, and close it. Call it after the teardown of session fixtures."""
    loop = config.stash[LOOP]
    del config.stash[LOOP]
    import asyncio

    try:
        pending = asyncio.all_tasks(loop)
        for task in pending:
            task.cancel()
        if pending:
            loop.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()
