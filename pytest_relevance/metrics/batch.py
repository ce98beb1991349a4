"""The measures over a batch of queries, with numpy: what `evaluate` and the comparison of runs use.

Each measure is defined in the docstring of the function of the same name in `measures`; here it is computed for all
queries at once, to the same bits. Everything works on arrays with an element for each judged result (`Hits`), and sums
them query by query with `bincount`, which adds in rank order as `measures` does. A change here needs the same change
there. What is seldom asked for is scored there, one query at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, repeat
from operator import getitem, mul

import numpy as np

from .compiled import (
    CompiledJudgments,
    CompiledRankings,
    Floats,
    Indexes,
    Mask,
    count_by_query,
)
from .hits import (
    Hits,
    check_grades,
    discounted_sums,
    find_hits,
    gains_of,
    highest_grade,
    ideal_dcg,
    repeated_ideal,
    sums,
    with_gain,
)
from .measures import inferred_precision, satisfaction, score
from .names import Metric, MetricError
from .ndcg import grade_ranking
from .settings import Settings

_GAIN_MEASURES = ("nDCG", "DCG")


def score_batch(
    metrics: Sequence[Metric],
    judgments: CompiledJudgments,
    rankings: CompiledRankings,
    settings: Settings,
) -> list[Floats]:
    """Score every judged query by every metric: for each metric an array in the order of `judgments.queries`.

    A query without a ranking has an empty one; rankings of queries without judgments are ignored. NaN where a measure
    is not defined, or 0.0 with `undefined="zero"`.

    Raises:
        ValueError: a grade has no gain (nDCG, DCG) or is above `max_grade` (ERR, `ideal="max"`), or an id in a ranking
            cannot be looked up.
    """
    if any(metric.measure in _GAIN_MEASURES for metric in metrics):
        check_grades(judgments, settings)
    ordered = rankings.of(judgments.queries)
    batch = _Batch(*find_hits(judgments, ordered, metrics, settings), settings)
    scores = [
        (_one_by_one if metric.is_own else SCORERS[metric.measure])(metric, batch)
        for metric in metrics
    ]
    if settings.undefined == "zero":
        return [np.where(np.isnan(score), 0.0, score) for score in scores]
    return scores


def _one_by_one(metric: Metric, batch: _Batch) -> Floats:
    """A measure of `measures` that is seldom asked for, or a metric of a project's own, query by query."""
    rankings = zip(
        batch.judgments.queries,
        batch.rankings.lists,
        batch.judgments.tables,
        strict=True,
    )
    scores = []
    for query, ranking, judgments in rankings:
        try:
            scores.append(
                score(metric, grade_ranking(ranking, judgments), batch.settings)
            )
        except MetricError as error:
            raise MetricError(f"query {query!r}: {error}") from error.__cause__
    return np.array(scores, np.float64)


@dataclass(slots=True, eq=False)
class _Batch:
    """A batch with what several measures share, computed when first asked for."""

    hits: Hits
    judgments: CompiledJudgments
    rankings: CompiledRankings
    settings: Settings
    _found_by_level: dict[float, tuple[Indexes, Indexes]] = field(
        default_factory=dict, init=False
    )
    _relevant_by_level: dict[float, Indexes] = field(default_factory=dict, init=False)

    @property
    def queries(self) -> int:
        return len(self.judgments.queries)

    def relevant_hits(
        self, rel: float, k: int | None = None
    ) -> tuple[Indexes, Indexes]:
        """Give query and rank of the relevant hits in the top k."""
        if rel not in self._found_by_level:
            index = np.flatnonzero(self.hits.grade >= rel)
            self._found_by_level[rel] = self.hits.query[index], self.hits.rank[index]
        query, rank = self._found_by_level[rel]
        if k is None or not rank.size or rank.max() < k:
            return query, rank
        top = np.flatnonzero(rank < k)
        return query[top], rank[top]

    def relevant(self, rel: float) -> Indexes:
        """Count the relevant judgments of each query."""
        if rel not in self._relevant_by_level:
            self._relevant_by_level[rel] = self.count_judgments(
                self.judgments.grades >= rel
            )
        return self._relevant_by_level[rel]

    def count_judgments(self, mask: Mask) -> Indexes:
        """Count for each query the judgments that `mask` selects."""
        return count_by_query(mask, self.judgments.first, self.judgments.counts)

    def top(self, k: int | None) -> Indexes:
        """Give the indexes of the hits in the top k."""
        return (
            np.arange(self.hits.rank.size)
            if k is None
            else np.flatnonzero(self.hits.rank < k)
        )

    def returned(self, k: int | None) -> Indexes:
        """Count the distinct results of each query in the top k; the judged ones with `unjudged="skip"`."""
        if self.settings.unjudged == "skip":
            return np.bincount(self.hits.query[self.top(k)], minlength=self.queries)
        lists = map(getitem, self.rankings.lists, repeat(slice(k)))
        return np.fromiter(map(len, map(set, lists)), np.intp, self.queries)

    def judged_hits(self) -> Mask:
        """Say which hits count as judged."""
        if self.settings.negative == "keep":
            return np.ones(self.hits.query.size, np.bool_)
        return self.hits.grade >= 0

    def above(self, mask: Mask) -> Indexes:
        """Count for each hit the hits above it, in its query, that `mask` selects."""
        running: Indexes = np.cumsum(mask, dtype=np.intp) - mask
        return running - running[self.hits.first[self.hits.query]]


def _ratio(numerator: Floats | Indexes, denominator: Floats | Indexes) -> Floats:
    """Divide, with NaN where the denominator is 0."""
    ratio = np.full(numerator.shape, np.nan)
    with np.errstate(
        over="ignore"
    ):  # dividing by a tiny ideal DCG gives infinity, as in `measures`
        np.divide(numerator, denominator, out=ratio, where=denominator != 0)
    return ratio


def _dcg(metric: Metric, batch: _Batch) -> Floats:
    top, hits = batch.top(metric.k), batch.hits
    gains = gains_of(hits.grade[top], batch.settings)
    return discounted_sums(
        hits.query[top], hits.rank[top], gains, batch.queries, batch.settings
    )


def _ndcg(metric: Metric, batch: _Batch) -> Floats:
    ideal = _ideal(metric, batch)
    ndcg = _ratio(_dcg(metric, batch), ideal)
    if batch.settings.ideal == "judged":
        return ndcg
    return np.where(
        with_gain(batch.judgments, batch.settings),
        np.where(ideal == 0, 0.0, ndcg),
        np.nan,
    )


def _ideal(metric: Metric, batch: _Batch) -> Floats:
    judgments, hits, settings = batch.judgments, batch.hits, batch.settings
    if settings.ideal == "judged":
        return ideal_dcg(
            judgments.grades, judgments.first, judgments.counts, metric.k, settings
        )
    if settings.ideal == "returned":
        return ideal_dcg(hits.grade, hits.first, hits.counts, metric.k, settings)
    ranks = (
        batch.returned(None) if metric.k is None else np.full(batch.queries, metric.k)
    )
    return repeated_ideal(highest_grade(judgments, settings), ranks, settings)


def _cg(metric: Metric, batch: _Batch) -> Floats:
    top = batch.top(metric.k)
    grades = batch.hits.grade[top]
    if batch.settings.negative == "zero":
        grades = np.maximum(grades, 0)
    return sums(batch.hits.query[top], grades, batch.queries)


def _top_relevant(metric: Metric, batch: _Batch) -> Indexes:
    query, _ = batch.relevant_hits(metric.rel, metric.k)
    return np.bincount(query, minlength=batch.queries)


def _precision(metric: Metric, batch: _Batch) -> Floats:
    divisor = np.maximum(batch.returned(None), 1) if metric.k is None else metric.k
    return _top_relevant(metric, batch) / divisor


def _recall(metric: Metric, batch: _Batch) -> Floats:
    return _ratio(_top_relevant(metric, batch), batch.relevant(metric.rel))


def _average_precision(metric: Metric, batch: _Batch) -> Floats:
    query, rank = batch.relevant_hits(metric.rel, metric.k)
    found = np.bincount(query, minlength=batch.queries)
    place = np.arange(1, query.size + 1) - (np.cumsum(found) - found)[query]
    return _ratio(
        sums(query, place / (rank + 1), batch.queries), batch.relevant(metric.rel)
    )


def _reciprocal_rank(metric: Metric, batch: _Batch) -> Floats:
    query, rank = batch.relevant_hits(metric.rel, metric.k)
    first = np.flatnonzero(np.diff(query, prepend=-1))
    reciprocal = np.zeros(batch.queries)
    reciprocal[query[first]] = 1.0 / (rank[first] + 1)
    return reciprocal


def _success(metric: Metric, batch: _Batch) -> Floats:
    return (_top_relevant(metric, batch) > 0).astype(np.float64)


def _expected_reciprocal_rank(metric: Metric, batch: _Batch) -> Floats:
    top = highest_grade(batch.judgments, batch.settings)
    total = np.zeros(batch.queries)
    if top is None:
        return total
    chosen = batch.top(metric.k)
    chosen = chosen[batch.hits.grade[chosen] > 0]
    query, rank, grades = (
        batch.hits.query[chosen],
        batch.hits.rank[chosen],
        batch.hits.grade[chosen],
    )
    satisfied = np.fromiter(
        map(satisfaction, grades.tolist(), repeat(top)), np.float64, grades.size
    )
    # Each probability depends on the hits above. So the loop goes down the hits, those of all queries at a time.
    counts = np.bincount(query, minlength=batch.queries)
    first = np.cumsum(counts) - counts
    longest_first = np.argsort(-counts, kind="stable")
    still = np.searchsorted(
        -counts[longest_first], -np.arange(counts.max(initial=0)), side="left"
    )
    reached = np.ones(batch.queries)
    for place, active in enumerate(still.tolist()):
        rows = longest_first[:active]
        index = first[rows] + place
        total[rows] += reached[rows] * satisfied[index] / (rank[index] + 1)
        reached[rows] *= 1.0 - satisfied[index]
    return total


def _rank_biased_precision(metric: Metric, batch: _Batch) -> Floats:
    query, rank = batch.relevant_hits(metric.rel, metric.k)
    return (1.0 - metric.p) * sums(query, _persistence(metric.p, rank), batch.queries)


def _persistence(p: float, rank: Indexes) -> Floats:
    """Give p^rank for each 0-based rank, multiplied up rank by rank."""
    ranks = int(rank.max()) + 1 if rank.size else 1
    weights: Floats = np.array(
        list(accumulate(repeat(p, ranks - 1), mul, initial=1.0))
    )[rank]
    return weights


def _judged(metric: Metric, batch: _Batch) -> Floats:
    assert metric.k is not None
    hits = batch.hits
    judged = count_by_query(
        batch.judged_hits() & (hits.rank < metric.k), hits.first, hits.counts
    )
    return judged / np.maximum(batch.returned(metric.k), 1)


def _bpref(metric: Metric, batch: _Batch) -> Floats:
    total, judgments, hits = batch.relevant(metric.rel), batch.judgments, batch.hits
    wrong, wrong_hits = judgments.grades < metric.rel, hits.grade < metric.rel
    if batch.settings.negative == "zero":
        wrong &= judgments.grades >= 0
        wrong_hits &= hits.grade >= 0
    bound = np.minimum(batch.count_judgments(wrong), total)
    relevant = np.flatnonzero(hits.grade >= metric.rel)
    query = hits.query[relevant]
    above = batch.above(wrong_hits)[relevant]
    share = _ratio(np.minimum(above, total[query]), bound[query])
    preferences = np.where(above > 0, 1.0 - share, 1.0)
    return _ratio(sums(query, preferences, batch.queries), total)


def _r_precision(metric: Metric, batch: _Batch) -> Floats:
    total = batch.relevant(metric.rel)
    query, rank = batch.relevant_hits(metric.rel)
    return _ratio(
        np.bincount(query[rank < total[query]], minlength=batch.queries), total
    )


def _inferred_average_precision(metric: Metric, batch: _Batch) -> Floats:
    is_relevant, judged = batch.hits.grade >= metric.rel, batch.judged_hits()
    relevant = np.flatnonzero(is_relevant)
    kinds = (is_relevant, judged & ~is_relevant, ~judged)
    above = [batch.above(kind)[relevant].tolist() for kind in kinds]
    ranks = batch.hits.rank[relevant].tolist()  # from 0: the number of results above
    inferred = np.fromiter(
        map(inferred_precision, ranks, *above), np.float64, len(ranks)
    )
    return _ratio(
        sums(batch.hits.query[relevant], inferred, batch.queries),
        batch.relevant(metric.rel),
    )


SCORERS: Mapping[str, Callable[[Metric, _Batch], Floats]] = {
    "nDCG": _ndcg,
    "DCG": _dcg,
    "CG": _cg,
    "P": _precision,
    "R": _recall,
    "AP": _average_precision,
    "RR": _reciprocal_rank,
    "ERR": _expected_reciprocal_rank,
    "RBP": _rank_biased_precision,
    "gRBP": _one_by_one,
    "Success": _success,
    "Judged": _judged,
    "Bpref": _bpref,
    "Rprec": _r_precision,
    "infAP": _inferred_average_precision,
}
