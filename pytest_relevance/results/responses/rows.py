"""Bare rows: `(id,)`, `(id, score)`, `(id, title)` and `(id, title, score)`.

A bare row has no names. Its parts are told apart by type: a text in second place is a
title, a number is a score. Rows whose types allow two readings are refused.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from pytest_relevance._ids import exact_text
from pytest_relevance._text import LONGEST_SHOWN, shown
from pytest_relevance.results.responses.attributes import has_attribute
from pytest_relevance.results.responses.reading import (
    SCALARS,
    BadResult,
    UnreadableRanking,
    unreadable,
)
from pytest_relevance.results.responses.values import (
    is_fraction,
    is_id,
    is_integer,
    is_number,
    is_score,
)


@dataclass(frozen=True, slots=True)
class BareRow:
    """The parts of a bare row. `document` is an id, or a mapping or an object that has
    one.
    """

    document: object
    title: str | None = None
    score: object = None


def is_row(result: object) -> bool:
    """Whether a result is a row without names. Named tuples have names, and psycopg2's
    rows may.
    """
    kind = type(result)
    if kind is tuple:
        return True
    if not issubclass(kind, (tuple, list)):
        return False
    return not has_attribute(result, "_fields") and not has_attribute(result, "keys")


def read_row(row: Sequence[Any]) -> BareRow:
    """Read the parts of a bare row. Raises `BadResult` for a row of another shape."""
    if len(row) == 2 and is_score(row[1]):
        if not (is_integer(row[1]) and is_fraction(row[0])):
            return BareRow(row[0], score=row[1])
    if isinstance(row, tuple) and len(row) == 1:
        return BareRow(row[0])
    if isinstance(row, tuple) and _begins_with_id_and_title(row):
        if len(row) == 2:
            return BareRow(row[0], title=row[1])
        if is_score(row[2]):
            return BareRow(row[0], title=row[1], score=row[2])
    elif len(row) == 2 and is_fraction(row[0]):
        if is_id(row[1]):
            raise BadResult(
                "is a (score, id) pair; return (id, score) pairs, with ids as text or integers"
            )
        return BareRow(row[1], score=row[0])
    raise BadResult(
        "is no (id, score), (id, title) or (id, title, score) row; return the results of one query: ids, such rows "
        "as tuples, or mappings or objects with an id (arrays of distances and labels as a tuple, not as lists)"
    )


def _begins_with_id_and_title(row: Sequence[Any]) -> bool:
    """Whether a row of two or three parts begins with an id, which may be missing, and
    a title.

    A Decimal may be a score in a row of two parts: (score, id).
    """
    if len(row) not in (2, 3) or not _is_title(row[1]):
        return False
    first = row[0]
    if first is None or is_id(first):
        return True
    return len(row) == 3 and exact_text(first) is not None


def _is_title(value: object) -> bool:
    """Whether a value is a title, or None for one that is not there (NULL in a
    database).
    """
    return value is None or isinstance(value, str)


# --- results that may be something else -----------------------------------------------


def read_tuple(values: tuple[Any, ...]) -> Sequence[object]:
    """Return the results in a tuple.

    Raises `UnreadableRanking` for what may be something else: one row, or two columns.
    """
    if not (_is_like_row(values) or _is_like_columns(values)):
        return values
    raise unreadable(
        "a tuple that could be one row, columns side by side or a list of results",
        values,
        "return a list of rows, or a list of ids",
        LONGEST_SHOWN,
    )


def _is_like_row(values: tuple[Any, ...]) -> bool:
    """Whether a tuple could be one row with a score."""
    if len(values) not in (2, 3) or not is_id(values[0]) or not is_number(values[-1]):
        return False
    has_titles_between = all(_is_title(value) for value in values[1:-1])
    return has_titles_between and not all(map(is_integer, values))


def _is_like_columns(values: tuple[Any, ...]) -> bool:
    """Whether a tuple could be two columns."""
    if len(values) != 2:
        return False
    return all(is_row(part) and _are_of_one_kind(part) for part in values)


def _are_of_one_kind(parts: Sequence[Any]) -> bool:
    """Whether values are all texts, or all integers."""
    return all(isinstance(part, str) for part in parts) or all(map(is_integer, parts))


_BESIDE = SCALARS | {float, bool, type(None)}
"""Types of values that may stand beside the results: a total, a cursor."""


def refuse_row_beside_value(kinds: Set[type], results: Sequence[Any]) -> None:
    """Raise `UnreadableRanking` for results that are rows and single values:
    `(ids, total)`.

    `kinds` are the types of the results.
    """
    has_rows = any(issubclass(kind, (tuple, list)) for kind in kinds)
    has_hit = isinstance(results, tuple) and dict in kinds
    is_row_beside = has_rows and not kinds.isdisjoint(_BESIDE)
    is_hit_beside = has_hit and not kinds.isdisjoint(SCALARS)
    if not (is_row_beside or is_hit_beside):
        return
    advice = "return the results alone, without a total or a cursor beside them"
    rows = []
    for place, part in enumerate(results):
        if isinstance(part, (tuple, list)):
            rows.append(place)
    if len(rows) == 1:
        advice = f"{advice}: return response[{rows[0]}]"
    raise unreadable("rows beside single values", results, advice, LONGEST_SHOWN)


def refuse_ambiguity(results: Sequence[Any]) -> None:
    """Raise `UnreadableRanking` for rows that are well-formed one by one and can be
    read in two ways together.
    """
    for row in results:
        if not (is_row(row) and len(row) in (2, 3) and is_integer(row[0])):
            return
    if not results:
        return
    firsts = [operator.index(row[0]) for row in results]
    others = [row[1] for row in results]
    are_pairs = all(len(row) == 2 for row in results)
    if _are_ranks_and_ids(firsts, others) or (
        are_pairs and _are_scores_and_ids(firsts, others)
    ):
        raise UnreadableRanking(
            f"search returned rows of an integer and another part, {shown(results[0])} first, of which either may be "
            "the id; return ids alone, mappings with an id and a title or a score, or (id, float(score)) pairs"
        )


def _are_ranks_and_ids(firsts: Sequence[int], others: Sequence[object]) -> bool:
    """Whether integers count up from 0 or 1 beside different words, as ids are and
    titles seldom.
    """
    if len(firsts) < 2 or firsts[0] not in (0, 1):
        return False
    is_numbered = firsts == [*range(firsts[0], firsts[0] + len(firsts))]
    are_words = all(isinstance(text, str) and len(text.split()) == 1 for text in others)
    return is_numbered and are_words and len({*others}) == len(others)


def _are_scores_and_ids(firsts: Sequence[int], others: Sequence[object]) -> bool:
    """Whether both parts are integers, or the first fall, with equal ones among them,
    beside texts.
    """
    if all(map(is_integer, others)):
        return True
    is_falling = all(one >= following for one, following in pairwise(firsts))
    has_equal = len({*firsts}) < len(firsts)
    return is_falling and has_equal and all(isinstance(text, str) for text in others)
