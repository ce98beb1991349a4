"""Checks of a ranking against the expectations of a case: one checker for each kind in `cases.checking`.

A checker returns what was found and whether that meets the expectation. The wording is for the one who reads the
failure: where the document is instead, not only that it is not where it should be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby, pairwise
from math import inf, isnan
from operator import itemgetter
from typing import NamedTuple

from pytest_relevance._text import quoted
from pytest_relevance.cases.checking.expectations import AT_MOST, BELOW, COMPARE, EXACTLY, meets
from pytest_relevance.cases.model import Expectation
from pytest_relevance.metrics.graded import GradedRanking
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.scalar import ranks_needed, score
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.case_result import CaseResult

_OPPOSITE = {">=": "below", ">": "not above", "<=": "above", "<": "not below", "==": "not"}
_MOST_PAIRS = 5  # of documents in the wrong order
_CERTAIN = frozenset({"Judged"})  # measures that unjudged results leave no doubt about


class Found(NamedTuple):
    """What a search returned, as the checkers take it.

    `k` is the cutoff of the case, `depth` how many results it asks for where its file says so, `ranking` the documents,
    `ranks` the first rank (from 1) of each, `latency` in seconds. `is_cut`: the ranking may go on below what was
    returned; `asked` is how many results the search was asked for, None where it takes no such number. Messages name
    documents with their `titles`, where there are any: text that a terminal can print; `unknown` says it of what is
    missing elsewhere too.
    """

    k: int
    settings: Settings
    graded: GradedRanking
    ranking: Sequence[str]
    ranks: Mapping[str, int]
    latency: float | None
    titles: Mapping[str, str] = {}
    unknown: Mapping[str, str] = {}
    is_cut: bool = False
    depth: int | None = None
    asked: int | None = None


def first_ranks(ranking: Sequence[str]) -> dict[str, int]:
    """The first rank (from 1) of each document."""
    return dict(zip(reversed(ranking), range(len(ranking), 0, -1), strict=True))


def check(expected: Expectation, found: Found) -> Outcome:
    """Check whether a ranking meets an expectation."""
    return CHECKERS[expected.kind](expected, found)


def message_with_titles(outcome: Outcome, result: CaseResult, titles: Mapping[str, str]) -> str:
    """The message of an unmet expectation of documents, which are named with their titles."""
    if outcome.met or not outcome.documents:
        return outcome.message
    ranks = {**result.deeper, **first_ranks(result.documents)}
    unknown = dict.fromkeys(result.not_in_catalogue, "not returned, not in the catalogue")
    unknown |= dict.fromkeys(result.not_in_index, "not in the index")
    found = Found(result.k, result.settings, result.graded, result.documents, ranks, result.latency, titles, unknown)
    return check(expectation_of(outcome), found).message


def expectation_of(outcome: Outcome) -> Expectation:
    """The expectation that an outcome is of."""
    metric = parse_metric(outcome.name) if outcome.kind == "metric" else None
    return Expectation(
        *(outcome.kind, outcome.name, metric, outcome.comparison, outcome.bound),
        documents=tuple(outcome.documents),
        within=outcome.within,
        sets=tuple(outcome.sets),
    )


def below(name: str, value: float, comparison: str, bound: float) -> str:
    """`P@5 0.400 is below 0.600`, with enough digits to show the two as different."""
    if isnan(value):
        return f"{name} is not defined"
    digits = digits_apart(value, bound)
    return f"{name} {value:.{digits}f} is {_OPPOSITE[comparison]} {bound:.{digits}f}"


def digits_apart(value: float, bound: float) -> int:
    """The decimals for showing a score with its bound: three, or more where three would show them equal."""
    return next((digits for digits in range(3, 18) if f"{value:.{digits}f}" != f"{bound:.{digits}f}"), 3)


def digits_of_change(change: float) -> int:
    """The decimals for showing a change: three, or up to nine where three would show none."""
    return next((digits for digits in range(3, 10) if round(change, digits)), 3)


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
    met = meets(expected, value)
    message = "" if met else below(_metric_name(expected, found), value, expected.comparison, expected.bound)
    known: float | None = value
    if found.is_cut and expected.metric.k is None and not value:
        # a bound of RR, which the ranks that are there decide; what RR is below them is not known
        known, where = None, f"no relevant document in the {len(found.graded.grades)} results that were asked for"
        message = message and f"{expected.name} is {_OPPOSITE[expected.comparison]} {expected.bound:g}: {where}"
    return _outcome(expected, message, known, is_score=expected.metric.measure not in _CERTAIN)


def _metric_name(expected: Expectation, found: Found) -> str:
    """A metric as a message names it: with the depth that was set, where it looks at the whole ranking."""
    assert expected.metric is not None
    is_whole = found.depth is not None and ranks_needed(expected.metric, found.settings) is None
    return f"{expected.name} (depth {found.depth})" if is_whole else expected.name


def _first(expected: Expectation, found: Found) -> Outcome:
    wrong = [
        f"rank {rank} has {_result(found, rank)}, expected {quoted(document)} ({_where(found, document)})"
        for rank, document in enumerate(expected.documents, 1)
        if rank > len(found.ranking) or found.ranking[rank - 1] != document
    ]
    return _outcome_of_documents(expected, "; ".join(wrong))


def _present(expected: Expectation, found: Found) -> Outcome:
    """Check that documents are, or are not, in the top of a ranking."""
    within, is_wanted = expected.within or found.k, expected.kind == "include"
    wrong = [each for each in expected.documents if (found.ranks.get(each, within + 1) <= within) != is_wanted]
    where = f"{'not ' if is_wanted else ''}in the top {within}"
    return _outcome_of_documents(expected, f"{where}: {_listing(wrong, found)}" if wrong else "")


def _order(expected: Expectation, found: Found) -> Outcome:
    """Check that each document, or every document of a set, comes before those of the next.

    What is absent, or below `within`, comes last, none of it before another. The message has the first offending pairs,
    those with the best-ranked later document first.
    """
    last = len(found.ranking) + 1 if expected.within is None else expected.within + 1
    ranks = {document: min(found.ranks.get(document, last), last) for document in expected.documents}
    pairs = [
        (late, document)
        for earlier, later in pairwise(expected.document_sets)
        for document in sorted(later, key=ranks.__getitem__)
        for late in earlier
        if ranks[late] >= ranks[document]
    ]
    chosen = pairs[: _MOST_PAIRS + (len(pairs) == _MOST_PAIRS + 1)]  # one more takes no more room than to say so
    wrong = []
    for document, late in groupby(chosen, key=itemgetter(1)):
        before = [each for each, _ in late]
        verb = "is" if len(before) == 1 else "are"
        wrong.append(f"{_listing(before, found)} {verb} not before {_listing([document], found)}")
    if more := len(pairs) - len(chosen):
        wrong.append(f"and {more:,} more pairs")
    where = f"in the top {expected.within}: " if wrong and expected.within is not None else ""
    return _outcome_of_documents(expected, where + "; ".join(wrong))


_NOT_WITHIN = {AT_MOST: "is not in the top {}", BELOW: "is in the top {}", EXACTLY: "is not at rank {}"}


def _within(expected: Expectation, found: Found) -> Outcome:
    """Check the rank of a document. An absent one is below every rank."""
    within, reaches = expected.within or found.k, COMPARE[expected.comparison]
    wrong = [document for document in expected.documents if not reaches(found.ranks.get(document, inf), within)]
    where = _NOT_WITHIN[expected.comparison].format(within) if wrong else ""
    return _outcome_of_documents(expected, f"{_listing(wrong, found)} {where}" if wrong else "")


def _results(expected: Expectation, found: Found) -> Outcome:
    returned, bound = len(found.ranks), int(expected.bound)  # a document that is returned twice counts once
    met = COMPARE[expected.comparison](returned, bound)
    wanted = f"exactly {bound}" if expected.comparison == "==" else f"{expected.comparison} {bound}"
    of = "" if found.asked is None else f" (asked for {found.asked})"
    message = "" if met else f"results: {returned} returned{of}, expected {wanted}"
    return _outcome(expected, message, returned)


def _latency(expected: Expectation, found: Found) -> Outcome:
    latency, bound = found.latency, expected.bound
    if latency is None:
        return _outcome(expected, "latency: the search was not called here, so that there is none to check")
    if COMPARE[expected.comparison](latency, bound):
        return _outcome(expected, "", latency)
    longest = f"{bound:g} s" if bound >= 1 else f"{bound * 1000:g} ms"
    took = next((text for digits in range(3, 12) if (text := duration(latency, digits)) != longest), longest)
    return _outcome(expected, f"latency: search took {took}, expected {expected.comparison} {longest}", latency)


def _outcome_of_documents(expected: Expectation, unmet: str) -> Outcome:
    return _outcome(expected, f"{expected.kind}: {unmet}" if unmet else "")


def _outcome(expected: Expectation, message: str, value: float | None = None, *, is_score: bool = False) -> Outcome:
    """The outcome of an expectation, which is met where there is no message. `value` is the figure found."""
    written = expected.comparison, expected.bound, is_score, expected.documents, expected.within, expected.sets
    return Outcome(expected.name, expected.kind, not message, message, value, *written)


def _listing(documents: Sequence[str], found: Found) -> str:
    return ", ".join(f"{quoted(document)} ({_where(found, document)})" for document in documents)


def _result(found: Found, rank: int) -> str:
    if rank > len(found.ranking):
        return "nothing"
    document = found.ranking[rank - 1]
    title = found.titles.get(document)
    return f"{quoted(document)} ({title})" if title else quoted(document)


def _where(found: Found, document: str) -> str:
    rank, title = found.ranks.get(document), found.titles.get(document)
    where = found.unknown.get(document, "not returned") if rank is None else f"at rank {rank}"
    return f"{title}, {where}" if title else where


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
