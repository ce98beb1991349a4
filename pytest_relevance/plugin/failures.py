"""The exceptions of cases, and those of a project's code.

Records and messages show them without secrets and paths. Their tracebacks begin with
the project's own code.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_relevance._text import listed, message_of, quoted
from pytest_relevance.plugin.options import (
    redaction,
    shown_path,
    without_root,
)
from pytest_relevance.results.case_parts import SearchError

if TYPE_CHECKING:
    from pytest_relevance._problems import FileError

    class _Failed(BaseException):
        def __init__(self, msg: str | None = None, pytrace: bool = True) -> None: ...

else:
    _Failed = pytest.fail.Exception


class CaseFailure(_Failed):
    """A floor or an expectation of a case is not met, or the case is inconclusive.

    `xfail` covers only this error. Its text is for code that catches it; the report has
    another one (`failure_text`).
    """


class BaselineFailure(_Failed):
    """A case is worse than its baseline, or its entry is stale.

    `xfail` does not cover this.
    """


class CaseError(_Failed):
    """A case could not be scored. `xfail` does not cover this.

    The search could not be called, or its response could not be used as a ranking.
    """


class NotSearched(CaseError):
    """The search of a case was not called, as it had failed in many cases in a row."""


class CaseFileMistakes(pytest.Collector.CollectError):
    """A case file cannot be collected.

    The mistakes have places: in this file, or in a file that it names.
    """

    def __init__(self, error: FileError) -> None:
        super().__init__(str(error))
        self.error = error


ENDING = (KeyboardInterrupt, pytest.exit.Exception)
"""The exceptions that end the run. Any other, SystemExit too, is a fault of the code of
the project that raised it.
"""

RAISING = (
    "pytest_relevance.plugin.running.run_case",
    "pytest_relevance.metrics.measures",
)
"""Two modules: one raises the exception of a search again, in its own case; the other
calls metrics.
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
    """Return an exception in the form that a record has.

    It has no credentials in URLs, and no path of the root. `prefix` begins the message.
    A refusal of this plugin or of pytest has no type and no frame.
    """
    is_of_pytest = isinstance(error, _OF_PYTEST)
    text = str(getattr(error, "msg", error)) if is_of_pytest else message_of(error)
    if not isinstance(error, CaseError):
        text = text.partition("\n")[0]
    text = prefix + without_root(redaction(config).text(text), config)
    if is_of_pytest:
        return SearchError("", text, phase=phase)
    kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix(
        "builtins."
    )
    return SearchError(kind, text, _innermost_frame(error, config), phase)


def error_text(error: BaseException, config: pytest.Config) -> str:
    """Tell an exception in one sentence: `ValueError: no (conftest.py:4 in search)`."""
    found = search_error(error, config)
    head = found.headline if found.type else f"{type(error).__name__}: {found.message}"
    return f"{head} ({found.frame})" if found.frame else head


def hook_error_text(hook: str, error: BaseException, config: pytest.Config) -> str:
    """Return the sentence about an exception that a hook raised, with secrets masked.

    For example `the hook pytest_relevance_texts raised ValueError: no index
    (conftest.py:4 in pytest_relevance_texts)`.
    """
    why = redaction(config).text(error_text(error, config))
    return f"the hook {hook} raised {why}"


def is_installed(path: object) -> bool:
    """Say whether a file belongs to Python or to an installed package."""
    parts = Path(str(path)).parts
    return not {"site-packages", "dist-packages"}.isdisjoint(parts) or str(
        path
    ).startswith(("<", _STDLIB))


def _innermost_frame(error: BaseException, config: pytest.Config) -> str:
    """Name the line of the project that raised an exception: `conftest.py:4 in search`.

    If no frame is of the project, the innermost frame is named. An exception that a
    search returned for a query of a batch was not raised: it has no frame, and the text
    is empty.
    """
    if error.__traceback__ is None:
        return ""
    frames = pytest.ExceptionInfo.from_exception(error).traceback
    if str(frames[-1].frame.f_globals.get("__name__")).startswith(RAISING):
        return ""
    last = next(
        (frame for frame in reversed(frames) if not is_installed(frame.path)),
        frames[-1],
    )
    path = Path(last.path)
    shown = (
        shown_path(path, config) if path.is_relative_to(config.rootpath) else path.name
    )
    return f"{shown}:{last.lineno + 1} in {last.name}"


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
    """Return the message about a missing fixture; for a search with an example.

    pytest's own text shows the source of the function that requests the fixture, which
    is generated code here.
    """
    message = error.msg or f"fixture {quoted(str(error.argname))} not found"
    if error.argname == search and not error.fixturestack:
        return (
            f"{message}, which the case calls to search{_HOW_TO.format(search=search)}"
        )
    asking = listed((quoted(str(each.argname)) for each in error.fixturestack), "and")
    return f'{message}{asking and f", requested by {asking}"}\n"pytest --fixtures" shows the fixtures that there are'


_CALLING = ("pytest_relevance.", "pluggy.")
"""The modules that call a project's code: a search, a hook, a generator."""


def begin_at_own_code(excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """Cut the frames of pytest and of this plugin off the beginning of a traceback."""
    frames = excinfo.traceback
    begin = 0
    for number, entry in enumerate(frames, start=1):
        if str(entry.frame.f_globals.get("__name__")).startswith(_CALLING):
            begin = number
    if begin < len(frames):
        excinfo.traceback = frames[begin:]
