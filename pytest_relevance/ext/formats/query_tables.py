"""Read tables of queries, and lines `id<TAB>text` without a header.

Tables have columns for id, text, weight and note. A table of judgments that has the
texts of its queries is a table of queries too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pytest_relevance._json_text import found_json
from pytest_relevance._object_table import ObjectTable
from pytest_relevance._problems import Place, Problems
from pytest_relevance._source import Source
from pytest_relevance._tables import Table, table_of
from pytest_relevance._text_table import TextTable
from pytest_relevance.ext.formats.judgment_tables import (
    columns_of_documents,
    is_judgment_table,
    layout_of,
    naming_advice,
)
from pytest_relevance.ext.formats.query_rows import (
    QueryRows,
    cells_of,
    params_in,
    refuse_contradictions,
    unread_numbers,
    unread_of_table,
)
from pytest_relevance.judgments import columns
from pytest_relevance.judgments.columns import SPELLINGS
from pytest_relevance.judgments.formats import UnreadColumn
from pytest_relevance.judgments.grade_text import why_no_number
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.model import Query

_LOOKED_AT = 20
"""The number of lines by which `id<TAB>text` is recognised."""

_QUERY_COLUMNS = ("query_id", "query", "weight", "note")

_DIGIT = re.compile("[0-9]")
_CALLED_ID = re.compile(
    r"(?i:(?:^|[ _.-])(?:id|no|nr|num|number|key))$|[a-z](?:Id|ID|Nr|Number)$"
)
"""How the names of columns of ids end: `topic_nr`, `topicId`."""


def is_query_table(source: Source) -> bool:
    """Say whether a file has a header of queries or judgments, or ids and texts.

    Ids and texts are lines `id<TAB>text` without a header.
    """
    return has_query_header(source) or _are_ids_and_texts(source)


def has_query_header(source: Source) -> bool:
    """Say whether the first line is a header of queries or of judgments.

    `q1<TAB>boots` is not a header, because `q1` has a digit.
    """
    names = source.header.names
    if is_judgment_table(source):
        return True
    if len(names) == 2 and _DIGIT.search(names[0]) and _are_ids_and_texts(source):
        return False
    if "query" not in query_columns(source, names):
        return False
    # a header with only a document or only a grade is a header of judgments with a
    # mistake
    return not columns.find_columns(names, ("document", "grade"))


def query_columns(source: Source, names: Sequence[str]) -> dict[str, int]:
    """Return {meaning: number} of the columns of queries, for example `query_id`.

    In a table of judgments only the names in `SPELLINGS` count.
    """
    if layout_of(source, names) is not None:
        return columns.find_columns(names, _QUERY_COLUMNS)
    is_table = source.is_parquet or source.looks_like_json
    return columns.query_columns(names, is_table=is_table)


def read_query_table(source: Source) -> list[Query]:
    """Return the queries in a table of queries or of judgments, text or Parquet.

    Raises:
        FileError: the header has no column of texts, or rows are wrong.
    """
    table = table_of(source) if _has_header(source) else _table_without_header(source)
    _refuse_other_tables(source, table)
    at = query_columns(source, table.names)
    is_judged = layout_of(source, table.names) is not None
    found = _read_columns(table, at)
    if is_judged and "query_id" in found:
        # a judgment without an id of its query has the text for a key
        pairs = zip(found["query_id"], found["query"], strict=True)
        found["query_id"] = [key or text for key, text in pairs]
    if isinstance(table, ObjectTable):
        found["params"] = params_in(table.rows, source, table.place)

    def unread() -> dict[str, Sequence[object]]:
        numbers = unread_numbers(table, _columns_that_are_read(source, table))
        return {table.names[number]: cells_of(table, number) for number in numbers}

    refuse_contradictions(
        QueryRows(source, found, table.place, unread, beside_judgments=is_judged)
    )
    return distinct_rows(source, found, table.place)


def _has_header(source: Source) -> bool:
    return source.is_parquet or source.looks_like_json or has_query_header(source)


def _refuse_other_tables(source: Source, table: Table) -> None:
    """Raise FileError for a run, and for a table without texts of queries."""
    names = columns.shown_names(table.names)
    is_judged = layout_of(source, table.names) is not None
    if columns.is_run_header(table.names) and not is_judged:
        wrong = f"this seems to be a run, not queries; found {names}"
    elif "query" in query_columns(source, table.names):
        return
    elif is_judged:
        wrong = (
            f"these are judgments that have only the ids of queries; found {names}; name "
            "a file with their texts"
        )
    else:
        spellings = ", ".join(SPELLINGS["query"])
        advice = naming_advice(table.names, table.names)
        wrong = f"the file has no column of queries ({spellings}); found {names}. If it has one, {advice}"
    source.refuse(wrong, Place(line=table.header_line))


def _read_columns(table: Table, at: Mapping[str, int]) -> dict[str, Sequence[Any]]:
    """Return {meaning: cells} of the columns of queries.

    The cells are texts; weights are as the file has them.
    """
    texts = [name for name in at if name != "weight"]
    numbers = ["weight"] if "weight" in at else []
    cells = table.cells([at[name] for name in texts], [at[name] for name in numbers])
    return dict(zip([*texts, *numbers], cells, strict=True))


def unread_columns(source: Source) -> list[UnreadColumn]:
    """Return the columns of a table of queries that nothing reads."""
    if not _has_header(source):
        return []
    table = table_of(source)
    judged = layout_of(source, table.names)
    read = _columns_that_are_read(source, table)
    return unread_of_table(table, read, beside_judgments=judged is not None)


def _columns_that_are_read(source: Source, table: Table) -> set[int]:
    """Return the numbers of the columns of queries and of judgments."""
    read = set(query_columns(source, table.names).values())
    judged = layout_of(source, table.names)
    if judged is not None:
        read.update(judged.at.values())
        read.update(judged.grade_columns)
        ids = columns_of_documents(table)
        if ids is not None:
            read.update(ids.read)
    return read


# Lines without a header


def _are_ids_and_texts(source: Source) -> bool:
    lines = _lines_of_head(source)[:_LOOKED_AT]
    return bool(lines) and all(line.count("\t") == 1 for line in lines)


def _lines_of_head(source: Source) -> list[str]:
    return [line for line in source.head.split("\n") if line.strip()]


def _seems_a_header(source: Source) -> bool:
    """Say whether the first of the lines `id<TAB>text` seems to be a header.

    It seems so if its first cell ends as names of ids do (`topic_nr`), or if all ids
    below have a digit and this cell has none.
    """
    if not _are_ids_and_texts(source):
        return False
    cells = [line.partition("\t")[0] for line in _lines_of_head(source)]
    first, ids = cells[0], cells[1:]
    if _CALLED_ID.search(first):
        return True
    if len(ids) < 2 or _DIGIT.search(first):
        return False
    return all(_DIGIT.search(each) for each in ids)


def _table_without_header(source: Source) -> TextTable:
    """Return lines `id<TAB>text` as a table.

    Raises FileError for other lines, and if the first line seems to be a header.
    """
    wrong = advice = ""
    if _seems_a_header(source):
        wrong = (
            "the first line seems to be a header that is not known: call the columns "
            "query_id and query"
        )
    elif columns.is_run_header(source.header.names):
        wrong = "this seems to be a run, not queries"
    elif not _are_ids_and_texts(source):
        spellings = " or ".join(SPELLINGS["query"][:3])
        wrong = (
            f"a file of queries has a header with {spellings} (and query_id), or lines of "
            "an id, a tab and a text"
        )
        advice = f". If this is a header, {naming_advice(source.header.names, source.header.names)}"
    if wrong:
        names = columns.shown_names(source.header.names)
        source.refuse(f"{wrong}; found {names}{advice}", Place(line=1))
    return TextTable(source, ["id", "text"])


# Queries


def distinct_rows(
    source: Source, columns: Mapping[str, Sequence[Any]], place: Callable[[int], Place]
) -> list[Query]:
    """Return the queries of rows, each query once, in the order of the rows.

    `columns` has `query`, and perhaps `query_id`, `weight`, `note` and `params`.

    Raises:
        FileError: there are no rows, a row is wrong, or two texts have one id.
    """
    texts = columns["query"]
    ids = columns.get("query_id", texts)
    first: dict[tuple[str, str], int] = {}
    for row, pair in enumerate(zip(ids, texts, strict=True)):
        first.setdefault(pair, row)
    given = [name for name in ("weight", "note", "params") if name in columns]
    found = []
    for row in first.values():
        at = place(row)
        more = {name: columns[name][row] for name in given}
        query = query_or_mistake(ids[row], texts[row], line=at.line or None, **more)
        found.append((query, at))
    queries = distinct(source, found)
    if not queries:
        source.refuse("the file has no queries, only a header")
    return queries


def query_or_mistake(
    key: str,
    text: str | None,
    *,
    weight: object = None,
    note: str | None = None,
    params: Mapping[str, object] | None = None,
    line: int | None = None,
) -> Query | str:
    """Return a query, or a message about what is wrong with it.

    `weight`: as it is written in the file; None or empty for 1.
    """
    if not key.strip():
        return "the query has no id"
    if text is not None and not text.strip():
        return "the query has no text"
    number = 1 if weight in ("", None) else number_of(str(weight))
    if number is None or number <= 0:
        why = why_no_number(str(weight))
        advice = f"; it {why}" if why is not None else ""
        return f"a weight is a number above 0, found {found_json(weight)}{advice}"
    return Query(
        key,
        text,
        weight=number,
        params=params or {},
        note=note or None,
        line=line,
    )


def distinct(
    source: Source, queries: Iterable[tuple[Query | str, Place]]
) -> list[Query]:
    """Return the queries, each id once.

    `queries`: for each row of a file its query, or a message about what is wrong with
        the row; and the place of the row.

    Raises:
        FileError: something is wrong, or two queries of one id have different texts.
    """
    known: dict[str, Query] = {}
    problems = Problems(source.file)
    for query, place in queries:
        if isinstance(query, str):
            problems.add(query, place)
            continue
        earlier = known.setdefault(query.id, query)
        if earlier.text != query.text:
            problems.add(earlier.another_text(query), place)
    problems.raise_if_any()
    return list(known.values())
