"""Collect the rows of a run, and rank them, for all readers of runs.

A row has a query, a document, and the score or the rank of the document.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from operator import gt

from pytest_relevance._problems import RelevanceWarning
from pytest_relevance._text import counted, found, quoted
from pytest_relevance.judgments.formats import Rankings
from pytest_relevance.judgments.grade_text import why_no_number
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.metrics.checked import sort_scores

SCORE = "score"
RANK = "rank"


@dataclass(frozen=True, slots=True)
class Results:
    """The results of one query: its documents, and the score or rank of each."""

    documents: list[str] = field(default_factory=list)
    numbers: list[float] = field(default_factory=list)


class RunRows:
    """Collects the rows of a run in any order, and ranks the results of each query.

    `order`: `SCORE` if each row has a score, `RANK` if it has a rank.
    """

    def __init__(self, order: str) -> None:
        self._order = order
        self._results: dict[str, Results] = {}

    def __contains__(self, query: object) -> bool:
        """Say whether a query has been added."""
        return query in self._results

    def results_of(self, query: str) -> Results:
        """Return the results of a query in the order of their rows, without a copy.

        A reader that has checked a result may append the result to the lists.
        """
        return self._results.setdefault(query, Results())

    def add(self, query: str, document: str, value: object) -> str:
        """Add a row. Return what is wrong with the row, or "".

        `value`: the score or the rank, as a number or as text.
        """
        number = number_of(value) if isinstance(value, str) else value
        if not isinstance(number, (int, float)) or not isfinite(number):
            return self._wrong_number(query, document, value)
        if not query:
            return "the row has no query"
        if not document:
            return f"query {quoted(query)}: a row has no document"
        results = self.results_of(query)
        results.documents.append(document)
        results.numbers.append(number)
        return ""

    def _wrong_number(self, query: str, document: str, value: object) -> str:
        message = (
            f"query {quoted(query)}, document {quoted(document)}: a {self._order} is a "
            f"finite number, found {found(value)}"
        )
        why = why_no_number(value) if isinstance(value, str) else None
        return message if why is None else f"{message}; it {why}"

    def rankings(self, file: str) -> Rankings:
        """Return the documents of each query, best first.

        Scores are sorted as trec_eval does: by score, then by document id, both
        descending. Results of one rank stay in the order of their rows. Warns if a
        query has a document twice.
        """
        rankings: dict[str, Sequence[str]] = {}
        for query, results in self._results.items():
            if self._order == SCORE:
                rankings[query] = _sorted_by_score(results)
            else:
                rankings[query] = _sorted_by_rank(results)
        _warn_of_repeats(file, rankings)
        return rankings


def _sorted_by_score(results: Results) -> list[str]:
    if all(map(gt, results.numbers, results.numbers[1:])):
        return results.documents
    return sort_scores(results.documents, results.numbers)


def _sorted_by_rank(results: Results) -> list[str]:
    rows = sorted(range(len(results.numbers)), key=results.numbers.__getitem__)
    return [results.documents[row] for row in rows]


def _warn_of_repeats(file: str, rankings: Mapping[str, Sequence[str]]) -> None:
    """Warn once for the whole run if queries have a document more than once."""
    repeats = []
    for query, ranking in rankings.items():
        if len(set(ranking)) < len(ranking):
            repeats.append(query)
    if not repeats:
        return
    document, _ = Counter(rankings[repeats[0]]).most_common(1)[0]
    queries = counted(len(repeats), "query returns", "queries return")
    message = (
        f"{file}: {queries} a document more than once, such as {quoted(document)} for "
        f"{quoted(repeats[0])}; it counts at its first rank, and a later copy keeps its "
        "rank without gain"
    )
    warnings.warn(RelevanceWarning(message), stacklevel=2)
