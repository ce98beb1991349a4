"""Expectations that leave a document no rank: which two are found, and where they are
reported.
"""

import pytest

from tests.cases.conftest import mistakes, read_case


@pytest.mark.parametrize(
    ("expect", "place", "document", "other"),
    [
        (
            '{order: [a, b], within: {b: ">3"}, first: b}',
            "expect.first",
            "b",
            "expect.within",
        ),
        ('{first: b, within: {b: ">3"}}', "expect.within.b", "b", "expect.first"),
        (
            "{first: [a, b], exclude: {docs: [b], within: 2}}",
            "expect.exclude",
            "b",
            "expect.first",
        ),
        (
            "{include: {docs: [c], within: 4}, within: {c: == 5}}",
            "expect.within.c",
            "c",
            "expect.include",
        ),
    ],
)
def test_both_places_are_named(
    expect: str, place: str, document: str, other: str
) -> None:
    """The mistake stands at the one that is written last."""
    (found,) = mistakes(f"k: 3\ncases:\n  - query: q\n    expect: {expect}\n")
    assert found.startswith("4:")
    assert (
        f': {place}: "{document}" can have no rank that {other} allows as well; change one'
        in found
    )


def test_an_expectation_of_the_suite() -> None:
    (found,) = mistakes(
        "k: 3\nexpect:\n  exclude: x\ncases:\n  - query: a\n    expect: {order: [x, y], first: x}\n"
    )
    assert found.startswith(
        '6:36: expect.first: "x" can have no rank that expect.exclude of the suite allows as well'
    )


def test_independent_contradictions_are_reported_together() -> None:
    found = mistakes(
        "cases:\n  - query: a\n    expect:\n      include: [x, y]\n      exclude: [y, x]\n"
    )
    assert [line.partition(" can")[0] for line in found] == [
        '5:16: expect.exclude: "x"',
        '5:16: expect.exclude: "y"',
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
