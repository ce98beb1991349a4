"""The calls that a window is made of, and what becomes of each case; `batches` has the calls of `many`.

A call reads the rankings too, where it runs: cursors and clients may belong to their thread, and a lazy response does
its work only while it is read.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from time import perf_counter
from types import TracebackType
from typing import Any

from pytest_relevance._text import first_few, printable
from pytest_relevance.plugin.failures import CaseError
from pytest_relevance.plugin.running import calling
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.plugin.searching.cursors import Cursors, SharedCursorError
from pytest_relevance.plugin.searching.output import EVENTS, Event, replay
from pytest_relevance.results.responses.ranking import Ranking

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

Timed = tuple[Ranking, float]
"""A ranking, and the latency of its call in seconds."""


@dataclass(slots=True, eq=False)
class SearchOutcome:
    """What the calls for one case returned or raised.

    `search` is the value of the fixture, `asked` the number of results requested. `rankings` are those of each call,
    with latencies that are shares of that of a batch; `answer` is the first response. `error` ended the calls, with the
    `traceback` that it had.
    """

    run: CaseRun
    search: Any
    call: Call
    asked: int | None = None
    rankings: list[Timed] = field(default_factory=list)
    calls: int = 0
    answer: object = None
    error: BaseException | None = None
    traceback: TracebackType | None = None
    events: list[Event] = field(default_factory=list)

    def read(self, response: object) -> Ranking:
        """Read a response as the ranking of the case."""
        if self.answer is None:
            self.answer = [*response] if type(response) is list else response  # which the search may fill anew
        return calling.read(self.run.item, self.run.case, response, self.search)

    def fail(self, error: BaseException) -> None:
        """Keep the exception of a call. That of a shared cursor stays, as it is the cause of others."""
        if isinstance(self.error, SharedCursorError):
            return
        if threading.current_thread() is not threading.main_thread() and _is_bound_to_thread(error):
            error = CaseError(_BOUND.format(error=f"{type(error).__name__}: {str(error).partition('.')[0]}"), False)
        self.error, self.traceback = error, error.__traceback__

    def use(self) -> list[Timed]:
        """Return the rankings in the call of the case itself: replay the output, and raise the exception if any."""
        run = self.run
        events, self.events = self.events, []
        replay(events)
        run.is_in_window, run.latency_shared = True, len(self.call.outcomes) > 1
        run.asked, run.calls, run.answer = self.asked, self.calls, self.answer
        if self.error is not None:
            if isinstance(self.error, CaseError):
                run.error = self.error
            raise self.error.with_traceback(self.traceback)
        return self.rankings


def _is_bound_to_thread(error: BaseException) -> bool:
    try:
        return _BOUND_TO_THREAD in str(error)
    except Exception:  # of a class of the user's
        return False


_BOUND_TO_THREAD = "can only be used in that same thread"
"""What sqlite3 says, also where another library passes its error on."""

_BOUND = (
    "the search may not be called from another thread ({error}): connect with check_same_thread=False and use a cursor "
    "for each call, or make a connection for each thread; or call one search at a time, with --relevance-concurrency=1"
)


def _is_of_loop(error: BaseException) -> bool:
    """Whether an exception ends a coroutine from outside; a task of trio is cancelled by `trio.Cancelled`."""
    return isinstance(error, GeneratorExit) or type(error).__name__ == "Cancelled"


class Call:
    """One call of a search; with `--relevance-repeat`, several in a row.

    `waiting` is a response that must be awaited, of a plain function, with the time of the call. `is_started`: it is
    not dropped any more; `is_done`: it has returned or raised; `is_async`: it runs in an event loop; `passes_on` says
    which exceptions in a loop are not of the search; `cursors` are those of a window in threads; `began` is when it
    last began to run, in seconds of `perf_counter`, 0 before that.
    """

    def __init__(self, function: Any, times: int) -> None:
        self.function = function
        self.outcomes: Sequence[SearchOutcome] = ()
        self.waiting: tuple[object, float] | None = None
        self.is_started = self.is_done = self.is_async = False
        self.passes_on: Callable[[BaseException], bool] = _is_of_loop
        self.cursors: Cursors | None = None
        self.began = 0.0
        self._left = times

    @property
    def is_lost(self) -> bool:
        """Whether nothing will come of the call: it was dropped, or its event loop was left in the middle."""
        is_in_thread = self.is_started and not self.is_async  # which cannot be ended
        return not (self.is_done or self.waiting or is_in_thread)

    @property
    def is_in_flight(self) -> bool:
        """Whether the call runs now, or ran when its event loop was left."""
        return bool(self.began) and not (self.is_done or self.waiting)

    def run(self) -> None:
        """Make the calls. Stop at a response that must be awaited, which `run_async` continues with."""
        self.is_started = True
        self.began = perf_counter()
        try:
            while self._left:
                response, started = self._call()
                if calling.is_waiting(response):
                    self.waiting = response, started
                    return
                self._read(response, started)
        except BaseException as error:
            self.fail(error)
        self.is_done = True

    async def run_async(self) -> None:
        """Make the calls, or continue those of `run`, in the running event loop.

        Passes on what cancels or interrupts the loop, where `passes_on` says so of an exception.
        """
        self.is_started = self.is_async = True
        self.began = perf_counter()
        try:
            while self._left or self.waiting is not None:
                response, started = self.waiting or self._call()
                if inspect.iscoroutine(response):  # it starts only now
                    started = perf_counter()
                self.waiting = None
                await self._read_async(response, started)
        except BaseException as error:
            if self.passes_on(error):
                raise
            self.fail(error)
        self.is_done = True

    def fail(self, error: BaseException) -> None:
        """Keep the exception of a call for all its cases."""
        for outcome in self.outcomes:
            outcome.fail(error)

    def close(self) -> None:
        """Close a response that is not going to be awaited."""
        if self.waiting is not None:
            calling.close_unawaited(self.waiting[0])

    def _call(self) -> tuple[object, float]:
        self._left -= 1
        for outcome in self.outcomes:
            outcome.calls += 1
        first = self.outcomes[0]
        return calling.call(self.function, first.run.case, first.asked, self._queries())

    def _queries(self) -> list[str] | None:
        """Return the queries of a batch; None for a call with the query of its case."""
        return None

    def _read(self, response: object, started: float) -> None:
        raise NotImplementedError

    async def _read_async(self, response: object, started: float) -> None:
        self._read(await calling.wait(response), started)


class SingleCall(Call):
    """The call of a search for one case."""

    def __init__(self, run: CaseRun, search: Any, times: int) -> None:
        super().__init__(search, times)
        self.outcomes = (SearchOutcome(run, search, self, calling.asked_for(search, run.case)),)

    def _read(self, response: object, started: float) -> None:
        (outcome,) = self.outcomes
        cursors = None if self.is_async else self.cursors
        with nullcontext() if cursors is None else cursors.reading(response, outcome, started):
            ranking = outcome.read(response)
        outcome.rankings.append((ranking, perf_counter() - started))


def capturing_context(call: Call) -> Context:
    """Return a copy of the context, for a call to run in: what it prints, logs and warns of is kept for its case."""
    context = copy_context()
    context.run(EVENTS.set, call.outcomes[0].events)
    return context


_MOST_NAMED = 5


def add_section(calls: Sequence[Call]) -> None:
    """Add the calls of a window that run now to the report of its first case, those that began first first.

    They are what a timeout ended the wait for.
    """
    now = perf_counter()
    running = sorted((call for call in calls if call.is_in_flight), key=lambda call: call.began)
    if running:
        text = first_few([f"{_name(call)} ({now - call.began:.1f} s)" for call in running], _MOST_NAMED)
        calls[0].outcomes[0].run.item.add_report_section("call", "searches in flight", f"searches in flight: {text}")


def _name(call: Call) -> str:
    query = printable(call.outcomes[0].run.case.query)
    others = len(call.outcomes) - 1
    return f"a batch of {query} and {others} more" if others else query
