"""What the expectations of a case mean for a ranking: one checker for each kind in `cases.expectations`.

A checker returns what was found and whether that meets the expectation. The wording is for the one who reads the
failure: where the document is instead, not only that it is not where it should be.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance.cases.model import Case, Expectation
from pytest_relevance.metrics.scalar import GradedRanking, score
from pytest_relevance.wording import quoted

COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
}

_OPPOSITE = {">=": "below", ">": "not above", "<=": "above", "<": "not below", "==": "not"}
_EXACT = 1e-9  # "== 0.6" is met by 3/5 however it is rounded


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether an expectation is met. `value` is the figure found, where there is one; `message` says it in words."""

    name: str
    met: bool
    message: str
    value: float | None = None
    is_score: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What a search did, as the checkers see it. `ranks` are the first ranks (from 1) of the documents."""

    case: Case
    graded: GradedRanking
    ranking: Sequence[str]
    ranks: Mapping[str, int]
    latency: float | None

    @property
    def returned(self) -> int:
        """How many different documents were returned."""
        return len(self.ranks)


def check(expected: Expectation, found: Found) -> Outcome:
    """Look whether a ranking meets an expectation."""
    return CHECKERS[expected.kind](expected, found)


def below(name: str, value: float, comparison: str, bound: float) -> str:
    """`P@5 0.400 is below 0.600`, with as many digits as it takes to tell the two apart."""
    digits = next((d for d in range(3, 16) if f"{value:.{d}f}" != f"{bound:.{d}f}"), 3)
    return f"{name} {value:.{digits}f} is {_OPPOSITE[comparison]} {bound:.{digits}f}"


def _metric(expected: Expectation, found: Found) -> Outcome:
    assert expected.metric is not None
    value = score(expected.metric, found.graded, found.case.settings)
    compare = COMPARE[expected.comparison]
    met = compare(value, expected.bound)
    if expected.comparison == "==":
        met = abs(value - expected.bound) <= _EXACT
    message = below(expected.name, value, expected.comparison, expected.bound)
    return Outcome(expected.name, met, message, value, is_score=True)


def _first(expected: Expectation, found: Found) -> Outcome:
    wanted = expected.documents
    wrong = [
        f"rank {rank} has {_result(found.ranking, rank)}, expected {quoted(document)} ({_where(found, document)})"
        for rank, document in enumerate(wanted, 1)
        if rank > len(found.ranking) or found.ranking[rank - 1] != document
    ]
    return Outcome("first", not wrong, f"first: {'; '.join(wrong)}")


def _include(expected: Expectation, found: Found) -> Outcome:
    within = expected.within or found.case.k
    missing = [document for document in expected.documents if not found.ranks.get(document, within + 1) <= within]
    listing = ", ".join(f"{quoted(document)} ({_where(found, document)})" for document in missing)
    return Outcome("include", not missing, f"include: not in the top {within}: {listing}")


def _exclude(expected: Expectation, found: Found) -> Outcome:
    within = expected.within or found.case.k
    present = [document for document in expected.documents if found.ranks.get(document, within + 1) <= within]
    listing = ", ".join(f"{quoted(document)} ({_where(found, document)})" for document in present)
    return Outcome("exclude", not present, f"exclude: in the top {within}: {listing}")


def _order(expected: Expectation, found: Found) -> Outcome:
    last = len(found.ranking) + 1  # where documents that are absent come, none of them before another
    wrong = [
        f"{quoted(first)} ({_where(found, first)}) is not before {quoted(second)} ({_where(found, second)})"
        for first, second in zip(expected.documents, expected.documents[1:], strict=False)
        if not found.ranks.get(first, last) < found.ranks.get(second, last)
    ]
    return Outcome("order", not wrong, f"order: {'; '.join(wrong)}")


def _results(expected: Expectation, found: Found) -> Outcome:
    bound = int(expected.bound)
    met = COMPARE[expected.comparison](found.returned, bound)
    wanted = f"exactly {bound}" if expected.comparison == "==" else f"{expected.comparison} {bound}"
    return Outcome("results", met, f"results: {found.returned} returned, expected {wanted}", found.returned)


def _latency(expected: Expectation, found: Found) -> Outcome:
    if found.latency is None:
        return Outcome("latency", False, "latency: the search was not called here, so that there is none to check")
    met = COMPARE[expected.comparison](found.latency, expected.bound)
    took, bound = found.latency * 1000, expected.bound * 1000
    message = f"latency: search took {took:.4g} ms, expected {expected.comparison} {bound:g} ms"
    return Outcome("latency", met, message, found.latency)


def _result(ranking: Sequence[str], rank: int) -> str:
    return quoted(ranking[rank - 1]) if rank <= len(ranking) else "nothing"


def _where(found: Found, document: str) -> str:
    rank = found.ranks.get(document)
    return "not returned" if rank is None else f"at rank {rank}"


CHECKERS: Mapping[str, Callable[[Expectation, Found], Outcome]] = {
    "metric": _metric,
    "first": _first,
    "include": _include,
    "exclude": _exclude,
    "order": _order,
    "results": _results,
    "latency": _latency,
}
