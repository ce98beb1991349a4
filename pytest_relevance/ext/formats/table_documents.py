"""Read and check the ids of the documents in a table of judgments or of a run."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance._problems import FileError, Place, Problems
from pytest_relevance._tables import Table
from pytest_relevance._text import counted, examples, listed, quoted
from pytest_relevance.judgments.document_ids import (
    DocumentColumns,
    Indexes,
    JudgedIn,
    NoColumn,
    document_columns,
    index_column,
    keys_of_documents,
    refuse_row_numbers,
    row_with_two_ids,
)
from pytest_relevance.judgments.id_lists import entries_of_list, find_lists


def columns_of_documents(table: Table) -> DocumentColumns | None:
    """Return the columns that `id_field` names; None without `id_field`.

    Raises FileError if the table lacks one of them.
    """
    try:
        return document_columns(table.source.ids, table.names)
    except NoColumn as error:
        table.source.refuse(str(error), Place(line=table.header_line))


def joined_ids(table: Table, columns: DocumentColumns) -> list[str]:
    """Return the id of the document of each row, joined from the columns of `id_field`.

    Raises FileError if a row lacks a part of the id.
    """
    parts = table.cells(columns.read)
    try:
        refuse_row_numbers(columns, parts)
    except NoColumn as error:
        table.source.refuse(str(error), Place(line=table.header_line))
    joined = []
    problems = Problems(table.source.file)
    for row, values in enumerate(zip(*parts, strict=True)):
        try:
            joined.append(columns.join([value.strip() for value in values]))
        except NoColumn as error:
            problems.add(str(error), table.place(row))
    problems.raise_if_any()
    return joined


def refuse_two_ids(
    table: Table, document: int, documents: Sequence[str], advice: str
) -> None:
    """Raise FileError if two columns have different ids of the document in a row.

    `document`: the number of the column that has the ids `documents`.
    `advice`: what to do, for the message.
    """
    names = keys_of_documents(table.names)
    if len(names) < 2 or table.names[document] not in names:
        return
    for name in names:
        others = table.cells([table.names.index(name)])[0]
        row = row_with_two_ids(documents, others)
        if row is not None:
            table.source.refuse(
                f"the document has two ids, {table.names[document]} "
                f"{quoted(documents[row])} and {name} {quoted(others[row])}; {advice}",
                table.place(row),
            )


# Ids that are lists of ids

_WORKLIST_COLUMNS = frozenset({"ranks", "move"})
"""Columns of worklists, and of the tables that pages offer for download.

A search returned the ids in these files, so none of them is a list.
"""


def refuse_lists(
    table: Table, queries: Sequence[str], documents: Sequence[str]
) -> list[str]:
    """Raise FileError for all rows whose document can only be a list of ids.

    Return a notice about ids that may be lists; [] if there are none.
    """
    if _WORKLIST_COLUMNS.issubset(table.names):
        return []
    lists = find_lists(documents)
    problems = Problems(table.source.file)
    if lists.sure:
        for row, document in enumerate(documents):
            if document in lists.sure:
                message = _list_message(queries[row], document, lists.sure[document])
                problems.add(message, table.place(row))
            if problems.is_full:
                break
    problems.raise_if_any()
    if not lists.doubtful:
        return []
    doubtful = sorted(lists.doubtful)
    is_read = "are read as one document each"
    if len(doubtful) == 1:
        is_read = "is read as one document"
    return [
        f"{counted(len(doubtful), 'id')} {is_read}: {examples(doubtful)}; if these are "
        "lists, write a row for each document"
    ]


def _list_message(query: str, document: str, parts: Sequence[str]) -> str:
    """Return the message that the document of a row is a list of ids, `parts`."""
    ids = [quoted(part, 40) for part in parts[:3]]
    if len(parts) > 3:
        ids.append("...")
    naming = ""
    if entries_of_list(document):
        naming = " Lists are read if you name the columns: {file: ..., query: COLUMN, document: COLUMN}."
    return (
        f"query {quoted(query)}, document {quoted(document)}: this seems to be a list of "
        "documents, and a row has one; write a row for each of "
        f"{listed(ids, 'and')}.{naming} If it is one id, write the judgments as JSON, "
        "{query: {document: grade}}"
    )


# Documents in several indexes


def refuse_two_indexes(
    table: Table,
    document: int,
    queries: Sequence[str],
    documents: Sequence[str],
    grades: Sequence[Sequence[object]],
) -> None:
    """Raise FileError if a document has different grades in two indexes.

    `document`: the number of the column of ids.
    `queries`, `documents`: the query and the document of each row.
    `grades`: the columns of grades, one for each rater.
    """
    name = index_column(table.names)
    if name is None or table.names.index(name) == document:
        return
    try:
        indexes = table.cells([table.names.index(name)])[0]
    except FileError:  # the column has no texts, so no names of indexes
        return
    known = Indexes(name, table.names[document])
    problems = Problems(table.source.file)
    for row, query in enumerate(queries):
        if not documents[row] or not indexes[row]:
            continue
        given = tuple(column[row] for column in grades)
        judged = JudgedIn(query, documents[row], indexes[row], given)
        why = known.why_two(judged)
        if why:
            problems.add(why, table.place(row))
    problems.raise_if_any()
