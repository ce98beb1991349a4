"""The figures of a comparison of two runs: metrics, tags, movers, and what could not be compared."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pytest_relevance.metrics.compiled import Floats, Indexes
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.scalar import ranks_needed
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.metrics.similarity import jaccard, rbo
from pytest_relevance.results.case_result import CaseResult, Key
from pytest_relevance.results.compare.differences import TIE, Difference, ScoreColumn, TagDifference, by_tag
from pytest_relevance.results.compare.incompatibilities import Incompatibility, Pair
from pytest_relevance.results.compare.pairing import ErroredCase
from pytest_relevance.results.compare.rejudging import RejudgedResult
from pytest_relevance.results.rankings.rank_changes import Move, RankChanges, rank_changes
from pytest_relevance.results.run import as_frame

if TYPE_CHECKING:
    import pandas

Name = TypeVar("Name", bound=Hashable)

MOST_MOVERS = 10
"""How many of the largest drops, and of the largest gains, are movers unless more are asked for."""


@dataclass(frozen=True, slots=True)
class Mover:
    """A case whose score changed, by the metric that the comparison is about.

    `lost` are the relevant documents that left the top k, the highest gain first; `found` those that entered it, and
    `shifted` those that moved within it.
    """

    key: Key
    line: int
    query: str
    metric: str
    first: float
    second: float
    changes: RankChanges
    lost: tuple[Move, ...]
    found: tuple[Move, ...]
    shifted: tuple[Move, ...]

    @property
    def difference(self) -> float:
        """How much the score changed: second - first."""
        return self.second - self.first


@dataclass(frozen=True, slots=True)
class Movers:
    """The largest drops and the largest gains, the largest first."""

    drops: tuple[Mover, ...]
    gains: tuple[Mover, ...]


@dataclass(frozen=True, eq=False)
class Compared:
    """The comparison of two runs.

    `first` and `second` are their names, `pairs` the results that were compared. `columns` are their scores and
    `weights` their weights, arrays of shape (pairs,); `variants` the indexes of the pairs of each variant, {None: all}
    where there are none or two were compared with each other. `metrics` has a row for each variant and metric.
    `left_out` says what was not compared and why, `errors` are the cases that are an error in either run; without
    `common` both are empty. `notes` are further remarks.
    """

    first: str
    second: str
    pairs: tuple[Pair, ...]
    columns: tuple[ScoreColumn, ...]
    weights: Floats
    variants: Mapping[str | None, Indexes]
    metrics: tuple[Difference, ...]
    left_out: tuple[Incompatibility, ...] = ()
    errors: tuple[ErroredCase, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        """How many pairs of results were compared."""
        return len(self.pairs)

    def __repr__(self) -> str:
        """`Comparison(main.jsonl -> branch.jsonl: 135 cases, nDCG@10 -0.108)`."""
        figures = ", ".join(f"{row.metric} {row.means.difference:+.3f}" for row in self.metrics)
        return f"{type(self).__name__}({self.first} -> {self.second}: {len(self)} cases, {figures})"

    @property
    def settings(self) -> tuple[Settings, ...]:
        """The settings that the scores were computed with; `max_grade` only where the metrics depend on it."""
        has_scale = any(column.metric.startswith("ERR") for column in self.columns)
        found = dict.fromkeys(two.settings for _, two in self.pairs)
        return tuple(
            dict.fromkeys(each if has_scale or each.ideal == "max" else replace(each, max_grade=None) for each in found)
        )

    @property
    def depths(self) -> tuple[int, ...]:
        """The depths that case files set, where a metric looks at the whole ranking."""
        metrics = [parse_metric(column.metric) for column in self.columns]
        with_depth = (result for pair in self.pairs for result in pair if result.is_depth_set)
        found = {
            result.depth
            for result in with_depth
            if any(ranks_needed(metric, result.settings) is None for metric in metrics)
        }
        return tuple(sorted(depth for depth in found if depth is not None))

    @cached_property
    def by_tag(self) -> tuple[TagDifference, ...]:
        """The means of each tag, by variant and metric, the largest drop first."""
        tags = indexes_by(two.tags for _, two in self.pairs)
        return by_tag(self.columns, self.weights, self.variants, tags)

    @cached_property
    def movers(self) -> Movers:
        """The largest drops and gains, with what changed in their rankings."""
        return self.largest(MOST_MOVERS)

    def largest(self, most: int | None, most_drops: int | None = None) -> Movers:
        """So many of the largest drops and gains, None for all, by the metric that was named first (or nDCG@k).

        `most_drops` is how many drops, where that is another number.
        """
        falling = np.argsort(self.changes, kind="stable").tolist()[: most if most_drops is None else most_drops]
        rising = np.argsort(-self.changes, kind="stable").tolist()[:most]
        drops = tuple(self.mover(index) for index in falling if self.changes[index] < -TIE)
        gains = tuple(self.mover(index) for index in rising if self.changes[index] > TIE)
        return Movers(drops, gains)

    def dropped_by(self, more_than: float) -> tuple[Mover, ...]:
        """The cases whose score dropped by more, the largest drop first. Rounding alone does not count."""
        found = np.flatnonzero(self.changes < -more_than - TIE)
        return tuple(self.mover(index) for index in found[np.argsort(self.changes[found], kind="stable")].tolist())

    def key(self, index: int) -> Key:
        """The key of a pair: file, id, variant."""
        _, two = self.pairs[index]
        return two.file, two.id, two.variant if two.variant in self.variants else None

    def mover(self, index: int) -> Mover:
        """The mover of a pair: its scores and rank changes."""
        one, two = self.pairs[index]
        column = self.columns[self._column_of[index]]
        return _mover(one, two, self.key(index), column.metric, float(column.first[index]), float(column.second[index]))

    @cached_property
    def changes(self) -> Floats:
        """The score change of each pair, shape (pairs,), by the metric named first (or nDCG@k); NaN where undefined."""
        changes = np.full(len(self), math.nan)
        for number, column in enumerate(self.columns):
            chosen = self._column_of == number
            changes[chosen] = column.second[chosen] - column.first[chosen]
        return changes

    @cached_property
    def _column_of(self) -> Indexes:
        """Which column each pair is judged by: the first that applies."""
        which: Indexes = np.argmax(np.array([column.applies for column in self.columns]), axis=0)
        return which

    @cached_property
    def changed(self) -> tuple[str, ...]:
        """What changed in each pair: "ranking", "judgments", "both" or "nothing".

        Judgments can have changed only where both runs were judged again.
        """
        return tuple(
            _CHANGED[one.documents != two.documents, _recorded_differently(one, two)] for one, two in self.pairs
        )

    @property
    def changed_rankings(self) -> int:
        """How many cases have another ranking in the second run."""
        return sum(what in ("ranking", "both") for what in self.changed)

    @property
    def frame(self) -> pandas.DataFrame:
        """One row for each case and variant: its scores in both runs, their difference, the similarity of rankings.

        Columns: file, id, variant, query, weight, tags, k; for each metric its name with `first`, `second` and
        `difference`; Jaccard and RBO of the top k; what `changed`.
        """
        keys = [self.key(index) for index in range(len(self))]
        seconds = [two for _, two in self.pairs]
        table: dict[str, object] = dict(zip(("file", "id", "variant"), zip(*keys, strict=True), strict=True))
        table |= {
            "query": [two.query for two in seconds],
            "weight": self.weights,
            "tags": [tuple(two.tags) for two in seconds],
            "k": [two.k for two in seconds],
        }
        for column in self.columns:
            table[f"{column.metric} first"] = column.first
            table[f"{column.metric} second"] = column.second
            table[f"{column.metric} difference"] = column.second - column.first
        table["Jaccard"], table["RBO"] = zip(*(_similarity(one, two) for one, two in self.pairs), strict=True)
        table["changed"] = self.changed
        return as_frame(table)


def _mover(one: CaseResult, two: CaseResult, key: Key, metric: str, first: float, second: float) -> Mover:
    """Make the mover of a case from its results in both runs and its scores by the metric."""
    grades = {**_grades(one), **_grades(two)}
    changes = rank_changes(one.documents, two.documents, two.k, grades, two.deeper)
    gains = two.settings.gains
    relevant = (
        sorted((move for move in moves if gains[move.grade] > 0), key=lambda move: -gains[move.grade])
        for moves in (changes.left, changes.entered, changes.moved)
    )
    return Mover(key, two.line, two.query, metric, first, second, changes, *map(tuple, relevant))


def _grades(result: CaseResult) -> Mapping[str, float]:
    """The grades of the judged documents in a ranking."""
    pairs = zip(result.documents, result.grades, strict=True)
    return {document: grade for document, grade in pairs if grade is not None}


def _similarity(one: CaseResult, two: CaseResult) -> tuple[float, float]:
    """Jaccard and RBO of the top k of two results."""
    first, second = one.documents[: two.k], two.documents[: two.k]
    return (1.0, 1.0) if first == second else (jaccard(first, second), rbo(first, second))


def _recorded_differently(one: CaseResult, two: CaseResult) -> bool:
    """Whether both were recorded with judgments, and with different ones, before they were judged again."""
    if not (isinstance(one, RejudgedResult) and isinstance(two, RejudgedResult)):
        return False
    return bool(one.recorded_digest and two.recorded_digest) and one.recorded_digest != two.recorded_digest


_CHANGED = {(False, False): "nothing", (True, False): "ranking", (False, True): "judgments", (True, True): "both"}


def variant_indexes(pairs: Sequence[Pair], *, is_across: bool) -> dict[str | None, Indexes]:
    """The indexes of the pairs of each variant. `is_across`: two variants are compared with each other."""
    return {None: np.arange(len(pairs))} if is_across else indexes_by((two.variant,) for _, two in pairs)


def indexes_by(names: Iterable[Iterable[Name]]) -> dict[Name, Indexes]:
    """The indexes at which each name occurs, from the names at each index."""
    found: dict[Name, list[int]] = {}
    for index, at in enumerate(names):
        for name in at:
            found.setdefault(name, []).append(index)
    return {name: np.array(indexes, np.intp) for name, indexes in found.items()}
