"""Tables about documents in the report of a case: their columns, notes and fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from pytest_relevance.reports.cells import RIGHT, Column, document_columns
from pytest_relevance.reports.styled_lines import (
    DIM,
    Line,
    folded_lines,
)
from pytest_relevance.reports.table import Table
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.changes import Change, Move
from pytest_relevance.results.losses import Loss


def table_of_documents() -> Table:
    """Return a table about documents, without rows.

    Its columns are id, title, grade, the name of the grade, rank, and the cost.
    """
    return Table(
        [
            *document_columns(""),
            Column(gap=3),
            Column(gap=1, drop_order=1),
            Column(gap=3),
            Column(align=RIGHT, gap=3),
        ],
        indent=2,
    )


def lines_with_notes(
    table: Table, documents: Sequence[Loss | Move], result: CaseResult, columns: int
) -> Iterator[Line]:
    """Yield the rows of a table about documents as lines, each followed by its note.

    `documents`: the document of each row.
    """
    for spans, about in zip_longest(table.row_lines(columns), documents):
        yield spans
        if about is None:
            continue
        note = result.texts.notes.get(about.document or "", "")
        if note:
            yield from folded_lines(f"      {note}", DIM, columns, "      ")


def field_lines(result: CaseResult, columns: int) -> list[Line]:
    """Return the table of further fields of the documents that the report names."""
    shown = result.texts.shown
    documents = []
    names: dict[str, None] = {}
    for document in _named_documents(result):
        if shown.get(document):
            documents.append(document)
            names.update(dict.fromkeys(shown[document]))
    fields = [Column(name, cut_to=12) for name in names]
    table = Table(
        [Column("document", cut_to=12), *fields],
        indent=2,
        title="about the documents",
    )
    for document in documents:
        table.add(document, *[shown[document].get(name, "") for name in names])
    return table.lines(columns)


def _named_documents(result: CaseResult) -> dict[str, None]:
    """Return the documents that the report of a case names, each once."""
    gains = result.conditions.settings.gains
    documents = dict.fromkeys(result.ranking.documents[: result.conditions.k])
    for document, grade in result.evaluation.missing:
        if gains[grade] > 0:
            documents[document] = None
    moves = Change.since_baseline(result).moves
    if moves is not None:
        for move in moves.left:
            documents[move.document] = None
    for outcome in result.evaluation.outcomes:
        if not outcome.met:
            documents.update(dict.fromkeys(outcome.documents))
    return documents
