"""Work with conditions on fields of results, such as `{price: "< 100"}`.

This module finds out whether a condition is as strict as another one, whether it can be
decided, and which wrong values are nearly right. It also has the words of a condition.
`cases.field_conditions` checks how conditions are written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_relevance._near import difference, difference_within
from pytest_relevance._text import first_few, listed, quoted
from pytest_relevance.cases.bounds import Bound, implies
from pytest_relevance.cases.expectation import FieldCondition
from pytest_relevance.cases.field_conditions import OF_NUMBERS
from pytest_relevance.cases.model import Case
from pytest_relevance.cases.scalars import with_type
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.document_fields import (
    AT_MOST_OF_VALUE,
    why_condition_unknown,
)
from pytest_relevance.results.responses.fields import Absent
from pytest_relevance.results.responses.ranking import Ranking

# Whether a condition is as strict as another one


def implies_condition(
    now: FieldCondition, before: FieldCondition, *, of_all: bool
) -> bool:
    """Say whether each value that meets the condition `now` meets `before` too.

    `of_all`: whether every result has to meet the condition. If not, a condition with
        `==` has to want the same values as before. With other values the type of a
        field may not fit, which is an error: "5" cannot be compared with 5.
    """
    if now.path != before.path:
        return False
    if now.comparison in OF_NUMBERS and before.comparison in OF_NUMBERS:
        bound_now = Bound(now.comparison, now.values[0])  # type: ignore[arg-type]
        bound_before = Bound(before.comparison, before.values[0])  # type: ignore[arg-type]
        return implies(bound_now, bound_before)
    if now.comparison != before.comparison:
        return False
    if now.comparison == "contains":
        part_now = str(now.values[0]).casefold()
        return str(before.values[0]).casefold() in part_now
    values_now = set(map(with_type, now.values))
    values_before = set(map(with_type, before.values))
    if of_all:
        return values_now <= values_before
    return values_now == values_before


def imply(
    conditions: Sequence[FieldCondition],
    others: Sequence[FieldCondition],
    *,
    of_all: bool = False,
) -> bool:
    """Say whether each result that meets all `conditions` meets all `others`.

    `of_all`: whether every result has to meet the conditions.
    """
    for other in others:
        if not any(implies_condition(one, other, of_all=of_all) for one in conditions):
            return False
    return True


# Why that may not be known


def why_unknown_fields(case: Case, ranking: Ranking) -> str:
    """Return why expectations on fields cannot be decided; empty if they can.

    There is a line for each field that a result lacks, or whose value has a type that
    cannot be compared. The line names the first such result.
    """
    lines: dict[str, str] = {}
    for expected in case.expect_of_fields:
        for condition in expected.conditions:
            path = condition.path
            absent = (Absent(),) * len(ranking.ids)
            values = (ranking.fields or {}).get(path, absent)
            for index, value in enumerate(values[: expected.within or case.k]):
                why = why_condition_unknown(condition, value)
                if why:
                    document = quoted(ranking.ids[index])
                    line = f"{expected.written}: document {document} at rank {index + 1} {why}"
                    lines.setdefault(path, line)
                    break
    return "\n".join(lines.values())


# Values that nearly meet a condition

_MOST_RANKS = 10
"""How many ranks of a near value a sentence names."""


@dataclass(frozen=True, slots=True)
class NearValue:
    """A wrong value of a field that is nearly right.

    `path`: the field.
    `how`: the kind of difference, for example "case".
    `ranks`: the ranks of the results that have the value.
    """

    path: str
    value: str
    how: str
    ranks: tuple[int, ...] = ()

    def describe(self, count: int) -> str:
        """Return, for example, `supplier = "Lenovo" differs in case only`.

        Ranks follow if only some of the `count` wrong results have the value.
        """
        text = f"{self.path} = {value_text(self.value)} differs in {self.how} only"
        if len(self.ranks) == count:
            return text
        noun = "rank" if len(self.ranks) == 1 else "ranks"
        ranks = first_few([str(rank) for rank in self.ranks], _MOST_RANKS)
        return f"{text} ({noun} {ranks})"


def near_values(reason: Outcome) -> list[NearValue]:
    """Return the near values of the results in which nothing else is wrong.

    Results with the same near value are one entry.
    """
    conditions = conditions_by_path(reason)
    ranks: dict[NearValue, list[int]] = {}
    for rank, values in reason.values:
        near = _near_value(conditions, values)
        if near is not None:
            ranks.setdefault(near, []).append(rank)
    return [replace(near, ranks=tuple(those)) for near, those in ranks.items()]


def _near_value(
    conditions: Mapping[str, FieldCondition], values: Mapping[str, object]
) -> NearValue | None:
    """Return the near value of a wrong result; None if there is none.

    None also if several fields of the result are wrong.
    """
    if len(values) != 1:
        return None
    ((path, value),) = values.items()
    condition = conditions.get(path)
    if condition is None:
        return None
    for one in _texts_in(value):
        how = _difference(condition, one)
        if how:
            return NearValue(path, one, how)
    return None


def near_difference(condition: FieldCondition, value: object) -> str:
    """Return how a text, or one of several texts, differs from a wanted one.

    "" if no text is near a wanted one.
    """
    for one in _texts_in(value):
        how = _difference(condition, one)
        if how:
            return how
    return ""


def _texts_in(value: object) -> list[str]:
    """Return the texts of a field, which may have several values."""
    values = value if isinstance(value, (list, tuple)) else [value]
    return [one for one in values if isinstance(one, str)]


def _difference(condition: FieldCondition, value: str) -> str:
    """Return how a value differs from a wanted one; "" if the value is not near any."""
    for wanted in condition.values:
        if not isinstance(wanted, str):
            continue
        how = ""
        if condition.comparison == "==":
            how = difference(wanted, value)
        elif condition.comparison == "contains":
            how = difference_within(wanted, value)
        if how:
            return how
    return ""


# How sentences name a condition

_LONGEST_TEXT = 40
"""The columns of a value in a sentence."""


def conditions_by_path(outcome: Outcome) -> dict[str, FieldCondition]:
    """Return {path of a field: its condition}."""
    conditions = {}
    for written in outcome.conditions:
        condition = FieldCondition.of_record(written)
        conditions[condition.path] = condition
    return conditions


def conditions_text(outcome: Outcome) -> str:
    """Return all conditions as text: `category "phones" and price < 1000`."""
    conditions = map(FieldCondition.of_record, outcome.conditions)
    return listed([_condition_text(condition) for condition in conditions], "and")


def _condition_text(condition: FieldCondition) -> str:
    """Return a condition as text: `category "phones"`.

    For `at_most` it is `more than 2 have the same brand`.
    """
    if condition.comparison == AT_MOST_OF_VALUE:
        return f"more than {condition.values[0]} have the same {condition.path}"
    return f"{condition.path} {wanted_text(condition)}"


def wanted_text(condition: FieldCondition) -> str:
    """Return what a condition wants, without its field: `"phones"`, `< 1000`."""
    comparison = condition.comparison
    sign = {"==": "", "contains": "containing "}.get(comparison, f"{comparison} ")
    return f"{sign}{listed(map(value_text, condition.values))}"


def value_text(value: object) -> str:
    """Return the value of a field as text: `"phones"`, `12.5`, `true`, `null`."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, str):
        return quoted(value, _LONGEST_TEXT)
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return f"{value:.12g}" if isinstance(value, float) else str(value)
