"""Plan the calls of a window of cases, and give each case its own outcome.

The first case of a window has the calls of the whole window made within its own call
(`window`). Their output, logs and warnings are captured with that case. Each case takes
its outcome at its turn. What happens if a search raises is in `errors`.
"""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from concurrent.futures import wait
from typing import Any

import pytest

from pytest_relevance.ext.concurrency.calls import BatchCallAhead, CallAhead, State
from pytest_relevance.ext.concurrency.errors import Cursors
from pytest_relevance.ext.concurrency.grouping import Grouping, is_searched_alone
from pytest_relevance.ext.concurrency.threads import DaemonThreads
from pytest_relevance.ext.concurrency.window import Window
from pytest_relevance.plugin.exceptions import ENDING
from pytest_relevance.plugin.run_settings import here, is_worker, settings
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running import awaiting
from pytest_relevance.plugin.running.awaiting import LOOKS_AFTER, is_coroutine_function
from pytest_relevance.plugin.running.calling import asked_for, many_of
from pytest_relevance.plugin.running.case_run import IN_FLIGHT, CaseRun, Searched
from pytest_relevance.plugin.running.searching import search_alone
from pytest_relevance.results.responses.read_ranking import load_all_readers

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

_WINDOW = 4
"""The number of cases in a window is the concurrency times this number, so that few
threads wait for the slowest search.
"""


class Searches:
    """Calls the searches of the cases of a window together.

    At most `concurrency` calls run at a time. A call of the search's attribute `many`
    has at most `batch` cases. A call that was made before the turn of its case is kept
    as `CaseRun.ahead`. The case takes the outcome at its turn. Then the call is
    forgotten, so a rerun of the case searches alone.
    """

    def __init__(self, config: pytest.Config, *, concurrency: int, batch: int) -> None:
        self._config = config
        self._home = settings(config).home
        self._concurrency = concurrency
        self._batch = batch
        self._grouping = Grouping(config)
        self._threads = DaemonThreads(concurrency)
        self._called: set[CaseRun] = set()
        self._window: Window | None = None  # the one that runs

    def take(
        self, case_run: CaseRun
    ) -> Searched | Coroutine[Any, Any, Searched] | None:
        """Return the outcome of the search of a case; None to have it called alone.

        The first case of a window has all calls of the window made. If an event loop is
        needed and none runs, a coroutine is returned.
        """
        self._drop_if_set_up_anew(case_run)
        if case_run.ahead is None:
            many = self._many_to_call(case_run)
            if is_coroutine_function(
                case_run.search_function if many is None else many
            ):
                return self._begin_in_loop(case_run)
            calls = self._plan(case_run, self._concurrency)
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
        calls = self._plan(case_run, 1 if is_trio else self._concurrency)
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
                    case_run.ahead = None
                    self._called.discard(case_run)

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
        for case_run in self._called:
            if case_run.ahead is not None:
                case_run.ahead.close()
                case_run.ahead = None

    def _drop_if_set_up_anew(self, case_run: CaseRun) -> None:
        """Drop the call of a case if its search fixture has been set up again since."""
        call = case_run.ahead
        if call is None or call.search_function is case_run.search_function:
            return
        call.close()
        case_run.ahead = None
        self._called.discard(case_run)

    def _many_to_call(self, case_run: CaseRun) -> Any:
        """Return `search.many` if it is called for a case; None to call the search.

        A case that does not begin a window is searched without `many`, if its search
        can be called itself.
        """
        search_function = case_run.search_function
        many = many_of(search_function)
        if (
            many is None
            or not callable(search_function)
            or self._begins_window(case_run)
        ):
            return many
        return None

    def _plan(self, case_run: CaseRun, most: int) -> Sequence[CallAhead]:
        """Return the calls of the window that a case begins; none to search it alone.

        `most`: how many calls are made at a time.
        """
        many = self._many_to_call(case_run)
        if many is None:
            calls = self._plan_single_calls(case_run, most)
        else:
            calls = self._plan_batches(case_run, many, most)
        for call in calls:
            for member in call.runs:
                member.ahead = call
                self._called.add(member)
        return calls

    def _plan_single_calls(self, case_run: CaseRun, most: int) -> list[CallAhead]:
        """Return a call for each case of a window.

        [] if `case_run` does not begin a window, or would be alone in it.
        `most`: how many calls are made at a time.
        """
        if most == 1 or not self._begins_window(case_run):
            return []
        runs = self._window_of(case_run, most * _WINDOW)
        if len(runs) == 1:
            return []
        calls = []
        cursors = Cursors()
        for member in runs:
            call = CallAhead(
                [member],
                case_run.search_function,
                concurrency=self._concurrency,
                cursors=cursors,
            )
            calls.append(call)
        return calls

    def _plan_batches(self, case_run: CaseRun, many: Any, most: int) -> list[CallAhead]:
        """Return a call of `many` for each batch of a window, at most `most` calls.

        A case that does not begin a window is a batch of one.
        """
        runs: Sequence[CaseRun] = [case_run]
        if self._begins_window(case_run):
            runs = self._window_of(case_run, most * self._batch)
        # cases with other params begin a window of their own
        batches = _batches(runs, many, self._batch)[:most]
        calls: list[CallAhead] = []
        cursors = Cursors()
        for batch in batches:
            call = BatchCallAhead(
                batch,
                case_run.search_function,
                many=many,
                concurrency=1 if len(batches) == 1 else self._concurrency,
                cursors=cursors,
            )
            calls.append(call)
        return calls

    def _begins_window(self, case_run: CaseRun) -> bool:
        """Say whether other cases may be searched together with a case.

        If a fixture or a hook of the project prevents that, the run warns.
        """
        if case_run in self._called or here() != self._home:
            return False
        if is_worker(self._config):
            return False  # pytest-xdist itself runs several cases at a time
        why = self._grouping.why_one_by_one(case_run)
        if why:
            run_store(self._config).unsent.warn(f"relevance_concurrency: {why}", why)
        return not (why or is_searched_alone(case_run))

    def _window_of(self, case_run: CaseRun, most: int) -> Sequence[CaseRun]:
        """Return the cases of the window that a case begins, at most `most`."""
        following = self._grouping.following(case_run, most - 1)
        return [case_run, *(other for other in following if other not in self._called)]


def _take_outcome(case_run: CaseRun) -> Searched:
    """Return the outcome of the call that was made for a case, and forget the call."""
    call: CallAhead = case_run.ahead
    case_run.ahead = None
    return call.outcome_for(case_run)


def _calls_that_need_loop(first: CallAhead) -> Sequence[CallAhead]:
    """Return the calls of the window of `first` that must be awaited, `first` first."""
    calls = [first] if first.state is State.NEEDS_LOOP else []
    for call in first.window.calls:
        if call is not first and call.state is State.NEEDS_LOOP:
            calls.append(call)
    return calls


def _batches(runs: Sequence[CaseRun], many: Any, most: int) -> list[list[CaseRun]]:
    """Return groups of at most `most` cases with equal params and an equal `k`."""
    alike: dict[tuple[int | None, str], list[CaseRun]] = {}
    for case_run in runs:
        key = asked_for(many, case_run.case), repr(sorted(case_run.case.params.items()))
        alike.setdefault(key, []).append(case_run)
    batches = []
    for group in alike.values():
        for start in range(0, len(group), most):
            batches.append(group[start : start + most])
    return batches
