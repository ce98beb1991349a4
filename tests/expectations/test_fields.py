"""What `every`, `some`, `none` and `at_most` mean for the fields of results, and which
fields decide nothing.
"""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import CaseResult
from pytest_relevance.cases.expectation import FieldCondition
from pytest_relevance.expectations.conditions import (
    implies_condition,
    why_unknown_fields,
)
from pytest_relevance.results.responses.errors import UnreadableRanking
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.read_ranking import read_ranking
from pytest_relevance.results.scoring import score_case
from tests.helpers import case_of, reasons_of, travelled

PHONES: list[dict[str, Any]] = [
    {"id": "p1", "title": "Phone 1", "category": "phones", "brand": "Acme", "price": 500, "stock": True},
    {"id": "p2", "category": "phones", "brand": ["Apple", "acme"], "price": 1200.5, "stock": True, "offer": {"off": 0}},
    {
        "id": "c1", "title": "A case", "category": "cases", "brand": None, "price": 9, "stock": 1,
        "offer": {"off": None},
    },
]  # fmt: skip


def result_of(
    expect: dict[str, object], results: object = PHONES, **keys: Any
) -> CaseResult:
    case = case_of({"query": "phone", "expect": expect, **keys})
    ranking = read_ranking(results, ReadOptions(fields=case.fields))
    assert why_unknown_fields(case, ranking) == ""
    return score_case(case, ranking)


@pytest.mark.parametrize(
    "expect",
    [
        {"every@2": {"category": "phones"}},
        {"every@2": {"category": "phones", "stock": True}},
        {"every": {"category": ["cases", "phones"]}},
        {"every": {"price": ">= 9"}},
        {"every": {"price": "!= 10"}},
        {"every@2": {"brand": {"contains": "AC"}}},
        {"every@2": {"stock": True}},
        {"every@100": {"id": ["p1", "p2", "c1"]}},
        {"some": {"price": "< 10"}},
        {"some@2": {"brand": "acme"}},
        {"some": {"price": 1200.50}},
        {"none@2": {"category": "Phones"}},
        {"none": {"category": "phones", "price": "< 100"}},
        {"none": {"price": "> 1200.5"}},
        {"none": {"category": ["x", 9]}},
        {"none": {"brand": {"contains": "zz"}}},
        {"at_most": {"category": 2}},
        {"at_most@2": {"brand": 1}},
        {"at_most": {"stock": 2}},
    ],
    ids=str,
)
def test_an_expectation_that_is_met(expect: dict[str, object]) -> None:
    found = result_of(expect)
    assert (found.verdict, found.evaluation.outcomes[0].wrong) == ("passed", ())


UNMET: dict[str, tuple[dict[str, object], str]] = {
    "every": (
        {"every@3": {"category": "phones"}},
        'every@3: 1 of the first 3 results does not have category "phones": rank 3 "c1" (A case): category = "cases"',
    ),
    "every, several fields": (
        {"every": {"category": "phones", "price": "< 1000"}},
        'every: 2 of the first 3 results do not have category "phones" and price < 1000: '
        'rank 2 "p2": price = 1200.5; rank 3 "c1" (A case): category = "cases"',
    ),
    "a null meets nothing": (
        {"every": {"brand": ["Acme", "acme"]}},
        'every: 1 of the first 3 results does not have brand "Acme" or "acme": rank 3 "c1" (A case): brand = null',
    ),
    "some": (
        {"some@2": {"category": "cases", "stock": True}},
        'some@2: none of the first 2 results has category "cases" and stock true: '
        'rank 1 "p1" (Phone 1): category = "phones"; rank 2 "p2": category = "phones"',
    ),
    "none": (
        {"none": {"brand": {"contains": "apple"}, "price": "> 1000"}},
        'none: 1 of the first 3 results has brand containing "apple" and price > 1000: '
        'rank 2 "p2": brand = ["Apple", "acme"], price = 1200.5',
    ),
    "at_most": (
        {"at_most@10": {"category": 1}},
        "at_most@10: of the first 3 results more than 1 have the same category: "
        'rank 1 "p1" (Phone 1): category = "phones"; rank 2 "p2": category = "phones"',
    ),
}


@pytest.mark.parametrize(("expect", "message"), UNMET.values(), ids=UNMET)
def test_what_does_not_match_is_listed_with_rank_title_and_value(
    expect: dict[str, object], message: str
) -> None:
    found = result_of(expect)
    assert (found.verdict, reasons_of(found)) == ("failed", [message])
    assert reasons_of(travelled(found)) == [message]


def test_many_results_that_do_not_match() -> None:
    results = [{"id": str(number), "a": "x" * 1000} for number in range(12)]
    found = result_of({"every": {"a": 1}}, results, k=12)
    (reason,) = reasons_of(found)
    assert reason.endswith("; and 2 more")
    (outcome,) = found.evaluation.outcomes
    assert len(outcome.wrong) == 12
    assert {len(values["a"]) for _, values in outcome.values} == {300}


@pytest.mark.parametrize("kind", ["every", "some", "none", "at_most"])
def test_an_empty_ranking_meets_nothing_unless_nothing_is_expected(kind: str) -> None:
    expect: dict[str, object] = {f"{kind}@3": {"stock": 1}}
    found = result_of(expect, [])
    assert found.verdict == "failed"
    assert reasons_of(found) == [f"{kind}@3: nothing was returned"]
    assert result_of({**expect, "results": 0}, []).verdict == "passed"


THERE = "the result has brand, category, id, price, stock and title"
UNKNOWN: dict[str, dict[str, object]] = {
    f'has no field "colour": {THERE}': {"every": {"colour": "red"}},
    f'has no field "offer.off": {THERE}': {"none@3": {"offer.off": "> 5"}},
    'has the text "phones" as "category", and > compares numbers': {"some": {"category": "> 5"}},
    'has true as "stock", and > compares numbers': {"none": {"stock": "> 5"}},
    'has 500 as "price", and contains looks at texts': {"every": {"price": {"contains": "5"}}},
    'has true as "stock", which never equals the text "true"; write it as it is': {"none": {"stock": "true"}},
    'has true as "stock", which never equals 1; write it as it is': {"none": {"stock": 1}},
    'has 500 as "price", which never equals the text "500"; write it as it is': {"none": {"price": [7, "500"]}},
}  # fmt: skip


@pytest.mark.parametrize("why", UNKNOWN)
def test_a_field_that_decides_nothing(why: str) -> None:
    case = case_of({"query": "phone", "expect": UNKNOWN[why]})
    message = f'{next(iter(UNKNOWN[why]))}: document "p1" at rank 1 {why}'
    assert (
        why_unknown_fields(case, read_ranking(PHONES, ReadOptions(fields=case.fields)))
        == message
    )


def test_a_value_and_its_text_may_both_be_wanted() -> None:
    assert result_of({"every@2": {"price": [500, "500", 1200.5]}}).verdict == "passed"


def test_only_the_ranks_that_an_expectation_looks_at_need_the_field() -> None:
    second = {"id": "b", "x": None, "y": [{"z": 1}, {"z": None}]}
    results = [{"id": "a", "x": 1}, second, "c"]
    expect: dict[str, object] = {"every@1": {"x": 1}, "some@2": {"x": 1}}
    assert result_of(expect, results).verdict == "passed"
    assert result_of({"some@1": {"y.z": 1}}, results[1:]).verdict == "passed"


VALUES = {
    "a decimal": (Decimal("1.50"), 1.5),
    "a date": (date(2024, 1, 2), "2024-01-02"),
    "a set in a list": ([{"x"}, ["x"]], ["x", "x"]),
    "NaN": (float("nan"), None),
}


@pytest.mark.parametrize(("value", "plain"), VALUES.values(), ids=VALUES)
def test_values_are_compared_as_plain_ones(value: object, plain: object) -> None:
    assert read_ranking(
        [{"id": "a", "x": value}], ReadOptions(fields={"x": 1})
    ).fields == {"x": [plain]}


def test_an_object_is_no_value() -> None:
    with pytest.raises(
        UnreadableRanking,
        match=r'result 1 of 1 has a field "x" that is not text.*; write x\.y or x\.z',
    ):
        read_ranking([{"id": "a", "x": {"y": 1, "z": 2}}], ReadOptions(fields={"x": 1}))


def test_a_list_that_the_search_fills_anew_changes_nothing() -> None:
    results = [{"id": "a", "x": ["old"]}]
    ranking = read_ranking(results, ReadOptions(fields={"x": 10}))
    results[0]["x"].append("new")  # type: ignore[attr-defined]
    results[:] = [{"id": "b", "x": ["new"]}]
    assert ranking.fields == {"x": [["old"]]}
    assert read_ranking(results).fields is None


# --- which condition is as strict as another one --------------------------------------

LARGE = 2**53  # the next whole number is no float
DECIDED: list[Any] = [
    *(None, True, False, 0, 1, 1.0, 1.5, 2, 5, 4.999, LARGE, LARGE + 1, float("inf")),
    *("", "1", "true", "red", "Red", "dark red", "STRASSE", "straße", "2024-01-01"),
    *([], [None], [1, 5], [1, "red"], [True, 1], ["red", "blue"]),
]
ONE = st.sampled_from([True, 1, 1.5, 2, 5, LARGE + 1, "1", "true", "red", "Red"])
CONDITIONS = st.one_of(
    st.builds(
        "{} {}".format,
        st.sampled_from([">=", ">", "<=", "<", "!="]),
        st.sampled_from([0, 1, 1.5, 5, LARGE, LARGE + 1]),
    ),
    ONE,
    st.lists(ONE, min_size=1, max_size=3),
    st.fixed_dictionaries({"contains": st.sampled_from(["red", "RED", "r", "ss"])}),
)


def condition_of(written: object) -> FieldCondition:
    case = case_of({"query": "phone", "expect": {"every": {"x": written}}})
    (condition,) = case.expect[0].conditions
    return condition


def decide(written: object, value: object) -> bool | None:
    """Whether a value meets a condition; None if that is an error."""
    case = case_of({"query": "phone", "expect": {"every@1": {"x": written}}})
    ranking = read_ranking([{"id": "p1", "x": value}], ReadOptions(fields=case.fields))
    if why_unknown_fields(case, ranking):
        return None
    (outcome,) = score_case(case, ranking).evaluation.outcomes
    return outcome.met


@given(CONDITIONS, CONDITIONS)
def test_what_meets_a_condition_meets_the_condition_that_it_implies(
    now: object, before: object
) -> None:
    for of_all in (True, False):
        if not implies_condition(
            condition_of(now), condition_of(before), of_all=of_all
        ):
            continue
        for value in DECIDED:
            if decide(now, value):
                assert decide(before, value)
            elif not of_all and decide(now, value) is not None:
                assert decide(before, value) is not None


@pytest.mark.parametrize(
    ("now", "before", "is_implied"),
    [
        ("> 5", "!= 5", True),
        (">= 5", "!= 5", False),
        ("<= 5", "!= 5", False),
        ("> 5", ">= 5", True),
        (">= 5", "> 5", False),
        (f">= {LARGE}", f">= {LARGE + 1}", False),
        ({"contains": "dark red"}, {"contains": "RED"}, True),
        (1, True, False),
        (5, "> 1", False),  # a list may have 5 and a text, which > cannot compare
    ],
)
def test_a_condition_that_implies_another_one(
    now: object, before: object, is_implied: bool
) -> None:
    first, second = condition_of(now), condition_of(before)
    assert implies_condition(first, second, of_all=True) == is_implied
