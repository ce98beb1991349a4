"""Where pytest-asyncio or anyio are about: which loop a case runs in.

With one of them installed the cases are coroutine functions. A plugin that takes a case runs it in its own loop, which
is right for a coroutine search and wrong for a plain one: a plain search may start a loop of its own. So a plain search
is called outside of any loop, and only what it returns, where that must be awaited, is handed over. A coroutine search
that no plugin takes runs on the loop of `calling`. anyio is left alone: it takes only what asks for its backend.
"""

from __future__ import annotations

import inspect
from collections.abc import Generator
from time import perf_counter
from typing import Any

import pytest

from pytest_relevance.plugin import calling, running


class LoopChoice:
    """A plugin whose one hook chooses how the function of a case is called."""

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, object, object]:
        """Put the function in place that suits the search, which is known only now that the fixtures are set up."""
        this = pyfuncitem.stash.get(running.RUN, None)
        if this is None or pyfuncitem.funcargs.get("anyio_backend"):
            return (yield)
        before = pyfuncitem.obj
        taken = before is not this.function
        search = pyfuncitem.funcargs[this.case.search]
        if not (taken and _is_coroutine_function(search)):
            pyfuncitem.obj = _outside(pyfuncitem, this, before if taken else None)
        try:
            return (yield)
        finally:
            pyfuncitem.obj = before


def _outside(item: pytest.Function, this: running.CaseRun, theirs: Any) -> Any:
    """A function that calls the search outside of any loop, and gives what must be awaited to `theirs`, if there is."""

    def run_outside(**funcargs: object) -> None:
        __tracebackhide__ = True
        response, started = calling.call(item.funcargs[this.case.search], this.case)
        if calling.is_waiting(response):
            if theirs is not None:
                this.handed_over = response, started
                theirs(**funcargs)
                return
            response = calling.wait_on_own_loop(item.config, response)
        running.finish(item, this, response, perf_counter() - started)

    return run_outside


def _is_coroutine_function(search: object) -> bool:
    return inspect.iscoroutinefunction(search) or inspect.iscoroutinefunction(getattr(search, "__call__", None))  # noqa: B004
