"""Run the calls of a window as tasks of one event loop of asyncio."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from pytest_relevance.plugin.searching.calls import Call, add_section, capturing_context
from pytest_relevance.plugin.searching.threads import GRACE

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGALRM") if hasattr(signal, name)]
"""The signals of Ctrl-C and of timers such as that of pytest-timeout."""

_INTERRUPTING = (KeyboardInterrupt, pytest.fail.Exception)
"""What their handlers raise, in whatever code they interrupt."""


class _Tasks:
    """The tasks of the calls of a window, `most` at a time."""

    def __init__(self, calls: Sequence[Call], most: int, is_last: Callable[[Call], bool]) -> None:
        self._all = calls
        self._calls = deque(calls)
        self._places = {call: place for place, call in enumerate(calls)}
        self._most = most
        self._is_last = is_last
        self._running: dict[asyncio.Task[None], Call] = {}
        self._loop = asyncio.get_running_loop()
        self._finished: asyncio.Future[int | None] = self._loop.create_future()
        self._is_interrupted = self._is_cancelling = False

    async def run(self) -> None:
        with self._noticing_interrupts():
            self._start()
            try:
                last = await self._finished
            except BaseException:
                self._note_interrupt()
                await self._end(self._running)
                raise
            if last is not None:
                before = [task for task, call in self._running.items() if self._places[call] < last]
                if before:
                    await asyncio.wait(before)
                await self._end(self._running)

    def _start(self) -> None:
        while self._calls and len(self._running) < self._most:
            call = self._calls.popleft()
            call.passes_on, call.is_async = self._passes_on, True
            task = capturing_context(call).run(self._loop.create_task, call.run_async())  # the task has a copy of it
            self._running[task] = call
            task.add_done_callback(self._ended)
        if not self._running and not self._finished.done():
            self._finished.set_result(None)

    def _passes_on(self, error: BaseException) -> bool:
        """Whether an exception in a task is not of its search: the task is cancelled, or a signal interrupted it."""
        if isinstance(error, asyncio.CancelledError):
            return self._is_cancelling
        return isinstance(error, GeneratorExit) or (self._is_interrupted and isinstance(error, _INTERRUPTING))

    def _ended(self, task: asyncio.Task[None]) -> None:
        call = self._running.pop(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, KeyboardInterrupt) and not self._finished.done():
            self._finished.set_exception(error)  # asyncio itself raises a KeyboardInterrupt
        if self._is_last(call) and not self._finished.done():
            self._calls.clear()
            self._finished.set_result(self._places[call])
        self._start()

    def _note_interrupt(self) -> None:
        """Drop what is not started, and have the first case say what runs; here, as it may end before its loop does."""
        if not self._is_interrupted:
            add_section(self._all)
        self._is_interrupted = True
        self._calls.clear()

    async def _end(self, tasks: Any) -> None:
        """Wait a second for running tasks, and cancel those that still run."""
        waiting = [*tasks]
        if waiting:
            _, late = await asyncio.wait(waiting, timeout=GRACE)
            self._is_cancelling = True
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    @contextmanager
    def _noticing_interrupts(self) -> Iterator[None]:
        """Distinguish Ctrl-C and timeouts from what a search raises: only the former end the window."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: handler for number in _SIGNALS if callable(handler := signal.getsignal(number))}

        def note(number: int, frame: Any) -> None:
            self._note_interrupt()
            restore()  # here too, as the loop may be left in the middle
            before[number](number, frame)

        def restore() -> None:
            for number, handler in before.items():
                if signal.getsignal(number) is note:
                    signal.signal(number, handler)

        for number in before:
            signal.signal(number, note)
        try:
            yield
        finally:
            restore()


async def run_tasks(calls: Sequence[Call], most: int, is_last: Callable[[Call], bool]) -> None:
    """Run calls as tasks of the running loop, `most` at a time, and wait for them.

    Where `is_last` is true of a call that has ended, or the waiting is cancelled, calls that are not started are
    dropped, those that run get a second (calls before the last one more), and are cancelled then.
    """
    await _Tasks(calls, most, is_last).run()


def run_on_loop(
    loop: asyncio.AbstractEventLoop, calls: Sequence[Call], most: int, is_last: Callable[[Call], bool]
) -> None:
    """Do the same in a loop that does not run. An exception such as Ctrl-C ends it as a cancellation does."""
    task = loop.create_task(run_tasks(calls, most, is_last))
    try:
        loop.run_until_complete(task)
    except BaseException:
        if not task.done():
            task.cancel()
            with suppress(asyncio.CancelledError):
                loop.run_until_complete(task)
        raise
