"""A log: impressions and clicks of each pair of query and document, at each position.

Queries, documents and positions are numbered, so that numpy can count them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

NONE = -1
"""The number of a blank text."""

CLICKS = ("click", "click_through")
IMPRESSIONS = ("impression",)
"""The actions that are clicks and impressions, if the user names no others."""


@dataclass(frozen=True, slots=True)
class LogOptions:
    """What the user says about logs.

    `clicks`, `impressions`: the actions of events that are clicks and impressions.
    `without_clients`: the clients whose searches, events and rows do not count.
    `filtered`: whether searches with filters count.
    """

    clicks: Collection[str] = CLICKS
    impressions: Collection[str] = IMPRESSIONS
    without_clients: Collection[str] = ()
    filtered: bool = False


class Numbering(dict[str, int]):
    """Gives each text a number, from 0, in the order of the first look-ups.

    `names`: the text of each number. A blank text has the number `NONE`.
    `is_stripped`: whether white space around a text is ignored.
    """

    def __init__(self, *, is_stripped: bool = False) -> None:
        super().__init__()
        self.names: list[str] = []
        self._is_stripped = is_stripped

    def __missing__(self, text: str) -> int:
        """Return the number of a text that is looked up for the first time."""
        stripped = text.strip()
        if not stripped:
            number = NONE
        elif self._is_stripped and stripped != text:
            number = self[stripped]
        else:
            number = len(self.names)
            self.names.append(text)
        self[text] = number
        return number

    def of_all(self, texts: Sequence[str]) -> Numbers:
        """Return the number of each text."""
        return np.fromiter(map(self.__getitem__, texts), np.int64, len(texts))


@dataclass(frozen=True, slots=True)
class ClickLog:
    """How often documents were shown and clicked.

    A row is a pair of query and document at one position. Rows are sorted by pair.

    `queries`, `documents`, `positions`: what the numbers stand for.
    `query_of`, `document_of`: the number of the query, and of the document, of a pair.
    `pair`, `position`: for each row, the number of its pair and of its position.
    `impressions`, `clicks`: for each row, how often it was shown and clicked.
    """

    queries: Sequence[str]
    documents: Sequence[str]
    positions: Sequence[int]
    query_of: Numbers
    document_of: Numbers
    pair: Numbers
    position: Numbers
    impressions: Reals
    clicks: Reals

    def by_pair(self, values: Reals) -> Reals:
        """Return the sum of a value of each row, for each pair."""
        return _sums(self.pair, values, len(self.query_of))

    def by_position(self, values: Reals) -> Reals:
        """Return the sum of a value of each row, for each position."""
        return _sums(self.position, values, len(self.positions))

    def by_query(self, values: Reals) -> Reals:
        """Return the sum of a value of each pair, for each query."""
        return _sums(self.query_of, values, len(self.queries))

    def pairs_at_several_positions(self) -> int:
        """Return how many pairs were shown at more than one position."""
        places = np.bincount(self.pair, minlength=len(self.query_of))
        return int((places > 1).sum())

    def rows(self, chosen: Flags) -> ClickLog:
        """Return the log with some of its rows. Pairs keep their numbers."""
        return replace(
            self,
            pair=self.pair[chosen],
            position=self.position[chosen],
            impressions=self.impressions[chosen],
            clicks=self.clicks[chosen],
        )


@dataclass(frozen=True, slots=True)
class Shown:
    """Documents that were shown, in any order: a part of a log that is being read.

    `query`, `document`: numbers of texts. `position`: positions as the log has them.
    """

    query: Numbers
    document: Numbers
    position: Numbers
    impressions: Numbers
    clicks: Numbers


def log_of(
    shown: Sequence[Shown], queries: Sequence[str], documents: Sequence[str]
) -> ClickLog:
    """Return the log of all parts, with one row for each pair and position.

    The impressions and the clicks of a pair at a position are added up over all parts.
    """
    labels = np.concatenate([part.position for part in shown])
    positions, position = np.unique(labels, return_inverse=True)
    # one whole number stands for query, document and position
    key = np.concatenate([part.query for part in shown])
    key *= len(documents)
    key += np.concatenate([part.document for part in shown])
    key *= len(positions)
    key += position
    keys, row = np.unique(key, return_inverse=True)
    impressions = np.concatenate([part.impressions for part in shown])
    clicks = np.concatenate([part.clicks for part in shown])
    pairs, pair = np.unique(keys // len(positions), return_inverse=True)
    return ClickLog(
        queries=queries,
        documents=documents,
        positions=positions.tolist(),
        query_of=pairs // len(documents),
        document_of=pairs % len(documents),
        pair=pair,
        position=keys % len(positions),
        impressions=_sums(row, impressions, len(keys)),
        clicks=_sums(row, clicks, len(keys)),
    )


def _sums(groups: Numbers, values: Numbers | Reals, count: int) -> Reals:
    """Return the sum of the values of each group.

    `groups`: for each value, the number of its group, from 0.
    `count`: how many groups there are.
    """
    return np.asarray(np.bincount(groups, values, minlength=count), np.float64)
