"""One variant of the search in one recorded run: its figures, and what changed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pytest_relevance.cases.model import ROUNDING
from pytest_relevance.registry import EXPECTATIONS
from pytest_relevance.results.case_parts import FLOOR, Outcome
from pytest_relevance.results.case_result import (
    FAILED,
    SKIPPED,
    WITHOUT_SCORE,
    CaseResult,
)
from pytest_relevance.results.compare.incompatibilities import incompatibilities
from pytest_relevance.results.outcomes import NOTHING
from pytest_relevance.results.records.accepted_outcomes import is_same_demand
from pytest_relevance.results.records.fingerprint import Fingerprint

CaseKey = tuple[str, str, int]
"""A case: its file, its id, and a number if a test checks one query several times."""


@dataclass(frozen=True, slots=True)
class CaseFigures:
    """The nDCG@k of a case in one run, its interval, and the latency in seconds."""

    score: float | None
    lower: float | None
    upper: float | None
    latency: float | None


@dataclass(frozen=True, slots=True)
class CaseMove:
    """A case that got worse or better since its last result.

    `before`, `after`: its nDCG@k in both runs; None if it is not defined.
    """

    id: str
    query: str
    before: float | None
    after: float | None
    is_worse: bool


@dataclass(slots=True, eq=False)
class Point:
    """One variant of the search in one run.

    `name`: the name of the record.
    `started`: when the run began, in UTC (ISO 8601).
    `fingerprint`: what was searched.
    `searched`: the parts of the fingerprint that changed since the run before.
    `figures`: the figures of the cases that were searched.
    `statuses`: how many cases have each status.
    `empty`: how many rankings are empty.
    `changes`: {kind: detail} for each case that cannot be compared with its last
    result. The kind is "judgments", "settings" or "query"; the detail may be empty.
    `compared`: how many cases were compared with an earlier result.
    `moves`: the cases that got worse or better since their last result, the largest
    fall first.
    `worse`, `better`: how many cases got worse and better.
    `mean`: the mean nDCG@k of the cases that all runs have; NaN if there is none.
    `low`, `high`: the lowest and the highest mean under any grades of unjudged results.
    `p95`: the 95th percentile of the latencies of these cases, in seconds; None if
    there are fewer cases than it needs.
    `breaks`: {(kind, detail): count} of the `changes` of cases in the mean.
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

    def add(self, key: CaseKey, before: CaseResult | None, now: CaseResult) -> bool:
        """Add the result of a case, and compare it with the last result of the case.

        Return whether the search returned a ranking.
        """
        self.statuses[now.status] += 1
        if now.verdict in (*WITHOUT_SCORE, SKIPPED):
            return False
        if not now.evaluation.top:
            self.empty += 1
        lower, upper = now.interval
        self.figures[key] = CaseFigures(
            score=now.score, lower=lower, upper=upper, latency=now.call.latency
        )
        if before is None:
            return True
        changes = _changes(before, now)
        if changes:
            self.changes[key] = changes
            return True
        self.compared += 1
        move = _move(before, now)
        if move is not None:
            self._add_move(move)
        return True

    def _add_move(self, move: CaseMove) -> None:
        self.moves.append(move)
        if move.is_worse:
            self.worse += 1
        else:
            self.better += 1


def _changes(before: CaseResult, now: CaseResult) -> dict[str, str]:
    """Return why two results of a case cannot be compared, as {kind: detail}."""
    # nearly always both are alike, and this test takes a tenth of the time
    if (
        before.query == now.query
        and before.conditions == now.conditions
        and before.evaluation.digest == now.evaluation.digest
    ):
        return {}
    names = ("the run before", "this run")
    return dict(incompatibilities(before, now, names, None))


def _move(before: CaseResult, now: CaseResult) -> CaseMove | None:
    """Return how a case changed; None if it got neither worse nor better.

    It got worse if nDCG@k fell by more than the tolerance, or if it misses a floor or
    an expectation that it met.
    """
    least = now.conditions.tolerance + ROUNDING
    change = 0.0
    if before.score is not None and now.score is not None:
        change = now.score - before.score
    is_worse = change < -least or _misses_more(now, before)
    is_better = change > least or _misses_more(before, now)
    if not is_worse and not is_better:
        return None
    return CaseMove(
        id=now.id,
        query=now.query,
        before=before.score,
        after=now.score,
        is_worse=is_worse,
    )


def _misses_more(one: CaseResult, other: CaseResult) -> bool:
    """Say whether `one` misses a floor or an expectation that `other` meets.

    Expectations that are not compared with a reference, for example of a latency, do
    not count.
    """
    if one.verdict != FAILED:
        return False
    met = []
    for outcome in other.evaluation.outcomes:
        if (
            outcome.met
            and EXPECTATIONS.get_or_unknown(outcome.kind).reference != NOTHING
        ):
            met.append(outcome)
    return any(_is_met(reason, other, met) for reason in one.evaluation.reasons)


def _is_met(reason: Outcome, result: CaseResult, met: Sequence[Outcome]) -> bool:
    """Say whether `result` meets the floor or expectation that `reason` is about.

    `met`: the expectations that `result` meets.
    """
    if reason.kind == FLOOR:
        return result.score is not None and result.score >= reason.bound
    return any(is_same_demand(outcome, reason) for outcome in met)
