"""What happens when one of several searches raises an exception.

1. The exception ends the calls for its own case, or for all cases of its batch.
`Searched.error` keeps the exception (`plugin/running/searching.py`).
2. The other searches go on. But if the exception may end the run (`may_end_run`), no
further search begins. A case that was not searched is searched at its turn, if the run
gets there.
3. Each case raises its own exception at its turn, with the traceback of its search
(`plugin/running/run_case.py`).

Two mistakes show only if searches run in several threads: a connection that belongs to
another thread, and a cursor that two searches share. Their messages have advice.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from traceback import format_exception_only

import pytest

from pytest_relevance.plugin.exceptions import ENDING, CaseError
from pytest_relevance.plugin.running.batch_responses import is_read_once
from pytest_relevance.plugin.running.case_run import CaseRun, Searched

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

_NO_FAILURES = (pytest.skip.Exception, pytest.xfail.Exception)


def may_end_run(error: BaseException | None, config: pytest.Config) -> bool:
    """Say whether the exception of a search may end the run.

    Ctrl-C and `pytest.exit` do. With `--maxfail` or `--sw` any failure may.
    """
    if error is None or isinstance(error, _NO_FAILURES):
        return False
    if isinstance(error, ENDING):
        return True
    return bool(config.option.maxfail or getattr(config.option, "stepwise", False))


_BOUND_TO_THREAD = "can only be used in that same thread"
"""The message of sqlite3, also when another library passes its error on."""

_CONNECT_FOR_THREADS = (
    "the search may not be called from another thread ({error}): connect with check_same_thread=False and use a cursor "
    "for each call, or make a connection for each thread; or call one search at a time, with --relevance-concurrency=1"
)


def with_advice(searched: Searched) -> Searched:
    """Return `searched`, with advice in an error about a connection of sqlite3.

    sqlite3 raises the error if the connection was made in another thread. Without this
    error, `searched` is returned unchanged.
    """
    if searched.error is None:
        return searched
    # `str` of an exception of the user's may raise another
    text = "".join(format_exception_only(searched.error))
    before, bound, _ = text.partition(_BOUND_TO_THREAD)
    if not bound:
        return searched
    message = _CONNECT_FOR_THREADS.format(error=before + bound)
    return replace(searched, error=CaseError(message, pytrace=False))


class Cursors:
    """The cursors that the searches of a window have returned.

    If searches in two threads return the same cursor, each ends the result of the
    other. For example, `execute` of a connection of DuckDB returns the connection
    itself. Then both cases get an error.
    """

    def __init__(self) -> None:
        self._returned: dict[int, tuple[object, int, CaseRun]] = {}
        self._errors: dict[CaseRun, CaseError] = {}

    def note(self, response: object, case_run: CaseRun) -> None:
        """Note that the search of a case returned `response`.

        Raises `CaseError` if the response is a cursor that was returned in another
        thread too.
        """
        if not is_read_once(response):
            return
        mine = response, threading.get_ident(), case_run
        _, thread, other = self._returned.setdefault(id(response), mine)
        if thread == threading.get_ident():
            return
        error = CaseError(
            f"{case_run.case.search} returned the same {type(response).__name__} to two searches at once: "
            "make a cursor (or a connection) for each call, or use --relevance-concurrency=1",
            pytrace=False,
        )
        self._errors[case_run] = self._errors[other] = error
        raise error

    def checked(self, searched: Searched, case_run: CaseRun) -> Searched:
        """Return `searched`. Its error is replaced if its cursor was shared.

        A cursor is shared if a search in another thread returned the same cursor.
        """
        error = self._errors.get(case_run)
        return searched if error is None else replace(searched, error=error)
