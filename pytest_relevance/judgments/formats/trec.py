"""TREC's files: qrels (`qid iter docid grade`) and runs (`qid Q0 docid rank score tag`), between white space or tabs.

Comments and blank lines occur in the wild. A document id may have a `#` in it, so only a line that begins with one is a
comment. See https://trec.nist.gov and the `trec_eval` sources.
"""

from __future__ import annotations

import re

from pytest_relevance.judgments.formats.table import WHITE, Rows, white_cells
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.model import Ratings
from pytest_relevance.judgments.problems import Place
from pytest_relevance.judgments.source import Source

QRELS, RUN = 4, 6
"""The number of columns."""

_LOOKED_AT = 20
_SCORES = 3
_MEASURE = re.compile(
    r"(?:num_(?:q|ret|rel|rel_ret)|runid|gm_|set_|11pt_avg|G|map|Rprec|bpref|infAP|rbp|rbp_resid|recip_rank|utility|binG|relstring"
    r"|(?:iprec_at_recall|P|relative_P|recall|Rprec_mult|ndcg|map_cut|ndcg_cut|ndcg_rel|Rndcg|success)(?:_|$)).*"
)
"""The names of trec_eval's measures."""

_WORD = re.compile(r"[A-Za-z][\w.@()=]*")


def is_qrels(source: Source) -> bool:
    """Whether most of the first lines are four columns, a number last."""
    return _has(source, QRELS, number=3) and not is_statistics(source)


def is_iterated(source: Source) -> bool:
    """Whether each of the first lines is one of qrels or of a run, whatever the file was named as."""
    rows = [white_cells(line) for line in _first_lines(source)]
    of_qrels = all(len(row) == QRELS and row[1] in ("0", "Q0") and number_of(row[3]) is not None for row in rows)
    of_run = all(len(row) == RUN and row[1] in ("0", "Q0") and number_of(row[4]) is not None for row in rows)
    return bool(rows) and (of_qrels or of_run)


def is_statistics(source: Source) -> bool:
    """Whether the lines are `qid measure mean deviation`, as trec_eval reads them for z-scores."""
    rows = [white_cells(line) for line in _first_lines(source)]
    return bool(rows) and all(len(row) == QRELS and _is_statistic(*row) for row in rows)


def _is_statistic(query: str, measure: str, mean: str, deviation: str) -> bool:
    is_measure = _MEASURE.fullmatch(measure) or (_WORD.fullmatch(measure) and measure.upper() != "Q0" and "." in mean)
    return bool(is_measure) and number_of(mean) is not None and number_of(deviation) is not None


def is_scores(source: Source) -> bool:
    """Whether the lines are what trec_eval prints, `measure qid value`."""
    rows = [white_cells(line) for line in _first_lines(source)]
    return bool(rows) and all(len(row) == _SCORES and _MEASURE.fullmatch(row[0]) is not None for row in rows)


def is_run(source: Source) -> bool:
    """Whether most of the first lines are six columns, a score before the last."""
    return _has(source, RUN, number=4)


def _has(source: Source, width: int, number: int) -> bool:
    lines = _first_lines(source)
    fitting = 0
    for line in lines:
        for cells in (white_cells(line), line.rstrip("\r").split("\t")):
            if len(cells) == width and number_of(cells[number]) is not None:
                fitting += 1
                break
    return 2 * fitting > len(lines)


def _first_lines(source: Source) -> list[str]:
    return [line for line in source.head.split("\n") if line.strip() and not line.startswith("#")][:_LOOKED_AT]


def rows_of(source: Source, width: int) -> Rows:
    """Split a file into rows of `width` cells. Where only tabs make that number of columns, ids may have spaces."""
    first = next(iter(_first_lines(source)), "").rstrip("\r")
    separator = "\t" if len(first.split("\t")) == width != len(white_cells(first)) else WHITE
    return Rows(source, separator, width, comments=True)


def read_qrels(source: Source) -> Ratings:
    """Read qrels. The second column, the iteration, has no meaning.

    Raises:
        JudgmentFileError: it is a run or statistics, or has no judgments.
    """
    if is_statistics(source):
        source.refuse("this seems to be statistics of trec_eval, qid measure mean deviation; qrels are needed", 1)
    if is_run(source) and not is_qrels(source):
        source.refuse(
            "this seems to be a TREC run, qid Q0 docid rank score tag; qrels are needed, qid iter docid grade", 1
        )
    rows = rows_of(source, QRELS)
    queries, documents, grades = rows.columns([0, 2, 3])
    if not queries:
        source.refuse("the file has no judgments, only comments")
    return Ratings(source.file, "trec", queries, documents, grades, place=lambda row: Place(rows.line(row)), by_id=True)
