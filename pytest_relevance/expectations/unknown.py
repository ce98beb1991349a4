"""The kind of expectations in a record whose own kind is not installed.

The package that added the kind is missing, or the record is of a newer version.
"""

from __future__ import annotations

from pytest_relevance.cases.expect import Made
from pytest_relevance.cases.expectation import Expectation
from pytest_relevance.cases.location import Location
from pytest_relevance.expectations.kind import DocumentNames, ExpectationKind
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.outcomes import NOTHING, Found, outcome_of


class _Unknown(ExpectationKind):
    """A kind that is not installed. Its expectations count as not met."""

    name = "unknown"
    reference = NOTHING

    def check(self, key: str, value: object, at: Location) -> Made:
        return at.refuse("this is not an expectation", at_key=True)

    def judge(self, expected: Expectation, found: Found) -> Outcome:
        return outcome_of(expected, met=False)

    def explain(self, reason: Outcome, names: DocumentNames) -> str:
        """Return, for example, `shiny is not met`."""
        return f"{reason.name or reason.kind} is not met"


UNKNOWN = _Unknown()
