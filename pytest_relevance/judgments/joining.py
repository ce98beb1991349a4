"""The keys of queries: change them, and join judgments with a file of queries (texts for ids, or ids for texts)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pytest_relevance._text import counted, listed, quoted
from pytest_relevance.judgments.model import Judgments, Query, grouped

FORMATS_OF_IDS = frozenset({"trec", "beir"})
"""The formats of judgments that have ids of queries and no texts."""

_MOST_NAMED = 3


def queries_of(judgments: Judgments) -> list[Query]:
    """Describe all queries. The text of one that is not described is its key, except in a format that has ids alone."""
    ids_alone = judgments.format in FORMATS_OF_IDS
    return [judgments.queries.get(key) or Query(key, None if ids_alone else key) for key in judgments.all_queries]


def rekeyed(judgments: Judgments, names: Mapping[str, str]) -> Judgments:
    """Select the queries in `names`, {old key: new key}, and give them their new keys."""
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


def with_queries(
    judgments: Judgments, queries: Sequence[Query], file: str, *, keep_others: bool = True
) -> tuple[Judgments, list[str]]:
    """Give judgments the ids of a file of queries, with all that it says of them. Returns notices too.

    A query of the judgments is that of the file with its id, or else with its text. One that the file does not know is
    not changed; one that only the file knows has no judgments, and without `keep_others` is left out.

    Raises:
        ValueError: two queries of the judgments are one in the file.
    """
    by_id = {query.id: query for query in queries}
    names, unknown, ambiguous = _names_in(judgments, queries, by_id)
    _refuse_two_for_one(names, file)
    joined = rekeyed(judgments, names)
    known = {key: _united(by_id[key], joined.queries.get(key)) for key in joined if key in by_id}
    used = {*names.values()}
    others = {key: by_id[key] for key in by_id if key not in known and (keep_others or key in used)}
    left_out = [key for key in by_id if key not in known and key not in others]
    joined.queries = {**joined.queries, **known, **others}
    texts = [by_id[key].text or key for key in left_out]
    return joined, [
        *_notice(unknown, names, f"not in {file}"),
        *_notice(ambiguous, names, f"the text of several queries in {file}"),
        *_notice(texts, by_id, f"only in {file}, without judgments, and left out"),
    ]


def _names_in(
    judgments: Judgments, queries: Sequence[Query], by_id: Mapping[str, Query]
) -> tuple[dict[str, str], list[str], list[str]]:
    """Match queries by id or text: {old key: id}, the keys without a match, and those with several."""
    by_text = grouped((query.text, query.id) for query in queries if query.text is not None)
    names: dict[str, str] = {}
    unknown, ambiguous = [], []
    for key in judgments.all_queries:
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
            ambiguous.append(key)
    return names, unknown, ambiguous


def _united(query: Query, other: Query | None) -> Query:
    """Unite two descriptions of a query; the first counts where both say something."""
    if other is None:
        return query
    return replace(
        query,
        text=other.text if query.text is None else query.text,
        weight=other.weight if query.weight == 1 else query.weight,
        params=query.params or other.params,
        note=query.note or other.note,
    )


def _refuse_two_for_one(names: Mapping[str, str], file: str) -> None:
    problems = [
        f"the queries {listed(map(quoted, several), 'and')} are one in {file}, {quoted(new)}; join them"
        for new, several in grouped((new, old) for old, new in names.items()).items()
        if len(several) > 1
    ]
    if problems:
        raise ValueError("\n".join(problems))


def _notice(keys: Sequence[str], all_of_them: Iterable[str], what: str) -> list[str]:
    if not keys:
        return []
    named = ", ".join(quoted(key, 40) for key in keys[:_MOST_NAMED]) + (" ..." if len(keys) > _MOST_NAMED else "")
    total = counted(len(list(all_of_them)), "query", "queries")
    return [f"{len(keys):,} of {total} {'is' if len(keys) == 1 else 'are'} {what}: {named}"]
