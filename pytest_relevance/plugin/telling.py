"""What is told of a case that ended badly: why in one line, all of it in styled lines, what is left of a traceback.

It is built where the case ran and travels on the report in plain types: under pytest-xdist pytest's own text of a
failure arrives without its colours.
"""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from pytest_relevance.plugin.failures import AsyncFixture, CaseError
from pytest_relevance.plugin.running import CaseRun
from pytest_relevance.reports.reasons import query_beside_id
from pytest_relevance.reports.text import BAD, Line, harmless, line
from pytest_relevance.wording import listed, quoted

_READING = ("ranking", "responses", "rows", "tabular", "completeness")
_OURS = ("pytest_relevance.plugin.", *(f"pytest_relevance.runs.{name}" for name in _READING), "pluggy.")
"""The modules between pytest and what is the user's: a search, a hook, a generator that is read late."""

_HOW_TO = """
Write it in a conftest.py beside the case file; it returns a function from a query to results, best first:

    import pytest

    @pytest.fixture(scope="session")
    def {search}():
        engine = ...                      # connect to your search engine, once
        def search(query, k=10):
            return engine.search(query, limit=k)    # ids, (id, score) pairs, or dicts with an id
        return search

If it goes by another name, write it in the case file:  search: name_of_the_fixture"""


_HOW_TO_WAIT = """
With pytest-asyncio: decorate it with @pytest_asyncio.fixture, or set asyncio_mode = auto{install}.
With anyio: have it request the fixture anyio_backend.
Without any plugin: a plain fixture may return an async function, which the case awaits:

    @pytest.fixture(scope="session")
    def {search}():
        async def search(query):
            return await engine.search(query)
        return search"""


def failure(this: CaseRun, item: pytest.Item) -> dict[str, Any]:
    """What is told of a case that failed, or that could not be scored."""
    if this.scored is not None and this.lines is not None:
        why = "; ".join(filter(None, (*this.scored.reasons, query_beside_id(this.case))))
        return _told(this, item, why, this.lines, this.brief or this.lines)
    first, *more = map(harmless, str(this.error).split("\n"))
    lines = [line(f"{this.where}: {first}", BAD), *map(line, more), line(this.facts)]
    why = ": ".join([*this.in_call, first])
    return _told(this, item, why, lines, [line(f"{this.where}: {why}", BAD)])


def missing_fixture(this: CaseRun, item: pytest.Item, error: pytest.FixtureLookupError) -> dict[str, Any]:
    """What is told where a fixture is missing: how to write it, when it is the search of the case.

    It stands in for pytest's own text, which shows the Python source of the function that requests the fixture.
    """
    name, search = str(error.argname), this.case.search
    asking = error.fixturestack
    if any(fixture.argname == name for fixture in asking):
        message = f"fixture {quoted(name)} requests itself, and there is no other of that name to override"
    else:
        message = error.msg or f"fixture {quoted(name)} not found"
    advice = None
    more = [f"requested by {listed(map(_place, asking), 'and')}"] if asking else []
    more.append('"pytest --fixtures" shows the fixtures that there are')
    if name == search and not asking:
        message += ", which the case calls to search"
        advice = f"fixture {search}"
        more = _HOW_TO.format(search=search).splitlines()
    brief = [line(f"{this.where}: {message}", BAD)]
    return _told(this, item, message, [*brief, *map(line, more)], brief, advice)


def async_fixture(this: CaseRun, item: pytest.Item, error: AsyncFixture) -> dict[str, Any]:
    """What is told where a fixture is asynchronous and nobody sets it up."""
    brief = [line(f"{this.where}: {error}", BAD)]
    install = "" if error.has_asyncio else " (it is not installed)"
    more = _HOW_TO_WAIT.format(search=this.case.search, install=install).splitlines()
    return _told(this, item, str(error), [*brief, *map(line, more)], brief, f"async fixture {error.name}")


def in_place_of(excinfo: pytest.ExceptionInfo[BaseException], message: str) -> pytest.ExceptionInfo[BaseException]:
    """An exception that pytest shows by its message alone, in the place of another one."""
    error = CaseError(message, pytrace=False).with_traceback(excinfo.value.__traceback__)
    return pytest.ExceptionInfo.from_exception(error)


def leave_out_ours(excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """Cut a traceback down to what is the user's. One that ends in this plugin stays as it is."""
    theirs = 0
    for number, entry in enumerate(excinfo.traceback, 1):
        if str(entry.frame.f_globals.get("__name__")).startswith(_OURS):
            theirs = number
    if theirs < len(excinfo.traceback):
        excinfo.traceback = excinfo.traceback[theirs:]


def _told(
    this: CaseRun, item: pytest.Item, message: str, lines: list[Line], brief: list[Line], advice: str | None = None
) -> dict[str, Any]:
    """`crash` is where and why in one line; `advice` is the key of what is told in full only once a run."""
    crash = (*this.place(item), message)
    return {"lines": lines, "brief": brief, "crash": crash, "advice": advice}


def _place(fixture: Any) -> str:
    """`search (conftest.py:4)`."""
    code = getattr(inspect.unwrap(fixture.func), "__code__", None)
    return fixture.argname if code is None else f"{fixture.argname} ({code.co_filename}:{code.co_firstlineno})"
