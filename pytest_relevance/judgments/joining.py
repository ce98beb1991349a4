"""Add the ids and texts of a file of queries to judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from pytest_relevance._problems import Place
from pytest_relevance._text import counted, examples, listed, quoted
from pytest_relevance.judgments.model import Judgments, Query

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Joined:
    """Judgments with the ids and texts of a file of queries.

    `notices`: sentences about judged queries that match no query of the file, or
        several, and about queries of the file without judgments.
    """

    judgments: Judgments
    notices: Sequence[str]


def with_queries(judgments: Judgments, queries: Sequence[Query], file: str) -> Joined:
    """Return judgments with the ids, texts and params of the queries of a file.

    A query of the judgments is matched by its id, or else by its text. A query that the
    file does not have stays as it is. A query that only the file has is left out.

    `file`: the name of the file, for messages.

    Raises:
        ValueError: two queries of the judgments match one query of the file.
    """
    match = _match(judgments, queries)
    _refuse_merged(match.new_keys, file)
    joined = _renamed(judgments, match.new_keys)
    used = set(match.new_keys.values())
    described = dict(joined.queries)
    left_out = []
    by_id = {query.id: query for query in queries}
    for query in by_id.values():
        if query.id in used:
            described[query.id] = _united(query, described.get(query.id))
        else:
            left_out.append(query.text_or_id)
    joined.queries = described
    judged = len(match.new_keys)
    notices = [
        _notice(match.unknown, judged, f"not in {file}"),
        _notice(match.ambiguous, judged, f"the text of several queries in {file}"),
        _notice(
            left_out, len(by_id), f"only in {file}, without judgments, and left out"
        ),
    ]
    return Joined(joined, [notice for notice in notices if notice])


@dataclass(frozen=True, slots=True)
class _Match:
    """Which query of the file matches each query of the judgments.

    `new_keys`: {key in the judgments: id in the file}. Without a match the key stays.
    `unknown`: the keys that match no query of the file.
    `ambiguous`: the keys that match several queries.
    """

    new_keys: Mapping[str, str]
    unknown: Sequence[str]
    ambiguous: Sequence[str]


def _match(judgments: Judgments, queries: Sequence[Query]) -> _Match:
    """Match each query of the judgments with one of the file: by its id, else its text.

    The same id does not match if the judgments give it another text.
    """
    text_of: dict[str, str | None] = {}
    ids_of: dict[str, list[str]] = {}
    for query in queries:
        text_of[query.id] = query.text
        if query.text is not None:
            ids_of.setdefault(query.text, []).append(query.id)
    new_keys: dict[str, str] = {}
    unknown = []
    ambiguous = []
    for key in judgments.all_queries:
        text = judgments.queries[key].text if key in judgments.queries else None
        if key in text_of and text in (None, text_of[key]):
            ids = [key]
        else:
            ids = ids_of.get(key if text is None else text, [])
        new_keys[key] = key
        if len(ids) == 1:
            new_keys[key] = ids[0]
        elif ids:
            ambiguous.append(key)
        else:
            unknown.append(key)
    return _Match(new_keys, unknown=unknown, ambiguous=ambiguous)


def _refuse_merged(new_keys: Mapping[str, str], file: str) -> None:
    """Raise ValueError if two queries of the judgments are one in the file."""
    old_keys: dict[str, list[str]] = {}
    for old, new in new_keys.items():
        old_keys.setdefault(new, []).append(old)
    for new, keys in old_keys.items():
        if len(keys) > 1:
            these = listed([quoted(key) for key in keys], "and")
            raise ValueError(
                f"the queries {these} are one in {file}, {quoted(new)}; join them"
            )


def _renamed(judgments: Judgments, new_keys: Mapping[str, str]) -> Judgments:
    """Return judgments under other keys: {old key: new key}."""
    old_keys = {new: old for old, new in new_keys.items()}

    def place(query: str, document: str) -> Place:
        return judgments.place(old_keys[query], document)

    def renamed(by_query: Mapping[str, Value]) -> dict[str, Value]:
        return {new_keys[key]: value for key, value in by_query.items()}

    queries = renamed(judgments.queries)
    for key, query in queries.items():
        queries[key] = replace(query, id=key)
    return replace(
        judgments,
        grades=renamed(judgments),
        queries=queries,
        titles=renamed(judgments.titles),
        ratings=renamed(judgments.ratings),
        place=place,
    )


def _united(query: Query, other: Query | None) -> Query:
    """Return `query`, with the fields that only `other` sets."""
    if other is None:
        return query
    return replace(
        query,
        text=other.text if query.text is None else query.text,
        weight=other.weight if query.weight == 1 else query.weight,
        params=query.params or other.params,
        note=query.note or other.note,
    )


def _notice(keys: Sequence[str], total: int, what: str) -> str:
    """Return a sentence like `2 of 9 queries are only in q.csv: ...`; "" without keys.

    `total`: the number of all queries.
    `what`: the end of the sentence, after "is" or "are".
    """
    if not keys:
        return ""
    queries = counted(total, "query", "queries")
    verb = "is" if len(keys) == 1 else "are"
    return f"{len(keys):,} of {queries} {verb} {what}: {examples(keys)}"
