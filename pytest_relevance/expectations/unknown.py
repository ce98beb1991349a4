"""An expectation in a record whose kind is not installed here, or is one of a newer
version.
"""

from __future__ import annotations

from pytest_relevance.cases.expect import Made
from pytest_relevance.cases.location import Location
from pytest_relevance.cases.model import Expectation
from pytest_relevance.expectations.kind import ExpectationKind, Names
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.outcomes import NOTHING, Found, outcome_of


def check_unknown(key: str, value: object, at: Location) -> Made:
    """Refuse the key."""
    return at.refuse("this is not an expectation", at_key=True)


def judge_unknown(expected: Expectation, found: Found) -> Outcome:
    """Say that an expectation is not met which nobody can judge."""
    return outcome_of(expected, met=False)


def explain_unknown(reason: Outcome, names: Names) -> str:
    """Name the expectation: `shiny is not met`."""
    return f"{reason.name or reason.kind} is not met"


UNKNOWN = ExpectationKind(
    name="unknown",
    check=check_unknown,
    judge=judge_unknown,
    explain=explain_unknown,
    reference=NOTHING,
)
