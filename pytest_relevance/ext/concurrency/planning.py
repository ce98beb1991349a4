"""Plan the calls of a window: a call for each case, or for each batch of cases.

`grouping` finds the cases of a window.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pytest_relevance.ext.concurrency.calls import BatchCallAhead, CallAhead
from pytest_relevance.ext.concurrency.errors import Cursors
from pytest_relevance.ext.concurrency.grouping import Grouping, is_searched_alone
from pytest_relevance.plugin.run_settings import here, is_worker, settings
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running.calling import asked_for, many_of
from pytest_relevance.plugin.running.case_run import CaseRun

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

_CALLS_OF_WINDOW = 4
"""The number of calls in a window is the concurrency times this number, so that few
threads wait for the slowest search.
"""


class Planner:
    """Plans the calls of windows.

    A call of the search's attribute `many` has at most `batch` cases.

    `planned`: the cases that have a call, or took its outcome. None of them begins a
        window, so a rerun of a case searches alone.
    """

    def __init__(self, config: pytest.Config, *, concurrency: int, batch: int) -> None:
        self._config = config
        self._home = settings(config).home
        self._concurrency = concurrency
        self._batch = batch
        self._grouping = Grouping(config)
        self.planned: set[CaseRun] = set()

    def function_to_call(self, case_run: CaseRun) -> Any:
        """Return the function that is called for a case: the search or its `many`."""
        many = self._many_to_call(case_run)
        return case_run.search_function if many is None else many

    def plan(self, case_run: CaseRun, most: int) -> Sequence[CallAhead]:
        """Return the calls of the window that a case begins; none to search it alone.

        `most`: how many calls are made at a time.
        """
        many = self._many_to_call(case_run)
        if many is None:
            calls = self._single_calls(case_run, most)
        else:
            calls = self._batch_calls(case_run, many, most)
        for call in calls:
            for member in call.runs:
                member.ahead = call
                self.planned.add(member)
        return calls

    def _many_to_call(self, case_run: CaseRun) -> Any:
        """Return `search.many` if it is called for a case; None to call the search.

        A case that does not begin a window is searched without `many`, if its search
        can be called itself.
        """
        many = many_of(case_run.search_function)
        if many is None or not callable(case_run.search_function):
            return many
        return many if self._begins_window(case_run) else None

    def _single_calls(self, case_run: CaseRun, most: int) -> list[CallAhead]:
        """Return a call for each case of a window.

        [] if `case_run` does not begin a window, or would be alone in it.
        `most`: how many calls are made at a time.
        """
        if most == 1 or not self._begins_window(case_run):
            return []
        runs = self._window_of(case_run, most * _CALLS_OF_WINDOW)
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

    def _batch_calls(self, case_run: CaseRun, many: Any, most: int) -> list[CallAhead]:
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
        if case_run in self.planned or here() != self._home:
            return False
        if is_worker(self._config):
            return False  # pytest-xdist itself runs several cases at a time
        why = self._grouping.why_one_by_one(case_run)
        if why:
            run_store(self._config).unsent.warn(f"relevance_concurrency: {why}", why)
            return False
        return not is_searched_alone(case_run)

    def _window_of(self, case_run: CaseRun, most: int) -> Sequence[CaseRun]:
        """Return the cases of the window that a case begins, at most `most`."""
        runs = [case_run]
        for other in self._grouping.following(case_run, most - 1):
            if other not in self.planned:
                runs.append(other)
        return runs


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
