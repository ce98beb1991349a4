"""Make judgments from a log.

The clicks of a pair, divided by its expected clicks, are its COEC (clicks over expected
clicks). The grade of a pair is its COEC, or one of four levels of COEC.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pytest_relevance.ext.clicks.click_log import ClickLog, Numbers, Reals
from pytest_relevance.ext.clicks.left_out import (
    QUERY_WITHOUT_CLICKS,
    TOO_LITTLE_EXPECTED,
    LeftOut,
)
from pytest_relevance.ext.clicks.rates import Rates

BOUNDS = (0.25, 0.75, 1.5)
"""The lowest COEC of the grades 1, 2 and 3."""


@dataclass(frozen=True, slots=True)
class ClickJudgments:
    """Judgments of pairs of query and document.

    `pair`: the numbers of the judged pairs in the log.
    `coec`, `expected`, `clicks`: of each judged pair, in the order of `pair`.
    `largest_expected`: the most expected clicks of any pair, judged or not.
    `left_out`: pairs and queries without a judgment.
    """

    pair: Numbers
    coec: Reals
    expected: Reals
    clicks: Reals
    largest_expected: float
    left_out: LeftOut

    def levels(self) -> list[int]:
        """Return the grade of each judged pair, from 0 to 3."""
        levels: list[int] = np.searchsorted(BOUNDS, self.coec, side="right").tolist()
        return levels


def judge(log: ClickLog, rates: Rates, min_expected: float) -> ClickJudgments:
    """Return a judgment for each pair with enough expected clicks.

    The expected clicks of a pair are its impressions times the rates of their
    positions. They are scaled, so that the expected clicks of all pairs of a query add
    up to the clicks of the query. Rows at positions without a rate are not used.

    `min_expected`: the fewest expected clicks that a pair needs. A pair with 0 expected
        clicks has no judgment, even if `min_expected` is 0.
    """
    used = log.rows(rates.used[log.position])
    looks = used.by_pair(used.impressions * rates.of[used.position])
    clicks = used.by_pair(used.clicks)
    looks_of_query = log.by_query(looks)
    clicks_of_query = log.by_query(clicks)
    scale = np.zeros_like(looks_of_query)
    np.divide(clicks_of_query, looks_of_query, out=scale, where=looks_of_query > 0)
    expected = looks * scale[log.query_of]
    is_judged = (expected > 0) & (expected >= min_expected)
    was_shown = looks_of_query > 0
    left_out = LeftOut()
    left_out[QUERY_WITHOUT_CLICKS] = int((was_shown & (clicks_of_query == 0)).sum())
    left_out[TOO_LITTLE_EXPECTED] = int(((expected > 0) & ~is_judged).sum())
    pair = np.flatnonzero(is_judged)
    return ClickJudgments(
        pair=pair,
        coec=clicks[pair] / expected[pair],
        expected=expected[pair],
        clicks=clicks[pair],
        largest_expected=float(expected.max(initial=0.0)),
        left_out=left_out,
    )


def names_of(log: ClickLog, numbers: Numbers) -> Sequence[tuple[str, str]]:
    """Return (query, document) for each of some pairs of a log.

    `numbers`: the numbers of the pairs in the log.
    """
    queries = log.query_of[numbers].tolist()
    documents = log.document_of[numbers].tolist()
    pairs = []
    for query, document in zip(queries, documents, strict=True):
        pairs.append((log.queries[query], log.documents[document]))
    return pairs
