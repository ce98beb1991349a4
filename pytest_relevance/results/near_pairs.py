"""Pair documents that were not returned with results whose ids are nearly the same.

Reports of failing cases call it, and the diagnosis of ids that differ.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance._near import NearPair, Unmatched, are_one_number, near_pairs
from pytest_relevance.results.case_result import CaseResult

_MOST_CASES = 100


def near_pairs_of(results: Sequence[CaseResult]) -> list[NearPair]:
    """Return wanted documents, each with a result whose id is nearly the same.

    A wanted document is judged or expected, and was not returned. Only the first cases
    are looked at, each by itself.
    """
    unmatched = []
    for result in results[:_MOST_CASES]:
        wanted = _wanted(result)
        if wanted:
            unmatched.append(Unmatched(wanted, _other_results(result, wanted)))
    pairs = near_pairs(unmatched)
    # ids that are one number have a line of their own
    return [pair for pair in pairs if not are_one_number(pair.wanted, pair.found)]


def _wanted(result: CaseResult) -> list[str]:
    """Return the documents that are judged or expected, and were not returned."""
    documents = [document for document, _ in result.evaluation.missing]
    for outcome in result.evaluation.outcomes:
        if outcome.documents and not outcome.met:
            documents += outcome.wrong
    absent = []
    for document in dict.fromkeys(documents):
        if result.ranking.rank_of(document) is None:
            absent.append(document)
    return absent


def _other_results(result: CaseResult, wanted: Sequence[str]) -> list[str]:
    """Return the results without a judgment that no expectation names."""
    named = set(wanted)
    for outcome in result.evaluation.outcomes:
        named.update(outcome.documents)
    grades = result.ranking.grades or [None] * len(result.ranking.documents)
    others = []
    for document, grade in zip(result.ranking.documents, grades, strict=True):
        if grade is None and document not in named:
            others.append(document)
    return [*dict.fromkeys(others)]
