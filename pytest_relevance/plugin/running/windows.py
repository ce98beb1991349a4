"""Find the cases that may be searched together: a window is a case and later ones that are searched in the same way.

Cases that are skipped or whose `latency` an expectation or a gate looks at are left out: they are searched alone, at
their turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import pytest

from pytest_relevance.plugin import pytest_internals as internals
from pytest_relevance.plugin.running.case_run import CASE_RUN, CaseRun

_SKIPPING = frozenset({"skip", "skipif", "filterwarnings"})
"""The marks of cases that may be skipped, or have their own warnings."""

_RUNNING = tuple(f"pytest_runtest_{step}" for step in ("setup", "call", "teardown", "protocol"))
"""The hooks that a project may implement to prepare each test."""


class _Fixtures(NamedTuple):
    """The properties of an item's fixtures that decide about windows.

    `used` are the identities of their definitions, `parameters` the names of parametrised fixtures of the project, and
    of the backend of anyio. `per_case` is the name of a fixture that is set up for each case: the search, or another
    function-scoped fixture of the project; empty if there is none. `is_per_file`: a fixture of the project may be set
    up again for another file. `definitions` keeps the definitions alive, because CPython reuses the `id` of a freed
    object.
    """

    definitions: Mapping[str, Sequence[Any]]
    used: frozenset[int]
    parameters: Sequence[str]
    per_case: str
    is_per_file: bool


class Windows:
    """Finds the cases that may be searched together with a case."""

    def __init__(self, config: pytest.Config) -> None:
        self._own = internals.OwnFixtures(config)
        self._known: dict[tuple[int, Sequence[str]], _Fixtures] = {}
        self._hooks: dict[object, str] = {}
        self._places: dict[pytest.Item, int] = {}

    def why_alone(self, run: CaseRun) -> str:
        """Return why cases with the fixtures of this case are searched one by one; empty if they need not be."""
        if hook := self._hook_of_project(run.item):
            return (
                f"the project implements {hook}, which may prepare each case, so that cases are searched one by one: "
                "make it a fixture of a wider scope to have several searched at a time"
            )
        if name := self._fixtures(run).per_case:
            return (
                f'the fixture "{name}" has function scope, so that its cases are searched one by one: give it a wider '
                'scope (@pytest.fixture(scope="session")) to have several searched at a time'
            )
        return ""

    def following(self, run: CaseRun, most: int) -> list[CaseRun]:
        """Return the next cases, at most `most`, that may be searched together with a case that is not alone."""
        found: list[CaseRun] = []
        for item in self._upcoming(run.item):
            other = item.stash.get(CASE_RUN, None)
            if len(found) >= most or other is None or self.why_alone(other) or not self._are_alike(run, other):
                break
            if not is_alone(other):
                found.append(other)
        return found

    def _upcoming(self, item: pytest.Item) -> Iterator[pytest.Item]:
        """Give the items that run after an item, in this process."""
        if hasattr(item.config, "workerinput"):
            yield from internals.queue_of_worker(item)
            return
        items = item.session.items
        if not self._places:
            self._places = {each: place for place, each in enumerate(items)}
        yield from islice(items, self._places.get(item, len(items)) + 1, None)

    def _are_alike(self, run: CaseRun, other: CaseRun) -> bool:
        """Whether two cases are searched by the same value, while all fixtures of the second are set up."""
        ours, theirs = self._fixtures(run), self._fixtures(other)

        def conditions(each: CaseRun, fixtures: _Fixtures) -> tuple[object, ...]:
            parameters = internals.parameters_of(each.item)
            values = [] if parameters is None else [parameters.indices.get(name) for name in fixtures.parameters]
            return each.case.search, each.variant, each.item.parent if ours.is_per_file else None, values

        return theirs.used <= ours.used and conditions(run, ours) == conditions(other, theirs)

    def _hook_of_project(self, item: pytest.Item) -> str:
        """Return the hook with which the project takes part in running each test of a file; empty if there is none.

        Such a hook may prepare each test. A search called ahead of its case would run without that preparation.
        """
        file = item.parent
        if file not in self._hooks:
            found = ((name, getattr(item.ihook, name).get_hookimpls()) for name in _RUNNING)
            own = (name for name, impls in found if any(self._own.is_own(impl.function) for impl in impls))
            self._hooks[file] = next(own, "")
        return self._hooks[file]

    def _fixtures(self, run: CaseRun) -> _Fixtures:
        definitions, added = internals.fixtures_of(run.item), internals.added_fixtures(run.item)
        key = id(definitions), tuple(added)
        if key in self._known:
            return self._known[key]
        last = {name: chain[-1] for name, chain in {**definitions, **added}.items() if chain}
        own = {name: each for name, each in last.items() if self._own.is_own(each.func)}
        search, parameters = last.get(run.case.search), internals.parameters_of(run.item)
        is_per_case = search is not None and search.scope == "function"
        per_case = [run.case.search] if is_per_case else [name for name in own if own[name].scope == "function"]
        names = () if parameters is None else parameters.indices
        found = self._known[key] = _Fixtures(
            definitions,
            frozenset(map(id, last.values())),
            [name for name in names if name == internals.ANYIO_BACKEND or self._own.is_parameter(name, definitions)],
            "".join(per_case[:1]),
            is_per_file=any(each.scope != "session" for each in own.values()) or search is None,
        )
        return found


def is_alone(run: CaseRun) -> bool:
    """Whether a case may be skipped, or measures the latency of its search."""
    case = run.case
    if case.skip is not None or any(expected.kind == "latency" for expected in case.expect):
        return True
    if any(gate.latencies for gate in case.terms.gates):
        return True
    for mark in run.item.iter_markers():
        if mark.name in _SKIPPING or (mark.name == "xfail" and mark.kwargs.get("run") is False):
            return True
    return False
