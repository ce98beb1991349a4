"""Call the search of a case, as often as the run asks for."""

from __future__ import annotations

import inspect
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_relevance.plugin.clock import Moment, now, seconds_since
from pytest_relevance.plugin.running import awaiting, calling
from pytest_relevance.plugin.running.case_run import CaseRun, Searched, Timed
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.read_ranking import load_readers

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks


def search_alone(case_run: CaseRun) -> Searched | Coroutine[Any, Any, Searched]:
    """Call the search of one case, as often as the run asks for.

    Returns what was found. If an event loop is needed, a coroutine is returned, which
    returns what was found.
    """
    call = SearchCall([case_run], case_run.search_function)
    if awaiting.is_coroutine_function(case_run.search_function):
        return _search_in_loop(call)
    searched = call.make()
    return _search_in_loop(call) if searched is None else searched[0]


async def _search_in_loop(call: SearchCall) -> Searched:
    (searched,) = await call.make_in_loop()
    return searched


@dataclass(slots=True, eq=False)
class CaseResponses:
    """What the calls of a search have returned for one case so far.

    `asked`: how many results are requested as `k`; None if the search takes no `k`.
    `answer`: the first response, before it was read.
    `error`: the exception that ended the calls; None if there is none.
    """

    case_run: CaseRun
    search_function: Any
    asked: int | None
    rankings: list[Timed] = field(default_factory=list)
    answer: object = None
    error: BaseException | None = None

    def read(self, response: object) -> Ranking:
        """Convert a response to a ranking. Raises `CaseError` if it cannot be read."""
        if self.answer is None:
            # the search may use the list again
            self.answer = [*response] if type(response) is list else response
        return calling.read_response(
            self.case_run.item,
            self.case_run.case,
            response,
            self.search_function,
            self.asked,
        )


def _without_import(response: object, started: Moment) -> Moment:
    """Import the modules that read a response, and return `started`, moved on by that.

    A latency that is measured from the returned moment leaves the import out.
    """
    begin = now()
    if load_readers(response):
        return started.after_pause(begin, now())
    return started


class SearchCall:
    """Calls a search for a case: once, or several times with `--relevance-repeat`.

    The first exception ends the calls, and becomes `Searched.error`. `ext/concurrency`
    has a subclass that calls the search for several cases at once.

    Attributes:
        runs: the cases that the search is called for.
        of_cases: what was returned for each case.
    """

    def __init__(
        self,
        runs: Sequence[CaseRun],
        search_function: Any,
        *,
        many: Any = None,
        concurrency: int = 1,
    ) -> None:
        """Prepare the calls of a search, or of its attribute `many` for several cases.

        `many`: the attribute; None to call the search itself.
        `concurrency`: how many calls run at the same time.
        """
        self.runs = runs
        self._many = many
        self._function = search_function if many is None else many
        self._concurrency = concurrency
        self._asked = calling.asked_for(self._function, runs[0].case)
        self._times = runs[0].settings.calls
        self._calls = 0
        self._waiting: tuple[object, Moment] | None = None
        self.of_cases = [
            CaseResponses(case_run, search_function, self._asked) for case_run in runs
        ]

    def make(self) -> Sequence[Searched] | None:
        """Make the calls, and return what the search returned or raised for each case.

        Returns None if a response must be awaited. Then `make_in_loop` makes the rest.
        """
        try:
            while self._calls < self._times:
                response, started = self._call()
                if awaiting.is_waiting(response):
                    self._waiting = response, started
                    return None
                self.read(response, started)
        except BaseException as error:
            self._fail(error)
        return self._searched()

    async def make_in_loop(self) -> Sequence[Searched]:
        """Make the calls that are left, in the running event loop.

        Return what the search returned or raised for each case. An exception that ends
        the coroutine from outside, for example a cancellation, is raised.
        """
        try:
            while self._waiting is not None or self._calls < self._times:
                response, started = self._waiting or self._call()
                self._waiting = None
                if inspect.iscoroutine(response):  # it starts only now
                    started = now()
                await self.read_in_loop(response, started)
        except BaseException as error:
            if awaiting.ends_coroutine(error):
                raise
            self._fail(error)
        return self._searched()

    def read(self, response: object, started: Moment) -> None:
        """Read the response of a call that began at the moment `started`.

        The latency includes the reading, because a lazy response does its work while it
        is read. The latency does not include the import of the modules that read.
        """
        (of_case,) = self.of_cases
        started = _without_import(response, started)
        ranking = of_case.read(response)
        of_case.rankings.append((ranking, seconds_since(started)))

    async def read_in_loop(self, response: object, started: Moment) -> None:
        """Await a response if needed, and read it."""
        most = calling.most_to_read(self.runs[0].case, self._asked)
        response = await awaiting.result_of(response)
        started = _without_import(response, started)
        self.read(await awaiting.wait(response, most), started)

    def close(self) -> None:
        """Close a response that will not be awaited."""
        if self._waiting is not None:
            awaiting.close_unawaited(self._waiting[0])

    def _call(self) -> tuple[object, Moment]:
        self._calls += 1
        queries = None
        if self._many is not None:
            queries = [case_run.case.query for case_run in self.runs]
        case = self.runs[0].case
        return calling.call_search(self._function, case, self._asked, queries)

    def _fail(self, error: BaseException) -> None:
        for of_case in self.of_cases:
            of_case.error = error

    def _searched(self) -> Sequence[Searched]:
        """Return what the search returned or raised for each case."""
        searched = []
        for of_case in self.of_cases:
            found = Searched(
                rankings=of_case.rankings,
                error=of_case.error,
                answer=of_case.answer,
                calls=self._calls,
                asked=self._asked,
                concurrency=self._concurrency,
                is_shared=len(self.runs) > 1,
            )
            searched.append(found)
        return searched
