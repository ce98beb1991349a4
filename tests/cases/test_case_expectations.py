"""`expect:` as it is written, and what it refuses."""

import pytest

from pytest_relevance.cases.expectation import Expectation, FieldCondition
from tests.cases.conftest import mistakes, read_case


def with_expectation(line: str) -> str:
    return f"cases:\n  - query: a\n    judgments: {{x: 3, y: 1}}\n    expect:\n      {line}\n"


def expected_of(line: str) -> Expectation:
    (only,) = read_case(with_expectation(line)).expect
    return only


@pytest.mark.parametrize(
    ("line", "metric", "comparison", "bound"),
    [
        ("P@5: 0.4", "P@5", ">=", 0.4),
        ('P@5: ">= 0.4"', "P@5", ">=", 0.4),
        ("RR: '> 0.5'", "RR", ">", 0.5),
        ("RR: == 1", "RR", "==", 1),
        ("Judged@10: < 1", "Judged@10", "<", 1),
        ('R@100: "<= 0.5"', "R@100", "<=", 0.5),
        ("nDCG@3: 1", "nDCG@3", ">=", 1),
        ("mrr: 1", "RR", ">=", 1),
        ("P(rel=2)@1: 1", "P(rel=2)@1", ">=", 1),
        ("RBP(p=0.5): 0.5", "RBP(p=0.5)", ">=", 0.5),
        ("DCG@10: 7.5", "DCG@10", ">=", 7.5),
        ("CG@10: '>= -3'", "CG@10", ">=", -3),
    ],
)
def test_a_metric_and_its_bound(
    line: str, metric: str, comparison: str, bound: float
) -> None:
    expected = expected_of(line)
    assert expected.kind == "metric"
    assert expected.metric is not None
    assert (expected.name, expected.metric.text) == (metric, metric)
    assert (expected.comparison, expected.bound) == (comparison, bound)
    assert expected.written == line.split(":")[0]


@pytest.mark.parametrize(
    ("line", "fields"),
    {
        "first: x": {"documents": ("x",), "within": None},
        "first: [x, 007, no]": {"documents": ("x", "007", "no")},
        "include: [x, y]": {"documents": ("x", "y"), "within": None},
        "include: {docs: x, within: 25}": {"documents": ("x",), "within": 25},
        "exclude: {docs: [z, 1e5], within: 3}": {"documents": ("z", "1e5"), "within": 3},
        "exclude: {docs: [z]}": {"documents": ("z",), "within": None},
        "order: [x, y]": {"documents": ("x", "y"), "within": None},
        "order: [[b1, 007], [no]]": {"document_sets": [("b1", "007"), ("no",)]},
        "order: [b1, [a1, a2], c]": {"document_sets": [("b1",), ("a1", "a2"), ("c",)]},
        "order: [[a], [b]]": {"document_sets": [("a",), ("b",)], "within": None},
        "order: {docs: [a, b], within: 100}": {"document_sets": [("a",), ("b",)], "within": 100},
        "order: {docs: [[a, b], [1e5]], within: 3}": {"document_sets": [("a", "b"), ("1e5",)], "within": 3},
        "within: {007: 3}": {"documents": ("007",), "comparison": "<=", "within": 3},
        'within: {x: ">3"}': {"comparison": ">", "within": 3},
        'within: {x: "<= 5"}': {"comparison": "<=", "within": 5},
        'within: {x: "< 5"}': {"comparison": "<=", "within": 4},
        'within: {x: ">= 5"}': {"comparison": ">", "within": 4},
        'within: {x: "== 1"}': {"comparison": "==", "within": 1},
        "results: 0": {"comparison": "==", "bound": 0},
        'results: ">= 1"': {"comparison": ">=", "bound": 1},
        "results: '< 100'": {"comparison": "<", "bound": 100},
        'latency: "<= 200 ms"': {"comparison": "<=", "bound": pytest.approx(0.2)},
        "latency: 200 ms": {"comparison": "<=", "bound": pytest.approx(0.2)},
        "latency: 700 ms": {"comparison": "<=", "bound": 0.7},  # as 0.7 s
        "latency: '< 1.5 s'": {"comparison": "<", "bound": 1.5},
        "same_as: 1984": {"query": "1984", "comparison": ">=", "bound": 1.0, "within": None},
        "same_as: {query: no}": {"query": "no", "comparison": ">=", "bound": 1.0},
        "same_as: {query: b, overlap@5: 0.8}": {"query": "b", "bound": 0.8, "within": 5},
        'same_as: {query: b, overlap: "< 0.5"}': {"comparison": "<", "bound": 0.5, "within": None},
        "every: {brand: 2}": {"within": None},
        "some@5: {brand: 2}": {"within": 5},
        "none@3: {brand: 2}": {"within": 3},
        "at_most@10: {brand: 2}": {"within": 10},
        "response: {a.0.b: 2}": {"conditions": (FieldCondition("a.0.b", "==", (2,)),)},
        "response: {redirect: null}": {"conditions": (FieldCondition("redirect", "==", (None,)),)},
        "response: {2024: 3}": {"conditions": (FieldCondition("2024", "==", (3,)),)},
    }.items(),
)  # fmt: skip
def test_another_expectation(line: str, fields: dict[str, object]) -> None:
    expected = expected_of(line)
    key = line.partition(":")[0]
    assert (expected.kind, expected.name) == (key.partition("@")[0], key)
    assert {name: getattr(expected, name) for name in fields} == fields


@pytest.mark.parametrize(
    ("written", "comparison", "values"),
    [
        ("red", "==", ("red",)),
        ("007", "==", ("007",)),
        ("no", "==", ("no",)),
        ("true", "==", (True,)),
        ("12", "==", (12,)),
        ('"12"', "==", ("12",)),
        ("[a, 1, false]", "==", ("a", 1, False)),
        ('">= 12.5"', ">=", (12.5,)),
        ('"!= 3"', "!=", (3,)),
        ('{contains: "12"}', "contains", ("12",)),
    ],
)
def test_what_a_field_has_to_be(
    written: str, comparison: str, values: tuple[object, ...]
) -> None:
    (condition,) = expected_of(f"every: {{a.b: {written}}}").conditions
    assert condition.path == "a.b"
    assert (condition.comparison, condition.values) == (comparison, values)


@pytest.mark.parametrize(
    ("line", "message"),
    {
        "P@5:": 'expect.P@5: expected a number from 0 to 1, found nothing; write P@5: 0.6 or P@5: ">= 0.6"',
        'P@5: "0.6"': 'expect.P@5: expected a number from 0 to 1, found the text "0.6"; write P@5',
        "P@5: '< 0'": 'expect.P@5: expected a number from 0 to 1, found the text "< 0"; write',
        "overlap: 1": "expect: 'overlap' needs a cutoff: write overlap@10 for the top ten",
        "overlap@3: 2": "expect.overlap@3: expected a number from 0 to 1, found 2; write overlap@3: 0.6 or",
        "RBO(p=2): 1": "expect: 'RBO(p=2)': p is the persistence of the reader, between 0 and 1",
        "Success: 1": "expect: 'Success' needs a cutoff: write Success@10 for the top ten",
        "P@0: 0.5": "expect: 'P@0': the cutoff behind @ is a whole number from 1 to 1,000,000, not '0'",
        "frist: x": 'expect: "frist" is neither first, include, exclude, order, within, results, latency, every',
        "first: []": (
            "expect.first: the list of documents is empty; name one, or take the "
            "list out"
        ),
        "first: [x, y, x]": 'expect.first[2]: "x" stands twice; keep one of them',
        "order: x": "expect.order: order takes at least two documents, or sets of them, each expected before the nex",
        "include: {docs: [x], whithin: 3}": 'expect.include: unknown key "whithin"; write include: {docs: [...], wit',
        "include: {within: 3}": "expect.include: the documents are missing; write include: {docs: [...], within: 25}",
        "include: {docs: x, within: 0}": "expect.include.within: expected a whole number from 1 to 1,000,000, found",
        "include: [x, {docs: y}]": "expect.include[1]: a document id is text, found the mapping {'docs': 'y'}",
        "order: [[x, y], [x, z]]": 'expect.order[1]: document "x" stands in two sets; keep it in one of them',
        "order: {docs: [x, y], witin: 5}": 'expect.order: unknown key "witin"; write order: {docs: [[...], [...]], w',
        "within: 3": "expect.within: expected documents with the rank that each must reach, found 3; write within: {",
        "within: {x: 0}": 'expect.within.x: expected a rank from 1 to 1,000,000, found 0; write x: 3 or x: ">3"',
        'within: {x: "< 1"}': 'expect.within.x: expected a rank from 1 to 1,000,000, found the text "< 1"',
        "results: -1": "expect.results: expected a whole number from 0 to 1,000,000, found -1; write results: 0, ",
        "results: '< 0'": 'expect.results: expected a whole number from 0 to 1,000,000, found the text "< 0"; write',
        "latency: 200": "expect.latency: expected the longest time in ms or s, found 200; write latency: ",
        'latency: ">= 1 s"': 'expect.latency: expected the longest time in ms or s, found the text ">= 1 s"; write',
        "some: {x: []}": "expect.some.x: expected text, a number, true or false, a list of these, a comparison or {c",
        "some: {x: [1, '> 2']}": "expect.some.x: expected text, a number, true or false, a list of these, a com",
        "response: 41": "expect.response: expected a mapping of conditions, found 41; write response: {hits.total.value: ",
        "response: {a..b: 1}": 'expect.response: expected a name, or names with dots between them, found the text "a..b"',
        "response: {a: '!= x'}": '>, <=, < or !=, found the text "!= x"; write a: ">= 10" (in case "a")',
        "some: {x: '!= y'}": 'found the text "!= y"; write x: ">= 10", or none: {x: ...} for !=',
        "some: {x: {contains: 12}}": "expect.some.x: expected text, a number, true or false, a list of these, a com",
    }.items(),
)
def test_what_is_no_expectation(line: str, message: str) -> None:
    (found,) = mistakes(with_expectation(line))
    assert found.startswith("5:")
    assert message in found
    assert found.endswith('(in case "a")')


# Expectations that leave a document no rank


@pytest.mark.parametrize(
    ("expect", "place", "document", "other"),
    [
        ('{order: [a, b], within: {b: ">3"}, first: b}', "first", "b", "within"),
        ('{first: b, within: {b: ">3"}}', "within.b", "b", "first"),
        ("{first: [a, b], exclude: {docs: [b], within: 2}}", "exclude", "b", "first"),
        ("{include: {docs: [c], within: 4}, within: {c: == 5}}", "within.c", "c", "include"),
    ],
)  # fmt: skip
def test_two_expectations_that_contradict_each_other(
    expect: str, place: str, document: str, other: str
) -> None:
    """The mistake stands at the one that is written last."""
    (found,) = mistakes(f"k: 3\ncases:\n  - query: q\n    expect: {expect}\n")
    assert found.startswith("4:")
    assert (
        f': expect.{place}: no rank of "{document}" meets both this and '
        f"expect.{other}; change one" in found
    )


def test_a_contradiction_with_the_suite() -> None:
    case = "  - query: a\n    expect: {order: [x, y], first: x}\n"
    (found,) = mistakes(f"k: 3\nexpect:\n  exclude: x\ncases:\n{case}")
    assert found.startswith(
        '6:36: expect.first: no rank of "x" meets both this and expect.exclude of '
        "the suite"
    )


def test_independent_contradictions_are_reported_together() -> None:
    expect = "      include: [x, y]\n      exclude: [y, x]\n"
    found = mistakes(f"cases:\n  - query: a\n    expect:\n{expect}")
    assert [line.partition(" meets")[0] for line in found] == [
        '5:16: expect.exclude: no rank of "x"',
        '5:16: expect.exclude: no rank of "y"',
    ]


@pytest.mark.parametrize(
    "expect",
    [
        "{first: a, include: [a, b], within: {a: == 1, b: 2}}",
        '{exclude: {docs: [a], within: 2}, within: {a: "<= 3"}}',
        "{first: b, order: [a, b]}",  # shows when the case runs, as do these
        "{results: 1, include: [a, b]}",
        "{include: {docs: [a, b], within: 1}}",
    ],
)
def test_what_leaves_each_document_a_rank(expect: str) -> None:
    assert read_case(f"cases: [{{query: q, expect: {expect}}}]").expect
