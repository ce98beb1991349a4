"""Which of several scores of the results is the score: the one that orders the list.

A result that was ranked twice has two scores. The list is in the order of the reranker,
so the score of the retriever seems to be unsorted. A score that falls from the first
result to the last is taken, of several that of a later step. Then one that rises, as
distances do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from numbers import Real
from typing import Any

from pytest_relevance.results.responses import reading

LATER = (
    "@search.rerankerBoostedScore",
    "@search.reranker_boosted_score",
    "@search.rerankerScore",
    "@search.reranker_score",
    "rerank_score",
    "reranker_score",
    "_relevance_score",
    "relevance_score",
    "hybrid_search_info.rank_fusion_score",
    "rrf_score",
    "final_score",
)
"""Scores of a reranker, or of the fusion of several rankings."""

FIRST = (
    "score",
    "_score",
    "_rankingScore",
    "_distance",
    "relevance",
    "text_match",
    "@search.score",
)
"""Scores of a search."""

ONLY_IN_ORDER = ("distance", "similarity")
"""Names that may mean something else, such as the way to a shop. They are scores only
if they order the list.
"""

OF_OBJECTS = ("rerank_score", "reranker_score", "relevance_score", "score")
"""The scores of objects that are no mappings."""

NESTED = ("meta",)
"""Where a score may also be: the metadata of a hit in the DSL clients."""

FIELD = "score"
"""The field by which expectations look at the score."""


def scores_of(documents: Sequence[Any], fields: reading.Fields) -> list[Any]:
    """Return the score of each document; None for a document without one. Values are as
    they were returned.
    """
    are_mappings = all(
        isinstance(document, (str, int, Mapping)) for document in documents
    )
    names = _names(fields, are_mappings=are_mappings)
    columns = _columns(fields, names)
    in_order = _first_in_order(columns)
    if in_order is None and are_mappings:
        in_order = _first_in_order(_columns(fields, ONLY_IN_ORDER))
    if in_order is not None:
        return in_order
    if len(columns) == 1:
        return columns[0]
    return fields.first_of(names, NESTED) if columns else [None] * len(documents)


def _names(fields: reading.Fields, *, are_mappings: bool) -> list[str]:
    """Return the names of the fields that may be scores, that of the last step
    first.
    """
    if not are_mappings:
        return [*OF_OBJECTS]
    usual = [*LATER, *FIRST]
    texts = [name for name in fields.names or () if isinstance(name, str)]
    rerankers = [name for name in texts if "rerank" in name.lower()]
    return sorted({*rerankers}.difference(usual)) + usual


def _columns(fields: reading.Fields, names: Iterable[str]) -> list[list[Any]]:
    """Return the values of each field that some documents have."""
    known = fields.names
    columns = []
    for name in names:
        is_nested = "." in name or (known is not None and "meta" in known)
        if known is not None and name not in known and not is_nested:
            continue
        values = fields.first_of((name,), NESTED)
        if any(value is not None for value in values):
            columns.append(values)
    return columns


def _first_in_order(columns: Sequence[list[Any]]) -> list[Any] | None:
    """Return the first scores that order the list; None if none do."""
    for orders in (_falls, _rises):
        for values in columns:
            if orders(values):
                return values
    return None


def _falls(values: Sequence[Any]) -> bool:
    """Whether scores fall from the first result to the last, at least once."""
    known = _numbers_in(values)
    is_sorted = all(one >= two for one, two in pairwise(known))
    return is_sorted and len(known) > 1 and known[0] > known[-1]


def _rises(values: Sequence[Any]) -> bool:
    known = _numbers_in(values)
    is_sorted = all(one <= two for one, two in pairwise(known))
    return is_sorted and len(known) > 1 and known[0] < known[-1]


def _numbers_in(values: Sequence[Any]) -> list[float]:
    """Return the scores that are there; none at all if a value is no number."""
    known = [value for value in values if value is not None]
    if all(isinstance(value, Real) for value in known):
        return [float(value) for value in known]
    return []


def as_field(values: Sequence[Any], scores: Sequence[float | None]) -> list[Any]:
    """Return the values of the field `score`: the documents' own, or if no document has
    it, the scores.
    """
    from pytest_relevance.results.responses.fields import Absent  # rarely needed

    if not all(isinstance(value, Absent) for value in values):
        return [*values]
    if not scores:
        return [*values]
    shown = []
    for value, score in zip(values, scores, strict=False):
        shown.append(value if score is None else score)
    return shown
