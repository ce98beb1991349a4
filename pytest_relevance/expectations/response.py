"""The expectation on the response itself: `response: {hits.total.value: ">= 100"}`."""

from __future__ import annotations

from typing import Any

from pytest_relevance.cases.expect import Made
from pytest_relevance.cases.expectation import Expectation, FieldCondition
from pytest_relevance.cases.field_conditions import (
    CONDITIONS_SCHEMA,
    check_conditions,
    check_response_condition,
)
from pytest_relevance.cases.location import WRONG, Location
from pytest_relevance.cases.model import Case
from pytest_relevance.cases.schema_parts import NULL, either
from pytest_relevance.expectations.conditions import (
    conditions_by_path,
    imply,
    near_difference,
    value_text,
    wanted_text,
)
from pytest_relevance.expectations.fields_before import response_as_badly
from pytest_relevance.expectations.kind import DocumentNames, ExpectationKind
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.document_fields import (
    cut_value,
    has_value,
    is_cut,
    meets_condition,
    why_condition_unknown,
)
from pytest_relevance.results.outcomes import Found, outcome_of
from pytest_relevance.results.records.accepted_outcomes import TwoOutcomes
from pytest_relevance.results.records.two_expectations import TwoExpectations
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.response_values import NoValue


class _Response(ExpectationKind):
    """`response: {hits.total.value: ">= 100"}`: what the response has at a path."""

    name = "response"
    about = 'What the response itself has at a path, {hits.total.value: ">= 100"}; null: nothing is there.'
    schema = either(NULL, CONDITIONS_SCHEMA)
    looks_at_response = True

    def check(self, key: str, value: object, at: Location) -> Made:
        """Return an expectation with a condition for each path, or report mistakes."""
        example = f'{key}: {{hits.total.value: ">= 100"}}'
        made = check_conditions(value, check_response_condition, example=example, at=at)
        if made is WRONG:
            return WRONG
        return [Expectation(kind=key, written=key, conditions=made)]

    def judge(self, expected: Expectation, found: Found) -> Outcome:
        """Return whether the response meets all conditions, and what it has if not."""
        values = []
        for condition in expected.conditions:
            value = found.response.get(condition.path)
            if not _meets(condition, value):
                there = value.there if isinstance(value, NoValue) else value
                values.append((condition.path, cut_value(there)))
        return outcome_of(expected, not values, values=values)

    def explain(self, reason: Outcome, names: DocumentNames) -> str:
        """Return, for example, `response: hits.total.value = 41, expected >= 100`."""
        conditions = conditions_by_path(reason)
        texts = [_text(conditions[path], value) for path, value in reason.values]
        return f"{reason.name}: {'; '.join(texts)}"

    def missed_as_badly(self, both: TwoOutcomes) -> bool:
        return self.is_comparable(both) and response_as_badly(both)

    def is_comparable(self, both: TwoOutcomes) -> bool:
        """Say whether both outcomes have the whole values that were wrong."""
        values = [*both.then.values, *both.now.values]
        return bool(both.then.values) and not any(is_cut(value) for _, value in values)

    def implies(self, both: TwoExpectations) -> bool:
        return imply(both.now.conditions, both.before.conditions, of_all=True)


RESPONSE = _Response()


def _meets(condition: FieldCondition, value: Any) -> bool:
    """Say whether the value that the response has at a path meets its condition."""
    if isinstance(value, NoValue):  # an object, and nothing should be there
        return False
    if condition.expects_null:
        return not has_value(value)
    return meets_condition(condition, value)


def _text(condition: FieldCondition, value: Any) -> str:
    """Return what was found and expected: `redirect = null, expected "/sale"`."""
    text = f"{condition.path} = {value_text(value)}, expected {wanted_text(condition)}"
    how = near_difference(condition, value)
    return f"{text} (it differs in {how} only)" if how else text


def why_unknown_response(case: Case, ranking: Ranking) -> str:
    """Return why conditions on a response cannot be decided; empty if they can.

    There is a line for each path at which the response has nothing, or a value that
    cannot be compared.
    """
    lines = []
    not_kept = NoValue("the response of the search is not known")
    for condition in case.response_conditions:
        value = ranking.response.get(condition.path, not_kept)
        why = ""
        if isinstance(value, NoValue):
            is_something = bool(value.there)
            why = "" if condition.expects_null and is_something else value.why
        elif not condition.expects_null:
            why = why_condition_unknown(condition, value)
            why = f"the response {why}" if why else ""
        if why:
            lines.append(f"response: {why}")
    return "\n".join(lines)
