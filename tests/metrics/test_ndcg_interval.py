"""What the unjudged results in the top k leave open."""

import math
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_relevance.metrics.interval import interval
from pytest_relevance.metrics.ndcg import (
    GradedRanking,
    dcg,
    grade_ranking,
    ideal_grades,
    ndcg,
)
from pytest_relevance.metrics.settings import Settings


def holes(graded: GradedRanking, k: int | None) -> list[int]:
    """The indexes of the unjudged results in the top k."""
    found = []
    for index, grade in enumerate(graded.grades[:k]):
        if grade is None and index not in graded.repeated:
            found.append(index)
    return found


def judge(graded: GradedRanking, k: int | None, grades: list[float]) -> GradedRanking:
    """Give the unjudged results of the top k these grades, the first rank first."""
    filled = graded.grades[:k]
    for index, grade in zip(holes(graded, k), grades, strict=True):
        filled[index] = grade
    return GradedRanking(filled, (), [*graded.judged, *grades])


SCALES: list[list[float]] = [
    [0, 1, 2, 3],
    [0, 1],
    [-1, 0, 2],
    [1, 2, 4],
    [0, 0.5, 3.5],
    [-2, -1, 0, 0.25],
    [2, 2],
]
"""The grades of a scale, the lowest first."""

CUTOFFS = st.sampled_from([None, 1, 2, 4, 10])


@st.composite
def settings_for(draw: st.DrawFn, scale: list[float]) -> Settings:
    """Any gain: a formula, or a mapping that need not rise with the grades."""
    gain = st.sampled_from([-2, -0.5, 0, 0.1, 1, 3, 7])
    gains = st.fixed_dictionaries(dict.fromkeys(scale, gain))
    return Settings(
        gain=draw(st.sampled_from(["exponential", "linear"]) | gains),
        discount=draw(st.sampled_from(["log2", "ln"])),
        negative=draw(st.sampled_from(["keep", "zero"])),
    )


@st.composite
def rankings(draw: st.DrawFn, scale: list[float]) -> GradedRanking:
    """A ranking with copies, judged documents that are not in it, and at most four that
    nobody judged.
    """
    unjudged = [f"u{number}" for number in range(draw(st.integers(1, 4)))]
    grades = draw(st.lists(st.sampled_from(scale), max_size=7))
    judgments = {f"d{number}": grade for number, grade in enumerate(grades)}
    documents = st.sampled_from([*judgments, *unjudged])
    return grade_ranking(draw(st.lists(documents, min_size=1, max_size=9)), judgments)


@given(st.data(), st.sampled_from(SCALES), CUTOFFS)
def test_no_grading_leads_out_of_the_interval(
    data: st.DataObject, scale: list[float], k: int | None
) -> None:
    graded = data.draw(rankings(scale))
    settings = data.draw(settings_for(scale))
    present = ndcg(graded, settings, k)
    low, high = interval(graded, k, scale[0], scale[-1], settings)
    if math.isnan(present):
        assert math.isnan(low)
        assert math.isnan(high)
        return
    judged = [
        judge(graded, k, list(grades))
        for grades in product(scale, repeat=len(holes(graded, k)))
    ]
    found = [present, *(ndcg(each, settings, k) for each in judged)]
    # The lower end is always reached: it is as high as it can be.
    assert low == pytest.approx(min(found), rel=0, abs=1e-12)
    assert low <= present <= high
    assert max(found) <= high + 1e-12
    # If no grading changes the ideal, the upper end is reached too.
    ideals = [ideal_grades(each, settings, k) for each in (graded, *judged)]
    if len({dcg(ideal, settings) for ideal in ideals}) == 1:
        assert high == pytest.approx(max(found), rel=0, abs=1e-12)


@given(st.data(), st.sampled_from(SCALES), CUTOFFS)
def test_the_upper_end_has_the_ideal_of_the_present_judgments(
    data: st.DataObject, scale: list[float], k: int | None
) -> None:
    graded = data.draw(rankings(scale))
    settings = Settings(data.draw(st.sampled_from(["exponential", "linear"])))
    present = ndcg(graded, settings, k)
    assume(not math.isnan(present))
    _, high = interval(graded, k, scale[0], scale[-1], settings)
    at_best = judge(graded, k, [scale[-1]] * len(holes(graded, k)))
    best = ndcg(GradedRanking(at_best.grades, (), graded.judged), settings, k)
    if best >= 0:
        assert high == pytest.approx(max(present, min(1.0, best)), rel=0, abs=1e-12)


@pytest.mark.parametrize(
    ("ranking", "k", "settings"),
    [
        ("bbax", 3, Settings()),  # a later copy, and a result below the cutoff
        ("xa", 10, Settings(ideal="returned")),
        ("xa", 10, Settings(ideal="max")),
        ("xa", 10, Settings(unjudged="skip")),
    ],
)
def test_what_leaves_nothing_open(ranking: str, k: int, settings: Settings) -> None:
    graded = grade_ranking(list(ranking), {"a": 3, "b": 1})
    present = ndcg(graded, settings, k)
    assert interval(graded, k, 0, 3, settings) == (present, present)


def test_a_query_without_relevant_judgments_has_no_interval() -> None:
    graded = grade_ranking(["x", "a"], {"a": 0})
    assert all(math.isnan(end) for end in interval(graded, 10, 0, 3, Settings()))
    assert interval(graded, 10, 0, 3, Settings(undefined="zero")) == (0.0, 0.0)
