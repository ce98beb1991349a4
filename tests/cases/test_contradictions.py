"""Expectations that leave a document no rank: which two are found, and where they are reported."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_relevance import Case

ReadCase = Callable[[str | bytes], Case]
Mistakes = Callable[[str | bytes], list[str]]


@pytest.mark.parametrize(
    ("expect", "place", "message"),
    [
        (
            '{order: [a, b], within: {b: ">3"}, first: b}',
            "expect.first",
            '"b" is expected at rank 1 here, and at rank 4 or below by expect.within.b',
        ),
        (
            '{first: b, within: {b: ">3"}}',
            "expect.within.b",
            '"b" is expected at rank 4 or below here, and at rank 1 by expect.first',
        ),
        (
            "{first: [a, b], exclude: {docs: [b], within: 2}}",
            "expect.exclude",
            '"b" is expected at rank 3 or below here, and at rank 2 by expect.first',
        ),
        (
            "{include: {docs: [c], within: 4}, within: {c: == 5}}",
            "expect.within.c",
            '"c" is expected at rank 5 here, and in the top 4 by expect.include',
        ),
    ],
)
def test_both_places_are_named(mistakes: Mistakes, expect: str, place: str, message: str) -> None:
    """The mistake stands at the one that is written last."""
    (found,) = mistakes(f"k: 3\ncases:\n  - query: q\n    expect: {expect}\n")
    assert found.startswith("4:")
    assert found.endswith(f': {place}: {message}; change one of them (in case "q")')


def test_an_expectation_of_the_suite(mistakes: Mistakes) -> None:
    (found,) = mistakes("k: 3\nexpect:\n  exclude: x\ncases:\n  - query: a\n    expect: {order: [x, y], first: x}\n")
    assert found == (
        '6:36: expect.first: "x" is expected at rank 1 here, and at rank 4 or below by expect.exclude of the suite; '
        'change one of them (in case "a")'
    )


def test_independent_contradictions_are_reported_together(mistakes: Mistakes) -> None:
    found = mistakes("cases:\n  - query: a\n    expect:\n      include: [x, y]\n      exclude: [y, x]\n")
    assert [line.partition(" is expected")[0] for line in found] == [
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
def test_what_leaves_each_document_a_rank(case: ReadCase, expect: str) -> None:
    assert case(f"cases: [{{query: q, expect: {expect}}}]").expect
