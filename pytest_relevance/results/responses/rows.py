"""Read results that are not documents: bare rows.

A bare row has no names: `(id,)`, `(id, score)`, `(id, title)` and `(id, title, score)`.
Its parts are told apart by type: a text in second place is a title, a number is a
score. Rows whose types allow two readings are refused.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from pytest_relevance._ids import exact_text
from pytest_relevance._text import LONGEST_SHOWN, shown
from pytest_relevance.results.responses.errors import (
    BadResult,
    UnreadableRanking,
    unreadable,
)
from pytest_relevance.results.responses.fields import SCALARS
from pytest_relevance.results.responses.values import (
    is_fraction,
    is_id,
    is_integer,
    is_row,
    is_score,
)

# --- bare rows ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BareRow:
    """The parts of a bare row.

    `document`: an id, or a mapping or an object that has one.
    `text`: the text, if the case has passages and the row has a text of its own.
    """

    document: object
    title: str | None = None
    score: object = None
    text: str | None = None


_NO_ROW = (
    "is not a (id, score), (id, title) or (id, title, score) row; return the results of one query: ids, such rows "
    "as tuples, or mappings or objects with an id (arrays of distances and labels as a tuple, not as lists)"
)


_NO_ROW_WITH_TEXT = (
    "is not a (text, score), (id, text) or (id, text, score) row; return the results of one query: texts, such rows as "
    "tuples, or mappings or objects with a text (of a database: its cursor, or rows as dicts)"
)


def read_row(row: Sequence[Any], *, has_texts: bool = False) -> BareRow:
    """Return the parts of a bare row.

    `has_texts`: whether a text in first or second place is the text of the result,
        because the case has passages. It is returned as the document or the title.

    Raises `BadResult` for a row of another shape.
    """
    if len(row) == 2:
        return _read_pair(row, has_texts=has_texts)
    if isinstance(row, tuple) and len(row) == 1:
        return BareRow(row[0])
    if isinstance(row, tuple) and len(row) == 3:
        id_, title, score = row
        # A Decimal is an id here. In a pair it may be a score: (score, id).
        has_id = id_ is None or is_id(id_) or exact_text(id_) is not None
        if has_id and is_title(title) and is_score(score):
            return BareRow(id_, title=title, score=score)
    raise BadResult(_NO_ROW_WITH_TEXT if has_texts else _NO_ROW)


def _read_pair(row: Sequence[Any], *, has_texts: bool) -> BareRow:
    """Return the parts of a pair: (id, score), (id, title) or (score, document).

    Raises `BadResult` for another pair.
    """
    first, second = row
    may_be_swapped = is_fraction(first) and is_integer(second)
    if is_score(second) and not may_be_swapped:
        return BareRow(first, score=second)
    has_id = first is None or is_id(first)
    if isinstance(row, tuple) and has_id and is_title(second):
        return BareRow(first, title=second)
    if not is_fraction(first):
        raise BadResult(_NO_ROW_WITH_TEXT if has_texts else _NO_ROW)
    if is_id(second) and not has_texts:
        raise BadResult(
            "is a (score, id) pair; return (id, score) pairs, with ids as text or integers"
        )
    return BareRow(second, score=first)


def is_title(value: object) -> bool:
    """Say whether a value can stand for a title: a text, or None for a missing one."""
    return value is None or isinstance(value, str)


# --- results that may be something else -----------------------------------------------

_BESIDE = SCALARS | {float, bool, type(None)}
"""Types of values that may stand beside the results: a total, a cursor."""


def refuse_row_beside_value(kinds: Set[type], results: Sequence[Any]) -> None:
    """Raise `UnreadableRanking` if results mix rows and single values: `(ids, total)`.

    `kinds`: the types of the results.
    """
    has_rows = any(issubclass(kind, (tuple, list)) for kind in kinds)
    has_hit = isinstance(results, tuple) and dict in kinds
    is_row_beside = has_rows and not kinds.isdisjoint(_BESIDE)
    is_hit_beside = has_hit and not kinds.isdisjoint(SCALARS)
    if not (is_row_beside or is_hit_beside):
        return
    advice = "return the results alone, without a total or a cursor beside them"
    rows = []
    for number, part in enumerate(results):
        if isinstance(part, (tuple, list)):
            rows.append(number)
    if len(rows) == 1:
        advice = f"{advice}: return response[{rows[0]}]"
    raise unreadable("rows beside single values", results, advice, LONGEST_SHOWN)


def refuse_ambiguity(results: Sequence[Any]) -> None:
    """Raise `UnreadableRanking` if it is not clear which part of the rows is the id.

    For example, (1, "boots") alone is an id and a title. But if the next rows are
    (2, "shoes") and (3, "socks"), the numbers may be ranks.
    """
    for row in results:
        if not (is_row(row) and len(row) in (2, 3) and is_integer(row[0])):
            return
    if not results:
        return
    firsts = [operator.index(row[0]) for row in results]
    others = [row[1] for row in results]
    are_pairs = all(len(row) == 2 for row in results)
    may_be_scores = are_pairs and _are_scores_and_ids(firsts, others)
    if may_be_scores or _are_ranks_and_ids(firsts, others):
        raise UnreadableRanking(
            f"search returned rows of an integer and another part, {shown(results[0])} first, of which either may be "
            "the id; return ids alone, mappings with an id and a title or a score, or (id, float(score)) pairs"
        )


def _are_ranks_and_ids(firsts: Sequence[int], others: Sequence[object]) -> bool:
    """Say whether the parts of rows may be ranks and ids.

    The integers count up from 0 or 1. The texts beside them are different single words,
    as ids are and titles seldom are.
    """
    if len(firsts) < 2 or firsts[0] not in (0, 1):
        return False
    counted_up = range(firsts[0], firsts[0] + len(firsts))
    if list(firsts) != list(counted_up):
        return False
    are_words = all(isinstance(text, str) and len(text.split()) == 1 for text in others)
    return are_words and len({*others}) == len(others)


def _are_scores_and_ids(firsts: Sequence[int], others: Sequence[object]) -> bool:
    """Say whether the parts of pairs may be scores and ids.

    They may be if both parts are integers. They also may be if the second parts are
    texts, and the first parts fall and some are equal.
    """
    if all(map(is_integer, others)):
        return True
    is_falling = all(one >= following for one, following in pairwise(firsts))
    has_equal = len({*firsts}) < len(firsts)
    return is_falling and has_equal and all(isinstance(text, str) for text in others)
