"""What the judgments of a query are kept under: its id, its text, or a new id."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from pytest_relevance._text import quoted
from pytest_relevance.judgments.model import Judgments, Query

OF_IDS_ALONE = frozenset({"trec", "beir"})
"""The formats of files that know ids of queries and no text."""


def all_queries(judgments: Judgments) -> list[str]:
    """The keys of all queries, those with judgments first."""
    return [*judgments, *(query for query in judgments.queries if query not in judgments)]


def unrated(judgments: Judgments) -> list[str]:
    """The queries that have no judgment."""
    return [query for query in all_queries(judgments) if not judgments.get(query)]


def queries_of(judgments: Judgments) -> list[Query]:
    """All queries with what is known of them. The text of one is its key, but where the file has ids alone."""
    known = judgments.queries
    are_ids = judgments.format in OF_IDS_ALONE
    return [known.get(key) or Query(key, None if are_ids else key) for key in all_queries(judgments)]


def rekeyed(judgments: Judgments, names: Mapping[str, str]) -> Judgments:
    """The same judgments under other keys, those that `names` has."""
    olds = {new: old for old, new in names.items()}
    queries = {names[old]: replace(query, id=names[old]) for old, query in judgments.queries.items() if old in names}
    return Judgments(
        {names[query]: documents for query, documents in judgments.items() if query in names},
        file=judgments.file,
        format=judgments.format,
        queries=queries,
        titles={names[query]: titles for query, titles in judgments.titles.items() if query in names},
        ratings={names[query]: ratings for query, ratings in judgments.ratings.items() if query in names},
        raters=judgments.raters,
        notices=judgments.notices,
        place=lambda query, document: judgments.place(olds[query], document),
    )


def named(judgments: Judgments, name: Callable[[Query], str], format: str) -> tuple[Judgments, list[str]]:
    """The same under the names that a format has for its queries, and what stands against it: two of one name."""
    keys: dict[str, str] = {}
    problems = []
    for query in queries_of(judgments):
        own = name(query)
        other = keys.setdefault(own, query.id)
        if other != query.id:
            problems.append(
                f"the queries {quoted(other)} and {quoted(query.id)} have the same text {quoted(own)}, and {format} "
                "knows queries by their texts; join them, or write another format"
            )
    return rekeyed(judgments, {query: own for own, query in keys.items()}), problems


def text_of(query: Query) -> str:
    """The text of a query, or its id where there is no text."""
    return query.id if query.text is None else query.text
