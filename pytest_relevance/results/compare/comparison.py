"""The comparison of two runs: the results of the cases that both have, and the figures of their differences.

A compared case is the result of the second run, with the ranking and the scores of the first run as its baseline: so
reports show it as they show a case of a run that has a baseline.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from pytest_relevance._text import counted, quoted
from pytest_relevance.metrics.measures import ranks_needed, score
from pytest_relevance.metrics.names import is_similarity, metric_named, parse_metric
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import WITHIN, BaselineComparison
from pytest_relevance.results.case_result import CaseResult, grouped
from pytest_relevance.results.compare import differences
from pytest_relevance.results.compare.pairing import (
    ErroredCase,
    Incompatibility,
    Metrics,
    Pair,
)
from pytest_relevance.results.outcomes import with_similarities
from pytest_relevance.results.records.run import as_frame

if TYPE_CHECKING:
    import pandas

    from pytest_relevance.metrics.metric import Metric
    from pytest_relevance.results.records.run_info import FileInfo

MOST_MOVERS = 10
"""How many of the largest drops, and of the largest gains, are movers unless more are asked for."""


@dataclass(frozen=True, slots=True)
class TagDifference:
    """The means of the cases with a tag."""

    variant: str | None
    metric: str
    tag: str
    means: differences.Means


@dataclass(frozen=True, slots=True)
class Movers:
    """The cases with the largest drops and those with the largest gains, the largest first."""

    drops: Sequence[CaseResult]
    gains: Sequence[CaseResult]


@dataclass(frozen=True, eq=False)
class Compared:
    """The comparison of two runs.

    `first` and `second` are their names. `results` are the compared cases as the second run has them; `baseline` has
    the ranking and the scores of the first run. Where two variants are compared, results have none. `names` are the
    metrics, and `metric` is the one by which single cases are compared; None is the nDCG@k of each case. `changed` says
    of each case what changed: "ranking", "judgments", "both" or "nothing"; judgments can have changed only where both
    runs were judged again. `resamples` and `seed` are the settings of the tests.

    `left_out` says what was not compared and why, `errors` are the cases that are an error in either run; without
    `common` both are empty. `notes` are further remarks. `fingerprint` says what differs in what was searched, by name:
    `{"index": ["products-11", "products-20"]}`. `files` are the case files of the second run.
    """

    first: str
    second: str
    results: tuple[CaseResult, ...]
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

    def __len__(self) -> int:
        """How many cases were compared."""
        return len(self.results)

    def __repr__(self) -> str:
        """`Comparison(main.jsonl -> branch.jsonl: 135 cases, nDCG@10 -0.108)`."""
        figures = ", ".join(
            f"{row.metric} {row.means.difference:+.3f}" for row in self.metrics
        )
        return f"{type(self).__name__}({self.first} -> {self.second}: {counted(len(self), 'case')}, {figures})"

    @property
    def settings(self) -> tuple[Settings, ...]:
        """The settings that the scores were computed with."""
        return tuple(
            dict.fromkeys(result.conditions.settings for result in self.results)
        )

    @property
    def depths(self) -> tuple[int, ...]:
        """The depths that case files set, where a metric looks at the whole ranking."""
        return tuple(
            differences.set_depths(map(metric_named, self.names), self.results)
        )

    @cached_property
    def variants(self) -> Mapping[str | None, Sequence[CaseResult]]:
        """The results of each variant, {None: all} where there are none or two were compared."""
        return grouped(self.results, lambda result: result.variant)

    @cached_property
    def metrics(self) -> tuple[differences.Difference, ...]:
        """A row for each variant and metric, of the cases that it applies to."""
        rows: list[differences.Difference] = []
        for variant, results in self.variants.items():
            family = []
            for name in self.names:
                if own := [
                    result for result in results if name in result.evaluation.scores
                ]:
                    pairs = differences.score_pairs(own, name)
                    family.append(
                        differences.Scores(variant, name, pairs, len(own) - len(pairs))
                    )
            tested = [scores for scores in family if not is_similarity(scores.metric)]
            found = iter(
                differences.differences_of(
                    tested, resamples=self.resamples, seed=self.seed
                )
            )
            rows += [
                differences.untested(each)
                if is_similarity(each.metric)
                else next(found)
                for each in family
            ]
        return tuple(rows)

    @cached_property
    def by_tag(self) -> tuple[TagDifference, ...]:
        """The means of each tag, by variant and metric; for each metric the largest drop first, undefined ones last."""
        rows: list[TagDifference] = []
        for variant, results in self.variants.items():
            tagged = differences.by_tag(results).items()
            for name in self.names:
                found = [
                    TagDifference(
                        variant,
                        name,
                        tag,
                        differences.means_of(differences.score_pairs(own, name)),
                    )
                    for tag, own in tagged
                    if any(name in result.evaluation.scores for result in own)
                ]
                rows += sorted(
                    found,
                    key=lambda row: (
                        not row.means.queries,
                        row.means.difference,
                        row.tag,
                    ),
                )
        return tuple(rows)

    @cached_property
    def movers(self) -> Movers:
        """The cases with the largest drops and gains; `baseline` has their scores and rankings in the first run."""
        return Movers(self.moved(-1)[:MOST_MOVERS], self.moved(1)[:MOST_MOVERS])

    def moved(self, sign: int, more_than: float = 0.0) -> list[CaseResult]:
        """The cases whose score fell (`sign` -1) or rose (1) by more, the largest change first.

        The score is by the metric that was named first, or the nDCG@k of each case. Rounding alone does not count.
        """
        changes = (
            (sign * differences.change_by(result, self.metric), result)
            for result in self.results
        )
        found = [
            (change, result)
            for change, result in changes
            if change > more_than + differences.TIE
        ]
        return [
            result
            for _, result in sorted(
                found, key=lambda each: (-each[0], differences.key_of(each[1]))
            )
        ]

    @property
    def changed_rankings(self) -> int:
        """How many cases have another ranking in the second run."""
        return sum(what in ("ranking", "both") for what in self.changed)

    @property
    def frame(self) -> pandas.DataFrame:
        """One row for each case and variant: its scores in both runs and their difference.

        Columns: file, id, variant, query, weight, tags, k; for each metric its name with `first`, `second` and
        `difference`, or the name alone for a metric of two rankings such as Jaccard@10; what `changed`.
        """
        names = ("file", "id", "variant", "query", "weight", "tags")
        table: dict[str, object] = {
            name: [getattr(result, name) for result in self.results] for name in names
        }
        table["k"] = [result.conditions.k for result in self.results]
        for name in self.names:
            if is_similarity(name):
                table[name] = [
                    _number(differences.score_now(result, name))
                    for result in self.results
                ]
                continue
            before = [
                _number(differences.score_before(result, name))
                for result in self.results
            ]
            after = [
                _number(differences.score_now(result, name)) for result in self.results
            ]
            table[f"{name} first"], table[f"{name} second"] = before, after
            table[f"{name} difference"] = [
                second - first for first, second in zip(before, after, strict=True)
            ]
        table["changed"] = self.changed
        return as_frame(table)


def _number(score: float | None) -> float:
    return math.nan if score is None else score


def compared_results(
    pairs: list[Pair], metrics: Metrics, *, is_across: bool
) -> tuple[CaseResult, ...]:
    """The second result of each pair, scored by these metrics, with the first one as its baseline.

    Without metrics each is scored by its own nDCG@k. A metric of two rankings compares the two of a pair, and has the
    score 1 in the first run. `is_across`: two variants are compared. The pairs are taken off the list, so that the
    results of hundreds of thousands are not in memory twice. Raises ValueError for a metric that looks deeper than a
    ranking is known, and for a grade without a gain.
    """
    _require_recorded(pairs, metrics)
    before, after = (
        _scores([pair[side] for pair in pairs], metrics) for side in (0, 1)
    )
    similarities = [metric for metric in metrics or () if metric.is_similarity]
    results = []
    pairs.reverse()
    for first, second in zip(before, after, strict=True):
        one, two = pairs.pop()
        if similarities:
            for result, metric in product((one, two), similarities):
                _require_ranks(result, metric)
            first = {
                **first,
                **dict.fromkeys((metric.text for metric in similarities), 1.0),
            }  # with itself
            two = replace(two, evaluation=replace(two.evaluation, scores=second))
            two = with_similarities(two, similarities, one.ranking.documents)
            second = two.evaluation.scores
        ranking, texts = one.ranking, two.texts
        if one.texts.titles is not texts.titles:
            shown = {**one.texts.shown, **texts.shown}
            texts = replace(
                texts, titles={**one.texts.titles, **texts.titles}, shown=shown
            )
        accepted = (
            WITHIN,
            first.get(two.metric.text),
            (),
            first,
            ranking.documents,
            ranking.grades,
        )
        latency, people = one.call.latency_like(two.call), one.evaluation.people_scores
        baseline = BaselineComparison(*accepted, latency=latency, people_scores=people)
        result = replace(
            two,
            variant=None if is_across else two.variant,
            texts=texts,
            evaluation=two.evaluation
            if second is two.evaluation.scores
            else replace(two.evaluation, scores=second),
            baseline=baseline,
        )
        results.append(result)
    return tuple(results)


def what_changed(one: CaseResult, two: CaseResult) -> str:
    """Whether the ranking changed, and the judgments that both were recorded with before they were judged again."""
    before, after = (result.evaluation.recorded_digest for result in (one, two))
    if before and after and before != after:
        return "judgments" if one.ranking.documents == two.ranking.documents else "both"
    return "nothing" if one.ranking.documents == two.ranking.documents else "ranking"


def _scores(
    results: Sequence[CaseResult], metrics: Metrics
) -> list[Mapping[str, float | None]]:
    """The scores of each result by the name of the metric, or its own nDCG@k; None where one is not defined."""
    highest: dict[Settings, float | None] = {}
    found = []
    for result in results:
        graded, scores = None, {}
        for metric in metrics or (result.metric,):
            if metric.is_similarity:  # a record has the similarity to another ranking than that of the first run
                continue
            scores[metric.text] = result.evaluation.scores.get(metric.text)
            if (
                metric.text in result.evaluation.scores
                or not result.evaluation.judgments
                or not metric.is_computable
            ):
                continue
            _require_ranks(result, metric)
            graded = graded or result.graded
            settings = result.conditions.settings
            if settings.max_grade is None and (
                metric.measure == "ERR" or settings.ideal == "max"
            ):
                if settings not in highest:
                    highest[settings] = _highest_grade(results, settings)
                settings = replace(settings, max_grade=highest[settings])
            try:
                value = score(metric, graded, settings)
            except (ValueError, OverflowError) as error:  # a grade without a gain
                raise ValueError(
                    f"the case {quoted(result.id)} has no {metric.text}: {error}"
                ) from None
            scores[metric.text] = None if value != value else value
        recorded = result.evaluation.scores
        found.append(recorded if recorded.keys() == scores.keys() else scores)
    return found


def _require_recorded(pairs: Sequence[Pair], metrics: Metrics) -> None:
    """Raise a ValueError where the recorded values of a metric are needed, and one result of a pair alone has one.

    That is so for a metric of a project's own, whose function is not known here. A case of which neither result has
    the value was not asked for it.
    """
    for metric in metrics or ():
        recorded = [
            {metric.text in result.evaluation.scores for result in pair}
            for pair in pairs
        ]
        if not metric.is_computable and (
            {True} not in recorded or {True, False} in recorded
        ):
            try:
                parse_metric(metric.text)
            except ValueError as error:
                both = "a project's own is compared by the values in both records: name it in a gate or in expect"
                raise ValueError(f"{error}; {both}") from None


def _highest_grade(results: Iterable[CaseResult], settings: Settings) -> float | None:
    """The maximum grade of results whose settings have none: the highest grade of their judgments."""
    alike = (result for result in results if result.conditions.settings == settings)
    return (
        max(
            (max(result.evaluation.judgments, default=0) for result in alike), default=0
        )
        or None
    )


def _require_ranks(result: CaseResult, metric: Metric) -> None:
    """Raise a ValueError where a metric looks deeper than a ranking is known.

    Either only a part of the ranking was kept, or the search returned as many results as requested and may have more.
    """
    needed, ranking = ranks_needed(metric, result.conditions.settings), result.ranking
    kept, depth = len(ranking.documents), result.conditions.depth
    if needed is not None and needed <= kept:
        return
    record_it = "name the metric in an expectation of the case, so that it is recorded"
    if len(set(ranking.documents)) < ranking.returned:
        why = f"of the ranking of {quoted(result.id)} the first {kept} were kept: {record_it}"
    elif needed is None and result.is_cut:
        way_out = "set a depth in the case file (depth: 1000) and record the run again, or name a cutoff"
        why = f"the search of {quoted(result.id)} was asked for {depth}: {way_out}"
    elif needed is not None and (
        ranking.reaches_depth or 0 < ranking.returned == depth
    ):
        why = f"the search of {quoted(result.id)} was asked for {depth}: {record_it}"
    else:
        return
    raise ValueError(
        f"{metric.text} takes {'all of it' if needed is None else f'{needed} ranks'}, and {why}"
    )
