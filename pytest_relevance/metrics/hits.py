"""Look the results up in the judgments, and convert lists of ids to arrays.

Most of the time of a batch is spent here, so each result is read once, in C, and all later steps use the judged
results alone. How the ids are looked up depends on the shape of the data; the outcome does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, compress, repeat
from operator import attrgetter, getitem, itemgetter

import numpy as np

from .compiled import UNJUDGED_CODE, CompiledJudgments, CompiledRankings, Grades, Indexes, Mask
from .names import Metric
from .scalar import ranks_needed
from .settings import Settings

# Up to so many judgments, and beyond so many results, searching the list for each judged document beats hashing every
# result.
_FEW_JUDGMENTS = 8
_MANY_RESULTS = 64

_COUNT_ZEROS = ("Judged", "Bpref", "infAP")


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


def find_hits(
    judgments: CompiledJudgments, rankings: CompiledRankings, metrics: Sequence[Metric], settings: Settings
) -> Hits:
    """Find the judged results that the metrics need; `rankings` has the same queries in the same order.

    Where it is cheaper, documents of grade 0 are left out unless a score depends on them. With `unjudged="skip"` the
    ranks are renumbered without gaps.

    Raises:
        ValueError: an id in a ranking cannot be looked up because it is neither text nor an integer.
    """
    depth, zeros = _depth(metrics, settings), _zeros_matter(metrics, settings)
    lengths = np.fromiter(map(len, rankings.lists), np.intp, len(rankings.lists))
    if depth is not None and lengths.max(initial=0) <= depth:
        depth = None
    if depth is not None:
        np.minimum(lengths, depth, out=lengths)
    try:
        query, rank, grade = _find(judgments, rankings.lists, lengths, depth, zeros)
    except TypeError:  # an id that cannot be looked up, such as a list
        rankings.with_text_ids()  # names it
        raise
    counts = np.bincount(query, minlength=lengths.size)
    if _hides_ids(judgments, rankings, (counts == 0) & (judgments.counts > 0) & (lengths > 0)):
        return find_hits(judgments.with_text_ids(), rankings.with_text_ids(), metrics, settings)
    if settings.unjudged == "skip" and settings.negative == "zero":
        kept = np.flatnonzero(grade >= 0)
        query, rank, grade = query[kept], rank[kept], grade[kept]
        counts = np.bincount(query, minlength=lengths.size)
    first = np.cumsum(counts) - counts
    if settings.unjudged == "skip":
        rank = np.arange(query.size) - first[query]
    return Hits(query, rank, grade, first, counts)


def _depth(metrics: Sequence[Metric], settings: Settings) -> int | None:
    """Say how deep the results have to be looked at; None for all of them."""
    ranks = [ranks_needed(metric, settings) for metric in metrics]
    known = [rank for rank in ranks if rank is not None]
    return max(known) if known and len(known) == len(ranks) else None


def _zeros_matter(metrics: Sequence[Metric], settings: Settings) -> bool:
    """Say whether any score depends on a document of grade 0 that was returned."""
    if settings.unjudged == "skip" or any(metric.measure in _COUNT_ZEROS for metric in metrics):
        return True
    if isinstance(settings.gain, str):
        return False
    return settings.gain.get(0.0, 0.0) != 0


def _hides_ids(judgments: CompiledJudgments, rankings: CompiledRankings, without_hits: Mask) -> bool:
    """Say whether a query without a judged result has ids that are no text, which match no text that looks the same.

    Only the first id of each side is looked at. Where ids of the same kind meet, they match as they are.
    """
    chosen = without_hits.tolist()
    judged = map(next, map(iter, compress(judgments.tables, chosen)))
    returned = map(_FIRST, compress(rankings.lists, chosen))
    return not all(issubclass(kind, str) for kind in {*map(type, judged), *map(type, returned)})


def _find(
    judgments: CompiledJudgments, rankings: list[Sequence[str]], lengths: Indexes, depth: int | None, zeros: bool
) -> tuple[Indexes, Indexes, Grades]:
    """Give query, rank and grade of the judged results, in the order of queries and ranks."""
    searched = (judgments.counts <= _FEW_JUDGMENTS) & (lengths > _MANY_RESULTS)
    if not searched.any():
        return _look_up(judgments, rankings, lengths, depth)
    query, rank, grade = _search(judgments, rankings, searched, depth, zeros)
    if not searched.all():
        more = _look_up(judgments, rankings, lengths, depth, ~searched)
        query, rank = np.concatenate((query, more[0])), np.concatenate((rank, more[1]))
        grade = np.concatenate((grade, more[2]))
    order = np.lexsort((rank, query))
    return query[order], rank[order], grade[order]


def _look_up(
    judgments: CompiledJudgments,
    rankings: Sequence[Sequence[str]],
    lengths: Indexes,
    depth: int | None,
    chosen: Mask | None = None,
) -> tuple[Indexes, Indexes, Grades]:
    """Look every result of the chosen queries up in the table of its query.

    A grade is taken out of a copy of the table, so that it is found for the first copy of a document and not for a
    later one. This costs less than comparing len(set(ids)), and a fresh copy is in the processor's cache.
    """
    tables: Sequence[dict[str, float]] = judgments.tables
    if chosen is None and depth is not None and judgments.grades.size <= _FEW_JUDGMENTS * len(tables):
        # Of few judgments few are in the top ranks: most queries are done with one question to their table.
        chosen = ~np.fromiter(
            map(_IS_DISJOINT, map(dict.keys, tables), _slices(rankings, depth)), np.bool_, len(tables)
        )
    numbers = np.arange(len(tables))
    if chosen is not None:
        numbers, lengths = np.flatnonzero(chosen), lengths[chosen]
        tables, rankings = list(compress(tables, chosen.tolist())), list(compress(rankings, chosen.tolist()))
    takers = map(_POP, map(dict.copy, tables))
    grades: Grades
    if judgments.grades.dtype == np.uint8:
        found = chain.from_iterable(map(map, takers, _slices(rankings, depth), repeat(repeat(UNJUDGED_CODE))))
        grades = np.frombuffer(bytes(found), np.uint8)
        index = np.flatnonzero(grades != UNJUDGED_CODE)
    else:
        found = chain.from_iterable(map(map, takers, _slices(rankings, depth), repeat(repeat(np.nan))))
        grades = np.fromiter(found, np.float64, int(lengths.sum()))
        index = np.flatnonzero(grades == grades)
    place = np.repeat(np.arange(lengths.size), lengths)[index]
    return numbers[place], index - (np.cumsum(lengths) - lengths)[place], grades[index]


def _slices(rankings: Sequence[Sequence[str]], depth: int | None) -> Iterable[Sequence[str]]:
    """Cut the rankings, one at a time: 100,000 lists in memory at once would slow down the garbage collector."""
    return rankings if depth is None else map(getitem, rankings, repeat(slice(depth)))


_FIRST = itemgetter(0)
_IS_DISJOINT: Callable[..., bool] = type({}.keys()).isdisjoint
_POP = attrgetter("pop")


def _search(
    judgments: CompiledJudgments, rankings: list[Sequence[str]], searched: Mask, depth: int | None, zeros: bool
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
