"""Metrics with a bound: `P@5: 0.6`, and `overlap@10: 0.8`, which compares rankings."""

from __future__ import annotations

import re
from math import isnan

from pytest_relevance._number_text import digits_apart
from pytest_relevance.cases import expectation
from pytest_relevance.cases.bounds import COMPARISON, MOST, SCORE, SHARE, meets
from pytest_relevance.cases.expect import Made
from pytest_relevance.cases.expectation import Expectation
from pytest_relevance.cases.location import WRONG, Location
from pytest_relevance.cases.scalars import is_number
from pytest_relevance.expectations.kind import DocumentNames, ExpectationKind
from pytest_relevance.metrics.measures import (
    MEASURES,
    is_lower_better,
    largest_score,
    least_digits,
    needs_texts,
    ranks_needed,
    score,
)
from pytest_relevance.metrics.metric import ROUNDING
from pytest_relevance.metrics.names import metric_named
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.outcomes import ITSELF, JUDGED, Found, outcome_of
from pytest_relevance.results.records.accepted_outcomes import TwoOutcomes
from pytest_relevance.results.records.two_expectations import TwoExpectations
from pytest_relevance.results.responses.ranking import Ranking

OPPOSITE = {
    ">=": "below",
    ">": "not above",
    "<=": "above",
    "<": "not below",
    "==": "not",
}
"""The word for a figure that misses its bound, by the comparison: `below` for `>=`."""


class _KindOfMetric(ExpectationKind):
    """A metric with its lowest allowed value, or with a comparison: `">= 0.6"`.

    `check` takes any metric, and makes a `METRIC`, or a `SIMILARITY` for a metric that
    compares rankings.
    """

    def check(self, key: str, value: object, at: Location) -> Made:
        """Return the expectation of a metric with its bound, or report a mistake.

        Raises:
            ValueError: the key is not a metric.
        """
        metric = at.metric(key, has_bound=is_number(value) or _is_comparison(value))
        kind = SHARE if largest_score(metric) <= 1 else SCORE
        example = f'{metric.text}: 0.6 or {metric.text}: ">= 0.6"'
        if is_lower_better(metric):
            kind = MOST
            example = f'{metric.text}: "<= 12000"'
        bound = kind.check(value, at, example=example)
        if bound is WRONG:
            return WRONG
        expected = Expectation(
            kind=expectation.SIMILARITY if metric.is_similarity else expectation.METRIC,
            written=key,
            metric=metric,
            comparison=bound.comparison,
            bound=bound.value,
        )
        return [expected]

    def cutoff(self, expected: Expectation) -> int:
        return expected.deepest

    def implies(self, both: TwoExpectations) -> bool:
        if both.now.metric != both.before.metric:
            return False
        return both.implies_bound(rounding=ROUNDING)

    def open_rank_without_k(
        self, expected: Expectation, k: int, ranking: Ranking
    ) -> int:
        """Return the cutoff if further results could make the score miss its bound.

        0 for a lower bound, for a number of characters (what was returned is what a
        model reads), and if the ranking reaches the cutoff.
        """
        if expected.metric is None or expected.comparison in (">=", ">"):
            return 0
        if needs_texts(expected.metric):
            return 0
        cutoff = expected.metric.k or 0
        return cutoff if cutoff > len(ranking.ids) else 0

    def show_met(self, outcome: Outcome) -> str:
        """Return, for example, `P@5 0.800 >= 0.600`."""
        return score_beside_bound(outcome)


def _is_comparison(value: object) -> bool:
    """Say whether a value is a text such as `>= 0.6`."""
    return isinstance(value, str) and re.fullmatch(COMPARISON, value) is not None


class _Metric(_KindOfMetric):
    """`P@5: 0.6`: the score of a ranking, computed by the judgments of the case."""

    name = expectation.METRIC
    reference = JUDGED

    def judge(self, expected: Expectation, found: Found) -> Outcome:
        """Return whether the score meets the bound, and the score.

        If the search may have more results, the score of RR is not known if it is 0: a
        relevant document may follow. The returned ranks decide whether it meets the
        bound.
        """
        metric = expected.metric
        assert metric is not None
        value = score(metric, found.graded, found.settings)
        is_below_cut = found.is_cut and metric.k is None and not value
        measure = MEASURES.get(metric.measure)
        return outcome_of(
            expected,
            meets(expected, value),
            value=None if isnan(value) or is_below_cut else value,
            is_score=measure is None or not measure.is_certain,
        )

    def open_rank(self, expected: Expectation, k: int, ranking: Ranking) -> int:
        return self.open_rank_without_k(expected, k, ranking)

    def explain(self, reason: Outcome, names: DocumentNames) -> str:
        """Return, for example, `P@5 0.400 is below 0.600`."""
        metric = metric_named(reason.name)
        conditions = names.result.conditions
        # If the ranking is cut, the value of RR may be unknown, but is below the bound.
        if reason.value is None and names.result.is_cut and metric.k is None:
            asked = conditions.asked or len(names.result.ranking.documents)
            return (
                f"{reason.name} is {OPPOSITE[reason.comparison]} {reason.bound:g}: no "
                f"relevant document in the {asked} results that were asked for"
            )
        name = reason.name
        looks_at_all = ranks_needed(metric, conditions.settings) is None
        if conditions.is_depth_set and looks_at_all:
            name = f"{reason.name} (depth {conditions.depth})"
        return below(name, reason.value, reason.comparison, reason.bound)

    def missed_as_badly(self, both: TwoOutcomes) -> bool:
        return both.was_as_far_off(both.tolerance)


class _Similarity(_KindOfMetric):
    """`overlap@10: 0.8`: how much the ranking has in common with the accepted one."""

    name = expectation.SIMILARITY
    compares_rankings = True
    reference = ITSELF  # the accepted ranking is equal to itself

    def judge(self, expected: Expectation, found: Found) -> Outcome:
        """Return an outcome that is not met, because there is no accepted ranking here.

        `results.outcomes.similarity_outcomes` compares with the accepted ranking.
        """
        return outcome_of(expected, met=False)

    def explain(self, reason: Outcome, names: DocumentNames) -> str:
        """Return, for example, `overlap@10 0.300 is below 0.500`.

        The sentence says which of the rankings is empty, if one is.
        """
        baseline = names.result.baseline
        was_empty = baseline is not None and not baseline.documents
        why = ""
        if not names.result.ranking.documents:
            why = ": nothing was returned"
            if was_empty:
                why += ", as in the accepted ranking; write results: 0 if that is meant"
        elif was_empty:
            why = ": the accepted ranking is empty"
        return below(reason.name, reason.value, reason.comparison, reason.bound) + why


def below(name: str, value: float | None, comparison: str, bound: float) -> str:
    """Return how a score misses its bound: `P@5 0.400 is below 0.600`.

    Both numbers have enough digits to show that they differ.
    """
    if value is None:
        return f"{name} is not defined"
    digits = digits_apart(value, bound, _least_digits(name))
    return f"{name} {value:.{digits}f} is {OPPOSITE[comparison]} {bound:.{digits}f}"


def score_beside_bound(outcome: Outcome) -> str:
    """Return a score that meets its bound: `P@5 0.800 >= 0.600`."""
    if outcome.value is None:
        return outcome.name
    least = _least_digits(outcome.name)
    digits = digits_apart(outcome.value, outcome.bound, least)
    value, bound = f"{outcome.value:.{digits}f}", f"{outcome.bound:.{digits}f}"
    return f"{outcome.name} {value} {outcome.comparison} {bound}"


def _least_digits(name: str) -> int:
    """Return the fewest decimals of a score. `name`: `P@5`, or `AP (depth 100)`."""
    return least_digits(metric_named(name.partition(" ")[0]))


METRIC = _Metric()
SIMILARITY = _Similarity()
