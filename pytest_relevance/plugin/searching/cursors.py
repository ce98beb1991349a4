"""Find a cursor that a search returned to several calls that ran at the same time in different threads.

The connection of DuckDB returns itself from `execute`, and a cursor of psycopg may be used again: each call then ends
the result of the one before it, which may be read as that of another query.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from threading import Lock
from time import perf_counter
from typing import Protocol

from pytest_relevance.plugin.failures import CaseError
from pytest_relevance.plugin.running.case_run import CaseRun


class Searched(Protocol):
    """A case whose search was called, as far as cursors need it."""

    run: CaseRun

    def fail(self, error: BaseException) -> None:
        """Have the case fail with an exception."""


class SharedCursorError(CaseError):
    """Two searches at once returned the same cursor."""


@dataclass(slots=True, eq=False)
class _Use:
    """A cursor that was returned for a case, and the times when its call began and when it was read, in seconds."""

    cursor: object
    outcome: Searched
    started: float
    ended: float = inf


class Cursors:
    """The cursors that were returned in one window."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._uses: dict[int, list[_Use]] = {}

    @contextmanager
    def reading(self, response: object, outcome: Searched, started: float) -> Iterator[None]:
        """Read what a call returned that began at `started`, in seconds of `perf_counter`.

        Raises `SharedCursorError` where a call that ran at the same time returned it too, and has that call fail.
        """
        __tracebackhide__ = True
        if not is_read_once(response):
            yield
            return
        use = _Use(response, outcome, started)
        with self._lock:
            uses = self._uses.setdefault(id(response), [])
            others = [other for other in uses if other.outcome is not outcome and other.ended > started]
            uses.append(use)
        for other in others:
            other.outcome.fail(_error(other))
        try:
            if others:
                raise _error(use)
            yield
        finally:
            use.ended = perf_counter()


def is_read_once(response: object) -> bool:
    """Whether a response is a cursor or an iterator; a stub may return one constant list to all calls."""
    return any(hasattr(type(response), name) for name in ("fetchall", "__next__"))


def _error(use: _Use) -> SharedCursorError:
    return SharedCursorError(
        f"{use.outcome.run.case.search} returned the same {type(use.cursor).__name__} to two searches at once: make a "
        "cursor (or a connection) for each call, or use --relevance-concurrency=1",
        pytrace=False,
    )
