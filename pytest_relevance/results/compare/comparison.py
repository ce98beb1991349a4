"""The figures of a comparison of two runs: metrics, tags, movers, and what could not be compared."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from pytest_relevance._text import case_in_prose, counted, did_you_mean, listed, quoted
from pytest_relevance.cases.checking.expectations import largest_score
from pytest_relevance.metrics.compiled import Floats, Indexes
from pytest_relevance.metrics.names import Metric, parse_metric
from pytest_relevance.metrics.scalar import ranks_needed
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.metrics.similarity import jaccard, rbo
from pytest_relevance.results.case_result import CaseResult, Key
from pytest_relevance.results.compare.differences import TIE, Difference, ScoreColumn, TagDifference, by_tag
from pytest_relevance.results.compare.pairing import MOST_EXAMPLES, ErroredCase, Incompatibility, Pair, some_cases
from pytest_relevance.results.expectations import digits_apart, digits_of_change
from pytest_relevance.results.gates import GateFinding, cannot_reach, void_condition
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
    `shifted` those that moved within it. `titles` are those of documents whose rank changed.
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
    `common` both are empty. `notes` are further remarks. `fingerprint` is what differs in what was searched, by name:
    `{"index": ["products-11", "products-20"]}`.
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
    fingerprint: Mapping[str, Sequence[Any]] = field(default_factory=dict)

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
        found = [
            each if has_scale or each.ideal == "max" else replace(each, max_grade=None)
            for each in dict.fromkeys(two.settings for _, two in self.pairs)
        ]
        return tuple(dict.fromkeys(found))

    @property
    def depths(self) -> tuple[int, ...]:
        """The depths that case files set, where a metric looks at the whole ranking."""
        metrics = [parse_metric(column.metric) for column in self.columns]
        found = {
            result.depth
            for result in chain.from_iterable(self.pairs)
            if result.is_depth_set and any(ranks_needed(metric, result.settings) is None for metric in metrics)
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
        """The mover of a pair: its scores by the metric that it is judged by, and its rank changes."""
        one, two = self.pairs[index]
        column = self.columns[self._column_of[index]]
        judged = [*zip(one.documents, one.grades, strict=True), *zip(two.documents, two.grades, strict=True)]
        grades = {document: grade for document, grade in judged if grade is not None}
        changes = rank_changes(one.documents, two.documents, two.k, grades, two.deeper)
        gains = two.settings.gains
        lost, found, shifted = (
            tuple(sorted((move for move in moves if gains[move.grade] > 0), key=lambda move: -gains[move.grade]))
            for moves in (changes.left, changes.entered, changes.moved)
        )
        first, second = float(column.first[index]), float(column.second[index])
        case = (self.key(index), two.line, two.query)
        named = {move.document for moves in (changes.left, changes.entered, changes.moved) for move in moves}
        titles = {name: title for name, title in {**one.titles, **two.titles}.items() if name in named}
        return Mover(*case, column.metric, first, second, changes, lost, found, shifted, titles)

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
        table |= {name: [getattr(two, name) for two in seconds] for name in ("query", "weight", "tags", "k")}
        table["weight"] = self.weights
        for column in self.columns:
            table[f"{column.metric} first"] = column.first
            table[f"{column.metric} second"] = column.second
            table[f"{column.metric} difference"] = column.second - column.first
        table["Jaccard"], table["RBO"] = zip(*(_similarity(one, two) for one, two in self.pairs), strict=True)
        table["changed"] = self.changed
        return as_frame(table)


def _similarity(one: CaseResult, two: CaseResult) -> tuple[float, float]:
    """Jaccard and RBO of the top k of two results."""
    first, second = one.documents[: two.k], two.documents[: two.k]
    return (1.0, 1.0) if first == second else (jaccard(first, second), rbo(first, second))


def _what_changed(one: CaseResult, two: CaseResult) -> str:
    """Whether the ranking changed, and the judgments that both were recorded with before they were judged again."""
    before, after = (getattr(result, "recorded_digest", "") for result in (one, two))
    if before and after and before != after:
        return "judgments" if one.documents == two.documents else "both"
    return "nothing" if one.documents == two.documents else "ranking"


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


@dataclass(frozen=True, slots=True)
class ComparisonGates:
    """What the gates of a comparison found. `drops` are the cases that dropped by more than a case may."""

    findings: tuple[GateFinding, ...]
    drops: tuple[Mover, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every gate is met."""
        return all(finding.is_met for finding in self.findings)


def judge(
    comparison: Compared,
    max_drop: Mapping[str, float] | None = None,
    *,
    p: float | None = None,
    max_case_drop: float | None = None,
) -> ComparisonGates:
    """Judge the second run of a comparison by the first.

    `max_drop` is {metric: by how much its mean may drop}, in each variant of the search. With `p` a larger drop fails
    only where it is significant too: its Holm-adjusted p-value is at most `p`. Where so few cases changed that no
    p-value can be as low, the drop alone decides, and the finding says so. `max_case_drop` is by how much the score of
    a single case may drop, by the metric of the comparison that was named first. A case that is an error in the second
    run alone always fails. Raises ValueError for a metric that was not compared, and for a number out of range.
    """
    names = list(dict.fromkeys(column.metric for column in comparison.columns))
    allowed = {parse_metric(name).text: most for name, most in (max_drop or {}).items()}
    for name, most in allowed.items():
        if name not in names:
            raise ValueError(f"max_drop: {name} was not compared{did_you_mean(name, names)}; it may be {listed(names)}")
        _check_number(f"max_drop of {name}", most, name)
    if p is not None and not 0 < p <= 1:
        raise ValueError(f"p is above 0 and at most 1, such as 0.05, not {p!r}")
    if p is not None and not allowed:
        raise ValueError("p says when a drop of a mean counts; give max_drop with it")
    findings = [_of_mean(row, allowed[row.metric], p) for row in comparison.metrics if row.metric in allowed]
    drops: tuple[Mover, ...] = ()
    if max_case_drop is not None:
        _check_number("max_case_drop", max_case_drop, names[0])
        drops = comparison.dropped_by(max_case_drop)
        findings.append(_of_cases(drops, max_case_drop))
    new = [error for error in comparison.errors if error.is_new]
    if new:
        what = f"{counted(len(new), 'case')} ended in an error that {'was' if len(new) == 1 else 'were'} none before"
        findings.append(GateFinding(False, f"{what}: {some_cases(new)}"))
    return ComparisonGates(tuple(findings), drops)


def _check_number(what: str, number: float, metric: str) -> None:
    by = parse_metric(metric)
    if isinstance(number, bool) or not is_allowance(number, by):
        raise ValueError(f"{what} is {allowance_of(by)}, not {number!r}")


def is_allowance(number: float, metric: Metric) -> bool:
    """Whether a score by a metric can drop by as much."""
    return 0 <= number <= largest_score(metric) and number < math.inf


def allowance_of(metric: Metric) -> str:
    """The drops that can be allowed: `by how much a score may drop, from 0 to 1 for nDCG@10, such as 0.02`."""
    most = largest_score(metric)
    bounds = "0 or more" if most == math.inf else f"from 0 to {most:g} for {metric.text}"
    return f"by how much a score may drop, {bounds}, such as 0.02"


def _of_mean(row: Difference, most: float, p: float | None) -> GateFinding:
    means = row.means
    name = row.metric if row.variant is None else f"{row.metric} of {quoted(row.variant)}"
    if not means.queries:
        return GateFinding(False, f"{name} is not defined for any case, so that nothing can be said of it")
    digits = digits_of_change(means.difference)
    figures = f"from {means.first:.{digits}f} to {means.second:.{digits}f}"
    change = f"{figures} ({means.difference:+.{digits}f}, {shown_p(row.adjusted_p)})"
    if means.difference >= -most - TIE:
        how = f"by no more than {most:g}" if means.difference < -TIE else "not at all"
        return GateFinding(True, f"{name} dropped {how}: {change}")
    change = f"{figures} ({_beyond(means.difference, most)}, {shown_p(row.adjusted_p)})"
    if p is not None and cannot_reach(row.least_p, p):
        change += f"; {void_condition(p, means.better + means.worse, row.least_p)}"
    elif p is not None and not row.adjusted_p <= p:
        return GateFinding(True, f"{name} dropped by more than {most:g}, but not significantly at {p:g}: {change}")
    return GateFinding(False, f"{name} dropped by more than {most:g}: {change}")


def _of_cases(drops: tuple[Mover, ...], most: float) -> GateFinding:
    if not drops:
        return GateFinding(True, f"no case dropped by more than {most:g}")
    worst = [
        f"{case_in_prose(mover.key[1], mover.query, mover.key[2])} ({_beyond(mover.difference, most)})"
        for mover in drops[:MOST_EXAMPLES]
    ]
    more = [f"{len(drops) - len(worst):,} more"] if len(drops) > len(worst) else []
    text = f"{counted(len(drops), 'case')} dropped by more than {most:g}: {listed([*worst, *more], 'and')}"
    return GateFinding(False, text)


def _beyond(difference: float, most: float) -> str:
    """A drop of more than `most`, with enough digits to see that it is more."""
    return f"{difference:+.{digits_apart(-difference, most)}f}"


def shown_p(p: float) -> str:
    """A p-value in words: `p 0.043`, `p < 0.001`."""
    if math.isnan(p):
        return "p n/a"
    return "p < 0.001" if p < 0.001 else f"p {p:.3f}"
