"""Failures of `relevance.check` whose exceptions nobody has seen: they ended a thread, or a task, of the test."""

from __future__ import annotations

from types import FrameType

import pytest

from pytest_relevance.plugin.running.case_run import RAISED

_RUNNERS = ("threading", "concurrent.futures", "multiprocessing", "asyncio", "anyio", "trio", "joblib")
"""The modules that call a function in another thread, or later, and keep what it raises."""

_UNHANDLED = pytest.PytestUnhandledThreadExceptionWarning
"""What pytest warns of where a thread ends in an exception, and what a call ends in where warnings are errors."""


def raise_lost_check(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Have a call end in what a check of its test raised, where nobody has seen that.

    An exception that came back to the test, or that the test's own code caught where it was raised, was last unwound
    there; a lost one in the module that called the function of the thread.
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
    """Whether a frame is of a module that calls functions in other threads, or later."""
    module = "" if frame is None else str(frame.f_globals.get("__name__"))
    return f"{module}.".startswith(tuple(f"{runner}." for runner in _RUNNERS))
