"""Await what a search returns, in an event loop of another plugin or of this plugin."""

from __future__ import annotations

import inspect
import sys
from collections.abc import AsyncIterable, Awaitable, Coroutine
from contextlib import suppress
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

import pytest

from pytest_relevance.plugin.exceptions import CaseError
from pytest_relevance.results.responses.iterators import MOST_READ
from pytest_relevance.results.responses.values import has_class

if TYPE_CHECKING:
    import asyncio


__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

Result = TypeVar("Result")


LOOKS_AFTER = 0.5
"""The limit of a wait for threads, in seconds: on Windows, Ctrl-C does not end a wait
without a limit.
"""


LOOP: pytest.StashKey[asyncio.AbstractEventLoop] = pytest.StashKey()
"""The plugin's own event loop."""


def is_waiting(response: object) -> bool:
    """Say whether a response must be awaited or iterated asynchronously."""
    # most responses are one of these, and the checks below are slow
    if type(response) in (list, dict):
        return False
    return is_awaitable(response) or _is_read_asynchronously(response)


def is_awaitable(response: object) -> bool:
    """Say whether a response can be awaited."""
    return has_class(response) and inspect.isawaitable(response)


def _is_read_asynchronously(response: object) -> TypeGuard[AsyncIterable[object]]:
    if not has_class(response) or not isinstance(response, AsyncIterable):
        return False
    return not hasattr(response, "__iter__")


def is_coroutine_function(search_function: object) -> bool:
    """Say whether a search is a coroutine function, or has one as its `__call__`."""
    if inspect.iscoroutinefunction(search_function):
        return True
    if type(search_function) is FunctionType:
        return False
    call = getattr(search_function, "__call__", None)  # noqa: B004
    return inspect.iscoroutinefunction(call)


def close_unawaited(value: object) -> None:
    """Close a coroutine that nothing will await, so that Python does not warn of it."""
    if inspect.iscoroutine(value):
        value.close()


def ends_coroutine(error: BaseException) -> bool:
    """Say whether an exception ends a coroutine from outside, and must be raised again.

    Such exceptions are Ctrl-C, `close()`, and cancellations by asyncio and trio.
    """
    if isinstance(error, (GeneratorExit, KeyboardInterrupt)):
        return True
    is_cancellation = type(error).__name__ in ("CancelledError", "Cancelled")
    return is_cancellation and not isinstance(error, Exception)


async def wait(response: object, most: int = MOST_READ) -> object:
    """Await a response in the running event loop, and return its result.

    An async iterable becomes a list of at most `most` items.
    """
    response = await result_of(response)
    if _is_read_asynchronously(response):
        from pytest_relevance.results.responses.shapes import wait_for_items

        return await wait_for_items(response, most)
    return response


async def result_of(response: object) -> object:
    """Return the result of a response if it can be awaited, else the response itself.

    The result may be an async iterable.
    """
    if is_awaitable(response):
        return await response  # type: ignore[misc]
    return response


def run_on_own_loop(config: pytest.Config, awaitable: Awaitable[Result]) -> Result:
    """Run an awaitable on the plugin's own event loop, and return its result.

    If Ctrl-C or a timeout ends the wait, the task is cancelled.
    """
    import asyncio

    loop = own_loop(config)
    task = asyncio.ensure_future(awaitable, loop=loop)
    try:
        return loop.run_until_complete(task)
    except BaseException:
        task.cancel()
        raise


def run_without_loop(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine outside of any event loop, and return its result.

    The coroutine may await `CaseRun.wait`, which waits by itself. Raises `CaseError` if
    the coroutine awaits anything else that needs a loop. Only an implementation of the
    hook `pytest_relevance_fields` can do that.
    """
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: Result = end.value
        return result
    coroutine.close()
    raise CaseError(
        "the hook pytest_relevance_fields awaits by case_run.wait(answer) alone",
        pytrace=False,
    )


def own_loop(config: pytest.Config) -> asyncio.AbstractEventLoop:
    """Return the plugin's own event loop, which stays open for the whole run."""
    loop = config.stash.get(LOOP, None)
    if loop is None:
        import asyncio  # takes 13 ms, saved for a suite with a plain search

        loop = config.stash[LOOP] = asyncio.new_event_loop()
    return loop


def running_loop() -> Any:
    """Return what runs in this thread: a loop of asyncio, the module trio, or None.

    Neither library is imported for that: if one of them runs, it is imported already.
    """
    asyncio = sys.modules.get("asyncio")
    trio = sys.modules.get("trio")
    # both functions raise RuntimeError if no loop of their library runs
    if asyncio is not None:
        with suppress(RuntimeError):
            return asyncio.get_running_loop()
    if trio is not None:
        with suppress(RuntimeError):
            trio.lowlevel.current_trio_token()
            return trio
    return None


def is_trio(loop: Any) -> bool:
    """Say whether a value of `running_loop` means that trio runs."""
    return getattr(loop, "__name__", None) == "trio"


def running_task() -> Any:
    """Return the task of asyncio that runs in this thread, or None."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is not None:
        with suppress(RuntimeError):  # no loop runs
            return asyncio.current_task()
    return None


def wait_between_calls(
    config: pytest.Config, response: object, loop: Any, most: int = MOST_READ
) -> object:
    """Await a response while no event loop runs, and return its result.

    `loop`: what `running_loop` returned at an earlier time, which says where to await:

        - in this loop of asyncio, if it is still open
        - in a new run of trio, because a loop of trio ends with its run
        - otherwise in the plugin's own loop

    `most`: how many items of an async iterable are read.
    """
    if is_trio(loop):
        return loop.run(wait, response, most)
    if loop is not None and not loop.is_closed():
        return loop.run_until_complete(wait(response, most))
    return own_loop(config).run_until_complete(wait(response, most))


def close_own_loop(config: pytest.Config) -> None:
    """Cancel the tasks that still run on the plugin's own loop, and close it.

    Call it after the teardown of session fixtures.
    """
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
