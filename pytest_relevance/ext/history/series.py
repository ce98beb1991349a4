"""The runs of one variant of the search, over the cases that all of its runs have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance.ext.history.points import (
    CaseKey,
    CaseMove,
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
from pytest_relevance.results.changes import Change
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
        others: how many cases are not in all these runs, or have no score in some.
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
    with_score = [key for key in common if _is_scored(key, searched)]
    scored = _scored_alike(with_score, last)
    for point in searched:
        _set_figures(point, common, scored, last)
    stretch = _without_breaks(searched, scored or common)
    pairs = _pairs(stretch, last) if scored else []
    changes = _changes(searched, stretch, common, last, results_of)
    return Series(
        variant=variant,
        points=points,
        scored=len(scored),
        others=len(runs_of_case) - len(scored),
        change=change_of(pairs, len(scored)) if pairs else None,
        counts=count_changes(changes),
        judged=means_over_judged(changes),
        since=points.index(stretch.first),
        last=[last[key].result for key in scored],
        titles={key: each.titles for key, each in last.items()},
        unmet=unmet,
    )


def _scored_alike(
    keys: Sequence[CaseKey], last: Mapping[CaseKey, LastResult]
) -> Sequence[CaseKey]:
    """Return the cases to take the mean of.

    Known items are left out if there are other cases.
    """
    judged = [key for key in keys if not last[key].result.is_known_item]
    return judged or keys


def _is_scored(key: CaseKey, points: Sequence[Point]) -> bool:
    return all(point.figures[key].score is not None for point in points)


def _set_figures(
    point: Point,
    common: Sequence[CaseKey],
    scored: Sequence[CaseKey],
    last: Mapping[CaseKey, LastResult],
) -> None:
    """Set the means, latency and breaks of a run, weighted as in the last run.

    `common`: the cases that all runs have.
    `scored`: the cases of `common` that have a score in all runs.
    """

    def fall_order(move: CaseMove) -> float:
        return (move.after or 0) - (move.before or 0)

    point.moves.sort(key=fall_order)
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
        point.breaks.update(point.changes.get(key, {}).items())


def _mean(scores: Sequence[float | None], weights: Sequence[float]) -> float:
    pairs = []
    for score, weight in zip(scores, weights, strict=True):
        assert score is not None
        pairs.append((score, weight))
    return weighted_mean(pairs)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Consecutive runs whose first and last one can be compared.

    `first`, `end`: the first and the last of the runs.
    `cases`: the cases whose judgments, settings and query did not change in these runs.
    """

    first: Point
    end: Point
    cases: Collection[CaseKey]


def _without_breaks(points: Sequence[Point], scored: Sequence[CaseKey]) -> _Stretch:
    """Return the longest stretch up to the last run that has few breaks.

    At least half of the scored cases have no break in it: their judgments, settings and
    query did not change.
    """
    cases = set(scored)
    first = end = points[-1]
    for number in range(len(points) - 1, 0, -1):
        left = cases - points[number].changes.keys()
        if not left or len(left) < len(scored) / 2:
            break
        cases = left
        first = points[number - 1]
    return _Stretch(first, end, cases)


def _pairs(stretch: _Stretch, last: Mapping[CaseKey, LastResult]) -> list[ScorePair]:
    """Return the scores of the cases at both ends of a stretch; [] if it is one run."""
    pairs: list[ScorePair] = []
    if stretch.first is stretch.end:
        return pairs
    for key in stretch.cases:
        file, case, number = key
        pair = ScorePair(
            key=(file, f"{case} {number}", ""),
            first=stretch.first.figures[key].score or 0.0,
            second=stretch.end.figures[key].score or 0.0,
            weight=last[key].result.weight,
        )
        pairs.append(pair)
    return pairs


def _changes(
    searched: Sequence[Point],
    stretch: _Stretch,
    common: Iterable[CaseKey],
    last: Mapping[CaseKey, LastResult],
    results_of: ResultsOf,
) -> list[Change]:
    """Return the change of each case from the first to the last run of a stretch.

    Cases with a break in the stretch are left out. [] if the stretch is one run.

    `common`: the cases that all runs have.
    """
    if stretch.first is stretch.end:
        return []
    broken: set[CaseKey] = set()
    for point in searched[searched.index(stretch.first) + 1 :]:
        broken |= point.changes.keys()
    first = results_of(stretch.first)
    changes = []
    for key in common:
        if key not in broken and key in first:
            changes.append(change_between(first[key], last[key]))
    return changes
