"""Find the scores of documents, and the values that they were sorted by.

A result that was ranked twice has two scores: of the retriever, and of the reranker
that ordered the list. The field whose values are in order has the score. It is the
first of these fields:

- its values fall from the first result to the last; fields of later steps come first
- its values rise, as distances do
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from itertools import pairwise
from numbers import Real
from typing import Any

from pytest_relevance.results.responses.errors import BadResult, read_each
from pytest_relevance.results.responses.fields import Absent, Fields
from pytest_relevance.results.responses.ids import only
from pytest_relevance.results.responses.values import is_score

_LATER_SCORES = (
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

_FIRST_SCORES = (
    "score",
    "_score",
    "_rankingScore",
    "_distance",
    "relevance",
    "text_match",
    "@search.score",
)
"""Scores of a search."""

_SCORES_IF_IN_ORDER = ("distance", "similarity")
"""Scores only if they order the list. A distance may also be the way to a shop."""

_SCORES_OF_OBJECTS = ("rerank_score", "reranker_score", "relevance_score", "score")
"""The scores of objects that are not mappings."""

_NESTED_SCORES = ("meta",)
"""Where a score may also be: the metadata of a hit in the DSL clients."""

SCORE_FIELD = "score"
"""The field by which expectations look at the score."""


def returned_scores(documents: Sequence[Any], fields: Fields) -> list[Any]:
    """Return the score of each document as it was returned; None without one.

    Of several fields with scores, the one whose values are in order is read.
    """
    are_mappings = all(
        isinstance(document, (str, int, Mapping)) for document in documents
    )
    names = _names_of_scores(fields, are_mappings=are_mappings)
    columns = _columns(fields, names)
    in_order = _first_in_order(columns)
    if in_order is None and are_mappings:
        in_order = _first_in_order(_columns(fields, _SCORES_IF_IN_ORDER))
    if in_order is not None:
        return in_order
    if len(columns) == 1:
        return columns[0]
    return fields.first_of(names, _NESTED_SCORES)


def _names_of_scores(fields: Fields, *, are_mappings: bool) -> list[str]:
    """Return the names of fields that may be scores, scores of a reranker first."""
    if not are_mappings:
        return [*_SCORES_OF_OBJECTS]
    usual = [*_LATER_SCORES, *_FIRST_SCORES]
    texts = [name for name in fields.names or () if isinstance(name, str)]
    rerankers = [name for name in texts if "rerank" in name.lower()]
    return sorted({*rerankers}.difference(usual)) + usual


def _columns(fields: Fields, names: Iterable[str]) -> list[list[Any]]:
    """Return a column of values for each named field that some document has."""
    columns = []
    for name in names:
        if not _may_have(fields, name):
            continue
        values = fields.first_of((name,), _NESTED_SCORES)
        if any(value is not None for value in values):
            columns.append(values)
    return columns


def _may_have(fields: Fields, name: str) -> bool:
    """Say whether some document may have a field, of its own or nested."""
    known = fields.names
    if known is None or name in known:
        return True
    return "." in name or not known.isdisjoint(_NESTED_SCORES)


def _first_in_order(columns: Sequence[list[Any]]) -> list[Any] | None:
    """Return the first column whose scores fall from the first result to the last.

    If no scores fall, the first column whose scores rise; None if there is none.
    """
    for sign in (1, -1):
        for values in columns:
            known = [sign * number for number in _numbers_in(values)]
            is_sorted = all(one >= following for one, following in pairwise(known))
            if is_sorted and known and known[0] > known[-1]:
                return values
    return None


def _numbers_in(values: Sequence[Any]) -> list[float]:
    """Return the values that are not None as floats; [] if one is not a number."""
    known = [value for value in values if value is not None]
    if all(isinstance(value, Real) for value in known):
        return [float(value) for value in known]
    return []


def score_as_field(values: Sequence[Any], scores: Sequence[float | None]) -> list[Any]:
    """Return the values of the field `score`; the scores if no document has the field.

    `values`: what `read_fields` found.
    """
    if not scores or not all(isinstance(value, Absent) for value in values):
        return [*values]
    pairs = zip(values, scores, strict=False)
    return [value if score is None else score for value, score in pairs]


_PLAIN_SCORES = frozenset({float, int, type(None)})


def checked_scores(
    values: Sequence[Any], results: Sequence[object]
) -> Sequence[float | None]:
    """Return values as scores; () if no result has one."""
    kinds = set(map(type, values))
    if kinds <= {type(None)}:
        return ()
    if kinds <= _PLAIN_SCORES and not any(value != value for value in values):
        return values
    scores = read_each(_number, results, values)
    return scores if any(score is not None for score in scores) else ()


def _number(value: Any) -> float | None:
    """Return a value as a score; None if it is not one. Raises `BadResult` for NaN.

    An integer stays an integer, because large ones are not exact as floats.
    """
    score: Any = only(value)
    if score is None or not is_score(score):
        return None
    number: float = int(score) if isinstance(score, int) else float(score)
    if number != number:
        raise BadResult(
            "has a score that is NaN; return numbers, or results without scores"
        )
    return number


# --- sort values ----------------------------------------------------------------------

# Results with equal scores are not tied if the search also sorted by another value.
# Elasticsearch, OpenSearch and servers with their interface return a list with each
# hit: its values of all sort keys. Meilisearch returns a mapping with each hit: what
# each ranking rule and each sort key gave.

_SORT_VALUES = "sort"
_RANKING_DETAILS = "_rankingScoreDetails"
_MAY_HAVE_SORT_VALUES = frozenset({_SORT_VALUES, _RANKING_DETAILS, *_NESTED_SCORES})


def sort_values_of(fields: Fields) -> Sequence[Any]:
    """Return the values by which each result was sorted; none if a result has none."""
    if fields.names is not None and fields.names.isdisjoint(_MAY_HAVE_SORT_VALUES):
        return ()
    values = fields.first_of((_SORT_VALUES,), _NESTED_SCORES)
    if all(_is_list(value) for value in values):
        return [tuple(value) for value in values]
    details = fields.first_of((_RANKING_DETAILS,))
    if all(isinstance(value, Mapping) for value in details):
        return details
    return ()


def _is_list(value: object) -> bool:
    """Say whether a value is a list, or an `AttrList` or the like of a client."""
    is_list_like = isinstance(value, Iterable) and isinstance(value, Sized)
    return is_list_like and not isinstance(value, (str, bytes, Mapping))
