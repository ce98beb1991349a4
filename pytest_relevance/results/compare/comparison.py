"""Compare two runs by the results of the cases that both have.

`compare_runs` (`ext/comparing`) makes a `Comparison` when it has paired and scored the
results.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pytest_relevance._text import MOST_SHOWN, WIDEST, counted
from pytest_relevance.metrics.metric import ROUNDING
from pytest_relevance.metrics.names import is_similarity, metric_named
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.registry import upward
from pytest_relevance.results.case_result import CaseResult, grouped
from pytest_relevance.results.change_counts import ChangeCounts, count_changes
from pytest_relevance.results.changes import Change, Pair, count_other_rankings
from pytest_relevance.results.compare import differences
from pytest_relevance.results.compare.differences import (
    Difference,
    MeanChange,
    Means,
    Scores,
    mean_change_of,
)
from pytest_relevance.results.compare.incompatibilities import (
    ErroredCase,
    Incompatibility,
)
from pytest_relevance.results.filled import without_fill
from pytest_relevance.results.records.run import as_frame, nan_if_none
from pytest_relevance.results.records.run_info import FileInfo, Replayed

if TYPE_CHECKING:
    import pandas

    from pytest_relevance.results.records.demands import DemandChange

MOST_MOVERS = 10
"""How many of the largest drops, and of the largest gains, are movers."""

_OF_CASE = ("file", "id", "variant", "query", "weight", "tags")


@dataclass(frozen=True, slots=True)
class TagDifference:
    """The means of the cases with a tag in both runs, by one metric.

    `variant`: the variant of the search; None if there are no variants.
    """

    variant: str | None
    metric: str
    tag: str
    means: Means


@dataclass(frozen=True, slots=True)
class Movers:
    """The cases with the largest drops and the largest gains, the largest first."""

    drops: Sequence[Change]
    gains: Sequence[Change]


@dataclass(frozen=True, slots=True)
class ComparisonGates:
    """The findings of the gates of a comparison.

    `findings`: one for each gate, of the kinds in `pytest_relevance.gates`. Each says
    whether it `is_met`.
    `drops`: the cases that dropped by more than a single case may (`max_case_drop`).
    """

    findings: tuple[Any, ...]
    drops: Sequence[Change] = ()

    @property
    def passed(self) -> bool:
        """Say whether every gate is met."""
        return all(finding.is_met for finding in self.findings)


@dataclass(frozen=True, eq=False)
class Comparison:
    """The comparison of two runs; all differences are second - first.

    `metrics` has a row for each variant of the search and metric, and `frame` one for
    each case. `movers` are the cases with the largest drops and gains. `judge` says
    whether the second run may replace the first.

    Attributes:
        first: the name of the first run.
        second: the name of the second run.
        pairs: the results of the cases that were compared.
        names: the metrics.
        metric: the metric by which single cases are compared; None is the nDCG@k of
            each case.
        changed: what changed in each case: "ranking", "judgments", "both" or "nothing".
            Judgments can have changed only if both runs were judged again.
        resamples: how many random flips of signs a test draws.
        seed: the seed of the tests.
        left_out: what was not compared and why; empty without `common`.
        errors: the cases that are an error in either run; empty without `common`.
        notes: further remarks.
        fingerprint: what differs in what was searched, by name:
            `{"index": ["products-11", "products-20"]}`.
        files: the case files of the second run.
        test_changes: `(file, change)` for each demand of the test that differs in the
            second run.
        replayed: `(name of the run, record)` for each of the two that called no search,
            and judged the rankings of a record.
    """

    first: str
    second: str
    pairs: tuple[Pair, ...]
    names: tuple[str, ...]
    metric: str | None
    changed: tuple[str, ...]
    resamples: int
    seed: int
    left_out: tuple[Incompatibility, ...] = ()
    errors: tuple[ErroredCase, ...] = ()
    notes: tuple[str, ...] = ()
    fingerprint: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    files: Mapping[str, FileInfo] = field(default_factory=dict)
    test_changes: Sequence[tuple[str, DemandChange]] = ()
    replayed: Sequence[tuple[str, Replayed]] = ()

    def __len__(self) -> int:
        """Return how many cases were compared."""
        return len(self.pairs)

    def __repr__(self) -> str:
        """Return, for example, `Comparison(a -> b: 135 cases, nDCG@10 -0.108)`."""
        figures = ", ".join(
            f"{row.metric} {row.means.difference:+.3f}" for row in self.metrics
        )
        cases = counted(len(self), "case")
        return f"Comparison({self.first} -> {self.second}: {cases}, {figures})"

    # --- cases ------------------------------------------------------------------------

    @cached_property
    def results(self) -> tuple[CaseResult, ...]:
        """Return the results of the second run that were compared."""
        return tuple([pair.second for pair in self.pairs])

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """Return the change of each case, by `metric`."""
        return tuple([Change.between(pair, self.metric) for pair in self.pairs])

    @cached_property
    def counts(self) -> ChangeCounts:
        """Return how many queries got worse, got better, or neither, by `metric`."""
        return count_changes(self.changes)

    @property
    def changed_rankings(self) -> int:
        """Return how many cases have a different ranking in the second run."""
        return count_other_rankings(self.changes)

    @cached_property
    def movers(self) -> Movers:
        """Return the cases with the largest drops and gains."""
        return Movers(self.moved(-1)[:MOST_MOVERS], self.moved(1)[:MOST_MOVERS])

    def moved(self, sign: int, more_than: float = 0.0) -> list[Change]:
        """Return the cases whose score by `metric` changed, the largest change first.

        Changes up to `more_than`, and by rounding alone, are left out.

        `sign`: -1 for the cases that fell, 1 for those that rose.
        """
        moved = []
        for change in self.changes:
            if sign * change.difference > more_than + ROUNDING:
                moved.append(change)

        def largest_first(change: Change) -> tuple[float, tuple[str, str, str]]:
            return -sign * change.difference, differences.key_of(change.case)

        moved.sort(key=largest_first)
        return moved

    # --- figures ----------------------------------------------------------------------

    @property
    def settings(self) -> tuple[Settings, ...]:
        """Return the different settings that the second run was scored with."""
        settings = [result.conditions.settings for result in self.results]
        return tuple(dict.fromkeys(settings))

    @property
    def depths(self) -> tuple[int, ...]:
        """Return the depths that case files set, if a metric looks at all ranks."""
        metrics = [metric_named(name) for name in self.names]
        return tuple(differences.set_depths(metrics, self.results))

    @cached_property
    def variants(self) -> Mapping[str | None, Sequence[Pair]]:
        """Return {variant: pairs}.

        {None: all pairs} if there are no variants, or if two variants were compared
        with each other.
        """
        return grouped(self.pairs, lambda pair: pair.second.variant)

    @cached_property
    def metrics(self) -> tuple[Difference, ...]:
        """Return the difference by each metric, in each variant."""
        rows = []
        for variant, pairs in self.variants.items():
            rows += self._differences_of(variant, pairs)
        return tuple(rows)

    @property
    def is_by_own_metric(self) -> bool:
        """Say whether each case is compared by its own nDCG@k."""
        for change in self.changes:
            if change.metric not in (None, change.case.metric.text):
                return False
        return True

    @cached_property
    def mean_change(self) -> MeanChange | None:
        """Return the change of the mean by `metric`, with its p-value and interval.

        A query counts once for all its variants. None if no case has both scores, or if
        the metric compares rankings.
        """
        if self.metric is not None and is_similarity(self.metric):
            return None
        rows = self.metrics
        if self.metric is not None:
            rows = tuple([row for row in rows if row.metric == self.metric])
        if len(rows) != 1:
            return mean_change_of(
                self.changes, resamples=self.resamples, seed=self.seed
            )
        (row,) = rows
        if not row.means.queries:
            return None
        return MeanChange(
            means=row.means,
            p=row.adjusted_p,
            low=row.low,
            high=row.high,
            total=row.means.queries + row.undefined,
        )

    def _differences_of(
        self, variant: str | None, pairs: Sequence[Pair]
    ) -> list[Difference]:
        """Return the differences of a variant by each metric.

        Their p-values are adjusted together. Similarities of rankings are not tested.
        """
        family = []
        for name in self.names:
            changes = _changes_by(pairs, name)
            if changes:
                score_pairs = differences.score_pairs_of(changes)
                undefined = len(changes) - len(score_pairs)
                family.append(Scores(variant, name, score_pairs, undefined))
        tested = [scores for scores in family if not is_similarity(scores.metric)]
        tests = differences.differences_of(
            tested, resamples=self.resamples, seed=self.seed
        )
        by_metric = {test.metric: test for test in tests}
        rows = []
        for scores in family:
            test = by_metric.get(scores.metric)
            rows.append(differences.untested(scores) if test is None else test)
        return rows

    @cached_property
    def by_tag(self) -> tuple[TagDifference, ...]:
        """Return the means of each tag, in each variant and by each metric.

        For each metric the largest drop comes first, and undefined means come last.
        """
        rows = []
        for variant, pairs in self.variants.items():
            tagged: dict[str, list[Pair]] = {}
            for pair in pairs:
                for tag in pair.second.tags:
                    tagged.setdefault(tag, []).append(pair)
            for name in self.names:
                rows += _tag_differences(variant, name, tagged)
        return tuple(rows)

    @property
    def frame(self) -> pandas.DataFrame:
        """Return a DataFrame with a row for each case and variant.

        Columns: file, id, variant, query, weight, tags and k; for each metric its name
        with `first`, `second` and `difference`, or the name alone for a metric that
        compares two rankings, for example Jaccard@10; and `changed`.
        """
        table: dict[str, object] = {}
        for name in _OF_CASE:
            table[name] = [getattr(result, name) for result in self.results]
        table["k"] = [result.conditions.k for result in self.results]
        for name in self.names:
            changes = [Change.between(pair, name) for pair in self.pairs]
            after = [nan_if_none(change.score_after) for change in changes]
            if is_similarity(name):
                table[name] = after
                continue
            before = [nan_if_none(change.score_before) for change in changes]
            table[f"{name} first"] = before
            table[f"{name} second"] = after
            table[f"{name} difference"] = [
                second - first for first, second in zip(before, after, strict=True)
            ]
        table["changed"] = self.changed
        return as_frame(table)

    # --- gates ------------------------------------------------------------------------

    def judge(
        self,
        max_drop: Mapping[str, float] | None = None,
        *,
        p: float | None = None,
        max_case_drop: float | None = None,
        min_mean: Mapping[str, float] | None = None,
    ) -> ComparisonGates:
        """Return the findings of gates on the second run; `passed` if all are met.

        `max_drop`: {metric: by how much its mean may drop}, in each variant of the
        search.
        `p`: the largest p-value at which a larger drop fails; None if every larger drop
        fails.
        `max_case_drop`: by how much the score of a single case may drop, by the metric
        that was named first.
        `min_mean`: {metric: the lowest allowed mean in the second run}.

        A case that is an error only in the second run always fails. Pass the findings
        to a report as `gates`.

        Raises ValueError for a metric that was not compared, and for a number out of
        range.
        """
        # calls `judge_comparison` in gates/comparison_gates.py, by `CALLS_UPWARD`
        gates: ComparisonGates = upward("judge")(
            self,
            max_drop=max_drop,
            p=p,
            max_case_drop=max_case_drop,
            min_mean=min_mean,
        )
        return gates

    def without_fill(self) -> Comparison:
        """Return the comparison of the scores without filled grades.

        What the comparisons with references found (`Pair.found`) is left out.
        """
        pairs = []
        for pair in self.pairs:
            first, second = without_fill(pair.first), without_fill(pair.second)
            pairs.append(Pair(first, second))
        return replace(self, pairs=tuple(pairs))

    # --- reports ----------------------------------------------------------------------

    def _repr_html_(self) -> str:
        """Return the headline, the means, the tables and the notes as HTML."""
        # calls `comparison_html` in reports/comparison_report.py
        html: str = upward("notebook")(self)
        return html

    def _report(
        self, format: str, gates: ComparisonGates | None, **options: int | None
    ) -> str:
        # calls `comparison_report` in reports/formats.py
        report: str = upward("report")(format, self, gates, **options)
        return report

    def summary(
        self,
        *,
        limit: int | None = MOST_SHOWN,
        gates: ComparisonGates | None = None,
        width: int = WIDEST,
    ) -> str:
        """Return the report as text, at most `width` columns wide.

        `limit`: the most entries of each list; None for all.
        `gates`: what `judge` returned.
        """
        return self._report("text", gates, limit=limit, width=width)

    def to_markdown(
        self,
        *,
        limit: int | None = MOST_SHOWN,
        gates: ComparisonGates | None = None,
        max_chars: int | None = None,
    ) -> str:
        """Return the report as Markdown, for a pull request.

        `limit`: the most entries of each list; None for all.
        `gates`: what `judge` returned.
        `max_chars`: the most characters. If there are more, whole sections are left out
        from the end, and a line says which.
        """
        return self._report("markdown", gates, limit=limit, max_chars=max_chars)

    def to_dict(
        self, *, limit: int | None = None, gates: ComparisonGates | None = None
    ) -> dict[str, Any]:
        """Return the report as a dict of the types of JSON. Undefined figures are None.

        `limit`: the most drops and the most gains; None for as many as in `movers`.
        `gates`: what `judge` returned.

        New keys may be added. If a key changes its name or meaning, `version` goes up.
        docs/reference/records.md has all keys.
        """
        data: dict[str, Any] = json.loads(self.to_json(limit=limit, gates=gates))
        return data

    def to_json(
        self, *, limit: int | None = None, gates: ComparisonGates | None = None
    ) -> str:
        """Return the dict of `to_dict` as JSON, in ASCII."""
        most = MOST_MOVERS if limit is None else limit
        return self._report("json", gates, limit=most)


def _changes_by(pairs: Iterable[Pair], metric: str) -> list[Change]:
    """Return the change of each case that has a score by a metric.

    The score may be None, if the metric is not defined for the case.
    """
    changes = []
    for pair in pairs:
        if metric in pair.second.evaluation.scores:
            changes.append(Change.between(pair, metric))
    return changes


def _tag_differences(
    variant: str | None, metric: str, tagged: Mapping[str, Sequence[Pair]]
) -> list[TagDifference]:
    """Return the means of each tag by a metric, in the order of `_tag_order`.

    `tagged`: {tag: the pairs of a variant that have it}.
    """
    rows = []
    for tag, pairs in tagged.items():
        changes = _changes_by(pairs, metric)
        if changes:
            means = differences.means_of(differences.score_pairs_of(changes))
            rows.append(TagDifference(variant, metric, tag, means))
    rows.sort(key=_tag_order)
    return rows


def _tag_order(row: TagDifference) -> tuple[bool, float, str]:
    """Return the sort key of a tag: the largest drop first, undefined means last."""
    return not row.means.queries, row.means.difference, row.tag


def what_changed(pair: Pair) -> str:
    """Return what changed in a pair: "ranking", "judgments", "both" or "nothing"."""
    first, second = pair.first, pair.second
    is_same = not Change.between(pair).has_other_ranking
    before = first.evaluation.recorded_digest
    after = second.evaluation.recorded_digest
    if before and after and before != after:
        return "judgments" if is_same else "both"
    return "nothing" if is_same else "ranking"
