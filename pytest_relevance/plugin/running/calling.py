"""Call the search that the user's fixture provides, and await its response where it is asynchronous.

Exceptions of the search are passed on unchanged. Frames of this module are hidden from tracebacks, so that the
traceback of a failing search shows only the search's own code.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import AsyncIterable, Iterator, Mapping
from copy import deepcopy
from functools import partial
from operator import attrgetter
from time import perf_counter
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance._text import shown
from pytest_relevance.cases.model import Case
from pytest_relevance.plugin.failures import CaseError
from pytest_relevance.results.responses.ranking import Ranking, read_ranking
from pytest_relevance.results.responses.reading import UnreadableRanking, is_unsent_search

if TYPE_CHECKING:
    import asyncio

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

LOOP: pytest.StashKey[asyncio.AbstractEventLoop] = pytest.StashKey()


def asked_for(search: Any, case: Case) -> int | None:
    """Return the number of results to request, as the argument `k`; None if the search has no such parameter."""
    return case.depth if _takes_k(search) else None


def call(search: Any, case: Case, asked: int | None, queries: list[str] | None = None) -> tuple[object, float]:
    """Call the search; return its response, and the time of the call in seconds of `perf_counter`.

    `queries` are the queries of a batch, instead of the case's own. A generator is read to its end here, as it does its
    work only while it is read. The generator of a batch is not: its responses are read one by one. Raises `CaseError`
    where the search cannot be called with these arguments, and passes on every exception of the search itself.
    """
    params = case.params
    if params and any(type(value) in (list, dict) for value in params.values()):
        params = deepcopy(params)  # the suite's own objects: a search that changes them must not affect the next case
    try:
        if asked is not None:
            params = {**params, "k": asked}
        started = perf_counter()
        response = search(case.query if queries is None else queries, **params)
    except TypeError as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is None:  # raised by the call, not in it
            raise CaseError(_uncallable(search, case, params, error, queries), pytrace=False) from None
        raise
    if queries is None and inspect.isgenerator(response):
        response = list(response)
    return response, started


def is_waiting(response: object) -> bool:
    """Whether a response must be awaited or iterated asynchronously."""
    if type(response) in (list, dict):  # the usual responses; the check of abstract classes is slow
        return False
    return inspect.isawaitable(response) or (isinstance(response, AsyncIterable) and not hasattr(response, "__iter__"))


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


def read(item: pytest.Item, case: Case, response: object, search: object) -> Ranking:
    """Read a response of `search` as a ranking, with the hook `pytest_relevance_ranking` where the project has it.

    Raises `CaseError` where it cannot be read.
    """
    own = None
    if item.config.hook.pytest_relevance_ranking.get_hookimpls():  # calling a hook without implementations costs 30 us
        own = item.ihook.pytest_relevance_ranking(response=response, case=case)
    try:
        return read_ranking(
            response if own is None else own,
            case.terms.id_field,
            case.terms.title_field,
            partial(getattr, search, "ids", None),
            case.fields if case.expect else None,
        )
    except UnreadableRanking as problem:
        raise CaseError(str(problem), pytrace=False) from None


def many_of(search: Any) -> Any:
    """Return the attribute `many` of a search, a callable; None where it has none."""
    many = getattr(search, "many", None)
    return many if callable(many) else None


def only_response(responses: object) -> object:
    """Return the response in what `many` returned for one query. Raises `CaseError` for another number of them."""
    found = [*responses] if isinstance(responses, (list, Iterator)) else []
    if len(found) != 1:
        raise CaseError(f"many returned {shown(responses)} for one query; return one response for each", pytrace=False)
    return found[0]


def is_coroutine_function(search: object) -> bool:
    """Whether a search is a coroutine function, or an object with one for its `__call__`."""
    return inspect.iscoroutinefunction(search) or inspect.iscoroutinefunction(getattr(search, "__call__", None))  # noqa: B004


def close_unawaited(value: object) -> None:
    """Close a coroutine that nothing will await, so that Python does not warn of it."""
    if inspect.iscoroutine(value):
        value.close()


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
    """Cancel the tasks that still run on the loop, and close it. Call it after the teardown of session fixtures."""
    loop = config.stash.get(LOOP, None)
    if loop is None:
        return
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


def _takes_k(search: Any) -> bool:
    """Whether a search has a parameter named k, which the plugin then passes. `**kwargs` does not count."""
    function = search.__func__ if type(search) is MethodType else search
    if type(function) is FunctionType and not function.__dict__:  # a plain function; inspect.signature takes 20 us
        code = function.__code__
        return "k" in code.co_varnames[code.co_posonlyargcount : code.co_argcount + code.co_kwonlyargcount]
    try:
        parameter = inspect.signature(search).parameters.get("k")
    except (TypeError, ValueError):  # a callable without a signature, such as some builtins
        return False
    return parameter is not None and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)


def _uncallable(
    search: object, case: Case, params: Mapping[str, object], error: TypeError, queries: list[str] | None
) -> str:
    if not callable(search):
        what = f'the fixture "{case.search}" is no function but {shown(search)}'
        if inspect.iscoroutine(search) or inspect.isasyncgen(search):
            close_unawaited(search)
            return f"{what}: an async fixture needs pytest-asyncio (or anyio) to be set up, see its documentation"
        return f"{what}; return a function: search(query, **params)"
    try:
        signature = str(inspect.signature(search))
    except (TypeError, ValueError):
        signature = "(...)"
    name, first = (case.search, case.query) if queries is None else (f"{case.search}.many", queries)
    call_ = ", ".join([shown(first, 40), *(f"{param}={shown(value, 40)}" for param, value in params.items())])
    return (
        f"{name}({call_}) cannot be called: {error}\n"
        f"its signature is {name}{signature}; its keyword arguments are the params of the case and the suite"
        + (", and k" if "k" in params else "")
    )
