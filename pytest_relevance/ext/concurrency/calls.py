"""The calls of the searches of a window, and the outcome of each case.

A call is one of the search itself for a case, or of `many` for a batch. It reads the
rankings too, where it runs: cursors and clients may belong to their thread, and a lazy
response does its work only while it is read.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from traceback import format_exception_only
from types import TracebackType
from typing import Any

import pytest

from pytest_relevance._text import counted, first_few, printable, shown
from pytest_relevance.plugin.clock import Moment, now, seconds_since
from pytest_relevance.plugin.failures import CaseError
from pytest_relevance.plugin.running import awaiting, calling
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.plugin.running.searched import Searched, Timed
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.reading import MOST_READ, close, close_async

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

Cursors = dict[int, tuple[object, int, "SearchOutcome"]]
"""The cursors that were returned in one window of threads, by `id`: the cursor, its
thread, and the first outcome.
"""


@dataclass(slots=True, eq=False)
class SearchOutcome:
    """What the calls for one case returned or raised.

    `search` is the value of the fixture, `asked` the number of results requested.
    `rankings` has the ranking of each call with its latency; in a batch each has an
    equal part of its latency. `answer` is the first response. `error` is the exception
    that ended the calls, with its `traceback`.
    """

    run: CaseRun
    search: Any
    call: Call
    asked: int | None
    rankings: list[Timed] = field(default_factory=list)
    calls: int = 0
    answer: object = None
    error: BaseException | None = None
    traceback: TracebackType | None = None

    def read(self, response: object) -> Ranking:
        """Read a response as the ranking of the case."""
        if self.answer is None:
            # a copy: the search may reuse the list
            self.answer = [*response] if type(response) is list else response
        return calling.read_response(
            self.run.item, self.run.case, response, self.search, self.asked
        )

    @property
    def most_to_read(self) -> int:
        """How many results of an iterator are read."""
        return calling.most_to_read(self.run.case, self.asked)

    def fail(self, error: BaseException) -> None:
        """Keep the exception of a call. That of a shared cursor stays, as the errors
        after it follow from it.
        """
        if isinstance(self.error, SharedCursorError):
            return
        if threading.current_thread() is not threading.main_thread():
            # `str` of an exception of the user's may raise another
            text = "".join(format_exception_only(error))
            before, bound, _ = text.partition(_BOUND_TO_THREAD)
            if bound:
                error = CaseError(_BOUND.format(error=before + bound), pytrace=False)
        self.error, self.traceback = error, error.__traceback__

    def searched(self, concurrency: int) -> Searched:
        """Return what the calls returned or raised, for the call of the case itself. So
        many calls ran at a time.
        """
        error = self.error
        if error is not None:
            error = error.with_traceback(self.traceback)  # cases of a batch share it
        return Searched(
            rankings=self.rankings,
            error=error,
            answer=self.answer,
            calls=self.calls,
            asked=self.asked,
            concurrency=1 if self.call.is_only else concurrency,
            is_shared=len(self.call.outcomes) > 1,
        )


class SharedCursorError(CaseError):
    """Two searches at once returned the same cursor."""


_BOUND_TO_THREAD = "can only be used in that same thread"
"""The message of sqlite3, also when another library passes its error on."""

_BOUND = (
    "the search may not be called from another thread ({error}): connect with check_same_thread=False and use a cursor "
    "for each call, or make a connection for each thread; or call one search at a time, with --relevance-concurrency=1"
)


class Call:
    """One call of a search for one case, or of its attribute `many` for a batch of
    cases with equal params and `k`.

    With `--relevance-repeat` it is several calls in a row. `future` says what became of
    it: it is pending, was dropped (cancelled), runs, or has ended; its result is in the
    `outcomes`. `waiting` is a response that must be awaited, of a plain function, with
    the time of the call. `task` is the task of asyncio that runs the call, if one does;
    `is_lost`: its event loop stopped before the task ended. `cursors` are the cursors
    of a window in threads; `is_only`: no other call is in its window; `began` is when
    the call began.
    """

    def __init__(
        self, runs: Sequence[CaseRun], search: Any, many: Any, times: int
    ) -> None:
        self.function = search if many is None else many
        asked = calling.asked_for(self.function, runs[0].case)
        self.outcomes = [SearchOutcome(run, search, self, asked) for run in runs]
        self.future: Future[None] = Future()
        self.waiting: tuple[object, Moment] | None = None
        self.task: Any = None
        self.is_lost = self.is_only = False
        self.cursors: Cursors | None = None
        self.began = now()
        self._queries = None if many is None else [run.case.query for run in runs]
        self._left = times

    def run(self) -> None:
        """Make the calls, unless dropped. Stop at a response that must be awaited,
        which `run_async` continues with.
        """
        if not self.future.set_running_or_notify_cancel():
            return
        self.began = now()
        try:
            while self._left and self.waiting is None:
                response, started = self._call()
                if awaiting.is_waiting(response):
                    self.waiting = response, started
                else:
                    self._read(response, started)
        except BaseException as error:
            self.fail(error)
        self.future.set_result(None)

    async def run_async(self) -> None:
        """Make the calls, or what `run` has left of them, in the running event loop,
        unless the call was dropped.

        Passes on what ends the coroutine from outside.
        """
        if not self.future.set_running_or_notify_cancel():
            return
        self.began = now()
        try:
            while self._left or self.waiting is not None:
                response, started = self.waiting or self._call()
                if inspect.iscoroutine(response):  # it starts only now
                    started = now()
                self.waiting = None
                if self._queries is not None and awaiting.is_awaitable(response):
                    response = await response  # type: ignore[misc]
                if self._queries is not None and isinstance(response, AsyncIterator):
                    await self._read_batch_async(response, started)
                else:
                    is_batch = self._queries is not None
                    most = MOST_READ if is_batch else self.outcomes[0].most_to_read
                    self._read(await awaiting.wait(response, most), started)
        except BaseException as error:
            # Ctrl-C interrupts what the main thread does, which may be this search: it
            # ends the window, not one case
            is_ending = isinstance(error, (GeneratorExit, KeyboardInterrupt))
            # trio's class
            if self.is_lost or is_ending or type(error).__name__ == "Cancelled":
                raise
            self.fail(error)
        self.future.set_result(None)

    def drop(self) -> None:
        """Discard the call, unless it has ended or runs in a thread, which cannot be
        stopped.
        """
        if (
            not self.future.cancel()
            and self.task is not None
            and not self.future.done()
        ):
            self.is_lost = True
            with suppress(RuntimeError):  # the loop is closed
                self.task.cancel()

    def fail(self, error: BaseException) -> None:
        """Keep the exception of a call for all its cases."""
        for outcome in self.outcomes:
            outcome.fail(error)

    def close(self) -> None:
        """Close a response that is not going to be awaited."""
        if self.waiting is not None:
            awaiting.close_unawaited(self.waiting[0])

    def _call(self) -> tuple[object, Moment]:
        self._left -= 1
        for outcome in self.outcomes:
            outcome.calls += 1
        first = self.outcomes[0]
        return calling.call_search(
            self.function, first.run.case, first.asked, self._queries
        )

    def _read_batch(self, response: object, started: Moment) -> None:
        batch = _Batch(self.outcomes)
        try:
            for of_query in batch.responses_in(response):
                batch.read(of_query)
        finally:
            close(response)
        batch.finish(started)

    async def _read_batch_async(
        self, responses: AsyncIterator[object], started: Moment
    ) -> None:
        batch = _Batch(self.outcomes)
        try:
            async for of_query in responses:
                batch.read(of_query)
        finally:
            await close_async(responses)
        batch.finish(started)

    def _read(self, response: object, started: Moment) -> None:
        if self._queries is not None:
            self._read_batch(response, started)
            return
        (outcome,) = self.outcomes
        if self.cursors is not None and _is_read_once(response):
            # a connection of DuckDB returns itself from `execute`: each call then ends
            # the result of the previous one
            mine = response, threading.get_ident(), outcome
            _, thread, first = self.cursors.setdefault(id(response), mine)
            if thread != mine[1]:
                error = SharedCursorError(
                    f"{outcome.run.case.search} returned the same {type(response).__name__} to two searches at once: "
                    "make a cursor (or a connection) for each call, or use --relevance-concurrency=1",
                    pytrace=False,
                )
                first.fail(error)
                raise error
        ranking = outcome.read(response)
        outcome.rankings.append((ranking, seconds_since(started)))


def _is_read_once(response: object) -> bool:
    """Whether a response is a cursor or an iterator; a stub may return one constant
    list to all calls.
    """
    return any(hasattr(type(response), name) for name in ("fetchall", "__next__"))


_MOST_IN_FLIGHT = 5


def in_flight(calls: Sequence[Call]) -> str:
    """Name the running calls of a window, the earliest first; empty if none runs."""
    running = sorted(
        (call for call in calls if call.future.running()), key=lambda call: call.began
    )
    names = [
        f"{_name(call)} ({seconds_since(call.began) or 0:.1f} s)" for call in running
    ]
    if not names:
        return ""
    return f"searches in flight: {first_few(names, _MOST_IN_FLIGHT)}"


def _name(call: Call) -> str:
    query = printable(call.outcomes[0].run.case.query)
    others = len(call.outcomes) - 1
    return f"a batch of {query} and {others} more" if others else query


class _Batch:
    """Reads each response of a batch as soon as it arrives: the search may reuse one
    list for the next response.

    The outcomes get their rankings only when it is known that each query has one
    response.
    """

    def __init__(self, outcomes: Sequence[SearchOutcome]) -> None:
        self._outcomes = outcomes
        self._rankings: list[Ranking | BaseException] = []
        self._name = f"{outcomes[0].run.case.search}.many"
        self._queries = counted(len(outcomes), "query", "queries")

    def responses_in(self, returned: object) -> list[object] | Iterator[object]:
        """Return the value of a call, which must contain the responses one by one.

        Raises `CaseError` for anything but an iterator or a list of the right length.
        """
        if isinstance(returned, Iterator):
            return returned
        if not isinstance(returned, list):
            advice = f": {_ZIP}" if isinstance(returned, tuple) else ""
            raise _wrong_batch(
                f"{self._name}{advice} returns a list or a generator with one response a query, in their order; for "
                f"{self._queries} it returned {shown(returned)} ({type(returned).__name__})"
            )
        if len(returned) != len(self._outcomes):
            raise self._wrong_number(counted(len(returned), "response"))
        cursors = [response for response in returned if _is_read_once(response)]
        if len(set(map(id, cursors))) < len(cursors):
            raise _wrong_batch(
                f"{self._name} returned the same {type(cursors[0]).__name__} for two queries: make a cursor (or a "
                "connection) for each query, or fetch its rows before the next one"
            )
        return returned

    def read(self, response: object) -> None:
        """Read a response as the ranking of the next query. Raises `CaseError` where
        there is no next one.
        """
        if len(self._rankings) == len(self._outcomes):
            raise self._wrong_number(
                f"more than {counted(len(self._outcomes), 'response')}"
            )
        outcome = self._outcomes[len(self._rankings)]
        try:
            self._rankings.append(
                response
                if isinstance(response, BaseException)
                else outcome.read(response)
            )
        except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
            self._rankings.append(error)

    def finish(self, started: Moment) -> None:
        """Give each case its ranking, with its share of the time since `started`, or
        its exception.

        Raises `CaseError` where there are fewer responses than queries.
        """
        if len(self._rankings) < len(self._outcomes):
            raise self._wrong_number(counted(len(self._rankings), "response"))
        latency = seconds_since(started)
        share = None if latency is None else latency / len(self._outcomes)
        for outcome, ranking in zip(self._outcomes, self._rankings, strict=True):
            if not isinstance(ranking, BaseException):
                outcome.rankings.append((ranking, share))
            elif outcome.error is None:
                outcome.fail(ranking)

    def _wrong_number(self, responses: str) -> CaseError:
        return _wrong_batch(
            f"{self._name} returned {responses} for {self._queries}; it returns one response a query, in their order: "
            "for a query that finds nothing an empty list, for one that failed its exception"
        )


_ZIP = "of (distances, labels) return list(zip(distances, labels)), of a tuple of responses list(responses). It"


def _wrong_batch(message: str) -> CaseError:
    return CaseError(message, pytrace=False)
