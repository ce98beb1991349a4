"""The columns of files of queries that nothing reads: which are mistakes, and which are
named once.

A column `min_ndcg` or `tags` beside the queries is meant for their cases. Nothing reads
it there, so a floor that somebody has written would not be checked. So a column that is
named like a key of a case is a mistake.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance._problems import FileError, Problem
from pytest_relevance._text import closest, listed, quoted
from pytest_relevance.cases.keys import CASE, KEYS
from pytest_relevance.judgments.columns import MORE_SPELLINGS, SPELLINGS, folded
from pytest_relevance.judgments.formats import UnreadColumn


def _usual_names() -> set[str]:
    """Give the usual names of the columns of a query, its id and its weight."""
    names = {"id"}
    for what in ("query", "query_id", "weight"):
        for spelling in (*SPELLINGS[what], *MORE_SPELLINGS.get(what, ())):
            names.add(folded(spelling))
    return names


_KEYS = {folded(name): name for name in KEYS[CASE]}
_USUAL_NAMES = _usual_names()
"""A second column of such a name is no mistake."""

_OF_TESTS_ALONE = frozenset(
    {
        "expect",
        "min_judged",
        "min_ndcg",
        "params",
        "tolerance",
        "unjudged",
        "usefixtures",
        "xfail",
    }
)
"""The keys that no column of documents is called. Beside judgments, `discount` may be
that of a product.
"""


def key_of_a_case(column: UnreadColumn) -> str | None:
    """Find the key of a case that a column is named like."""
    name = folded(column.name)
    key = _KEYS.get(name)
    if key is None or name in _USUAL_NAMES:
        return None
    if column.beside_judgments and key not in _OF_TESTS_ALONE:
        return None
    return key


def check_columns(file: str, unread: Sequence[UnreadColumn]) -> FileError | None:
    """Make the error for columns that are named like keys of a case; None if there are
    none.
    """
    problems = []
    for column in unread:
        key = key_of_a_case(column)
        if key is not None:
            problems.append(Problem(_mistake(column.name, key), column.place))
    return FileError(file, problems) if problems else None


def _mistake(name: str, key: str) -> str:
    """Make the message for a column that is named like a key."""
    if key == "params":
        return (
            f"the column {quoted(name)} is not read. Write params in JSON: "
            '{"query": ..., "params": {"locale": "de"}}; or rename the column'
        )
    return (
        f"the column {quoted(name)} is named like the key {key} of a case, and nothing "
        f"reads it. Write {key} in the case file, for all queries or in a case of its own; "
        "or rename the column"
    )


def notice_of_columns(file: str, unread: Sequence[UnreadColumn]) -> str | None:
    """Name the other columns that nothing reads, in one sentence; None if there are
    none with content.

    Beside judgments, other columns are about documents and are not named.
    """
    names = []
    for column in unread:
        if column.beside_judgments or column.is_empty or key_of_a_case(column):
            continue
        names.append(column.name)
    if not names:
        return None
    columns = "column" if len(names) == 1 else "columns"
    shown = listed(map(quoted, names), "and")
    return f"{file}: nothing reads the {columns} {shown}{_hint(names)}"


def _hint(names: Sequence[str]) -> str:
    """Say which key a column may be meant as, if its name is misspelt."""
    for name in names:
        key = closest(name, tuple(KEYS[CASE]), cutoff=0.8)
        if key is not None:
            return f"; is {quoted(name)} meant as the key {quoted(key)} of a case?"
    return ""
