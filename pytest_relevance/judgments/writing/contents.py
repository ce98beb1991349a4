"""What judgments have that not every format has a place for, and how it is said that it was lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from pytest_relevance._text import counted, listed
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.judgments.raters import AGGREGATES, aggregate
from pytest_relevance.judgments.writing.keys import all_queries, unrated

IN_QUERIES = "; --queries-out writes them to a file of queries"


@dataclass(frozen=True, slots=True)
class Content:
    """Something that judgments may have: how much of it, what that is in words, and what helps where it is lost."""

    count: Callable[[Judgments], int]
    words: str
    of: tuple[str, str]
    cure: str = ""

    def lost(self, judgments: Judgments, format: str) -> str | None:
        """What is said where a format has no place for it; None where there is none of it."""
        count = self.count(judgments)
        return f"{self.words}{counted(count, *self.of)}, which {format} cannot hold{self.cure}" if count else None


_QUERIES = ("query", "queries")
_DOCUMENTS = ("document", "documents")


def _with_another_text(judgments: Judgments) -> int:
    return sum(judgments.text(query) != query for query in all_queries(judgments))


CONTENTS: Mapping[str, Content] = {
    "ids": Content(_with_another_text, "the ids of ", _QUERIES),
    "texts": Content(_with_another_text, "the texts of ", _QUERIES, IN_QUERIES),
    "weights": Content(
        lambda judgments: sum(query.weight != 1 for query in judgments.queries.values()),
        "the weights of ",
        _QUERIES,
        IN_QUERIES,
    ),
    "params": Content(
        lambda judgments: sum(bool(query.params) for query in judgments.queries.values()), "the params of ", _QUERIES
    ),
    "notes": Content(
        lambda judgments: sum(bool(query.note) for query in judgments.queries.values()),
        "the notes of ",
        _QUERIES,
        IN_QUERIES,
    ),
    "unrated": Content(
        lambda judgments: len(unrated(judgments)),
        "",
        ("query without judgments", "queries without judgments"),
        IN_QUERIES,
    ),
    "titles": Content(lambda judgments: sum(map(len, judgments.titles.values())), "the titles of ", _DOCUMENTS),
    "raters": Content(
        lambda judgments: sum(map(len, judgments.ratings.values())),
        "the raters of ",
        _DOCUMENTS,
        "; the grade that their ratings make is written",
    ),
}
"""Everything but the grades themselves, by the name that a row of `WRITERS` has for it."""


def lost(judgments: Judgments, holds: frozenset[str], format: str) -> Iterator[str]:
    """A sentence for each kind of thing that a format which holds `holds` has no place for."""
    for name, content in CONTENTS.items():
        sentence = content.lost(judgments, format) if name not in holds else None
        if sentence is not None:
            yield sentence


def ratings_of(judgments: Judgments) -> Iterator[tuple[str, str, str, float]]:
    """Query, document, rater and rating; a document that no rater rated has its grade, of a rater without a name."""
    for query, documents in judgments.items():
        given = judgments.ratings.get(query, {})
        for document, grade in documents.items():
            for rater, rating in (given.get(document) or {"": grade}).items():
                yield query, document, rater, rating


def how_combined(judgments: Judgments) -> str | None:
    """How the ratings make the grades, by its name in `AGGREGATES`; None where it is none of those."""
    for how in AGGREGATES:
        if all(
            aggregate(list(given.values()), how) == judgments.get(query, {}).get(document)
            for query, documents in judgments.ratings.items()
            for document, given in documents.items()
        ):
            return how
    return None


def lost_in_combining(judgments: Judgments) -> list[str]:
    """What is to be said where ratings are written, and reading them does not make the same grades by itself."""
    how = how_combined(judgments)
    if how == "median":
        return []
    if how is not None:
        return [f"how the ratings make a grade, which is their {how} here; say raters: {how} where the file is read"]
    return [f"the grades where they are not the {listed(AGGREGATES)} of their ratings: the ratings are written"]
