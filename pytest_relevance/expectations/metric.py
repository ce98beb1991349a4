"""`P@5: 0.6`: a metric with a bound."""

from __future__ import annotations

import re
from math import isnan

from pytest_relevance.cases.bounds import COMPARISON, SCORE, SHARE, meets
from pytest_relevance.cases.expect import Made
from pytest_relevance.cases.location import WRONG, Location
from pytest_relevance.cases.model import SIMILARITY, Expectation
from pytest_relevance.cases.scalars import is_number
from pytest_relevance.expectations.kind import ExpectationKind, Names
from pytest_relevance.expectations.words import OPPOSITE, below, score_beside_bound
from pytest_relevance.metrics.measures import (
    MEASURES,
    largest_score,
    ranks_needed,
    score,
)
from pytest_relevance.metrics.names import metric_named
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.outcomes import JUDGED, Found, outcome_of
from pytest_relevance.results.records.two_outcomes import TwoOutcomes
from pytest_relevance.results.responses.ranking import Ranking


def check_metric(key: str, value: object, at: Location) -> Made:
    """Check `0.6`, at least that much, or a comparison such as `">= 0.6"`.

    Raises:
        ValueError: the key is not a metric.
    """
    metric = at.metric(key, has_bound=is_number(value) or is_comparison(value))
    kind = SHARE if largest_score(metric) <= 1 else SCORE
    example = f'{metric.text}: 0.6 or {metric.text}: ">= 0.6"'
    bound = kind.check(value, at, example=example)
    if bound is WRONG:
        return WRONG
    expected = Expectation(
        kind=SIMILARITY if metric.is_similarity else "metric",
        written=key,
        metric=metric,
        comparison=bound.comparison,
        bound=bound.value,
    )
    return [expected]


def is_comparison(value: object) -> bool:
    """Whether a value is text like `>= 0.6`."""
    return isinstance(value, str) and re.fullmatch(COMPARISON, value) is not None


def judge_metric(expected: Expectation, found: Found) -> Outcome:
    """Check the score of a metric.

    Of a ranking that is cut, the known ranks decide a bound of RR, but its value below
    them is not known.
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


def explain_metric(reason: Outcome, names: Names) -> str:
    """Say how a score misses its bound: `P@5 0.400 is below 0.600`."""
    metric = metric_named(reason.name)
    conditions = names.result.conditions
    # RR needs no value to be below its bound: no relevant document is among the ranks
    # that reach it
    if reason.value is None and names.result.is_cut and metric.k is None:
        asked = conditions.asked or len(names.result.ranking.documents)
        return (
            f"{reason.name} is {OPPOSITE[reason.comparison]} {reason.bound:g}: no relevant "
            f"document in the {asked} results that were asked for"
        )
    name = reason.name
    if conditions.is_depth_set and ranks_needed(metric, conditions.settings) is None:
        name = f"{reason.name} (depth {conditions.depth})"
    return below(name, reason.value, reason.comparison, reason.bound)


def deepest_rank(expected: Expectation) -> int:
    """Give the cutoff of a metric."""
    return expected.deepest


def open_cutoff(expected: Expectation, k: int, ranking: Ranking) -> int:
    """Give the cutoff of a metric that has an upper bound and looks below the
    results.
    """
    if expected.metric is None or expected.comparison in (">=", ">"):
        return 0
    cutoff = expected.metric.k or 0
    return cutoff if cutoff > len(ranking.ids) else 0


def score_as_badly(both: TwoOutcomes) -> bool:
    """Compare two scores. One may be lower by the tolerance now."""
    return both.misses_bound_by_no_more(both.tolerance)


METRIC = ExpectationKind(
    name="metric",
    check=check_metric,
    cutoff=deepest_rank,
    judge=judge_metric,
    open_rank=open_cutoff,
    open_rank_without_k=open_cutoff,
    explain=explain_metric,
    show_met=score_beside_bound,
    reference=JUDGED,
    missed_as_badly=score_as_badly,
)
