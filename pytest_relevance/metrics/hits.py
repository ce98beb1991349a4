"""Looking the results up in the judgments: what turns lists of ids into arrays.

This is where the time of a batch goes, so each result is touched once, in C, and everything after works on the judged
results alone. How the ids are looked up depends on the shape of the data; the outcome does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

import numpy as np

from .compiled import UNJUDGED_CODE, Grades, Indexes, Judgments, Mask
from .settings import Settings

# Up to so many judgments, and beyond so many results, searching the list for each judged document beats hashing every
# result.
_FEW_JUDGMENTS = 8
_MANY_RESULTS = 64

# Copying a table costs about as much for each judgment as a fourth of looking up a result.
_COPIES_WORTH = 4


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


def find_hits(judgments: Judgments, rankings: Sequence[Sequence[str]], depth: int | None, settings: Settings) -> Hits:
    """Find the judged results down to `depth` (None: all), `rankings[i]` being the ranking of query i.

    With `unjudged="skip"` the ranks are closed up (call it with depth None).
    """
    if depth is not None:
        rankings = [ranking[:depth] for ranking in rankings]
    lengths = np.fromiter(map(len, rankings), np.intp, len(rankings))
    searched = (judgments.counts <= _FEW_JUDGMENTS) & (lengths > _MANY_RESULTS)
    if searched.any():
        query, rank, grade = _search(judgments, rankings, searched)
        if not searched.all():
            rest = [() if skip else ranking for skip, ranking in zip(searched.tolist(), rankings, strict=True)]
            more = _look_up(judgments, rest, np.where(searched, 0, lengths))
            query, rank = np.concatenate((query, more[0])), np.concatenate((rank, more[1]))
            grade = np.concatenate((grade, more[2]))
        order = np.lexsort((rank, query))
        query, rank, grade = query[order], rank[order], grade[order]
    else:
        query, rank, grade = _look_up(judgments, rankings, lengths)
    if settings.unjudged == "skip" and settings.negative == "zero":
        kept = grade >= 0
        query, rank, grade = query[kept], rank[kept], grade[kept]
    counts = np.bincount(query, minlength=len(rankings))
    hits = Hits(query, rank, grade, np.cumsum(counts) - counts, counts)
    if settings.unjudged == "skip":
        return Hits(query, hits.position(), grade, hits.first, counts)
    return hits


def _look_up(
    judgments: Judgments, rankings: Sequence[Sequence[str]], lengths: Indexes
) -> tuple[Indexes, Indexes, Grades]:
    """Look every result up in the table of its query."""
    total = int(lengths.sum())
    if judgments.owners.size <= _COPIES_WORTH * total:
        # Taking a grade out of a copy of the table finds it for the first copy of a document and not for a later one:
        # that costs less than comparing len(set(ids)), and a fresh copy is in the processor's cache.
        takers: Iterator[Callable[..., float]] = (table.copy().pop for table in judgments.tables)
    else:
        takers = (
            table.get if len(set(ranking)) == len(ranking) else table.copy().pop
            for table, ranking in zip(judgments.tables, rankings, strict=True)
        )
    grades: Grades
    if judgments.grades.dtype == np.uint8:
        found = chain.from_iterable(map(map, takers, rankings, repeat(repeat(UNJUDGED_CODE))))
        grades = np.frombuffer(bytes(found), np.uint8)  # type: ignore[arg-type]  # the grades are ints here
        index = np.flatnonzero(grades != UNJUDGED_CODE)
    else:
        found = chain.from_iterable(map(map, takers, rankings, repeat(repeat(np.nan))))
        grades = np.fromiter(found, np.float64, total)
        index = np.flatnonzero(grades == grades)
    query = np.repeat(np.arange(lengths.size), lengths)[index]
    return query, index - (np.cumsum(lengths) - lengths)[query], grades[index]


def _search(judgments: Judgments, rankings: Sequence[Sequence[str]], searched: Mask) -> tuple[Indexes, Indexes, Grades]:
    """Search the rankings for each judged document: `index` gives the first rank, so copies need no care."""
    queries: list[int] = []
    ranks: list[int] = []
    grades: list[float] = []
    for query in np.flatnonzero(searched).tolist():
        find = rankings[query].index
        for document, grade in judgments.tables[query].items():
            try:
                ranks.append(find(document))
            except ValueError:
                continue
            queries.append(query)
            grades.append(grade)
    return np.array(queries, np.intp), np.array(ranks, np.intp), np.array(grades, judgments.grades.dtype)
