"""Stop calling a search that failed in many cases in a row (`relevance_give_up`).

The remaining cases of the search fail at once. Otherwise each of them would wait for a
search engine that does not answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_relevance._text import counted
from pytest_relevance.plugin.exceptions import NotSearched
from pytest_relevance.plugin.run_settings import settings
from pytest_relevance.plugin.running.case_run import CASE_RUN, CaseRun
from pytest_relevance.results.case_parts import SCORING, SETUP, SearchError
from pytest_relevance.results.case_result import (
    NOT_SEARCHED,
    SKIPPED,
    XFAILED,
    CaseResult,
)

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

PATIENCE = 5
"""If a search has succeeded before, this many times `relevance_give_up` cases have to
fail.
"""


@dataclass(frozen=True, slots=True)
class CountedSearch:
    """A search that may be given up: a fixture in a variant, with other fixtures.

    `folder`: the folder that defines the fixture. Another folder may define a fixture
        of the same name.
    `other_fixtures`: the `usefixtures` of the cases, as one of them may be what fails.
    """

    name: str
    variant: str | None
    folder: str
    other_fixtures: tuple[str, ...]


class GivingUp:
    """Gives up a search that failed in too many cases in a row.

    The remaining cases of the search then fail without a call (`NotSearched`). Each
    worker of pytest-xdist counts its own cases. The hooks of this class are registered
    when the first search is given up.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._manager = config.pluginmanager
        self._most = settings(config).give_up
        self._runs: dict[str, CaseRun] = {}
        self._succeeded: set[CountedSearch] = set()
        self._failed: dict[CountedSearch, set[tuple[str, str]]] = {}
        self._given_up: dict[CountedSearch, str] = {}

    def watch(self, items: Iterable[pytest.Item]) -> None:
        """Note the items of cases that are to run."""
        if self._most:
            self._runs = {item.nodeid: item.stash[CASE_RUN] for item in items}

    def count(self, nodeid: str, result: CaseResult) -> None:
        """Count the result of a case as a success or a failure of its search.

        Call this for the last report of a case, if the case is run several times.

        An error while the ranking was scored is a success, because the search had
        answered. Skipped cases, expected failures, missing fixtures and checks in
        Python do not count.
        """
        case_run = self._runs.get(nodeid)
        if case_run is None or result.verdict in (SKIPPED, NOT_SEARCHED):
            return
        search, error = _search_of(case_run), result.call.error
        if error is not None and result.call.outcome == XFAILED:
            return
        if error is None or error.phase == SCORING:
            self._succeeded.add(search)
            self._failed.pop(search, None)
        elif not _is_missing_fixture(error):
            cases = self._failed.setdefault(search, set())
            cases.add((result.file, result.id))
            patience = PATIENCE if search in self._succeeded else 1
            if len(cases) >= self._most * patience:
                self._give_up(search, len(cases), error)

    def _give_up(self, search: CountedSearch, cases: int, error: SearchError) -> None:
        """Give up a search. `error`: of the last of the `cases` in which it failed."""
        if not self._given_up:
            self._manager.register(self, "relevance-giving-up")
        failed = f"{search.name} failed in {counted(cases, 'case')} in a row"
        why = (
            f"not searched: {failed} (relevance_give_up), the last time with "
            f"{error.headline}"
        )
        self._given_up.setdefault(search, why)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> object:
        """Have pytest alone run a case whose search is given up.

        Otherwise a plugin that reruns failed tests would run the case again.
        """
        if self._why(item) is None:
            return None
        runner: Any = item.config.pluginmanager.get_plugin("runner")
        return runner.pytest_runtest_protocol(item=item, nextitem=nextitem)

    @pytest.hookimpl
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Raise `NotSearched` for a case whose search is given up, before its fixtures.

        A case that was searched already, in a window with other cases, keeps its own
        result.
        """
        __tracebackhide__ = True
        why = self._why(item)
        if why is None:
            return
        case_run = item.stash[CASE_RUN]
        if case_run.ahead is None:
            case_run.attempt.error = NotSearched(why, pytrace=False)
            raise case_run.attempt.error

    def _why(self, item: pytest.Item) -> str | None:
        """Return why the search of a case is given up; None if it is not."""
        case_run = item.stash.get(CASE_RUN, None)
        return None if case_run is None else self._given_up.get(_search_of(case_run))


def _search_of(case_run: CaseRun) -> CountedSearch:
    """Return the search that a case calls."""
    return CountedSearch(
        name=case_run.case.search,
        variant=case_run.variant,
        folder=case_run.search_folder,
        other_fixtures=case_run.case.usefixtures,
    )


def _is_missing_fixture(error: SearchError) -> bool:
    """Say whether a case failed because one of its fixtures does not exist."""
    return error.phase == SETUP and not error.type
