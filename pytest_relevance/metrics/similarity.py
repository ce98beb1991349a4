"""Compare two rankings: Jaccard, overlap, rank-biased overlap, Kendall's tau.

Rankings are sequences of document ids, best first. A document that occurs twice counts
once, at its first rank. No judgments are needed.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from .metric import DEFAULT_PERSISTENCE, Metric

Ranking = Sequence[Hashable]


def similarity(
    metric: Metric,
    first: Sequence[str],
    second: Sequence[str],
    *,
    finds_nothing: bool = False,
) -> float:
    """Return the similarity of the top k of two rankings, by one of `SIMILARITIES`.

    Two empty rankings have 0.0, because nothing says that they are right.

    `finds_nothing`: whether the case expects no results. Then two empty rankings have
        1.0.
    """
    one, two = first[: metric.k], second[: metric.k]
    if not one and not two:
        return 1.0 if finds_nothing else 0.0
    if list(one) == list(two):
        return 1.0
    return SIMILARITIES[metric.measure].compare(metric, one, two)


def jaccard(first: Ranking, second: Ranking, k: int | None = None) -> float:
    """Return the number of documents in both rankings / of those in either ranking.

    Only the top k of each count (all without `k`), in any order. Two empty rankings
    have 1.0. If only one is empty, the value is 0.0.

    Raises:
        ValueError: a ranking is text, or `k` is not a whole number from 1 on.
    """
    one, two = _top(first, k), _top(second, k)
    either = len(one | two)
    return len(one & two) / either if either else 1.0


def overlap(first: Ranking, second: Ranking, k: int | None = None) -> float:
    """Return the number of documents in both rankings / in the longer ranking.

    Only the top k count (all without `k`). Two equal rankings have 1.0, however short
    they are. Two empty rankings have 1.0.

    Raises:
        ValueError: a ranking is text, or `k` is not a whole number from 1 on.
    """
    one, two = _top(first, k), _top(second, k)
    longer = max(len(one), len(two))
    return len(one & two) / longer if longer else 1.0


def rbo(first: Ranking, second: Ranking, p: float = 0.9) -> float:
    """Return the extrapolated rank-biased overlap, RBO_ext, from 0 to 1.

    It is the mean overlap over all depths; depth d has the weight (1 - p) p^(d - 1).
    Ranks below the shorter ranking are assumed to agree as the ranks above them do.
    With p = 0.9 the first ten ranks have 86 % of the weight. Equal rankings have 1.0,
    also two empty ones. Rankings without a common document have 0.0.

    Source: Webber, Moffat & Zobel, TOIS 28(4), 2010, equation 32.

    Raises:
        ValueError: a ranking is text, or `p` is not between 0 and 1.
    """
    if not 0.0 < p < 1.0:
        raise ValueError(
            f"the persistence p of RBO is a number between 0 and 1, not {p!r}"
        )
    one, two = _distinct(first), _distinct(second)
    short, long = sorted((len(one), len(two)))
    if not short:
        return 0.0 if long else 1.0
    shared = _shared_by_depth(one, two)
    shared_short, shared_long = shared[short - 1], shared[long - 1]
    total = 0.0
    weight = 1.0
    for depth, count in enumerate(shared, start=1):
        weight *= p
        total += count / depth * weight
        if depth > short:
            total += shared_short * (depth - short) / (short * depth) * weight
    # Below both rankings the agreement is assumed to stay as it is at their ends.
    extrapolated = (1.0 - p) / p * total
    extrapolated += (
        (shared_long - shared_short) / long + shared_short / short
    ) * weight
    return min(1.0, extrapolated)


def kendall_tau(first: Ranking, second: Ranking) -> float:
    """Return Kendall's tau, from -1 to 1: the correlation of the two orders.

    It is the share of pairs of documents in equal order, less the share in opposite
    order. Only documents that both rankings have count. NaN if these are fewer than
    two.

    Source: Kendall 1938.

    Raises:
        ValueError: a ranking is text.
    """
    ranks = {document: rank for rank, document in enumerate(_distinct(second))}
    places = [ranks[document] for document in _distinct(first) if document in ranks]
    pairs = len(places) * (len(places) - 1) // 2
    if not pairs:
        return math.nan
    earlier: list[int] = []
    in_order = 0
    for place in places:
        # those before it in both rankings
        in_order += bisect_left(earlier, place)
        insort(earlier, place)
    return 1.0 - 2.0 * (pairs - in_order) / pairs


def _distinct(ranking: Ranking) -> list[Hashable]:
    """Return a ranking without later copies. Raises ValueError for a text."""
    if isinstance(ranking, (str, bytes)):
        raise ValueError(
            f"a ranking is a list of document ids, not the text {ranking!r}"
        )
    return list(dict.fromkeys(ranking))


def _top(ranking: Ranking, k: int | None) -> set[Hashable]:
    """Return the documents in the first k ranks. Raises ValueError if k is below 1."""
    if k is not None and k < 1:
        raise ValueError(f"the cutoff k is a whole number from 1 on, not {k!r}")
    return set(_distinct(ranking if k is None else ranking[:k]))


def _shared_by_depth(one: Ranking, two: Ranking) -> list[int]:
    """Return how many documents both rankings have in their top 1, 2, 3, ..."""
    places = {document: place for place, document in enumerate(two)}
    shared_from: Counter[int] = Counter()
    for place, document in enumerate(one):
        if document in places:
            # both tops have the document from the deeper of its two places on
            shared_from[max(place, places[document])] += 1
    longer = max(len(one), len(two))
    return list(accumulate(shared_from[depth] for depth in range(longer)))


def _compare_overlap(metric: Metric, one: Ranking, two: Ranking) -> float:
    return overlap(one, two)


def _compare_jaccard(metric: Metric, one: Ranking, two: Ranking) -> float:
    return jaccard(one, two)


def _compare_rbo(metric: Metric, one: Ranking, two: Ranking) -> float:
    """Return the RBO of two rankings, in which missing ranks do not agree.

    `rbo` assumes that the ranks below the shorter ranking agree as the ranks above them
    do. But a search that returns less than before has changed. So the shorter ranking
    is filled up with documents that no ranking has.
    """
    short, long = sorted((_distinct(one), _distinct(two)), key=len)
    missing = range(len(long) - len(short))  # integers, while all ids are text
    return rbo([*short, *missing], long, metric.p)


@dataclass(frozen=True, slots=True)
class SimilarityMeasure:
    """One row of `SIMILARITIES`, with the fields of `measures.Measure`."""

    name: str
    about: str
    compare: Callable[[Metric, Ranking, Ranking], float]
    cutoff: str = "optional"
    parameters: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    default_p: float = DEFAULT_PERSISTENCE


SIMILARITIES: Mapping[str, SimilarityMeasure] = {
    "overlap": SimilarityMeasure(
        name="overlap",
        about="share of the top k that the accepted ranking has in its top k.",
        compare=_compare_overlap,
        cutoff="required",
    ),
    "Jaccard": SimilarityMeasure(
        name="Jaccard",
        about=(
            "documents that the top k of both this ranking and the "
            "accepted one have, of those that either has."
        ),
        compare=_compare_jaccard,
        cutoff="required",
    ),
    "RBO": SimilarityMeasure(
        name="RBO",
        about=(
            "rank-biased overlap with the accepted ranking (p is 0.9 unless written)."
        ),
        compare=_compare_rbo,
        parameters=("p",),
        default_p=0.9,
    ),
}
"""The measures between two rankings, by name."""
