"""Passages in place of documents: each is found at the first result that holds it.

The figures are worked out by hand. The discounts of ranks 1 to 5 are 1, 1.585, 2, 2.322
and 2.585.
"""

import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.ndcg import grade_passages
from pytest_relevance.metrics.settings import Settings


def scored(metric: str, results: str, passages: str = "ab", **settings: Any) -> float:
    """Score a ranking, such as "ab . c": the first result holds a and b, the second one
    holds nothing, and the third one holds c.

    `passages`: all passages of the case. Those in capital letters have grade 3, the
        others have grade 1. A result has 100 characters.
    """
    grades = [3.0 if name.isupper() else 1.0 for name in passages]
    held = []
    for result in results.split():
        held.append([passages.index(name) for name in result if name != "."])
    graded = grade_passages(held, grades, [100] * len(held))
    return score(parse_metric(metric), graded, Settings(**settings))


@pytest.mark.parametrize(
    ("results", "passages", "ndcg", "recall"),
    [
        ("abcd", "abcd", 1.0, 1.0),
        ("ab", "ab", 1.0, 1.0),
        ("a b", "ab", 1.0, 1.0),
        ("b a", "ab", 1.0, 1.0),
        ("abc", "abcd", 0.832, 0.75),
        ("ab", "abc", 0.765, 2 / 3),
        ("a", "ab", 0.613, 0.5),
        (". a b", "ab", 0.693, 1.0),
        (". ab", "ab", 0.774, 1.0),  # 2 / 1.585 / 1.631
        ("a . b", "ab", 0.920, 1.0),
        ("a ab", "ab", 1.0, 1.0),
        ("a a b", "ab", 0.920, 1.0),  # a counts once, b at 3
        ("ab ab ab", "ab", 1.0, 1.0),
        ("a A", "aA", 0.710, 1.0),  # the grades swapped
        ("A a", "aA", 1.0, 1.0),
        ("A", "aA", 0.917, 0.5),  # 7 / 7.631
        ("a", "aA", 0.131, 0.5),
        (". . aA", "aA", 0.524, 1.0),  # 8 / 2 / 7.631
        ("a . . . . . b", "ab", 0.613, 0.5),  # b at 7
        (". . . . . ab", "ab", 0.0, 0.0),
        (". . .", "ab", 0.0, 0.0),
        ("", "ab", 0.0, 0.0),
        ("abcdefg", "abcdefg", 1.0, 1.0),  # more passages than ranks
        ("a b c d e", "abcdefg", 1.0, 5 / 7),
    ],
)
def test_worked_examples_of_ndcg_and_recall(
    results: str, passages: str, ndcg: float, recall: float
) -> None:
    assert scored("nDCG@5", results, passages) == pytest.approx(ndcg, abs=5e-4)
    assert scored("R@5", results, passages) == pytest.approx(recall)


@pytest.mark.parametrize(
    ("metric", "results", "expected"),
    [
        ("All@5", "a bA", 1.0),
        ("All@5", "aA . . . . b", 0.0),
        ("All@1", "abA", 1.0),
        ("All(rel=3)@5", "A", 1.0),
        ("DCG@5", ". ab", 2 / 1.585),
        ("DCG@5", "ab", 1 + 1 / 1.585),
        ("DCG", ". ab", 2 / 1.585),
        ("CG@5", "ab A", 5.0),
        ("P@5", "ab a .", 0.2),
        ("P", "ab a .", 0.5),  # the repeat is not counted
        ("P@5", "a b", 0.4),
        ("RR", ". a b", 0.5),
        ("Success@1", ". a", 0.0),
        ("Success@2", ". a", 1.0),
        ("characters@2", "a b .", 200.0),
        ("characters@5", "a b .", 300.0),
        ("characters@5", "", None),  # nothing is not the shortest context
    ],
)
def test_worked_examples_of_other_measures(
    metric: str, results: str, expected: float | None
) -> None:
    found = scored(metric, results, "abA")
    assert found == pytest.approx(expected if expected is not None else float("nan"), abs=1e-3, nan_ok=True)  # fmt: skip


@pytest.mark.parametrize("metric", ["nDCG@5", "R@5", "P@5", "P", "RR", "nDCG"])
def test_no_result_is_unjudged(metric: str) -> None:
    for results in ("a . b", "ab a b", ". ab ."):
        assert scored(metric, results, unjudged="skip") == scored(metric, results)


@pytest.mark.parametrize("ideal", ["returned", "max"])
@pytest.mark.parametrize("metric", ["nDCG@2", "nDCG"])
def test_an_ideal_that_grows_with_the_results_is_refused(
    metric: str, ideal: str
) -> None:
    with pytest.raises(ValueError, match=f"ideal is judged, not {ideal}"):
        scored(metric, "a .", ideal=ideal)


def test_undefined_characters_do_not_become_the_best_score() -> None:
    assert scored("characters@5", "", undefined="zero") != 0.0
    assert scored("All@5", "", "", undefined="zero") == 0.0


# Properties

PASSAGES = 4
HELD = st.lists(
    st.lists(st.integers(0, PASSAGES - 1), unique=True, max_size=PASSAGES), max_size=8
)
GRADES = st.lists(
    st.sampled_from([0.5, 1.0, 2.0, 3.0]), min_size=PASSAGES, max_size=PASSAGES
)
SETTINGS = st.builds(
    Settings,
    gain=st.sampled_from(["exponential", "linear", {0.5: 9, 1: 1, 2: 0, 3: 3}]),
    discount=st.sampled_from(["log2", "ln"]),
)
METRICS = ["nDCG@5", "nDCG", "DCG@5", "R@5", "R(rel=2)@3", "RR", "All@5", "Success@3"]


@given(
    held=HELD,
    grades=GRADES,
    settings=SETTINGS,
    passage=st.integers(0, PASSAGES - 1),
    place=st.integers(0, 7),
)
def test_a_passage_that_is_found_earlier_lowers_no_score(
    held: Sequence[list[int]],
    grades: list[float],
    settings: Settings,
    passage: int,
    place: int,
) -> None:
    """A result holds one passage more: that one is found earlier, at the same rank, or
    together with others.
    """
    if place >= len(held):
        return
    more = [list(passages) for passages in held]
    if passage not in more[place]:
        more[place].append(passage)
    before = grade_passages(held, grades)
    after = grade_passages(more, grades)
    for name in METRICS:
        metric = parse_metric(name)
        lower = score(metric, before, settings)
        if not math.isnan(lower):
            assert score(metric, after, settings) >= lower - 1e-12


@given(held=HELD, grades=GRADES, settings=SETTINGS)
def test_ndcg_is_at_most_1_and_is_1_for_the_ideal_ranking(
    held: Sequence[list[int]], grades: list[float], settings: Settings
) -> None:
    graded = grade_passages(held, grades)
    best_first = sorted(range(PASSAGES), key=lambda passage: -settings.gains[grades[passage]])  # fmt: skip
    one_a_rank = grade_passages([[passage] for passage in best_first], grades)
    has_gain = any(settings.gains[grade] > 0 for grade in grades)
    for name in ("nDCG@2", "nDCG@5", "nDCG"):
        found = score(parse_metric(name), graded, settings)
        best = score(parse_metric(name), one_a_rank, settings)
        if has_gain:
            assert found <= best == 1.0
        else:
            assert math.isnan(found)
            assert math.isnan(best)
