"""Checks of a ranking against the expectations of a case: one checker for each kind in `cases.checking`.

A checker returns what was found and whether that meets the expectation; `reports.reasons` has the words for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, pairwise, zip_longest
from math import inf, isnan
from typing import NamedTuple

from pytest_relevance.cases.checking.expectations import COMPARE, meets
from pytest_relevance.cases.model import Expectation, most_results
from pytest_relevance.metrics.graded import GradedRanking
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.scalar import score
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import Outcome

_CERTAIN = frozenset({"Judged"})  # measures that unjudged results leave no doubt about


class Found(NamedTuple):
    """What a search returned, as the checkers take it.

    `k` is the cutoff of the case, `ranking` the documents, `ranks` the first rank (from 1) of each, `latency` in
    seconds. `is_cut`: the ranking may go on below what was returned.
    """

    k: int
    settings: Settings
    graded: GradedRanking
    ranking: Sequence[str]
    ranks: Mapping[str, int]
    latency: float | None
    is_cut: bool = False


def first_ranks(ranking: Sequence[str]) -> dict[str, int]:
    """The first rank (from 1) of each document."""
    return dict(zip(reversed(ranking), range(len(ranking), 0, -1), strict=True))


def check(expected: Expectation, found: Found) -> Outcome:
    """Check whether a ranking meets an expectation."""
    return CHECKERS[expected.kind](expected, found)


def expectation_of(outcome: Outcome) -> Expectation:
    """The expectation that an outcome belongs to."""
    metric = parse_metric(outcome.name) if outcome.kind == "metric" else None
    return Expectation(
        *(outcome.kind, outcome.name, metric, outcome.comparison, outcome.bound),
        documents=tuple(outcome.documents),
        within=outcome.within,
        sets=tuple(outcome.sets),
    )


def expects_results(outcomes: Iterable[Outcome]) -> bool:
    """Whether the expectations with these outcomes allow any results; `results: 0` does not."""
    return bool(most_results(expectation_of(each) for each in outcomes if each.kind == "results"))


def duration(seconds: float, digits: int = 3) -> str:
    """A duration with at most `digits` digits: `12.3 ms`, `1.25 s`; nobody tunes a search by less than 0.01 ms."""
    value, unit = (seconds, "s") if seconds >= 0.9995 else (seconds * 1000, "ms")
    decimals = digits - 3 + next(decimals for decimals, least in ((0, 99.95), (1, 9.995), (2, 0)) if value >= least)
    if 0 < value < 10.0**-decimals:
        return f"<{10.0**-decimals:g} {unit}"
    text = f"{value:.{decimals}f}"
    return f"{text.rstrip('0').rstrip('.') if decimals else text} {unit}"


def _metric(expected: Expectation, found: Found) -> Outcome:
    assert expected.metric is not None
    value = score(expected.metric, found.graded, found.settings)
    # the known ranks decide the bound of RR; the value of RR below them is not known
    is_known = not isnan(value) and not (found.is_cut and expected.metric.k is None and not value)
    is_score = expected.metric.measure not in _CERTAIN
    return _outcome(expected, meets(expected, value), value if is_known else None, is_score=is_score)


def _first(expected: Expectation, found: Found) -> Outcome:
    pairs = zip_longest(expected.documents, found.ranking[: len(expected.documents)])
    return _of_documents(expected, [document for document, there in pairs if document != there])


def _present(expected: Expectation, found: Found) -> Outcome:
    """Check that documents are, or are not, in the top of a ranking."""
    within, is_wanted = expected.within or found.k, expected.kind == "include"
    wrong = [each for each in expected.documents if (found.ranks.get(each, within + 1) <= within) != is_wanted]
    return _of_documents(expected, wrong)


def _order(expected: Expectation, found: Found) -> Outcome:
    """Check that each document, or every document of a set, comes before all documents of the next.

    What is absent, or below `within`, comes last, none of it before another. Of the pairs that are wrong, those with
    the best-ranked later document are first.
    """
    last = len(found.ranking) + 1 if expected.within is None else expected.within + 1
    ranks = {document: min(found.ranks.get(document, last), last) for document in expected.documents}
    pairs = (
        (late, document)
        for earlier, later in pairwise(expected.document_sets)
        for document in sorted(later, key=ranks.__getitem__)
        for late in earlier
        if ranks[late] >= ranks[document]
    )
    return _of_documents(expected, [*chain.from_iterable(pairs)])


def _within(expected: Expectation, found: Found) -> Outcome:
    """Check the rank of a document. An absent one is below every rank."""
    within, reaches = expected.within or found.k, COMPARE[expected.comparison]
    return _of_documents(
        expected, [each for each in expected.documents if not reaches(found.ranks.get(each, inf), within)]
    )


def _results(expected: Expectation, found: Found) -> Outcome:
    returned = len(found.ranks)  # a document that is returned twice counts once
    return _outcome(expected, COMPARE[expected.comparison](returned, int(expected.bound)), returned)


def _latency(expected: Expectation, found: Found) -> Outcome:
    latency = found.latency
    is_met = latency is not None and COMPARE[expected.comparison](latency, expected.bound)
    return _outcome(expected, is_met, latency)


def _of_documents(expected: Expectation, wrong: Sequence[str]) -> Outcome:
    return _outcome(expected, not wrong, wrong=wrong)


def _outcome(
    expected: Expectation, met: bool, value: float | None = None, *, is_score: bool = False, wrong: Sequence[str] = ()
) -> Outcome:
    written = expected.comparison, expected.bound, is_score, expected.documents, expected.within, expected.sets
    return Outcome(expected.name, expected.kind, met, value, *written, tuple(wrong))


CHECKERS: Mapping[str, Callable[[Expectation, Found], Outcome]] = {
    "metric": _metric,
    "first": _first,
    "include": _present,
    "exclude": _present,
    "order": _order,
    "within": _within,
    "results": _results,
    "latency": _latency,
}
