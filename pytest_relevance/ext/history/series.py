"""The runs of one variant of the search, over the cases that all of its runs have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance.ext.history.points import (
    CaseKey,
    LastResult,
    Point,
    change_between,
)
from pytest_relevance.results.case_result import (
    CaseResult,
    percentile,
    values_needed,
    weighted_mean,
)
from pytest_relevance.results.certainty import JudgedMeans, means_over_judged
from pytest_relevance.results.change_counts import ChangeCounts, count_changes
from pytest_relevance.results.compare.differences import (
    MeanChange,
    ScorePair,
    change_of,
)


@dataclass(frozen=True, slots=True)
class Series:
    """The runs of one variant of the search.

    Attributes:
        variant: the variant; None if the search has none.
        points: the runs in the order of their start.
        scored: how many cases the means are over. These have a score in every run that
            searched anything.
        known_items: how many known items the means leave out, because there are judged
            cases. They have a score in every run.
        others: how many other cases the means leave out: those that are not in all
            these runs, or have no score in some.
        since: the index of the first run that is compared with the last one. From there
            on, at least half of the scored cases have no break.
        change: the change of the mean from `since` to the last run, over the cases
            without a break; None if nothing can be compared.
        counts: how many of the cases that all runs have, and that have no break, got
            worse, got better, or neither since then.
        judged: the means over judged results alone; None if nothing is unjudged.
        last: the last results of all scored cases.
        titles: {case: {document: title}}, of the documents in the top k of any run.
        unmet: the names of the gates that the last run missed.
    """

    variant: str | None
    points: Sequence[Point]
    scored: int
    known_items: int
    others: int
    change: MeanChange | None
    counts: ChangeCounts
    judged: JudgedMeans | None
    since: int
    last: Sequence[CaseResult]
    titles: Mapping[CaseKey, Mapping[str, str]]
    unmet: Sequence[str] = ()


ResultsOf = Callable[[Point], Mapping[CaseKey, CaseResult]]
"""Reads the results of a variant in one run again."""


def series_of(
    variant: str | None,
    points: Sequence[Point],
    last: Mapping[CaseKey, LastResult],
    unmet: Sequence[str],
    results_of: ResultsOf,
) -> Series | None:
    """Return the series of a variant; None if its runs have no case in common.

    It also sets the means, the latency and the breaks of each point.

    `last`: the last result of each case.
    `unmet`: the names of the gates that the last run missed.
    """
    searched = [point for point in points if point.figures]
    runs_of_case: Counter[CaseKey] = Counter()
    for point in searched:
        runs_of_case.update(point.figures.keys())
    in_all = [key for key, runs in runs_of_case.items() if runs == len(searched)]
    common = sorted(in_all)
    if not common:
        return None
    with_score = _cases_with_score(common, searched)
    judged = [key for key in with_score if not last[key].result.is_known_item]
    scored = judged or with_score
    for point in searched:
        _set_figures(point, common, scored, last)
    comparable = _comparable_runs(searched, scored or common)
    first = comparable[0]
    pairs = []
    changes = []
    if len(comparable) > 1:
        later = comparable[1:]
        pairs = _score_pairs(_without_break(scored, later), first, later[-1], last)
        earlier_results = results_of(first)
        for key in _without_break(common, later):
            changes.append(change_between(earlier_results[key], last[key]))
    return Series(
        variant=variant,
        points=points,
        scored=len(scored),
        known_items=len(with_score) - len(scored),
        others=len(runs_of_case) - len(with_score),
        change=change_of(pairs, len(scored)) if pairs else None,
        counts=count_changes(changes),
        judged=means_over_judged(changes),
        since=points.index(first),
        last=[last[key].result for key in scored],
        titles={key: each.titles for key, each in last.items()},
        unmet=unmet,
    )


def _cases_with_score(
    common: Iterable[CaseKey], points: Sequence[Point]
) -> Sequence[CaseKey]:
    """Return the cases that have a score in every run."""
    found = []
    for key in common:
        if all(point.figures[key].score is not None for point in points):
            found.append(key)
    return found


def _set_figures(
    point: Point,
    common: Sequence[CaseKey],
    scored: Sequence[CaseKey],
    last: Mapping[CaseKey, LastResult],
) -> None:
    """Set the means, the latency and the breaks of a run.

    `common`: the cases that all runs have.
    `scored`: the cases that the means are over, weighted as in the last run.
    """
    if scored:
        weights = [last[key].result.weight for key in scored]
        figures = [point.figures[key] for key in scored]
        point.mean = _mean([figure.score for figure in figures], weights)
        point.low = _mean([figure.lower for figure in figures], weights)
        point.high = _mean([figure.upper for figure in figures], weights)
    latencies = []
    for key in common:
        latency = point.figures[key].latency
        if latency is not None:
            latencies.append(latency)
    if len(latencies) >= values_needed(95):
        point.p95 = percentile(latencies, 95)
    for key in scored:
        point.breaks.update(point.incomparable.get(key, {}).items())


def _mean(scores: Sequence[float | None], weights: Sequence[float]) -> float:
    pairs = []
    for score, weight in zip(scores, weights, strict=True):
        assert score is not None
        pairs.append((score, weight))
    return weighted_mean(pairs)


def _comparable_runs(
    points: Sequence[Point], cases: Sequence[CaseKey]
) -> Sequence[Point]:
    """Return the last runs, as many as can be compared with each other.

    At least half of the cases have no break after the first of these runs.
    """
    unbroken = set(cases)
    for index in range(len(points) - 1, 0, -1):
        unbroken -= points[index].incomparable.keys()
        if len(unbroken) < len(cases) / 2:
            return points[index:]
    return points


def _without_break(cases: Iterable[CaseKey], points: Iterable[Point]) -> list[CaseKey]:
    """Return the cases that have no break in any of the runs."""
    broken: set[CaseKey] = set()
    for point in points:
        broken |= point.incomparable.keys()
    return [key for key in cases if key not in broken]


def _score_pairs(
    cases: Iterable[CaseKey],
    first: Point,
    end: Point,
    last: Mapping[CaseKey, LastResult],
) -> list[ScorePair]:
    """Return the scores of cases in two runs, weighted as in the last run."""
    pairs = []
    for key in cases:
        file, case, number = key
        pair = ScorePair(
            key=(file, f"{case} {number}", ""),
            first=first.figures[key].score or 0.0,
            second=end.figures[key].score or 0.0,
            weight=last[key].result.weight,
        )
        pairs.append(pair)
    return pairs
