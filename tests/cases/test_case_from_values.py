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


def test_all_mistakes_are_told_together() -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        case_from_values({"query": "x", "k": 0, "weight": 0, "zz": 1})
    assert [line.split(":")[0] for line in str(caught.value).splitlines()] == [
        'unknown key "zz" of a case; it takes ' + ", ".join(KEYS[CASE]),
        "k",
        "weight",
    ]
