"""The comparison of two runs: the scores of their pairs, metrics, tags, movers, and what could not be compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_relevance._text import counted, quoted
from pytest_relevance.metrics.names import Metric, parse_metric
from pytest_relevance.metrics.scalar import ranks_needed, score
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_result import CaseResult, Key
from pytest_relevance.results.compare.differences import (
    TIE,
    Difference,
    Means,
    ScorePair,
    Scores,
    differences_of,
    has_relevant,
    key_of,
    means_of,
)
from pytest_relevance.results.compare.pairing import ErroredCase, Incompatibility, Metrics, Pair
from pytest_relevance.results.compare.rank_changes import Move, RankChanges, changes_to
from pytest_relevance.results.records.run import as_frame

if TYPE_CHECKING:
    import pandas

Name = TypeVar("Name", bound=Hashable)

MOST_MOVERS = 10
"""How many of the largest drops, and of the largest gains, are movers unless more are asked for."""

PairScores = Mapping[str, tuple[float, float]]
"""The scores of each pair by metric, in the first run and in the second; NaN where a score is not defined."""


@dataclass(frozen=True, slots=True)
class TagDifference:
    """The means of the cases with a tag."""

    variant: str | None
    metric: str
    tag: str
    means: Means


@dataclass(frozen=True, slots=True)
class Mover:
    """A case whose score changed, by the metric that the comparison is about.

    `lost` are the relevant documents that left the top k, the highest gain first; `found` entered it, and `shifted`
    moved within it. `titles` has the titles of documents whose rank changed.
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
    titles: Mapping[str, str] = field(default_factory=dict)

    @property
    def difference(self) -> float:
        """How much the score changed: second - first."""
        return self.second - self.first

    @property
    def most_lost(self) -> Move | None:
        """The document with the highest gain that left the top k, else that moved down; None where there is none."""
        return next(chain(self.lost, (move for move in self.shifted if move.distance < 0)), None)

    @property
    def most_gained(self) -> Move | None:
        """The document with the highest gain that entered the top k, else that moved up; None where there is none."""
        return next(chain(self.found, (move for move in self.shifted if move.distance > 0)), None)

    @property
    def now_on_top(self) -> Move | None:
        """The first result of the second run, if the first run has another one; else None.

        Else the first one that rose, or is new, at no lower rank than the document that lost most had.
        """
        lowest = 1 if self.most_lost is None or self.most_lost.first is None else self.most_lost.first
        risen = chain(self.changes.entered, (move for move in self.changes.moved if move.distance > 0))
        found = min(risen, key=lambda move: move.second or 0, default=None)
        return found if found is not None and (found.second or 0) <= lowest else None

    @property
    def counts(self) -> str:
        """The number of documents that changed their place: `4 out, 4 in, 3 moved`."""
        kinds = ((self.changes.left, "out"), (self.changes.entered, "in"), (self.changes.moved, "moved"))
        return ", ".join(f"{len(moves)} {what}" for moves, what in kinds if moves) or f"the same top {self.changes.k}"


@dataclass(frozen=True, slots=True)
class Movers:
    """The largest drops and the largest gains, the largest first."""

    drops: tuple[Mover, ...]
    gains: tuple[Mover, ...]


@dataclass(frozen=True, eq=False)
class Compared:
    """The comparison of two runs.

    `first` and `second` are their names, `pairs` the results that were compared, `scores` their scores by the `names`
    of the metrics. `is_across`: two variants are compared with each other. `resamples` and `seed` are the settings of
    the tests. `left_out` says what was not compared and why, `errors` are the cases that are an error in either run;
    without `common` both are empty. `notes` are further remarks. `fingerprint` says what differs in what was
    searched, by name: `{"index": ["products-11", "products-20"]}`.
    """

    first: str
    second: str
    pairs: tuple[Pair, ...]
    names: tuple[str, ...]
    scores: tuple[PairScores, ...]
    is_across: bool
    resamples: int
    seed: int
    left_out: tuple[Incompatibility, ...] = ()
    errors: tuple[ErroredCase, ...] = ()
    notes: tuple[str, ...] = ()
    fingerprint: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        """How many pairs of results were compared."""
        return len(self.pairs)

    def __repr__(self) -> str:
        """`Comparison(main.jsonl -> branch.jsonl: 135 cases, nDCG@10 -0.108)`."""
        figures = ", ".join(f"{row.metric} {row.means.difference:+.3f}" for row in self.metrics)
        return f"{type(self).__name__}({self.first} -> {self.second}: {counted(len(self), 'case')}, {figures})"

    @property
    def settings(self) -> tuple[Settings, ...]:
        """The settings that the scores were computed with; `max_grade` only where the metrics depend on it."""
        has_scale = any(name.startswith("ERR") for name in self.names)
        found = [
            each if has_scale or each.ideal == "max" else replace(each, max_grade=None)
            for each in dict.fromkeys(two.conditions.settings for _, two in self.pairs)
        ]
        return tuple(dict.fromkeys(found))

    @property
    def depths(self) -> tuple[int, ...]:
        """The depths that case files set, where a metric looks at the whole ranking."""
        metrics = [*map(parse_metric, self.names)]
        found = {
            result.conditions.depth
            for result in chain.from_iterable(self.pairs)
            if result.conditions.is_depth_set
            and any(ranks_needed(metric, result.conditions.settings) is None for metric in metrics)
        }
        return tuple(sorted(depth for depth in found if depth is not None))

    @property
    def has_shared_metrics(self) -> bool:
        """Whether every metric applies to all cases. With several k, each nDCG@k applies to some cases only."""
        return all(len(scores) == len(self.names) for scores in self.scores)

    @cached_property
    def variants(self) -> Mapping[str | None, Sequence[int]]:
        """The indexes of the pairs of each variant, {None: all} where there are none or two were compared."""
        return _indexes_by(range(len(self)), lambda two: (None if self.is_across else two.variant,), self.pairs)

    @cached_property
    def metrics(self) -> tuple[Difference, ...]:
        """A row for each variant and metric, of the cases that it applies to."""
        rows: list[Difference] = []
        for variant, indexes in self.variants.items():
            families = {name: [index for index in indexes if name in self.scores[index]] for name in self.names}
            scores = {name: self._score_pairs(name, own) for name, own in families.items() if own}
            family = [Scores(variant, name, found, len(families[name]) - len(found)) for name, found in scores.items()]
            rows += differences_of(family, resamples=self.resamples, seed=self.seed)
        return tuple(rows)

    @cached_property
    def by_tag(self) -> tuple[TagDifference, ...]:
        """The means of each tag, by variant and metric; for each metric the largest drop first, undefined ones last."""
        rows: list[TagDifference] = []
        for variant, indexes in self.variants.items():
            tagged = _indexes_by(indexes, lambda two: two.tags, self.pairs)
            for name in self.names:
                found = [
                    TagDifference(variant, name, tag, means_of(self._score_pairs(name, own)))
                    for tag, own in tagged.items()
                    if any(name in self.scores[index] for index in own)
                ]
                rows += sorted(found, key=lambda row: (not row.means.queries, row.means.difference, row.tag))
        return tuple(rows)

    def _score_pairs(self, name: str, indexes: Iterable[int]) -> list[ScorePair]:
        """The pairs of scores by a metric where both are defined, of cases with relevant judgments."""
        found = []
        for index in indexes:
            first, second = self.scores[index].get(name, (math.nan, math.nan))
            _, two = self.pairs[index]
            if first == first and second == second and has_relevant(two):
                found.append(ScorePair(key_of(two), first, second, two.weight))
        return found

    @cached_property
    def movers(self) -> Movers:
        """The largest drops and gains, with what changed in their rankings."""
        return self.largest(MOST_MOVERS)

    def largest(self, most: int | None, most_drops: int | None = None) -> Movers:
        """The largest drops and gains, so many or all (None), by the metric that was named first (or nDCG@k).

        `most_drops` is the number of drops, if it differs.
        """
        drops = self._moved(-1)[: most if most_drops is None else most_drops]
        return Movers(tuple(map(self.mover, drops)), tuple(map(self.mover, self._moved(1)[:most])))

    def dropped_by(self, more_than: float) -> tuple[Mover, ...]:
        """The cases whose score dropped by more, the largest drop first. Rounding alone does not count."""
        return tuple(self.mover(index) for index in self._moved(-1, more_than))

    def _moved(self, sign: int, more_than: float = 0.0) -> list[int]:
        """The indexes of the pairs whose score fell (`sign` -1) or rose (1) by more, the largest change first."""
        found = [index for index, change in enumerate(self.changes) if sign * change > more_than + TIE]
        return sorted(found, key=lambda index: (-sign * self.changes[index], key_of(self.pairs[index][1])))

    def key(self, index: int) -> Key:
        """The key of a pair: file, id, variant."""
        _, two = self.pairs[index]
        return two.file, two.id, two.variant if two.variant in self.variants else None

    def mover(self, index: int) -> Mover:
        """The mover of a pair: its scores by the metric that it is judged by, and its rank changes."""
        one, two = self.pairs[index]
        metric, (first, second) = next(iter(self.scores[index].items()))
        changes = changes_to(two, one.ranking.documents, one.ranking.grades)
        gains = two.conditions.settings.gains
        lost, found, shifted = (
            tuple(sorted((move for move in moves if gains[move.grade] > 0), key=lambda move: -gains[move.grade]))
            for moves in (changes.left, changes.entered, changes.moved)
        )
        named = {move.document for moves in (changes.left, changes.entered, changes.moved) for move in moves}
        titles = {name: title for name, title in {**one.texts.titles, **two.texts.titles}.items() if name in named}
        figures = (metric, first, second, changes, lost, found, shifted, titles)
        return Mover(self.key(index), two.line, two.query, *figures)

    @cached_property
    def changes(self) -> Sequence[float]:
        """The score change of each pair, by the metric named first (or nDCG@k); NaN where it is not defined."""
        scores = (next(iter(found.values())) for found in self.scores)
        return [second - first for first, second in scores]

    @cached_property
    def changed(self) -> tuple[str, ...]:
        """What changed in each pair: "ranking", "judgments", "both" or "nothing".

        Judgments can have changed only where both runs were judged again.
        """
        return tuple(_what_changed(one, two) for one, two in self.pairs)

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
        table |= {name: [getattr(two, name) for two in seconds] for name in ("query", "weight", "tags")}
        table["k"] = [two.conditions.k for two in seconds]
        for name in self.names:
            scores = [found.get(name, (math.nan, math.nan)) for found in self.scores]
            table[f"{name} first"] = [first for first, _ in scores]
            table[f"{name} second"] = [second for _, second in scores]
            table[f"{name} difference"] = [second - first for first, second in scores]
        table["Jaccard"], table["RBO"] = zip(*(_similarity(one, two) for one, two in self.pairs), strict=True)
        table["changed"] = self.changed
        return as_frame(table)


def _similarity(one: CaseResult, two: CaseResult) -> tuple[float, float]:
    """Jaccard and RBO of the top k of two results."""
    from pytest_relevance.metrics.similarity import jaccard, rbo

    first, second = one.ranking.documents[: two.conditions.k], two.ranking.documents[: two.conditions.k]
    return (1.0, 1.0) if first == second else (jaccard(first, second), rbo(first, second))


def _what_changed(one: CaseResult, two: CaseResult) -> str:
    """Whether the ranking changed, and the judgments that both were recorded with before they were judged again."""
    before, after = (result.evaluation.recorded_digest for result in (one, two))
    if before and after and before != after:
        return "judgments" if one.ranking.documents == two.ranking.documents else "both"
    return "nothing" if one.ranking.documents == two.ranking.documents else "ranking"


def _indexes_by(
    indexes: Iterable[int], names_of: Callable[[CaseResult], Iterable[Name]], pairs: Sequence[Pair]
) -> dict[Name, list[int]]:
    """The indexes of pairs by each name that their second result has."""
    found: dict[Name, list[int]] = {}
    for index in indexes:
        for name in names_of(pairs[index][1]):
            found.setdefault(name, []).append(index)
    return found


def score_pairs(pairs: Sequence[Pair], metrics: Metrics) -> tuple[PairScores, ...]:
    """The scores of each pair by these metrics; without any by its own nDCG@k.

    Raises ValueError for a metric that looks deeper than a ranking is known, and for a grade without a gain.
    """
    first, second = (_scores([pair[side] for pair in pairs], metrics) for side in (0, 1))
    return tuple(
        {name: (one.get(name, math.nan), score) for name, score in two.items()}
        for one, two in zip(first, second, strict=True)
    )


def _scores(results: Sequence[CaseResult], metrics: Metrics) -> list[dict[str, float]]:
    """The scores of each result by the name of the metric, or its own nDCG@k; NaN where one is not defined."""
    scales: dict[Settings, Settings] = {}
    found = []
    for result in results:
        graded, scores = None, {}
        for metric in metrics or (result.metric,):
            recorded = result.evaluation.scores.get(metric.text)
            scores[metric.text] = math.nan if recorded is None else recorded
            if metric.text in result.evaluation.scores or not result.evaluation.judgments:
                continue
            require_ranks(result, metric)
            graded = graded or result.graded
            settings = result.conditions.settings
            if settings.max_grade is None and (metric.measure == "ERR" or settings.ideal == "max"):
                if settings not in scales:
                    scales[settings] = replace(settings, max_grade=_highest_grade(results, settings))
                settings = scales[settings]
            try:
                scores[metric.text] = score(metric, graded, settings)
            except (ValueError, OverflowError) as error:  # a grade without a gain
                raise ValueError(f"the case {quoted(result.id)} has no {metric.text}: {error}") from None
        found.append(scores)
    return found


def _highest_grade(results: Sequence[CaseResult], settings: Settings) -> float | None:
    """The maximum grade of results whose settings have none: the highest grade of their judgments."""
    return (
        max(max(result.evaluation.judgments, default=0) for result in results if result.conditions.settings == settings)
        or None
    )


def require_ranks(result: CaseResult, metric: Metric) -> None:
    """Raise a ValueError where a metric looks deeper than a ranking is known.

    Either only a part of the ranking was kept, or the search returned as many results as requested and may have more.
    """
    needed = ranks_needed(metric, result.conditions.settings)
    kept = len(result.ranking.documents)
    if needed is not None and needed <= kept:
        return
    record_it = "name the metric in an expectation of the case, so that it is recorded"
    asked = f"the search of {quoted(result.id)} was asked for {result.conditions.depth}"
    if len(set(result.ranking.documents)) < result.ranking.returned:
        why = f"of the ranking of {quoted(result.id)} the first {kept} were kept: {record_it}"
    elif needed is not None and (
        result.ranking.reaches_depth or (result.ranking.returned and result.ranking.returned == result.conditions.depth)
    ):
        why = f"{asked}: {record_it}"
    elif needed is None and result.is_cut:
        why = f"{asked}: set a depth in the case file (depth: 1000) and record the run again, or name a cutoff"
    else:
        return
    raise ValueError(f"{metric.text} takes {'all of it' if needed is None else f'{needed} ranks'}, and {why}")
