"""Run the calls of a window in daemon threads, which stay for the next windows."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextvars import Context
from queue import Empty, SimpleQueue
from threading import Thread
from time import perf_counter

from pytest_relevance.plugin.searching.calls import Call, add_section, capturing_context
from pytest_relevance.plugin.searching.cursors import Cursors

GRACE = 1.0
"""How many seconds running searches are waited for where the others are dropped."""

_ENDED, _STOPPED = "ended", "stopped"


class _Work:
    """The calls of a window that are to be run, each with its context, and what the threads report."""

    def __init__(self, calls: Sequence[Call], is_last: Callable[[Call], bool]) -> None:
        self.reports: SimpleQueue[str] = SimpleQueue()
        self._calls = deque((call, capturing_context(call)) for call in calls)
        cursors = Cursors()
        for call in calls:
            call.is_started, call.cursors = True, cursors
        self._is_last = is_last

    def take(self) -> tuple[Call, Context] | None:
        try:
            return self._calls.popleft()
        except IndexError:
            return None

    def run(self, call: Call, context: Context) -> None:
        context.run(call.run)
        if self._is_last(call):
            self.drop()
            self.reports.put(_STOPPED)

    def drop(self) -> None:
        """Take the calls away that no thread has taken yet."""
        while (taken := self.take()) is not None:
            call, _ = taken
            call.is_started = False


class Threads:
    """Daemon threads that run calls. Idle ones wait for the next window."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[_Work | None] = SimpleQueue()
        self._count = 0

    def run(self, calls: Sequence[Call], most: int, is_last: Callable[[Call], bool]) -> None:
        """Run calls, `most` at a time, and wait for them.

        Where `is_last` is true of a call that has ended, or an exception such as Ctrl-C ends the waiting, calls that
        are not started are dropped, and those that run get a second; the others stay `is_started` without `is_done`.
        """
        count = min(most, len(calls))
        work = _Work(calls, is_last)
        while self._count < count:
            Thread(target=_serve, args=(self._queue,), name=f"relevance-{self._count}", daemon=True).start()
            self._count += 1
        for _ in range(count):
            self._queue.put(work)
        running, deadline = count, None
        try:
            while running and (deadline is None or perf_counter() < deadline):
                report = _report(work, 0.5 if deadline is None else deadline - perf_counter())
                running -= report == _ENDED
                if report == _STOPPED:
                    deadline = perf_counter() + GRACE
        except BaseException:
            add_section(calls)
            work.drop()
            deadline = perf_counter() + GRACE
            while running and perf_counter() < deadline:
                running -= _report(work, deadline - perf_counter()) == _ENDED
            raise
        finally:
            if running:  # threads that a search does not return to are replaced in the next window
                self.close()

    def close(self) -> None:
        """End the idle threads; those that run a search end after it."""
        for _ in range(self._count):
            self._queue.put(None)
        self._queue, self._count = SimpleQueue(), 0


def _report(work: _Work, seconds: float) -> str:
    try:
        return work.reports.get(timeout=max(seconds, 0.001))  # without a timeout, Ctrl-C does not end it on Windows
    except Empty:
        return ""


def _serve(queue: SimpleQueue[_Work | None]) -> None:
    """Run calls until the queue has None."""
    while (work := queue.get()) is not None:
        while (taken := work.take()) is not None:
            work.run(*taken)
        work.reports.put(_ENDED)
        del work, taken
