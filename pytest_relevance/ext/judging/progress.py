"""Show the progress of long work.

A terminal shows one line, and each step rewrites the line. A log gets a line for each
tenth of the work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from time import monotonic

_EVERY = 0.1
"""How often the line on a terminal moves at most, in seconds."""

_TENTHS = 10


@dataclass(eq=False)
class Progress:
    """Shows how much of some work is done: `asked 120 of 500, about 2 min left`.

    `what`: the beginning of the text.
    `total`: the number of steps.
    `write`: writes a text and flushes it.
    `is_terminal`: whether one line is rewritten.
    `clock`: returns the time in seconds.
    """

    what: str
    total: int
    write: Callable[[str], object]
    is_terminal: bool
    clock: Callable[[], float] = monotonic

    def __post_init__(self) -> None:
        """Note when the work begins."""
        self._began = self.clock()
        self._told = -inf
        self._done = 0
        self._tenth = 0
        self._width = 0

    def advance(self, n: int = 1) -> None:
        """Count `n` more steps as done, and show the progress if it is time to.

        On a terminal a text is written at most every 0.1 s, in a log at each tenth of
        the work.
        """
        self._done += n
        now = self.clock()
        if self.is_terminal:
            if now - self._told >= _EVERY:
                self._told = now
                text = self._text(now)
                self.write("\r" + text.ljust(self._width))
                self._width = len(text)
        elif self.total:
            tenth = self._done * _TENTHS // self.total
            if tenth > self._tenth:
                self._tenth = tenth
                self.write(f"{self._text(now)}\n")

    def end(self) -> None:
        """Clear the line on a terminal."""
        if self._width:
            self.write("\r" + " " * self._width + "\r")

    def _text(self, now: float) -> str:
        text = f"{self.what} {self._done:,} of {self.total:,}"
        left = self.total - self._done
        seconds = (now - self._began) / max(self._done, 1) * left
        if self._done and left > 0:
            return f"{text}, about {time_left(seconds)} left"
        return text


def time_left(seconds: float) -> str:
    """Return an estimated time in words: `40 s`, `3 min`, `2 h 10 min`.

    The shortest time is `1 s`.
    """
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
