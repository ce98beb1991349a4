"""Read runs in tables and in JSON.

A row is like a row of judgments, with a score or a rank instead of a grade. Runs in
lines of TREC are read in `trec`, records in `records`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter

from pytest_relevance._problems import Place, Problems
from pytest_relevance._source import Source
from pytest_relevance._tables import Table, table_of
from pytest_relevance._text import found, listed, quoted
from pytest_relevance.ext.formats import quepid
from pytest_relevance.ext.formats.run_rows import RANK, SCORE, RunRows
from pytest_relevance.ext.formats.table_documents import refuse_two_ids
from pytest_relevance.judgments.columns import (
    SPELLINGS,
    find_columns,
    has_ids,
    plain_name,
    shown_names,
)
from pytest_relevance.judgments.formats import Rankings, RunFormat
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.judgment_layout import Layout, find_layout

_WANTED = ("query_id", "query", "document", "rank", "score")

EMPTY = "the file has no results, only a header or comments"

_FIRST_LINE = Place(line=1)


# Tables


def _read_table(source: Source) -> Rankings:
    """Return the rankings of a table with a row for each result."""
    table = table_of(source)
    columns = _columns_of_run(source, table)
    cells = table.cells(
        [columns.query, columns.document],
        [] if columns.number is None else [columns.number],
    )
    queries, documents = cells[0], cells[1]
    refuse_two_ids(table, columns.document, documents, "take one of the columns out")
    values = range(len(queries)) if columns.number is None else cells[2]
    rows = RunRows(columns.order)
    problems = Problems(source.file)
    for row, query in enumerate(queries):
        mistake = rows.add(query, documents[row], values[row])
        if mistake:
            problems.add(mistake, Place(line=table.place(row).line))
            if problems.is_full:
                break
    problems.raise_if_any()
    return rows.rankings(source.file) or source.refuse(EMPTY)


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of a run, each as its index in the table.

    `number`: the column of scores or ranks; None if the rows are in order, best first.
    `order`: what the column `number` has, `SCORE` or `RANK`.
    """

    query: int
    document: int
    number: int | None
    order: str


def _columns_of_run(source: Source, table: Table) -> _Columns:
    """Return the columns of a run. Raises FileError for judgments."""
    of_snapshot = quepid.snapshot_columns(table.names)
    if of_snapshot is not None:
        _refuse_several_snapshots(source, table, of_snapshot["snapshot_name"])
        return _Columns(
            query=of_snapshot["query_text"],
            document=of_snapshot["doc_id"],
            number=of_snapshot["doc_position"],
            order=RANK,
        )
    _refuse_judgments(source, table)
    at = find_columns(table.names, _WANTED)
    if not has_ids(at):
        ids = ", ".join(SPELLINGS["query_id"])
        documents = ", ".join(SPELLINGS["document"][:5])
        source.refuse(
            "a table of a run has columns for the query and the document "
            f"({ids} or query, and {documents} ...); found {shown_names(table.names)}",
            _FIRST_LINE,
        )
    query = at["query_id"] if "query_id" in at else at["query"]
    for order in (RANK, SCORE):
        if order in at:
            return _Columns(query, at["document"], number=at[order], order=order)
    _refuse_other_scores(source, table)
    return _Columns(query, at["document"], number=None, order=RANK)


def _refuse_several_snapshots(source: Source, table: Table, column: int) -> None:
    """Raise FileError if `column` names more than one snapshot of Quepid."""
    snapshots = list(dict.fromkeys(table.cells([column])[0]))
    if len(snapshots) > 1:
        several = listed([quoted(name, 40) for name in snapshots[:3]], "and")
        source.refuse(
            f"there are {len(snapshots)} snapshots in the file, such as {several}; keep "
            "one of them",
            _FIRST_LINE,
        )


def _refuse_judgments(source: Source, table: Table) -> None:
    """Raise FileError if the table has grades: it is not a run then."""
    judged = find_layout(table.names)
    if judged is None or not _are_grades(judged, table):
        return
    graded = [table.names[number] for number in judged.grade_columns]
    names = listed(graded, "and")
    source.refuse(
        f"this seems to be a table of judgments, with grades in {names}, and a run is "
        "needed: a table with a rank or a score, and without grades",
        _FIRST_LINE,
    )


def _are_grades(judged: Layout, table: Table) -> bool:
    """Say whether a table that looks like judgments has grades.

    A table has grades if its columns are named like grades. Columns that are named
    after raters have grades if all their cells are numbers.
    """
    if "grade" in judged.at or judged.are_ratings:
        return True
    for column in table.cells([], judged.grade_columns):
        for cell in column:
            if isinstance(cell, str) and cell.strip() and number_of(cell) is None:
                return False
    return True


def _refuse_other_scores(source: Source, table: Table) -> None:
    """Raise FileError if a column may have scores: its name ends with `score`."""
    for name in table.names:
        if plain_name(name).endswith("score"):
            source.refuse(
                f"the column {name} may be the score that the run is to be sorted by; "
                "call it score, or rank the rows in a column rank",
                _FIRST_LINE,
            )


# JSON

_RANKING_SHAPES = "{document: score} or [document, ...]"
_JSON_SHAPES = (
    f"{{query: {_RANKING_SHAPES}}}, or rows with query, doc_id and rank or score"
)


def _read_json(source: Source) -> Rankings:
    """Return the rankings in JSON.

    The forms are `_JSON_SHAPES`, JSON Lines of rows, and a snapshot of Quepid.
    """
    content = source.entries if source.is_json_lines else source.json
    snapshot = quepid.snapshot_rows(content)
    if snapshot is not None:
        return _read_queries(source, snapshot)
    if isinstance(content, (list, tuple)):
        if any(isinstance(row, dict) for row in content):
            return _read_table(source)
    if not isinstance(content, dict):
        source.refuse(f"a run in JSON is {_JSON_SHAPES}; found {found(content)}")
    return _read_queries(source, content.items())


def _read_queries(source: Source, queries: Iterable[tuple[str, object]]) -> Rankings:
    """Return the rankings in pairs of a query and a ranking (`_RANKING_SHAPES`)."""
    rows = RunRows(SCORE)
    problems = Problems(source.file)
    for query, ranking in queries:
        if query in rows:
            source.refuse(f"the query {quoted(query)} stands twice; keep one of them")
        rows.results_of(query)
        for document, score in _scored(source, query, ranking):
            mistake = rows.add(query, document, score)
            if mistake:
                problems.add(mistake)
    problems.raise_if_any()
    return rows.rankings(source.file)


def _scored(
    source: Source, query: str, ranking: object
) -> Iterable[tuple[str, object]]:
    """Return (document, score) for each document of a ranking.

    A list has no scores, so its documents get 0, -1, -2 ...
    """
    if isinstance(ranking, dict):
        return ranking.items()
    if not isinstance(ranking, (list, tuple)):
        source.refuse(
            f"query {quoted(query)}: a ranking is {_RANKING_SHAPES}; found "
            f"{found(ranking)}"
        )
    scored = []
    for index, document in enumerate(ranking):
        # str() makes a plain text of a number that is kept as it is written
        scored.append((str(document) if isinstance(document, str) else "", -index))
    return scored


# Which files are runs


def _has_header(source: Source) -> bool:
    """Say whether the first line is a header with columns of queries and documents."""
    return has_ids(find_columns(source.header.names, _WANTED))


def _begins_like_json(source: Source) -> bool:
    return source.head.lstrip()[:1] in ("{", "[")


PARQUET = RunFormat(
    name="parquet",
    about="a Parquet file",
    fits=attrgetter("is_parquet"),
    read=_read_table,
)

CSV = RunFormat(
    name="csv",
    about="a table with a header: query_id, doc_id, rank or score",
    fits=_has_header,
    read=_read_table,
)

JSON = RunFormat(
    name="json", about=_JSON_SHAPES, fits=_begins_like_json, read=_read_json
)
