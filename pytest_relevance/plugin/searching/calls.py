"""The calls that a window is made of: a search for one case, or `many` for a batch of cases.

A call reads the rankings too, where it runs: cursors and clients may belong to their thread, and a lazy response does
its work only while it is read.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from types import TracebackType
from typing import Any

import pytest

from pytest_relevance._text import counted, shown
from pytest_relevance.plugin.failures import CaseError
from pytest_relevance.plugin.running import calling
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.plugin.searching.output import EVENTS, Event, replay
from pytest_relevance.results.responses.problems import is_a
from pytest_relevance.results.responses.ranking import Ranking

Timed = tuple[Ranking, float]
"""A ranking, and the latency of its call in seconds."""


@dataclass(slots=True, eq=False)
class SearchOutcome:
    """What the calls for one case returned or raised.

    `search` is the value of the fixture, `asked` the number of results requested. `rankings` are those of each call,
    with latencies that are shares of a batch where `is_shared`; `answer` is the first response. `error` ended the
    calls, with the `traceback` that it had.
    """

    run: CaseRun
    search: Any
    call: Call
    asked: int | None = None
    rankings: list[Timed] = field(default_factory=list)
    calls: int = 0
    answer: object = None
    is_shared: bool = False
    error: BaseException | None = None
    traceback: TracebackType | None = None
    events: list[Event] = field(default_factory=list)

    def read(self, response: object) -> Ranking:
        """Read a response as the ranking of the case."""
        if self.answer is None:
            self.answer = response
        return calling.read(self.run.item, self.run.case, response, self.search)

    def fail(self, error: BaseException) -> None:
        """Keep the exception of a call."""
        if threading.current_thread() is not threading.main_thread() and _is_bound_to_thread(error):
            error = CaseError(_BOUND.format(error=f"{type(error).__name__}: {str(error).partition('.')[0]}"), False)
        self.error, self.traceback = error, error.__traceback__

    def use(self) -> list[Timed]:
        """Return the rankings in the call of the case itself: replay the output, and raise the exception if any."""
        __tracebackhide__ = True
        run = self.run
        events, self.events = self.events, []
        replay(events)
        run.asked, run.calls, run.latency_shared = self.asked, self.calls, self.is_shared
        run.answer = self.answer
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
    "the search may not be called from another thread ({error}): connect with check_same_thread=False and use a lock, "
    "or a connection for each thread; or call one search at a time, with --relevance-concurrency=1"
)


def _is_of_loop(error: BaseException) -> bool:
    """Whether an exception ends a coroutine from outside; a task of trio is cancelled by `trio.Cancelled`."""
    return isinstance(error, GeneratorExit) or type(error).__name__ == "Cancelled"


class Call:
    """One call of a search; with `--relevance-repeat`, several in a row.

    `waiting` is a response that must be awaited, of a plain function, with the time of the call. `is_started`: it is
    not dropped any more; `is_done`: it has returned or raised; `is_async`: it runs in an event loop; `passes_on` tells
    which exceptions in a loop are not of the search.
    """

    def __init__(self, function: Any, times: int) -> None:
        self.function = function
        self.outcomes: Sequence[SearchOutcome] = ()
        self.waiting: tuple[object, float] | None = None
        self.is_started = self.is_done = self.is_async = False
        self.passes_on: Callable[[BaseException], bool] = _is_of_loop
        self._left = times

    @property
    def is_lost(self) -> bool:
        """Whether nothing will come of the call: it was dropped, or its event loop was left in the middle."""
        is_in_thread = self.is_started and not self.is_async  # which cannot be ended
        return not (self.is_done or self.waiting or is_in_thread)

    def run(self) -> None:
        """Make the calls. Stop at a response that must be awaited, which `run_async` continues with."""
        __tracebackhide__ = True
        self.is_started = True
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

    def run_captured(self) -> None:
        """Make the calls, and keep what they print, log and warn of. For a context of their own."""
        __tracebackhide__ = True
        EVENTS.set(self.outcomes[0].events)
        self.run()

    async def run_async(self) -> None:
        """Make the calls, or continue those of `run`, in the running event loop.

        Passes on what cancels or interrupts the loop, where `passes_on` says so of an exception.
        """
        __tracebackhide__ = True
        self.is_started = self.is_async = True
        try:
            while self._left or self.waiting is not None:
                response, started = self.waiting or self._call()
                if inspect.iscoroutine(response):  # it starts only now
                    started = perf_counter()
                self.waiting = None
                self._read(await calling.wait(response), started)
        except BaseException as error:
            if self.passes_on(error):
                raise
            self.fail(error)
        self.is_done = True

    async def run_async_captured(self) -> None:
        """Do the same, and keep what is printed, logged and warned of. For a task, which has a context of its own."""
        __tracebackhide__ = True
        EVENTS.set(self.outcomes[0].events)
        await self.run_async()

    def fail(self, error: BaseException) -> None:
        """Keep the exception of a call for all its cases."""
        for outcome in self.outcomes:
            outcome.fail(error)

    def close(self) -> None:
        """Close a response that is not going to be awaited."""
        if self.waiting is not None:
            calling.close_unawaited(self.waiting[0])

    def _call(self) -> tuple[object, float]:
        __tracebackhide__ = True
        self._left -= 1
        for outcome in self.outcomes:
            outcome.calls += 1
        return self._respond()

    def _respond(self) -> tuple[object, float]:
        raise NotImplementedError

    def _read(self, response: object, started: float) -> None:
        raise NotImplementedError


class SingleCall(Call):
    """The call of a search for one case."""

    def __init__(self, run: CaseRun, search: Any, times: int) -> None:
        super().__init__(search, times)
        self.outcomes = (SearchOutcome(run, search, self, calling.asked_for(search, run.case)),)

    def _respond(self) -> tuple[object, float]:
        __tracebackhide__ = True
        (outcome,) = self.outcomes
        return calling.call(self.function, outcome.run.case, outcome.asked)

    def _read(self, response: object, started: float) -> None:
        __tracebackhide__ = True
        (outcome,) = self.outcomes
        ranking = outcome.read(response)
        outcome.rankings.append((ranking, perf_counter() - started))


class BatchCall(Call):
    """A call of `many` for several cases with equal params and an equal `k`."""

    def __init__(self, runs: Sequence[CaseRun], search: Any, many: Any, times: int) -> None:
        super().__init__(many, times)
        asked = calling.asked_for(many, runs[0].case)
        self.outcomes = [SearchOutcome(run, search, self, asked, is_shared=len(runs) > 1) for run in runs]

    def _respond(self) -> tuple[object, float]:
        __tracebackhide__ = True
        first = self.outcomes[0]
        queries = [outcome.run.case.query for outcome in self.outcomes]
        return calling.call(self.function, first.run.case, first.asked, queries)

    def _read(self, response: object, started: float) -> None:
        __tracebackhide__ = True
        found: list[tuple[SearchOutcome, Ranking]] = []
        name = f"{self.outcomes[0].run.case.search}.many"
        for outcome, each in zip(self.outcomes, responses_of(response, len(self.outcomes), name), strict=True):
            if outcome.error is not None:
                continue
            if isinstance(each, BaseException):
                outcome.fail(each)
                continue
            try:
                found.append((outcome, outcome.read(each)))
            except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
                outcome.fail(error)
        share = (perf_counter() - started) / len(self.outcomes)
        for outcome, ranking in found:
            outcome.rankings.append((ranking, share))


def batches(runs: Sequence[CaseRun], many: Any, most: int) -> Iterator[list[CaseRun]]:
    """Give groups of at most `most` cases with equal params and an equal `k`, in the order of their first cases."""
    alike: dict[tuple[int | None, str], list[CaseRun]] = {}
    for run in runs:
        key = calling.asked_for(many, run.case), repr(sorted(run.case.params.items()))
        alike.setdefault(key, []).append(run)
    for group in alike.values():
        for start in range(0, len(group), most):
            yield group[start : start + most]


def responses_of(returned: object, count: int, name: str) -> list[object]:
    """Return the responses of a batch of `count` queries as a list, one for each query.

    Raises `CaseError` for anything but a list or an iterator, and for another number of responses.
    """
    if isinstance(returned, (list, Iterator)):
        found = [*returned]
    else:
        kind = next((advice for fits, advice in _SPLITS if fits(returned)), "")
        raise CaseError(
            f"{name} returned {shown(returned)} ({type(returned).__name__}) for {counted(count, 'query', 'queries')}; "
            f"it returns a list or a generator with one response a query, in their order{kind}",
            pytrace=False,
        )
    if len(found) != count:
        raise CaseError(
            f"{name} returned {counted(len(found), 'response')} for {counted(count, 'query', 'queries')}; it returns "
            "one response a query, in their order: for a query that finds nothing an empty list, for one that failed "
            "its exception",
            pytrace=False,
        )
    return found


_SPLITS: Sequence[tuple[Callable[[Any], bool], str]] = (
    (lambda value: is_a(type(value), "bm25s", "Results"), ": return [Results(*each) for each in zip(*results)]"),
    (lambda value: is_a(type(value), "usearch", "BatchMatches"), ": return list(matches)"),
    (
        lambda value: isinstance(value, Mapping) and "ids" in value,
        ': of a dict of Chroma return [list(zip(*each)) for each in zip(found["ids"], found["distances"])]',
    ),
    (
        lambda value: isinstance(value, tuple),
        ": of (distances, labels) return [(d, i) for d, i in zip(distances, labels)], of a tuple of responses "
        "list(responses)",
    ),
    (
        lambda value: hasattr(value, "keys"),
        ': of a multi-search body return body["responses"], of a mapping by query [found[query] for query in queries]',
    ),
    (
        lambda value: hasattr(value, "shape"),
        ": of an array or a frame with a row a query return list(array), of a frame with rows of all queries "
        "[frame[frame.query == query] for query in queries]",
    ),
)
"""Whether a value is of a kind that cannot be taken for a list of responses, and how to split it."""
