"""Where the raters of a file are apart: documents rated by several, the furthest apart first, and each rater's bias."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from pytest_relevance.judgments.model import Judgments
from pytest_relevance.judgments.raters import AGGREGATES

FAR_APART = 2
"""Grades between two ratings from which on it is no matter of taste."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A document that several raters rated: {rater: rating}, and how far the ratings are apart."""

    query: str
    document: str
    ratings: Mapping[str, float]
    spread: float


@dataclass(frozen=True, slots=True)
class RaterFigures:
    """One rater: how many documents they rated, and how many of those somebody else rated too.

    `bias` is the mean, over the latter, of their rating less the mean of the others' ratings: above 0 for a rater who
    is generous, below for one who is strict. None where they share no document with anybody.
    """

    rater: str
    rated: int
    shared: int
    bias: float | None


@dataclass(frozen=True, slots=True)
class AggregateFigures:
    """What one way to combine ratings makes of them: the mean grade, and how many grades are not the median's."""

    how: str
    mean: float
    unlike_median: int


def rated_by_several(judgments: Judgments) -> list[Rated]:
    """The documents with two ratings or more, those that are furthest apart first, else in the order of the file."""
    found = [
        Rated(query, document, given, max(given.values()) - min(given.values()))
        for query, documents in judgments.ratings.items()
        for document, given in documents.items()
        if len(given) > 1
    ]
    return sorted(found, key=lambda rated: -rated.spread)


def rater_figures(judgments: Judgments) -> list[RaterFigures]:
    """The figures of each rater, in the order of the file."""
    rated: Counter[str] = Counter()
    differences: dict[str, list[float]] = {rater: [] for rater in judgments.raters}
    for documents in judgments.ratings.values():
        for given in documents.values():
            rated.update(given.keys())  # of a mapping it would add up the values
            others = len(given) - 1
            if others:
                total = fsum(given.values())
                for rater, rating in given.items():
                    differences[rater].append(rating - (total - rating) / others)
    return [
        RaterFigures(rater, rated[rater], len(apart), fsum(apart) / len(apart) if apart else None)
        for rater, apart in differences.items()
    ]


def aggregate_figures(pairs: Sequence[Rated]) -> list[AggregateFigures]:
    """What each way to combine ratings makes of documents that several raters rated."""
    medians = _grades(pairs, "median")
    figures = []
    for how in AGGREGATES:
        grades = _grades(pairs, how)
        unlike = sum(grade != median for grade, median in zip(grades, medians, strict=True))
        figures.append(AggregateFigures(how, fsum(grades) / len(grades), unlike))
    return figures


def _grades(pairs: Iterable[Rated], how: str) -> list[float]:
    combine = AGGREGATES[how]
    return [combine(tuple(rated.ratings.values())) for rated in pairs]
