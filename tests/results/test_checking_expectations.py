"""What `expect:` means for a ranking: each kind met, and unmet with the words that a failure says it in."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.expectations import below, digits_apart, duration, message_with_titles
from tests.helpers import result_of

JUDGMENTS = {"boots": 3, "shoes": 2, "laces": 1, "apron": 0}


def outcome(expect: dict[str, object], ranking: list[str], latency: float | None = 0.012, **keys: Any) -> Outcome:
    """What becomes of one expectation of a case with `JUDGMENTS`."""
    values = {"query": "boots", "judgments": JUDGMENTS, "expect": expect, **keys}
    (found,) = result_of(values, ranking, latency).outcomes
    return found


MET = {
    "P@2 reached exactly": ({"P@2": 0.5}, ["boots", "apron"]),
    "P@2 above": ({"P@2": "> 0.4"}, ["boots", "apron"]),
    "RR equal": ({"RR": "== 0.5"}, ["apron", "boots"]),
    "a third, as people write it": ({"R(rel=1)": "== 0.333333333333"}, ["boots"]),
    "a highest score": ({"P@2": "<= 0.5"}, ["boots", "apron"]),
    "nDCG at another depth": ({"nDCG@1": 1}, ["boots"]),
    "first": ({"first": "boots"}, ["boots", "shoes"]),
    "first of several": ({"first": ["boots", "laces"]}, ["boots", "laces", "shoes"]),
    "include": ({"include": ["shoes", "boots"]}, ["boots", "apron", "shoes"]),
    "include at the last rank": ({"include": {"docs": ["shoes"], "within": 3}}, ["boots", "apron", "shoes"]),
    "exclude": ({"exclude": "apron"}, ["boots"]),
    "exclude one rank below": ({"exclude": {"docs": ["apron"], "within": 2}}, ["boots", "shoes", "apron"]),
    "order": ({"order": ["boots", "shoes", "laces"]}, ["boots", "apron", "shoes", "laces"]),
    "order with an absent document last": ({"order": ["boots", "laces"]}, ["boots"]),
    "order of sets": ({"order": [["boots", "shoes"], ["laces"]]}, ["shoes", "apron", "boots", "laces"]),
    "order of sets, the last of them absent": ({"order": [["boots", "shoes"], ["laces", "apron"]]}, ["shoes", "boots"]),
    "order of three sets": ({"order": ["boots", ["laces", "shoes"], "apron"]}, ["boots", "shoes", "laces", "apron"]),
    "order with a depth, below which documents are as good as absent": (
        {"order": {"docs": ["boots", "shoes"], "within": 2}},
        ["laces", "boots", "shoes"],
    ),
    "within": ({"within": {"boots": 2}}, ["apron", "boots"]),
    "within, above it": ({"within": {"boots": 2}}, ["boots"]),
    "within, below a rank": ({"within": {"apron": "> 2"}}, ["boots", "shoes", "apron"]),
    "within, below a rank and absent": ({"within": {"apron": ">2"}}, ["boots"]),
    "within, from a rank on": ({"within": {"apron": ">= 3"}}, ["boots", "shoes", "apron"]),
    "within, at a rank": ({"within": {"shoes": "== 2"}}, ["boots", "shoes"]),
    "P of what was returned": ({"P": "== 0.5"}, ["boots", "apron"]),
    "results": ({"results": ">= 2"}, ["boots", "shoes"]),
    "no results": ({"results": 0}, []),
    "latency": ({"latency": "<= 12 ms"}, ["boots"]),
}


@pytest.mark.parametrize(("expect", "ranking"), MET.values(), ids=MET)
def test_an_expectation_that_is_met(expect: dict[str, object], ranking: list[str]) -> None:
    found = outcome(expect, ranking)
    assert found.met
    assert found.message == ""


UNMET = {
    "a metric": ({"P@2": 0.6}, ["boots", "apron"], "P@2 0.500 is below 0.600"),
    "a metric that must be above": ({"P@2": "> 0.5"}, ["boots", "apron"], "P@2 0.500 is not above 0.500"),
    "a metric that must not be above": ({"RR": "<= 0.5"}, ["boots"], "RR 1.000 is above 0.500"),
    "a metric that must be below": ({"RR": "< 0.5"}, ["apron", "boots"], "RR 0.500 is not below 0.500"),
    "a metric that must be equal": ({"RR": "== 0.5"}, ["boots"], "RR 1.000 is not 0.500"),
    "a metric that is just below": ({"nDCG@2": 0.8583}, ["boots", "laces"], "nDCG@2 0.8581 is below 0.8583"),
    "first": ({"first": "boots"}, ["shoes", "boots"], 'first: rank 1 has "shoes", expected "boots" (at rank 2)'),
    "first that is not there": (
        {"first": ["boots", "shoes"]},
        ["boots"],
        'first: rank 2 has nothing, expected "shoes" (not returned)',
    ),
    "first, in another order": (
        {"first": ["boots", "shoes"]},
        ["shoes", "boots"],
        'first: rank 1 has "shoes", expected "boots" (at rank 2); rank 2 has "boots", expected "shoes" (at rank 1)',
    ),
    "include": (
        {"include": ["boots", "shoes", "laces"]},
        ["boots"],
        'include: not in the top 10: "shoes" (not returned), "laces" (not returned)',
    ),
    "include at another depth": (
        {"include": {"docs": ["shoes"], "within": 1}},
        ["boots", "shoes"],
        'include: not in the top 1: "shoes" (at rank 2)',
    ),
    "exclude": (
        {"exclude": ["apron", "gloves"]},
        ["boots", "gloves", "apron"],
        'exclude: in the top 10: "apron" (at rank 3), "gloves" (at rank 2)',
    ),
    "order": (
        {"order": ["boots", "shoes"]},
        ["shoes", "boots"],
        'order: "boots" (at rank 2) is not before "shoes" (at rank 1)',
    ),
    "order with an absent document first": (
        {"order": ["boots", "shoes", "laces"]},
        ["shoes", "laces"],
        'order: "boots" (not returned) is not before "shoes" (at rank 1)',
    ),
    "order of two absent documents": (
        {"order": ["shoes", "laces"]},
        ["boots"],
        'order: "shoes" (not returned) is not before "laces" (not returned)',
    ),
    "order of sets": (
        {"order": [["boots", "shoes"], ["laces", "apron"]]},
        ["boots", "apron", "laces", "shoes"],
        'order: "shoes" (at rank 4) is not before "apron" (at rank 2); '
        '"shoes" (at rank 4) is not before "laces" (at rank 3)',
    ),
    "order of sets, several of them late": (
        {"order": [["boots", "shoes"], ["laces", "apron"]]},
        ["apron", "boots", "laces"],
        'order: "boots" (at rank 2), "shoes" (not returned) are not before "apron" (at rank 1); '
        '"shoes" (not returned) is not before "laces" (at rank 3)',
    ),
    "order of sets, many pairs": (
        {"order": [["boots", "shoes"], ["laces", "apron", "gloves", "belt"]]},
        ["laces", "apron", "gloves", "belt", "boots", "shoes"],
        'order: "boots" (at rank 5), "shoes" (at rank 6) are not before "laces" (at rank 1); '
        '"boots" (at rank 5), "shoes" (at rank 6) are not before "apron" (at rank 2); '
        '"boots" (at rank 5) is not before "gloves" (at rank 3); and 3 more pairs',
    ),
    "order of sets that are absent": (
        {"order": [["boots", "shoes"], ["laces"]]},
        ["boots"],
        'order: "shoes" (not returned) is not before "laces" (not returned)',
    ),
    "order with a depth": (
        {"order": {"docs": ["boots", "shoes"], "within": 2}},
        ["apron", "laces", "boots", "shoes"],
        'order: in the top 2: "boots" (at rank 3) is not before "shoes" (at rank 4)',
    ),
    "within": ({"within": {"boots": 1}}, ["apron", "boots"], 'within: "boots" (at rank 2) is not in the top 1'),
    "within, absent": ({"within": {"boots": 3}}, ["apron"], 'within: "boots" (not returned) is not in the top 3'),
    "within, below a rank": ({"within": {"apron": ">3"}}, ["apron"], 'within: "apron" (at rank 1) is in the top 3'),
    "within, at a rank": (
        {"within": {"shoes": "== 1"}},
        ["boots", "shoes"],
        'within: "shoes" (at rank 2) is not at rank 1',
    ),
    "P of what was returned": ({"P": 0.6}, ["boots", "apron"], "P 0.500 is below 0.600"),
    "too few results": ({"results": ">= 2"}, ["boots"], "results: 1 returned, expected >= 2"),
    "another number of results": ({"results": 2}, ["boots"], "results: 1 returned, expected exactly 2"),
    "results where there must be none": ({"results": 0}, ["apron"], "results: 1 returned, expected exactly 0"),
    "latency": ({"latency": "<= 10 ms"}, ["boots"], "latency: search took 12 ms, expected <= 10 ms"),
    "latency that is just reached": ({"latency": "< 12 ms"}, ["boots"], "latency: search took 12 ms, expected < 12 ms"),
}


@pytest.mark.parametrize(("expect", "ranking", "message"), UNMET.values(), ids=UNMET)
def test_an_expectation_that_is_not_met(expect: dict[str, object], ranking: list[str], message: str) -> None:
    found = outcome(expect, ranking)
    assert not found.met
    assert found.message == message


def test_a_wrong_number_of_results_comes_with_how_many_were_asked_for() -> None:
    found = result_of({"query": "q", "expect": {"results": 2}}, ["a", "b", "c"], asked=3)
    assert [each.message for each in found.outcomes] == ["results: 3 returned (asked for 3), expected exactly 2"]


def test_include_and_exclude_look_at_the_k_of_the_case() -> None:
    ranking = ["boots", "shoes", "apron"]
    assert outcome({"include": "apron"}, ranking, k=2).message == 'include: not in the top 2: "apron" (at rank 3)'
    assert outcome({"exclude": "apron"}, ranking, k=2).met


def test_a_document_that_is_returned_twice_counts_once_at_its_first_rank() -> None:
    ranking = ["boots", "boots", "shoes"]
    assert outcome({"results": "== 2"}, ranking).met
    assert outcome({"order": ["boots", "shoes"]}, ranking).met
    assert outcome({"include": {"docs": ["shoes"], "within": 2}}, ranking).message == (
        'include: not in the top 2: "shoes" (at rank 3)'  # the second copy keeps its rank
    )
    assert outcome({"first": ["boots", "shoes"]}, ranking).message == (
        'first: rank 2 has "boots", expected "shoes" (at rank 3)'
    )


def test_control_characters_of_an_id_are_escaped() -> None:
    assert outcome({"first": "boots"}, ["\x1b[2J"]).message == (
        'first: rank 1 has "\\x1b[2J", expected "boots" (not returned)'
    )


def test_documents_are_named_with_their_titles_where_there_are_any() -> None:
    titles = {"apron": "Apron, blue", "boots": "Winter boots", "shoes": "Canvas shoes"}

    def message(expect: dict[str, object]) -> str:
        result = result_of({"query": "boots", "expect": expect}, ["apron", "boots"])
        return message_with_titles(result.outcomes[0], result, titles)

    assert message({"first": "boots"}) == (
        'first: rank 1 has "apron" (Apron, blue), expected "boots" (Winter boots, at rank 2)'
    )
    assert message({"include": ["shoes", "laces"]}) == (
        'include: not in the top 10: "shoes" (Canvas shoes, not returned), "laces" (not returned)'
    )
    assert message({"within": {"shoes": 1}}) == 'within: "shoes" (Canvas shoes, not returned) is not in the top 1'
    assert message({"within": {"apron": ">3"}}) == 'within: "apron" (Apron, blue, at rank 1) is in the top 3'
    assert message({"order": [["boots", "shoes"], ["apron"]]}) == (
        'order: "boots" (Winter boots, at rank 2), "shoes" (Canvas shoes, not returned) are not before '
        '"apron" (Apron, blue, at rank 1)'
    )
    assert message({"exclude": "apron"}) == 'exclude: in the top 10: "apron" (Apron, blue, at rank 1)'


def test_latency_of_a_ranking_that_no_search_was_called_for() -> None:
    assert outcome({"latency": "<= 10 ms"}, ["boots"], latency=None).message == (
        "latency: the search was not called here, so that there is none to check"
    )


@pytest.mark.parametrize(
    ("seconds", "bound", "words"),
    [
        (0.2004, "<= 200 ms", "search took 200.4 ms, expected <= 200 ms"),
        (0.25, "<= 200 ms", "search took 250 ms, expected <= 200 ms"),
        (1.234567, "<= 200 ms", "search took 1.23 s, expected <= 200 ms"),
        (1.5001, "<= 1.5 s", "search took 1.5001 s, expected <= 1.5 s"),
        (0.00004, "<= 0.001 ms", "search took 0.04 ms, expected <= 0.001 ms"),
    ],
)
def test_latency_is_shown_with_the_digits_that_tell_it_from_its_bound(seconds: float, bound: str, words: str) -> None:
    assert outcome({"latency": bound}, ["boots"], seconds).message == f"latency: {words}"


def test_which_figures_judging_more_documents_could_change() -> None:
    assert outcome({"P@2": 0.5}, ["boots", "gloves"]).is_score
    assert not outcome({"Judged@2": 0.5}, ["boots", "gloves"]).is_score
    assert not outcome({"results": 2}, ["boots", "gloves"]).is_score


def test_the_figure_that_was_found() -> None:
    assert outcome({"P@2": 1}, ["boots", "apron"]).value == 0.5
    assert outcome({"results": 1}, ["boots", "apron"]).value == 2
    assert outcome({"latency": "<= 1 ms"}, ["boots"]).value == 0.012
    assert outcome({"first": "boots"}, ["boots"]).value is None


@pytest.mark.parametrize(
    ("value", "bound", "words"),
    [
        (0.312, 0.5, "nDCG@10 0.312 is below 0.500"),
        (0.6999, 0.7, "nDCG@10 0.6999 is below 0.7000"),
        (0.69999999, 0.7, "nDCG@10 0.69999999 is below 0.70000000"),
        (0.6999999999999998, 0.7, "nDCG@10 0.6999999999999998 is below 0.7000000000000000"),
        (float("nan"), 0.7, "nDCG@10 is not defined"),
    ],
)
def test_a_score_and_its_floor_never_look_equal(value: float, bound: float, words: str) -> None:
    assert below("nDCG@10", value, ">=", bound) == words


def test_equal_figures_have_three_decimals() -> None:
    assert digits_apart(0.7, 0.7) == 3


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 ms"),
        (0.0000021, "<0.01 ms"),
        (0.0000563, "0.06 ms"),
        (0.001, "1 ms"),
        (0.0099962, "10 ms"),
        (0.01234, "12.3 ms"),
        (0.09996, "100 ms"),
        (0.120, "120 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1 s"),
        (1.234, "1.23 s"),
        (61.25, "61.2 s"),
        (1234, "1234 s"),
    ],
)
def test_a_duration_has_three_digits_at_most(seconds: float, words: str) -> None:
    assert duration(seconds) == words
