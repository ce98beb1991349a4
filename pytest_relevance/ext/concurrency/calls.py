"""A call of a search that is made before the turn of its case, or its batch of cases.

A call also reads the rankings, in its own thread. Cursors and clients may belong to the
thread, and a lazy response does its work only while it is read.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import Future
from enum import Enum
from typing import Any

import pytest

from pytest_relevance._text import counted, printable, shown
from pytest_relevance.ext.concurrency.errors import Cursors, is_read_once
from pytest_relevance.plugin.clock import Moment, now, seconds_since
from pytest_relevance.plugin.exceptions import CaseError
from pytest_relevance.plugin.running import awaiting
from pytest_relevance.plugin.running.case_run import CaseRun, Searched
from pytest_relevance.plugin.running.searching import CaseResponses, SearchCall
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.reading import close, close_async

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
        window: the window in which it is made.
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
        """Whether the call has begun and not ended. It may have been dropped."""
        has_begun = self.began is not None
        return has_begun and self.state in (State.RUNNING, State.DROPPED)

    @property
    def name(self) -> str:
        """The query, or the first query of a batch, for a message."""
        query = printable(self.runs[0].case.query)
        others = len(self.runs) - 1
        return f"a batch of {query} and {others} more" if others else query

    def make(self) -> Sequence[Searched] | None:
        """Make the call in this thread, and note when it began: see `SearchCall`."""
        self.began = now()
        return super().make()

    async def make_in_loop(self) -> Sequence[Searched]:
        """Make the call in the event loop, and note when it began: see `SearchCall`."""
        self.began = now()
        return await super().make_in_loop()

    def read(self, response: object, started: Moment) -> None:
        """Read a response. Raises `CaseError` for a cursor that another thread got."""
        self._cursors.note(response, self.runs[0])
        super().read(response, started)

    def outcome_for(self, run: CaseRun) -> Searched:
        """Return the outcome of the call for a case. The call must have ended."""
        searched: Searched = self.future.result()[self.runs.index(run)]
        return self._cursors.checked(searched, run)

    def drop(self) -> None:
        """Cancel the call, unless it has ended or runs in a thread."""
        try:
            self._is_dropped = self.future.cancel()
        except RuntimeError:  # the event loop of the task is closed
            self._is_dropped = True


class BatchCallAhead(CallAhead):
    """A call of `search.many` for a batch of cases with equal params and equal `k`."""

    def read(self, response: object, started: Moment) -> None:
        """Read the response of each query in `response`, which `many` returned."""
        batch = _Batch(self.of_cases)
        try:
            for of_query in batch.responses_in(response):
                batch.read(of_query)
        finally:
            close(response)
        batch.finish(started)

    async def read_in_loop(self, response: object, started: Moment) -> None:
        """Await what `many` returned if needed, and read the response of each query."""
        if awaiting.is_awaitable(response):
            response = await response  # type: ignore[misc]
        if not isinstance(response, AsyncIterator):
            self.read(await awaiting.wait(response), started)
            return
        batch = _Batch(self.of_cases)
        try:
            async for of_query in response:
                batch.read(of_query)
        finally:
            await close_async(response)
        batch.finish(started)


class _Batch:
    """Reads each response of a batch as soon as it arrives.

    A search may use one list for all responses, so a later response may overwrite an
    earlier one. The cases get their rankings only when it is known that each query has
    one response.
    """

    def __init__(self, of_cases: Sequence[CaseResponses]) -> None:
        self._of_cases = of_cases
        self._rankings: list[Ranking | BaseException] = []
        self._name = f"{of_cases[0].run.case.search}.many"
        self._queries = counted(len(of_cases), "query", "queries")

    def responses_in(self, returned: object) -> list[object] | Iterator[object]:
        """Return what `many` returned: an iterator or a list of responses.

        Raises `CaseError` for anything else, and for a list that does not have one
        response for each query.
        """
        if isinstance(returned, Iterator):
            return returned
        if not isinstance(returned, list):
            advice = f": {_ZIP}" if isinstance(returned, tuple) else ""
            raise _wrong_batch(
                f"{self._name}{advice} returns a list or a generator with one response a query, in their order; for "
                f"{self._queries} it returned {shown(returned)} ({type(returned).__name__})"
            )
        if len(returned) != len(self._of_cases):
            raise self._wrong_number(counted(len(returned), "response"))
        cursors = [response for response in returned if is_read_once(response)]
        if len(set(map(id, cursors))) < len(cursors):
            raise _wrong_batch(
                f"{self._name} returned the same {type(cursors[0]).__name__} for two queries: make a cursor (or a "
                "connection) for each query, or fetch its rows before the next one"
            )
        return returned

    def read(self, response: object) -> None:
        """Read a response as the ranking of the next query, or keep its exception.

        A response may be an exception, or raise one when it is read. Raises `CaseError`
        if every query has a response already.
        """
        if len(self._rankings) == len(self._of_cases):
            raise self._wrong_number(
                f"more than {counted(len(self._of_cases), 'response')}"
            )
        of_case = self._of_cases[len(self._rankings)]
        if isinstance(response, BaseException):
            self._rankings.append(response)
            return
        try:
            self._rankings.append(of_case.read(response))
        except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
            self._rankings.append(error)

    def finish(self, started: Moment) -> None:
        """Give each case its ranking or exception, and an equal share of the latency.

        Raises `CaseError` if there are fewer responses than queries.
        """
        if len(self._rankings) < len(self._of_cases):
            raise self._wrong_number(counted(len(self._rankings), "response"))
        latency = seconds_since(started)
        share = None if latency is None else latency / len(self._of_cases)
        for of_case, ranking in zip(self._of_cases, self._rankings, strict=True):
            if not isinstance(ranking, BaseException):
                of_case.rankings.append((ranking, share))
            elif of_case.error is None:
                of_case.error = ranking

    def _wrong_number(self, responses: str) -> CaseError:
        return _wrong_batch(
            f"{self._name} returned {responses} for {self._queries}; it returns one response a query, in their order: "
            "for a query that finds nothing an empty list, for one that failed its exception"
        )


_ZIP = "of (distances, labels) return list(zip(distances, labels)), of a tuple of responses list(responses). It"


def _wrong_batch(message: str) -> CaseError:
    return CaseError(message, pytrace=False)
