"""Call the searches of a window together: in threads, or as tasks of an event loop.

The first case of a window starts the calls of the whole window within its own call, and
waits for them. Their output, logs and warnings are captured with that case. Each case
takes its own outcome at its turn. What happens if a search raises is in `errors`.
"""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from concurrent.futures import Future, wait
from functools import partial
from typing import Any

import pytest

from pytest_relevance.ext.concurrency.calls import (
    BatchCallAhead,
    CallAhead,
    in_flight,
)
from pytest_relevance.ext.concurrency.errors import Cursors, may_end_run, with_advice
from pytest_relevance.ext.concurrency.threads import DaemonThreads
from pytest_relevance.ext.concurrency.windows import Windows, is_alone
from pytest_relevance.plugin.failures import ENDING
from pytest_relevance.plugin.options import here, is_worker, settings
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running import awaiting
from pytest_relevance.plugin.running.awaiting import LOOKS_AFTER, is_coroutine_function
from pytest_relevance.plugin.running.calling import asked_for, many_of
from pytest_relevance.plugin.running.case_run import IN_FLIGHT, CaseRun, Searched
from pytest_relevance.plugin.running.searching import search_alone

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

_WINDOW = 4
"""The number of cases in a window, as a multiple of the concurrency: few threads wait
for the slowest search.
"""


class Searches:
    """Calls the searches of the cases of a window together.

    At most `concurrency` calls run at a time, and `many` is called for at most `batch`
    cases. A case whose search was called has the call as `CaseRun.ahead` until it takes
    its outcome. After that it is searched alone, for example in a rerun.
    """

    def __init__(self, config: pytest.Config, *, concurrency: int, batch: int) -> None:
        self._config = config
        self._home = settings(config).home
        self._concurrency = concurrency
        self._batch = batch
        self._windows = Windows(config)
        self._threads = DaemonThreads(concurrency)
        self._called: set[CaseRun] = set()
        self._running: Sequence[CallAhead] = ()  # the calls of the running window

    def take(self, this: CaseRun) -> Searched | Coroutine[Any, Any, Searched] | None:
        """Return what the search of a case returned; None if it is to be called alone.

        The first case of a window starts the calls of the window. No event loop runs. A
        coroutine is returned if one is needed.
        """
        self._drop_if_set_up_anew(this)
        if this.ahead is None:
            if is_coroutine_function(self._function_of(this)):
                return self._take_in_loop(this)
            calls = self._plan(this, self._concurrency)
            self._run_in_threads(calls)
        call: CallAhead | None = this.ahead
        if call is None:
            return None
        while not call.future.done():  # its window was left while a thread ran it
            wait([call.future], LOOKS_AFTER)
        if call.needs_loop:
            return self._take_in_loop(this)
        return _take_outcome(this)

    async def _take_in_loop(self, this: CaseRun) -> Searched:
        """Do what `take` does in a running event loop."""
        if this.ahead is None:
            is_trio = awaiting.is_trio(awaiting.running_loop())
            calls = self._plan(this, 1 if is_trio else self._concurrency)
            await self._run_in_loop(calls)
        elif this.ahead.needs_loop:
            await self._run_in_loop(this.ahead.all_that_need_loop())
        if this.ahead is None:
            searched = search_alone(this)
            return searched if isinstance(searched, Searched) else await searched
        return _take_outcome(this)

    def leave(self, error: BaseException) -> None:
        """Leave the window that Ctrl-C or a timeout ended, if there is one.

        Its queued calls are dropped, and those in flight are named. A thread cannot be
        stopped: its case waits for it at its turn.
        """
        calls, self._running = self._running, ()
        if not calls:
            return
        text = in_flight(calls)
        for call in calls:
            if _cancel(call):
                self._forget(call)
        # a thread that hangs in a search serves no other window
        self._threads.end()
        first = calls[0].runs[0]
        first.ahead = None  # the case that began the window ends with it
        if not text:
            return
        if isinstance(error, ENDING):  # no report of the case follows
            run_store(self._config).unsent.warn(IN_FLIGHT, text)
        else:
            first.item.add_report_section("call", IN_FLIGHT, text)

    def end(self) -> None:
        """End idle threads, and forget what was searched for cases that did not run."""
        self._threads.end()
        for run in self._called:
            if run.ahead is not None:
                run.ahead.close()
                run.ahead = None

    def _drop_if_set_up_anew(self, this: CaseRun) -> None:
        """Drop the outcome of a search whose fixture was set up again since."""
        if this.ahead is not None and this.ahead.search is not this.search:
            this.ahead.close()
            this.ahead = None
            self._called.discard(this)

    def _function_of(self, this: CaseRun) -> object:
        """Return the function to call for a case: the search, or `many` for a batch."""
        search = this.search
        many = many_of(search)
        if many is None or (callable(search) and not self._begins_window(this)):
            return search
        return many

    def _plan(self, this: CaseRun, most: int) -> Sequence[CallAhead]:
        """Plan the calls of the window that a case begins, at most `most` at a time.

        There are none if the search of the case is to be called alone.
        """
        search = this.search
        many = many_of(search)
        if many is None:
            calls = self._plan_single_calls(this, search, most)
        else:
            calls = self._plan_batches(this, search, many, most)
        for call in calls:
            call.window = calls
            for run in call.runs:
                run.ahead = call
                self._called.add(run)
        return calls

    def _plan_single_calls(
        self, this: CaseRun, search: Any, most: int
    ) -> Sequence[CallAhead]:
        if most == 1 or not self._begins_window(this):
            return ()
        runs = self._window_of(this, most * _WINDOW)
        if len(runs) == 1:
            return ()
        cursors = Cursors()
        return [
            CallAhead([run], search, concurrency=self._concurrency, cursors=cursors)
            for run in runs
        ]

    def _plan_batches(
        self, this: CaseRun, search: Any, many: Any, most: int
    ) -> Sequence[CallAhead]:
        runs: Sequence[CaseRun] = [this]
        if self._begins_window(this):
            runs = self._window_of(this, most * self._batch)
        elif callable(search):
            return ()
        # cases with other params begin a window of their own
        batches = _batches(runs, many, self._batch)[:most]
        concurrency = 1 if len(batches) == 1 else self._concurrency
        cursors = Cursors()
        return [
            BatchCallAhead(
                batch, search, many=many, concurrency=concurrency, cursors=cursors
            )
            for batch in batches
        ]

    def _begins_window(self, this: CaseRun) -> bool:
        """Say whether other cases may be searched with a case.

        If fixtures or hooks of the project are why they may not, a warning of the run
        says so.
        """
        if this in self._called or here() != self._home:
            return False
        if is_worker(self._config):
            return False  # pytest-xdist itself runs several cases at a time
        why = self._windows.why_alone(this)
        if why:
            run_store(self._config).unsent.warn(f"relevance_concurrency: {why}", why)
        return not (why or is_alone(this))

    def _window_of(self, this: CaseRun, most: int) -> Sequence[CaseRun]:
        following = self._windows.following(this, most - 1)
        return [this, *(run for run in following if run not in self._called)]

    def _run_in_threads(self, calls: Sequence[CallAhead]) -> None:
        """Run the calls of a window in threads, and a single call in this thread."""
        self._running = calls
        if len(calls) == 1:
            calls[0].future.set_result(calls[0].make())
        else:
            for call in calls:
                run = partial(self._run_in_this_thread, call, calls)
                self._threads.submit(run, call.future)
            futures = [call.future for call in calls]
            while wait(futures, LOOKS_AFTER).not_done:
                pass
        self._end_window()

    def _run_in_this_thread(
        self, call: CallAhead, window: Sequence[CallAhead]
    ) -> Sequence[Searched] | None:
        searched = call.make()
        if searched is None:
            return None
        searched = [with_advice(of_case) for of_case in searched]
        self._stop_window_after(searched, window)
        return searched

    async def _run_in_loop(self, calls: Sequence[CallAhead]) -> None:
        """Run the calls of a window in the running loop, with trio one by one."""
        self._running = calls
        if awaiting.is_trio(awaiting.running_loop()):
            for call in calls:
                searched = await call.make_in_loop()
                call.future = Future()
                call.future.set_result(searched)
        elif calls:
            await self._run_as_tasks(calls)
        self._end_window()

    async def _run_as_tasks(self, calls: Sequence[CallAhead]) -> None:
        import asyncio

        places = asyncio.Semaphore(self._concurrency)

        async def run(call: CallAhead) -> Sequence[Searched]:
            async with places:
                searched = await call.make_in_loop()
                self._stop_window_after(searched, calls)
                return searched

        for call in calls:
            call.began = None
            call.future = asyncio.ensure_future(run(call))  # in a copy of the context
            # asyncio logs the exception of a task that nobody has looked at
            call.future.add_done_callback(_look_at_exception)
        await asyncio.wait([call.future for call in calls])
        # the window was left, and this loop runs again for another one
        if self._running is not calls:
            raise asyncio.CancelledError

    def _end_window(self) -> None:
        calls, self._running = self._running, ()
        for call in calls:
            if call.future.cancelled():
                self._forget(call)

    def _stop_window_after(
        self, searched: Sequence[Searched], window: Sequence[CallAhead]
    ) -> None:
        """Drop the calls that have not begun, if an exception may end the run.

        The first call is made in any case, as its case is the one that runs.
        """
        if any(may_end_run(of_case.error, self._config) for of_case in searched):
            for call in window[1:]:
                if call.began is None:
                    call.future.cancel()

    def _forget(self, call: CallAhead) -> None:
        """Have the cases of a dropped call searched at their turn."""
        call.close()
        for run in call.runs:
            if run.ahead is call:
                run.ahead = None
                self._called.discard(run)


def _take_outcome(this: CaseRun) -> Searched:
    call: CallAhead = this.ahead
    this.ahead = None
    return call.outcome_for(this)


def _cancel(call: CallAhead) -> bool:
    """Cancel a call. Say whether that worked: not if it has ended or is in a thread."""
    try:
        cancelled: bool = call.future.cancel()
    except RuntimeError:  # its event loop is closed
        return True
    return cancelled


def _look_at_exception(task: Any) -> None:
    if not task.cancelled():
        task.exception()


def _batches(runs: Sequence[CaseRun], many: Any, most: int) -> list[list[CaseRun]]:
    """Group cases with equal params and an equal `k`, at most `most` in a group."""
    alike: dict[tuple[int | None, str], list[CaseRun]] = {}
    for run in runs:
        key = asked_for(many, run.case), repr(sorted(run.case.params.items()))
        alike.setdefault(key, []).append(run)
    return [
        group[start : start + most]
        for group in alike.values()
        for start in range(0, len(group), most)
    ]
