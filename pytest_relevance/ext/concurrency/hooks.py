"""The hooks that have searches called together, in a run with cases."""

from __future__ import annotations

from collections.abc import Coroutine, Generator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance.ext.concurrency.grouping import note_fixture
from pytest_relevance.plugin.running.calling import many_of
from pytest_relevance.plugin.running.case_run import CaseRun, Searched

if TYPE_CHECKING:
    from pytest_relevance.ext.concurrency.searches import Searches

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks


class ConcurrencyHooks:
    """The hooks that have the searches of several cases called together.

    At most `concurrency` calls run at a time. The attribute `many` of a search is
    called for at most `batch` cases at once.
    """

    def __init__(self, config: pytest.Config, *, concurrency: int, batch: int) -> None:
        self._config = config
        self._concurrency = concurrency
        self._batch = batch
        self._searches: Searches | None = None

    @pytest.hookimpl
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> None:
        """Note a fixture of function scope, because its case is searched alone."""
        note_fixture(fixturedef, request.node)

    @pytest.hookimpl
    def pytest_relevance_search(
        self, case_run: CaseRun
    ) -> Searched | Coroutine[Any, Any, Searched] | None:
        """Return what the search of a case returned; None to have it called alone."""
        if self._concurrency == 1 and many_of(case_run.search_function) is None:
            return None
        if self._searches is None:
            # most runs do not need this import
            from pytest_relevance.ext.concurrency.searches import Searches

            self._searches = Searches(
                self._config, concurrency=self._concurrency, batch=self._batch
            )
        return self._searches.take(case_run)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_pyfunc_call(self) -> Generator[None, object, object]:
        """Leave the running window if Ctrl-C or a timeout ended the call of its case.

        The event loop of the window may have stopped before all searches ended.
        """
        try:
            return (yield)
        except BaseException as error:
            if self._searches is not None:
                self._searches.leave(error)
            raise

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Forget what was searched for cases that did not run."""
        if self._searches is not None:
            self._searches.end()
