"""Read TREC's qrels and runs: lines of columns between blanks or tabs.

Qrels are `qid iter docid grade` and runs `qid Q0 docid rank score tag`. Some files have
comments and blank lines. A document id may have a `#` in it, so only a line that begins
with `#` is a comment. See https://trec.nist.gov and the `trec_eval` sources.
"""

from __future__ import annotations

import re
from math import isfinite
from sys import intern

from pytest_relevance._problems import Place, Problems
from pytest_relevance._source import Source
from pytest_relevance._text_table import WHITE, TextTable, white_cells
from pytest_relevance.ext.formats import writing
from pytest_relevance.ext.formats.qrels_columns import (
    FourColumns,
    order_of_run,
    refuse_other_columns,
)
from pytest_relevance.ext.formats.run_rows import SCORE, Results, RunRows
from pytest_relevance.ext.formats.runs import EMPTY
from pytest_relevance.judgments.formats import JudgmentFormat, Rankings, RunFormat
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.model import Ratings

QRELS_WIDTH, RUN_WIDTH = 4, 6
"""The number of columns."""

_LOOKED_AT = 20
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf(?:inity)?)", re.IGNORECASE)


def is_qrels(source: Source) -> bool:
    """Say whether most of the first lines have four columns, the last one a number."""
    return _has(source, QRELS_WIDTH, number=3)


def is_run(source: Source) -> bool:
    """Say whether most of the first lines have six columns, the fifth one a score.

    The score may be infinite or NaN.
    """
    return _has(source, RUN_WIDTH, number=4)


def _has(source: Source, width: int, number: int) -> bool:
    """Say whether most first lines have `width` columns, and a number in `number`."""
    lines = _first_lines(source)
    fitting = 0
    for line in lines:
        rows = (white_cells(line), line.rstrip("\r").split("\t"))
        if any(len(row) == width and _is_number(row[number]) for row in rows):
            fitting += 1
    return 2 * fitting > len(lines)


def _is_number(cell: str) -> bool:
    """Say whether a cell is a number. Infinity and NaN count as numbers."""
    return number_of(cell) is not None or _NOT_FINITE.fullmatch(cell) is not None


def _first_lines(source: Source) -> list[str]:
    lines = [line for line in source.first_lines if not line.startswith("#")]
    return lines[:_LOOKED_AT]


def rows_of(source: Source, width: int) -> TextTable:
    """Return the lines of a file as a table of `width` columns.

    White space separates the cells. If the first line has `width` columns only between
    tabs, tabs separate the cells, and ids may have spaces.
    """
    separator = WHITE
    for line in _first_lines(source)[:1]:
        cells = line.rstrip("\r").split("\t")
        if len(cells) == width and len(white_cells(line)) != width:
            separator = "\t"
    return TextTable(source, [""] * width, separator, comments=True)


def order_of_short_run(source: Source) -> str | None:
    """Return the names of the columns if the file is a run with four columns.

    Return None for any other file.
    """
    if not is_qrels(source):
        return None
    return order_of_run(_four_columns(source))


def _four_columns(source: Source) -> FourColumns:
    table = rows_of(source, QRELS_WIDTH)
    queries, second, third, fourth = table.columns(range(QRELS_WIDTH))
    return FourColumns(queries, second, third, fourth, table.place)


def read_qrels(source: Source) -> Ratings:
    """Return the ratings in qrels. The second column, the iteration, has no meaning.

    Raises:
        FileError: lines are wrong, the file is a run or has no judgments, the second
            column has the documents, or a document of a query is judged for several
            subtopics.
    """
    if is_run(source) and not is_qrels(source):
        source.refuse(
            "this is a TREC run, qid Q0 docid rank score tag; judgments are needed: qid iter docid grade",
            Place(line=1),
        )
    rows = _four_columns(source)
    if not rows.queries:
        source.refuse("the file has no judgments, only comments")
    refuse_other_columns(source, rows)
    return Ratings(
        source.file,
        "trec",
        queries=rows.queries,
        documents=rows.third,
        ratings=rows.fourth,
        place=rows.place,
        by_id=True,
    )


def read_run(source: Source) -> Rankings:
    """Return the rankings of a run, sorted by score as trec_eval does.

    The ranks in the file do not count.

    Raises:
        FileError: lines are wrong, there are none, or the run has four columns instead
            of six.
    """
    _refuse_short_run(source)
    table = rows_of(source, RUN_WIDTH)
    rows = RunRows(SCORE)
    problems = Problems(source.file)
    results, query_before = Results(), None
    split = table.split
    for number, line in enumerate(table.lines(), 1):
        try:
            query, _, document, _, written, _ = split(line)
            score = float(written)
        except ValueError:
            _add_mistake(problems, table, rows, line, number)
            continue
        if not document or not isfinite(score) or "_" in written:
            _add_mistake(problems, table, rows, line, number)
            continue
        if query != query_before:
            if not query or line.startswith("#"):
                _add_mistake(problems, table, rows, line, number)
                continue
            results, query_before = rows.results_of(query), query
        results.documents.append(intern(document))
        results.numbers.append(score)
    problems.raise_if_any()
    return rows.rankings(source.file) or source.refuse(EMPTY)


def _add_mistake(
    problems: Problems, table: TextTable, rows: RunRows, line: str, number: int
) -> None:
    """Record what is wrong with a line of a run, unless it is blank or a comment."""
    if line.isspace() or line.startswith("#"):
        return
    cells = table.split(line)
    if len(cells) == RUN_WIDTH:
        mistake = rows.add(query=cells[0], document=cells[2], value=cells[4])
    else:
        mistake = table.wrong_width(len(cells))
    problems.add(mistake, Place(line=number))


def _refuse_short_run(source: Source) -> None:
    """Raise FileError for a run with four columns, which could be taken for qrels."""
    order = order_of_short_run(source)
    if order is not None:
        source.refuse(
            f"this seems to be a run, {order}; a TREC run has six columns, qid Q0 docid "
            "rank score tag; write those, or a table with the header query_id, doc_id, rank",
            Place(line=1),
        )


def _is_run_of_any_width(source: Source) -> bool:
    return is_run(source) or order_of_short_run(source) is not None


def _is_qrels_or_run(source: Source) -> bool:
    """Say whether the lines are qrels or a run. The reader then refuses a run."""
    return is_qrels(source) or is_run(source)


QRELS = JudgmentFormat(
    name="trec",
    about="TREC qrels: qid iter docid grade",
    fits=_is_qrels_or_run,
    read=read_qrels,
    fits_queries=is_qrels,
    write=writing.write_qrels,
    aliases=("qrels",),
)

RUN = RunFormat(
    name="trec",
    about="qid Q0 docid rank score tag",
    fits=_is_run_of_any_width,
    read=read_run,
    write=writing.write_run,
)
