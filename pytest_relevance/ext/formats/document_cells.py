"""The cells of documents in tables of judgments: one that holds several ids is refused,
with what to write.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance._problems import Problems
from pytest_relevance._tables import Table
from pytest_relevance._text import counted, examples, listed, quoted
from pytest_relevance.judgments.id_lists import find_lists

_OF_A_WORKLIST = frozenset({"ranks", "move"})
"""Columns of worklists and of the downloads of pages: their ids were returned by a
search, so none of them is a list.
"""


def refuse_lists(
    table: Table, queries: Sequence[str], documents: Sequence[str]
) -> list[str]:
    """Refuse cells that hold several ids of documents. Return a notice of cells that
    may hold several.

    Raises:
        FileError: with each row whose document is surely a list of ids.
    """
    if set(table.names) >= _OF_A_WORKLIST:
        return []
    lists = find_lists(documents)
    problems = Problems(table.source.file)
    if lists.sure:
        for row, (query, document) in enumerate(zip(queries, documents, strict=True)):
            parts = lists.sure.get(document)
            if parts is not None and not problems.is_full:
                problems.add(_message(query, document, parts), table.place(row))
    problems.raise_if_any()
    if not lists.doubtful:
        return []
    cells = sorted(lists.doubtful)
    is_read = (
        "is read as one document"
        if len(cells) == 1
        else "are read as one document each"
    )
    return [
        f"{counted(len(cells), 'id')} {is_read}: {examples(cells)}; if these are lists, write a row for each document"
    ]


def _message(query: str, document: str, parts: Sequence[str]) -> str:
    ids = [quoted(part, 40) for part in parts[:3]] + ["..."] * (len(parts) > 3)
    return (
        f"query {quoted(query)}, document {quoted(document)}: this seems to be a list of documents, and a row has one; "
        f"write a row for each of {listed(ids, 'and')}. If it is one id, write the judgments as JSON, "
        "{query: {document: grade}}"
    )
