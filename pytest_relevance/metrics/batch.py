"""The measures over a batch of queries, with numpy: what `evaluate` and the comparison of runs use.

Each measure is defined in the docstring of the function of the same name in `scalar`; here it is computed for all
queries at once, to the same bits. Everything works on the judged results (`Hits`), an element each, and sums them query
by query with `bincount`, which adds in rank order as `scalar` does. A change here needs the same change there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, repeat
from operator import mul

import numpy as np

from . import gains as gain
from .compiled import Floats, Indexes, Judgments, Mask, Rankings
from .hits import Hits, find_hits
from .names import Metric
from .scalar import inferred_precision, satisfaction
from .settings import Settings

_GAIN_MEASURES = ("nDCG", "DCG")
_WHOLE_RANKING = ("Rprec", "Bpref", "infAP")


def score_batch(
    metrics: Sequence[Metric], judgments: Judgments, rankings: Rankings, settings: Settings
) -> list[Floats]:
    """Score every judged query by every metric: an array of shape (Q,) a metric, in the order of `judgments.queries`.

    A query without a ranking has an empty one; rankings of queries without judgments are ignored. NaN where a measure
    is not defined, or 0.0 with `undefined="zero"`. ValueError for grades that have no gain under these settings.
    """
    if any(metric.measure in _GAIN_MEASURES for metric in metrics):
        gain.check_grades(judgments, settings)
    ordered = rankings.of(judgments.queries)
    depth = _depth(metrics, settings)
    batch = _Batch(judgments, ordered, find_hits(judgments, ordered, depth, settings), settings)
    scores = [SCORERS[metric.measure](metric, batch) for metric in metrics]
    if settings.undefined == "zero":
        return [np.where(np.isnan(score), 0.0, score) for score in scores]
    return scores


def _depth(metrics: Sequence[Metric], settings: Settings) -> int | None:
    """Say how deep the results have to be looked at; None for all of them."""
    if settings.unjudged == "skip" or not metrics:
        return None
    deepest = 0
    for metric in metrics:
        if metric.k is None or (metric.measure == "nDCG" and settings.ideal == "returned"):
            return None
        deepest = max(deepest, metric.k)
    return deepest


@dataclass(slots=True, eq=False)
class _Batch:
    """A batch with what several measures share, computed when first asked for."""

    judgments: Judgments
    rankings: Sequence[Sequence[str]]
    hits: Hits
    settings: Settings
    _hit_gains: Floats | None = field(default=None, init=False)
    _hits_by_level: dict[float, Mask] = field(default_factory=dict, init=False)
    _relevant_by_level: dict[float, Indexes] = field(default_factory=dict, init=False)

    @property
    def queries(self) -> int:
        return len(self.judgments.queries)

    def hit_gains(self) -> Floats:
        if self._hit_gains is None:
            self._hit_gains = gain.gains_of(self.hits.grade, self.settings)
        return self._hit_gains

    def relevant_hits(self, rel: float) -> Mask:
        """Say which hits are relevant."""
        if rel not in self._hits_by_level:
            self._hits_by_level[rel] = self.hits.grade >= rel
        return self._hits_by_level[rel]

    def relevant(self, rel: float) -> Indexes:
        """Count the relevant judgments of each query."""
        if rel not in self._relevant_by_level:
            owners = self.judgments.owners[self.judgments.grades >= rel]
            self._relevant_by_level[rel] = np.bincount(owners, minlength=self.queries)
        return self._relevant_by_level[rel]

    def count(self, mask: Mask) -> Indexes:
        """Count the hits of the mask for each query."""
        return np.bincount(self.hits.query[mask], minlength=self.queries)

    def top(self, mask: Mask, k: int | None) -> Mask:
        """Cut a mask of hits at rank k."""
        return mask if k is None else mask & (self.hits.rank < k)

    def judged_hits(self) -> Mask:
        """Say which hits count as judged."""
        if self.settings.negative == "keep":
            return np.ones(self.hits.query.size, np.bool_)
        return self.hits.grade >= 0

    def above(self, mask: Mask) -> Indexes:
        """Count for each hit the hits of the mask that stand above it in its query."""
        running: Indexes = np.cumsum(mask) - mask
        bases = np.append(running, running[-1] + mask[-1] if mask.size else 0)[self.hits.first]
        above: Indexes = running - bases[self.hits.query]
        return above

    def has_gain(self) -> Mask:
        """Say which queries have a judged document with a gain above 0."""
        judgments = self.judgments
        with_gain = gain.gains_of(judgments.grades, self.settings) > 0
        return np.bincount(judgments.owners[with_gain], minlength=self.queries) > 0


def _ratio(numerator: Floats | Indexes, denominator: Floats | Indexes) -> Floats:
    """Divide, with NaN where the denominator is 0."""
    ratio = np.full(numerator.shape, np.nan)
    np.divide(numerator, denominator, out=ratio, where=denominator != 0)
    return ratio


def _dcg(metric: Metric, batch: _Batch) -> Floats:
    hits, gains = batch.hits, batch.hit_gains()
    query, rank = hits.query, hits.rank
    if metric.k is not None:
        top = rank < metric.k
        query, rank, gains = query[top], rank[top], gains[top]
    return gain.discounted_sums(query, rank, gains, batch.queries, batch.settings)


def _ndcg(metric: Metric, batch: _Batch) -> Floats:
    ideal = _IDEALS[batch.settings.ideal](metric, batch)
    ndcg = _ratio(_dcg(metric, batch), ideal)
    if batch.settings.ideal == "judged":
        return ndcg
    return np.where(batch.has_gain(), np.where(ideal == 0, 0.0, ndcg), np.nan)


def _ideal_judged(metric: Metric, batch: _Batch) -> Floats:
    judgments = batch.judgments
    return gain.ideal_dcg(judgments.grades, judgments.owners, batch.queries, metric.k, batch.settings)


def _ideal_returned(metric: Metric, batch: _Batch) -> Floats:
    return gain.ideal_dcg(batch.hits.grade, batch.hits.query, batch.queries, metric.k, batch.settings)


def _ideal_max(metric: Metric, batch: _Batch) -> Floats:
    top = gain.highest_grade(batch.judgments, batch.settings)
    if metric.k is not None:
        ranks = np.full(batch.queries, metric.k)
    elif batch.settings.unjudged == "skip":
        ranks = batch.hits.counts
    else:
        ranks = np.fromiter(map(len, map(set, batch.rankings)), np.intp, batch.queries)
    return gain.repeated_ideal(top, ranks, batch.settings)


_IDEALS: Mapping[str, Callable[[Metric, _Batch], Floats]] = {
    "judged": _ideal_judged,
    "returned": _ideal_returned,
    "max": _ideal_max,
}


def _cg(metric: Metric, batch: _Batch) -> Floats:
    top = batch.top(batch.judged_hits(), metric.k)
    return gain.sums(batch.hits.query[top], batch.hits.grade[top], batch.queries)


def _top_relevant(metric: Metric, batch: _Batch) -> Indexes:
    return batch.count(batch.top(batch.relevant_hits(metric.rel), metric.k))


def _precision(metric: Metric, batch: _Batch) -> Floats:
    assert metric.k is not None
    return _top_relevant(metric, batch) / metric.k


def _recall(metric: Metric, batch: _Batch) -> Floats:
    return _ratio(_top_relevant(metric, batch), batch.relevant(metric.rel))


def _average_precision(metric: Metric, batch: _Batch) -> Floats:
    relevant = batch.top(batch.relevant_hits(metric.rel), metric.k)
    query = batch.hits.query[relevant]
    found = np.bincount(query, minlength=batch.queries)
    place = np.arange(1, query.size + 1) - (np.cumsum(found) - found)[query]
    precisions = gain.sums(query, place / (batch.hits.rank[relevant] + 1), batch.queries)
    return _ratio(precisions, batch.relevant(metric.rel))


def _reciprocal_rank(metric: Metric, batch: _Batch) -> Floats:
    relevant = np.flatnonzero(batch.top(batch.relevant_hits(metric.rel), metric.k))
    query = batch.hits.query[relevant]
    first = np.flatnonzero(np.diff(query, prepend=-1))
    reciprocal = np.zeros(batch.queries)
    reciprocal[query[first]] = 1.0 / (batch.hits.rank[relevant[first]] + 1)
    return reciprocal


def _success(metric: Metric, batch: _Batch) -> Floats:
    return (_top_relevant(metric, batch) > 0).astype(np.float64)


def _expected_reciprocal_rank(metric: Metric, batch: _Batch) -> Floats:
    top = gain.highest_grade(batch.judgments, batch.settings)
    total = np.zeros(batch.queries)
    if top is None:
        return total
    chosen = batch.top(batch.hits.grade > 0, metric.k)
    query, rank, grades = batch.hits.query[chosen], batch.hits.rank[chosen], batch.hits.grade[chosen]
    satisfied = np.fromiter(map(satisfaction, grades.tolist(), repeat(top)), np.float64, grades.size)
    # Each chance depends on the one before, so the loop runs over the place in the ranking, all queries at a time.
    counts = np.bincount(query, minlength=batch.queries)
    first = np.cumsum(counts) - counts
    longest_first = np.argsort(-counts, kind="stable")
    still = np.searchsorted(-counts[longest_first], -np.arange(counts.max(initial=0)), side="left")
    reached = np.ones(batch.queries)
    for place, active in enumerate(still.tolist()):
        rows = longest_first[:active]
        index = first[rows] + place
        total[rows] += reached[rows] * satisfied[index] / (rank[index] + 1)
        reached[rows] *= 1.0 - satisfied[index]
    return total


def _rank_biased_precision(metric: Metric, batch: _Batch) -> Floats:
    relevant = batch.top(batch.relevant_hits(metric.rel), metric.k)
    query, rank = batch.hits.query[relevant], batch.hits.rank[relevant]
    ranks = int(rank.max()) + 1 if rank.size else 1
    weights = np.array(list(accumulate(repeat(metric.p, ranks - 1), mul, initial=1.0)))
    return (1.0 - metric.p) * gain.sums(query, weights[rank], batch.queries)


def _judged(metric: Metric, batch: _Batch) -> Floats:
    assert metric.k is not None
    return batch.count(batch.top(batch.judged_hits(), metric.k)) / metric.k


def _bpref(metric: Metric, batch: _Batch) -> Floats:
    relevant, total = batch.relevant_hits(metric.rel), batch.relevant(metric.rel)
    judgments, hits = batch.judgments, batch.hits
    wrong = judgments.grades < metric.rel
    if batch.settings.negative == "zero":
        wrong &= judgments.grades >= 0
    bound = np.minimum(np.bincount(judgments.owners[wrong], minlength=batch.queries), total)
    above = batch.above(batch.judged_hits() & ~relevant)[relevant]
    query = hits.query[relevant]
    share = _ratio(np.minimum(above, total[query]), bound[query])
    preferences = np.where(above > 0, 1.0 - share, 1.0)
    return _ratio(gain.sums(query, preferences, batch.queries), total)


def _r_precision(metric: Metric, batch: _Batch) -> Floats:
    total = batch.relevant(metric.rel)
    top = batch.relevant_hits(metric.rel) & (batch.hits.rank < total[batch.hits.query])
    return _ratio(batch.count(top), total)


def _inferred_average_precision(metric: Metric, batch: _Batch) -> Floats:
    relevant, judged = batch.relevant_hits(metric.rel), batch.judged_hits()
    kinds = (relevant, judged & ~relevant, ~judged)
    above = [batch.above(kind)[relevant].tolist() for kind in kinds]
    ranks = batch.hits.rank[relevant].tolist()
    inferred = np.fromiter(map(inferred_precision, ranks, *above), np.float64, len(ranks))
    query = batch.hits.query[relevant]
    return _ratio(gain.sums(query, inferred, batch.queries), batch.relevant(metric.rel))


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
    "Success": _success,
    "Judged": _judged,
    "Bpref": _bpref,
    "Rprec": _r_precision,
    "infAP": _inferred_average_precision,
}
