"""Give a search up after it failed in many cases in a row (`relevance_give_up`), and not call it any more.

Each process counts for itself, by the reports that it logs, so that a case counts after its last rerun, and once. A
search is its fixture and its variant, together with the further fixtures of the case.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from pytest_relevance._text import counted
from pytest_relevance.plugin.failures import NotSearched
from pytest_relevance.plugin.options import most_failures
from pytest_relevance.plugin.private import fixtures_of
from pytest_relevance.plugin.run_store import attached_to
from pytest_relevance.plugin.running.case_run import CASE_RUN
from pytest_relevance.results.case_parts import SCORING, SETUP, SearchError
from pytest_relevance.results.case_result import NOT_SEARCHED, SKIPPED

PATIENCE = 5
"""How many times as many cases must fail in a row where the search has succeeded before."""


class _Search(NamedTuple):
    """A search: its name, its variant, the folder of its fixture, and the other fixtures of the case.

    Another folder may have another fixture of that name, and another fixture may be what is broken.
    """

    name: str
    variant: str | None
    folder: str
    fixtures: tuple[str, ...] = ()


class GivingUp:
    """The hooks that count failed searches, and fail the remaining cases of a search that is given up."""

    def __init__(self, config: pytest.Config) -> None:
        self._most = most_failures(config)
        self._items: Mapping[str, pytest.Item] = {}
        self._succeeded: set[_Search] = set()
        self._failed: dict[_Search, set[tuple[str, str]]] = {}
        self._given_up: dict[_Search, str] = {}

    @pytest.hookimpl
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Take note of the items that are to run."""
        self._items = {item.nodeid: item for item in session.items}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> object:
        """Leave a case that is not searched to pytest alone, as other plugins would run it again where it fails."""
        if self._why(item) is None:
            return None
        runner: Any = item.config.pluginmanager.get_plugin("runner")
        return runner.pytest_runtest_protocol(item=item, nextitem=nextitem)

    @pytest.hookimpl
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Fail a case whose search is given up, before any fixture is set up. Raises `NotSearched`."""
        __tracebackhide__ = True
        if (why := self._why(item)) is not None:
            run = item.stash[CASE_RUN]
            run.error = NotSearched(why, pytrace=False)
            raise run.error

    def _why(self, item: pytest.Item) -> str | None:
        """Return why the search of a case is given up; None where it is not, and for any other test."""
        if not self._given_up or CASE_RUN not in item.stash:
            return None
        return self._given_up.get(_search_of(item))

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the result of a case by its final report."""
        if not self._most or report.outcome not in ("passed", "failed", "skipped"):  # after "rerun" another one follows
            return
        for values in attached_to(report).get("cases", ()):
            search = self._search(report.nodeid)
            if search is not None:
                self._count(search, values)

    def _count(self, search: _Search, values: Mapping[str, Any]) -> None:
        verdict, error = values["verdict"], SearchError(**values["error"]) if values.get("error") else None
        if verdict in (SKIPPED, NOT_SEARCHED) or values.get("outcome") == "xfailed":
            return
        if error is None or error.phase == SCORING:
            self._succeeded.add(search)
            self._failed.pop(search, None)
            return
        if error.phase == SETUP and not error.type:  # a missing fixture, which costs no time
            return
        cases = self._failed.setdefault(search, set())
        cases.add((values["file"], values["id"]))
        if len(cases) >= self._most * (PATIENCE if search in self._succeeded else 1):
            failed = f"{search.name} failed in {counted(len(cases), 'case')} in a row"
            self._given_up[search] = f"not searched: {failed} (relevance_give_up), at last with {error.headline}"

    def _search(self, nodeid: str) -> _Search | None:
        item = self._items.get(nodeid)
        return _search_of(item) if item is not None and CASE_RUN in item.stash else None


def _search_of(item: pytest.Item) -> _Search:
    run = item.stash[CASE_RUN]
    found = fixtures_of(item).get(run.case.search, ())
    return _Search(run.case.search, run.variant, found[-1].baseid if found else "", tuple(run.case.usefixtures))
