"""How far long work is: on a terminal one line that moves, in a log a line for each
tenth.
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
    """Tells how much of some work is done, and how much longer it takes:
    `asked 120 of 500, about 2 min left`.

    `what` begins the text, `total` is the number of steps. `write` writes a text and
    flushes it. `clock` gives seconds.
    """

    what: str
    total: int
    write: Callable[[str], object]
    is_terminal: bool
    clock: Callable[[], float] = monotonic

    def __post_init__(self) -> None:
        """Begin."""
        self._began, self._told = self.clock(), -inf
        self._done = self._tenth = self._width = 0

    def advance(self, n: int = 1) -> None:
        """Count `n` more steps as done (0: none, but the line may move); tell it where
        it is time to.
        """
        self._done += n
        now = self.clock()
        if self.is_terminal:
            if now - self._told >= _EVERY:
                self._told, text = now, self._text(now)
                self.write("\r" + text.ljust(self._width))
                self._width = len(text)
        elif self.total and (tenth := self._done * _TENTHS // self.total) > self._tenth:
            self._tenth = tenth
            self.write(f"{self._text(now)}\n")

    def end(self) -> None:
        """Take the line away from the terminal: what comes next says what came of the
        work.
        """
        if self._width:
            self.write("\r" + " " * self._width + "\r")

    def _text(self, now: float) -> str:
        text = f"{self.what} {self._done:,} of {self.total:,}"
        left = self.total - self._done
        seconds = (now - self._began) / max(self._done, 1) * left
        return (
            f"{text}, about {time_left(seconds)} left"
            if self._done and left > 0
            else text
        )


def time_left(seconds: float) -> str:
    """A time that is known roughly: `40 s`, `3 min`, `2 h 10 min`."""
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
