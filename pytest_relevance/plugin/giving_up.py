"""Searches that are given up: once a search has failed in many cases in a row, its remaining cases fail at once.

A dead engine would otherwise be waited for in each case. The option is `relevance_give_up`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

from pytest_relevance._text import counted
from pytest_relevance.plugin.failures import NotSearched
from pytest_relevance.plugin.options import settings
from pytest_relevance.plugin.running.case_run import CASE_RUN, SEARCHES, CaseRun
from pytest_relevance.results.case_parts import SCORING, SETUP
from pytest_relevance.results.case_result import (
    NOT_SEARCHED,
    SKIPPED,
    XFAILED,
    CaseResult,
)

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

PATIENCE = 5
"""A search that has succeeded before is given up after this many times `relevance_give_up` failures in a row."""


Search = tuple[str, str | None, str, Sequence[str]]
"""The key of a search: its name, its variant, the folder of its fixture, and the other fixtures of the case.

Another folder may have a fixture of the same name, and one of the other fixtures may be the broken one.
"""


class GivingUp:
    """Counts failed searches, and has the remaining cases of a search fail once it is given up (`relevance_give_up`).

    Each process counts for itself, by the reports that it logs, so that a case counts after its last rerun, and once. A
    search is its fixture and its variant, together with the further fixtures of the case. The hooks are registered once
    a search is given up.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._manager = config.pluginmanager
        self._most = settings(config).give_up
        self._runs: Mapping[str, CaseRun] = {}
        self._succeeded: set[Search] = set()
        self._failed: dict[Search, set[tuple[str, str]]] = {}
        self._given_up: dict[Search, str] = {}

    def watch(self, items: Iterable[pytest.Item]) -> None:
        """Take note of the items of cases that are to run."""
        self._runs = (
            {item.nodeid: item.stash[CASE_RUN] for item in items} if self._most else {}
        )

    def count(self, nodeid: str, result: CaseResult) -> None:
        """Count the result of a case by its final report. Checks of tests in Python do not count."""
        run = self._runs.get(nodeid)
        if run is None or result.verdict in (SKIPPED, NOT_SEARCHED):
            return
        search, error = _search_of(run), result.call.error
        if error is not None and result.call.outcome == XFAILED:
            return
        if error is None or error.phase == SCORING:
            self._succeeded.add(search)
            self._failed.pop(search, None)
            return
        if (
            error.phase == SETUP and not error.type
        ):  # the fixture is missing: such a failure costs no time
            return
        cases = self._failed.setdefault(search, set())
        cases.add((result.file, result.id))
        if len(cases) >= self._most * (PATIENCE if search in self._succeeded else 1):
            failed = f"{search[0]} failed in {counted(len(cases), 'case')} in a row"
            if not self._given_up:
                self._manager.register(self, "relevance-giving-up")
            why = f"not searched: {failed} (relevance_give_up), at last with {error.headline}"
            self._given_up.setdefault(search, why)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> object:
        """Leave a case of such a search to pytest alone, as other plugins would run it again where it fails."""
        if self._why(item) is None:
            return None
        runner: Any = item.config.pluginmanager.get_plugin("runner")
        return runner.pytest_runtest_protocol(item=item, nextitem=nextitem)

    @pytest.hookimpl
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Fail a case whose search is given up, before any fixture is set up. Raises `NotSearched`.

        A case that was searched before, together with others, keeps its own result or error.
        """
        __tracebackhide__ = True
        why, run = self._why(item), item.stash.get(CASE_RUN, None)
        searches = item.config.stash.get(SEARCHES, None)
        if (
            why is not None
            and run is not None
            and not (searches is not None and searches.is_ahead(run))
        ):
            run.attempt.error = NotSearched(why, pytrace=False)
            raise run.attempt.error

    def _why(self, item: pytest.Item) -> str | None:
        """Return why the search of a case is given up; None where it is not, and for any other test."""
        run = item.stash.get(CASE_RUN, None)
        return None if run is None else self._given_up.get(_search_of(run))


def _search_of(run: CaseRun) -> Search:
    return run.case.search, run.variant, run.search_folder, run.case.usefixtures
