"""The variants of a search, compared over the same cases."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import pytest

from pytest_relevance import CaseResult, bootstrap_interval
from pytest_relevance.results.compare.variants import (
    VariantComparison,
    compare_variants,
)
from tests.helpers import case_result

Scores = Sequence[float | None]


def results_of(
    scores: Mapping[str, Scores],
    search: str = "search",
    tags: Sequence[str] = (),
    weights: Sequence[float] = (),
) -> list[CaseResult]:
    """A result for each score of each variant; case 0 is "q0"."""
    results = []
    for index, (variant, of_variant) in enumerate(scores.items()):
        for number, score in enumerate(of_variant):
            results.append(
                case_result(
                    file=f"{search}.relevance.yaml",
                    id=f"q{number}",
                    query=f"q{number}",
                    line=1,
                    verdict="passed",
                    search=search,
                    variant=variant,
                    variant_index=index,
                    tags=(tags[number],) if tags else (),
                    weight=weights[number] if weights else 1.0,
                    scores={"nDCG@10": score},
                    judged=number,
                    top=10,
                )
            )
    return results


def compared(scores: Mapping[str, Scores], **more: Any) -> VariantComparison:
    (comparison,) = compare_variants(results_of(scores, **more))
    return comparison


def p_of_all_flips(first: Sequence[float], second: Sequence[float]) -> float:
    """The p-value by the definition: over each of the 2^n flips of n differences."""
    changes = [after - before for before, after in zip(first, second, strict=True)]
    found = abs(sum(changes))
    flips = list(product((-1, 1), repeat=len(changes)))
    as_far = 0
    for signs in flips:
        flipped = sum(sign * each for sign, each in zip(signs, changes, strict=True))
        as_far += abs(flipped) >= found - 1e-12
    return as_far / len(flips)


def holm_by_definition(p_values: Sequence[float]) -> list[float]:
    """Each p times the number of those that are not smaller, never below a smaller
    one.
    """
    adjusted = []
    for p in p_values:
        candidates = []
        for other in p_values:
            if other <= p:
                candidates.append(other * sum(each >= other for each in p_values))
        adjusted.append(min(1.0, max(candidates)))
    return adjusted


BM25 = [0.31, 0.42, 0.55, 0.18, 0.73, 0.64, 0.29, 0.50, 0.90]
DENSE = [0.52, 0.49, 0.61, 0.33, 0.70, 0.81, 0.35, 0.66, 0.88]
HYBRID = [0.44, 0.51, 0.58, 0.40, 0.75, 0.83, 0.41, 0.62, 0.95]
TYPOS = [0.30, 0.47, 0.50, 0.21, 0.70, 0.60, 0.33, 0.49, 0.92]


def test_p_values_are_those_of_all_flips_after_holm() -> None:
    scores = {"bm25": BM25, "dense": DENSE, "hybrid": HYBRID, "typos": TYPOS}
    first, *others = compared(scores).rows
    assert first.difference is None
    p_values = [p_of_all_flips(BM25, scores[row.variant[1] or ""]) for row in others]
    found = [row.difference for row in others if row.difference]
    assert [each.p for each in found] == pytest.approx(p_values)
    assert [each.adjusted_p for each in found] == pytest.approx(
        holm_by_definition(p_values)
    )


def test_the_interval_is_that_of_the_difference_to_the_first() -> None:
    weights = [1.0, 2.0, 3.0] * 3
    _, hybrid = compared({"bm25": BM25, "hybrid": HYBRID}, weights=weights).rows
    interval = bootstrap_interval(BM25, HYBRID, weights=weights)
    assert hybrid.difference is not None
    assert hybrid.difference.low == pytest.approx(interval.low)
    assert hybrid.difference.high == pytest.approx(interval.high)
    assert hybrid.mean == pytest.approx(
        sum(w * s for w, s in zip(weights, HYBRID, strict=True)) / sum(weights)
    )


def test_cases_that_not_all_variants_have_are_left_out_and_counted() -> None:
    """A search that fails on the hard queries would look better than it is."""
    comparison = compared(
        {"bm25": [0.5, 0.1, 0.9, None], "dense": [0.6, None, 0.9, None], "gone": [None]}
    )
    assert comparison.cases == 2
    assert comparison.left_out == 1
    assert comparison.without_score == (("search", "gone"),)
    assert [row.mean for row in comparison.rows] == pytest.approx([0.7, 0.75])
    assert [row.judged for row in comparison.rows] == [0.1, 0.1]


def test_searches_that_share_no_case_are_compared_each_for_itself() -> None:
    results = results_of({"bm25": [0.5], "dense": [0.6]})
    results += results_of({"short": [0.1], "long": [0.2]}, search="suggest")
    results += results_of({"": [0.3]}, search="facets")
    first, second = compare_variants(results)
    assert [row.variant[1] for row in first.rows] == ["bm25", "dense"]
    assert [row.variant[1] for row in second.rows] == ["short", "long"]


def test_there_is_nothing_to_compare_without_a_case_in_common() -> None:
    assert compare_variants(results_of({"bm25": [0.5]})) == []
    assert compare_variants(results_of({"a": [0.5, None], "b": [None, 0.5]})) == []


def test_each_tag_has_its_best_variant() -> None:
    comparison = compared(
        {"bm25": [0.9, 0.2, 0.3], "dense": [0.4, 0.8, 0.6]},
        tags=["code", "words", "words"],
    )
    words, code = comparison.tags
    assert (words.tag, words.cases, words.means[0][0][1]) == ("words", 2, "dense")
    assert code.means == ((("search", "bm25"), 0.9), (("search", "dense"), 0.4))
    assert code.is_best(("search", "bm25"))
    assert not code.is_best(("search", "dense"))


@pytest.mark.parametrize(
    ("scores", "may_be"),
    [
        ({"a": [0.1] * 49, "b": [0.2] * 49}, True),
        ({"a": [0.1] * 50, "b": [0.2] * 50}, False),
        ({"a": [0.1] * 50, "b": [0.2] * 50, "c": [0.1] * 50}, True),
        ({"a": [0.1] * 3, "b": [0.1] * 3, "c": [0.1] * 3}, False),
    ],
)
def test_the_best_of_many_or_on_few_cases_may_be_the_best_by_chance(
    scores: Mapping[str, Scores], may_be: bool
) -> None:
    assert compared(scores).may_be_by_chance is may_be
