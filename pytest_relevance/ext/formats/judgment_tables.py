"""Read tables of judgments: exports of Quepid, qrels of BEIR and ESCI, JSON objects.

A table has one row for each rating, or one row for each document and a column for each
rater. `judgment_layout.find_layout` finds out which column has which meaning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_relevance._object_table import ObjectTable
from pytest_relevance._problems import Place, Problem, Problems
from pytest_relevance._source import Source
from pytest_relevance._tables import Table, table_of
from pytest_relevance._text import quoted
from pytest_relevance._text_table import TextTable
from pytest_relevance.ext.formats.missing_columns import refuse_header
from pytest_relevance.ext.formats.query_cells import is_blank
from pytest_relevance.ext.formats.table_documents import (
    columns_of_documents,
    joined_ids,
    refuse_lists,
    refuse_two_ids,
    refuse_two_indexes,
)
from pytest_relevance.judgments.columns import GRADE_COLUMN, MACHINE, plain_name
from pytest_relevance.judgments.document_ids import DocumentColumns, main_column
from pytest_relevance.judgments.judgment_layout import (
    BEIR_DOCUMENT,
    Layout,
    find_layout,
)
from pytest_relevance.judgments.model import Query, Ratings
from pytest_relevance.judgments.scale import rater_names

_ESCI_GRADES = {"exact": 3.0, "substitute": 2.0, "complement": 1.0, "irrelevant": 0.0}
"""The grades of ESCI's labels if no scale gives others."""

_ESCI_WORDS: dict[str, Sequence[str]] = {}
"""ESCI's labels, `exact` and `e`, each with both names that a scale may give it."""
for _label in _ESCI_GRADES:
    _ESCI_WORDS[_label] = _ESCI_WORDS[_label[0]] = (_label[0], _label)

_TEXTS = ("query_id", "query", "document", "rater", "title")

_WORKLIST = frozenset({"query_id", "query", "document", "ranks", "move", "grade"})
"""The columns by which a worklist is known."""


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cells of a table of judgments, column by column.

    `texts`: {kind of content: cells} of the columns with texts, for example `document`.
    `queries`: for each row the id of its query, or the text if the query has no id.
    `grades`: the columns of grades, one for each rater.
    """

    texts: Mapping[str, Sequence[str]]
    queries: Sequence[str]
    grades: Sequence[Sequence[object]]

    @property
    def documents(self) -> Sequence[str]:
        """The id of the document of each row."""
        return self.texts["document"]


def is_judgment_table(source: Source) -> bool:
    """Say whether the first line is the header of a table of judgments."""
    return layout_of(source, source.header.names) is not None


def layout_of(source: Source, names: Sequence[str]) -> Layout | None:
    """Return the columns of a table of judgments; None for any other table.

    The options of the source may name columns. `names`: the names of all columns.
    """
    document = main_column(source.ids, names)
    return find_layout(names, source.options.get(GRADE_COLUMN), document)


def read_table(source: Source, format: str | None = None) -> Ratings:
    """Return the ratings in a table of judgments.

    `format`: the name of the format that the ratings keep; by default csv or parquet.

    Raises:
        FileError: the header is not one of judgments, or rows are wrong.
    """
    table = table_of(source)
    id_columns = columns_of_documents(table)
    layout = layout_of(source, table.names)
    if layout is None:
        refuse_header(source, table.names, table.header_line)
    if isinstance(table, ObjectTable) and "grade" in layout.at:
        # a misspelt key would leave a document unjudged
        table.require(layout.at["grade"])
    cells = _read_cells(table, layout, id_columns)
    notices = [*layout.notices, *_check_documents(table, layout, id_columns, cells)]
    if format is None:
        format = "parquet" if source.is_parquet else "csv"
    rows = _ratings(table, layout, cells, format, notices)
    if "" in cells.queries or "" in cells.documents:
        return rows.where(_have_documents(rows))
    return rows


def _read_cells(
    table: Table, layout: Layout, id_columns: DocumentColumns | None
) -> _Cells:
    """Return the cells of the columns that have a meaning.

    `id_columns`: the columns that make the id of a document; None if one column has it.
    """
    kinds = [kind for kind in _TEXTS if kind in layout.at]
    numbers = [layout.at[kind] for kind in kinds]
    read: list[list[Any]]
    if isinstance(table, TextTable) and _is_beir(table):
        # these tables are not escaped for spreadsheets
        read = table.columns([*numbers, *layout.grade_columns])
    else:
        read = table.cells(numbers, layout.grade_columns)
    grades = read[len(kinds) :]
    of_texts = read[: len(kinds)]
    texts: dict[str, Sequence[str]] = dict(zip(kinds, of_texts, strict=True))
    if id_columns is not None:
        texts["document"] = joined_ids(table, id_columns)
    return _Cells(texts, queries=keys_of_queries(texts), grades=grades)


def keys_of_queries(texts: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """Return the key of the query of each row: its id, or else its text.

    `texts`: {kind of content: cells}, with `query_id`, `query` or both.
    """
    if "query_id" not in texts:
        return texts["query"]
    ids = texts["query_id"]
    if "query" not in texts or "" not in ids:
        return ids
    return [key or text for key, text in zip(ids, texts["query"], strict=True)]


def _is_beir(table: Table) -> bool:
    return any(plain_name(name) == BEIR_DOCUMENT for name in table.names)


def _check_documents(
    table: Table,
    layout: Layout,
    id_columns: DocumentColumns | None,
    cells: _Cells,
) -> list[str]:
    """Check the ids of documents. Return notices about ids that may be lists."""
    document = layout.at["document"]
    if id_columns is None:
        advice = "say which column has the id: {file: ..., id_field: NAME}"
        refuse_two_ids(table, document, cells.documents, advice)
    elif id_columns.field.is_template:
        return []
    notices = refuse_lists(table, cells.queries, cells.documents)
    refuse_two_indexes(table, document, cells.queries, cells.documents, cells.grades)
    return notices


def _ratings(
    table: Table,
    layout: Layout,
    cells: _Cells,
    format: str,
    notices: Sequence[str],
) -> Ratings:
    """Return the ratings in the cells: all of the first rater, then of the second."""
    count = len(cells.queries)
    raters = len(cells.grades)
    ratings: list[object] = []
    for grades in cells.grades:
        ratings += grades
    titles = cells.texts.get("title")
    is_esci = "grade" in layout.at and _is_esci(layout.names[layout.at["grade"]])
    unclear = None
    if layout.why_unclear:
        unclear = Problem(layout.why_unclear, Place(line=table.header_line))

    def place(row: int) -> Place:
        return table.place(row % count)

    return Ratings(
        table.source.file,
        format,
        queries=[*cells.queries] * raters,
        documents=[*cells.documents] * raters,
        ratings=ratings,
        raters=_raters(layout, cells),
        titles=None if titles is None else [*titles] * raters,
        described=_described(table, cells),
        place=place,
        words=_ESCI_WORDS if is_esci else {},
        grades_of_words=_ESCI_GRADES if is_esci else {},
        notices=notices,
        by_id="query_id" in layout.at,
        unclear=unclear,
        machine=_are_by_machine(table, layout, raters),
        is_worklist=_WORKLIST.issubset(table.names),
    )


def _is_esci(grade_column: str) -> bool:
    return plain_name(grade_column) == "escilabel"


# Who gave a grade


def _raters(layout: Layout, cells: _Cells) -> list[str] | None:
    """Return the rater of each rating; None if the table does not name raters."""
    if not layout.raters:
        return rater_names(cells.texts.get("rater"))
    raters = []
    for column in layout.raters:
        raters += [column.rater] * len(cells.queries)
    return raters


_ARE_MACHINES = {"true": True, "false": False, "": False}
"""Whether a machine gave the grade, by what the column may say."""


def _are_by_machine(table: Table, layout: Layout, raters: int) -> list[bool] | None:
    """Return for each rating whether a machine gave it; None without such a column.

    In a table without raters, a column `machine` may be a field of the documents, for
    example of washing machines. So there a column with other words is not read if it
    never has `true`.

    `raters`: how many ratings each row has.
    Raises FileError if the column has anything but `true`, `false` and blanks.
    """
    if MACHINE not in layout.at:
        return None
    (cells,) = table.columns([layout.at[MACHINE]])
    words = ["" if is_blank(cell) else str(cell).strip().casefold() for cell in cells]
    names_raters = "rater" in layout.at or bool(layout.raters)
    may_be_a_field = not names_raters and "true" not in words
    for row, word in enumerate(words):
        if word in _ARE_MACHINES:
            continue
        if may_be_a_field:
            return None
        table.source.refuse(
            f"the column {MACHINE} is true if a machine gave the grade, else false or "
            f"blank; found {quoted(str(cells[row]))}",
            table.place(row),
        )
    return [_ARE_MACHINES[word] for word in words] * raters


# Queries, and rows without a document


def _described(table: Table, cells: _Cells) -> dict[str, Query]:
    """Return {key: query} for queries with an id and a text, or without a document.

    Raises FileError if two texts have one id.
    """
    if not {"query", "query_id"} <= cells.texts.keys():
        return _queries_without_document(cells)
    described: dict[str, Query] = {}
    for row, key in enumerate(cells.queries):
        text = cells.texts["query"][row]
        known = described.get(key)
        if known is None:
            described[key] = Query(key, text)
        elif text and known.text != text:
            message = known.another_text(Query(key, text))
            table.source.refuse(message, table.place(row))
    return described


def _queries_without_document(cells: _Cells) -> dict[str, Query]:
    without: dict[str, Query] = {}
    if "" in cells.documents:
        for key, document in zip(cells.queries, cells.documents, strict=True):
            if key and not document:
                without[key] = Query(key, key)
    return without


def _have_documents(rows: Ratings) -> list[bool]:
    """Return for each row whether it has a document.

    A row may have only a query: the query has no judgments. Raises FileError for a
    document or a rating without a query, and for a rating without a document.
    """
    problems = Problems(rows.file)
    for row, rating in enumerate(rows.ratings):
        query, document = rows.queries[row], rows.documents[row]
        is_rated = rating is not None and bool(str(rating).strip())
        if not query and (document or is_rated):
            problems.add("the row has no query", rows.place(row))
        elif is_rated and not document:
            problems.add("the row has no document", rows.place(row))
    problems.raise_if_any()
    return [bool(document) for document in rows.documents]
