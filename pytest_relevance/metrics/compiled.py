"""Judgments and rankings of many queries, checked and laid out for `batch`.

`CompiledJudgments` and `CompiledRankings` are built once from mappings and may be scored many times. Valid input is
checked in one pass of C code; only after a check has failed are the judgments searched one by one, so that the message
can name the wrong one. The documents stay in the caller's own dicts and lists; one number is added for each judgment.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_relevance._ids import decoding_advice, exact_text
from pytest_relevance._text import shown

Floats = npt.NDArray[np.float64]
Indexes = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]
# Grades as whole numbers 0..254 or, if any is negative, fractional or larger, as float64.
Grades = npt.NDArray[Any]

_NUMBERS = (int, float, np.integer, np.floating)

# The code that a look-up gives for an unjudged document; grades up to the one below it are stored as one byte.
UNJUDGED_CODE = 255

# Above these numbers of grades or queries, types are only sampled: speed matters more than a mistake in some rows.
_FEW_GRADES = 20_000
_SAMPLED = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class CompiledJudgments:
    """The judgments of Q queries.

    `queries`: the Q ids in the caller's order. `tables`: for each its {document: grade}. `grades`: all grades, query
    after query, in the order of the tables. `counts` and `first`, of shape (Q,): how many judgments each query has, and
    where they begin in `grades`.
    """

    queries: list[str]
    tables: list[dict[str, float]]
    grades: Grades
    counts: Indexes
    first: Indexes

    @classmethod
    def from_mapping(
        cls, judgments: Mapping[Any, Mapping[Any, float]]
    ) -> CompiledJudgments:
        """Check and lay out {query: {document: grade}}.

        Ids that are not text are converted to text: an integer to its digits, a UUID to its text.

        Raises:
            ValueError: a grade is not a finite number, an id is of another type, or a pair of query and document has
                two grades; the message names the query and the document.
        """
        require_mapping(judgments, "judgments", "{query: {document: grade}}")
        queries = list(judgments)
        tables: list[Any] = list(judgments.values())
        if queries and not isinstance(queries[0], str):
            queries = _text_ids(queries, "the judgments", "query")
        try:
            grades = _grades(queries, tables)
        except TypeError:  # mappings that are no dicts, or no mappings
            for query, table in zip(queries, tables, strict=True):
                require_mapping(
                    table, f"the judgments of query {query!r}", "{document: grade}"
                )
            tables = list(map(dict, tables))
            grades = _grades(queries, tables)
        counts = np.fromiter(map(len, tables), np.intp, len(tables))
        compiled = cls(queries, tables, grades, counts, np.cumsum(counts) - counts)
        one = next(filter(None, tables), None)
        return (
            compiled
            if one is None or isinstance(next(iter(one)), str)
            else compiled.with_text_ids()
        )

    def with_text_ids(self) -> CompiledJudgments:
        """Turn the document ids of every table into text."""
        tables = [
            dict(
                zip(
                    _text_ids(table, f"the judgments of query {query!r}", "document"),
                    table.values(),
                    strict=True,
                )
            )
            for query, table in zip(self.queries, self.tables, strict=True)
        ]
        return replace(self, tables=tables)

    def refuse(self, explain: Callable[[float], str]) -> None:
        """Raise a ValueError that names the first judgment whose grade `explain` complains about, if there is one."""
        _refuse_grade(self.queries, self.tables, explain)


@dataclass(frozen=True, slots=True, eq=False)
class CompiledRankings:
    """The rankings of some queries: `lists` gives the documents of each, best first."""

    queries: list[str]
    lists: list[Sequence[str]]

    @classmethod
    def from_mapping(cls, rankings: Mapping[Any, Any]) -> CompiledRankings:
        """Check {query: [document, ...]} or {query: {document: score}}.

        Scores are sorted as trec_eval sorts: score, then document id by code points, both descending. Ids are
        converted to text as the ids of judgments are.

        Raises:
            ValueError: a ranking is text or None, an id is of another type, or a score is not a number.
        """
        require_mapping(rankings, "rankings", "{query: [document, ...]}")
        queries, lists = list(rankings), list(rankings.values())
        if queries and not isinstance(queries[0], str):
            queries = _text_ids(queries, "the rankings", "query")
        if set(map(type, lists)) - {list, tuple}:
            lists = [
                _ranking(query, ranking)
                for query, ranking in zip(queries, lists, strict=True)
            ]
        compiled = cls(queries, lists)
        one = next(filter(None, lists), None)
        return (
            compiled
            if one is None or isinstance(one[0], str)
            else compiled.with_text_ids()
        )

    def with_text_ids(self) -> CompiledRankings:
        """Turn the document ids of every ranking into text. Raises ValueError for an id of another type."""
        lists: list[Sequence[str]] = [
            [
                text_id(document, f"the ranking of query {query!r}", "document")
                for document in ranking
            ]
            for query, ranking in zip(self.queries, self.lists, strict=True)
        ]
        return CompiledRankings(self.queries, lists)

    def of(self, queries: list[str]) -> CompiledRankings:
        """Give the rankings of just these queries, in this order; a query without a ranking gets an empty one."""
        if self.queries == queries:
            return self
        by_query: dict[str, Sequence[str]] = dict(
            zip(self.queries, self.lists, strict=True)
        )
        return CompiledRankings(queries, list(map(by_query.get, queries, repeat(()))))


def count_by_query(mask: Mask, first: Indexes, counts: Indexes) -> Indexes:
    """Count where a mask is true within the slice of each query, from `first`, `counts` long."""
    totals = np.zeros(first.size, np.intp)
    filled = np.flatnonzero(counts)
    if filled.size:
        totals[filled] = np.add.reduceat(mask, first[filled], dtype=np.intp)
    return totals


def text_id(value: object, where: str, what: str) -> str:
    """Convert an id to text: an integer to its digits, a UUID, an ObjectId and a whole Decimal to their text.

    Raises ValueError for other types.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return str(value)
    text = exact_text(value)
    if text is None:
        advice = decoding_advice(value)
        raise ValueError(
            f"{where}: a {what} id is text or an integer, not {shown(value, 60)} ({type(value).__name__}){advice}"
        )
    return text


def sort_scores(documents: Iterable[str], scores: Iterable[float]) -> list[str]:
    """Sort documents as trec_eval sorts a run: by score, then by document id, both descending."""
    return [
        document
        for _, document in sorted(zip(scores, documents, strict=True), reverse=True)
    ]


def require_mapping(value: object, what: str, shape: str) -> None:
    """Raise ValueError unless `value` is a mapping; `what` and `shape` describe it in the message."""
    if not isinstance(value, Mapping):
        raise ValueError(
            f"{what}: a mapping {shape} is needed, not {type(value).__name__} {shown(value, 60)}"
        )


def _text_ids(ids: Iterable[object], where: str, what: str) -> list[str]:
    texts = [text_id(value, where, what) for value in ids]
    if len(set(texts)) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        raise ValueError(
            f"{where}: {what} {twice!r} is there twice, as text and as a number; each may be there once"
        )
    return texts


def _ranking(query: str, ranking: object) -> Sequence[str]:
    if isinstance(ranking, (list, tuple)):
        return ranking
    where = f"the ranking of query {query!r}"
    if isinstance(ranking, Mapping):
        texts = ranking
        if ranking and not isinstance(next(iter(ranking)), str):
            texts = dict(
                zip(
                    _text_ids(ranking, where, "document"), ranking.values(), strict=True
                )
            )
        for document, score in texts.items():
            if not _is_number(score) or math.isnan(score):
                raise ValueError(
                    f"{where}: the score of document {document!r} is a number, not {score!r}"
                )
        return sort_scores(texts, texts.values())
    if isinstance(ranking, (set, frozenset)):
        raise ValueError(
            f"{where} is a set, which has no order: make it a list, best first"
        )
    if isinstance(ranking, (str, bytes)) or not isinstance(ranking, Iterable):
        raise ValueError(
            f"{where} is a list of documents or a mapping of scores, not {shown(ranking, 60)}"
        )
    return list(ranking)


def _grades(queries: Sequence[str], tables: Sequence[dict[str, float]]) -> Grades:
    """Turn all grades into one array, and refuse what is not a finite number. TypeError for a table that is no dict."""
    grades: Grades | None = _many_grades(tables)
    if grades is not None:
        return grades
    values = list(chain.from_iterable(map(dict.values, tables)))
    kinds = set(map(type, values))
    if not all(issubclass(kind, _NUMBERS) and kind is not bool for kind in kinds):
        _refuse_grade(queries, tables, _not_finite)
    try:
        grades = np.fromiter(values, np.float64, len(values))
    except OverflowError:
        grades = np.full(1, np.nan)
    if not np.isfinite(grades).all():
        _refuse_grade(queries, tables, _not_finite)
    is_small = (
        kinds <= {int}
        and grades.min(initial=0) >= 0
        and grades.max(initial=0) < UNJUDGED_CODE
    )
    return grades.astype(np.uint8) if is_small else grades


def _many_grades(tables: Sequence[dict[str, float]]) -> Grades | None:
    """Read many grades without a look at the type of each; None if they are few, or anything is unusual about them.

    What is text, None or infinite is noticed here too, and left to the closer look, which names it. So are grades that
    could be True and False instead, nothing but 0 and 1. Otherwise a bool is looked for in the first judgment of some
    queries only; one that is missed counts as 0 or 1.
    """
    if len(tables) <= _SAMPLED and sum(map(len, tables)) < _FEW_GRADES:
        return None
    if not set(
        map(type, map(next, map(iter, map(dict.values, tables[:_SAMPLED])), repeat(0)))
    ) <= {int, float}:
        return None
    values: Iterable[Any] = chain.from_iterable(map(dict.values, tables))
    grades: Grades
    try:
        grades = np.frombuffer(bytes(values), np.uint8)
    except (TypeError, ValueError):  # a fraction, a negative or a large number
        grades = np.full(1, UNJUDGED_CODE, np.uint8)
    if grades.max(initial=0) == UNJUDGED_CODE:
        try:
            grades = np.frombuffer(
                array("d", list(chain.from_iterable(map(dict.values, tables))))
            )
        except (TypeError, OverflowError):
            return None
    usual = np.isfinite(grades).all() and ((grades != 0) & (grades != 1)).any()
    return grades if usual else None


def _refuse_grade(
    queries: Sequence[str],
    tables: Sequence[Mapping[str, float]],
    explain: Callable[[Any], str],
) -> None:
    for query, table in zip(queries, tables, strict=True):
        for document, grade in table.items():
            if fault := explain(grade):
                raise ValueError(f"query {query!r}, document {document!r}: {fault}")


def _not_finite(grade: object) -> str:
    """Say what is wrong with a grade that is not a finite number."""
    try:
        finite = _is_number(grade) and math.isfinite(float(grade))  # type: ignore[arg-type]
    except OverflowError:
        finite = False
    found = f"{shown(grade, 60)} ({type(grade).__name__})"
    return (
        "" if finite else f"a grade is a finite number such as 0, 1 or 2.5, not {found}"
    )


def _is_number(value: object) -> bool:
    return isinstance(value, _NUMBERS) and not isinstance(value, bool)
