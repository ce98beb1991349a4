"""One variant of the search in one recorded run: its figures and its changes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pytest_relevance.results.became import GOT_BETTER, GOT_WORSE, became_of
from pytest_relevance.results.case_result import (
    MEASURED,
    SKIPPED,
    WITHOUT_SCORE,
    CaseResult,
)
from pytest_relevance.results.change_counts import ChangeCounts, certainty_of, counts_of
from pytest_relevance.results.changes import Change, Pair
from pytest_relevance.results.compare.incompatibilities import incompatibilities
from pytest_relevance.results.compare.references import with_reference
from pytest_relevance.results.records.fingerprint import Fingerprint
from pytest_relevance.results.records.recorded_demands import RecordedDemands

CaseKey = tuple[str, str, int]
"""A case: its file, its id, and a number: 0, unless a test checks a query again."""


@dataclass(frozen=True, slots=True)
class CaseFigures:
    """The nDCG@k of a case in one run, its interval, and the latency in seconds.

    A figure that is not defined or not known is None.
    """

    score: float | None
    lower: float | None
    upper: float | None
    latency: float | None


@dataclass(frozen=True, slots=True)
class LastResult:
    """The last result of a case that has a ranking.

    `demands`: what its case file demanded in that run.
    `titles`: {document: title} of the documents in the top k of all runs so far.
    """

    result: CaseResult
    demands: RecordedDemands
    titles: Mapping[str, str] = field(default_factory=dict)

    def following(self, before: LastResult | None) -> LastResult:
        """Return this result with the titles of an earlier result of the case added."""
        known = {} if before is None else before.titles
        titles = self.result.texts.titles
        added = {}
        for document in self.result.ranking.documents[: self.result.conditions.k]:
            if document in titles and document not in known:
                added[document] = titles[document]
        # a long history of stable rankings shares one object
        return replace(self, titles={**known, **added} if added else known)


@dataclass(frozen=True, slots=True)
class CaseMove:
    """The change of a case that got worse or better since its last result.

    `before`, `after`: nDCG@k in both runs; None if nDCG@k is not defined.
    `is_worse`: whether the case got worse; otherwise it got better.
    `is_certain`: whether the case got worse, whatever grades its unjudged results get.
    None if it got better, or has passages.
    `has_lost_passage`: whether the case got worse, and lost a passage.
    """

    key: CaseKey
    id: str
    query: str
    before: float | None
    after: float | None
    is_worse: bool
    is_certain: bool | None = None
    has_lost_passage: bool = False

    @property
    def difference(self) -> float:
        """The score after minus the score before; an undefined score counts as 0."""
        return (self.after or 0.0) - (self.before or 0.0)


@dataclass(slots=True, eq=False)
class Point:
    """One variant of the search in one run.

    `series_of` sets `mean`, `low`, `high`, `p95` and `breaks`, once all runs are read.

    `name`: the path of the record.
    `started`: when the run began, in UTC (ISO 8601).
    `fingerprint`: what was searched.
    `searched`: the parts of the fingerprint that changed since the run before.
    `figures`: the figures of the cases that were searched.
    `rankings`: the documents of each case in the top k, best first.
    `statuses`: {status: number of cases}.
    `bounded`: how many cases have a floor or an expectation, or failed for another
        reason. Skipped cases do not count.
    `empty`: how many rankings are empty.
    `incomparable`: the cases that cannot be compared with their last result, because
        something else changed: {case: {what changed: detail}}. What changed is
        "judgments", "settings" or "query"; the detail may be empty.
    `compared`: how many cases were compared with an earlier result.
    `moves`: the cases that got worse or better since their last result.
    `words`: {word for what a case became: number of compared cases}.
    `mean`: the mean nDCG@k of the cases that all runs have; NaN if there is none.
    `low`, `high`: the lowest and the highest mean under any grades of unjudged results.
    `p95`: the 95th percentile of the latencies of these cases, in seconds; None if
        there are too few cases for it.
    `breaks`: {(what changed, detail): count} of the `incomparable` cases that the mean
        is over.
    """

    name: str
    started: str
    fingerprint: Fingerprint
    searched: Fingerprint
    figures: dict[CaseKey, CaseFigures] = field(default_factory=dict)
    rankings: dict[CaseKey, Sequence[str]] = field(default_factory=dict)
    statuses: Counter[str] = field(default_factory=Counter)
    bounded: int = 0
    empty: int = 0
    incomparable: dict[CaseKey, Mapping[str, str]] = field(default_factory=dict)
    compared: int = 0
    moves: list[CaseMove] = field(default_factory=list)
    words: Counter[str] = field(default_factory=Counter)
    mean: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p95: float | None = None
    breaks: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, key: CaseKey, before: LastResult | None, last: LastResult) -> bool:
        """Add the result of a case, and compare it with the last result of the case.

        Return whether the result has a ranking. If so, the next result of the case is
        to be compared with this one.
        """
        now = last.result
        self.statuses[now.status] += 1
        if now.status in WITHOUT_SCORE:
            self.bounded += _has_demand(last)
        elif now.status not in (MEASURED, SKIPPED):
            self.bounded += 1
        if now.verdict in (*WITHOUT_SCORE, SKIPPED):
            return False
        if not now.evaluation.top:
            self.empty += 1
        lower, upper = now.interval
        self.figures[key] = CaseFigures(
            score=now.score, lower=lower, upper=upper, latency=now.call.latency
        )
        self.rankings[key] = _ranking(now, before)
        if before is None:
            return True
        why = _why_incomparable(before.result, now)
        if why:
            self.incomparable[key] = why
            return True
        self.compared += 1
        change = change_between(before.result, last)
        word = became_of(change)
        self.words[word] += 1
        if word in (GOT_WORSE, GOT_BETTER):
            self.moves.append(_move(key, change, word))
        return True

    @property
    def errors(self) -> int:
        """How many cases are an error, or were not searched."""
        return sum(self.statuses[status] for status in WITHOUT_SCORE)

    @property
    def counts(self) -> ChangeCounts:
        """Return how many cases got worse, got better, or neither."""
        return counts_of(
            self.words,
            certain=sum(move.is_certain is True for move in self.moves),
            still_open=sum(move.is_certain is False for move in self.moves),
            lost_passage=sum(move.has_lost_passage for move in self.moves),
        )


def _has_demand(last: LastResult) -> bool:
    """Say whether a case has a floor or an expectation."""
    has_floor = last.result.conditions.floor is not None
    return has_floor or bool(last.demands.expect_of(last.result))


def _why_incomparable(before: CaseResult, now: CaseResult) -> dict[str, str]:
    """Return why two results of a case cannot be compared, as {what changed: detail}.

    {} if they can be compared.
    """
    # nearly always both are alike; this test takes a tenth of the time
    if (
        before.query == now.query
        and before.conditions == now.conditions
        and before.evaluation.digest == now.evaluation.digest
    ):
        return {}
    names = ("the run before", "this run")
    return dict(incompatibilities(before, now, names, None))


def _ranking(now: CaseResult, before: LastResult | None) -> Sequence[str]:
    """Return the top k documents of a result.

    If the ranking is as before, the list of documents is shared with the result before.
    So a long history of stable rankings needs little memory.
    """
    k = now.conditions.k
    documents = now.ranking.documents
    if before is not None and before.result.ranking.documents == documents:
        documents = before.result.ranking.documents
    return documents if len(documents) <= k else documents[:k]


def _move(key: CaseKey, change: Change, word: str) -> CaseMove:
    """Return the change of a case. `word`: whether the case got worse or better."""
    return CaseMove(
        key=key,
        id=change.case.id,
        query=change.case.query,
        before=change.score_before,
        after=change.score_after,
        is_worse=word == GOT_WORSE,
        is_certain=certainty_of(change, word),
        has_lost_passage=word == GOT_WORSE and bool(change.lost_passages),
    )


def change_between(before: CaseResult, last: LastResult) -> Change:
    """Return the change of a case from an earlier result to its last result.

    The demands of the case file in the last run count.
    """
    return Change.between(with_reference(Pair(before, last.result), last.demands))
