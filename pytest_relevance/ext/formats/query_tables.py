"""Read tables of queries, and lines `id<TAB>text` without a header.

Tables have columns for id, text, weight and note. A table of judgments that has the
texts of its queries is a table of queries too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_relevance._object_table import ObjectTable
from pytest_relevance._problems import Place
from pytest_relevance._source import Source
from pytest_relevance._tables import Table, table_of
from pytest_relevance._text_table import TextTable
from pytest_relevance.ext.formats.judgment_tables import (
    is_judgment_table,
    keys_of_queries,
    layout_of,
)
from pytest_relevance.ext.formats.mapped_columns import (
    mapped_columns,
    read_mapped_columns,
    refuse_missing_columns,
)
from pytest_relevance.ext.formats.missing_columns import naming_advice
from pytest_relevance.ext.formats.query_building import queries_of_rows
from pytest_relevance.ext.formats.query_rows import (
    QueryRows,
    params_in,
    unread_numbers,
    unread_of_table,
)
from pytest_relevance.ext.formats.table_documents import columns_of_documents
from pytest_relevance.judgments import columns
from pytest_relevance.judgments.columns import SPELLINGS
from pytest_relevance.judgments.formats import UnreadColumn
from pytest_relevance.judgments.model import QueryList
from pytest_relevance.judgments.row_rules import (
    DROP,
    ID,
    MERGE,
    WEIGHT,
    RowRules,
    rules_in,
)

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
    if is_judgment_table(source) or rules_of(source).maps:
        return True
    if len(names) == 2 and _DIGIT.search(names[0]) and _are_ids_and_texts(source):
        return False
    if "query" not in query_columns(source, names):
        return False
    # a header with only a document or only a grade is a header of judgments with a
    # mistake
    return not columns.find_columns(names, ("document", "grade"))


def rules_of(source: Source) -> RowRules:
    """Return what the user says of the rows of a file of queries."""
    return rules_in(source.options)


def query_columns(source: Source, names: Sequence[str]) -> dict[str, int]:
    """Return {meaning: number} of the columns of queries, for example `query_id`.

    Some columns are mapped by the user, others have a usual name. A column that is
    mapped has no other meaning by its name. In a table of judgments only the names in
    `SPELLINGS` are usual.
    """
    rules = rules_of(source)
    at = _mapped_or_usual(source, names)
    for meaning in list(at):
        if _is_off(meaning, rules):
            del at[meaning]
    if rules.sample_by is not None and not rules.maps_key(WEIGHT):
        at.pop(WEIGHT, None)  # the sizes for the sample are the weights
    return at


def _mapped_or_usual(source: Source, names: Sequence[str]) -> dict[str, int]:
    """Return {meaning: number} of the columns that are mapped or have a usual name.

    Among them are the columns with a usual name that the user says are not read.
    """
    rules = rules_of(source)
    unmapped = list(names)
    at = {}
    for column in mapped_columns(rules, names):
        number = column.path.number
        # a column `text` has a usual name only beside a column of ids
        unmapped[number] = "query_id" if column.meaning == "query_id" else ""
        if column.meaning in _QUERY_COLUMNS:
            at[column.meaning] = number
    if layout_of(source, names) is not None:
        usual = columns.find_columns(unmapped, _QUERY_COLUMNS)
    else:
        is_table = source.is_parquet or source.looks_like_json or rules.maps
        usual = columns.query_columns(unmapped, is_table=is_table)
    return {**usual, **at}


def _is_off(meaning: str, rules: RowRules) -> bool:
    """Say whether the user says that no column has a meaning: `columns: {id: null}`."""
    return rules.is_off(ID if meaning == "query_id" else meaning)


def read_query_table(source: Source) -> QueryList:
    """Return the queries in a table of queries or of judgments, text or Parquet.

    Raises:
        FileError: the header has no column of texts, a column that the user names is
            not there, or rows are wrong.
    """
    table = table_of(source) if _has_header(source) else _table_without_header(source)
    rules = rules_of(source)
    refuse_missing_columns(table, rules)
    _refuse_other_tables(source, table)
    is_judged = layout_of(source, table.names) is not None
    if is_judged:
        _refuse_merge_and_drop(table, rules)
    found = _read_columns(table, query_columns(source, table.names), rules)
    if is_judged and "query_id" in found:
        found["query_id"] = keys_of_queries(found)
    if isinstance(table, ObjectTable):
        found["params"] = params_in(table.rows, source, table.place)
    read_mapped_columns(table, rules, found)

    def unread() -> dict[str, Sequence[object]]:
        numbers = unread_numbers(table, _columns_that_are_read(source, table))
        names = [table.names[number] for number in numbers]
        return dict(zip(names, table.columns(numbers), strict=True))

    rows = QueryRows(source, found, table.place, unread, beside_judgments=is_judged)
    return queries_of_rows(rows, rules)


def _has_header(source: Source) -> bool:
    return source.is_parquet or source.looks_like_json or has_query_header(source)


def _refuse_merge_and_drop(table: Table, rules: RowRules) -> None:
    """Raise FileError if rows of a table of judgments are to be merged or dropped."""
    if rules.merge or rules.drop:
        option = MERGE if rules.merge else DROP
        table.source.refuse(
            f"{option} is for files of queries alone, and this is a table of judgments, with a row for each document; "
            f"take {option} out",
            Place(line=table.header_line),
        )


def _refuse_other_tables(source: Source, table: Table) -> None:
    """Raise FileError for a run, and for a table without texts of queries."""
    names = columns.shown_names(table.names)
    is_judged = layout_of(source, table.names) is not None
    is_run = columns.is_run_header(table.names) and not is_judged
    has_queries = "query" in query_columns(source, table.names)
    if has_queries and (rules_of(source).maps or not is_run):
        return
    if is_run:
        wrong = f"this seems to be a run, not queries; found {names}"
    elif is_judged:
        wrong = (
            f"these are judgments that have only the ids of queries; found {names}; name "
            "a file with their texts"
        )
    else:
        spellings = ", ".join(SPELLINGS["query"])
        advice = _mapping_advice(table.names)
        wrong = f"the file has no column of queries ({spellings}); found {names}. If it has one, {advice}"
    source.refuse(wrong, Place(line=table.header_line))


def _mapping_advice(names: Sequence[str]) -> str:
    """Return the advice to map the column of the queries, or to name more columns."""
    return (
        "map the column of the queries: {file: ..., columns: {query: COLUMN}}. If it has what each query needs, "
        f"{naming_advice(names, names)}"
    )


def _read_columns(
    table: Table, at: Mapping[str, int], rules: RowRules
) -> dict[str, Sequence[Any]]:
    """Return {meaning: cells} of the columns of queries.

    Weights are as the file has them, all other cells are texts. Columns within which a
    path leads to the value are left out.
    """
    at = dict(at)
    for column in mapped_columns(rules, table.names):
        if column.path.keys:
            at.pop(column.meaning, None)
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
    """Return the numbers of the columns of queries and of judgments.

    A column that the user says is not read counts as read, so that no notice names it.
    """
    rules = rules_of(source)
    read = set(query_columns(source, table.names).values())
    for meaning, number in _mapped_or_usual(source, table.names).items():
        if _is_off(meaning, rules):
            read.add(number)
    for column in mapped_columns(rules, table.names):
        read.add(column.path.number)
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
    lines = source.first_lines[:_LOOKED_AT]
    return bool(lines) and all(line.count("\t") == 1 for line in lines)


def _seems_a_header(source: Source) -> bool:
    """Say whether the first of the lines `id<TAB>text` seems to be a header.

    It seems so if its first cell ends as names of ids do (`topic_nr`), or if all ids
    below have a digit and this cell has none.
    """
    if not _are_ids_and_texts(source):
        return False
    first, *ids = [line.partition("\t")[0] for line in source.first_lines]
    if _CALLED_ID.search(first):
        return True
    if len(ids) < 2 or _DIGIT.search(first):
        return False
    return all(_DIGIT.search(each) for each in ids)


def _table_without_header(source: Source) -> TextTable:
    """Return lines `id<TAB>text` as a table. Raises FileError for other lines."""
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
        advice = f". If this is a header, {_mapping_advice(source.header.names)}"
    if wrong:
        names = columns.shown_names(source.header.names)
        source.refuse(f"{wrong}; found {names}{advice}", Place(line=1))
    return TextTable(source, ["id", "text"])


# Queries


def distinct_rows(
    source: Source, columns: Mapping[str, Sequence[Any]], place: Callable[[int], Place]
) -> QueryList:
    """Return the queries of rows without a table, each query once, in their order.

    `columns` has `query`, and perhaps `query_id`.

    Raises:
        FileError: there are no rows, a row is wrong, or two texts have one id.
    """
    rules = rules_of(source)
    for option in rules.given:
        if option not in (MERGE, DROP):
            source.refuse(
                f"{option} is for a table with columns, and this file has none; take it out"
            )
    return queries_of_rows(QueryRows(source, columns, place, dict), rules)
