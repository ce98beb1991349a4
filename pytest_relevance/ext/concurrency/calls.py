"""A call of a search that is made before the turn of its case, or of its cases.

The call also reads the rankings, in the same thread. Cursors and clients may belong to
the thread, and a lazy response does its work only while it is read.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from concurrent.futures import Future
from enum import Enum
from typing import Any

from pytest_relevance._text import printable
from pytest_relevance.ext.concurrency.errors import Cursors
from pytest_relevance.plugin.clock import Moment, now, seconds_since
from pytest_relevance.plugin.running import awaiting
from pytest_relevance.plugin.running.batch_responses import BatchResponses
from pytest_relevance.plugin.running.case_run import CaseRun, Searched
from pytest_relevance.plugin.running.searching import SearchCall
from pytest_relevance.results.responses.iterators import close_async

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks


class State(Enum):
    """The state of a call that is made before the turn of its cases.

    | state | what it is | what may follow |
    |---|---|---|
    | `QUEUED` | waits for a thread or a place in the loop | `RUNNING`, `DROPPED` |
    | `RUNNING` | is being made | `NEEDS_LOOP`, `ENDED`; of a task `DROPPED` |
    | `NEEDS_LOOP` | its response must be awaited | `QUEUED`, as a task |
    | `ENDED` | has an outcome for each case | |
    | `DROPPED` | was cancelled; its cases are searched at their turn | |
    """

    QUEUED = "queued"
    RUNNING = "running"
    NEEDS_LOOP = "needs loop"
    ENDED = "ended"
    DROPPED = "dropped"


class CallAhead(SearchCall):
    """A call of a search that is made before the turn of its case.

    Attributes:
        search_function: the value of the search fixture.
        future: the future of the thread, or the task of asyncio, that makes the call.
            Its result is what `make` or `make_in_loop` returns.
        began: when the call began; None while it is queued.
        window: the window in which the call is made.
    """

    def __init__(
        self,
        runs: Sequence[CaseRun],
        search_function: Any,
        *,
        many: Any = None,
        concurrency: int,
        cursors: Cursors,
    ) -> None:
        """Prepare a call for the cases `runs`, without making it.

        `many`: the function to call for a batch of cases; None for a single case.
        `cursors`: the cursors that the calls of its window have returned.
        """
        super().__init__(runs, search_function, many=many, concurrency=concurrency)
        self.search_function = search_function
        self.future: Any = Future()
        self.began: Any = None  # a Moment
        self.window: Any = None  # a Window, whose module imports this one
        self._cursors = cursors
        self._is_dropped = False

    @property
    def state(self) -> State:
        """The state of the call now."""
        future = self.future
        # a task is cancelled only when its loop runs again
        if self._is_dropped or future.cancelled():
            return State.DROPPED
        if not future.done():
            return State.QUEUED if self.began is None else State.RUNNING
        if future.exception() is not None:  # Ctrl-C in a task
            return State.DROPPED
        return State.NEEDS_LOOP if future.result() is None else State.ENDED

    @property
    def is_in_flight(self) -> bool:
        """Whether the call has begun and has not ended. It may have been dropped."""
        has_begun = self.began is not None
        return has_begun and self.state in (State.RUNNING, State.DROPPED)

    @property
    def name(self) -> str:
        """The query, or the first query of a batch, for a message."""
        query = printable(self.runs[0].case.query)
        others = len(self.runs) - 1
        return f"a batch of {query} and {others} more" if others else query

    def make(self) -> Sequence[Searched] | None:
        """Make the calls in this thread, and note when they began.

        Return what the search returned or raised for each case, or None if a response
        must be awaited. Then `make_in_loop` makes the calls that are left.
        """
        self.began = now()
        return super().make()

    async def make_in_loop(self) -> Sequence[Searched]:
        """Make the calls that are left, in the running event loop.

        Note when they began, and return what the search returned or raised for each
        case.
        """
        self.began = now()
        return await super().make_in_loop()

    def read(self, response: object, started: Moment) -> None:
        """Read a response. Raises `CaseError` for a cursor of another thread."""
        self._cursors.note(response, self.runs[0])
        super().read(response, started)

    def outcome_for(self, case_run: CaseRun) -> Searched:
        """Return the outcome of the call for a case. The call must have ended."""
        searched: Searched = self.future.result()[self.runs.index(case_run)]
        return self._cursors.checked(searched, case_run)

    def drop(self) -> None:
        """Cancel the call.

        Nothing is done if the call has ended or runs in a thread.
        """
        try:
            self._is_dropped = self.future.cancel()
        except RuntimeError:  # the event loop of the task is closed
            self._is_dropped = True


class BatchCallAhead(CallAhead):
    """A call of `search.many` for a batch of cases with equal params and equal `k`."""

    def read(self, response: object, started: Moment) -> None:
        """Read the response of each query in `response`, which `many` returned."""
        responses = self._begin()
        responses.read_all(response)
        self._finish(responses, started)

    async def read_in_loop(self, response: object, started: Moment) -> None:
        """Await what `many` returned if needed, and read the response of each query."""
        if awaiting.is_awaitable(response):
            response = await response  # type: ignore[misc]
        if not isinstance(response, AsyncIterator):
            self.read(await awaiting.wait(response), started)
            return
        responses = self._begin()
        try:
            async for of_query in response:
                responses.read(of_query)
        finally:
            await close_async(response)
        self._finish(responses, started)

    def _begin(self) -> BatchResponses:
        """Return the reader of the responses for all cases of the batch."""
        readers = [of_case.read for of_case in self.of_cases]
        return BatchResponses(self.runs[0].case.search, readers)

    def _finish(self, responses: BatchResponses, started: Moment) -> None:
        """Give each case its ranking or exception, and an equal share of the latency.

        Raises `CaseError` if there are fewer responses than queries.
        """
        outcomes = responses.outcomes()
        latency = seconds_since(started)
        share = None if latency is None else latency / len(self.of_cases)
        for of_case, outcome in zip(self.of_cases, outcomes, strict=True):
            if not isinstance(outcome, BaseException):
                of_case.rankings.append((outcome, share))
            elif of_case.error is None:
                of_case.error = outcome
