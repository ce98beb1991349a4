"""`expect:` as it is written, and what it refuses."""

import pytest

from pytest_relevance.cases.model import Expectation
from tests.cases.conftest import mistakes, read_case


def expected_of(line: str) -> Expectation:
    (only,) = read_case(
        f"cases:\n  - query: a\n    judgments: {{x: 3, y: 1}}\n    expect:\n      {line}\n"
    ).expect
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
    ("kind", "written", "documents", "within"),
    [
        ("first", "x", ("x",), None),
        ("first", "[x, 007, no]", ("x", "007", "no"), None),
        ("include", "[x, y]", ("x", "y"), None),
        ("include", "{docs: x, within: 25}", ("x",), 25),
        ("exclude", "{docs: [z, 1e5], within: 3}", ("z", "1e5"), 3),
        ("exclude", "{docs: [z]}", ("z",), None),
        ("order", "[x, y]", ("x", "y"), None),
    ],
)
def test_documents_and_their_places(
    kind: str,
    written: str,
    documents: tuple[str, ...],
    within: int | None,
) -> None:
    expected = expected_of(f"{kind}: {written}")
    assert expected.kind == expected.name == kind
    assert (expected.documents, expected.within) == (documents, within)


@pytest.mark.parametrize(
    ("line", "comparison", "bound"),
    [
        ("results: 0", "==", 0),
        ('results: ">= 1"', ">=", 1),
        ("results: '< 100'", "<", 100),
        ('latency: "<= 200 ms"', "<=", 0.2),
        ("latency: 200 ms", "<=", 0.2),
        ("latency: '< 1.5 s'", "<", 1.5),
    ],
)
def test_how_many_and_how_fast(line: str, comparison: str, bound: float) -> None:
    expected = expected_of(line)
    assert expected.comparison == comparison
    assert expected.bound == pytest.approx(bound)


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
        "first: []": "expect.first: the list of documents is empty; name one, or take it out",
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
        "some: {x: []}": "expect.some.x: expected text, a number, true or false, a list of these, a comparison or {c",
        "some: {x: [1, '> 2']}": "expect.some.x: expected text, a number, true or false, a list of these, a com",
        'latency: ">= 1 s"': 'expect.latency: expected the longest time in ms or s, found the text ">= 1 s"; write',
    }.items(),
)
def test_what_is_no_expectation(line: str, message: str) -> None:
    (found,) = mistakes(
        f"cases:\n  - query: a\n    judgments: {{x: 3, y: 1}}\n    expect:\n      {line}\n"
    )
    assert found.startswith("5:")
    assert message in found
    assert found.endswith('(in case "a")')


@pytest.mark.parametrize(
    ("written", "sets", "within"),
    [
        ("[[b1, 007], [no]]", [("b1", "007"), ("no",)], None),
        ("[b1, [a1, a2], c]", [("b1",), ("a1", "a2"), ("c",)], None),
        ("[[a], [b]]", [("a",), ("b",)], None),
        ("{docs: [a, b], within: 100}", [("a",), ("b",)], 100),
        ("{docs: [[a, b], [1e5]], within: 3}", [("a", "b"), ("1e5",)], 3),
    ],
)
def test_an_order_of_sets(
    written: str, sets: list[tuple[str, ...]], within: int | None
) -> None:
    expected = expected_of(f"order: {written}")
    assert expected.document_sets == sets
    assert expected.within == within


@pytest.mark.parametrize(
    ("written", "comparison", "within"),
    [
        ("3", "<=", 3),
        ('">3"', ">", 3),
        ('"<= 5"', "<=", 5),
        ('"< 5"', "<=", 4),
        ('">= 5"', ">", 4),
        ('"== 1"', "==", 1),
    ],
)
def test_the_rank_that_a_document_must_reach(
    written: str, comparison: str, within: int
) -> None:
    expected = expected_of(f"within: {{007: {written}}}")
    assert expected.documents == ("007",)
    assert (expected.comparison, expected.within) == (comparison, within)


@pytest.mark.parametrize(
    ("written", "query", "comparison", "overlap", "within"),
    [
        ("1984", "1984", ">=", 1.0, None),
        ("{query: no}", "no", ">=", 1.0, None),
        ("{query: b, overlap@5: 0.8}", "b", ">=", 0.8, 5),
        ('{query: b, overlap: "< 0.5"}', "b", "<", 0.5, None),
    ],
)
def test_another_query(
    written: str,
    query: str,
    comparison: str,
    overlap: float,
    within: int | None,
) -> None:
    expected = expected_of(f"same_as: {written}")
    assert expected.query == query
    assert (expected.comparison, expected.bound) == (comparison, overlap)
    assert expected.within == within


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


def test_a_field_contains_text() -> None:
    (found,) = mistakes("cases: [{query: a, expect: {some: {x: {contains: 12}}}}]")
    assert "{contains: text}" in found


@pytest.mark.parametrize(
    ("key", "within"),
    {"every": None, "some@5": 5, "none@3": 3, "at_most@10": 10}.items(),
)
def test_how_many_results_are_checked_for_a_field(key: str, within: int | None) -> None:
    expected = expected_of(f"{key}: {{brand: 2}}")
    assert (expected.name, expected.within) == (key, within)
    assert [condition.path for condition in expected.conditions] == ["brand"]
