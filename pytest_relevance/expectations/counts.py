"""The expectations of figures that are not scores: `results` and `latency`."""

from __future__ import annotations

from math import inf

from pytest_relevance._number_text import duration_text, duration_text_beside
from pytest_relevance._text import time_text
from pytest_relevance.cases.bounds import COMPARE, COUNT, TIME
from pytest_relevance.cases.expect import Made
from pytest_relevance.cases.location import WRONG, Location
from pytest_relevance.cases.model import Expectation
from pytest_relevance.expectations.kind import ExpectationKind, Names
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.outcomes import JUDGED, NOTHING, Found, outcome_of
from pytest_relevance.results.records.two_outcomes import TwoOutcomes
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.unseen import USUAL_DEPTH


def check_results(key: str, value: object, at: Location) -> Made:
    """Check a number of results. A plain number means exactly that many."""
    example = f'{key}: 0, {key}: 5 (exactly) or {key}: ">= 1"'
    bound = COUNT.check(value, at, example=example)
    if bound is WRONG:
        return WRONG
    expected = Expectation(
        kind=key, written=key, comparison=bound.comparison, bound=int(bound.value)
    )
    return [expected]


def judge_results(expected: Expectation, found: Found) -> Outcome:
    """Count the results. A document that is returned twice counts once, its chunks do
    not.
    """
    returned = len(found.ranks) + found.left_out
    is_met = COMPARE[expected.comparison](returned, int(expected.bound))
    return outcome_of(expected, is_met, value=returned)


def explain_results(reason: Outcome, names: Names) -> str:
    """Say how many results there are:
    `results: 3 returned (asked for 10), expected >= 5`.
    """
    bound = f"{reason.comparison} {reason.bound:g}"
    if reason.comparison == "==":
        bound = f"exactly {reason.bound:g}"
    asked = names.result.conditions.asked
    asked_for = f" (asked for {asked})" if asked else ""
    return f"results: {reason.value or 0:g} returned{asked_for}, expected {bound}"


def results_to_ask_for(expected: Expectation) -> int:
    """Give how many results show whether the number is right: for at most n, n + 1 must
    be asked for.
    """
    most = int(expected.bound)
    return most + 1 if expected.comparison in ("<=", "==", ">") else most


def most_allowed(expected: Expectation) -> float:
    """Give the most results that an expectation allows; infinity for `>= 5`."""
    if expected.comparison in ("==", "<="):
        return int(expected.bound)
    if expected.comparison == "<":
        return int(expected.bound) - 1
    return inf


def open_results(expected: Expectation, k: int, ranking: Ranking) -> int:
    """Give the rank of the first result too many, if it may be there."""
    most = most_allowed(expected)
    if most == inf or most + 1 <= ranking.returned:
        return 0
    return int(most) + 1


def open_results_without_k(expected: Expectation, k: int, ranking: Ranking) -> int:
    """Give the most results allowed, if a search that takes no k may have more of
    them.
    """
    most = most_allowed(expected)
    if expected.comparison == "==" or not USUAL_DEPTH < most < inf:
        return 0
    return int(most) if ranking.returned < most else 0


def results_as_badly(both: TwoOutcomes) -> bool:
    """Compare how many results are too many, or too few."""
    return both.misses_bound_by_no_more(tolerance=0)


def check_latency(key: str, value: object, at: Location) -> Made:
    """Check a duration with its unit. It becomes seconds; plain `200 ms` means at most
    that.
    """
    example = f'{key}: "<= 200 ms" or {key}: "< 1.5 s"'
    bound = TIME.check(value, at, example=example)
    if bound is WRONG:
        return WRONG
    expected = Expectation(
        kind=key, written=key, comparison=bound.comparison, bound=bound.value
    )
    return [expected]


def judge_latency(expected: Expectation, found: Found) -> Outcome:
    """Check the latency; unmet if it was not measured."""
    latency = found.latency
    is_met = latency is not None and COMPARE[expected.comparison](
        latency, expected.bound
    )
    return outcome_of(expected, is_met, value=latency)


def explain_latency(reason: Outcome, names: Names) -> str:
    """Say how long the search took:
    `latency: search took 300 ms, expected <= 200 ms`.
    """
    if reason.value is None:
        return "latency: the search was not called here, so that there is none to check"
    took = duration_text_beside(reason.value, reason.bound)
    bound = f"{reason.comparison} {time_text(reason.bound)}"
    return f"latency: search took {took}, expected {bound}"


def show_latency(outcome: Outcome) -> str:
    """Show a latency that is met: `latency 3.2 ms`."""
    if outcome.value is None:
        return outcome.name
    return f"{outcome.name} {duration_text(outcome.value)}"


RESULTS = ExpectationKind(
    name="results",
    check=check_results,
    about='How many documents are returned: 0, 5 (exactly) or ">= 1".',
    schema=COUNT.schema,
    most_results=most_allowed,
    depth=results_to_ask_for,
    judge=judge_results,
    open_rank=open_results,
    open_rank_without_k=open_results_without_k,
    counts_results=True,
    explain=explain_results,
    reference=JUDGED,
    missed_as_badly=results_as_badly,
)

LATENCY = ExpectationKind(
    name="latency",
    check=check_latency,
    about='How long the search may take: "<= 200 ms" or "< 1.5 s".',
    schema=TIME.schema,
    needs_latency=True,
    judge=judge_latency,
    explain=explain_latency,
    show_met=show_latency,
    reference=NOTHING,  # a reference says nothing of the machine of today
)
