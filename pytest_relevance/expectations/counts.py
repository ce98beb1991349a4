"""The expectations `results` (how many) and `latency`."""

from __future__ import annotations

from math import inf

from pytest_relevance._number_text import duration_text, duration_text_beside, time_text
from pytest_relevance.cases.bounds import COMPARE, COUNT, TIME
from pytest_relevance.cases.expect import Made
from pytest_relevance.cases.expectation import Expectation
from pytest_relevance.cases.location import WRONG, Location
from pytest_relevance.expectations.kind import DocumentNames, ExpectationKind
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.outcomes import JUDGED, NOTHING, Found, outcome_of
from pytest_relevance.results.records.accepted_outcomes import TwoOutcomes
from pytest_relevance.results.records.two_expectations import TwoExpectations
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.unseen import USUAL_DEPTH


class _Results(ExpectationKind):
    """`results: ">= 1"`: how many documents are returned.

    A document that is returned twice counts once. Results that are left out, such as
    further chunks of a document, count one by one.
    """

    name = "results"
    about = 'How many documents are returned: 0, 5 (exactly) or ">= 1".'
    schema = COUNT.schema
    counts_results = True
    reference = JUDGED

    def check(self, key: str, value: object, at: Location) -> Made:
        """Return the expectation with its bound, or report a mistake."""
        example = f'{key}: 0, {key}: 5 (exactly) or {key}: ">= 1"'
        bound = COUNT.check(value, at, example=example)
        if bound is WRONG:
            return WRONG
        expected = Expectation(
            kind=key, written=key, comparison=bound.comparison, bound=int(bound.value)
        )
        return [expected]

    def most_results(self, expected: Expectation) -> float:
        if expected.comparison in ("==", "<="):
            return int(expected.bound)
        if expected.comparison == "<":
            return int(expected.bound) - 1
        return inf

    def depth(self, expected: Expectation) -> int:
        # To see that there are at most n results, n + 1 have to be requested.
        bound = int(expected.bound)
        return bound + 1 if expected.comparison in ("<=", "==", ">") else bound

    def judge(self, expected: Expectation, found: Found) -> Outcome:
        returned = len(found.ranks) + found.left_out
        is_met = COMPARE[expected.comparison](returned, int(expected.bound))
        return outcome_of(expected, is_met, value=returned)

    def open_rank(self, expected: Expectation, k: int, ranking: Ranking) -> int:
        most = self.most_results(expected)
        if most == inf or most + 1 <= ranking.returned:
            return 0
        return int(most) + 1

    def open_rank_without_k(
        self, expected: Expectation, k: int, ranking: Ranking
    ) -> int:
        most = self.most_results(expected)
        if expected.comparison == "==" or not USUAL_DEPTH < most < inf:
            return 0
        return int(most) if ranking.returned < most else 0

    def explain(self, reason: Outcome, names: DocumentNames) -> str:
        """Return, for example, `results: 3 returned (asked for 10), expected >= 5`."""
        bound = f"{reason.comparison} {reason.bound:g}"
        if reason.comparison == "==":
            bound = f"exactly {reason.bound:g}"
        asked = names.result.conditions.asked
        asked_for = f" (asked for {asked})" if asked else ""
        return f"results: {reason.value or 0:g} returned{asked_for}, expected {bound}"

    def missed_as_badly(self, both: TwoOutcomes) -> bool:
        return both.was_as_far_off(tolerance=0)

    def implies(self, both: TwoExpectations) -> bool:
        return both.implies_bound()


class _Latency(ExpectationKind):
    """`latency: "<= 200 ms"`: how long the search takes. Bounds are kept in seconds."""

    name = "latency"
    about = 'How long the search may take: "<= 200 ms" or "< 1.5 s".'
    schema = TIME.schema
    needs_latency = True
    reference = NOTHING  # the reference may come from another machine

    def check(self, key: str, value: object, at: Location) -> Made:
        """Return the expectation with its bound in seconds, or report a mistake."""
        example = f'{key}: "<= 200 ms" or {key}: "< 1.5 s"'
        bound = TIME.check(value, at, example=example)
        if bound is WRONG:
            return WRONG
        expected = Expectation(
            kind=key, written=key, comparison=bound.comparison, bound=bound.value
        )
        return [expected]

    def judge(self, expected: Expectation, found: Found) -> Outcome:
        latency = found.latency
        if latency is None:  # it was not measured
            return outcome_of(expected, met=False)
        is_met = COMPARE[expected.comparison](latency, expected.bound)
        return outcome_of(expected, is_met, value=latency)

    def explain(self, reason: Outcome, names: DocumentNames) -> str:
        """Return, for example, `latency: search took 300 ms, expected <= 200 ms`."""
        if reason.value is None:
            return "latency: the search was not called here, so there is no latency to check"
        took = duration_text_beside(reason.value, reason.bound)
        bound = f"{reason.comparison} {time_text(reason.bound)}"
        search = "recorded search" if names.result.call.is_recorded else "search"
        return f"latency: {search} took {took}, expected {bound}"

    def show_met(self, outcome: Outcome) -> str:
        """Return, for example, `latency 3.2 ms`."""
        if outcome.value is None:
            return outcome.name
        return f"{outcome.name} {duration_text(outcome.value)}"

    def implies(self, both: TwoExpectations) -> bool:
        return both.implies_bound()


RESULTS = _Results()
LATENCY = _Latency()
