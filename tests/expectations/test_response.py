"""What `response` means: a condition on a value of the response itself."""

from dataclasses import replace
from typing import Any

import pytest

from pytest_relevance import CaseResult
from pytest_relevance.cases.model import Case
from pytest_relevance.expectations.response import why_unknown_response
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.scoring import score_case
from tests.helpers import case_of, ranking_for, reasons_of, travelled

BODY: dict[str, Any] = {
    "hits": [{"id": "a"}, {"id": "b"}],
    "total": 41,
    "exact": True,
    "query": "boots",
    "colors": {"red": 12, "blue": 3},
    "words": ["boots", "boot"],
    "corrections": [],
    "redirect": None,
    "empty": "",
    "none": {},
    "zero": 0,
    "off": False,
    "long": "x" * 1000,
    "scores": list(range(1000)),
}


def searched(conditions: dict[str, object]) -> tuple[Case, Ranking]:
    """A case with these conditions, and what a search returned for it."""
    case = case_of({"query": "boots", "expect": {"response": conditions}})
    return case, ranking_for(case, BODY)


def result_of(conditions: dict[str, object]) -> CaseResult:
    case, ranking = searched(conditions)
    assert why_unknown_response(case, ranking) == ""
    return score_case(case, ranking)


@pytest.mark.parametrize(
    "conditions",
    [
        {"total": 41},
        {"total": ">= 41", "colors.red": "> 11"},
        {"total": "!= 40"},
        {"exact": True},
        {"query": ["shoes", "boots"]},
        {"query": {"contains": "BOO"}},
        {"words": "boot"},
        {"words.0": "boots"},
        {"redirect": None},
        {"corrections": None},
        {"corrections.0": None},
        {"corrections.0": None, "total": 41},
        {"colors.green": None},
        {"empty": None, "none": None},
        {"absent": None},
    ],
    ids=str,
)
def test_a_condition_that_is_met(conditions: dict[str, object]) -> None:
    assert result_of(conditions).verdict == "passed"


@pytest.mark.parametrize(
    ("conditions", "reason"),
    [
        ({"total": ">= 100"}, "total = 41, expected >= 100"),
        ({"total": 40, "exact": True}, "total = 41, expected 40"),
        (
            {"total": 40, "exact": False},
            "total = 41, expected 40; exact = true, expected false",
        ),
        ({"query": "shoes"}, 'query = "boots", expected "shoes"'),
        (
            {"query": "Boots"},
            'query = "boots", expected "Boots" (it differs in case only)',
        ),
        (
            {"query": {"contains": "shoe"}},
            'query = "boots", expected containing "shoe"',
        ),
        (
            {"words": "Boots"},
            'words = ["boots", "boot"], expected "Boots" (it differs in case only)',
        ),
        ({"words": ["a", "b"]}, 'words = ["boots", "boot"], expected "a" or "b"'),
        ({"redirect": "/sale"}, 'redirect = null, expected "/sale"'),
        ({"corrections": "boots"}, 'corrections = [], expected "boots"'),
        ({"query": None}, 'query = "boots", expected null'),
        ({"zero": None}, "zero = 0, expected null"),
        ({"off": None}, "off = false, expected null"),
        ({"hits": None}, "hits = \"[{'id': 'a'}, {'id': 'b'}]\", expected null"),
        ({"words.0": None}, 'words.0 = "boots", expected null'),
        (
            {"colors": None},
            "colors = \"{'red': 12, 'blue': 3}\", expected null",
        ),
    ],
    ids=str,
)
def test_a_condition_that_is_not_met_says_what_is_there(
    conditions: dict[str, object], reason: str
) -> None:
    result = result_of(conditions)
    assert result.verdict == "failed"
    assert reasons_of(result) == [f"response: {reason}"]
    assert reasons_of(travelled(result)) == [f"response: {reason}"]


@pytest.mark.parametrize(
    ("conditions", "why"),
    [
        ({"totl": 41}, 'the response has no "totl": it has "hits", "total", '),
        (
            {"query": ">= 3"},
            'the response has the text "boots" as "query", and >= compares numbers',
        ),
        (
            {"total": "41"},
            'the response has 41 as "total", which never equals the text',
        ),
        (
            {"colors": 12},
            '"colors" is a mapping, and conditions compare texts, numbers',
        ),
    ],
    ids=str,
)
def test_a_condition_that_cannot_be_decided(
    conditions: dict[str, object], why: str
) -> None:
    case, ranking = searched(conditions)
    assert why_unknown_response(case, ranking).startswith(f"response: {why}")


def test_each_path_that_is_not_there_has_a_line() -> None:
    case, ranking = searched({"absent.a": 1, "absent.b": 2, "total": 41})
    first, second = why_unknown_response(case, ranking).splitlines()
    assert first.startswith('response: the response has no "absent.a"')
    assert second.startswith('response: the response has no "absent.b"')


def test_without_a_response_nothing_is_known_even_if_nothing_should_be_there() -> None:
    case, ranking = searched({"redirect": None})
    unknown = replace(ranking, response={})
    assert "the response of the search is not known" in why_unknown_response(
        case, unknown
    )


def test_long_values_are_cut_in_the_outcome() -> None:
    (outcome,) = result_of({"long": "y", "scores": -1}).evaluation.outcomes
    (_, text), (_, numbers) = outcome.values
    assert len(text) == 300
    assert numbers[-3:] == [98, 99, "..."]
