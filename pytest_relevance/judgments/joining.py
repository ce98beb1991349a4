"""Judgments and a file of queries brought together: texts for ids, or ids for texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pytest_relevance._text import counted, listed, quoted
from pytest_relevance.judgments.model import Judgments, Query
from pytest_relevance.judgments.writing.keys import all_queries, rekeyed

_MOST_NAMED = 3


def with_queries(
    judgments: Judgments, queries: Sequence[Query], file: str, *, keep_others: bool = True
) -> tuple[Judgments, list[str]]:
    """Judgments under the ids of a file of queries, with all that it says of them, and what is to be said of that.

    A query of the judgments is that of the file with its id, or else with its text. One that the file does not know
    stays as it is; one that only the file knows has no judgments, and without `keep_others` is left out. ValueError
    where two of them are one in the file.
    """
    by_id = {query.id: query for query in queries}
    by_text: dict[str, list[str]] = {}
    for query in queries:
        if query.text is not None:
            by_text.setdefault(query.text, []).append(query.id)
    names: dict[str, str] = {}
    unknown, unclear = [], []
    for key in all_queries(judgments):
        described = judgments.queries.get(key)
        text = described.text if described is not None else None
        if key in by_id and text in (None, by_id[key].text):
            names[key] = key
            continue
        ids = by_text.get(key if text is None else text, [])
        names[key] = ids[0] if len(ids) == 1 else key
        if not ids:
            unknown.append(key)
        elif len(ids) > 1:
            unclear.append(key)
    _refuse_two_for_one(names, file)
    joined = rekeyed(judgments, names)
    known = {key: _united(by_id[key], joined.queries.get(key)) for key in joined if key in by_id}
    others = {key: query for key, query in by_id.items() if key not in known}
    named = {*names.values()}
    left_out = [] if keep_others else [key for key in others if key not in named]
    for key in left_out:
        del others[key]
    joined.queries = {**joined.queries, **known, **others}
    said = [*_said(unknown, names, f"not in {file}"), *_said(unclear, names, f"the text of several queries in {file}")]
    texts = [by_id[key].text or key for key in left_out]
    return joined, [*said, *_said(texts, by_id, f"only in {file}, without judgments, and left out")]


def _united(query: Query, other: Query | None) -> Query:
    """What two descriptions of a query say together; the first counts where both say something."""
    if other is None:
        return query
    return replace(
        query,
        text=other.text if query.text is None else query.text,
        weight=other.weight if query.weight == 1 else query.weight,
        params=query.params or other.params,
        note=query.note or other.note,
    )


def _refuse_two_for_one(names: dict[str, str], file: str) -> None:
    if len(set(names.values())) == len(names):
        return
    olds: dict[str, list[str]] = {}
    for old, new in names.items():
        olds.setdefault(new, []).append(old)
    problems = [
        f"the queries {listed(map(quoted, several), 'and')} are one in {file}, {quoted(new)}; join them"
        for new, several in olds.items()
        if len(several) > 1
    ]
    raise ValueError("\n".join(problems))


def _said(keys: Sequence[str], all_of_them: Iterable[str], what: str) -> list[str]:
    if not keys:
        return []
    named = ", ".join(quoted(key, 40) for key in keys[:_MOST_NAMED]) + (" ..." if len(keys) > _MOST_NAMED else "")
    total = counted(len(list(all_of_them)), "query", "queries")
    return [f"{len(keys):,} of {total} {'is' if len(keys) == 1 else 'are'} {what}: {named}"]
