"""Every key of a case file: where it may stand, what it may hold, what it is without
one.
"""

from dataclasses import replace
from operator import attrgetter
from types import MappingProxyType

import pytest

from pytest_relevance import read_suite
from pytest_relevance.cases.build import case_from_values
from pytest_relevance.cases.keys import CASE, KEYS
from pytest_relevance.cases.model import Terms, Xfail
from pytest_relevance.metrics.settings import Settings
from tests.cases.conftest import Shop, read, read_case

EVERY_KEY = """\
# shop.relevance.yaml
search: find
k: 5
min_ndcg: 0.70
gain: linear
discount: ln
ideal: returned
unjudged: skip
negative: zero
min_judged: 0.5
scale: {exact: 3, substitute: 2, complement: 1, irrelevant: 0}
raters: mean
id_field: sku
title_field: label
params: {locale: en_GB, fuzzy: true}
tags: [electronics]

cases:
  - query: blue shoes
    id: blue-shoes
    note: customers mean trainers, not shoe polish
    judgments:
      "125125": 3
      sku-5678: exact
      sku-1122: [0, 1, 0]
      sku-9: {grade: complement, title: Shoe polish, note: not this one}
    min_ndcg: 0.85
    tags: [head]
    weight: 4200
    params: {locale: de_DE}
    xfail: synonyms are not wired, issue 123
    skip: the index is rebuilt
    usefixtures: [empty_cache]
    expect:
      P@5: 0.2
      RR: ">= 0.5"
      first: sku-5678
      include: [sku-5678, sku-1122]
      exclude: {docs: sku-9, within: 3}
      order: [sku-5678, sku-9]
      results: ">= 1"
      latency: "<= 200 ms"
"""


def test_the_keys_of_a_suite(shop: Shop) -> None:
    path = shop.write("shop.relevance.yaml", EVERY_KEY)
    suite = read_suite(path)
    assert suite.path == str(path)
    terms = suite.terms
    assert (terms.search, terms.k, terms.min_ndcg) == ("find", 5, 0.70)
    assert (terms.min_judged, terms.raters) == (0.5, "mean")
    assert (terms.id_field, terms.title_field) == ("sku", "label")
    assert terms.tags == ("electronics",)
    assert terms.params == {"locale": "en_GB", "fuzzy": True}
    assert terms.scale is not None
    names = {"exact": 3, "substitute": 2, "complement": 1, "irrelevant": 0}
    assert terms.scale.names == names
    assert terms.settings == Settings(
        gain="linear",
        discount="ln",
        ideal="returned",
        unjudged="skip",
        negative="zero",
        max_grade=3,
    )


def test_the_keys_of_a_case() -> None:
    found = read_case(EVERY_KEY)
    third = pytest.approx(1 / 3)
    judgments = {"125125": 3, "sku-5678": 3, "sku-1122": third, "sku-9": 1}
    assert found.query == "blue shoes"
    assert found.id == found.node_name == "blue-shoes"
    assert found.note == "customers mean trainers, not shoe polish"
    assert found.judgments == judgments
    assert found.titles == {"sku-9": "Shoe polish"}
    assert found.notes == {"sku-9": "not this one"}
    assert found.min_ndcg == 0.85
    assert found.tags == ("electronics", "head")
    assert found.weight == 4200
    assert found.params == {"locale": "de_DE", "fuzzy": True}
    assert found.xfail == Xfail("synonyms are not wired, issue 123")
    assert found.skip == "the index is rebuilt"
    assert found.usefixtures == ("empty_cache",)
    names = "P@5 RR first include exclude order results latency"
    assert " ".join(expected.name for expected in found.expect) == names
    assert found.line == 19


def test_a_query_is_all_that_a_case_must_have() -> None:
    plain = read_case("cases: [{query: blue shoes}]")
    assert plain.id == plain.node_name == "blue shoes"
    assert plain.terms == Terms()
    assert (plain.search, plain.k, plain.weight) == ("search", 10, 1)
    assert (plain.min_ndcg, plain.min_judged) == (None, 0)
    assert plain.terms.raters == "median"
    assert plain.settings == Settings(
        gain="exponential",
        discount="log2",
        ideal="judged",
        unjudged="zero",
        negative="keep",
    )
    assert (plain.judgments, plain.params) == ({}, {})
    assert (plain.tags, plain.expect, plain.usefixtures) == ((), (), ())
    assert (plain.xfail, plain.skip, plain.note) == (None, None, None)


@pytest.mark.parametrize(
    ("of_suite", "of_case", "attribute", "inherited", "own"),
    [
        ("search: find", "search: look", "search", "find", "look"),
        ("k: 5", "k: 3", "k", 5, 3),
        ("min_ndcg: 0.5", "min_ndcg: 0.9", "min_ndcg", 0.5, 0.9),
        ("min_ndcg: 0.5", "min_ndcg: null", "min_ndcg", 0.5, None),
        ("gain: linear", "gain: exponential", "settings.gain", "linear", "exponential"),
        ("gain: linear", "gain: {2: 5, 0: 0}", "settings.gain", "linear", {2: 5, 0: 0}),
        ("negative: zero", "negative: keep", "settings.negative", "zero", "keep"),
        ("min_judged: 0.5", "min_judged: 1", "min_judged", 0.5, 1),
        ("depth: 100", "depth: 50", "depth", 100, 50),
        ("scale: [0, 4]", "scale: [0, 2]", "terms.scale.highest", 4, 2),
        ("raters: min", "raters: majority", "terms.raters", "min", "majority"),
        ("id_field: sku", "id_field: ean", "terms.id_field", "sku", "ean"),
        ("id_field: [a, 7]", "id_field: '{b}'", "terms.id_field", ("a", "7"), "{b}"),
        ("params: {a: 1}", "params: {b: 2}", "params", {"a": 1}, {"a": 1, "b": 2}),
        ("params: {a: 1}", "params: {a: 2}", "params", {"a": 1}, {"a": 2}),
        ("tolerance: 0.1", "tolerance: 0", "terms.tolerance", 0.1, 0),
        ("tags: [a, b]", "tags: [b, c]", "tags", ("a", "b"), ("a", "b", "c")),
    ],
)
def test_what_a_suite_sets_a_case_may_override(
    of_suite: str,
    of_case: str,
    attribute: str,
    inherited: object,
    own: object,
) -> None:
    suite = read(
        f"""
        {of_suite}
        cases:
          - {{query: a, judgments: {{x: 2}}}}
          - query: b
            judgments: {{x: 2}}
            {of_case}
          - {{query: c, judgments: {{x: 2}}}}
        """
    )
    values = map(attrgetter(attribute), suite.cases)
    assert list(values) == [inherited, own, inherited]


def test_suite_keys_below_the_cases_are_defaults_all_the_same() -> None:
    found = read_case(
        """
        cases:
          - {query: a, judgments: {x: good}}
        scale: {good: 2, bad: 0}
        k: 3
        min_ndcg: 0.5
        """
    )
    assert found.k == 3
    assert found.min_ndcg == 0.5
    assert found.judgments == {"x": 2}


def test_cases_keep_the_order_of_the_file_and_their_lines() -> None:
    suite = read(
        "cases:\n  - query: b\n\n  - query: a\n  - {query: c}\n  -\n    query: d\n"
    )
    lines = [(case.query, case.line) for case in suite.cases]
    assert lines == [("b", 2), ("a", 4), ("c", 5), ("d", 7)]


def test_gains_may_be_given_for_the_names_of_grades() -> None:
    found = read_case(
        """
        scale: {good: 2, bad: 0}
        gain: {good: 10, bad: -1}
        cases: [{query: a, judgments: {x: good}}]
        """
    )
    assert found.settings.gain == {2: 10, 0: -1}
    assert found.settings.gain_of(found.judgments["x"]) == 10


@pytest.mark.parametrize(
    ("keys", "lowest", "highest"),
    [
        ("judgments: {}", 0, 0),
        ("judgments: {x: 1}", 0, 1),
        ("judgments: {x: 1}, scale: [0, 4]", 0, 4),
        ("judgments: {x: 1, y: 0}, gain: {0: 0, 1: 1, 2: 5}", 0, 1),
        ("judgments: {x: 2}, scale: [0, 4], gain: {0: 0, 2: 5}", 0, 2),
        ("judgments: {x: -1}, scale: [-2, 4], gain: {0: 0, 4: 5}, negative: zero", -2, 4),
        ("judgments: {x: 1}}, {query: b, judgments: {y: 0, z: 3}", 0, 3),
        # a grade of another case that has no gain in this case
        ("judgments: {x: 2}}, {query: b, gain: linear, judgments: {y: 100}", 0, 2),
    ],
)  # fmt: skip
def test_the_grades_that_an_unjudged_result_may_have(
    keys: str, lowest: float, highest: float
) -> None:
    terms = read(f"cases: [{{query: a, {keys}}}]").cases[0].terms
    assert (terms.lowest, terms.highest) == (lowest, highest)


@pytest.mark.parametrize(
    ("expect", "depth"),
    [
        ("{}", 10),
        ("{P@25: 0.01}", 25),
        # a relevant document at rank 20 reaches it, at rank 21 none does
        ("{RR: 0.05}", 20),
        ('{RR: "> 0.05"}', 20),
        ('{RR: ">= 0.0909090909"}', 11),  # 1 / 11, rounded
        ("{RR: 0}", 10),  # any rank counts, and none has to be asked for
        ("{include: {docs: [x], within: 40}}", 40),
        ("{within: {x: 40, y: 5}}", 40),
        ('{within: {x: ">40"}}', 40),  # whether it is in the top 40
        ('{within: {x: "< 40"}}', 39),
        ("{order: {docs: [x, y], within: 40}}", 40),
        ("{results: 20}", 21),
        ('{results: ">= 20"}', 20),
        ('{results: "< 20"}', 20),
    ],
)
def test_a_case_looks_as_deep_as_its_deepest_expectation(
    expect: str, depth: int
) -> None:
    found = read_case(f"cases: [{{query: a, judgments: {{x: 1}}, expect: {expect}}}]")
    assert found.depth == depth


# A case written in Python: the keys and checks of a case file, without a file


def test_it_is_the_case_that_a_file_would_have_given() -> None:
    of_file = read_case(
        """
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
    )
    include = {"docs": ["a"], "within": 3}
    expect = {"P@5": 0.2, "first": "a", "results": ">= 1", "include": include}
    of_python = case_from_values(
        {
            "query": "blue shoes",
            "judgments": {"a": 3, "b": [0, 1], "c": {"grade": "good", "title": "Boot"}},
            "scale": {"good": 2, "bad": 0, "best": 3},
            "gain": {3: 7, "good": 3, 0.5: 1},
            "min_ndcg": 0.5,
            "k": 5,
            "tags": ["head"],
            "params": {"locale": "en_GB"},
            "expect": expect,
        }
    )
    assert of_python == replace(of_file, line=0)


def test_any_mapping_and_sequence_will_do() -> None:
    case = case_from_values(
        {"query": "x", "judgments": MappingProxyType({"a": (1, 2)}), "tags": ("t",)}
    )
    assert (case.judgments, case.tags) == ({"a": 1.5}, ("t",))


def test_all_mistakes_are_told_together() -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        case_from_values({"query": "x", "k": 0, "weight": 0, "zz": 1})
    unknown, of_k, of_weight = str(caught.value).splitlines()
    keys = ", ".join(KEYS[CASE])
    assert unknown == f'unknown key "zz" of a case; it takes {keys}'
    assert of_k.startswith("k: ")
    assert of_weight.startswith("weight: ")
