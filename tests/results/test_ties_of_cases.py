"""Cases that pass or fail by the order of results with equal scores."""

from typing import Any

import pytest

from pytest_relevance import CaseResult
from pytest_relevance.results.diagnoses import diagnose, explanation
from tests.helpers import result_of

FUSED = [("w1", 0.0164), ("strap1", 0.0164), ("w2", 0.0164), ("dock1", 0.0161)]


def case(floor: float, **keys: Any) -> CaseResult:
    judgments = {"w1": 3, "w2": 3, "strap1": 1, "dock1": 0}
    keys = {"query": "watch", "min_ndcg": floor, "judgments": judgments, **keys}
    return result_of(keys, FUSED)


@pytest.mark.parametrize(
    ("floor", "depends"), [(0.7, False), (0.9, True), (0.95, True)]
)
def test_a_floor_between_the_ends_holds_for_some_orders_only(
    floor: float, depends: bool
) -> None:
    assert case(floor).depends_on_ties == depends


def test_a_search_that_sorts_by_a_second_key_has_one_order() -> None:
    assert not case(0.9, ties="fixed").depends_on_ties


def body(*sorts: list[object] | None) -> dict[str, Any]:
    """What Elasticsearch and OpenSearch answer, with the sort values of each hit."""
    hits = []
    for (name, score), sort in zip(FUSED, sorts, strict=True):
        hit = {"_index": "shop", "_id": name, "_score": score, "_source": {}}
        hits.append(hit if sort is None else {**hit, "sort": sort})
    return {"hits": {"total": {"value": 4, "relation": "eq"}, "hits": hits}}


def of_body(response: object) -> CaseResult:
    judgments = {"w1": 3, "w2": 3, "strap1": 1, "dock1": 0}
    keys = {"query": "watch", "min_ndcg": 0.9, "judgments": judgments}
    return result_of(keys, response)


@pytest.mark.parametrize(
    ("sorts", "depends"),
    [
        ([None] * 4, True),
        ([[0.0164], [0.0164], [0.0164], [0.0161]], True),
        ([[0.0164, "a"], [0.0164, "b"], [0.0164, "c"], [0.0161, "d"]], False),
        ([[0.0164, 5], [0.0164, 9], [0.0164, 9], [0.0161, 1]], False),
        ([[0.0164, 5], [0.0164, 5], [0.0164, 9], [0.0161, 1]], True),
    ],
)
def test_hits_with_a_second_sort_value_have_an_order(
    sorts: list[list[object] | None], depends: bool
) -> None:
    """With w1 before strap1 and w2, nDCG is above the floor in both orders of these."""
    assert of_body(body(*sorts)).depends_on_ties is depends


def test_sort_keys_of_meilisearch_are_an_order() -> None:
    hits = []
    for place, (name, score) in enumerate(FUSED):
        details = {"words": {"order": 0}, "price:asc": {"order": 1, "value": place}}
        hit = {"id": name, "_rankingScore": score, "_rankingScoreDetails": details}
        hits.append(hit)
    about = {"query": "watch", "limit": 10, "offset": 0, "processingTimeMs": 1}
    answer = {"hits": hits, "estimatedTotalHits": 4, **about}
    assert not of_body(answer).depends_on_ties


def test_a_search_that_gives_one_score_to_all_results_is_a_diagnosis() -> None:
    """As a query does that is in a filter, or in constant_score."""
    alike = [(name, 1.0) for name, _ in FUSED]
    constant = [result_of({"query": f"q{n}"}, alike, line=n) for n in range(3)]
    ranked = [result_of({"query": f"r{n}"}, FUSED, line=n + 3) for n in range(3)]
    (found,) = diagnose([*constant, *ranked[:2]])
    assert explanation(found).startswith(
        "gave all results of a query the same score, in 3 cases of 5"
    )
    assert diagnose([*constant, *ranked]) == []
    fixed = [result_of({"query": f"q{n}", "ties": "fixed"}, alike) for n in range(3)]
    assert diagnose(fixed) == []
