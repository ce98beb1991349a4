"""Every key of a case file: where it may stand, what it may hold, what it is without one."""

from pathlib import Path
from types import MappingProxyType

import pytest

from pytest_relevance import Case, read_suite
from pytest_relevance.cases.build import case_from_values
from pytest_relevance.cases.keys import CASE, KEYS
from pytest_relevance.cases.model import Xfail
from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.metrics.settings import Settings
from tests.cases.conftest import Read, ReadCase

THE_DESIGN = """\
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


def test_a_file_with_every_key(tmp_path: Path) -> None:
    file = tmp_path / "shop.relevance.yaml"
    file.write_text(THE_DESIGN, encoding="utf-8")
    suite = read_suite(file)

    terms = suite.terms
    assert suite.path == str(file)
    assert (terms.search, terms.k, terms.min_ndcg, terms.min_judged, terms.raters) == (
        "find",
        5,
        0.70,
        0.5,
        "mean",
    )
    assert terms.settings == Settings(
        "linear", "ln", "returned", "skip", negative="zero", max_grade=3
    )
    assert terms.scale is not None
    assert terms.scale.names == {
        "exact": 3,
        "substitute": 2,
        "complement": 1,
        "irrelevant": 0,
    }
    assert (terms.id_field, terms.title_field, terms.tags) == (
        "sku",
        "label",
        ("electronics",),
    )
    assert terms.params == {"locale": "en_GB", "fuzzy": True}

    (case,) = suite.cases
    assert (case.query, case.id, case.node_name) == (
        "blue shoes",
        "blue-shoes",
        "blue-shoes",
    )
    assert case.note == "customers mean trainers, not shoe polish"
    assert case.judgments == {
        "125125": 3,
        "sku-5678": 3,
        "sku-1122": pytest.approx(1 / 3),
        "sku-9": 1,
    }
    assert case.titles == {"sku-9": "Shoe polish"}
    assert case.notes == {"sku-9": "not this one"}
    assert case.min_ndcg == 0.85
    assert case.tags == ("electronics", "head")
    assert case.weight == 4200
    assert case.params == {"locale": "de_DE", "fuzzy": True}
    assert case.xfail == Xfail("synonyms are not wired, issue 123")
    assert case.skip == "the index is rebuilt"
    assert case.usefixtures == ("empty_cache",)
    names = [expected.name for expected in case.expect]
    assert names == [
        "P@5",
        "RR",
        "first",
        "include",
        "exclude",
        "order",
        "results",
        "latency",
    ]
    assert case.line == 19


def test_a_query_is_all_that_a_case_must_have(case: ReadCase) -> None:
    plain = case("cases: [{query: blue shoes}]")
    assert plain.id == plain.node_name == "blue shoes"
    assert (plain.search, plain.k, plain.min_ndcg, plain.min_judged, plain.weight) == (
        "search",
        10,
        None,
        0,
        1,
    )
    settings = plain.settings
    assert (settings.gain, settings.discount, settings.ideal) == (
        "exponential",
        "log2",
        "judged",
    )
    assert (settings.unjudged, settings.negative) == ("zero", "keep")
    assert plain.terms.raters == "median"
    assert (
        plain.judgments,
        plain.params,
        plain.tags,
        plain.expect,
        plain.usefixtures,
    ) == ({}, {}, (), (), ())
    assert (plain.xfail, plain.skip, plain.note) == (None, None, None)


@pytest.mark.parametrize(
    ("suite_line", "case_line", "attribute", "inherited", "own"),
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
        (
            "id_field: [sku, 7]",
            "id_field: '{_index}/{_id}'",
            "terms.id_field",
            ("sku", "7"),
            "{_index}/{_id}",
        ),
        (
            "params: {a: 1, b: 1}",
            "params: {b: 2}",
            "params",
            {"a": 1, "b": 1},
            {"a": 1, "b": 2},
        ),
        ("tolerance: 0.1", "tolerance: 0", "terms.tolerance", 0.1, 0),
        ("tags: [a, b]", "tags: [b, c]", "tags", ("a", "b"), ("a", "b", "c")),
    ],
)
def test_what_a_suite_sets_a_case_may_override(
    read: Read,
    suite_line: str,
    case_line: str,
    attribute: str,
    inherited: object,
    own: object,
) -> None:
    suite = read(
        f"{suite_line}\n"
        "cases:\n"
        "  - {query: a, judgments: {x: 2}}\n"
        f"  - query: b\n    judgments: {{x: 2}}\n    {case_line}\n"
        "  - {query: c, judgments: {x: 2}}\n"
    )

    def of(case: Case) -> object:
        found: object = case
        for name in attribute.split("."):
            found = getattr(found, name)
        return found

    assert [of(case) for case in suite.cases] == [inherited, own, inherited]


def test_suite_keys_below_the_cases_are_defaults_all_the_same(read: Read) -> None:
    suite = read(
        "cases:\n  - {query: a, judgments: {x: good}}\nscale: {good: 2, bad: 0}\nk: 3\nmin_ndcg: 0.5\n"
    )
    assert [(case.k, case.min_ndcg, case.judgments) for case in suite.cases] == [
        (3, 0.5, {"x": 2})
    ]


def test_cases_keep_the_order_of_the_file_and_their_lines(read: Read) -> None:
    suite = read(
        "cases:\n  - query: b\n\n  - query: a\n  - {query: c}\n  -\n    query: d\n"
    )
    assert [(case.query, case.line) for case in suite.cases] == [
        ("b", 2),
        ("a", 4),
        ("c", 5),
        ("d", 7),
    ]


def test_gains_may_be_given_for_the_names_of_grades(case: ReadCase) -> None:
    by_name = case(
        "scale: {good: 2, bad: 0}\ngain: {good: 10, bad: -1}\ncases: [{query: a, judgments: {x: good}}]"
    )
    assert by_name.settings.gain == {2: 10, 0: -1}
    assert by_name.settings.gain_of(by_name.judgments["x"]) == 10


@pytest.mark.parametrize(
    ("text", "lowest", "highest"),
    [
        ("scale: [0, 4]\ncases: [{query: a, judgments: {x: 1}}]", 0, 4),
        (
            "cases: [{query: a, judgments: {x: 1}}, {query: b, judgments: {y: 0, z: 3}}]",
            0,
            3,
        ),
        ("cases: [{query: a}]", 0, 0),
        (
            "gain: {0: 0, 1: 1, 2: 5}\ncases: [{query: a, judgments: {x: 1, y: 0}}]",
            0,
            1,
        ),
        (
            "scale: [0, 4]\ngain: {0: 0, 2: 5}\ncases: [{query: a, judgments: {x: 2}}]",
            0,
            2,
        ),
        (
            "scale: [-2, 4]\nnegative: zero\ngain: {0: 0, 4: 5}\ncases: [{query: a, judgments: {x: -1}}]",
            -2,
            4,
        ),
        # a grade of 100 is possible in another case, but has no gain in this one
        (
            "cases: [{query: a, judgments: {x: 2}}, {query: b, gain: linear, judgments: {y: 100}}]",
            0,
            2,
        ),
    ],
)
def test_the_grades_that_an_unjudged_result_may_have(
    read: Read, text: str, lowest: float, highest: float
) -> None:
    first = read(text).cases[0]
    assert (first.terms.lowest, first.terms.highest) == (lowest, highest)


@pytest.mark.parametrize(
    ("expect", "depth"),
    [
        ("{}", 10),
        ("{P@25: 0.01}", 25),
        (
            "{RR: 0.05}",
            20,
        ),  # a relevant document at rank 20 reaches it, at rank 21 none does
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
    case: ReadCase, expect: str, depth: int
) -> None:
    assert (
        case(f"cases: [{{query: a, judgments: {{x: 1}}, expect: {expect}}}]").depth
        == depth
    )


# A case written in Python: the keys and checks of a case file, without a file


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
            "expect": {
                "P@5": 0.2,
                "first": "a",
                "results": ">= 1",
                "include": {"docs": ["a"], "within": 3},
            },
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
    for name in (
        "id",
        "query",
        "judgments",
        "min_ndcg",
        "params",
        "tags",
        "expect",
        "titles",
        "terms",
        "weight",
    ):
        assert getattr(written, name) == getattr(read, name), name


def test_any_mapping_and_sequence_will_do() -> None:
    case = case_from_values(
        {"query": "x", "judgments": MappingProxyType({"a": (1, 2)}), "tags": ("t",)}
    )
    assert (case.judgments, case.tags) == ({"a": 1.5}, ("t",))


def test_all_mistakes_are_told_together() -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        case_from_values({"query": "x", "k": 0, "weight": 0, "zz": 1})
    assert [line.split(":")[0] for line in str(caught.value).splitlines()] == [
        'unknown key "zz" of a case; it takes ' + ", ".join(KEYS[CASE]),
        "k",
        "weight",
    ]
