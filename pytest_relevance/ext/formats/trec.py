"""TREC's qrels and runs: lines of columns between blanks or tabs.

Qrels are `qid iter docid grade` and runs `qid Q0 docid rank score tag`. Comments and blank
lines occur in the wild. A document id may have a `#` in it, so only a line that begins with one
is a comment. See https://trec.nist.gov and the `trec_eval` sources.
"""

from __future__ import annotations

import re
from typing import NoReturn

from pytest_relevance._problems import Place
from pytest_relevance._source import Source
from pytest_relevance._tables import WHITE, TextTable, white_cells
from pytest_relevance.ext.formats import writing
from pytest_relevance.ext.formats.qrels_columns import (
    QrelsRows,
    order_of_run,
    refuse_other_columns,
)
from pytest_relevance.ext.formats.runs import ranked_or_refused
from pytest_relevance.judgments.formats import JudgmentFormat, Rankings, RunFormat
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.model import Ratings

QRELS_WIDTH, RUN_WIDTH = 4, 6
"""The number of columns."""

_LOOKED_AT = 20
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf(?:inity)?)", re.IGNORECASE)


def is_qrels(source: Source) -> bool:
    """Whether most of the first lines are four columns, a number last."""
    return _has(source, QRELS_WIDTH, number=3)


def is_run(source: Source) -> bool:
    """Whether most of the first lines are six columns, a score before the last, be it infinite or no number."""
    return _has(source, RUN_WIDTH, number=4)


def _has(source: Source, width: int, number: int) -> bool:
    lines = _first_lines(source)
    fitting = 0
    for line in lines:
        for cells in (white_cells(line), line.rstrip("\r").split("\t")):
            if len(cells) == width and (
                number_of(cells[number]) is not None
                or _NOT_FINITE.fullmatch(cells[number])
            ):
                fitting += 1
                break
    return 2 * fitting > len(lines)


def _first_lines(source: Source) -> list[str]:
    return [
        line
        for line in source.head.split("\n")
        if line.strip() and not line.startswith("#")
    ][:_LOOKED_AT]


def rows_of(source: Source, width: int) -> TextTable:
    """Split a file into rows of `width` cells. Where only tabs make that number of columns, ids may have spaces."""
    first = next(iter(_first_lines(source)), "").rstrip("\r")
    separator = (
        "\t" if len(first.split("\t")) == width != len(white_cells(first)) else WHITE
    )
    return TextTable(source, [""] * width, separator, comments=True)


def refuse_run(source: Source) -> NoReturn:
    """Refuse a run in the place of judgments."""
    source.refuse(
        "this is a TREC run, qid Q0 docid rank score tag; judgments are needed: qid iter docid grade",
        Place(line=1),
    )


def order_of_short_run(source: Source) -> str | None:
    """Return the names of the columns if the file has four columns, as qrels have, and is a run."""
    if not is_qrels(source):
        return None
    rows = rows_of(source, QRELS_WIDTH)
    queries, iterations, documents, grades = rows.columns(range(QRELS_WIDTH))
    return order_of_run(QrelsRows(queries, iterations, documents, grades, rows.place))


def read_qrels(source: Source) -> Ratings:
    """Read qrels. The second column, the iteration, has no meaning.

    Raises:
        FileError: it is a run, has no judgments, or has a document of a query for several subtopics.
    """
    if is_run(source) and not is_qrels(source):
        refuse_run(source)
    rows = rows_of(source, QRELS_WIDTH)
    queries, iterations, documents, grades = rows.columns(range(QRELS_WIDTH))
    if not queries:
        source.refuse("the file has no judgments, only comments")
    refuse_other_columns(
        source, QrelsRows(queries, iterations, documents, grades, rows.place)
    )
    return Ratings(
        source.file, "trec", queries, documents, grades, place=rows.place, by_id=True
    )


def read_run(source: Source) -> Rankings:
    """Read a run, sorted as trec_eval does, whatever its ranks say.

    Raises:
        FileError: lines are wrong, or the file has four columns and is a run.
    """
    order = order_of_short_run(source)
    if order is not None:
        source.refuse(
            f"this seems to be a run, {order}; a TREC run has six columns, qid Q0 docid "
            "rank score tag; write those, or a table with the header query_id, doc_id, rank",
            Place(line=1),
        )
    rows = rows_of(source, RUN_WIDTH)
    queries, documents, scores = rows.columns([0, 2, 4])
    return ranked_or_refused(source, queries, documents, "score", scores, rows.place)


def _is_run_of_any_width(source: Source) -> bool:
    return is_run(source) or order_of_short_run(source) is not None


def _is_qrels_or_run(source: Source) -> bool:
    """Whether the lines are qrels, or a run, which the reader calls by its name."""
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
