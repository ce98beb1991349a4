"""Judge an accepted ranking by the present demands, and find failures that are not new.

A demand is a floor or an expectation. A demand *failed before* if the accepted ranking
misses it at least as badly as the present one. The present ranking misses it worse if

- a figure is further on the wrong side of its bound (a score by more than the
  tolerance);
- a document that should rank high ranks lower than before, or is not returned any more;
- a document that should rank low, or be absent, ranks higher than before;
- a field has another value than before, or a number that is further from its bound;
- more is wrong than before.

If the reference does not have what is needed to know this, the failure is new. The
kinds of expectations compare their outcomes.

`entry_comparison` makes `AcceptedOutcomes` for each case that has an accepted ranking,
after the case was scored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_relevance.cases.bounds import COMPARE, meets
from pytest_relevance.cases.expectation import Expectation
from pytest_relevance.metrics.metric import ROUNDING
from pytest_relevance.metrics.ndcg import GradedRanking
from pytest_relevance.registry import EXPECTATIONS
from pytest_relevance.results import outcomes
from pytest_relevance.results.case_parts import (
    DROP,
    FLOOR,
    STALE_ENTRY,
    TEXT,
    TOO_FEW_JUDGED,
    Outcome,
)
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.outcomes import (
    ITSELF,
    JUDGED,
    KEPT,
)
from pytest_relevance.results.records.entries import NOT_RETURNED, BaselineEntry
from pytest_relevance.results.records.entry_passages import ranks_of_quotes_then


@dataclass(frozen=True, slots=True)
class TwoOutcomes:
    """The outcomes of one demand: of the accepted ranking, and of the present one.

    `entry`: the accepted ranking.
    `result`: the present result of the case.
    """

    then: Outcome
    now: Outcome
    entry: BaselineEntry
    result: CaseResult

    @property
    def tolerance(self) -> float:
        """Return how far a score may fall without being worse."""
        return self.result.conditions.tolerance

    def rank_then(self, document: str) -> float | None:
        """Return the rank (from 1) of a document in the accepted ranking.

        `NOT_RETURNED` if the document was not returned; None if its rank is not known.
        """
        return self.entry.rank_of(document, self.result.conditions.settings)

    def rank_now(self, document: str) -> float:
        """Return the rank (from 1) of a document now; `NOT_RETURNED` without one."""
        rank = self.result.ranking.rank_of(document)
        return NOT_RETURNED if rank is None else rank

    def has_not_fallen(self, document: str) -> bool:
        """Say whether a document surely ranks no lower now than before."""
        before = self.rank_then(document)
        return before is not None and self.rank_now(document) <= before

    def has_not_risen(self, document: str) -> bool:
        """Say whether a document surely ranks no higher now than before."""
        before = self.rank_then(document)
        return before is not None and self.rank_now(document) >= before

    def knows_ranks_then(self) -> bool:
        """Say whether the accepted ranks of all documents that are wrong are known."""
        ranks = [self.rank_then(document) for document in self.now.wrong]
        return None not in ranks

    def has_no_new_document(self) -> bool:
        """Say whether all documents that are wrong now were wrong then."""
        return set(self.now.wrong) <= set(self.then.wrong)

    def was_as_far_off(self, tolerance: float) -> bool:
        """Say whether the value was at least as far from its bound as it is now.

        The present value may be farther by `tolerance`. False if a value is not known.
        False also for `== 5` if there were 3 results and are 7 now: too few, then too
        many.
        """
        then, now, bound = self.then.value, self.now.value, self.now.bound
        if then is None or now is None:
            return False
        if self.now.comparison == "==" and (then < bound) != (now < bound):
            return False
        return abs(now - bound) <= abs(then - bound) + tolerance + ROUNDING


@dataclass(frozen=True, slots=True)
class ComparedReasons:
    """The reasons of a failing result, compared with the accepted ranking.

    `reasons`: those for which the accepted ranking does not fail come first.
    `failed_before`: whether the result failed before for all its reasons. It did not if
        results are expected and only one of the two rankings is empty.
    """

    reasons: tuple[Outcome, ...]
    failed_before: bool


@dataclass(frozen=True, slots=True)
class _ComparedReason:
    """A reason for which a case fails, with what the accepted ranking has.

    `failed_before`: whether the accepted ranking is known to miss the demand at least
    as badly.
    """

    reason: Outcome
    failed_before: bool


@dataclass(frozen=True, slots=True)
class AcceptedOutcomes:
    """The accepted ranking of a case, judged by the present floor and expectations.

    `result`: the present result of the case.
    `entry`: the accepted ranking.
    `graded`: the accepted ranking under the present judgments.
    `score`: the nDCG@k of `graded`; None if it is not defined.
    `expect`: the expectations of the case.
    `project_scores`: {metric: score} of the accepted ranking, for metrics of the
    project that cannot be computed here.
    """

    result: CaseResult
    entry: BaselineEntry
    graded: GradedRanking
    score: float | None
    expect: Sequence[Expectation] = ()
    project_scores: Mapping[str, float | None] = field(default_factory=dict)

    def of(self, demand: Outcome) -> Outcome | None:
        """Return the outcome of a demand for the accepted ranking; None if unknown."""
        if demand.kind == FLOOR:
            is_met = self.score is not None and self.score >= demand.bound
            return replace(demand, value=self.score, met=is_met)
        if demand.kind in (DROP, TOO_FEW_JUDGED, STALE_ENTRY, TEXT):
            return None
        kind = EXPECTATIONS.get_or_unknown(demand.kind)
        if kind.reference == ITSELF:
            return self._compared_with_itself(demand)
        if kind.reference == KEPT:
            return self._kept(demand)
        if kind.reference == JUDGED:
            return self._judged(demand, kind)
        return None

    def misses_any(self) -> bool:
        """Say whether the accepted ranking misses the floor or an expectation."""
        floor = self.result.conditions.floor
        if floor is not None and (self.score is None or self.score < floor):
            return True
        return any(self._misses(one) for one in self.result.evaluation.outcomes)

    def misses_what_is_met(self) -> bool:
        """Say whether the accepted ranking misses a demand that the result meets.

        A demand is the floor or an expectation that does not compare rankings.
        """
        floor, score = self.result.conditions.floor, self.result.score
        if floor is not None and score is not None and score >= floor:
            if self.score is not None and self.score < floor:
                return True
        for demand in self.result.evaluation.outcomes:
            kind = EXPECTATIONS.get_or_unknown(demand.kind)
            if demand.met and not kind.compares_rankings and self._misses(demand):
                return True
        return False

    def _misses(self, demand: Outcome) -> bool:
        """Say whether the accepted ranking is known to miss a demand."""
        outcome = self.of(demand)
        return outcome is not None and not outcome.met

    def compare_reasons(self) -> ComparedReasons:
        """Return the reasons of the result, compared with the accepted ranking.

        If results are expected and only one of the two rankings is empty, no reason
        failed before: to return nothing is worse than to return anything.
        """
        result = self.result
        is_one_empty = bool(self.entry.documents) != bool(result.ranking.documents)
        expects_results = outcomes.expects_results(result.evaluation.outcomes)
        compared = [self._compare_reason(one) for one in result.evaluation.reasons]
        all_failed_before = all(one.failed_before for one in compared)
        reasons = [one.reason for one in compared]
        reasons.sort(key=lambda reason: not reason.is_new)
        return ComparedReasons(
            reasons=tuple(reasons),
            failed_before=all_failed_before and not (is_one_empty and expects_results),
        )

    def _compare_reason(self, reason: Outcome) -> _ComparedReason:
        """Return a reason for which the result fails, compared with the accepted one.

        For example, the floor is 0.8 and the tolerance 0.05. If the scores then and now
        are

        - 0.70 and 0.68, the reason failed before
        - 0.70 and 0.60, the reason is worse than before
        - 0.85 and 0.70, the reason is new
        """
        then = self.of(reason)
        if then is None:
            return _ComparedReason(reason, failed_before=False)
        both = TwoOutcomes(then, reason, self.entry, self.result)
        failed_before = _was_missed_as_badly(both) and not self._fell_below(both)
        is_worse = not failed_before and _is_comparable(both)
        compared = replace(
            reason, before=then.value, is_new=then.met, is_worse=is_worse
        )
        return _ComparedReason(compared, failed_before)

    def _fell_below(self, both: TwoOutcomes) -> bool:
        """Say whether a score met the bound of its time, and would miss it now.

        Such a failure is new, even if the bound was raised since. For example, the
        floor was 0.70 when the ranking was accepted with 0.72, and is 0.90 now. Both
        0.72 and 0.69 miss 0.90. But 0.69 misses 0.70 too.
        """
        then, now, demands = both.then.value, both.now.value, self.entry.demands
        if then is None or now is None or demands is None:
            return False
        if both.now.kind == FLOOR:
            floor = demands.min_ndcg
            has_same_k = demands.k == self.result.conditions.k
            return has_same_k and floor is not None and now < floor <= then
        for earlier in demands.expect:
            if earlier.metric and earlier.key == both.now.name:
                expected = earlier.expectation
                if meets(expected, then) and not meets(expected, now):
                    return True
        return False

    def _compared_with_itself(self, demand: Outcome) -> Outcome:
        """Return the outcome of a similarity demand for the accepted ranking itself.

        A ranking is equal to itself (1.0). An empty one counts as 0.0 if it should not
        be empty.
        """
        value = 1.0
        expects_results = outcomes.expects_results(self.result.evaluation.outcomes)
        if expects_results and not self._documents:
            value = 0.0
        is_met = COMPARE[demand.comparison](value, demand.bound)
        return replace(demand, value=value, met=is_met)

    def _kept(self, demand: Outcome) -> Outcome | None:
        """Return the outcome that the entry has of the same demand.

        None if the entry has none, or if only one of the two collapses chunks.
        """
        if self.entry.collapse != self.result.conditions.settings.collapse:
            return None
        for kept in self.entry.outcomes:
            if is_same_demand(kept, demand):
                return kept
        return None

    def _judged(self, demand: Outcome, kind: Any) -> Outcome | None:
        """Return the outcome of a demand that depends on documents and grades only.

        None if the number of results matters and is not known, if a metric cannot be
        computed and its score is not known, or if a quote was not looked for.
        """
        if kind.counts_results and self.entry.may_go_on:
            return None
        expected = self._expectation(demand)
        settings = self.result.conditions.settings
        ranks = ranks_of_quotes_then(self.entry, demand.quotes, settings)
        if ranks is None:
            return None
        if expected.metric is not None and not expected.metric.is_computable:
            return self._by_known_score(expected, demand)
        (outcome,) = outcomes.judge_expectations([expected], self._found(ranks))
        return outcome

    def _by_known_score(self, expected: Expectation, demand: Outcome) -> Outcome | None:
        """Return the outcome of a demand on a project's metric that cannot be computed.

        The score of the accepted ranking is taken from `project_scores`. None if it is
        not there.
        """
        if expected.name not in self.project_scores:
            return None
        value = self.project_scores[expected.name]
        is_met = value is not None and meets(expected, value)
        return replace(demand, value=value, met=is_met)

    def _expectation(self, demand: Outcome) -> Expectation:
        """Return the expectation of a demand.

        If the case has an expectation on the same metric, that one is returned: it has
        the function of a project's own metric, which a record cannot keep.
        """
        for expected in self.expect:
            if expected.metric is not None and expected.name == demand.name:
                return expected
        return outcomes.expectation_of(demand)

    @property
    def _documents(self) -> Sequence[str]:
        """Return the accepted ranking as the present settings score it."""
        return self.entry.ranking(self.result.conditions.settings)

    def _found(self, ranks: Mapping[str, Sequence[int]]) -> outcomes.Found:
        """Return the accepted ranking in the form that kinds of expectations judge.

        `ranks`: {excluded quote: the ranks of the results that held it}.
        """
        documents, conditions = self._documents, self.result.conditions
        return outcomes.Found(
            k=conditions.k,
            settings=conditions.settings,
            graded=self.graded,
            ranking=documents,
            ranks=outcomes.first_ranks(documents),
            latency=None,
            is_cut=self.entry.reaches_depth,
            left_out=len(self.entry.documents) - len(documents),
            ranks_of_quotes=ranks,
        )


def is_same_demand(one: Outcome, other: Outcome) -> bool:
    """Say whether two outcomes are of the same expectation."""
    return outcomes.expectation_of(one) == outcomes.expectation_of(other)


def _was_missed_as_badly(both: TwoOutcomes) -> bool:
    """Say whether the accepted ranking missed a demand, and by at least as much.

    False if that is not known, for example of a latency.
    """
    if both.then.met:
        return False
    kind = both.now.kind
    if kind == FLOOR:
        return both.was_as_far_off(both.tolerance)
    with EXPECTATIONS.calling(kind):
        return bool(EXPECTATIONS.get_or_unknown(kind).missed_as_badly(both))


def _is_comparable(both: TwoOutcomes) -> bool:
    """Say whether the accepted ranking missed a demand, and by how much is known."""
    if both.then.met:
        return False
    if both.now.kind == FLOOR:
        return both.then.value is not None and both.now.value is not None
    kind = both.now.kind
    with EXPECTATIONS.calling(kind):
        return bool(EXPECTATIONS.get_or_unknown(kind).is_comparable(both))
