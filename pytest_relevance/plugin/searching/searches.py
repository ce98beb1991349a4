"""Call the searches of several cases together, and hand each case what its own search returned or raised."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import sleep

import pytest

from pytest_relevance.plugin.options import batch_size, is_home
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running import calling
from pytest_relevance.plugin.running.case_run import IS_AHEAD, CaseRun
from pytest_relevance.plugin.searching.batches import BatchCall, batches
from pytest_relevance.plugin.searching.calls import Call, SearchOutcome, SingleCall, Timed
from pytest_relevance.plugin.searching.output import capturing, show_in_flight
from pytest_relevance.plugin.searching.threads import Threads
from pytest_relevance.plugin.searching.windows import Windows, is_loop_shared

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

_WINDOW = 4
"""How many times the concurrency a window has in cases: few wait for the slowest of the window."""


_SEARCHES: pytest.StashKey[Searches] = pytest.StashKey()


def searches_of(config: pytest.Config) -> Searches:
    """Return the searches of a run in this process."""
    if _SEARCHES not in config.stash:
        searches = config.stash[_SEARCHES] = Searches(config)
        config.stash[IS_AHEAD] = searches.is_ahead
    return config.stash[_SEARCHES]


class Searches:
    """What was searched for cases ahead of their turn, and the threads that search."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._windows = Windows(config)
        self._ahead: dict[CaseRun, SearchOutcome] = {}
        self._called: set[CaseRun] = set()
        self._threads: Threads | None = None
        self._concurrency: int = config.option.relevance_concurrency
        self._batch = batch_size(config)
        self._failures: list[BaseException] = []  # in the window that runs
        self._warned: set[str] = set()

    def take(self, this: CaseRun) -> list[Timed] | None:
        """Return the rankings of a case; None where its search is to be called alone.

        The first case of a window calls the searches of the whole window. Raises what the search of the case raised.
        """
        outcome = self._outcome(this)
        if outcome is None:
            return None
        if outcome.call.waiting is not None:
            self._run_on_own_loop(self._waiting_calls(outcome), this)
        return outcome.use()

    async def take_async(self, this: CaseRun) -> list[Timed] | None:
        """Do the same in the running event loop of another plugin."""
        outcome = self._searched(this)
        if outcome is None:
            calls = self._plan(this, self._concurrency if is_loop_shared(this) else 1)
            if not calls:
                return None
            if calling.is_coroutine_function(calls[0].function):
                await self._run_in_loop(calls, this)
            else:
                self._run(calls, this)
            outcome = self._ahead.pop(this)
        if outcome.call.waiting is not None:
            await self._run_in_loop(self._waiting_calls(outcome), this)
        return outcome.use()

    def prepare(self, this: CaseRun) -> bool:
        """Call the searches of the window of a case, outside of any loop; False where it is to be called alone."""
        outcome = self._outcome(this)
        if outcome is not None:
            self._ahead[this] = outcome
        return outcome is not None

    def called_by(self, this: CaseRun) -> object:
        """Return what is called for a case: `many` for a batch, the search itself for a case alone."""
        search = this.search
        many = calling.many_of(search)
        is_alone = callable(search) and this not in self._ahead and not self._begins_window(this)
        return search if many is None or is_alone else many

    def is_ahead(self, this: CaseRun) -> bool:
        """Whether the search of a case was called ahead of its turn, and its outcome waits for the case."""
        outcome = self._ahead.get(this)
        return outcome is not None and not outcome.call.is_lost

    def waiting(self, this: CaseRun) -> object:
        """Return the response for a prepared case that must be awaited, or None."""
        waiting = self._ahead[this].call.waiting
        return None if waiting is None else waiting[0]

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """End idle threads, and forget what was searched for cases that did not run."""
        if self._threads is not None:
            self._threads.close()
        for outcome in self._ahead.values():
            outcome.call.close()
        self._ahead.clear()

    def _outcome(self, this: CaseRun) -> SearchOutcome | None:
        """Return what was searched for a case, now or ahead; None where it is to be called alone."""
        outcome = self._searched(this)
        if outcome is None:
            calls = self._plan(this, self._concurrency)
            if not calls:
                return None
            self._run(calls, this)
            outcome = self._ahead.pop(this)
        while not (outcome.call.is_done or outcome.call.waiting):  # its window ended while it ran in its thread
            sleep(0.01)
        return outcome

    def _searched(self, this: CaseRun) -> SearchOutcome | None:
        """Return what was searched for a case ahead of it.

        None also where its fixture was set up anew since, or the event loop that searched was left in the middle.
        """
        outcome = self._ahead.pop(this, None)
        if outcome is None:
            return None
        call = outcome.call
        if call.is_lost or outcome.search is not this.search:
            call.close()
            self._called.discard(this)
            return None
        return outcome

    def _plan(self, this: CaseRun, most: int) -> Sequence[Call]:
        """Return the calls of the window that a case begins; none where its search is to be called alone.

        At most `most` calls are to run at a time.
        """
        search = this.search
        many, times = calling.many_of(search), self._config.option.relevance_repeat or 1
        runs = [this]
        if many is None and most == 1:
            return ()
        if self._begins_window(this):
            length = _WINDOW * most if many is None else most * self._batch
            runs += (run for run in self._windows.following(this, length - 1) if run not in self._called)
        elif many is None or callable(search):
            return ()
        calls: Sequence[Call]
        if many is not None:
            groups = [*batches(runs, many, self._batch)][:most]  # those with other params begin a window of their own
            calls = [BatchCall(group, search, many, times) for group in groups]
        elif len(runs) > 1:
            calls = [SingleCall(run, search, times) for run in runs]
        else:
            return ()
        self._ahead |= {outcome.run: outcome for call in calls for outcome in call.outcomes}
        self._called.update(outcome.run for call in calls for outcome in call.outcomes)
        return calls

    def _begins_window(self, this: CaseRun) -> bool:
        if this in self._called or not is_home(self._config):
            return False
        if (why := self._windows.why_alone(this)) and why not in self._warned:
            self._warned.add(why)
            run_store(self._config).warn(f"relevance_concurrency: {why}", why)
        return self._windows.takes(this)

    def _run(self, calls: Sequence[Call], this: CaseRun) -> None:
        """Run the calls of a window outside of any loop: in threads, or as tasks of the plugin's own loop."""
        if calling.is_coroutine_function(calls[0].function):
            self._run_on_own_loop(calls, this)
        elif len(calls) == 1:
            self._show(calls)
            calls[0].run()
        else:
            if self._threads is None:
                self._threads = Threads()
                self._config.pluginmanager.register(self, "relevance-searches")
            with self._window(calls, this):
                self._threads.run(calls, self._concurrency, self._is_last)

    def _run_on_own_loop(self, calls: Sequence[Call], this: CaseRun) -> None:
        from pytest_relevance.plugin.searching.tasks import run_on_loop

        with self._window(calls, this):
            run_on_loop(calling.own_loop(self._config), calls, self._concurrency, self._is_last)

    async def _run_in_loop(self, calls: Sequence[Call], this: CaseRun) -> None:
        if getattr(this.loop, "__name__", None) == "trio":
            (call,) = calls
            await call.run_async()
            return
        from pytest_relevance.plugin.searching.tasks import run_tasks

        with self._window(calls, this):
            await run_tasks(calls, self._concurrency, self._is_last)

    @contextmanager
    def _window(self, calls: Sequence[Call], this: CaseRun) -> Iterator[None]:
        """Capture what calls print, log and warn of, and forget those that were dropped."""
        self._failures = []
        try:
            self._show(calls)
            with capturing():
                yield
        except BaseException:
            self._ahead.pop(this, None)
            raise
        finally:
            for outcome in (outcome for call in calls if call.is_lost for outcome in call.outcomes):
                if self._ahead.get(outcome.run, outcome) is outcome:
                    self._ahead.pop(outcome.run, None)  # it is searched at its turn
                    self._called.discard(outcome.run)

    def _show(self, calls: Sequence[Call]) -> None:
        count, cases = len(calls), sum(len(call.outcomes) for call in calls)
        if cases > 1 and not calls[0].is_started:
            show_in_flight(self._config, min(self._concurrency, count), count, cases)

    def _is_last(self, call: Call) -> bool:
        """Whether the run is going to end with what a call raised, so that no other call is started."""
        errors = [outcome.error for outcome in call.outcomes if outcome.error is not None]
        failed = [error for error in errors if not isinstance(error, _NO_FAILURES)]
        if not failed:
            return False
        self._failures += failed  # also in several threads at once
        option, session = self._config.option, call.outcomes[0].run.item.session
        most = 1 if getattr(option, "stepwise", False) else option.maxfail
        ends_run = any(isinstance(error, _ENDING) for error in failed)
        return ends_run or bool(most and session.testsfailed + len(self._failures) >= most)

    def _waiting_calls(self, outcome: SearchOutcome) -> Sequence[Call]:
        """Return the calls of the window that returned what must be awaited."""
        others = (each.call for each in self._ahead.values() if each.call.waiting is not None)
        return list(dict.fromkeys([outcome.call, *others]))


_NO_FAILURES = (pytest.skip.Exception, pytest.xfail.Exception)

_ENDING = (KeyboardInterrupt, pytest.exit.Exception)
"""What is no failure of a case, but ends the run."""
