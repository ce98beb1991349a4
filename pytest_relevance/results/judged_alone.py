"""The nDCG of a ranking over its judged results alone.

It is called for each case that is compared with an accepted ranking, and for means of a
whole run.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.ndcg import GradedRanking
from pytest_relevance.metrics.settings import Settings


def score_of_judged(
    metric: Metric, ranking: GradedRanking, settings: Settings
) -> float:
    """Return the score without the unjudged results, as with `unjudged: skip`.

    0 for a ranking without a judged result.
    """
    value = score(metric, ranking, _skipping(settings))
    return 0.0 if math.isnan(value) else value


@lru_cache
def _skipping(settings: Settings) -> Settings:
    return replace(settings, unjudged="skip")


def has_unjudged(ranking: GradedRanking, k: int) -> bool:
    """Say whether a document in the top k is unjudged. Later copies do not count."""
    top = ranking.grades[:k]
    unjudged = top.count(None)
    if not unjudged:
        return False
    return unjudged > sum(1 for index in ranking.repeated if index < k)
