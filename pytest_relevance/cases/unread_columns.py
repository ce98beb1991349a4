"""The columns of files of queries that nothing reads.

A column that is named like a key of a case, and that nothing reads, is a mistake. For
example, the floors in a column `min_ndcg` would not be checked. Other columns that
nothing reads are named in a notice.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance._problems import FileError, Problem
from pytest_relevance._text import closest, listed, quoted
from pytest_relevance.cases.keys import CASE, KEYS
from pytest_relevance.judgments.columns import (
    MAYBE_SEARCHES,
    MORE_SPELLINGS,
    SPELLINGS,
    plain_name,
)
from pytest_relevance.judgments.formats import UnreadColumn
from pytest_relevance.judgments.row_rules import MAPPED_KEYS


def _usual_names() -> set[str]:
    names = {"id"}
    for what in ("query", "query_id", "weight"):
        for spelling in (*SPELLINGS[what], *MORE_SPELLINGS.get(what, ())):
            names.add(plain_name(spelling))
    return names


_KEYS = {plain_name(name): name for name in KEYS[CASE]}
_USUAL_NAMES = _usual_names()
"""A second column of such a name is no mistake."""

_OF_TESTS_ALONE = frozenset(
    {
        "exclude_passages",
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
"""Keys of a case whose names only tests use.

A file of queries that also has judgments has columns about documents. There a column is
a mistake only if it is named like one of these keys: a column `discount` may be about a
product, and a column `min_ndcg` is not.
"""


def _key_of_a_case(column: UnreadColumn) -> str | None:
    """Return the key of a case that a column is named like; None if there is none."""
    name = plain_name(column.name)
    key = _KEYS.get(name)
    if key is None or name in _USUAL_NAMES:
        return None
    if column.beside_judgments and key not in _OF_TESTS_ALONE:
        return None
    return key


def check_columns(file: str, unread: Sequence[UnreadColumn]) -> FileError | None:
    """Return the error about columns that are named like keys of a case.

    None if there are no such columns.
    """
    problems = []
    for column in unread:
        key = _key_of_a_case(column)
        if key is not None:
            problems.append(Problem(_mistake(column.name, key), column.place))
    return FileError(file, problems) if problems else None


def _mistake(name: str, key: str) -> str:
    """Return the message for a column that is named like a key and is not read."""
    if key == "params":
        return (
            f"the column {quoted(name)} is not read. Map a column to each parameter (params: {{locale: COLUMN}}), or "
            'write params in JSON: {"query": ..., "params": {"locale": "de"}}; or rename the column'
        )
    wrong = (
        f"the column {quoted(name)} is named like the key {key} of a case, and nothing "
        "reads it"
    )
    if key in MAPPED_KEYS:
        return f"{wrong}. Map it (columns: {{{key}: {name}}}), or rename the column"
    return (
        f"{wrong}. Write {key} in the case file, for all queries or in a case of its own; "
        "or rename the column"
    )


def notice_of_columns(
    file: str, unread: Sequence[UnreadColumn], *, is_weighted: bool
) -> str | None:
    """Return a notice that names columns with content that nothing reads, or None.

    Columns in a file with judgments are not named: they are about documents.

    `is_weighted`: whether the file sets weights.
    """
    names = []
    for column in unread:
        if column.beside_judgments or column.is_empty or _key_of_a_case(column):
            continue
        names.append(column.name)
    if not names:
        return None
    columns = "column" if len(names) == 1 else "columns"
    shown = listed(map(quoted, names), "and")
    return f"{file}: nothing reads the {columns} {shown}{_hint(names, is_weighted=is_weighted)}"


def _hint(names: Sequence[str], *, is_weighted: bool) -> str:
    """Return what a column may be meant as, else "": the weight, or a misspelt key."""
    for name in names:
        if not is_weighted and plain_name(name) in MAYBE_SEARCHES:
            return (
                f"; if {quoted(name)} is how often a query was searched, it may be the weight: "
                f"columns: {{weight: {name}}}"
            )
    for name in names:
        key = closest(name, tuple(KEYS[CASE]), cutoff=0.8)
        if key is not None:
            return f"; is {quoted(name)} meant as the key {quoted(key)} of a case?"
    return ""
