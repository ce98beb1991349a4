"""Expectations about documents that contradict each other: together they leave no ranking that could meet them.

Each expectation allows a document some ranks. `order` narrows them further: a document comes after all those of the
sets before its own. Documents can have different ranks within these limits if no span of ranks is the only place of
more documents than it has ranks (Hall's theorem).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import inf
from operator import attrgetter
from typing import NamedTuple

from pytest_relevance._text import counted, examples, listed, quoted
from pytest_relevance.cases.checking.expectations import AT_MOST, BELOW
from pytest_relevance.cases.checking.values import LARGEST_WHOLE
from pytest_relevance.cases.model import Expectation
from pytest_relevance.cases.problems import Location, Other, Path


class _Allowed(NamedTuple):
    """The ranks that an expectation allows a document, from `highest` to `lowest`: infinity where it may be absent.

    `number` counts the expectations of the case.
    """

    number: int
    expected: Expectation
    document: str
    highest: int = 1
    lowest: float = inf

    @property
    def path(self) -> Path:
        """Where it is written in a case or a suite."""
        return ("expect", self.expected.kind, *((self.document,) if self.expected.kind == "within" else ()))


_Limits = dict[str, _Allowed]
"""For each document the expectation that limits its rank most at one end."""


def check_contradictions(expect: Sequence[Expectation], k: int, at: Location) -> None:
    """Report the expectations about documents that no ranking could meet, with the positions of both."""
    allowed = [each for number, expected in enumerate(expect) for each in _allowed(number, expected, k)]
    required = [each for each in allowed if each.lowest < inf]
    present = dict.fromkeys(each.document for each in required)
    for number, expected in enumerate(expect):
        most = _most(expected)
        if most < len(present):
            kinds = listed(dict.fromkeys(each.expected.kind for each in required), "and")
            what = f"at most {most} results cannot hold the {counted(len(present), 'document')} of {kinds}"
            _refuse(f"{what}, expected", _Allowed(number, expected, ""), required, at)
            return
        if most < inf:
            allowed += [_Allowed(number, expected, document, 1, most) for document in present]
    _check_ranks(expect, allowed, at)


def _check_ranks(expect: Sequence[Expectation], allowed: Sequence[_Allowed], at: Location) -> None:
    """Report the documents that no rank is left for: first by the limits of each alone, then by `order` too."""
    highest: _Limits = {}
    lowest: _Limits = {}
    for each in allowed:
        highest[each.document] = max(highest.get(each.document, each), each, key=attrgetter("highest"))
        lowest[each.document] = min(lowest.get(each.document, each), each, key=attrgetter("lowest"))
    if impossible := _impossible(highest, lowest):
        for document in impossible:
            _refuse_rank(highest[document], lowest[document], at)
        return
    for number, expected in enumerate(expect):
        if expected.kind == "order":
            _narrow(number, expected, highest, lowest)
    if impossible := _impossible(highest, lowest):  # further ones come from the first
        document = min(impossible, key=lambda name: lowest[name].expected.kind == "order")
        first, last = highest[document], lowest[document]
        if first.number == last.number:
            _refuse_order(first, chain(highest.values(), lowest.values()), at)
        else:
            _refuse_rank(first, last, at)
    else:
        _check_room(highest, lowest, at)


def most_results(expect: Sequence[Expectation]) -> float:
    """The most results that the expectations allow; infinity where they set no limit."""
    return min(map(_most, expect)) if expect else inf


def _most(expected: Expectation) -> float:
    limits = expected.kind == "results" and expected.comparison in ("==", "<=", "<")
    return int(expected.bound) - (expected.comparison == "<") if limits else inf


def _allowed(number: int, expected: Expectation, k: int) -> Iterator[_Allowed]:
    """The ranks that an expectation allows its documents."""
    within, kind = expected.within or k, expected.kind
    if kind == "within":
        kind = {AT_MOST: "include", BELOW: "exclude"}.get(expected.comparison, "within")
    may_be_absent = expected.document_sets[-1] if kind == "order" else ()
    for place, document in enumerate(expected.documents, 1):
        ranks: Mapping[str, tuple[int, float]] = {
            "first": (place, place),
            "include": (1, within),
            "exclude": (within + 1, inf),
            "within": (within, within),
            "order": (1, inf if document in may_be_absent else expected.within or LARGEST_WHOLE),
        }
        yield _Allowed(number, expected, document, *ranks[kind])


def _narrow(number: int, order: Expectation, highest: _Limits, lowest: _Limits) -> None:
    """Narrow the ranks of the documents of `order` by those of the sets before and after their own."""
    rank: float = 0
    for documents in order.document_sets:
        start = int(rank) + 1
        for document in sorted(documents, key=lambda name: highest[name].highest):
            if highest[document].highest < start:
                highest[document] = _Allowed(number, order, document, start)
            rank = max(rank + 1, highest[document].highest)
    rank = inf
    for documents in reversed(order.document_sets):
        end = rank - 1
        for document in sorted(documents, key=lambda name: lowest[name].lowest, reverse=True):
            if lowest[document].lowest > end:
                lowest[document] = _Allowed(number, order, document, 1, end)
            rank = min(rank - 1, lowest[document].lowest)


def _impossible(highest: _Limits, lowest: _Limits) -> list[str]:
    """The documents that have no rank left."""
    return [document for document, limit in highest.items() if limit.highest > lowest[document].lowest]


def _check_room(highest: _Limits, lowest: _Limits, at: Location) -> None:
    """Report the first span of ranks that is the only place of more documents than it has ranks."""
    by_lowest = [limit for limit in sorted(lowest.values(), key=attrgetter("lowest")) if limit.lowest < inf]
    for start in sorted({highest[limit.document].highest for limit in by_lowest}):
        inside = [limit for limit in by_lowest if highest[limit.document].highest >= start]
        for rank, limit in enumerate(inside, start):
            if rank <= limit.lowest:
                continue
            crowd = [each for each in inside if each.lowest <= limit.lowest]
            names = [each.document for each in crowd]
            here, *others = sorted((*crowd, *map(highest.__getitem__, names)), key=attrgetter("number"), reverse=True)
            what = f"{len(crowd)} documents cannot all be {_ranks(start, limit.lowest)}: {examples(names)}"
            _refuse(f"{what}; one of them is expected there", here, others, at)
            return


def _refuse_rank(first: _Allowed, last: _Allowed, at: Location) -> None:
    """Report two expectations that leave a document no rank, at the one that is written last."""
    there, here = sorted((first, last), key=attrgetter("number"))
    what = f"{quoted(here.document)} is expected {_ranks(here.highest, here.lowest)} here"
    _refuse(f"{what}, and {_ranks(there.highest, there.lowest)}", here, [there], at)


def _refuse_order(order: _Allowed, limits: Iterable[_Allowed], at: Location) -> None:
    """Report an order whose depth is too small, by itself or with other expectations of its documents."""
    sets = order.expected.document_sets
    what = f"{sum(map(len, sets[:-1]))} documents before the last one cannot all be in the top {order.expected.within}"
    others = [limit for limit in limits if limit.document in order.expected.documents and limit.number != order.number]
    _refuse(f"{what}; one of them is expected elsewhere", order, others, at)


def _refuse(what: str, here: _Allowed, others: Sequence[_Allowed], at: Location) -> None:
    """Report what is wrong with an expectation, and another that has a part in it, `what` being about both."""
    other = next((each for each in others if each.path != here.path), None)
    if other is None:
        at.refuse(f"{what.partition(';')[0]}; name fewer documents, or a greater depth", *here.path)
    else:
        at.refuse(what, *here.path, other=Other(other.path, in_suite=other.expected.inherited))


def _ranks(highest: int, lowest: float) -> str:
    if lowest == inf:
        return f"at rank {highest} or below"
    if highest == lowest:
        return f"at rank {highest}"
    return f"in the top {lowest}" if highest == 1 else f"at ranks {highest} to {lowest}"
