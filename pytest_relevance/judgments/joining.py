"""Join judgments with a file of queries: texts for ids, or ids for texts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_relevance._problems import Place
from pytest_relevance._text import counted, examples, listed, quoted
from pytest_relevance.judgments.model import Judgments, Query


@dataclass(frozen=True, slots=True)
class Joined:
    """Judgments with the queries of a file. `notices`: what did not fit, in
    sentences.
    """

    judgments: Judgments
    notices: Sequence[str]


def with_queries(judgments: Judgments, queries: Sequence[Query], file: str) -> Joined:
    """Give judgments the ids of a file of queries, with all that it says of them.

    A query of the judgments is matched by id, or else by text. A query that the file
    does not have is not changed. A query that only the file has is left out.

    Raises:
        ValueError: two queries of the judgments are one in the file.
    """
    by_id = {query.id: query for query in queries}
    names: dict[str, str] = {}
    unknown: list[str] = []
    ambiguous: list[str] = []
    ids_of_text = _ids_by_text(queries)
    for key in judgments.all_queries:
        ids = _matching_ids(judgments, key, by_id, ids_of_text)
        names[key] = ids[0] if len(ids) == 1 else key
        if not ids:
            unknown.append(key)
        elif len(ids) > 1:
            ambiguous.append(key)
    _refuse_merged(names, file)
    joined = _renamed(judgments, names)
    described = dict(joined.queries)
    used = set(names.values())
    for key, query in by_id.items():
        if key in used:
            described[key] = _united(query, described.get(key))
    joined.queries = described
    left_out = [
        query.text_or_id for key, query in by_id.items() if key not in described
    ]
    return Joined(
        joined,
        notices=[
            *_notice(unknown, names, f"not in {file}"),
            *_notice(ambiguous, names, f"the text of several queries in {file}"),
            *_notice(
                left_out, by_id, f"only in {file}, without judgments, and left out"
            ),
        ],
    )


def _ids_by_text(queries: Sequence[Query]) -> dict[str, list[str]]:
    ids: dict[str, list[str]] = {}
    for query in queries:
        if query.text is not None:
            ids.setdefault(query.text, []).append(query.id)
    return ids


def _matching_ids(
    judgments: Judgments,
    key: str,
    by_id: Mapping[str, Query],
    ids_of_text: Mapping[str, Sequence[str]],
) -> Sequence[str]:
    """Find the ids in the file that a query of the judgments may have."""
    text = judgments.queries[key].text if key in judgments.queries else None
    if key in by_id and text in (None, by_id[key].text):
        return [key]
    return ids_of_text.get(key if text is None else text, [])


def _refuse_merged(names: Mapping[str, str], file: str) -> None:
    """Refuse new keys, {old key: new key}, of which two are the same."""
    old_keys: dict[str, list[str]] = {}
    for old, new in names.items():
        old_keys.setdefault(new, []).append(old)
    for new, keys in old_keys.items():
        if len(keys) > 1:
            these = listed([quoted(key) for key in keys], "and")
            raise ValueError(
                f"the queries {these} are one in {file}, {quoted(new)}; join them"
            )


def _renamed(judgments: Judgments, names: Mapping[str, str]) -> Judgments:
    """Give all queries new keys: `names` is {old key: new key}."""
    old_keys = {new: old for old, new in names.items()}
    queries = {}
    for old, query in judgments.queries.items():
        queries[names[old]] = replace(query, id=names[old])

    def place(query: str, document: str) -> Place:
        return judgments.place(old_keys[query], document)

    return replace(
        judgments,
        grades={names[query]: documents for query, documents in judgments.items()},
        queries=queries,
        titles={names[query]: titles for query, titles in judgments.titles.items()},
        ratings={names[query]: ratings for query, ratings in judgments.ratings.items()},
        place=place,
    )


def _united(query: Query, other: Query | None) -> Query:
    """Unite two descriptions of a query. The first counts if both say something."""
    if other is None:
        return query
    return replace(
        query,
        text=other.text if query.text is None else query.text,
        weight=other.weight if query.weight == 1 else query.weight,
        params=query.params or other.params,
        note=query.note or other.note,
    )


def _notice(keys: Sequence[str], all_of_them: Collection[str], what: str) -> list[str]:
    if not keys:
        return []
    total = counted(len(all_of_them), "query", "queries")
    verb = "is" if len(keys) == 1 else "are"
    return [f"{len(keys):,} of {total} {verb} {what}: {examples(keys)}"]
