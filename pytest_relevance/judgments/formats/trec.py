"""TREC's files: qrels (`qid iter docid grade`) and runs (`qid Q0 docid rank score tag`), between white space or tabs.

Comments and blank lines occur in the wild. A document id may have a `#` in it, so only a line that begins with one is a
comment. See https://trec.nist.gov and the `trec_eval` sources.
"""

from __future__ import annotations

from pytest_relevance.judgments.formats.lines import WHITE, Rows, white_cells
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.model import Place, Ratings
from pytest_relevance.judgments.source import Source

QRELS, RUN = 4, 6
"""How many columns they have."""

_LOOKED_AT = 20


def is_qrels(source: Source) -> bool:
    """Whether most of the first lines are four columns, a number last."""
    return _has(source, QRELS, number=3)


def is_run(source: Source) -> bool:
    """Whether most of the first lines are six columns, a score before the last."""
    return _has(source, RUN, number=4)


def _has(source: Source, width: int, number: int) -> bool:
    lines = [line for line in source.head.split("\n") if line.strip() and not line.startswith("#")][:_LOOKED_AT]
    fitting = 0
    for line in lines:
        for cells in (white_cells(line), line.rstrip("\r").split("\t")):
            if len(cells) == width and number_of(cells[number]) is not None:
                fitting += 1
                break
    return 2 * fitting > len(lines)


def rows_of(source: Source, width: int) -> Rows:
    """The rows of a file. Where only tabs make the right number of columns, ids may have spaces."""
    lines = (line for line in source.head.split("\n") if line.strip() and not line.startswith("#"))
    first = next(lines, "").rstrip("\r")
    separator = "\t" if len(first.split("\t")) == width != len(white_cells(first)) else WHITE
    return Rows(source, separator, width, comments=True)


def read_qrels(source: Source) -> Ratings:
    """Read qrels. The second column, the iteration, says nothing."""
    rows = rows_of(source, QRELS)
    queries, documents, grades = rows.columns([0, 2, 3])
    if not queries:
        source.refuse("the file has no judgments, only comments")
    return Ratings(source.file, "trec", queries, documents, grades, place=lambda row: Place(rows.line(row)), by_id=True)
