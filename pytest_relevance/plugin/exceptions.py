"""The exceptions of cases, and the texts of exceptions of a project's code.

Records and messages show exceptions without secrets and without paths of the machine.
Tracebacks begin with the project's own code.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_relevance._text import listed, message_of, quoted
from pytest_relevance.plugin.paths import shown_path, without_root
from pytest_relevance.plugin.redaction import redaction
from pytest_relevance.results.case_parts import SearchError

if TYPE_CHECKING:
    from pytest_relevance._problems import FileError

    class _Failed(BaseException):
        def __init__(self, msg: str | None = None, pytrace: bool = True) -> None: ...

else:
    _Failed = pytest.fail.Exception


class CaseFailure(_Failed):
    """A floor or an expectation of a case is not met, or the case is inconclusive.

    `xfail` covers only this exception. Its text is for code that catches the exception;
    the report shows another text, made by `failure_text`.
    """


class BaselineFailure(_Failed):
    """A case is worse than its baseline, or its baseline is out of date.

    `xfail` does not cover this exception.
    """


class CaseError(_Failed):
    """A case could not be scored: its search failed or returned no ranking.

    `xfail` does not cover this exception.
    """


class NotSearched(CaseError):
    """The search of a case was not called, because it failed in many cases before."""


class CaseFileMistakes(pytest.Collector.CollectError):
    """A case file cannot be collected. `error` has the mistakes with their places."""

    def __init__(self, error: FileError) -> None:
        super().__init__(str(error))
        self.error = error


ENDING = (KeyboardInterrupt, pytest.exit.Exception)
"""The exceptions that end the run. Any other, SystemExit too, is an error in the code
of the project.
"""

RAISING = (
    "pytest_relevance.plugin.running.run_case",
    "pytest_relevance.metrics.measures",
)
"""The modules whose own lines do not explain an exception. The first raises what a
batch returned for one of its queries. The second calls metrics, maybe with wrong
arguments.
"""

_STDLIB = os.path.dirname(os.__file__)
"""The folder of the standard library."""

_OF_PYTEST = (
    CaseError,
    pytest.fail.Exception,
    pytest.skip.Exception,
    pytest.xfail.Exception,
    pytest.exit.Exception,
)
"""Exceptions whose messages need no type and no frame."""


def search_error(
    error: BaseException, config: pytest.Config, *, phase: str = "", prefix: str = ""
) -> SearchError:
    """Return an exception as a record keeps it, without secrets and absolute paths.

    An exception of this plugin or of pytest, for example a skip, has no type and no
    line of code in the result.
    `phase`: `SETUP`, `SCORING`, or "" for the search itself.
    `prefix`: what the message begins with.
    """
    is_of_pytest = isinstance(error, _OF_PYTEST)
    text = str(getattr(error, "msg", error)) if is_of_pytest else message_of(error)
    if not isinstance(error, CaseError):
        text = text.partition("\n")[0]
    text = prefix + without_root(redaction(config).text(text), config)
    if is_of_pytest:
        return SearchError("", text, phase=phase)
    kind = f"{type(error).__module__}.{type(error).__qualname__}"
    frame = _innermost_frame(error, config)
    return SearchError(kind.removeprefix("builtins."), text, frame, phase)


def error_text(error: BaseException, config: pytest.Config) -> str:
    """Return an exception in one sentence: `ValueError: no (conftest.py:4 in f)`."""
    found = search_error(error, config)
    head = found.headline if found.type else f"{type(error).__name__}: {found.message}"
    return f"{head} ({found.frame})" if found.frame else head


def hook_error_text(hook: str, error: BaseException, config: pytest.Config) -> str:
    """Return a sentence about an exception that a hook raised, without secrets.

    For example `the hook pytest_relevance_texts raised ValueError: no index
    (conftest.py:4 in pytest_relevance_texts)`.
    """
    why = redaction(config).text(error_text(error, config))
    return f"the hook {hook} raised {why}"


def is_installed(path: object) -> bool:
    """Say whether a file belongs to Python or to an installed package."""
    text = str(path)
    if text.startswith(("<", _STDLIB)):
        return True
    return not {"site-packages", "dist-packages"}.isdisjoint(Path(text).parts)


def _innermost_frame(error: BaseException, config: pytest.Config) -> str:
    """Return the line of the project that raised an exception: `conftest.py:4 in f`.

    If no code of the project raised the exception, the innermost line is returned. If a
    batch returned the exception without raising it, or if a module in `RAISING` raised
    it, "" is returned.
    """
    if error.__traceback__ is None:
        return ""
    frames = pytest.ExceptionInfo.from_exception(error).traceback
    if str(frames[-1].frame.f_globals.get("__name__")).startswith(RAISING):
        return ""
    innermost = frames[-1]
    for frame in reversed(frames):
        if not is_installed(frame.path):
            innermost = frame
            break
    path = Path(innermost.path)
    is_inside = path.is_relative_to(config.rootpath)
    shown = shown_path(path, config) if is_inside else path.name
    return f"{shown}:{innermost.lineno + 1} in {innermost.name}"


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


def missing_fixture(error: pytest.FixtureLookupError, search: str) -> str:
    """Return the message about a missing fixture. If it is the search, add an example.

    pytest's own message would show the function that pytest made of the case.
    """
    message = error.msg or f"fixture {quoted(str(error.argname))} not found"
    if error.argname == search and not error.fixturestack:
        example = _HOW_TO.format(search=search)
        return f"{message}, which the case calls to search{example}"
    asking = listed((quoted(str(each.argname)) for each in error.fixturestack), "and")
    if asking:
        message += f", requested by {asking}"
    return f'{message}\n"pytest --fixtures" shows the fixtures that there are'


_CALLING = ("pytest_relevance.", "pluggy.")
"""The modules that call a project's code: a search, a hook, a generator."""


def begin_at_own_code(excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """Remove the lines of pytest and of this plugin from the start of a traceback."""
    frames = excinfo.traceback
    begin = 0
    for number, entry in enumerate(frames, start=1):
        if str(entry.frame.f_globals.get("__name__")).startswith(_CALLING):
            begin = number
    if begin < len(frames):
        excinfo.traceback = frames[begin:]
