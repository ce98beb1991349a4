"""`expect:` as it is written, and what it refuses."""

import pytest

from pytest_relevance.cases.model import Expectation
from tests.cases.conftest import Mistakes, ReadCase


def expected_of(case: ReadCase, line: str) -> Expectation:
    (only,) = case(
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
    case: ReadCase, line: str, metric: str, comparison: str, bound: float
) -> None:
    expected = expected_of(case, line)
    assert expected.kind == "metric"
    assert expected.metric is not None
    assert (expected.name, expected.metric.text) == (metric, metric)
    assert (expected.comparison, expected.bound) == (comparison, bound)
    assert expected.written == line.split(":")[0]


@pytest.mark.parametrize(
    ("line", "kind", "documents", "within"),
    [
        ("first: x", "first", ("x",), None),
        ("first: [x, 007, no]", "first", ("x", "007", "no"), None),
        ("include: [x, y]", "include", ("x", "y"), None),
        ("include: {docs: x, within: 25}", "include", ("x",), 25),
        ("exclude: {docs: [z, 1e5], within: 3}", "exclude", ("z", "1e5"), 3),
        ("exclude: {docs: [z]}", "exclude", ("z",), None),
        ("order: [x, y]", "order", ("x", "y"), None),
    ],
)
def test_documents_and_their_places(
    case: ReadCase, line: str, kind: str, documents: tuple[str, ...], within: int | None
) -> None:
    expected = expected_of(case, line)
    assert (expected.kind, expected.name, expected.documents, expected.within) == (
        kind,
        kind,
        documents,
        within,
    )


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
def test_how_many_and_how_fast(
    case: ReadCase, line: str, comparison: str, bound: float
) -> None:
    expected = expected_of(case, line)
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
def test_what_is_no_expectation(mistakes: Mistakes, line: str, message: str) -> None:
    (found,) = mistakes(
        f"cases:\n  - query: a\n    judgments: {{x: 3, y: 1}}\n    expect:\n      {line}\n"
    )
    assert found.startswith("5:")
    assert message in found
    assert found.endswith('(in case "a")')


@pytest.mark.parametrize(
    ("line", "documents", "sets", "within"),
    [
        ("order: [[b1, 007], [no]]", ("b1", "007", "no"), (2, 1), None),
        ("order: [b1, [a1, a2], c]", ("b1", "a1", "a2", "c"), (1, 2, 1), None),
        ("order: [[a], [b]]", ("a", "b"), (), None),
        ("order: {docs: [a, b], within: 100}", ("a", "b"), (), 100),
        ("order: {docs: [[a, b], [1e5]], within: 3}", ("a", "b", "1e5"), (2, 1), 3),
    ],
)
def test_an_order_of_sets(
    case: ReadCase,
    line: str,
    documents: tuple[str, ...],
    sets: tuple[int, ...],
    within: int | None,
) -> None:
    expected = expected_of(case, line)
    assert (expected.documents, expected.sets, expected.within) == (
        documents,
        sets,
        within,
    )


def test_the_rank_that_a_document_must_reach(case: ReadCase) -> None:
    found = case(
        """
        cases:
          - query: a
            expect:
              within: {x: 3, 007: ">3", no: "<= 5", y: "< 5", z: ">= 5", w: "== 1"}
        """
    ).expect
    assert [(*each.documents, each.comparison, each.within) for each in found] == [
        ("x", "<=", 3),
        ("007", ">", 3),
        ("no", "<=", 5),
        ("y", "<=", 4),
        ("z", ">", 4),
        ("w", "==", 1),
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("same_as: 1984", ("1984", ">=", 1.0, None)),
        ("same_as: {query: no}", ("no", ">=", 1.0, None)),
        ("same_as: {query: b, overlap@5: 0.8}", ("b", ">=", 0.8, 5)),
        ('same_as: {query: b, overlap: "< 0.5"}', ("b", "<", 0.5, None)),
    ],
)
def test_another_query(
    case: ReadCase, line: str, expected: tuple[str, str, float, int | None]
) -> None:
    found = expected_of(case, line)
    assert (found.query, found.comparison, found.bound, found.within) == expected


@pytest.mark.parametrize(
    ("line", "conditions"),
    [
        (
            "every@5: {brand: no, a.b: true, n: 007}",
            [("brand", "==", ("no",)), ("a.b", "==", (True,)), ("n", "==", ("007",))],
        ),
        (
            'some: {price: "12", year: 12}',
            [("price", "==", ("12",)), ("year", "==", (12,))],
        ),
        (
            'none@3: {price: ">= 12.5", x: [a, 1, false]}',
            [("price", ">=", (12.5,)), ("x", "==", ("a", 1, False))],
        ),
        ("at_most@10: {brand: 2}", [("brand", "at_most", (2,))]),
        ("every: {name: {contains: 12}}", None),
        ('every: {name: {contains: "12"}}', [("name", "contains", ("12",))]),
    ],
)
def test_conditions_on_fields(
    case: ReadCase,
    mistakes: Mistakes,
    line: str,
    conditions: list[tuple[str, str, tuple[object, ...]]] | None,
) -> None:
    if conditions is None:
        assert (
            "{contains: text}"
            in mistakes(f"cases: [{{query: a, expect: {{{line}}}}}]")[0]
        )
        return
    found = expected_of(case, line)
    assert found.name == line.partition(":")[0]
    assert [each.for_record for each in found.conditions] == conditions
    assert found.within == (
        int(found.name.partition("@")[2]) if "@" in found.name else None
    )
