"""Find where raters disagree: documents that several rated, and biased raters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

from pytest_relevance._problems import Problems
from pytest_relevance._text import quoted
from pytest_relevance.judgments.model import Judgments, Query

FAR_APART = 2
"""The difference of two ratings, in grades, at which raters disagree seriously."""


@dataclass(frozen=True, slots=True)
class RatedDocument:
    """A document that several raters rated.

    `ratings`: {rater: rating}. `spread`: the highest rating minus the lowest one.
    """

    query: str
    document: str
    ratings: Mapping[str, float]
    spread: float


@dataclass(frozen=True, slots=True)
class RaterFigures:
    """The figures of one rater.

    `rated`: how many documents the rater rated.
    `shared`: how many of these documents other raters rated too.
    `bias`: how far the rater is above the mean of the other raters, as a mean over the
        shared documents. It is above 0 for a generous rater, below 0 for a strict one,
        and None without shared documents.
    """

    rater: str
    rated: int
    shared: int
    bias: float | None


def joined(files: Sequence[Judgments]) -> Judgments:
    """Return the ratings of several files together, without grades.

    Ratings belong together if their files have the same key for the query, and the same
    document.

    Raises:
        FileError: a rater gave a document two different ratings, in two files.
    """
    ratings: dict[str, dict[str, dict[str, float]]] = {}
    titles: dict[str, dict[str, str]] = {}
    queries: dict[str, Query] = {}
    raters: dict[str, None] = {}
    for file in files:
        problems = Problems(file.file)
        for query, documents in file.ratings.items():
            of_query = ratings.setdefault(query, {})
            for document, given in documents.items():
                known = of_query.setdefault(document, {})
                for rater, rating in given.items():
                    if known.setdefault(rater, rating) != rating:
                        problems.add(
                            f"query {quoted(query)}, document {quoted(document)}: rater "
                            f"{quoted(rater)} gave {rating:g} here and "
                            f"{known[rater]:g} in another file; keep one of them",
                            file.place(query, document),
                        )
        problems.raise_if_any()
        for query, of_documents in file.titles.items():
            titles[query] = {**of_documents, **titles.get(query, {})}
        queries = {**file.queries, **queries}
        raters |= dict.fromkeys(file.raters)
    return Judgments(
        queries=queries, titles=titles, ratings=ratings, raters=tuple(raters)
    )


def of_raters(judgments: Judgments, raters: Sequence[str]) -> Judgments:
    """Return judgments with only the ratings of some raters.

    The grades do not change: they are made of the ratings of all raters.
    """
    ratings: dict[str, dict[str, dict[str, float]]] = {}
    for query, documents in judgments.ratings.items():
        ratings[query] = {}
        for document, given in documents.items():
            kept = {rater: given[rater] for rater in raters if rater in given}
            ratings[query][document] = kept
    return replace(judgments, grades=judgments, ratings=ratings, raters=tuple(raters))


def rated_by_several(judgments: Judgments) -> list[RatedDocument]:
    """Return the documents with two ratings or more, the largest spread first.

    Documents with an equal spread are in the order of the file.
    """
    found = []
    for query, documents in judgments.ratings.items():
        for document, given in documents.items():
            if len(given) > 1:
                spread = max(given.values()) - min(given.values())
                found.append(
                    RatedDocument(query, document, ratings=given, spread=spread)
                )
    return sorted(found, key=lambda rated: -rated.spread)


def rater_figures(judgments: Judgments) -> list[RaterFigures]:
    """Return the figures of each rater, in the order of `judgments.raters`."""
    rated: Counter[str] = Counter()
    differences: dict[str, list[float]] = {rater: [] for rater in judgments.raters}
    for documents in judgments.ratings.values():
        for given in documents.values():
            rated.update(given.keys())  # a mapping would add up the values
            others = len(given) - 1
            if not others:
                continue
            total = fsum(given.values())
            for rater, rating in given.items():
                differences[rater].append(rating - (total - rating) / others)
    figures = []
    for rater, apart in differences.items():
        bias = fsum(apart) / len(apart) if apart else None
        figures.append(
            RaterFigures(rater, rated=rated[rater], shared=len(apart), bias=bias)
        )
    return figures
