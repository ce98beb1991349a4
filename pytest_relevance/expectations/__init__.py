"""Kinds of expectations: `first`, `results`, `every` ..., all of a kind in one row.

Another package adds a kind by an entry point of the group
`pytest_relevance.expectations` that names an `ExpectationKind`. What it needs for that
is here.
"""

from pytest_relevance.cases.location import WRONG as WRONG
from pytest_relevance.cases.location import Location as Location
from pytest_relevance.cases.model import Expectation as Expectation
from pytest_relevance.expectations.kind import ExpectationKind as ExpectationKind
from pytest_relevance.expectations.kind import Names as Names
from pytest_relevance.results.case_parts import Outcome as Outcome
from pytest_relevance.results.outcomes import Found as Found
from pytest_relevance.results.outcomes import outcome_of as outcome_of
