"""The story of a query: the ranks of its documents in the runs of a history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance.ext.history.points import CaseKey, CaseMove, Point
from pytest_relevance.ext.history.series import Series

MOST_STORIES = 50
"""How many queries have a story: those that moved most."""

MOST_LINES = 8
"""How many documents a story follows: those with the best ranks."""


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A document of a story, which the chart shows as a line.

    `ranks`: its rank (from 1) in each run of the story; None if it is not in the top k.
    """

    document: str
    title: str
    ranks: Sequence[int | None]


@dataclass(frozen=True, slots=True)
class Story:
    """The ranks of the documents of a query over some runs.

    `move`: the largest change of its score from one run to the next.
    `points`: the runs in which the query was searched, in their order.
    `lines`: the documents, the one with the best rank in the last run first.
    `changes`: the indexes of the runs whose ranking differs from the one before.
    `depth`: the lowest rank in the chart.
    """

    move: CaseMove
    points: Sequence[Point]
    lines: Sequence[DocumentLine]
    changes: Sequence[int]
    depth: int


def stories_of(series: Series) -> dict[CaseKey, Story]:
    """Return the stories of the queries that got worse or better in any run.

    The query with the largest move comes first. At most `MOST_STORIES` are returned.
    """
    largest: dict[CaseKey, CaseMove] = {}
    for point in series.points:
        for move in point.moves:
            known = largest.get(move.key)
            if known is None or _size(move) > _size(known):
                largest[move.key] = move
    moved = sorted(largest.values(), key=_size, reverse=True)
    stories = {}
    for move in moved[:MOST_STORIES]:
        titles = series.titles.get(move.key, {})
        stories[move.key] = _story(move, series.points, titles)
    return stories


def _size(move: CaseMove) -> float:
    return abs(move.difference)


def _story(move: CaseMove, points: Iterable[Point], titles: Mapping[str, str]) -> Story:
    """Return the ranks of a case's documents in each run that searched it."""
    searched = [point for point in points if move.key in point.rankings]
    rankings = [point.rankings[move.key] for point in searched]
    changes = []
    for index in range(1, len(rankings)):
        if rankings[index] != rankings[index - 1]:
            changes.append(index)
    lines = []
    for document in _followed(rankings):
        ranks = [_rank(document, ranking) for ranking in rankings]
        lines.append(DocumentLine(document, titles.get(document, document), ranks))
    return Story(
        move=move,
        points=searched,
        lines=lines,
        changes=changes,
        depth=max(len(ranking) for ranking in rankings),
    )


def _followed(rankings: Sequence[Sequence[str]]) -> list[str]:
    """Return the documents to follow, the best ranked of the last run first.

    These are the `MOST_LINES` documents with the best rank in any run.
    """
    best: dict[str, int] = {}
    for ranking in reversed(rankings):
        for rank, document in enumerate(ranking, 1):
            best[document] = min(rank, best.get(document, rank))
    chosen = sorted(best, key=lambda document: best[document])[:MOST_LINES]
    last = rankings[-1]
    return sorted(chosen, key=lambda document: _rank(document, last) or len(last) + 1)


def _rank(document: str, ranking: Sequence[str]) -> int | None:
    return ranking.index(document) + 1 if document in ranking else None
