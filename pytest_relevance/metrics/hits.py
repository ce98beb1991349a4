"""The judged results of many queries as arrays, their gains, and the ideal DCG of each query.

Most of the time of a batch goes into looking the results up, so each is read once, in C, and all later steps use the
judged results alone. How the ids are looked up depends on the shape of the data; the outcome does not.

Gains are those of `Settings.gain_of`, because numpy's powers of two differ at some fractions, and sums run rank by rank
through `bincount`, because other sums of numpy add in another order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, compress, repeat
from operator import attrgetter, getitem, itemgetter

import numpy as np

from .compiled import (
    UNJUDGED_CODE,
    CompiledJudgments,
    CompiledRankings,
    Floats,
    Grades,
    Indexes,
    Mask,
    count_by_query,
)
from .measures import ranks_needed
from .names import Metric
from .settings import Settings, discount_table

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
    judgments: CompiledJudgments,
    rankings: CompiledRankings,
    metrics: Sequence[Metric],
    settings: Settings,
) -> tuple[Hits, CompiledJudgments, CompiledRankings]:
    """Find the judged results that the metrics need; `rankings` has the same queries in the same order.

    Judgments and rankings are returned too, with ids that are text where some are text and others are not.

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
    if _hides_ids(
        judgments, rankings, (counts == 0) & (judgments.counts > 0) & (lengths > 0)
    ):
        return find_hits(
            judgments.with_text_ids(), rankings.with_text_ids(), metrics, settings
        )
    if settings.unjudged == "skip" and settings.negative == "zero":
        kept = np.flatnonzero(grade >= 0)
        query, rank, grade = query[kept], rank[kept], grade[kept]
        counts = np.bincount(query, minlength=lengths.size)
    first = np.cumsum(counts) - counts
    if settings.unjudged == "skip":
        rank = np.arange(query.size) - first[query]
    return Hits(query, rank, grade, first, counts), judgments, rankings


def _depth(metrics: Sequence[Metric], settings: Settings) -> int | None:
    """Say how deep the results have to be looked at; None for all of them."""
    ranks = [ranks_needed(metric, settings) for metric in metrics]
    known = [rank for rank in ranks if rank is not None]
    return max(known) if known and len(known) == len(ranks) else None


def _zeros_matter(metrics: Sequence[Metric], settings: Settings) -> bool:
    """Say whether any score depends on a document of grade 0 that was returned."""
    if settings.unjudged == "skip" or any(
        metric.measure in _COUNT_ZEROS for metric in metrics
    ):
        return True
    if isinstance(settings.gain, str):
        return False
    return settings.gain.get(0.0, 0.0) != 0


def _hides_ids(
    judgments: CompiledJudgments, rankings: CompiledRankings, without_hits: Mask
) -> bool:
    """Say whether a query without a judged result has ids that are no text: the integer 7 does not match "7".

    Only the first id of each side is looked at. Where ids of the same kind meet, they match as they are.
    """
    chosen = without_hits.tolist()
    judged = map(next, map(iter, compress(judgments.tables, chosen)))
    returned = map(_FIRST, compress(rankings.lists, chosen))
    return not all(
        issubclass(kind, str) for kind in {*map(type, judged), *map(type, returned)}
    )


def _find(
    judgments: CompiledJudgments,
    rankings: list[Sequence[str]],
    lengths: Indexes,
    depth: int | None,
    zeros: bool,
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
    if (
        chosen is None
        and depth is not None
        and judgments.grades.size <= _FEW_JUDGMENTS * len(tables)
    ):
        # Of few judgments few are in the top ranks: most queries are done with one question to their table.
        chosen = ~np.fromiter(
            map(_IS_DISJOINT, map(dict.keys, tables), _slices(rankings, depth)),
            np.bool_,
            len(tables),
        )
    numbers = np.arange(len(tables))
    if chosen is not None:
        numbers, lengths = np.flatnonzero(chosen), lengths[chosen]
        tables, rankings = (
            list(compress(tables, chosen.tolist())),
            list(compress(rankings, chosen.tolist())),
        )
    takers = map(_POP, map(dict.copy, tables))
    grades: Grades
    if judgments.grades.dtype == np.uint8:
        found = chain.from_iterable(
            map(map, takers, _slices(rankings, depth), repeat(repeat(UNJUDGED_CODE)))
        )
        grades = np.frombuffer(bytes(found), np.uint8)
        index = np.flatnonzero(grades != UNJUDGED_CODE)
    else:
        found = chain.from_iterable(
            map(map, takers, _slices(rankings, depth), repeat(repeat(np.nan)))
        )
        grades = np.fromiter(found, np.float64, int(lengths.sum()))
        index = np.flatnonzero(grades == grades)
    place = np.repeat(np.arange(lengths.size), lengths)[index]
    return numbers[place], index - (np.cumsum(lengths) - lengths)[place], grades[index]


def _slices(
    rankings: Sequence[Sequence[str]], depth: int | None
) -> Iterable[Sequence[str]]:
    """Cut the rankings, one at a time: 100,000 lists in memory at once would slow down the garbage collector."""
    return rankings if depth is None else map(getitem, rankings, repeat(slice(depth)))


_FIRST = itemgetter(0)
_IS_DISJOINT: Callable[..., bool] = type({}.keys()).isdisjoint
_POP = attrgetter("pop")


def _search(
    judgments: CompiledJudgments,
    rankings: list[Sequence[str]],
    searched: Mask,
    depth: int | None,
    zeros: bool,
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
                    ranks.append(
                        find(document) if depth is None else find(document, 0, depth)
                    )
                except ValueError:
                    continue
                queries.append(query)
                grades.append(grade)
    return (
        np.array(queries, np.intp),
        np.array(ranks, np.intp),
        np.array(grades, judgments.grades.dtype),
    )


def check_grades(judgments: CompiledJudgments, settings: Settings) -> None:
    """Check that each grade has a gain. Raises ValueError, naming query and document, where one has none."""
    grades = judgments.grades
    # A formula that has a gain for the highest grade has one for every grade.
    asked = [grades.max()] if settings.increasing and grades.size else np.unique(grades)
    if any(_complaint(float(grade), settings) for grade in asked):
        judgments.refuse(lambda grade: _complaint(grade, settings))


def highest_grade(judgments: CompiledJudgments, settings: Settings) -> float | None:
    """Give the top of the scale: `max_grade`, or the highest grade of all judgments; None when there are none.

    Raises ValueError, naming query and document, where a judgment is above `max_grade`.
    """
    highest = float(judgments.grades.max()) if judgments.grades.size else None
    allowed = settings.max_grade
    if allowed is None:
        return highest
    if highest is not None and highest > allowed:
        judgments.refuse(
            lambda grade: (
                f"grade {grade:g} is above max_grade {allowed:g}"
                if grade > allowed
                else ""
            )
        )
    return allowed


def gains_of(grades: Grades, settings: Settings) -> Floats:
    """Give the gain of each grade."""
    gains: Floats
    if grades.dtype == np.uint8:
        gains = _byte_gains(settings)[grades]
    elif settings.gain == "linear":
        gains = np.maximum(grades, 0.0) if settings.negative == "zero" else grades
    else:
        distinct, place = np.unique(grades, return_inverse=True)
        gains = np.fromiter(
            map(settings.gain_of, distinct.tolist()), np.float64, distinct.size
        )[place]
    return gains


@lru_cache(maxsize=64)
def _byte_gains(settings: Settings) -> Floats:
    """Tabulate the gains of 0..255; 0 for grades that have none, which do not occur once `check_grades` has passed."""
    table = np.zeros(256)
    for grade in range(256):
        with suppress(ValueError):
            table[grade] = settings.gain_of(grade)
    return table


def with_gain(judgments: CompiledJudgments, settings: Settings) -> Mask:
    """Say which queries have a judged document with a gain above 0."""
    positive = gains_of(judgments.grades, settings) > 0
    return count_by_query(positive, judgments.first, judgments.counts) > 0


def discounts(settings: Settings, ranks: int) -> Floats:
    """Give the discounts of the first ranks as an array."""
    return np.array(discount_table(settings.discount, ranks)[:ranks])


def discounted_sums(
    query: Indexes, rank: Indexes, gains: Floats, queries: int, settings: Settings
) -> Floats:
    """Sum gain / discount for each query; the elements must be in rank order, which is the order of addition."""
    table = discounts(settings, int(rank.max()) + 1 if rank.size else 0)
    return sums(query, gains / table[rank], queries)


def sums(query: Indexes, values: Grades, queries: int) -> Floats:
    """Sum the values of each query, shape (`queries`,), adding them in the given order."""
    added: Floats = np.bincount(query, values, minlength=queries).astype(
        np.float64, copy=False
    )
    return added  # without any values bincount would give integers


def ideal_dcg(
    grades: Grades, first: Indexes, counts: Indexes, k: int | None, settings: Settings
) -> Floats:
    """Give for each query the DCG of its grades sorted by gain, cut at `k`, documents without a gain above 0 left out.

    The grades of a query begin at its index `first`; `counts` is their number. They are sorted in rows of about equal
    length.
    """
    # A formula never gives a higher grade a lower gain, so that only the best k grades need a gain; a mapping may.
    keys = grades if settings.increasing else gains_of(grades, settings)
    if keys.dtype == np.uint8:
        keys = keys.astype(np.int16)  # which numpy sorts in a tenth of the time
    ideal = np.zeros(first.size)
    # Rows of one class are at most twice as long as the shortest, so the padding never doubles the memory.
    classes = np.frexp(counts)[1]
    for width_class in np.unique(classes[counts > 0]).tolist():
        rows = np.flatnonzero(classes == width_class)
        inside = (
            keys
            if rows.size == first.size
            else keys[np.repeat(classes == width_class, counts)]
        )
        there = np.arange(counts[rows].max()) < counts[rows, None]
        padded = np.zeros(there.shape, keys.dtype)
        padded[there] = inside
        padded.sort(axis=1)
        best = padded[:, ::-1][:, :k]
        if settings.increasing:
            best = gains_of(best.ravel().astype(grades.dtype), settings).reshape(
                best.shape
            )
        terms = np.maximum(best, 0) / discounts(settings, best.shape[1])
        ideal[rows] = np.cumsum(terms, axis=1)[
            :, -1
        ]  # which adds rank by rank, as sum() does not
    return ideal


def repeated_ideal(top: float | None, ranks: Indexes, settings: Settings) -> Floats:
    """Give for each query the DCG of the top grade at each of its `ranks`."""
    if top is None or not ranks.size or settings.gains[top] <= 0:
        return np.zeros(ranks.size)
    gain = settings.gains[top]
    longest = int(ranks.max())
    terms = (
        gain / discount
        for discount in discount_table(settings.discount, longest)[:longest]
    )
    return np.array(list(accumulate(terms, initial=0.0)))[ranks]


def _complaint(grade: float, settings: Settings) -> str:
    try:
        settings.gain_of(grade)
    except ValueError as error:
        return str(error)
    return ""
