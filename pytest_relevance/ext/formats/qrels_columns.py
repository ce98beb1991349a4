"""Recognise lines of four columns that are not qrels.

Qrels are `qid iter docid grade`. Four columns that end with a number may also be a run,
`qid docid rank score`, or qrels for diversity. If these were read as qrels, the
judgments would name documents that do not exist.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pytest_relevance._problems import Place
from pytest_relevance._source import Source
from pytest_relevance._text import counted, quoted
from pytest_relevance.judgments.grading import number_of

_NEEDED = "qrels are qid iter docid grade"
_HIGHEST_SCALE = 6
"""The highest grade of the scales in use. A column with the next number has ranks."""

_NUMBER = re.compile(r"[0-9]{1,2}(?:\.[0-9])?")
_COUNTER = re.compile(r"[0-9]{1,2}|q0", re.IGNORECASE)


@dataclass(frozen=True)
class QrelsRows:
    """The four columns of qrels, as they are written in the file.

    `place`: a function that returns the position of a row in the file.
    """

    queries: Sequence[str]
    iterations: Sequence[str]
    documents: Sequence[str]
    grades: Sequence[str]
    place: Callable[[int], Place]


def refuse_other_columns(source: Source, rows: QrelsRows) -> None:
    """Raise FileError if the rows are surely not qrels.

    The third or fourth column of qrels does not have ranks. The second column does not
    have documents or subtopics.
    """
    order = order_of_run(rows)
    if order is not None:
        source.refuse(
            f"this seems to be a run, {order}: a column counts 1, 2, 3 ... for each query; judgments are needed: "
            f"{_NEEDED}",
            Place(line=1),
        )
    if _is_one_counter(rows):
        source.refuse(
            f"the third column is {quoted(rows.documents[0])} in every line, and the second column varies: the "
            f"document seems to stand in the second column; {_NEEDED}",
            Place(line=1),
        )
    _refuse_diversity(source, rows)


def order_of_run(rows: QrelsRows) -> str | None:
    """Return the names of the columns if the rows are a run; None if they may be qrels.

    Example: `qid docid rank score`. Tools for MS MARCO write this.
    """
    varies = len(set(rows.iterations)) > 1
    may_have_ranks = str(_HIGHEST_SCALE + 1) in set(rows.grades)
    if not varies and not may_have_ranks:
        return None
    by_query = _rows_by_query(rows.queries)
    if varies and not _are_rounds(rows.iterations):
        if _have_ranks(rows.documents, rows.iterations, by_query):
            return "qid docid rank score"
        if _are_scores(rows.documents) and _have_ranks(
            rows.grades, rows.iterations, by_query
        ):
            return "qid docid score rank"
    if _grades_are_ranks(rows.grades, by_query):
        return "qid Q0 docid rank"
    return None


def _rows_by_query(queries: Sequence[str]) -> dict[str, list[int]]:
    by_query: dict[str, list[int]] = {}
    for row, query in enumerate(queries):
        by_query.setdefault(query, []).append(row)
    return by_query


def _is_one_counter(rows: QrelsRows) -> bool:
    """Say whether the third column has only one value, a rank or an iteration.

    It may also be a document that was judged for several queries in several rounds.
    Then the result is False.
    """
    if len(set(rows.documents)) > 1 or len(set(rows.iterations)) == 1:
        return False
    is_counter = _COUNTER.fullmatch(rows.documents[0]) is not None
    are_counters = all(_NUMBER.fullmatch(each) for each in set(rows.iterations))
    return is_counter or not are_counters


def _are_rounds(iterations: Sequence[str]) -> bool:
    """Say whether the second column has rounds of judging, as TREC-COVID has.

    Rounds are small numbers, and some of them end with .5.
    """
    values = set(iterations)
    has_halves = any(value.endswith(".5") for value in values)
    return has_halves and all(_NUMBER.fullmatch(value) for value in values)


def _are_scores(column: Sequence[str]) -> bool:
    """Say whether a column has only numbers, some of them with decimals."""
    numbers = [number_of(value) for value in set(column)]
    return None not in numbers and any(isinstance(each, float) for each in numbers)


def _have_ranks(
    column: Sequence[str],
    iterations: Sequence[str],
    by_query: dict[str, list[int]],
) -> bool:
    """Say whether a column has ranks (1, 2, 3 ...) in most queries with several rows.

    A query with two equal values in the second column does not have ranks.
    `by_query`: {query: indexes of its rows}.
    """
    several = [rows for rows in by_query.values() if len(rows) > 1]
    ranked = 0
    for rows in several:
        seconds = {iterations[row] for row in rows}
        if len(seconds) == len(rows) and _is_count([column[row] for row in rows]):
            ranked += 1
    return ranked > len(several) / 2


def _is_count(values: Sequence[str]) -> bool:
    """Say whether the values are 1 to n, or 0 to n - 1, in any order."""
    found = set(values)
    from_one = {str(number) for number in range(1, len(values) + 1)}
    from_zero = {str(number) for number in range(len(values))}
    return found in (from_one, from_zero)


def _grades_are_ranks(grades: Sequence[str], by_query: dict[str, list[int]]) -> bool:
    """Say whether the grades of each query are 1, 2, 3 ... in the order of its rows.

    One query must have more rows than the highest grade of any usual scale.
    """
    if max(map(len, by_query.values())) <= _HIGHEST_SCALE:
        return False
    for rows in by_query.values():
        for rank, row in enumerate(rows, 1):
            if grades[row] != str(rank):
                return False
    return True


def _refuse_diversity(source: Source, rows: QrelsRows) -> None:
    """Raise FileError if a document of a query has two values in the second column.

    These seem to be qrels for diversity: the second column has subtopics.
    """
    if len(set(rows.iterations)) < 2:
        return
    first: dict[tuple[str, str], int] = {}
    again = []
    pairs = zip(rows.queries, rows.documents, strict=True)
    for row, pair in enumerate(pairs):
        earlier = first.setdefault(pair, row)
        if rows.iterations[earlier] != rows.iterations[row]:
            again.append(row)
    if not again:
        return
    row = again[0]
    query, document = rows.queries[row], rows.documents[row]
    earlier = first[query, document]
    line = rows.place(earlier).line
    lines = counted(len(again), "line")
    source.refuse(
        f"query {quoted(query)}, document {quoted(document)}: the second column is "
        f"{quoted(rows.iterations[earlier])} in line {line} and "
        f"{quoted(rows.iterations[row])} here ({lines} like this). These seem to be "
        "qrels for diversity, qid subtopic docid grade. Keep one line for each "
        "document of a query, for example the one with the highest grade",
        rows.place(row),
    )
