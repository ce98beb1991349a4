"""A case written in Python: the keys and checks of a case file, without a file."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from pytest_relevance.cases.build import case_from_values
from pytest_relevance.cases.checking.keys import CASE, KEYS
from pytest_relevance.cases.reader import parse_suite


def test_it_is_the_case_that_a_file_would_have_given() -> None:
    written = case_from_values(
        {
            "query": "blue shoes",
            "judgments": {"a": 3, "b": [0, 1], "c": {"grade": "good", "title": "Boot"}},
            "scale": {"good": 2, "bad": 0, "best": 3},
            "gain": {3: 7, "good": 3, 0.5: 1},
            "min_ndcg": 0.5,
            "k": 5,
            "tags": ["head"],
            "params": {"locale": "en_GB"},
            "expect": {"P@5": 0.2, "first": "a", "results": ">= 1", "include": {"docs": ["a"], "within": 3}},
        }
    )
    text = b"""
cases:
  - query: blue shoes
    judgments: {a: 3, b: [0, 1], c: {grade: good, title: Boot}}
    scale: {good: 2, bad: 0, best: 3}
    gain: {3: 7, good: 3, 0.5: 1}
    min_ndcg: 0.5
    k: 5
    tags: [head]
    params: {locale: en_GB}
    expect: {P@5: 0.2, first: a, results: ">= 1", include: {docs: [a], within: 3}}
"""
    (read,) = parse_suite(text, "shop.yaml").cases
    for name in ("id", "query", "judgments", "min_ndcg", "params", "tags", "expect", "titles", "terms", "weight"):
        assert getattr(written, name) == getattr(read, name), name


def test_any_mapping_and_sequence_will_do() -> None:
    case = case_from_values({"query": "x", "judgments": MappingProxyType({"a": (1, 2)}), "tags": ("t",)})
    assert (case.judgments, case.tags) == ({"a": 1.5}, ("t",))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, 'the case has no "query", the only key it must have'),
        ({"query": "a\ud800"}, "query: the query has half a character (a lone surrogate); write the whole one"),
        ({"query": "x", "min_ndgc": 1}, 'unknown key "min_ndgc" of a case; did you mean "min_ndcg"?'),
        ({"query": "x", "judgments": "qrels.csv"}, "judgments: a file is read by pytest_relevance.read_judgments, onc"),
        ({"query": "x", "judgments": {"a": float("nan")}}, "judgments.a: a grade is a finite number or a name of the "),
        ({"query": "x", "judgments": {"a": 10**400}}, "judgments.a: a grade is a finite number or a name of the scale"),
        ({"query": "x", "judgments": {1: 2}}, "judgments: a document id is text, found 1"),
        ({"query": "x", "k": 10**400}, "k: expected a whole number from 1 to 1,000,000, found 1000"),
        ({"query": "x", "min_ndcg": float("inf")}, "min_ndcg: expected a number from 0 to 1, or null"),
        ({"query": "x", "gain": {1: 10**400}}, "gain.1: a gain is a number, found 1000"),
        ({"query": "x", "scale": [0, 10**400]}, "scale: a scale is [lowest, highest], two numbers in that order"),
        ({"query": "x", "expect": {"P@5": float("nan")}}, "expect.P@5: expected a number from 0 to 1, found nan"),
        ({"query": "x", "expect": {5: 1}}, 'expect: "5" is neither first, include'),
        ({"query": "x", "expect": {"first": [1]}}, "expect.first[0]: a document id is text, found 1"),
        ({"query": "x", "params": {1: 2}}, "params: the name of a parameter is text, found 1"),
        ({"query": "x", "xfail": {"reason": 5}}, "xfail.reason: xfail takes the reason as text, found 5"),
    ],
)
def test_what_a_case_file_refuses_is_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        case_from_values(values)
    assert str(caught.value).startswith(message)


def test_all_mistakes_are_told_together() -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        case_from_values({"query": "x", "k": 0, "weight": 0, "zz": 1})
    assert [line.split(":")[0] for line in str(caught.value).splitlines()] == [
        'unknown key "zz" of a case; it takes ' + ", ".join(KEYS[CASE]),
        "k",
        "weight",
    ]
