"""The clocks of a run: how long a search took, and what time it is.

A test may stop the time. freezegun, for example, replaces the functions of the module
`time`, and every attribute of a module that is one of these functions. By a clock that
stands still, each latency is 0 and meets its bound. So a class keeps the functions
here, because freezegun does not look into classes. This module is imported when pytest
loads the plugin, before any conftest.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial


class _Clocks:
    """Python's clocks, as they were when pytest loaded the plugin.

    `measuring`: the clock of all latencies.
    `other`: a second clock. A tool that stops the first clock may have forgotten this
        one.
    """

    measuring = staticmethod(time.perf_counter)
    wall = staticmethod(time.time)
    other = staticmethod(time.monotonic)
    if hasattr(time, "clock_gettime"):  # not on Windows
        other = staticmethod(partial(time.clock_gettime, time.CLOCK_MONOTONIC))


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """A moment on two clocks, in seconds. Only differences of moments mean anything."""

    measured: float
    other: float

    def seconds_until(self, end: Moment) -> float | None:
        """Return the seconds until another moment; None if the clock cannot be trusted.

        It cannot be trusted if it went back, or if it stood still while the other clock
        went on.
        """
        seconds = end.measured - self.measured
        is_stopped = seconds == 0 and end.other > self.other
        if is_stopped or seconds < 0:
            return None
        return seconds

    def after_pause(self, begin: Moment, end: Moment) -> Moment:
        """Return this moment moved by a later pause, so that the pause does not count.

        `begin`, `end`: the first and the last moment of the pause.
        """
        return Moment(
            measured=self.measured + end.measured - begin.measured,
            other=self.other + end.other - begin.other,
        )


def now() -> Moment:
    """Return the present moment."""
    return Moment(measured=_Clocks.measuring(), other=_Clocks.other())


def seconds_since(start: Moment) -> float | None:
    """Return the seconds since a moment; None if the clock cannot be trusted."""
    return start.seconds_until(now())


def wall_time() -> float:
    """Return the time of day in seconds since 1970."""
    return _Clocks.wall()
