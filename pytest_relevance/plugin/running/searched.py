"""What the calls of a search for one case returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_relevance.results.responses.ranking import Ranking

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

Timed = tuple[Ranking, float | None]
"""A ranking, and the latency of its call in seconds; None if it could not be
measured.
"""


@dataclass(frozen=True, slots=True)
class Searched:
    """What the calls of a search for one case returned, or the `error` that they
    raised.

    `rankings` has the ranking of each call with its latency. `answer` is the first
    response, before it was read. `calls` is how often the search was called; `asked` is
    the number of results that it was asked for, None if it takes no number.
    `concurrency` is how many searches ran at a time. `is_shared`: the latency is the
    case's share of that of a batch.
    """

    rankings: Sequence[Timed] = ()
    error: BaseException | None = None
    answer: object = None
    calls: int = 1
    asked: int | None = None
    concurrency: int = 1
    is_shared: bool = False

    def read(self) -> Sequence[Timed]:
        """Return the rankings. Raises the error, if there is one."""
        if self.error is not None:
            raise self.error
        return self.rankings
