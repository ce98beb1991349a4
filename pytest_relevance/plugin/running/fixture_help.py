"""Messages about fixtures of a case that are missing or cannot be set up, and the shortening of tracebacks.

pytest's own text about a missing fixture shows the source of the function that requests it: here generated code.
"""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from pytest_relevance._text import listed, quoted
from pytest_relevance.plugin.failures import AsyncFixture, CaseError
from pytest_relevance.plugin.running.case_run import CaseRun

_OURS = (
    "pytest_relevance.plugin.",
    "pytest_relevance.results.rankings.",
    "pluggy.",
)
"""The modules between pytest and the user's code (a search, a hook, a generator); tracebacks leave them out."""

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


def explain(run: CaseRun, call: pytest.CallInfo[None]) -> str | None:
    """Replace or shorten the exception of a call for the report; return the key of advice in its message, if any.

    The key serves to show each advice once in a run.
    """
    assert call.excinfo is not None
    error = call.excinfo.value
    if isinstance(error, pytest.FixtureLookupError):
        message, advice = _missing_fixture(run, error)
        run.error = CaseError(message, pytrace=False)
        call.excinfo = _in_place_of(call.excinfo, message.partition("\n")[0])
        return advice
    if isinstance(error, AsyncFixture):
        install = "" if error.has_asyncio else " (it is not installed)"
        run.error = CaseError(f"{error}{_HOW_TO_WAIT.format(search=run.case.search, install=install)}", pytrace=False)
        return f"async fixture {error.name}"
    _leave_out_ours(call.excinfo)
    return None


def _missing_fixture(run: CaseRun, error: pytest.FixtureLookupError) -> tuple[str, str | None]:
    """Return the message about a missing fixture, and the key of its advice.

    Where the fixture is the search of the case, the message explains how to write it; otherwise the key is None.
    """
    name, search = str(error.argname), run.case.search
    asking = error.fixturestack
    if any(fixture.argname == name for fixture in asking):
        message = f"fixture {quoted(name)} requests itself, and there is no other of that name to override"
    else:
        message = error.msg or f"fixture {quoted(name)} not found"
    if name == search and not asking:
        return f"{message}, which the case calls to search{_HOW_TO.format(search=search)}", f"fixture {search}"
    requested = f"\nrequested by {listed(map(_place, asking), 'and')}" if asking else ""
    return f'{message}{requested}\n"pytest --fixtures" shows the fixtures that there are', None


def _in_place_of(excinfo: pytest.ExceptionInfo[BaseException], message: str) -> pytest.ExceptionInfo[BaseException]:
    """Return exception info with the traceback of another one, of which pytest shows only the message."""
    error = CaseError(message, pytrace=False).with_traceback(excinfo.value.__traceback__)
    return pytest.ExceptionInfo.from_exception(error)


def _leave_out_ours(excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """Remove the frames before the user's code from a traceback. One that ends in this plugin stays complete."""
    theirs = 0
    for number, entry in enumerate(excinfo.traceback, 1):
        if str(entry.frame.f_globals.get("__name__")).startswith(_OURS):
            theirs = number
    if theirs < len(excinfo.traceback):
        excinfo.traceback = excinfo.traceback[theirs:]


def _place(fixture: Any) -> str:
    """Return the name and the place of a fixture: `search (conftest.py:4)`."""
    code = getattr(inspect.unwrap(fixture.func), "__code__", None)
    return fixture.argname if code is None else f"{fixture.argname} ({code.co_filename}:{code.co_firstlineno})"
