"""The words for what a case does not meet, and which of several reasons comes first."""

from typing import Any

import pytest

from pytest_relevance import CaseResult
from pytest_relevance.expectations.metric import below
from pytest_relevance.reports.failure import failure_lines, failure_message
from pytest_relevance.reports.reasons import reason_texts
from pytest_relevance.reports.styled_lines import plain_text
from pytest_relevance.results.case_parts import DROP, FLOOR, BaselineComparison, Outcome
from tests.helpers import case_result, result_of

JUDGMENTS = {"boots": 3, "shoes": 2, "laces": 1, "apron": 0}


def words(
    expect: dict[str, object],
    ranking: list[str],
    latency: float | None = 0.012,
    **keys: Any,
) -> str:
    """What is said of the one expectation of a case with `JUDGMENTS`, which it does not
    meet.
    """
    (reason,) = reason_texts(
        result_of(
            {"query": "boots", "judgments": JUDGMENTS, "expect": expect, **keys},
            ranking,
            latency,
        )
    )
    return reason


# fmt: off
UNMET = {
    "a metric": ({"P@2": 0.6}, ["boots", "apron"], "P@2 0.500 is below 0.600"),
    "a metric that must be above": ({"P@2": "> 0.5"}, ["boots", "apron"], "P@2 0.500 is not above 0.500"),
    "a metric that must be below": ({"RR": "< 0.5"}, ["apron", "boots"], "RR 0.500 is not below 0.500"),
    "a metric that must be equal": ({"RR": "== 0.5"}, ["boots"], "RR 1.000 is not 0.500"),
    "a metric that is just below": ({"nDCG@2": 0.8583}, ["boots", "laces"], "nDCG@2 0.8581 is below 0.8583"),
    "first": (
        {"first": "boots"}, ["shoes", "boots"], 'first: rank 1 has "shoes", expected "boots" (at rank 2)'),
    "first that is not there": (
        {"first": ["boots", "shoes"]}, ["boots"], 'first: rank 2 has nothing, expected "shoes" (not returned)'),
    "include": (
        {"include": ["boots", "shoes", "laces"]}, ["boots"],
        'include: not in the top 10: "shoes" (not returned), "laces" (not returned)'),
    "include at another depth": (
        {"include": {"docs": ["shoes"], "within": 1}}, ["boots", "shoes"],
        'include: not in the top 1: "shoes" (at rank 2)'),
    "exclude": (
        {"exclude": ["apron", "gloves"]}, ["boots", "gloves", "apron"],
        'exclude: in the top 10: "apron" (at rank 3), "gloves" (at rank 2)'),
    "order": (
        {"order": ["boots", "shoes"]}, ["shoes", "boots"],
        'order: "boots" (at rank 2) is not before "shoes" (at rank 1)'),
    "order of sets, several of them late": (
        {"order": [["boots", "shoes"], ["laces", "apron"]]}, ["apron", "boots", "laces"],
        'order: "boots" (at rank 2), "shoes" (not returned) are not before "apron" (at rank 1); '
        '"shoes" (not returned) is not before "laces" (at rank 3)'),
    "order of sets, many pairs": (
        {"order": [["boots", "shoes"], ["laces", "apron", "gloves", "belt"]]},
        ["laces", "apron", "gloves", "belt", "boots", "shoes"],
        'order: "boots" (at rank 5), "shoes" (at rank 6) are not before "laces" (at rank 1); '
        '"boots" (at rank 5), "shoes" (at rank 6) are not before "apron" (at rank 2); '
        '"boots" (at rank 5) is not before "gloves" (at rank 3); and 3 more pairs'),
    "order with a depth": (
        {"order": {"docs": ["boots", "shoes"], "within": 2}}, ["apron", "laces", "boots", "shoes"],
        'order: in the top 2: "boots" (at rank 3) is not before "shoes" (at rank 4)'),
    "within": ({"within": {"boots": 1}}, ["apron", "boots"], 'within: "boots" (at rank 2) is not in the top 1'),
    "within, below a rank": ({"within": {"apron": ">3"}}, ["apron"], 'within: "apron" (at rank 1) is in the top 3'),
    "within, at a rank": (
        {"within": {"shoes": "== 1"}}, ["boots", "shoes"], 'within: "shoes" (at rank 2) is not at rank 1'),
    "too few results": ({"results": ">= 2"}, ["boots"], "results: 1 returned, expected >= 2"),
    "another number of results": ({"results": 2}, ["boots"], "results: 1 returned, expected exactly 2"),
    "latency that is just reached": (
        {"latency": "< 12 ms"}, ["boots"], "latency: search took 12 ms, expected < 12 ms"),
}
# fmt: on


@pytest.mark.parametrize(("expect", "ranking", "message"), UNMET.values(), ids=UNMET)
def test_what_is_wrong_and_where_it_is_instead(
    expect: dict[str, object], ranking: list[str], message: str
) -> None:
    assert words(expect, ranking) == message


def test_a_wrong_number_of_results_comes_with_how_many_were_asked_for() -> None:
    case = {"query": "q", "expect": {"results": 2}}
    said = reason_texts(result_of(case, ["a", "b", "c"], asked=3))
    assert said == ["results: 3 returned (asked for 3), expected exactly 2"]


TITLES = {"apron": "Apron, blue", "boots": "Winter boots", "shoes": "Canvas shoes"}


@pytest.mark.parametrize(
    ("expect", "message"),
    [
        ({"first": "boots"},
         'first: rank 1 has "apron" (Apron, blue), expected "boots" (Winter boots, at rank 2)'),
        ({"include": ["shoes", "laces"]},
         'include: not in the top 10: "shoes" (Canvas shoes, not returned), "laces" (not returned)'),
        ({"within": {"shoes": 1}}, 'within: "shoes" (Canvas shoes, not returned) is not in the top 1'),
        ({"order": [["boots", "shoes"], ["apron"]]},
         'order: "boots" (Winter boots, at rank 2), "shoes" (Canvas shoes, not returned) are not before '
         '"apron" (Apron, blue, at rank 1)'),
    ],
)  # fmt: skip
def test_documents_are_named_with_their_titles_where_there_are_any(
    expect: dict[str, object], message: str
) -> None:
    result = result_of({"query": "boots", "expect": expect}, ["apron", "boots"])
    assert reason_texts(result.with_texts(titles=TITLES)) == [message]


@pytest.mark.parametrize(
    ("seconds", "bound", "took"),
    [
        (
            None,
            "<= 10 ms",
            "the search was not called here, so there is no latency to check",
        ),
        (0.2004, "<= 200 ms", "search took 200.4 ms, expected <= 200 ms"),
        (0.25, "<= 200 ms", "search took 250 ms, expected <= 200 ms"),
        (1.234567, "<= 200 ms", "search took 1.23 s, expected <= 200 ms"),
        (1.5001, "<= 1.5 s", "search took 1.5001 s, expected <= 1.5 s"),
        (0.00004, "<= 0.001 ms", "search took 0.04 ms, expected <= 0.001 ms"),
    ],
)
def test_latency_has_the_digits_that_tell_it_from_its_bound(
    seconds: float | None, bound: str, took: str
) -> None:
    assert words({"latency": bound}, ["boots"], seconds) == f"latency: {took}"


@pytest.mark.parametrize(
    ("value", "bound", "words"),
    [
        (0.312, 0.5, "nDCG@10 0.312 is below 0.500"),
        (0.6999, 0.7, "nDCG@10 0.6999 is below 0.7000"),
        (0.69999999, 0.7, "nDCG@10 0.69999999 is below 0.70000000"),
        (
            0.6999999999999998,
            0.7,
            "nDCG@10 0.6999999999999998 is below 0.7000000000000000",
        ),
        (None, 0.7, "nDCG@10 is not defined"),
    ],
)
def test_a_score_and_its_floor_never_look_equal(
    value: float | None, bound: float, words: str
) -> None:
    assert below("nDCG@10", value, ">=", bound) == words


# --- beside a baseline ----------------------------------------------------------------


def beside_a_baseline(*reasons: Outcome, **about: Any) -> CaseResult:
    """A result of nDCG@10 0.266 whose baseline has accepted one of 0.387, with these
    reasons.
    """
    before = BaselineComparison("regression", 0.387, **about)
    return case_result(
        "f",
        1,
        "q",
        "failed",
        reasons=reasons,
        baseline=before,
        scores={"nDCG@10": 0.266},
        floor=0.9,
    )


NEW = Outcome("P@2", "metric", met=False, value=0.5, bound=0.9, before=1.0, is_new=True)
DROPPED = Outcome("nDCG@10", DROP, met=False, value=0.266, bound=0.05, before=0.387)
BELOW = Outcome("nDCG@10", FLOOR, met=False, value=0.266, bound=0.9, before=0.387)


def test_the_bound_that_is_newly_missed_comes_first_with_its_own_figures() -> None:
    found = beside_a_baseline(NEW, DROPPED, BELOW, newly_failing=True)
    brief = "P@2 0.500 is below 0.900; 0.387 -> 0.266, floor 0.900"
    assert failure_message(found) == brief
    assert plain_text(failure_lines(found, width=160)).splitlines()[:2] == [
        "f:1: P@2 0.500 is below 0.900   (reference 1.000, down 0.500)",
        "  nDCG@10 0.266 is below 0.900   (reference 0.387, down 0.121)",
    ]


def test_a_drop_in_brief_has_the_tolerance() -> None:
    found = beside_a_baseline(DROPPED)
    assert failure_message(found) == "0.387 -> 0.266, tolerance 0.05"
