"""A window: the calls of several searches, which are made together.

The first case of a window makes the calls of the whole window within its own call, and
waits for them. They run in threads, or as tasks of the running event loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, wait
from functools import partial
from typing import Any

import pytest

from pytest_relevance._text import first_few
from pytest_relevance.ext.concurrency.calls import CallAhead, State
from pytest_relevance.ext.concurrency.errors import may_end_run, with_advice
from pytest_relevance.ext.concurrency.threads import DaemonThreads
from pytest_relevance.plugin.clock import seconds_since
from pytest_relevance.plugin.running import awaiting
from pytest_relevance.plugin.running.case_run import Searched

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

_MOST_IN_FLIGHT = 5


class Window:
    """The calls of several searches, which are made together.

    A call may be dropped, or may turn out to need an event loop: see `State`.
    """

    def __init__(
        self, calls: Sequence[CallAhead], config: pytest.Config, concurrency: int
    ) -> None:
        self.calls = calls
        self._config = config
        self._concurrency = concurrency
        self._is_left = False
        for call in calls:
            call.window = self

    def run(self, threads: DaemonThreads) -> None:
        """Make the calls in threads and wait for them; a single call in this thread."""
        if len(self.calls) == 1:
            (call,) = self.calls
            call.future.set_result(call.make())
            return
        for call in self.calls:
            threads.submit(partial(self._make_in_thread, call), call.future)
        futures = [call.future for call in self.calls]
        while wait(futures, awaiting.LOOKS_AFTER).not_done:
            pass

    def _make_in_thread(self, call: CallAhead) -> Sequence[Searched] | None:
        """Make a call, and return its outcomes; None if it needs an event loop.

        The queued calls are dropped if an exception of the call may end the run.
        """
        searched = call.make()
        if searched is None:
            return None
        searched = [with_advice(of_case) for of_case in searched]
        self._stop_after(searched)
        return searched

    async def run_in_loop(self) -> None:
        """Make the calls as tasks of the running event loop; under trio one by one."""
        if awaiting.is_trio(awaiting.running_loop()):
            await self._run_one_by_one()
        else:
            await self._run_as_tasks()

    async def _run_one_by_one(self) -> None:
        """Make the calls in the running coroutine, one after the other."""
        for call in self.calls:
            call.began = None
            call.future = Future()
        for call in self.calls:
            if call.state is State.DROPPED:
                continue
            searched = await call.make_in_loop()
            call.future.set_result(searched)
            self._stop_after(searched)

    async def _run_as_tasks(self) -> None:
        """Make the calls as tasks of the running event loop, and wait for all of them.

        Raises CancelledError if the window was left before the tasks ended.
        """
        import asyncio

        places = asyncio.Semaphore(self._concurrency)

        async def make(call: CallAhead) -> Sequence[Searched]:
            async with places:
                searched = await call.make_in_loop()
                self._stop_after(searched)
                return searched

        for call in self.calls:
            call.began = None
            call.future = asyncio.ensure_future(make(call))  # in a copy of the context
            # asyncio logs the exception of a task that nobody has looked at
            call.future.add_done_callback(_look_at_exception)
        await asyncio.wait([call.future for call in self.calls])
        # the loop was stopped, and goes on with this coroutine for another window
        if self._is_left:
            raise asyncio.CancelledError

    def _stop_after(self, searched: Sequence[Searched]) -> None:
        """Drop the queued calls if an exception in `searched` may end the run.

        The first call is never dropped, because its case is the one that runs.
        """
        if any(may_end_run(of_case.error, self._config) for of_case in searched):
            for call in self.calls[1:]:
                if call.state is State.QUEUED:
                    call.drop()

    def leave(self) -> None:
        """Drop all calls, after Ctrl-C or a timeout.

        A call in a thread cannot be stopped. It goes on, and its case waits for it.
        """
        self._is_left = True
        for call in self.calls:
            call.drop()

    @property
    def in_flight(self) -> str:
        """A sentence with the searches that have begun and not ended; "" for none.

        The earliest search comes first. Only the first few are named, and the others
        are counted.
        """
        names = []
        begun = [call for call in self.calls if call.is_in_flight]
        for call in sorted(begun, key=lambda call: call.began):
            names.append(f"{call.name} ({seconds_since(call.began) or 0:.1f} s)")
        if not names:
            return ""
        return f"searches in flight: {first_few(names, _MOST_IN_FLIGHT)}"


def _look_at_exception(task: Any) -> None:
    """Look at the exception of a task, which the cases themselves raise later."""
    if not task.cancelled():
        task.exception()
