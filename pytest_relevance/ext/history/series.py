"""The runs of one variant of the search, over the cases that all of its runs have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance.cases.model import ROUNDING
from pytest_relevance.ext.history.points import CaseKey, CaseMove, Point
from pytest_relevance.results.case_result import (
    CaseResult,
    percentile,
    values_needed,
    weighted_mean,
)
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
        scored: how many cases the means are over: those with a score in every run that
            searched anything.
        others: how many cases are not in all these runs, or have no score in some.
        since: the index of the first run that is compared with the last one. From there
            on, at least half of the scored cases have no break.
        change: the change of the mean from `since` to the last run, over the cases
            without a break; None if nothing can be compared.
        worse: how many of the cases without a break fell by more than their tolerance.
        better: how many of the cases without a break rose by more than their tolerance.
        last: the last results of all scored cases.
        unmet: the names of the gates that the last run missed.
    """

    variant: str | None
    points: Sequence[Point]
    scored: int
    others: int
    change: MeanChange | None
    worse: int
    better: int
    since: int
    last: Sequence[CaseResult]
    unmet: Sequence[str] = ()


def series_of(
    variant: str | None,
    points: Sequence[Point],
    last: Mapping[CaseKey, CaseResult],
    unmet: Sequence[str],
) -> Series | None:
    """Return the series of a variant; None if its runs have no case in common.

    `last`: the last result of each case. The means and latencies of the points are set.
    """
    searched = [point for point in points if point.figures]
    runs_of_case: Counter[CaseKey] = Counter()
    for point in searched:
        runs_of_case.update(point.figures.keys())
    common = sorted(key for key, runs in runs_of_case.items() if runs == len(searched))
    if not common:
        return None
    scored = [key for key in common if _is_scored(key, searched)]
    for point in searched:
        _set_figures(point, common, scored, last)
    stretch = _without_breaks(searched, scored)
    moves = _moves(stretch, last)
    change = change_of(moves.pairs, len(scored)) if moves.pairs else None
    return Series(
        variant=variant,
        points=points,
        scored=len(scored),
        others=len(runs_of_case) - len(scored),
        change=change,
        worse=moves.worse,
        better=moves.better,
        since=points.index(stretch.first),
        last=[last[key] for key in scored],
        unmet=unmet,
    )


def _is_scored(key: CaseKey, points: Sequence[Point]) -> bool:
    return all(point.figures[key].score is not None for point in points)


def _set_figures(
    point: Point,
    common: Sequence[CaseKey],
    scored: Sequence[CaseKey],
    last: Mapping[CaseKey, CaseResult],
) -> None:
    """Set the means, latency and breaks of a run, weighted as in the last run.

    `common`: the cases that all runs have. `scored`: those of them with scores.
    """

    def fall_order(move: CaseMove) -> float:
        return (move.after or 0) - (move.before or 0)

    point.moves.sort(key=fall_order)
    if scored:
        weights = [last[key].weight for key in scored]
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
    """Some consecutive runs: the first, the last (`end`), and comparable cases.

    `cases`: the cases whose judgments, settings and query did not change in these runs.
    """

    first: Point
    end: Point
    cases: Collection[CaseKey]


def _without_breaks(points: Sequence[Point], scored: Sequence[CaseKey]) -> _Stretch:
    """Return the last runs without a break in at least half of the scored cases.

    As many runs as possible are returned. A break is a change of the judgments, the
    settings or the query of a case.
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


@dataclass(frozen=True, slots=True)
class _Moves:
    """The scores of cases in the first and the last run, and the counts of changes.

    `worse`, `better`: how many cases changed by more than their tolerance.
    """

    pairs: Sequence[ScorePair]
    worse: int
    better: int


def _moves(stretch: _Stretch, last: Mapping[CaseKey, CaseResult]) -> _Moves:
    """Return how the scores changed from the first to the last run of a stretch.

    If both are the same run, there are no pairs.
    """
    pairs = []
    worse = better = 0
    if stretch.first is not stretch.end:
        for key in stretch.cases:
            pair = ScorePair(
                key=(key[0], f"{key[1]} {key[2]}", ""),
                first=stretch.first.figures[key].score or 0.0,
                second=stretch.end.figures[key].score or 0.0,
                weight=last[key].weight,
            )
            pairs.append(pair)
            if abs(pair.change) <= last[key].conditions.tolerance + ROUNDING:
                continue
            if pair.change < 0:
                worse += 1
            else:
                better += 1
    return _Moves(pairs, worse=worse, better=better)
