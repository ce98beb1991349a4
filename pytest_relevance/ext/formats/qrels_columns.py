"""Recognise lines of four columns that are not qrels.

Qrels are `qid iter docid grade`. Four columns that end with a number may also be a run,
`qid docid rank score`, or qrels for diversity. If these were read as qrels, the
judgments would name documents that do not exist.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._problems import Place
from pytest_relevance._source import Source
from pytest_relevance._text import counted, quoted
from pytest_relevance.judgments.grading import number_of

_NEEDED = "qrels are qid iter docid grade"
_HIGHEST_GRADE = 6
"""The highest grade of the scales in use. A column that counts further has ranks."""

_SMALL_NUMBER = re.compile(r"[0-9]{1,2}(?:\.[0-9])?")
_COUNTER = re.compile(r"[0-9]{1,2}|q0", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FourColumns:
    """The cells of four columns, as they are written in the file.

    In qrels, `second` has iterations, `third` documents and `fourth` grades.

    `place`: a function that returns the position of a row in the file.
    """

    queries: Sequence[str]
    second: Sequence[str]
    third: Sequence[str]
    fourth: Sequence[str]
    place: Callable[[int], Place]


def refuse_other_columns(source: Source, rows: FourColumns) -> None:
    """Raise FileError if the rows are surely not qrels.

    They are a run, the second column has the documents, or they are qrels for
    diversity.
    """
    order = order_of_run(rows)
    if order is not None:
        source.refuse(
            f"this seems to be a run, {order}: a column counts 1, 2, 3 ... for each query; judgments are needed: "
            f"{_NEEDED}",
            Place(line=1),
        )
    if _documents_are_second(rows):
        source.refuse(
            f"the third column is {quoted(rows.third[0])} in every line, and the second column varies: the "
            f"document seems to stand in the second column; {_NEEDED}",
            Place(line=1),
        )
    _refuse_diversity(source, rows)


# Runs


def order_of_run(rows: FourColumns) -> str | None:
    """Return the names of the columns if the rows are a run; None if they may be qrels.

    Example: `qid docid rank score`. Tools for MS MARCO write this.
    """
    second_varies = len(set(rows.second)) > 1
    counts_further = str(_HIGHEST_GRADE + 1) in rows.fourth
    if not second_varies and not counts_further:
        return None  # nearly all qrels
    rows_of = _rows_of_queries(rows.queries)
    if second_varies and not _are_rounds(rows.second):
        if _are_ranked(rows.second, rows.third, rows_of):
            return "qid docid rank score"
        has_scores = _are_scores(rows.third)
        if has_scores and _are_ranked(rows.second, rows.fourth, rows_of):
            return "qid docid score rank"
    if counts_further and _count_their_rows(rows.fourth, rows_of):
        return "qid Q0 docid rank"
    return None


def _rows_of_queries(queries: Sequence[str]) -> dict[str, list[int]]:
    """Return {query: numbers of its rows}."""
    rows_of: dict[str, list[int]] = {}
    for row, query in enumerate(queries):
        rows_of.setdefault(query, []).append(row)
    return rows_of


def _are_rounds(iterations: Sequence[str]) -> bool:
    """Say whether a column has rounds of judging, as TREC-COVID has.

    Rounds are small numbers, and some of them end with .5.
    """
    values = set(iterations)
    has_halves = any(value.endswith(".5") for value in values)
    return has_halves and all(map(_SMALL_NUMBER.fullmatch, values))


def _are_ranked(
    documents: Sequence[str], ranks: Sequence[str], rows_of: Mapping[str, list[int]]
) -> bool:
    """Say whether most queries with several rows have ranks, from 1 or from 0 on.

    `documents`, `ranks`: the columns that may have documents and their ranks. A query
        that has a document twice is not ranked.
    `rows_of`: {query: numbers of its rows}.
    """
    several = [rows for rows in rows_of.values() if len(rows) > 1]
    ranked = 0
    for rows in several:
        has_repeats = len({documents[row] for row in rows}) < len(rows)
        if not has_repeats and _is_count([ranks[row] for row in rows]):
            ranked += 1
    return ranked > len(several) / 2


def _is_count(values: Sequence[str]) -> bool:
    """Say whether the values are 1 to n, or 0 to n - 1, in any order."""
    count = len(values)
    from_zero = set(map(str, range(count)))
    from_one = set(map(str, range(1, count + 1)))
    return set(values) in (from_zero, from_one)


def _are_scores(column: Sequence[str]) -> bool:
    """Say whether a column has only numbers, some of them with decimals."""
    numbers = [number_of(value) for value in set(column)]
    return None not in numbers and any(isinstance(each, float) for each in numbers)


def _count_their_rows(column: Sequence[str], rows_of: Mapping[str, list[int]]) -> bool:
    """Say whether a column counts the rows of each query: 1, 2, 3 ...

    One query must have more rows than the highest grade of any usual scale.
    """
    if max(map(len, rows_of.values())) <= _HIGHEST_GRADE:
        return False
    for rows in rows_of.values():
        for rank, row in enumerate(rows, 1):
            if column[row] != str(rank):
                return False
    return True


# Other columns


def _documents_are_second(rows: FourColumns) -> bool:
    """Say whether the second column varies, and the third has one rank or iteration.

    The third column may also have one document, which was judged for several queries in
    several rounds. Then the result is False.
    """
    if len(set(rows.third)) > 1 or len(set(rows.second)) == 1:
        return False
    is_counter = _COUNTER.fullmatch(rows.third[0]) is not None
    are_rounds = all(map(_SMALL_NUMBER.fullmatch, set(rows.second)))
    return is_counter or not are_rounds


def _refuse_diversity(source: Source, rows: FourColumns) -> None:
    """Raise FileError if a document of a query has two values in the second column.

    These seem to be qrels for diversity: the second column has subtopics.
    """
    if len(set(rows.second)) < 2:
        return
    first: dict[tuple[str, str], int] = {}
    differing = []
    for row, pair in enumerate(zip(rows.queries, rows.third, strict=True)):
        earlier = first.setdefault(pair, row)
        if rows.second[earlier] != rows.second[row]:
            differing.append(row)
    if not differing:
        return
    row = differing[0]
    query, document = rows.queries[row], rows.third[row]
    earlier = first[query, document]
    line = rows.place(earlier).line
    lines = counted(len(differing), "line")
    source.refuse(
        f"query {quoted(query)}, document {quoted(document)}: the second column is "
        f"{quoted(rows.second[earlier])} in line {line} and "
        f"{quoted(rows.second[row])} here ({lines} like this). These seem to be "
        "qrels for diversity, qid subtopic docid grade. Keep one line for each "
        "document of a query, for example the one with the highest grade",
        rows.place(row),
    )
