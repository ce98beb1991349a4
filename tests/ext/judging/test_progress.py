"""How far long work is, on a terminal and in a log."""

from collections.abc import Iterator

from pytest_relevance.ext.judging.progress import Progress, time_left


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def steps(
    progress: Progress, clock: Clock, number: int, seconds: float
) -> Iterator[None]:
    for _ in range(number):
        clock.now += seconds
        progress.advance()
        yield


def test_a_log_has_a_line_for_each_tenth() -> None:
    written: list[str] = []
    clock = Clock()
    progress = Progress("asked", 200, written.append, is_terminal=False, clock=clock)
    list(steps(progress, clock, 200, 3.0))
    progress.end()
    assert len(written) == 10
    assert written[0] == "asked 20 of 200, about 9 min left\n"
    assert written[8] == "asked 180 of 200, about 60 s left\n"
    assert time_left(7800) == "2 h 10 min"
    assert written[-1] == "asked 200 of 200\n"


def test_a_terminal_has_one_line_that_moves_and_goes() -> None:
    written: list[str] = []
    clock = Clock()
    progress = Progress("read", 1200, written.append, is_terminal=True, clock=clock)
    progress.advance(0)
    list(steps(progress, clock, 1200, 0.01))
    progress.end()
    assert written[0] == "\rread 0 of 1,200"
    assert len(written) < 130, "ten times a second at most"
    assert not any("\n" in text for text in written)
    assert written[60].startswith("\rread 6")
    assert "left" in written[60]
    assert written[-1] == "\r" + " " * len(written[-2].strip()) + "\r"
