"""Unjudged results must never lift a score over its floor: junk that nobody judged is junk until somebody did."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_relevance.cases.build import case_from_values
from pytest_relevance.runs.ranking import read_ranking
from pytest_relevance.runs.scored import FAILED, INCONCLUSIVE, Scored, score_case


def scored(ranking: list[str], judgments: dict[str, int], **keys: Any) -> Scored:
    case = case_from_values({"query": "x", "judgments": judgments, **keys})
    return score_case(case, read_ranking(ranking))


JUNK = [f"junk{number}" for number in range(10)]


@pytest.mark.parametrize(
    "scale", [None, [0, 3], [1, 3], {"relevant": 1, "perfect": 3}], ids=["no scale", "from 0", "from 1", "names from 1"]
)
def test_nothing_but_junk_fails_where_only_what_is_relevant_was_judged(scale: object) -> None:
    found = scored(JUNK, {"a": 3, "b": 2}, min_ndcg=0.6, **({"scale": scale} if scale else {}))

    assert found.verdict == FAILED
    assert found.score == 0.0
    assert found.reasons == ("nDCG@10 0.000 is below 0.600",)


def test_nothing_but_junk_is_inconclusive_where_a_share_must_be_judged() -> None:
    assert scored(JUNK, {"a": 3, "b": 2}, min_ndcg=0.6, min_judged=0.5).verdict == INCONCLUSIVE


def test_junk_above_the_one_relevant_document_fails() -> None:
    found = scored(["junk1", "junk2", "junk3", "a"], {"a": 3}, min_ndcg=0.9)

    assert found.verdict == FAILED
    assert found.lower <= found.score <= found.upper


def test_the_interval_begins_at_grade_0_without_a_scale() -> None:
    # with x at 3 the ideal has two documents of grade 3, and b, at rank 3 now, is less than that allows
    found = scored(["a", "b", "x"], {"a": 3, "b": 2}, min_ndcg=0.6)

    assert found.score == 1.0
    assert found.lower < 1.0
