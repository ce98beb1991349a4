"""Columns side by side in a response: a table beside the names of its columns, ids
beside scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_relevance.results.responses.places import (
    Place,
    first_items,
    is_collection,
)
from pytest_relevance.results.responses.values import is_id, is_list

NAMES_OF_IDS = ("id", "ids", "_id", "docids", "doc_ids", "document_ids", "labels")
NAMES_OF_SCORES = ("score", "scores", "distance", "distances", "similarities")
HEADS = ("columns", "column_names", "schema", "fields", "meta")
BODIES_OF_TABLES = ("values", "rows", "data", "datarows", "data_array")
"""The names of lists that belong together: ids and scores; the head and the rows of a
table.
"""


def rows_of_table(places: Sequence[Place]) -> str:
    """Say how to return a table that has its rows beside the names of its columns;
    empty if there is none.
    """
    for head in places:
        names = _names_in_head(head) if head.name in HEADS else ""
        if not names:
            continue
        for body in places:
            if body.name in BODIES_OF_TABLES and _fits(head.value, body.value):
                return (
                    f"it holds a table, with its columns in {head.path} and its rows in {body.path}: "
                    f"return [dict(zip({names}, row)) for row in {body.path}]"
                )
    return ""


def _names_in_head(head: Place) -> str:
    """Return the Python that gives the names of columns; empty if a list is no head of
    a table.
    """
    items = first_items(head.value)
    if items and all(isinstance(item, str) for item in items):
        return head.path
    if items and all(isinstance(item, Mapping) and "name" in item for item in items):
        return f'[column["name"] for column in {head.path}]'
    return ""


def _fits(head: object, body: object) -> bool:
    """Whether the rows of a table are lists as long as its head."""
    width = len(first_items(head))
    rows = first_items(body)
    return is_list(body) and all(is_list(row) and len(row) == width for row in rows)


def ids_with_scores(places: Sequence[Place]) -> str:
    """Say how to return ids and scores that stand in two lists of one length; empty if
    there are none.
    """
    for place in places:
        lists = [inner for inner in place.inner() if _is_column(inner.value)]
        ids = _first_named(lists, NAMES_OF_IDS)
        scores = _first_named(lists, NAMES_OF_SCORES)
        if isinstance(place.value, tuple) and len(lists) == len(place.value) == 2:
            ids, scores = _told_apart(lists)
        if ids is not None and scores is not None and _length(ids) == _length(scores):
            zipped = f"list(zip({ids.path}, {scores.path}))"
            return f"it holds ids and scores side by side: return {zipped}"
    return ""


def _is_column(value: object) -> bool:
    """Whether a value is a list of texts, numbers and the like."""
    return is_list(value) and not any(map(is_collection, first_items(value)))


def _length(place: Place) -> int:
    return len(place.value)  # type: ignore[arg-type]


def _first_named(columns: Sequence[Place], names: Sequence[str]) -> Place | None:
    for column in columns:
        if column.name.lower() in names:
            return column
    return None


def _told_apart(columns: Sequence[Place]) -> tuple[Place | None, Place | None]:
    """Tell the ids and the scores in a tuple of two lists apart: only scores have
    fractions.
    """
    for ids, scores in (columns, columns[::-1]):
        are_ids = all(is_id(item) for item in first_items(ids.value))
        are_scores = all(isinstance(item, float) for item in first_items(scores.value))
        if are_ids and are_scores:
            return ids, scores
    return None, None
