"""Floors of a suite, and cases that they cannot hold as their score is not defined."""

from __future__ import annotations

import pytest

from tests.cases.conftest import mistakes, read

TWO = "cases: [{query: a, judgments: {x: 0}}, {query: b, judgments: {x: 0}}]"


@pytest.mark.parametrize(
    ("suite", "place"),
    {
        f"min_ndcg: 0.8\n{TWO}": "1:11: min_ndcg",
        f"expect: {{Success@3: 1}}\n{TWO}": "1:21: expect.Success@3",
        f"min_ndcg: 0.8\ngain: {{0: 0, 3: 0}}\n{TWO.replace('x: 0', 'x: 3')}": "1:11: min_ndcg",
        f'min_ndcg: 0.8\nexpect: {{"R(rel=3)@5": 1}}\n{TWO.replace("x: 0", "x: 1")}': "2:24: expect.R(rel=3)@5",
    }.items(),
    ids=["min_ndcg", "a metric", "a gain of 0", "a level that no grade reaches"],
)
def test_a_floor_that_applies_to_no_case_is_a_mistake(suite: str, place: str) -> None:
    (mistake,) = mistakes(suite)
    assert mistake.startswith(f"{place}: it applies to no case")
    assert '("a" and "b")' in mistake


def test_a_floor_that_applies_to_some_cases_names_the_others() -> None:
    suite = read("""
        min_ndcg: 0.8
        expect: {Success@3: 1}
        cases:
          - {query: a, judgments: {x: 3}}
          - {query: b, judgments: {x: 0}}
    """)
    of_ndcg, of_success = suite.without_floor
    assert of_ndcg == (
        "min_ndcg 0.8 of the suite does not hold 1 of 2 cases, "
        'for lack of a relevant judgment: "b"'
    )
    assert of_success.startswith("Success@3 of the suite does not hold 1 of 2 cases")


@pytest.mark.parametrize(
    "case",
    [
        "{query: b, judgments: {x: 0}, expect: {results: 0}}",
        "{query: b, judgments: {x: 0}, min_ndcg: null}",
        "{query: b, judgments: {x: 3}, min_ndcg: 0.5}",
    ],
    ids=["finds nothing", "no floor is meant", "a floor of its own"],
)
def test_a_case_without_the_floor_on_purpose_is_not_named(case: str) -> None:
    """Such a case alone is no mistake of the suite either."""
    assert read(f"min_ndcg: 0.8\ncases: [{case}]").without_floor == ()


def test_a_metric_that_no_case_is_judged_for_is_a_mistake() -> None:
    (mistake,) = mistakes("expect: {P@5: 0.5}\ncases: [{query: a}, {query: b}]")
    assert mistake.startswith("1:15: expect.P@5: it applies to no case")
