"""Say what is missing in the header of a table that should have judgments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NoReturn

from pytest_relevance._problems import Place
from pytest_relevance._source import Source
from pytest_relevance._text import closest, did_you_mean, quoted
from pytest_relevance.judgments.columns import (
    GRADE_COLUMN,
    JUDGMENT_COLUMNS,
    SPELLINGS,
    column_called,
    find_columns,
    is_run_header,
    plain_name,
    shown_names,
)
from pytest_relevance.judgments.document_ids import NoColumn, document_columns

_NEEDED = (("query_id", "query"), ("document",), ("grade",))
"""The kinds of columns that judgments need: one of each tuple."""

_QUESTIONS = frozenset({"question", "input", "userinput", "prompt"})
"""The plain names of columns of queries in golden sets of other tools."""

_CALLED_IDS = re.compile(r"(?:doc|document|chunk|node|page|source|id)(?:id)?s?$")
_CALLED_TEXTS = re.compile(r"(?:context|passage|quote|snippet|excerpt)s?$")
"""How the plain names of columns of ids and of texts end."""

_ENDS_AS_ID = re.compile(r"(?:^|[a-z0-9 _.-])(?:id|ids|no|nr|num|number|key|code)$")
"""How the names of columns of ids end in lower case."""

_SHORT = 4
"""The most letters of a short name. Short names are alike by chance: `id` and `did`."""


def refuse_header(source: Source, names: Sequence[str], line: int = 1) -> NoReturn:
    """Raise FileError for a header that is not one of judgments.

    The message says what was found, what is missing, and which column may be misspelt.
    """
    place = Place(line=line)
    try:
        document_columns(source.ids, names)
    except NoColumn as error:
        source.refuse(str(error), place)
    wanted = source.options.get(GRADE_COLUMN)
    if wanted is not None and column_called(names, wanted) is None:
        source.refuse(
            f"there is no column {quoted(wanted)} for the grades; the columns are "
            f"{shown_names(names)}{did_you_mean(wanted, list(names))}",
            place,
        )
    at = find_columns(names, JUDGMENT_COLUMNS)
    others = [name for number, name in enumerate(names) if number not in at.values()]
    is_run = is_run_header(names)
    head = "judgments have columns for the query, the document and the grade"
    if is_run:
        head = (
            "this seems to be a run, with a rank or a score and no grade; judgments are "
            "needed"
        )
        at.pop("grade", None)
    advice = ""
    if "document" in at and "grade" not in at:
        advice = (
            f"; if a column has the grades, name it ({GRADE_COLUMN}: ..., --grade-column "
            "of a command)"
        )
    elif "grade" not in at and not is_run:
        advice = f". If the file has no grades, {naming_advice(names, others)}"
    lacking = "; ".join(_lacking(at, others))
    source.refuse(f"{head}; found {shown_names(names)}: {lacking}{advice}", place)


def _lacking(at: Mapping[str, int], others: Sequence[str]) -> list[str]:
    """Return a sentence for each column that a table of judgments lacks.

    `at`: {kind of content: number} of the columns that were found.
    `others`: the names of the other columns. A sentence names one of them if it may be
        the missing column.
    """
    lacking = []
    for kinds in _NEEDED:
        if not at.keys().isdisjoint(kinds):
            continue
        spellings: list[str] = []
        for kind in kinds:
            spellings += SPELLINGS[kind]
        what = kinds[-1]
        such = ", ".join(spellings[:6])
        hint = _meant_column(what, others, spellings)
        lacking.append(f"no column for the {what} (such as {such}){hint}")
    return lacking


def _meant_column(what: str, names: Sequence[str], spellings: Sequence[str]) -> str:
    """Return advice to rename a column that may be that of `what`; "" if none may."""
    for name in names:
        if len(name) > _SHORT:
            close = closest(name, tuple(spellings), cutoff=0.8)
            if close is not None:
                return f"; if {quoted(name)} is the {what}, call it {close}"
    if what == "document":
        for name in names:
            if _ENDS_AS_ID.search(name.lower()):
                return f"; if {quoted(name)} is the document, call it doc_id"
    return ""


def naming_advice(names: Sequence[str], others: Sequence[str]) -> str:
    """Return the advice to name the columns of the queries and of what they need.

    `others`: the names of columns that may have what the queries need.
    """
    query = "COLUMN"
    for name in names:
        if find_columns([name], ("query",)) or plain_name(name) in _QUESTIONS:
            query = name
            break
    option, needed = "document", "COLUMN"
    for name in others:
        if name == query:
            continue
        if _CALLED_TEXTS.search(plain_name(name)):
            option, needed = "context", name
            break
        if _CALLED_IDS.search(plain_name(name)):
            needed = name
            break
    return f"name its columns: {{file: ..., query: {query}, {option}: {needed}}} (or passage: for quotes)"
