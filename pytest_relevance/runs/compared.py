"""What comes of comparing two runs: figures, tags, movers, and what could not be compared."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pytest_relevance.garbage import garbage_kept
from pytest_relevance.metrics.compiled import Floats, Indexes
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.scalar import ranks_needed
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.metrics.similarity import jaccard, rbo
from pytest_relevance.runs.differences import TIE, Column, Difference, TagDifference, by_tag
from pytest_relevance.runs.frames import as_frame
from pytest_relevance.runs.movers import Mover, Movers, mover
from pytest_relevance.runs.obstacles import Both, Obstacle
from pytest_relevance.runs.pairing import Errored
from pytest_relevance.runs.run import Key, Result, details_of
from pytest_relevance.runs.yardstick import DIGEST_THEN

if TYPE_CHECKING:
    import pandas

Name = TypeVar("Name", bound=Hashable)

MOST_MOVERS = 10
"""How many of the largest drops, and of the largest gains, are movers unless more are asked for."""


@dataclass(frozen=True, eq=False)
class Compared:
    """Two runs, compared.

    `first` and `second` are what they are called, `pairs` the results that were compared, `columns` their scores,
    `variants` the indexes of the pairs of each variant; two different variants that were compared are none.
    `metrics` has a row a variant and metric. `left_out` says what was not compared and why, `errors` are the cases
    that are an error in either run; without `common` there are none of both. `notes` are what else is worth knowing.
    """

    first: str
    second: str
    pairs: tuple[Both, ...]
    columns: tuple[Column, ...]
    weights: Floats
    variants: Mapping[str | None, Indexes]
    metrics: tuple[Difference, ...]
    left_out: tuple[Obstacle, ...] = ()
    errors: tuple[Errored, ...] = ()
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
        """The settings that the scores were computed with; `max_grade` only where it has to do with them."""
        shared = {id(two.conditions): two.conditions.settings for _, two in self.pairs}
        has_scale = any(column.metric.startswith("ERR") for column in self.columns)
        return tuple(
            dict.fromkeys(
                each if has_scale or each.ideal == "max" else replace(each, max_grade=None) for each in shared.values()
            )
        )

    @property
    def depths(self) -> tuple[int, ...]:
        """The depths that case files set, where a metric looks at the whole ranking."""
        metrics = [parse_metric(column.metric) for column in self.columns]
        found = {
            result.depth
            for result in (each for both in self.pairs for each in both)
            if result.conditions.depth is not None
            and any(ranks_needed(metric, result.settings) is None for metric in metrics)
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

    def largest(self, most: int | None, drops_too: int | None = None) -> Movers:
        """So many of the largest drops and gains, None for all, by the metric that was named first (or nDCG@k).

        `drops_too` is how many drops, where that is another number.
        """
        order = np.argsort(self.changes, kind="stable")
        most_drops = most if drops_too is None else drops_too
        drops = [self.mover(index) for index in order.tolist()[:most_drops] if self.changes[index] < -TIE]
        rising = np.argsort(-self.changes, kind="stable")
        gains = [self.mover(index) for index in rising.tolist()[:most] if self.changes[index] > TIE]
        return Movers(tuple(drops), tuple(gains))

    def dropped_by(self, more_than: float) -> tuple[Mover, ...]:
        """The cases whose score dropped by more, the largest drop first. Rounding alone does not count."""
        found = np.flatnonzero(self.changes < -more_than - TIE)
        return tuple(self.mover(index) for index in found[np.argsort(self.changes[found], kind="stable")].tolist())

    def key(self, index: int) -> Key:
        """What a pair is known by."""
        _, two = self.pairs[index]
        return two.file, two.id, two.variant if two.variant in self.variants else None

    def mover(self, index: int) -> Mover:
        """What became of a pair."""
        one, two = self.pairs[index]
        column = self._column_of[index]
        found = self.columns[column]
        return mover(one, two, self.key(index), found.metric, float(found.first[index]), float(found.second[index]))

    @cached_property
    def changes(self) -> Floats:
        """How much the score of each pair changed, by the metric that was named first (or nDCG@k); else NaN."""
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

        Judgments can have changed only where both runs were judged anew.
        """
        return tuple(_CHANGED[not one.has_ranking_of(two), _were_judged_otherwise(one, two)] for one, two in self.pairs)

    @property
    def frame(self) -> pandas.DataFrame:
        """A row a case and variant: its scores in both runs and their differences, and how alike the rankings are.

        Columns: file, id, variant, query, weight, tags, k; for each metric its name with `first`, `second` and
        `difference`; Jaccard and RBO of the top k; what `changed`.
        """
        with garbage_kept():
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
            table["Jaccard"], table["RBO"] = self._likeness()
            table["changed"] = self.changed
            return as_frame(table)

    def _likeness(self) -> Floats:
        """Jaccard and RBO of the top k of each pair."""
        likeness = np.ones((2, len(self)))
        changed = [index for index, what in enumerate(self.changed) if what in ("ranking", "both")]
        before, after = (details_of([self.pairs[index][side] for index in changed]) for side in (0, 1))
        for index, one, two in zip(changed, before, after, strict=True):
            k = self.pairs[index][1].k
            first, second = one.get("ranking", ())[:k], two.get("ranking", ())[:k]
            likeness[:, index] = jaccard(first, second), rbo(first, second)
        return likeness


def _were_judged_otherwise(one: Result, two: Result) -> bool:
    """Whether both were recorded with judgments, and with other ones."""
    was, now = (result.values.get(DIGEST_THEN) for result in (one, two))
    return was != now and bool(was and now)


_CHANGED = {(False, False): "nothing", (True, False): "ranking", (False, True): "judgments", (True, True): "both"}


def variant_indexes(pairs: Sequence[Both], *, is_across: bool) -> dict[str | None, Indexes]:
    """The indexes of the pairs of each variant, where these are not `is_across` two of them."""
    if is_across:
        return {None: np.arange(len(pairs))}
    variants = [two.values.get("variant") for _, two in pairs]
    names = dict.fromkeys(variants)
    return indexes_by((name,) for name in variants) if len(names) > 1 else dict.fromkeys(names, np.arange(len(pairs)))


def indexes_by(names: Iterable[Iterable[Name]]) -> dict[Name, Indexes]:
    """The indexes at which each name is, by the names that are at each index."""
    found: dict[Name, list[int]] = {}
    for index, at in enumerate(names):
        for name in at:
            found.setdefault(name, []).append(index)
    return {name: np.array(indexes, np.intp) for name, indexes in found.items()}
