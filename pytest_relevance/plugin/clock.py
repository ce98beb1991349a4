"""The clocks of a run: how long a search took, and what time it is.

A test may stop the time. A latency that is measured by a stopped clock would be 0, and
meet its bound. So this module keeps Python's clocks. It is imported when pytest loads
the plugin, before any conftest. The clocks are kept in a class, because freezegun
replaces the functions of the module `time` that are attributes of modules.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial


class _Clocks:
    """Python's clocks, as they were when pytest loaded the plugin.

    `measuring`: the clock of all latencies.
    `wall`: the time of day.
    `other`: a second clock. A tool that stops the measuring clock may miss this one. If
        only this one goes on, the measuring clock was stopped.
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

        A clock is not trusted if it went back, or if it stood still while the second
        clock went on.
        """
        seconds = end.measured - self.measured
        is_stopped = seconds == 0 and end.other > self.other
        if is_stopped or seconds < 0:
            return None
        return seconds

    def after_pause(self, begin: Moment, end: Moment) -> Moment:
        """Return this moment moved on by the length of a later pause.

        A time that is measured from the returned moment leaves out the pause.
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
