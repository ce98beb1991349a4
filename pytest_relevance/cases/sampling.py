"""Draw a sample of the queries of a file.

A sample is stable. Each query has a number that depends on nothing but the seed, its
text and its params. So a query that is added to the file changes at most one query of
the sample, and the order and the ids of the queries change nothing.

With sizes, a sample is a priority sample: Duffield, Lund, Thorup, "Priority sampling
for estimation of arbitrary subset sums" (J. ACM 54, 2007).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pytest_relevance._problems import Place, Problem
from pytest_relevance.cases.model import SampleRule
from pytest_relevance.judgments.model import Query

_STEPS = 2**53
"""How many different numbers a query can have. A float holds each of them exactly."""

_JSON = json.JSONEncoder(sort_keys=True, default=str)

_LARGEST_SIZE = 1e15
"""The largest size of a query. Numbers that are made of larger ones may overflow."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """The queries of a sample.

    `queries`: in their order in the file, with the weights that they have in the
        sample.
    `never`: how many queries cannot be drawn, because their size is 0 or blank.
    `groups`: how many groups `per` makes; 1 without `per`.
    """

    queries: Sequence[Query]
    never: int
    groups: int


def draw(queries: Sequence[Query], rule: SampleRule) -> Drawn:
    """Draw a sample of queries.

    Each query has a number above 0 and at most 1, which is the same in each run: see
    `number_of`. Without `by`, the `n` queries with the smallest numbers are drawn. With
    `by`, these are the `n` queries with the largest `size / number`. All queries are
    drawn from a group with at most `n`.

    Weighted means over the sample estimate those over all queries that can be drawn.
    For that, the weight of a query is multiplied:

    - with `by`, by `max(1, threshold / size)`. The threshold is the largest
      `size / number` of the queries of the group that are not drawn (Duffield, Lund,
      Thorup 2007).
    - with `per` and without `by`, by the share of the group: its queries divided by the
      drawn ones.
    - else by 1, since all factors would be equal.

    The sizes have to be checked before: see `wrong_sizes`.
    """
    possible = can_be_drawn(queries, rule)
    groups: dict[str, list[int]] = {}
    for index, query in enumerate(possible):
        groups.setdefault(query.sample_per if rule.per else "", []).append(index)
    weights: dict[int, float] = {}
    for indexes in groups.values():
        group = [possible[index] for index in indexes]
        for place, weight in _draw_from_group(group, rule).items():
            weights[indexes[place]] = weight
    drawn = []
    for index in sorted(weights):
        drawn.append(replace(possible[index], weight=weights[index]))
    never = len(queries) - len(possible)
    return Drawn(queries=drawn, never=never, groups=len(groups))


def take_all(queries: Sequence[Query], rule: SampleRule) -> Drawn:
    """Return all queries that can be drawn, with the weights of the file."""
    possible = can_be_drawn(queries, rule)
    groups = {query.sample_per for query in possible} if rule.per else {""}
    never = len(queries) - len(possible)
    return Drawn(queries=possible, never=never, groups=len(groups))


def can_be_drawn(queries: Sequence[Query], rule: SampleRule) -> Sequence[Query]:
    """Return the queries that a sample can draw.

    Without `by` these are all queries. With `by` they need a size above 0.
    """
    if rule.by is None:
        return queries
    return [query for query in queries if query.sample_by]


def _draw_from_group(group: Sequence[Query], rule: SampleRule) -> dict[int, float]:
    """Return {index of a drawn query: its weight in the sample}.

    If two queries have the same priority, the smaller id is drawn first.
    """
    priorities = []
    for query in group:
        size = 1.0 if rule.by is None else _size_of(query)
        priorities.append(size / number_of(query, rule.seed))

    def order(index: int) -> tuple[float, str]:
        return -priorities[index], group[index].id

    ranked = sorted(range(len(group)), key=order)
    drawn, others = ranked[: rule.n], ranked[rule.n :]
    threshold = priorities[others[0]] if others else 0.0
    weights = {}
    for index in drawn:
        query = group[index]
        if rule.by is not None:
            factor = max(1.0, threshold / _size_of(query))
        elif rule.per is not None:
            factor = len(group) / len(drawn)
        else:
            factor = 1.0
        weights[index] = query.weight * factor
    return weights


def _size_of(query: Query) -> float:
    assert query.sample_by is not None
    return query.sample_by


def number_of(query: Query, seed: int) -> float:
    """Return the number of a query, above 0 and at most 1, evenly distributed.

    The number depends on the seed, the text of the query and its params, and not on the
    id, which may be the number of a row. Only if there is no text, the id counts.
    """
    params = _JSON.encode(dict(query.params)) if query.params else ""
    digest = hashlib.sha256(f"{seed} {params} {query.text_or_id}".encode()).digest()
    return (int.from_bytes(digest[:8], "big") % _STEPS + 1) / _STEPS


def weighed_by_size(queries: Sequence[Query]) -> list[Query]:
    """Return the queries with their sizes as weights. A query without a size stays."""
    weighed = []
    for query in queries:
        if query.sample_by:
            query = replace(query, weight=query.sample_by)
        weighed.append(query)
    return weighed


def wrong_sizes(queries: Sequence[Query], rule: SampleRule) -> list[Problem]:
    """Return the mistakes in the sizes of queries, each with its line."""
    problems = []
    for query in queries:
        size = query.sample_by
        if size is None or 0 <= size <= _LARGEST_SIZE:
            continue
        found = "no number" if math.isnan(size) else f"{size:,g}"
        problems.append(
            Problem(
                f"the size of a query, in the column {rule.by}, is a number from 0 to "
                f"{_LARGEST_SIZE:g}, found {found}",
                Place(line=query.line or 0),
                alike="size",
            )
        )
    return problems
