"""Make the calls of a window of cases, and give each case its own outcome.

The first case of a window has the calls of the whole window made within its own call
(`window`). Their output, logs and warnings are captured with that case. Each case takes
its outcome at its turn. What happens if a search raises is in `errors`.
"""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from concurrent.futures import wait
from typing import Any

import pytest

from pytest_relevance.ext.concurrency.calls import CallAhead, State
from pytest_relevance.ext.concurrency.planning import Planner
from pytest_relevance.ext.concurrency.threads import DaemonThreads
from pytest_relevance.ext.concurrency.window import Window
from pytest_relevance.plugin.exceptions import ENDING
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running import awaiting
from pytest_relevance.plugin.running.awaiting import LOOKS_AFTER, is_coroutine_function
from pytest_relevance.plugin.running.case_run import IN_FLIGHT, CaseRun, Searched
from pytest_relevance.plugin.running.searching import search_alone
from pytest_relevance.results.responses.read_ranking import load_all_readers

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks


class Searches:
    """Calls the searches of the cases of a window together.

    At most `concurrency` calls run at a time. A call of the search's attribute `many`
    has at most `batch` cases. A call that was made before the turn of its case is kept
    as `CaseRun.ahead`, until the case takes the outcome.
    """

    def __init__(self, config: pytest.Config, *, concurrency: int, batch: int) -> None:
        self._config = config
        self._concurrency = concurrency
        self._planner = Planner(config, concurrency=concurrency, batch=batch)
        self._threads = DaemonThreads(concurrency)
        self._window: Window | None = None  # the one that runs

    def take(
        self, case_run: CaseRun
    ) -> Searched | Coroutine[Any, Any, Searched] | None:
        """Return the outcome of the search of a case; None to have it called alone.

        The first case of a window has all calls of the window made. If an event loop is
        needed, a coroutine is returned.
        """
        self._drop_if_set_up_anew(case_run)
        if case_run.ahead is None:
            if is_coroutine_function(self._planner.function_to_call(case_run)):
                return self._begin_in_loop(case_run)
            calls = self._planner.plan(case_run, self._concurrency)
            if calls:
                window = self._open(calls)
                window.run(self._threads)
                self._close(window)
        call: CallAhead | None = case_run.ahead
        if call is None:
            return None
        # Ctrl-C or a timeout may have ended its window while a thread made the call
        while not call.future.done():
            wait([call.future], LOOKS_AFTER)
        if call.state is State.NEEDS_LOOP:
            return self._take_in_loop(case_run, _calls_that_need_loop(call))
        return _take_outcome(case_run)

    async def _begin_in_loop(self, case_run: CaseRun) -> Searched:
        """Begin a window within a running event loop, and return the case's outcome."""
        is_trio = awaiting.is_trio(awaiting.running_loop())
        calls = self._planner.plan(case_run, 1 if is_trio else self._concurrency)
        return await self._take_in_loop(case_run, calls)

    async def _take_in_loop(
        self, case_run: CaseRun, calls: Sequence[CallAhead]
    ) -> Searched:
        """Make calls in the running event loop, and return the outcome of a case.

        The case is searched alone if none of the calls is for it, or if its call was
        dropped.
        """
        if calls:
            window = self._open(calls)
            await window.run_in_loop()
            self._close(window)
        if case_run.ahead is None:
            searched = search_alone(case_run)
            return searched if isinstance(searched, Searched) else await searched
        return _take_outcome(case_run)

    def _open(self, calls: Sequence[CallAhead]) -> Window:
        """Return the window of some calls, which is the running one from now on."""
        # a call that imported them would hold up the others
        load_all_readers()
        self._window = Window(calls, self._config, self._concurrency)
        return self._window

    def _close(self, window: Window) -> None:
        """Forget a window. Cases of dropped calls are searched at their turn."""
        self._window = None
        for call in window.calls:
            if call.state is State.DROPPED:
                call.close()
                for case_run in call.runs:
                    self._forget_call_of(case_run)

    def _forget_call_of(self, case_run: CaseRun) -> None:
        """Forget the call of a case, so that the case may be in a window again."""
        case_run.ahead = None
        self._planner.planned.discard(case_run)

    def _drop_if_set_up_anew(self, case_run: CaseRun) -> None:
        """Drop the call of a case if its search fixture has been set up again since."""
        call = case_run.ahead
        if call is None or call.search_function is case_run.search_function:
            return
        call.close()
        self._forget_call_of(case_run)

    def leave(self, error: BaseException) -> None:
        """Leave the running window, if there is one, and name its searches in flight.

        `error`: the exception that ended the window, for example Ctrl-C.
        """
        window = self._window
        if window is None:
            return
        text = window.in_flight
        window.leave()
        self._close(window)
        # a thread that hangs in a search serves no other window
        self._threads.end()
        first = window.calls[0].runs[0]
        first.ahead = None  # this case made the calls, and has been ended too
        if not text:
            return
        if isinstance(error, ENDING):  # no report of the case follows
            run_store(self._config).unsent.warn(IN_FLIGHT, text)
        else:
            first.item.add_report_section("call", IN_FLIGHT, text)

    def end(self) -> None:
        """End idle threads, and forget what was searched for cases that did not run."""
        self._threads.end()
        for case_run in self._planner.planned:
            if case_run.ahead is not None:
                case_run.ahead.close()
                case_run.ahead = None


def _take_outcome(case_run: CaseRun) -> Searched:
    """Return the outcome of the call that was made for a case, and forget the call."""
    call: CallAhead = case_run.ahead
    case_run.ahead = None
    return call.outcome_for(case_run)


def _calls_that_need_loop(first: CallAhead) -> Sequence[CallAhead]:
    """Return the calls of the window of `first` that must be awaited, `first` first."""
    calls = [first]
    for call in first.window.calls:
        if call is not first and call.state is State.NEEDS_LOOP:
            calls.append(call)
    return calls
