"""Count the queries of a run, or of two runs, that got worse, got better, or neither.

`count_changes` makes the counts once. Terminal, Markdown, page, JSON, `compare` and
`history` show them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pytest_relevance.results.became import (
    CHANGED,
    GOT_BETTER,
    GOT_WORSE,
    IN_DOUBT,
    NOT_COMPARED,
    SAME,
    UNSCORED,
    WITHIN_TOLERANCE,
    became_of,
    lacks_judgments,
)
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.certainty import is_certainly_worse
from pytest_relevance.results.changes import Change

_WORST_FIRST = (
    GOT_WORSE,
    IN_DOUBT,
    CHANGED,
    GOT_BETTER,
    UNSCORED,
    WITHIN_TOLERANCE,
    SAME,
)
"""The words of `became`. If the variants of a query differ, the first word counts."""

_Query = tuple[str, str, int]
"""A query: its file, its id, and a number if it is a check."""


@dataclass(frozen=True, slots=True)
class ChangeCounts:
    """How many queries got worse, got better, or neither, since a reference.

    A query that ran in several variants counts once: it got worse if it got worse in
    one of the variants. Queries that cannot be compared are not counted.

    `got_worse`, `got_better`, `same`: how many became what the name says.

    `certain`, `open`: how many of `got_worse` got worse for certain, and how many may
    only lack judgments; 0 if queries are compared by another metric than nDCG. Queries
    with passages lack no judgments, and are in neither.
    `lost_passage`: how many of `got_worse` lost a passage: a result in the top k of the
    reference holds it, and no result in the top k now.
    `inconclusive`: how many got worse and have too few judged results.
    `changed`: how many newly miss only expectations that compare rankings.
    `within_tolerance`: how many have a score that changed, at most by the tolerance.
    `without_score`: how many have no score now or before.
    """

    got_worse: int = 0
    certain: int = 0
    open: int = 0
    lost_passage: int = 0
    inconclusive: int = 0
    changed: int = 0
    got_better: int = 0
    within_tolerance: int = 0
    same: int = 0
    without_score: int = 0

    @property
    def compared(self) -> int:
        """Return how many queries are counted."""
        return (
            self.got_worse
            + self.inconclusive
            + self.changed
            + self.got_better
            + self.within_tolerance
            + self.same
            + self.without_score
        )


def count_results(results: Iterable[CaseResult]) -> ChangeCounts:
    """Return how many queries of a run got worse, got better, or neither."""
    return count_changes(Change.since_baseline(result) for result in results)


def count_changes(changes: Iterable[Change]) -> ChangeCounts:
    """Return how many queries got worse, got better, or neither.

    A query with several variants counts once, as what its worst variant became. A query
    that got worse counts as certain if one variant certainly got worse.
    """
    word_of: dict[_Query, str] = {}
    certain: set[_Query] = set()
    open_ones: set[_Query] = set()
    lost: set[_Query] = set()
    for number, change in enumerate(changes):
        word = became_of(change)
        if word == NOT_COMPARED:
            continue
        file, case, _ = change.case.key
        # a test may check one query several times: each check counts
        query = (file, case, number if change.case.is_check else -1)
        word_before = word_of.get(query, SAME)
        word_of[query] = min(word, word_before, key=_WORST_FIRST.index)
        is_certain = certainty_of(change, word)
        if is_certain is not None:
            (certain if is_certain else open_ones).add(query)
        if word == GOT_WORSE and change.lost_passages:
            lost.add(query)
    return counts_of(
        Counter(word_of.values()),
        certain=len(certain),
        still_open=len(open_ones - certain),
        lost_passage=len(lost),
    )


def certainty_of(change: Change, word: str) -> bool | None:
    """Say whether a case got worse whatever grades its unjudged results have.

    False if grades are needed to tell. None if the case did not get worse, if it is
    compared by another metric than nDCG, or if it has passages.

    `word`: what `became_of` returned for the change.
    """
    if change.case.evaluation.passages:
        return None
    if word == GOT_WORSE and change.case.is_known_item:
        return True
    if word != GOT_WORSE or not (change.is_by_ndcg or lacks_judgments(change)):
        return None
    return is_certainly_worse(change)


def counts_of(
    counts: Mapping[str, int], *, certain: int, still_open: int, lost_passage: int
) -> ChangeCounts:
    """Return the counts of queries as `ChangeCounts`.

    `counts`: {a word of `became`: how many queries}.
    `certain`, `still_open`, `lost_passage`: as in `ChangeCounts`.
    """
    counts = Counter(counts)
    return ChangeCounts(
        got_worse=counts[GOT_WORSE],
        certain=certain,
        open=still_open,
        lost_passage=lost_passage,
        inconclusive=counts[IN_DOUBT],
        changed=counts[CHANGED],
        got_better=counts[GOT_BETTER],
        within_tolerance=counts[WITHIN_TOLERANCE],
        same=counts[SAME],
        without_score=counts[UNSCORED],
    )
