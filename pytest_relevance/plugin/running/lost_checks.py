"""Report failures of `relevance.check` whose exceptions were lost, as they ended a thread or a task of the test."""

from __future__ import annotations

from types import FrameType

import pytest

from pytest_relevance.plugin.running.case_run import RAISED

_RUNNERS = ("threading", "concurrent.futures", "multiprocessing", "asyncio", "anyio", "trio", "joblib")
"""The modules that call a function in another thread, or later, and catch its exceptions."""

_UNHANDLED = pytest.PytestUnhandledThreadExceptionWarning
"""The warning of pytest about a thread that ended in an exception.

A call raises it where warnings are errors.
"""


def raise_lost_check(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Make a call fail with the exception of a check that was lost in another thread or task.

    The outermost frame of the traceback shows whether it was lost: it is a frame of the test's own code if the
    exception was caught there or reached the test, and a frame of the module that ran the thread if it was lost.
    """
    raised = item.stash.get(RAISED, None)
    if not raised:
        return
    lost = next((error for error in raised if is_runner(_outermost_frame(error))), None)
    raised.clear()
    if lost is not None and (call.excinfo is None or call.excinfo.errisinstance(_UNHANDLED)):
        call.excinfo = pytest.ExceptionInfo.from_exception(lost)


def _outermost_frame(error: BaseException) -> FrameType | None:
    return None if error.__traceback__ is None else error.__traceback__.tb_frame


def is_runner(frame: FrameType | None) -> bool:
    """Whether a frame belongs to a module that calls functions in other threads, or later."""
    module = "" if frame is None else str(frame.f_globals.get("__name__"))
    return f"{module}.".startswith(tuple(f"{runner}." for runner in _RUNNERS))
