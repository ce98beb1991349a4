"""Find the cases that may be searched together: the cases of a window.

A window is a case and some cases after it in its file that are searched in the same
way. A case that may be skipped is not in a window: it is searched alone, at its turn.
So is a case whose latency an expectation or a gate uses.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from pytest_relevance.plugin import pytest_internals as internals
from pytest_relevance.plugin.own_fixtures import OwnFixtures
from pytest_relevance.plugin.running.case_run import CASE_RUN, CaseRun
from pytest_relevance.plugin.running.score_in_run import looks_at_latency

_MARKS_OF_CASES_ALONE = frozenset({"skip", "skipif", "filterwarnings"})
"""A case with one of these marks is searched alone, because it may be skipped, or
because it filters its own warnings.
"""

_RUNNING = (
    "pytest_runtest_setup",
    "pytest_runtest_call",
    "pytest_runtest_teardown",
    "pytest_runtest_protocol",
)
"""The hooks that a project may implement to prepare each test."""

_FUNCTION_SCOPE: pytest.StashKey[list[pytest.FixtureDef[Any]]] = pytest.StashKey()
"""The fixtures of function scope that were set up for an item."""


def note_fixture(fixture: pytest.FixtureDef[Any], node: pytest.Item) -> None:
    """Note a fixture of function scope that was set up for a case."""
    if fixture.scope == "function" and CASE_RUN in node.stash:
        node.stash.setdefault(_FUNCTION_SCOPE, []).append(fixture)


class Grouping:
    """Finds the cases that may be searched together with another case."""

    def __init__(self, config: pytest.Config) -> None:
        self._own = OwnFixtures.of(config)
        self._hooks: dict[object, str] = {}
        self._places: dict[pytest.Item, int] = {}

    def why_one_by_one(self, case_run: CaseRun) -> str:
        """Return why a hook or a fixture keeps cases from being searched together.

        "" if none does. The fixtures of the case must have been set up.
        """
        hook = self._hook_of_project(case_run.item)
        if hook:
            return (
                f"the project implements {hook}, which may prepare each case, so its cases are searched one by one: "
                "make it a fixture of a wider scope to have several searched at a time"
            )
        names = self._names_of_function_scope(case_run)
        if not names:
            return ""
        name = case_run.case.search if case_run.case.search in names else names[0]
        return (
            f'the fixture "{name}" has function scope, so its cases are searched one by one: to search several at once, '
            'use @pytest.fixture(scope="session")'
        )

    def _names_of_function_scope(self, case_run: CaseRun) -> list[str]:
        """Return the project's fixtures of function scope that a case uses, by name.

        The search fixture of the case counts even if another package defines it.
        """
        names = []
        for fixture in case_run.item.stash.get(_FUNCTION_SCOPE, []):
            name = fixture.argname
            if name == case_run.case.search or self._own.is_own(fixture.func):
                names.append(name)
        return names

    def following(self, case_run: CaseRun, most: int) -> list[CaseRun]:
        """Return the next cases that may be searched with a case, at most `most`.

        Cases that must be searched alone are passed over. The first test that is no
        case, and the first case that is not searched in the same way, end the list.
        """
        together: list[CaseRun] = []
        for item in self._upcoming(case_run.item):
            other = item.stash.get(CASE_RUN, None)
            if len(together) == most or other is None or not are_alike(case_run, other):
                break
            if not is_searched_alone(other):
                together.append(other)
        return together

    def _upcoming(self, item: pytest.Item) -> Iterator[pytest.Item]:
        """Return the items that run after an item, in their order."""
        items = item.session.items
        if not self._places:
            self._places = {other: place for place, other in enumerate(items)}
        return islice(items, self._places.get(item, len(items)) + 1, None)

    def _hook_of_project(self, item: pytest.Item) -> str:
        """Return the name of a hook that the project implements for each test, or "".

        Such a hook may prepare each test. A search that is called before the turn of
        its case would run unprepared.
        """
        file = item.parent
        if file not in self._hooks:
            self._hooks[file] = self._find_hook(item)
        return self._hooks[file]

    def _find_hook(self, item: pytest.Item) -> str:
        """Return the first of the hooks that the project implements; "" for none."""
        for name in _RUNNING:
            for hook in getattr(item.ihook, name).get_hookimpls():
                if self._own.is_own(hook.function):
                    return name
        return ""


def are_alike(case_run: CaseRun, other: CaseRun) -> bool:
    """Say whether two cases are searched in the same way, with the same fixtures.

    False if `other` needs a fixture that `case_run` does not need, because that fixture
    is not set up yet.
    """
    if case_run.item.parent is not other.item.parent:
        return False
    if (case_run.case.search, case_run.variant) != (other.case.search, other.variant):
        return False
    # with other parameters, a fixture of the project or the event loop may differ
    if internals.parameters_of(case_run.item) != internals.parameters_of(other.item):
        return False
    assert isinstance(case_run.item, pytest.Function)
    assert isinstance(other.item, pytest.Function)
    return set(other.item.fixturenames) <= set(case_run.item.fixturenames)


def is_searched_alone(case_run: CaseRun) -> bool:
    """Say whether a case must be searched alone because of its own keys and marks.

    Such a case may be skipped, filters its own warnings, or has its latency tested.
    """
    if case_run.case.skip is not None or looks_at_latency(case_run.case):
        return True
    for mark in case_run.item.iter_markers():
        if mark.name in _MARKS_OF_CASES_ALONE:
            return True
        if mark.name == "xfail" and mark.kwargs.get("run") is False:
            return True
    return False
