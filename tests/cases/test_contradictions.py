"""Expectations about documents that no ranking could meet: which are found, and where they are reported."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import Case, CaseFileError
from pytest_relevance.cases.reader import parse_suite

ReadCase = Callable[[str | bytes], Case]
Mistakes = Callable[[str | bytes], list[str]]

DOCUMENTS = ("a", "b", "c", "d")
ABSENT = 99


@pytest.mark.parametrize(
    ("expect", "message"),
    [
        (
            "{first: b, order: [a, b]}",
            '6: expect.order: "b" is expected at rank 2 or below here, and at rank 1 by expect.first in line 5',
        ),
        (
            '{order: [a, b], within: {b: ">3"}, first: b}',
            '7: expect.first: "b" is expected at rank 1 here, and at rank 4 or below by expect.within.b in line 6',
        ),
        (
            '{first: b, within: {b: ">3"}}',
            '6: expect.within.b: "b" is expected at rank 4 or below here, and at rank 1 by expect.first in line 5',
        ),
        (
            "{order: [[a, b], [c]], within: {c: 2}}",
            '6: expect.within.c: "c" is expected in the top 2 here, and at rank 3 or below by expect.order in line 5',
        ),
        (
            "{within: {a: '> 3'}, order: [a, [b, c]], include: {docs: [c], within: 4}}",
            '7: expect.include: "c" is expected in the top 4 here, and at rank 5 or below by expect.order in line 6',
        ),
        (
            "{results: 1, order: [[a, b], [c]]}",
            "5: expect.results: at most 1 results cannot hold the 2 documents of order, expected by "
            "expect.order in line 6",
        ),
        (
            "{within: {a: == 3}, results: <= 2}",
            '6: expect.results: "a" is expected in the top 2 here, and at rank 3 by expect.within.a in line 5',
        ),
        (
            "{include: {docs: a, within: 2}, within: {b: 1, c: 2}}",
            '6: expect.within.c: 3 documents cannot all be in the top 2: "b", "a", "c"; one of them is expected '
            "there by expect.within.b in line 6",
        ),
        (
            "{exclude: {docs: [a, b], within: 1}, order: {docs: [[a, b], [c], [d]], within: 3}}",
            "6: expect.order: 3 documents before the last one cannot all be in the top 3; one of them is expected "
            "elsewhere by expect.exclude in line 5",
        ),
    ],
)
def test_both_places_are_named(mistakes: Mistakes, expect: str, message: str) -> None:
    """Each expectation stands in a line of its own, the first in line 5."""
    lines = "".join(f"      {line}\n" for line in _in_lines(expect))
    (found,) = mistakes(f"cases:\n  - query: q\n    k: 3\n    expect:\n{lines}")
    line, _, said = found.split(":", 2)
    assert f"{line}:{said}" == f'{message}; change one of them (in case "q")'


def test_an_order_deeper_than_its_depth(mistakes: Mistakes) -> None:
    (found,) = mistakes("cases:\n  - query: q\n    expect: {order: {docs: [a, b, c, d], within: 2}}\n")
    assert found == (
        "3:21: expect.order: 3 documents before the last one cannot all be in the top 2; name fewer documents, or a "
        'greater depth (in case "q")'
    )


def _in_lines(expect: str) -> list[str]:
    """The pairs of a flow mapping, without its braces."""
    parts, depth, begin = [], 0, 1
    for place, character in enumerate(expect):
        depth += (character in "[{") - (character in "]}")
        if (character == "," and depth == 1) or place == len(expect) - 1:
            parts.append(expect[begin:place].strip())
            begin = place + 1
    return parts


def test_an_expectation_of_the_suite(mistakes: Mistakes) -> None:
    (found,) = mistakes("k: 3\nexpect:\n  exclude: x\ncases:\n  - query: a\n    expect: {order: [x, y], first: x}\n")
    assert found == (
        '6:36: expect.first: "x" is expected at rank 1 here, and at rank 4 or below by expect.exclude of the suite in '
        'line 3; change one of them (in case "a")'
    )


def test_independent_contradictions_are_reported_together(mistakes: Mistakes) -> None:
    found = mistakes("cases:\n  - query: a\n    expect:\n      include: [x, y]\n      exclude: [y, x]\n")
    assert [line.partition(" is expected")[0] for line in found] == [
        '5:16: expect.exclude: "x"',
        '5:16: expect.exclude: "y"',
    ]


def test_an_order_that_leaves_room(case: ReadCase) -> None:
    """Only the last set of an order may be absent."""
    assert case("cases: [{query: q, expect: {results: 2, order: [[a, b], [c]]}}]").expect


RANK = st.integers(1, 3)
SOME = st.lists(st.sampled_from(DOCUMENTS), min_size=1, max_size=3, unique=True)
PRESENT = st.fixed_dictionaries({"docs": SOME, "within": RANK})
SETS = st.permutations(DOCUMENTS).flatmap(
    lambda documents: st.lists(st.integers(1, 4), min_size=1, max_size=3, unique=True).map(
        lambda cuts: [
            found for begin, end in pairwise([0, *sorted(cuts), len(documents)]) if (found := documents[begin:end])
        ]
    )
)
EXPECT = st.fixed_dictionaries(
    {},
    optional={
        "first": SOME,
        "include": PRESENT,
        "exclude": PRESENT,
        "within": st.dictionaries(
            st.sampled_from(DOCUMENTS), st.builds("{} {}".format, st.sampled_from(["<=", ">", "=="]), RANK), min_size=1
        ),
        "order": st.fixed_dictionaries({"docs": SETS.filter(lambda sets: len(sets) > 1)}, optional={"within": RANK}),
        "results": st.builds("<= {}".format, RANK),
    },
)


def _rankings() -> Iterator[dict[str, int]]:
    """The ranks of the documents in all rankings: deeper than any bound and set of documents can ask for, or absent."""
    for ranks in product([*range(1, 8), ABSENT], repeat=len(DOCUMENTS)):
        returned = [rank for rank in ranks if rank != ABSENT]
        if len(set(returned)) == len(returned):
            yield dict(zip(DOCUMENTS, ranks, strict=True))


RANKINGS = [*_rankings()]


def _meets(ranks: dict[str, int], written: dict[str, Any]) -> bool:
    """A plain reading of the documentation; between the documents there may be others."""
    first = {document: place for place, document in enumerate(written.get("first", ()), 1)}
    include, exclude = written.get("include", {"docs": ()}), written.get("exclude", {"docs": ()})
    order = written.get("order", {"docs": ()})
    last = order.get("within", 98) + 1
    compare = {"<=": int.__le__, ">": int.__gt__, "==": int.__eq__}
    return (
        all(ranks[document] == place for document, place in first.items())
        and all(ranks[document] <= include["within"] for document in include["docs"])
        and all(ranks[document] > exclude["within"] for document in exclude["docs"])
        and all(
            compare[bound.split()[0]](ranks[document], int(bound.split()[1]))
            for document, bound in written.get("within", {}).items()
        )
        and all(
            max(min(ranks[document], last) for document in earlier) < min(min(ranks[each], last) for each in later)
            for earlier, later in pairwise(order["docs"])
        )
        and max((rank for rank in ranks.values() if rank != ABSENT), default=0)
        <= int(written.get("results", "<= 99").split()[1])
    )


@given(expect=EXPECT.filter(bool))
def test_a_contradiction_is_what_no_ranking_meets(expect: dict[str, Any]) -> None:
    text = json.dumps({"cases": [{"query": "q", "expect": expect}]})
    with suppress(CaseFileError):
        parse_suite(text.encode(), "shop.yaml")
        assert any(_meets(ranks, expect) for ranks in RANKINGS)
        return
    assert not any(_meets(ranks, expect) for ranks in RANKINGS)
