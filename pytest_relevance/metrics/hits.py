"""Looking the results up in the judgments: what turns lists of ids into arrays.

This is where the time of a batch goes, so each result is touched once, in C, and everything after works on the judged
results alone. How the ids are looked up depends on the shape of the data; the outcome does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from operator import attrgetter, getitem

import numpy as np

from .compiled import UNJUDGED_CODE, Grades, Indexes, Judgments, Mask, Rankings
from .settings import Settings

# Up to so many judgments, and beyond so many results, searching the list for each judged document beats hashing every
# result.
_FEW_JUDGMENTS = 8
_MANY_RESULTS = 64


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The judged results of a batch, each document at its first rank, sorted by query and then by rank.

    `query`, `rank` (both 0-based) and `grade` have one element a hit; `first` gives for each query the index of its
    first hit, `counts` their number.
    """

    query: Indexes
    rank: Indexes
    grade: Grades
    first: Indexes
    counts: Indexes

    def position(self) -> Indexes:
        """Give the place of each hit among the hits of its query, from 0."""
        return np.arange(self.query.size) - self.first[self.query]


def find_hits(judgments: Judgments, rankings: Rankings, depth: int | None, settings: Settings, zeros: bool) -> Hits:
    """Find the judged results down to `depth` (None: all); `rankings` hold the same queries in the same order.

    Where it is cheaper, documents of grade 0 are left out unless `zeros` asks for them. With `unjudged="skip"` the
    ranks are closed up (call it with depth None and with `zeros`).
    """
    lengths = np.fromiter(map(len, rankings.lists), np.intp, len(rankings.lists))
    if depth is not None and lengths.max(initial=0) <= depth:
        depth = None
    if depth is not None:
        np.minimum(lengths, depth, out=lengths)
    try:
        query, rank, grade = _find(judgments, rankings.lists, lengths, depth, zeros)
    except TypeError:  # an id that cannot be looked up, such as a list
        rankings.check_ids()
        raise
    counts = np.bincount(query, minlength=lengths.size)
    if _hides_ids(judgments, rankings, (counts == 0) & (judgments.counts > 0) & (lengths > 0)):
        return find_hits(judgments.with_text_ids(), rankings.with_text_ids(), depth, settings, zeros)
    if settings.unjudged == "skip" and settings.negative == "zero":
        kept = np.flatnonzero(grade >= 0)
        query, rank, grade = query[kept], rank[kept], grade[kept]
        counts = np.bincount(query, minlength=lengths.size)
    hits = Hits(query, rank, grade, np.cumsum(counts) - counts, counts)
    if settings.unjudged == "skip":
        return Hits(query, hits.position(), grade, hits.first, counts)
    return hits


def _hides_ids(judgments: Judgments, rankings: Rankings, silent: Mask) -> bool:
    """Say whether a query without a judged result has ids that are no text, which match no text that looks the same.

    Only the first id of each side is looked at. Where ids of the same kind meet, they match as they are.
    """
    return any(
        not isinstance(next(iter(judgments.tables[number])), str) or not isinstance(rankings.lists[number][0], str)
        for number in np.flatnonzero(silent).tolist()
    )


def _find(
    judgments: Judgments, rankings: list[Sequence[str]], lengths: Indexes, depth: int | None, zeros: bool
) -> tuple[Indexes, Indexes, Grades]:
    """Give query, rank and grade of the judged results, in the order of queries and ranks."""
    searched = (judgments.counts <= _FEW_JUDGMENTS) & (lengths > _MANY_RESULTS)
    if not searched.any():
        return _look_up(judgments, rankings, lengths, depth)
    query, rank, grade = _search(judgments, rankings, searched, depth, zeros)
    if not searched.all():
        rest = [() if skip else ranking for skip, ranking in zip(searched.tolist(), rankings, strict=True)]
        more = _look_up(judgments, rest, np.where(searched, 0, lengths), depth)
        query, rank = np.concatenate((query, more[0])), np.concatenate((rank, more[1]))
        grade = np.concatenate((grade, more[2]))
    order = np.lexsort((rank, query))
    return query[order], rank[order], grade[order]


def _look_up(
    judgments: Judgments, rankings: list[Sequence[str]], lengths: Indexes, depth: int | None
) -> tuple[Indexes, Indexes, Grades]:
    """Look every result up in the table of its query.

    A grade is taken out of a copy of the table, so that it is found for the first copy of a document and not for a
    later one. This costs less than comparing len(set(ids)), and a fresh copy is in the processor's cache.
    """
    takers = map(_POP, map(dict.copy, judgments.tables))
    # The slices are made one at a time: 100,000 lists alive at once would keep the garbage collector busy.
    slices: Iterable[Sequence[str]] = rankings if depth is None else map(getitem, rankings, repeat(slice(depth)))
    grades: Grades
    if judgments.grades.dtype == np.uint8:
        found = chain.from_iterable(map(map, takers, slices, repeat(repeat(UNJUDGED_CODE))))
        grades = np.frombuffer(bytes(found), np.uint8)
        index = np.flatnonzero(grades != UNJUDGED_CODE)
    else:
        found = chain.from_iterable(map(map, takers, slices, repeat(repeat(np.nan))))
        grades = np.fromiter(found, np.float64, int(lengths.sum()))
        index = np.flatnonzero(grades == grades)
    query = np.repeat(np.arange(lengths.size), lengths)[index]
    return query, index - (np.cumsum(lengths) - lengths)[query], grades[index]


_POP = attrgetter("pop")


def _search(
    judgments: Judgments, rankings: list[Sequence[str]], searched: Mask, depth: int | None, zeros: bool
) -> tuple[Indexes, Indexes, Grades]:
    """Search the rankings for each judged document: `index` gives the first rank, so copies need no care."""
    queries: list[int] = []
    ranks: list[int] = []
    grades: list[float] = []
    for query in np.flatnonzero(searched).tolist():
        find = rankings[query].index
        for document, grade in judgments.tables[query].items():
            if grade or zeros:
                try:
                    ranks.append(find(document) if depth is None else find(document, 0, depth))
                except ValueError:
                    continue
                queries.append(query)
                grades.append(grade)
    return np.array(queries, np.intp), np.array(ranks, np.intp), np.array(grades, judgments.grades.dtype)
