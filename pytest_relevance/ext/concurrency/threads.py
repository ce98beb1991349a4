"""Threads that run searches. Python can end while such a thread still runs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextvars import Context, copy_context
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import Any

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks


@dataclass(frozen=True, slots=True)
class _Job:
    """A function to call in a context, and the future that gets its outcome."""

    function: Callable[[], Any]
    future: Future[Any]
    context: Context

    def run(self) -> None:
        """Call the function. Nothing is done if the future is cancelled."""
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            self.future.set_result(self.context.run(self.function))
        except BaseException as error:
            self.future.set_exception(error)


class DaemonThreads:
    """Runs functions in at most `most` threads, each in a copy of the context.

    Python does not wait for daemon threads when it ends. For the threads of a
    ThreadPoolExecutor it waits, even if a search hangs. An idle thread is kept for the
    next function, because a client may belong to its thread.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = 0
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()

    def submit(self, function: Callable[[], Any], future: Future[Any]) -> None:
        """Call a function in a thread, as soon as one is idle.

        `future`: gets what the function returns or raises. If it is cancelled before
            the call, the function is not called.
        """
        if self._count < self._most:
            name = f"relevance-{self._count}"
            arguments = (self._queue,)
            Thread(target=_serve, args=arguments, name=name, daemon=True).start()
            self._count += 1
        self._queue.put(_Job(function, future, copy_context()))

    def end(self) -> None:
        """End the idle threads now, and each other thread when its function ends."""
        for _ in range(self._count):
            self._queue.put(None)
        self._count, self._queue = 0, SimpleQueue()


def _serve(queue: SimpleQueue[_Job | None]) -> None:
    """Run the jobs of a queue in this thread, until None comes."""
    while (job := queue.get()) is not None:
        job.run()
        del job  # an idle thread keeps nothing alive
