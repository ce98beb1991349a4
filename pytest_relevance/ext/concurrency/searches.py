"""Call the searches of several cases together, and hand each case what its own search
returned or raised.

The first case of a window runs the searches of the whole window within its own call: in
daemon threads, or as tasks of an event loop. Their output, logs and warnings are
captured with that case.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import Context, copy_context
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any

import pytest

from pytest_relevance.ext.concurrency.calls import (
    Call,
    Cursors,
    SearchOutcome,
    in_flight,
)
from pytest_relevance.ext.concurrency.windows import Windows, is_alone
from pytest_relevance.plugin.options import here, settings
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running import awaiting
from pytest_relevance.plugin.running.alone import search_alone
from pytest_relevance.plugin.running.awaiting import LOOKS_AFTER, is_coroutine_function
from pytest_relevance.plugin.running.calling import asked_for, many_of
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.plugin.running.searched import Searched

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

_WINDOW = 4
"""The number of cases in a window, as a multiple of the concurrency: few threads wait
for the slowest search.
"""


class Searches:
    """The outcomes of searches called ahead of their cases' turns, and the threads that
    run searches.

    The threads are daemons. Idle ones wait for the next window, so that a client that
    belongs to its thread stays.
    """

    def __init__(self, config: pytest.Config, *, concurrency: int, batch: int) -> None:
        """Run at most `concurrency` calls at a time; call `many` for at most `batch`
        cases.
        """
        self._config = config
        self._settings = settings(config)
        self._concurrency = concurrency
        self._batch = batch
        self._windows = Windows(config)
        self._ahead: dict[CaseRun, SearchOutcome] = {}
        self._called: set[CaseRun] = set()
        self._queue: SimpleQueue[tuple[Call, Context] | None] = SimpleQueue()
        self._threads = 0  # the number of threads that serve the queue
        self._calls: Sequence[Call] = ()  # the calls of the running window
        # the item that began a window which was left, and the names of its running
        # searches
        self._in_flight: tuple[pytest.Item | None, str] = (None, "")

    def take(self, this: CaseRun) -> Searched | Coroutine[Any, Any, Searched] | None:
        """Return what the search of a case returned; None if it is to be called alone.

        The first case of a window calls the searches of the whole window. No event loop
        runs. A coroutine is returned if one is needed.
        """
        if not self._is_searched(this):
            if is_coroutine_function(self._function_of(this)):
                return self._search_in_loop(this)
            calls = self._plan(this, self._concurrency)
            if len(calls) == 1:
                calls[0].run()
            else:
                self._run_in_threads(calls)
        outcome = self._ahead.get(this)
        if outcome is None:
            return None
        # the window may have been left while the call ran
        while not wait([outcome.call.future], LOOKS_AFTER).done:
            pass
        if outcome.call.waiting is not None:
            return self._search_in_loop(this)
        return self._take_outcome(this)

    async def _search_in_loop(self, this: CaseRun) -> Searched:
        """Return what the search of a case returned, as `take` does, in a running event
        loop.
        """
        if this not in self._ahead:
            is_trio = awaiting.is_trio(awaiting.running_loop())
            calls = self._plan(this, 1 if is_trio else self._concurrency)
            await self._run_in_loop(calls)
        if this not in self._ahead:
            searched = search_alone(this)
            return searched if isinstance(searched, Searched) else await searched
        if self._ahead[this].call.waiting is not None:
            await self._run_in_loop(self._waiting_calls(this))
        return self._take_outcome(this)

    def _take_outcome(self, this: CaseRun) -> Searched:
        outcome = self._ahead[this]
        self._drop(this)
        return outcome.searched(self._concurrency)

    def _function_of(self, this: CaseRun) -> object:
        """Return the function to call for a case: `many` for a batch, the search itself
        for a single case.
        """
        search = this.search
        many = many_of(search)
        is_alone = callable(search) and not self._begins_window(this)
        return search if many is None or is_alone else many

    def _keep(self, calls: Sequence[Call]) -> None:
        """Keep the outcomes of calls for the turns of their cases."""
        for call in calls:
            for outcome in call.outcomes:
                self._ahead[outcome.run] = outcome
                self._called.add(outcome.run)
                outcome.run.is_searched_ahead = True

    def _drop(self, this: CaseRun) -> None:
        """Forget the outcome of a case, if there is one."""
        this.is_searched_ahead = False
        self._ahead.pop(this, None)

    def leave(self, error: BaseException) -> None:
        """Drop the queued calls of a window that Ctrl-C or a timeout ended, if any, and
        name the running ones.
        """
        calls, self._calls = self._calls, ()
        if calls:
            first = calls[0].outcomes[0].run
            self._in_flight = first.item, in_flight(calls)
            for call in calls:
                call.drop()
            self._end_threads()  # threads that hang in a search are replaced in the next window
            self._drop(first)  # the case that began it ends with it
            self._forget_lost(calls)
        item, text = self._in_flight
        # in a loop that Ctrl-C ends from outside
        if not text or type(error).__name__ == "CancelledError":
            return
        self._in_flight = None, ""
        if item is None or isinstance(error, _ENDING):  # no report of the case follows
            run_store(self._config).unsent.warn(text, text)
        else:
            item.add_report_section("call", "searches in flight", text)

    def end(self) -> None:
        """End idle threads, and forget what was searched for cases that did not run."""
        self._end_threads()
        for outcome in self._ahead.values():
            outcome.call.close()
        self._ahead.clear()

    def _is_searched(self, this: CaseRun) -> bool:
        """Whether a case was searched ahead of its turn. An outcome of a fixture that
        was set up again is dropped.
        """
        outcome = self._ahead.get(this)
        if outcome is not None and outcome.search is not this.search:
            outcome.call.close()
            self._drop(this)
            self._called.discard(this)
        return this in self._ahead

    def _plan(self, this: CaseRun, most: int) -> Sequence[Call]:
        """Return the calls of the window that a case begins; none where its search is
        to be called alone.

        At most `most` calls are to run at a time.
        """
        search = this.search
        many, size = many_of(search), self._batch
        if many is None and most == 1:
            return ()
        runs = [this]
        if self._begins_window(this):
            length = most * (_WINDOW if many is None else size)
            runs += (
                run
                for run in self._windows.following(this, length - 1)
                if run not in self._called
            )
        elif callable(search):
            return ()
        if many is None:
            groups = [[run] for run in runs] if len(runs) > 1 else []
        else:
            # cases with other params begin a window of their own
            groups = _batches(runs, many, size)[:most]
        calls = [Call(group, search, many, self._settings.calls) for group in groups]
        if len(calls) == 1:
            calls[0].is_only = True
        self._keep(calls)
        return calls

    def _begins_window(self, this: CaseRun) -> bool:
        """Whether other cases may be searched with a case; if not by its fixtures, the
        run tells why.
        """
        if this in self._called or here() != self._settings.home:
            return False
        if hasattr(self._config, "workerinput"):
            return False  # pytest-xdist itself runs several cases at a time
        why = self._windows.why_alone(this)
        if why:
            run_store(self._config).unsent.warn(f"relevance_concurrency: {why}", why)
        return not (why or is_alone(this))

    def _run_in_threads(self, calls: Sequence[Call]) -> None:
        """Run the calls of a window in threads, each in a copy of the context, and wait
        for them.
        """
        with self._window(calls):
            cursors: Cursors = {}
            for call in calls:
                call.cursors = cursors
                if self._threads < self._concurrency:
                    name = f"relevance-{self._threads}"
                    Thread(
                        target=_serve, args=(self._queue,), name=name, daemon=True
                    ).start()
                    self._threads += 1
                self._queue.put((call, copy_context()))
            futures = [call.future for call in calls]
            while wait(futures, LOOKS_AFTER).not_done:
                pass

    def _end_threads(self) -> None:
        """End the idle threads; those that run a search end after it."""
        for _ in range(self._threads):
            self._queue.put(None)
        self._queue, self._threads = SimpleQueue(), 0

    async def _run_in_loop(self, calls: Sequence[Call]) -> None:
        """Run calls as tasks of the running loop, so many at a time, and wait for them;
        with trio there is one.
        """
        if not calls:
            return
        if awaiting.is_trio(awaiting.running_loop()):
            (call,) = calls
            await call.run_async()
            return
        import asyncio

        places = asyncio.Semaphore(self._concurrency)

        async def run(call: Call) -> None:
            async with places:
                await call.run_async()

        with self._window(calls):
            for call in calls:
                call.task = asyncio.ensure_future(run(call))  # in a copy of the context
                # Ctrl-C may interrupt a task before its call; asyncio logs an exception
                # that nobody has looked at
                call.task.add_done_callback(
                    lambda task: task.cancelled() or task.exception()
                )
            await asyncio.wait([call.task for call in calls])
            # the loop stopped before its end, and now runs for another window
            if self._calls is not calls:
                raise asyncio.CancelledError

    @contextmanager
    def _window(self, calls: Sequence[Call]) -> Iterator[None]:
        """Start no call any more once one has ended the run; forget those that were
        dropped.
        """
        self._calls = calls
        for call in calls:
            call.future.add_done_callback(partial(self._drop_after, call, calls))
        try:
            yield
        except BaseException as error:
            if self._calls is calls:
                self.leave(error)
            raise
        self._calls = ()
        self._forget_lost(calls)

    def _drop_after(self, call: Call, calls: Sequence[Call], _: Future[None]) -> None:
        """Drop the queued calls of a window if the exception of a call may end the run.

        They are made at the turn of their cases if it does not. The first call is made
        all the same, if its thread has not begun it yet: its case is the one that runs.
        """
        if any(self._may_end_run(outcome.error) for outcome in call.outcomes):
            for queued in calls[1:]:
                queued.future.cancel()

    def _may_end_run(self, error: BaseException | None) -> bool:
        """Whether the exception of a search may end the run: by itself, or as a failure
        with `--maxfail` or `--sw`.
        """
        if error is None or isinstance(error, _NO_FAILURES):
            return False
        if isinstance(error, _ENDING):
            return True
        option = self._config.option
        return bool(option.maxfail or getattr(option, "stepwise", False))

    def _forget_lost(self, calls: Sequence[Call]) -> None:
        """Forget calls that were dropped, or whose loop stopped: their cases are
        searched at their turn.
        """
        for call in calls:
            if not (call.is_lost or call.future.cancelled()):
                continue
            for outcome in call.outcomes:
                if self._ahead.get(outcome.run) is outcome:
                    self._drop(outcome.run)
                self._called.discard(outcome.run)

    def _waiting_calls(self, this: CaseRun) -> Sequence[Call]:
        """Return the calls whose responses must be awaited, that of this case first, to
        be run once more.
        """
        calls = dict.fromkeys(
            outcome.call for outcome in (self._ahead[this], *self._ahead.values())
        )
        waiting = [call for call in calls if call.waiting is not None]
        for call in waiting:
            call.future = Future()
        return waiting


_NO_FAILURES = (pytest.skip.Exception, pytest.xfail.Exception)

_ENDING = (KeyboardInterrupt, pytest.exit.Exception)
"""Exceptions that end the run instead of failing a case."""


def _batches(runs: Sequence[CaseRun], many: Any, most: int) -> list[list[CaseRun]]:
    """Return groups of at most `most` cases with equal params and an equal `k`, in the
    order of their first cases.
    """
    alike: dict[tuple[int | None, str], list[CaseRun]] = {}
    for run in runs:
        key = asked_for(many, run.case), repr(sorted(run.case.params.items()))
        alike.setdefault(key, []).append(run)
    return [
        group[start : start + most]
        for group in alike.values()
        for start in range(0, len(group), most)
    ]


def _serve(queue: SimpleQueue[tuple[Call, Context] | None]) -> None:
    """Run calls until the queue has None."""
    while (taken := queue.get()) is not None:
        call, context = taken
        context.run(call.run)
        del call, context, taken
