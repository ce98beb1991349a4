"""The history of a suite: recorded runs in the order of their start, over the cases that all of them have.

Records are read one after the other: of each run the figures of its cases are kept, of each case its last result. A
case is compared with that result, by the rules of `compare`, so that a run in which its search failed hides nothing.

Nothing is scored again, as a record lacks the grades of documents that only other runs returned. Where the judgments,
the settings or the query of a case changed, there is a break: the case is not counted as worse or better there, and the
means before and after are of different things.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Protocol

from pytest_relevance.results.case_parts import FLOOR
from pytest_relevance.results.case_result import (
    FAILED,
    SKIPPED,
    WITHOUT_SCORE,
    CaseResult,
    percentile,
    weighted_mean,
)
from pytest_relevance.results.compare.differences import (
    TIE,
    MeanChange,
    ScorePair,
    change_of,
)
from pytest_relevance.results.compare.incompatibilities import incompatibilities
from pytest_relevance.results.compare.pairing import file_names
from pytest_relevance.results.outcomes import NOTHING, kind_named
from pytest_relevance.results.records.accepted_outcomes import is_same_demand
from pytest_relevance.results.records.file import read_header, read_record
from pytest_relevance.results.records.run_info import (
    FileInfo,
    Fingerprint,
    RecordError,
    changed,
)

CaseKey = tuple[str, str, int]
"""A case: the name of its file, its id, and a number among several checks of one query by a test."""


@dataclass(frozen=True, slots=True)
class CaseFigures:
    """The figures of a case in one run: nDCG@k with its interval, None where it is not defined; the latency (s)."""

    score: float | None
    lower: float | None
    upper: float | None
    latency: float | None


@dataclass(frozen=True, slots=True)
class CaseMove:
    """A case that got worse or better since the run before: its nDCG@k in both, None where it is not defined."""

    id: str
    query: str
    before: float | None
    after: float | None
    is_worse: bool


@dataclass(slots=True, eq=False)
class Point:
    """One variant of the search in the run of a record, which has a `name`.

    `searched` is what is new in its fingerprint. `figures` are those of the cases that were searched, `empty` says how
    many rankings are, and `statuses` counts all cases. `changes` says by kind what changed in a case since its last
    result: "judgments", "settings" or "query", with a detail, if known; the others with a result before are `compared`.
    Of the `moves`, the largest fall first, so many are `worse` and `better`.

    `mean` and the interval `low` to `high` that unjudged results leave to it are NaN where no case has a score; `p95`
    is of the latencies of the common cases, in seconds. `breaks` counts the changes of the cases that the mean is over.
    """

    name: str
    started: str
    fingerprint: Fingerprint
    searched: Fingerprint
    figures: dict[CaseKey, CaseFigures] = field(default_factory=dict)
    statuses: Counter[str] = field(default_factory=Counter)
    empty: int = 0
    changes: dict[CaseKey, Mapping[str, str]] = field(default_factory=dict)
    compared: int = 0
    moves: list[CaseMove] = field(default_factory=list)
    worse: int = 0
    better: int = 0
    mean: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p95: float | None = None
    breaks: Counter[tuple[str, str]] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Series:
    """The runs of one variant of the search.

    The means are over `scored` cases: those with a score in every run that searched at all. `others` are not in all
    these runs, or have no score in some.

    `change` is that of the mean since the point `since`, over the cases that no break has touched: the first point from
    which on these are at least half of the scored cases. Of them so many got `worse` and `better` by more than their
    tolerance. `last` are the last results of all scored cases. `unmet` are the gates that the last run missed.
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
    unmet: Sequence[str]


@dataclass(frozen=True, slots=True)
class History:
    """A series for each variant of the search, when the runs began, and by name why other files were left out."""

    series: Sequence[Series]
    starts: Sequence[str]
    left_out: Mapping[str, str]


class JudgedGate(Protocol):
    """What a history uses of a gate that was judged (`gates.judging.GateResult`)."""

    @property
    def file(self) -> str:
        """The file that has the gate."""

    @property
    def name(self) -> str:
        """The name of the gate among node ids."""

    @property
    def variant(self) -> str | None:
        """The variant that it was judged in."""

    def outcome(self) -> str:
        """Give what came of it: `passed`, `failed` ..."""


JudgeGates = Callable[
    [Sequence[CaseResult], Mapping[str, FileInfo], bool], Sequence[JudgedGate]
]
"""Judges the gates of a run; the last argument: a gate without a verdict has failed."""


def read_history(paths: Iterable[str], judge: JudgeGates) -> History:
    """Read the history of records. `judge` judges the gates of the newest one.

    Raises `RecordError` if none can be used, or they have no case in common.
    """
    left_out: dict[str, str] = {}
    headers = {}
    for name in paths:
        try:
            header = headers[name] = read_header(name)
            if header.run.why_incomplete:
                left_out[name] = (
                    f"{name}: the run is not complete, {header.run.why_incomplete}"
                )
            elif not header.run.started:
                left_out[name] = f"{name}: it does not say when the run began"
        except RecordError as error:
            left_out[name] = str(error)
    files = [header.files for name, header in headers.items() if name not in left_out]
    name_of = file_names(files)
    runs: dict[str, dict[str | None, Point]] = {}
    last: dict[tuple[str | None, CaseKey], CaseResult] = {}
    known, starts = (
        dict[int, str](),
        Counter(header.run.started for header in headers.values()),
    )
    before: Fingerprint = {}
    order = sorted(
        headers.keys() - left_out, key=lambda name: (headers[name].run.started, name)
    )
    gates = _gates_of_newest(order, left_out, judge)
    for name in order:
        try:
            record = read_record(name)
        except RecordError as error:
            left_out[name] = str(error)
            continue
        results, info = record.results, record.info
        if starts[info.started] > 1:
            figures = (
                (each.key, each.verdict, each.score, each.call.latency)
                for each in results
            )
            same = known.setdefault(
                hash((info.started, *figures)), name
            )  # hardly ever equal by chance
            if same != name:
                left_out[name] = f"{name}: the run of {same} once more"
                continue
        runs[name] = points = {}
        differs = changed(before, info.fingerprint)
        new = (
            {each: differs[each][1] for each in differs} if before else info.fingerprint
        )
        numbers: Counter[tuple[str | None, str, str]] = Counter()
        for result in results:
            variant = result.variant
            if variant not in points:
                points[variant] = Point(name, info.started, info.fingerprint, new)
            found = variant, name_of(result.file), result.id
            key = *found[1:], numbers[found]
            numbers[found] += 1
            if _add(points[variant], key, last.get((variant, key)), result):
                last[variant, key] = result
        before = info.fingerprint or before
    if not runs:
        why = "no record of a run that finished is there; pytest --relevance-record=FILE writes one"
        raise RecordError.at(
            "pytest-relevance history", "\n- ".join([why, *left_out.values()])
        )
    in_last, all_series = [*runs.values()][-1], []
    for variant in dict.fromkeys(chain.from_iterable(reversed(runs.values()))):
        series = _series(
            variant,
            [points[variant] for points in runs.values() if variant in points],
            last,
        )
        if series is None:
            left_out[str(variant)] = (
                f"{variant or 'no variant'}: no case was searched in all its runs"
            )
            continue
        of_variant = (
            gate
            for gate in gates
            if gate.variant == variant or gate.variant not in in_last
        )
        missed = [
            f"{gate.file}: {gate.name}"
            for gate in of_variant
            if gate.outcome() == FAILED
        ]
        all_series.append(replace(series, unmet=missed if variant in in_last else ()))
    if not all_series:
        advice = "name the runs of one suite, and merge the records of shards first"
        raise RecordError.at(
            "pytest-relevance history",
            f"no case was searched in all {len(runs)} runs: {advice}",
        )
    return History(all_series, [headers[name].run.started for name in runs], left_out)


def _gates_of_newest(
    names: list[str], left_out: dict[str, str], judge: JudgeGates
) -> Sequence[JudgedGate]:
    """Judge the gates of the newest run whose record can be read whole, as gates look at all of it; others are left out."""
    while names:
        try:
            newest = read_record(names[-1])
            return judge(newest.results, newest.files, newest.info.requires_gates)
        except RecordError as error:
            left_out[names.pop()] = str(error)
    return ()


def _add(
    point: Point, key: CaseKey, before: CaseResult | None, now: CaseResult
) -> bool:
    """Count a result, and whether its search gave a ranking. Then add what became of the case since its last result.

    It got worse if nDCG@k fell by more than the tolerance, or if it misses a floor or an expectation that it met.
    """
    point.statuses[now.status] += 1
    if now.verdict in (*WITHOUT_SCORE, SKIPPED):
        return False
    point.empty += not now.evaluation.top
    found = now.score
    point.figures[key] = CaseFigures(found, *now.interval, now.call.latency)
    if before is None:
        return True
    was_asked, is_asked = (
        (each.query, each.conditions, each.evaluation.digest) for each in (before, now)
    )
    names = "the run before", "this run"
    # mostly they are equal, which is found out in a tenth of the time
    if was_asked != is_asked and (
        changes := dict(incompatibilities(before, now, names, None))
    ):
        point.changes[key] = changes
        return True
    point.compared += 1
    was, least = before.score, now.conditions.tolerance + TIE
    change = 0.0 if was is None or found is None else found - was
    is_worse = change < -least or _misses_more(now, before)
    if is_worse or change > least or _misses_more(before, now):
        point.moves.append(CaseMove(now.id, now.query, was, found, is_worse))
        point.worse += is_worse
        point.better += not is_worse
    return True


def _misses_more(one: CaseResult, other: CaseResult) -> bool:
    """Whether one result misses a floor or an expectation that the other one meets. A latency does not count."""
    if one.verdict != FAILED:
        return False
    met = [
        outcome
        for outcome in other.evaluation.outcomes
        if outcome.met and kind_named(outcome.kind).reference != NOTHING
    ]
    return any(
        other.score is not None and other.score >= reason.bound
        if reason.kind == FLOOR
        else any(is_same_demand(outcome, reason) for outcome in met)
        for reason in one.evaluation.reasons
    )


def _series(
    variant: str | None,
    points: Sequence[Point],
    last: Mapping[tuple[str | None, CaseKey], CaseResult],
) -> Series | None:
    """The series of a variant; None where its runs have no case in common."""
    searched = [point for point in points if point.figures]
    times = Counter(chain.from_iterable(point.figures for point in searched))
    common = sorted(key for key, count in times.items() if count == len(searched))
    if not common:
        return None
    scored = [
        key
        for key in common
        if all(point.figures[key].score is not None for point in searched)
    ]
    weights = {key: last[variant, key].weight for key in common}
    for point in searched:
        point.moves.sort(key=lambda move: (move.after or 0) - (move.before or 0))
        if scored:
            point.mean, point.low, point.high = (
                weighted_mean(
                    (getattr(point.figures[key], name), weights[key]) for key in scored
                )
                for name in ("score", "lower", "upper")
            )
        latencies = [
            latency
            for key in common
            if (latency := point.figures[key].latency) is not None
        ]
        point.p95 = percentile(latencies, 95) if latencies else None
        point.breaks.update(
            chain.from_iterable(
                point.changes[key].items() for key in scored if key in point.changes
            )
        )
    same, first, end = (
        {*scored},
        searched[-1],
        searched[-1],
    )  # back in time, while at least half have had no break
    for earlier, later in zip(searched[-2::-1], searched[:0:-1], strict=True):
        left = same - later.changes.keys()
        if 2 * len(left) < len(scored) or not left:
            break
        same, first = left, earlier
    pairs, moved = [], Counter[bool]()
    for key in same if first is not end else ():
        was, now = (point.figures[key].score or 0.0 for point in (first, end))
        pairs.append(
            ScorePair((key[0], f"{key[1]} {key[2]}", ""), was, now, weights[key])
        )
        moved[now < was] += (
            abs(pairs[-1].change) > last[variant, key].conditions.tolerance + TIE
        )
    change = change_of(pairs, len(scored)) if pairs else None
    counts, of_scored = (
        (len(scored), len(times) - len(scored)),
        [last[variant, key] for key in scored],
    )
    return Series(
        variant,
        points,
        *counts,
        change,
        moved[True],
        moved[False],
        points.index(first),
        of_scored,
        (),
    )
