"""Call the searches of several cases together, and hand each case what its own search returned or raised.

The first case of a window runs the searches of the whole window within its own call: in daemon threads, or as tasks of
an event loop. Their output, logs and warnings are captured with that case.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import Context, copy_context
from functools import partial
from queue import SimpleQueue
from threading import Thread

import pytest

from pytest_relevance.plugin.options import here, settings
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running import calling
from pytest_relevance.plugin.running.case_run import SEARCHES, CaseRun
from pytest_relevance.plugin.searching.calls import (
    BatchCall,
    Call,
    Cursors,
    SearchOutcome,
    SingleCall,
    Timed,
    batches,
    in_flight,
)
from pytest_relevance.plugin.searching.windows import Windows, is_loop_shared

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

_WINDOW = 4
"""The number of cases in a window, as a multiple of the concurrency: few threads wait for the slowest search."""

_LOOKS_AFTER = 0.5
"""The limit of a wait for threads, in seconds: on Windows, Ctrl-C does not end a wait without a limit."""


def searches_of(config: pytest.Config) -> Searches:
    """Return the searches of a run in this process."""
    found: Searches | None = config.stash.get(SEARCHES, None)
    if found is None:
        found = config.stash[SEARCHES] = Searches(config)
        config.pluginmanager.register(found, "relevance-searches")
    return found


class Searches:
    """The outcomes of searches called ahead of their cases' turns, and the threads that run searches."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._windows = Windows(config)
        self._ahead: dict[CaseRun, SearchOutcome] = {}
        self._called: set[CaseRun] = set()
        self._threads = _Threads()
        self._settings = settings(config)
        self._concurrency = self._settings.concurrency
        self._calls: Sequence[Call] = ()  # the calls of the running window
        self._in_flight: tuple[pytest.Item | None, str] = None, ""  # when a window was abandoned
        self._failures: list[BaseException] = []  # in the running window
        self._warned: set[str] = set()

    def take(self, this: CaseRun) -> list[Timed] | None:
        """Return the rankings of a case; None where its search is to be called alone.

        The first case of a window calls the searches of the whole window. Raises what the search of the case raised.
        """
        outcome = self._outcome(this)
        if outcome is None:
            return None
        if outcome.call.waiting is not None:
            self._run_on_own_loop(self._waiting_calls(outcome), this)
        return outcome.use()

    async def take_async(self, this: CaseRun) -> list[Timed] | None:
        """Return the rankings of a case, as `take` does, in the running event loop of another plugin."""
        outcome = self._searched(this)
        if outcome is None:
            calls = self._plan(this, self._concurrency if is_loop_shared(this) else 1)
            if not calls:
                return None
            if calling.is_coroutine_function(calls[0].function):
                await self._run_in_loop(calls, this)
            else:
                self._run(calls, this)
            outcome = self._ahead.pop(this)
        if outcome.call.waiting is not None:
            await self._run_in_loop(self._waiting_calls(outcome), this)
        return outcome.use()

    def prepare(self, this: CaseRun) -> bool:
        """Call the searches of the window of a case, outside of any loop; False where it is to be called alone."""
        outcome = self._outcome(this)
        if outcome is not None:
            self._ahead[this] = outcome
        return outcome is not None

    def called_by(self, this: CaseRun) -> object:
        """Return the function to call for a case: `many` for a batch, the search itself for a single case."""
        search = this.search
        many = calling.many_of(search)
        is_alone = callable(search) and this not in self._ahead and not self._begins_window(this)
        return search if many is None or is_alone else many

    def is_ahead(self, this: CaseRun) -> bool:
        """Whether the search of a case was called ahead of its turn, and its outcome waits for the case."""
        return this in self._ahead

    def waiting(self, this: CaseRun) -> object:
        """Return the response for a prepared case that must be awaited, or None."""
        waiting = self._ahead[this].call.waiting
        return None if waiting is None else waiting[0]

    def leave(self, error: BaseException) -> None:
        """Drop the queued calls of a window that Ctrl-C or a timeout ended, if any, and name the running ones."""
        calls, self._calls = self._calls, ()
        if calls:
            first = calls[0].outcomes[0].run
            self._in_flight = first.item, in_flight(calls)
            for call in calls:
                call.drop()
            self._threads.close()  # threads that hang in a search are replaced in the next window
            self._ahead.pop(first, None)  # the case that began it ends with it
            self._forget_lost(calls)
        item, text = self._in_flight
        if not text or type(error).__name__ == "CancelledError":  # in a loop that Ctrl-C ends from outside
            return
        self._in_flight = None, ""
        if item is None or isinstance(error, _ENDING):  # no report of the case follows
            run_store(self._config).unsent.warn(text, text)
        else:
            item.add_report_section("call", "searches in flight", text)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """End idle threads, and forget what was searched for cases that did not run."""
        self._threads.close()
        for outcome in self._ahead.values():
            outcome.call.close()
        self._ahead.clear()

    def _outcome(self, this: CaseRun) -> SearchOutcome | None:
        """Return the outcome of a case, searched now or ahead; None where its search is to be called alone."""
        outcome = self._searched(this)
        if outcome is None:
            calls = self._plan(this, self._concurrency)
            if not calls:
                return None
            self._run(calls, this)
            outcome = self._ahead.pop(this)
        while not wait([outcome.call.future], _LOOKS_AFTER).done:  # its window was left while it ran in its thread
            pass
        return outcome

    def _searched(self, this: CaseRun) -> SearchOutcome | None:
        """Return the outcome of a case searched ahead of its turn; None also if its fixture was set up again since."""
        outcome = self._ahead.pop(this, None)
        if outcome is not None and outcome.search is not this.search:
            outcome.call.close()
            self._called.discard(this)
            return None
        return outcome

    def _plan(self, this: CaseRun, most: int) -> Sequence[Call]:
        """Return the calls of the window that a case begins; none where its search is to be called alone.

        At most `most` calls are to run at a time.
        """
        search = this.search
        many, times = calling.many_of(search), self._settings.calls
        runs = [this]
        if many is None and most == 1:
            return ()
        if self._begins_window(this):
            length = _WINDOW * most if many is None else most * self._settings.batch
            runs += (run for run in self._windows.following(this, length - 1) if run not in self._called)
        elif many is None or callable(search):
            return ()
        calls: Sequence[Call]
        if many is not None:
            groups = [*batches(runs, many, self._settings.batch)][
                :most
            ]  # those with other params begin a window of their own
            calls = [BatchCall(group, search, many, times) for group in groups]
        elif len(runs) > 1:
            calls = [SingleCall(run, search, times) for run in runs]
        else:
            return ()
        self._ahead |= {outcome.run: outcome for call in calls for outcome in call.outcomes}
        self._called.update(outcome.run for call in calls for outcome in call.outcomes)
        return calls

    def _begins_window(self, this: CaseRun) -> bool:
        if this in self._called or here() != self._settings.home:
            return False
        if (why := self._windows.why_alone(this)) and why not in self._warned:
            self._warned.add(why)
            run_store(self._config).unsent.warn(f"relevance_concurrency: {why}", why)
        return self._windows.takes(this)

    def _run(self, calls: Sequence[Call], this: CaseRun) -> None:
        """Run the calls of a window outside of any loop: in threads, or as tasks of the plugin's own loop."""
        if calling.is_coroutine_function(calls[0].function):
            self._run_on_own_loop(calls, this)
        elif len(calls) == 1:
            calls[0].run()
        else:
            cursors = Cursors()
            with self._window(calls):
                for call in calls:
                    call.cursors = cursors
                    self._threads.submit(call, self._concurrency)
                futures = [call.future for call in calls]
                while wait(futures, _LOOKS_AFTER).not_done:
                    pass

    def _run_on_own_loop(self, calls: Sequence[Call], this: CaseRun) -> None:
        loop = calling.own_loop(self._config)
        window = loop.create_task(self._run_in_loop(calls, this))
        try:
            loop.run_until_complete(window)
        except BaseException as error:
            self.leave(error)  # also if the loop stopped before its end
            window.cancel()
            raise

    async def _run_in_loop(self, calls: Sequence[Call], this: CaseRun) -> None:
        """Run calls as tasks of the running loop, so many at a time, and wait for them; with trio there is one."""
        if getattr(this.attempt.loop, "__name__", None) == "trio":
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
            await asyncio.wait([call.task for call in calls])
            if self._calls is not calls:  # the loop stopped before its end, and now runs for another window
                raise asyncio.CancelledError

    @contextmanager
    def _window(self, calls: Sequence[Call]) -> Iterator[None]:
        """Start no call any more once one has ended the run; forget those that were dropped."""
        self._failures, self._calls = [], calls
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
        """Drop the queued calls of a window if the exception of a call ends the run.

        The first call is made all the same, if its thread has not begun it yet: its case is the one that runs.
        """
        errors = [outcome.error for outcome in call.outcomes if outcome.error is not None]
        failed = [error for error in errors if not isinstance(error, _NO_FAILURES)]
        if not failed:
            return
        self._failures += failed  # also in several threads at once
        option, session = self._config.option, call.outcomes[0].run.item.session
        most = 1 if getattr(option, "stepwise", False) else option.maxfail
        ends_run = any(isinstance(error, _ENDING) for error in failed)
        if ends_run or (most and session.testsfailed + len(self._failures) >= most):
            for each in calls[1:]:
                each.future.cancel()

    def _forget_lost(self, calls: Sequence[Call]) -> None:
        """Forget calls that were dropped, or whose loop stopped: their cases are searched at their turn."""
        for call in calls:
            for outcome in call.outcomes if call.is_lost or call.future.cancelled() else ():
                if self._ahead.get(outcome.run) is outcome:
                    del self._ahead[outcome.run]
                self._called.discard(outcome.run)

    def _waiting_calls(self, outcome: SearchOutcome) -> Sequence[Call]:
        """Return the calls whose responses must be awaited, to be run once more."""
        others = (each.call for each in self._ahead.values() if each.call.waiting is not None)
        calls = list(dict.fromkeys([outcome.call, *others]))
        for call in calls:
            call.future = Future()
        return calls


_NO_FAILURES = (pytest.skip.Exception, pytest.xfail.Exception)

_ENDING = (KeyboardInterrupt, pytest.exit.Exception)
"""Exceptions that end the run instead of failing a case."""


class _Threads:
    """Daemon threads that run calls. Idle ones wait for the next window, so that a client of each thread stays."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[tuple[Call, Context] | None] = SimpleQueue()
        self._count = 0

    def submit(self, call: Call, most: int) -> None:
        """Run a call in one of at most so many threads, in a copy of the context."""
        if self._count < most:
            Thread(target=_serve, args=(self._queue,), name=f"relevance-{self._count}", daemon=True).start()
            self._count += 1
        self._queue.put((call, copy_context()))

    def close(self) -> None:
        """End the idle threads; those that run a search end after it."""
        for _ in range(self._count):
            self._queue.put(None)
        self._queue, self._count = SimpleQueue(), 0


def _serve(queue: SimpleQueue[tuple[Call, Context] | None]) -> None:
    """Run calls until the queue has None."""
    while (taken := queue.get()) is not None:
        call, context = taken
        context.run(call.run)
        del call, context, taken
