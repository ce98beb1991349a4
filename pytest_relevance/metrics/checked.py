"""Check judgments and rankings of many queries before `matrix` scores them.

All ids become text, and grades have to be finite numbers. What is checked once can be
scored many times. Tables and lists that are right already are not copied.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_relevance._ids import decoding_advice, exact_text
from pytest_relevance._text import shown

from .settings import is_number

Floats = npt.NDArray[np.float64]
Grades = npt.NDArray[Any]

_NUMBERS = (int, float, np.integer, np.floating)


@dataclass(frozen=True, slots=True, eq=False)
class CheckedJudgments:
    """The judgments of Q queries, in the caller's order.

    `queries`: the Q ids.
    `tables`: {document: grade} for each query.
    `grades`: all grades in one array, query after query, in the order of the tables.
    They are uint8 if all are whole numbers from 0 to 255, else float64.
    `counts`: how many judgments each query has; shape (Q,).
    """

    queries: list[str]
    tables: list[dict[str, float]]
    grades: Grades
    counts: npt.NDArray[np.intp]

    @classmethod
    def from_mapping(
        cls, judgments: Mapping[Any, Mapping[Any, float]]
    ) -> CheckedJudgments:
        """Return checked judgments of {query: {document: grade}}.

        Integers and UUIDs as ids become text (`text_id`).

        Raises:
            ValueError: a grade is not a finite number, an id has no exact text, or a
            pair of query and document has two grades. The message names query and
            document.
        """
        require_mapping(judgments, "judgments", "{query: {document: grade}}")
        queries = _text_ids(judgments, "the judgments", "query")
        tables: list[dict[str, float]] = []
        for query, table in zip(queries, judgments.values(), strict=True):
            if type(table) is not dict or not _has_text_ids(table):
                table = _checked_table(query, table)
            tables.append(table)
        counts = np.fromiter(map(len, tables), np.intp, len(tables))
        grades = _checked_grades(queries, tables)
        return cls(queries=queries, tables=tables, grades=grades, counts=counts)

    def refuse(self, explain: Callable[[float], str]) -> None:
        """Raise ValueError for the first grade for which `explain` returns a text.

        `explain` returns what is wrong with a grade, or "". The message names query and
        document.
        """
        _refuse_grade(self.queries, self.tables, explain)


@dataclass(frozen=True, slots=True, eq=False)
class CheckedRankings:
    """The rankings of some queries.

    `queries`: the ids of the queries.
    `lists`: the documents of each query, best first.
    """

    queries: list[str]
    lists: list[Sequence[str]]

    @classmethod
    def from_mapping(cls, rankings: Mapping[Any, Any]) -> CheckedRankings:
        """Return checked rankings.

        `rankings`: {query: [document, ...]} or {query: {document: score}}. Scores are
        sorted as trec_eval sorts them: by score, then by document id, both descending.
        Integers and UUIDs as ids become text (`text_id`).

        Raises:
            ValueError: a ranking is a text, a set or no iterable, an id has no exact
                text, two queries have one text as id, or a score is not a number.
        """
        require_mapping(rankings, "rankings", "{query: [document, ...]}")
        queries = _text_ids(rankings, "the rankings", "query")
        lists: list[Sequence[str]] = []
        for query, ranking in zip(queries, rankings.values(), strict=True):
            if type(ranking) is not list and type(ranking) is not tuple:
                ranking = _as_list(query, ranking)
            if ranking and not isinstance(ranking[0], str):
                ranking = _with_text_ids(query, ranking)
            lists.append(ranking)
        return cls(queries=queries, lists=lists)

    def check_every_id(self) -> None:
        """Raise ValueError for the first document id without an exact text."""
        for query, ranking in zip(self.queries, self.lists, strict=True):
            _with_text_ids(query, ranking)

    def of(self, queries: list[str]) -> list[Sequence[str]]:
        """Return the rankings of `queries`; an empty one for a query that has none."""
        if self.queries == queries:
            return self.lists
        by_query = dict(zip(self.queries, self.lists, strict=True))
        return [by_query.get(query, ()) for query in queries]


def text_id(value: object, where: str, what: str) -> str:
    """Return an id as text: "17" for 17, the usual text of a UUID or a whole Decimal.

    Raises ValueError for a value of another type.

    `where`, `what`: how the message begins, for example "the judgments" and "query".
    """
    if isinstance(value, str):
        return value
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return str(value)
    text = exact_text(value)
    if text is None:
        kind = type(value).__name__
        advice = decoding_advice(value)
        raise ValueError(
            f"{where}: a {what} id is text or an integer, "
            f"not {shown(value, 60)} ({kind}){advice}"
        )
    return text


def sort_scores(documents: Iterable[str], scores: Iterable[float]) -> list[str]:
    """Return documents in trec_eval's order: by score, then by id, both descending."""
    pairs = sorted(zip(scores, documents, strict=True), reverse=True)
    return [document for _, document in pairs]


def require_mapping(value: object, what: str, shape: str) -> None:
    """Raise ValueError if `value` is not a mapping.

    The message says `what` was given and which `shape` is needed.
    """
    if not isinstance(value, Mapping):
        kind = type(value).__name__
        raise ValueError(
            f"{what}: a mapping {shape} is needed, not {kind} {shown(value, 60)}"
        )


def _has_text_ids(table: Mapping[Any, object]) -> bool:
    """Say whether the first id is text, as a sign that all ids are."""
    return not table or isinstance(next(iter(table)), str)


def _checked_table(query: str, table: object) -> dict[str, float]:
    """Return {document: grade} with ids as text.

    Raises ValueError if `table` is not a mapping, an id has no exact text, or two ids
    become the same text.
    """
    where = f"the judgments of query {query!r}"
    require_mapping(table, where, "{document: grade}")
    assert isinstance(table, Mapping)
    ids = _text_ids(table, where, "document")
    return dict(zip(ids, table.values(), strict=True))


def _text_ids(ids: Iterable[object], where: str, what: str) -> list[str]:
    """Return the ids as text: "17" for 17, the usual text of a UUID or a whole Decimal.

    Raises ValueError for a value of another type, and if two ids become the same text.
    """
    texts = [text_id(value, where, what) for value in ids]
    if len(set(texts)) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        raise ValueError(
            f"{where}: {what} {twice!r} is there twice, as text and as a number; "
            "each may be there once"
        )
    return texts


def _with_text_ids(query: str, ranking: Sequence[object]) -> list[str]:
    """Return a ranking with ids as text.

    Raises ValueError for an id that cannot be text.
    """
    where = f"the ranking of query {query!r}"
    return [text_id(document, where, "document") for document in ranking]


def _as_list(query: str, ranking: object) -> Sequence[Any]:
    """Return a ranking as a list, best first. Raises ValueError if it has no order."""
    where = f"the ranking of query {query!r}"
    if isinstance(ranking, (list, tuple)):
        return ranking
    if isinstance(ranking, Mapping):
        return _sorted_by_score(where, ranking)
    if isinstance(ranking, (set, frozenset)):
        raise ValueError(
            f"{where} is a set, which has no order: make it a list, best first"
        )
    if isinstance(ranking, (str, bytes)) or not isinstance(ranking, Iterable):
        raise ValueError(
            f"{where} is a list of documents or a mapping of scores, "
            f"not {shown(ranking, 60)}"
        )
    return list(ranking)


def _sorted_by_score(where: str, scores: Mapping[Any, Any]) -> list[str]:
    """Return the documents of {document: score}, best first.

    Raises ValueError, whose message begins with `where`, if a score is not a number.
    """
    documents = _text_ids(scores, where, "document")
    for document, score in zip(documents, scores.values(), strict=True):
        if not is_number(score) or math.isnan(score):
            raise ValueError(
                f"{where}: the score of document {document!r} is a number, not {score!r}"
            )
    return sort_scores(documents, scores.values())


def _checked_grades(
    queries: Sequence[str], tables: Sequence[dict[str, float]]
) -> Grades:
    """Return the grades of all tables in one array.

    Raises ValueError if one is not a finite number.
    """
    values = list(chain.from_iterable(table.values() for table in tables))
    kinds = set(map(type, values))
    if not all(issubclass(kind, _NUMBERS) and kind is not bool for kind in kinds):
        _refuse_grade(queries, tables, _explain_not_finite)
    if kinds <= {int}:
        try:
            # Whole grades as bytes: a fifth of the time that float64 takes.
            return np.frombuffer(bytes(values), np.uint8)  # type: ignore[arg-type]
        except ValueError:  # one is below 0 or above 255
            pass
    try:
        grades = np.array(values, np.float64)
    except OverflowError:  # an integer that is too large for a float
        _refuse_grade(queries, tables, _explain_not_finite)
        raise
    if not np.isfinite(grades).all():
        _refuse_grade(queries, tables, _explain_not_finite)
    return grades


def _refuse_grade(
    queries: Sequence[str],
    tables: Sequence[Mapping[str, float]],
    explain: Callable[[Any], str],
) -> None:
    """Raise ValueError for the first grade for which `explain` returns a text."""
    for query, table in zip(queries, tables, strict=True):
        for document, grade in table.items():
            problem = explain(grade)
            if problem:
                raise ValueError(f"query {query!r}, document {document!r}: {problem}")


def _explain_not_finite(grade: object) -> str:
    """Return what is wrong with a grade that is not a finite number; else ""."""
    try:
        if is_number(grade) and math.isfinite(float(grade)):  # type: ignore[arg-type]
            return ""
    except OverflowError:
        pass
    found = f"{shown(grade, 60)} ({type(grade).__name__})"
    return f"a grade is a finite number such as 0, 1 or 2.5, not {found}"
