"""The clocks of a run: how long a search took, and what time it is.

A test may stop the time. freezegun, for example, replaces the functions of the module
`time`, and every attribute of a loaded module that is one of these functions. A latency
by a clock that stands still is 0, and meets every bound. So the functions are kept in a
class here, because freezegun does not look into classes. This module is imported when
pytest loads the plugin, which is before any conftest.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial


class _Clocks:
    """Python's clocks, as they were when pytest loaded the plugin.

    `measuring` is the clock of all latencies. `other` is a second clock, which a tool
    that stops the first one may have forgotten.
    """

    measuring = staticmethod(time.perf_counter)
    wall = staticmethod(time.time)
    other = staticmethod(time.monotonic)
    if hasattr(time, "clock_gettime"):  # not on Windows
        other = staticmethod(partial(time.clock_gettime, time.CLOCK_MONOTONIC))


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """A moment by two clocks, in seconds. Only differences between moments count."""

    measured: float
    other: float

    def seconds_until(self, end: Moment) -> float | None:
        """Return the seconds to another moment; None if they are not known.

        They are not known if the clock was stopped: no time has passed by it, but some
        has by the other one. Nor if it was set back: it shows less than before.
        """
        seconds = end.measured - self.measured
        is_stopped = seconds == 0 and end.other > self.other
        if is_stopped or seconds < 0:
            return None
        return seconds

    def after_pause(self, begin: Moment, end: Moment) -> Moment:
        """Return a moment from which a pause that came later does not count."""
        return Moment(
            measured=self.measured + end.measured - begin.measured,
            other=self.other + end.other - begin.other,
        )


def now() -> Moment:
    """Return the present moment."""
    return Moment(measured=_Clocks.measuring(), other=_Clocks.other())


def seconds_since(start: Moment) -> float | None:
    """Return the seconds since a moment; None if they are not known."""
    return start.seconds_until(now())


def wall_time() -> float:
    """Return the time of day in seconds since 1970."""
    return _Clocks.wall()
