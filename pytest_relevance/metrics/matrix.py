"""Compute the common measures for many queries at once, with numpy.

The grades of the results are in a matrix, by rank and query. `formulas` defines each
measure, in the docstring of its function. Here each measure loops over the ranks, so
that sums run in the same order and give the same bits. A property test compares the
two.

Other measures and settings, a project's own metrics, and scales with very many grades
are scored by `measures`, query after query.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from .checked import CheckedJudgments, CheckedRankings, Floats, Grades
from .measures import is_lower_better, ranks_needed, score
from .metric import Metric, MetricError
from .ndcg import grade_ranking, repeated_indexes
from .settings import Settings, discount_table

Counts = npt.NDArray[np.intp]
Places = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]

_MOST_GRADES = 100
"""The most different grades in a matrix of counts by query and grade."""

_MOST_QUERIES = 4_000
_MOST_CELLS = 1_000_000
"""The most queries, and about the most grades, of one matrix: it stays in the cache."""


def score_batch(
    metrics: Sequence[Metric],
    judgments: CheckedJudgments,
    rankings: CheckedRankings,
    settings: Settings,
) -> list[Floats]:
    """Return the scores of every judged query, in an array for each metric.

    Each array has the order of `judgments.queries`. A query without a ranking is scored
    as one with no results. Rankings of queries without judgments are ignored. A score
    is NaN if its measure is not defined, or 0.0 with `undefined="zero"` (but not if a
    lower score is better).

    Raises:
        ValueError: a grade has no gain (nDCG, DCG), a grade is above `max_grade` (ERR,
            `ideal="max"`), or an id in a ranking is not text or an integer.
        MetricError: a metric of a project's own raised an exception, or returned
            neither a number nor None.
    """
    settings = _with_max_grade(settings, metrics, judgments)
    grades, places = _different_grades(judgments.grades)
    _check_gains(metrics, judgments, grades, settings)
    lists = rankings.of(judgments.queries)
    in_matrix = []
    if _is_usual(settings, grades) and len(grades) <= _MOST_GRADES:
        for metric in metrics:
            if metric.measure in SCORERS and not metric.is_own:
                in_matrix.append(metric)
    try:
        found = _score_in_matrix(
            in_matrix, judgments, lists, grades=grades, places=places, settings=settings
        )
        for metric in metrics:
            if metric not in found:
                found[metric] = _score_one_by_one(metric, judgments, lists, settings)
    except TypeError:  # an id that cannot be looked up, for example a list
        rankings.check_every_id()
        raise
    return [_defined(metric, found[metric], settings) for metric in metrics]


def _different_grades(grades: Grades) -> tuple[Floats, Places]:
    """Return the different grades, ascending, and the index of each grade in them."""
    if grades.dtype == np.uint8:
        occurring = np.flatnonzero(np.bincount(grades))
        place_of = np.zeros(256, np.intp)
        place_of[occurring] = np.arange(occurring.size)
        return occurring.astype(np.float64), place_of[grades]
    different = np.unique(grades)
    return different, np.searchsorted(different, grades)


def _defined(metric: Metric, scores: Floats, settings: Settings) -> Floats:
    """Return the scores, with 0.0 for NaN if the settings say so."""
    if settings.undefined == "zero" and not is_lower_better(metric):
        return np.where(np.isnan(scores), 0.0, scores)
    return scores


def _is_usual(settings: Settings, grades: Floats) -> bool:
    """Say whether metrics can be scored in a matrix with these settings and grades.

    `grades`: the different grades, ascending.
    """
    has_negative = bool(len(grades)) and grades[0] < 0
    return (
        settings.unjudged == "zero"
        and settings.ideal == "judged"
        and (settings.negative == "keep" or not has_negative)
    )


def _with_max_grade(
    settings: Settings, metrics: Sequence[Metric], judgments: CheckedJudgments
) -> Settings:
    """Return settings whose `max_grade` is the highest grade, if the metrics need it.

    A `max_grade` that is set already stays. Raises ValueError if a grade is above it.
    """
    measures = {metric.measure for metric in metrics}
    matters = "ERR" in measures or (settings.ideal == "max" and "nDCG" in measures)
    highest = float(judgments.grades.max(initial=0))
    if not matters or highest <= 0:
        return settings
    top = settings.max_grade
    if top is None:
        return replace(settings, max_grade=highest)

    def explain(grade: float) -> str:
        return f"grade {grade:g} is above max_grade {top:g}" if grade > top else ""

    if highest > top:
        judgments.refuse(explain)
    return settings


def _check_gains(
    metrics: Sequence[Metric],
    judgments: CheckedJudgments,
    grades: Floats,
    settings: Settings,
) -> None:
    """Raise ValueError if a metric needs gains and one of the grades has none."""
    if not any(metric.measure in ("nDCG", "DCG") for metric in metrics):
        return

    def explain(grade: float) -> str:
        try:
            settings.gain_of(grade)
        except ValueError as error:
            return str(error)
        return ""

    for grade in grades.tolist():
        if explain(grade):
            judgments.refuse(explain)


def _score_one_by_one(
    metric: Metric,
    judgments: CheckedJudgments,
    lists: Sequence[Sequence[str]],
    settings: Settings,
) -> Floats:
    """Return the score of each query by a metric that the matrix does not have.

    Raises `MetricError`, which names the query, if a project's own metric fails.
    """
    scores = []
    for query, table, ranking in zip(
        judgments.queries, judgments.tables, lists, strict=True
    ):
        try:
            scores.append(score(metric, grade_ranking(ranking, table), settings))
        except MetricError as error:
            raise MetricError(f"query {query!r}: {error}") from error.__cause__
    return np.array(scores, np.float64)


def _score_in_matrix(
    metrics: Sequence[Metric],
    judgments: CheckedJudgments,
    lists: Sequence[Sequence[str]],
    *,
    grades: Floats,
    places: Places,
    settings: Settings,
) -> dict[Metric, Floats]:
    """Return the scores of all queries by each of these metrics.

    Queries are scored in batches, so that a matrix has at most `_MOST_CELLS` cells.

    `grades`: the different grades, ascending.
    `places`: for each judgment, the index of its grade in `grades`.
    """
    if not metrics:
        return {}
    queries = len(judgments.queries)
    # How often each query has each grade: one cell for each pair of query and grade.
    cells = np.repeat(np.arange(queries) * len(grades), judgments.counts) + places
    flat_counts = np.bincount(cells, minlength=queries * len(grades))
    counts = flat_counts.reshape(queries, len(grades))
    depth = _depth_of(metrics, lists, settings)
    step = min(_MOST_QUERIES, max(1, _MOST_CELLS // max(1, depth)))
    scores = {metric: np.empty(queries) for metric in metrics}
    for start in range(0, queries, step):
        some = slice(start, start + step)
        batch = _Batch.of(
            tables=judgments.tables[some],
            lists=lists[some],
            depth=depth,
            judged=_GradeCounts(grades=grades, counts=counts[some]),
            settings=settings,
        )
        for metric in metrics:
            scores[metric][some] = SCORERS[metric.measure](metric, batch)
    return scores


def _depth_of(
    metrics: Sequence[Metric], lists: Sequence[Sequence[str]], settings: Settings
) -> int:
    """Return how many ranks a matrix needs for these metrics and rankings."""
    longest = max(map(len, lists), default=0)
    deepest = 0
    for metric in metrics:
        ranks = ranks_needed(metric, settings)
        if ranks is None:
            return longest
        deepest = max(deepest, ranks)
    return min(deepest, longest)


@dataclass(frozen=True, slots=True, eq=False)
class _GradeCounts:
    """How many judgments each query has of each grade.

    `grades`: the different grades, ascending.
    `counts`: the numbers of judgments; shape (queries, grades).
    """

    grades: Floats
    counts: Counts

    def relevant(self, rel: float) -> Counts:
        """Return how many judgments of each query are at least `rel`."""
        counts: Counts = self.counts[:, self.grades >= rel].sum(axis=1)
        return counts

    def ideal_gains(self, k: int | None, settings: Settings) -> Floats:
        """Return the gains of the ideal rankings; shape (ranks, queries).

        The ranks are filled grade by grade, beginning with the grade of the most gain.
        """
        gains = [settings.gain_of(grade) for grade in self.grades.tolist()]
        with_gain = [place for place, gain in enumerate(gains) if gain > 0]
        with_gain.sort(key=lambda place: gains[place], reverse=True)
        longest = int(self.counts[:, with_gain].sum(axis=1).max(initial=0))
        ranks = longest if k is None else min(k, longest)
        ideal = np.zeros((ranks, len(self.counts)))
        rank = np.arange(ranks)[:, None]
        filled = np.zeros(len(self.counts), np.intp)
        for place in with_gain:
            end = filled + self.counts[:, place]
            ideal[(rank >= filled) & (rank < end)] = gains[place]
            filled = end
        return ideal


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """Some queries that are scored together.

    `grades`: the grades of the results; shape (ranks, queries). NaN for an unjudged
    result, for a later copy of a document, and below the last result.
    `lists`: the ranking of each query.
    `judged`: how many judgments each query has of each grade.
    """

    grades: Floats
    lists: Sequence[Sequence[str]]
    judged: _GradeCounts
    settings: Settings

    @classmethod
    def of(
        cls,
        *,
        tables: Sequence[Mapping[str, float]],
        lists: Sequence[Sequence[str]],
        depth: int,
        judged: _GradeCounts,
        settings: Settings,
    ) -> _Batch:
        """Return a batch of queries, with the grades of their first `depth` results.

        `tables` and `lists`: the judgments and the ranking of each query.
        `judged`: how many judgments each query has of each grade.
        """
        found: list[float | None] = []
        for table, ranking in zip(tables, lists, strict=True):
            top = ranking[:depth]
            start = len(found)
            found += map(table.get, top)
            if len(set(top)) < len(top):
                for index in repeated_indexes(top):
                    found[start + index] = None
            found += [None] * (depth - len(top))
        # numpy reads None, for an unjudged document, as NaN.
        grades = np.fromiter(found, np.float64, len(found))
        by_rank = np.ascontiguousarray(grades.reshape(len(lists), depth).T)
        return cls(grades=by_rank, lists=lists, judged=judged, settings=settings)

    def relevant(self, metric: Metric) -> Mask:
        """Return True for each relevant result in the top k; shape (ranks, queries)."""
        return self.grades[: metric.k] >= metric.rel

    def all_relevant(self, metric: Metric) -> Counts:
        """Return how many documents of each query are relevant; shape (queries,)."""
        return self.judged.relevant(metric.rel)

    def results(self, k: int | None) -> Counts:
        """Return how many different documents are in each top k; shape (queries,)."""
        return np.array([len(set(ranking[:k])) for ranking in self.lists], np.intp)

    def gains(self, k: int | None) -> Floats:
        """Return the gains of the results in the top k; shape (ranks, queries)."""
        grades = self.grades[:k]
        gains = np.zeros(grades.shape)
        for grade in self.judged.grades.tolist():
            gain = self.settings.gain_of(grade)
            if gain:
                gains[grades == grade] = gain
        return gains

    def dcg(self, gains: Floats) -> Floats:
        """Return the DCG of each query, summed rank after rank; shape (queries,).

        `gains`: shape (ranks, queries).
        """
        total = np.zeros(gains.shape[1])
        discounts = discount_table(self.settings.discount, len(gains))
        for rank_gains, discount in zip(gains, discounts, strict=False):
            total += rank_gains / discount
        return total


def _ratio(numerator: Floats | Counts, denominator: Floats | Counts) -> Floats:
    """Return the quotient for each query; NaN if the denominator is 0."""
    ratio = np.full(numerator.shape, np.nan)
    with np.errstate(over="ignore"):  # as Python: a tiny ideal DCG gives infinity
        np.divide(numerator, denominator, out=ratio, where=denominator != 0)
    return ratio


def _dcg(metric: Metric, batch: _Batch) -> Floats:
    return batch.dcg(batch.gains(metric.k))


def _ndcg(metric: Metric, batch: _Batch) -> Floats:
    ideal = batch.judged.ideal_gains(metric.k, batch.settings)
    return _ratio(_dcg(metric, batch), batch.dcg(ideal))


def _precision(metric: Metric, batch: _Batch) -> Floats:
    relevant = batch.relevant(metric).sum(axis=0)
    if metric.k is not None:
        return np.asarray(relevant / metric.k, np.float64)
    return np.asarray(relevant / np.maximum(batch.results(None), 1), np.float64)


def _recall(metric: Metric, batch: _Batch) -> Floats:
    return _ratio(batch.relevant(metric).sum(axis=0), batch.all_relevant(metric))


def _capped_recall(metric: Metric, batch: _Batch) -> Floats:
    possible = batch.all_relevant(metric)
    if metric.k is not None:
        possible = np.minimum(possible, metric.k)
    return _ratio(batch.relevant(metric).sum(axis=0), possible)


def _average_precision(metric: Metric, batch: _Batch) -> Floats:
    relevant = batch.relevant(metric)
    found = np.zeros(relevant.shape[1])
    precisions = np.zeros(relevant.shape[1])
    for rank, is_relevant in enumerate(relevant, start=1):
        found += is_relevant
        precisions += is_relevant * (found / rank)
    return _ratio(precisions, batch.all_relevant(metric))


def _reciprocal_rank(metric: Metric, batch: _Batch) -> Floats:
    relevant = batch.relevant(metric)
    if not len(relevant):
        return np.zeros(relevant.shape[1])
    first = relevant.argmax(axis=0)
    return np.where(relevant.any(axis=0), 1.0 / (first + 1), 0.0)


def _success(metric: Metric, batch: _Batch) -> Floats:
    return np.asarray(batch.relevant(metric).any(axis=0), np.float64)


def _all(metric: Metric, batch: _Batch) -> Floats:
    share = _recall(metric, batch)
    return np.where(np.isnan(share), share, share >= 1)


def _judged_share(metric: Metric, batch: _Batch) -> Floats:
    judged = (~np.isnan(batch.grades[: metric.k])).sum(axis=0)
    return np.asarray(judged / np.maximum(batch.results(metric.k), 1), np.float64)


def _r_precision(metric: Metric, batch: _Batch) -> Floats:
    relevant = batch.relevant(metric)
    total = batch.all_relevant(metric)
    rank = np.arange(len(relevant))[:, None]
    return _ratio((relevant & (rank < total)).sum(axis=0), total)


SCORERS: Mapping[str, Callable[[Metric, _Batch], Floats]] = {
    "nDCG": _ndcg,
    "DCG": _dcg,
    "P": _precision,
    "R": _recall,
    "Rcap": _capped_recall,
    "AP": _average_precision,
    "RR": _reciprocal_rank,
    "Success": _success,
    "All": _all,
    "Judged": _judged_share,
    "Rprec": _r_precision,
}
"""The measures of this module, by name."""
