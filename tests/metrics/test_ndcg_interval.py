"""What the unjudged results in the top k leave open."""

import math
from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_relevance.metrics.interval import interval
from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.names import build_metric
from pytest_relevance.metrics.ndcg import (
    GradedRanking,
    dcg,
    grade_ranking,
    ideal_grades,
)
from pytest_relevance.metrics.settings import Settings


def ndcg(graded: GradedRanking, k: int | None, conventions: Settings) -> float:
    return score(build_metric("nDCG", k), graded, conventions)


def judge(graded: GradedRanking, k: int | None, grades: list[float]) -> GradedRanking:
    """Give the unjudged results of the top k these grades, the first rank first."""
    given_grades = iter(grades)
    filled = [
        next(given_grades) if grade is None and index not in graded.repeated else grade
        for index, grade in enumerate(graded.grades[:k])
    ]
    return GradedRanking(filled, (), [*graded.judged, *grades])


def gradings(
    graded: GradedRanking, k: int | None, possible: list[float]
) -> Iterator[GradedRanking]:
    """Every way to give the unjudged results of the top k one of the grades that are
    possible.
    """
    holes = sum(
        grade is None and index not in graded.repeated
        for index, grade in enumerate(graded.grades[:k])
    )
    for grades in product(possible, repeat=holes):
        yield judge(graded, k, list(grades))


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


@st.composite
def conventions_for(draw: st.DrawFn, scale: list[float]) -> Settings:
    """Any gain: a formula, or a mapping that need not rise with the grades."""
    gains = st.fixed_dictionaries(
        dict.fromkeys(scale, st.sampled_from([-2, -0.5, 0, 0.1, 1, 3, 7]))
    )
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
    judgments = {
        f"d{number}": grade
        for number, grade in enumerate(
            draw(st.lists(st.sampled_from(scale), max_size=7))
        )
    }
    return grade_ranking(
        draw(
            st.lists(st.sampled_from([*judgments, *unjudged]), min_size=1, max_size=9)
        ),
        judgments,
    )


@given(st.data(), st.sampled_from(SCALES), st.sampled_from([None, 1, 2, 4, 10]))
def test_no_grading_leads_out_of_the_interval(
    data: st.DataObject, scale: list[float], k: int | None
) -> None:
    graded = data.draw(rankings(scale))
    conventions = data.draw(conventions_for(scale))
    present = ndcg(graded, k, conventions)
    low, high = interval(graded, k, scale[0], scale[-1], conventions)
    if math.isnan(present):
        assert math.isnan(low)
        assert math.isnan(high)
        return
    judged = list(gradings(graded, k, scale))
    found = [present, *(ndcg(grading, k, conventions) for grading in judged)]
    # The lower end is always reached: it is as high as it can be.
    assert low == pytest.approx(min(found), rel=0, abs=1e-12)
    assert low <= present <= high
    assert max(found) <= high + 1e-12
    ideals = {
        dcg(ideal_grades(grading, conventions, k), conventions)
        for grading in (graded, *judged)
    }
    if (
        len(ideals) == 1
    ):  # the ideal stays what it is, whatever the results are judged: then so is the upper end
        assert high == pytest.approx(max(found), rel=0, abs=1e-12)


@given(st.data(), st.sampled_from(SCALES), st.sampled_from([None, 1, 2, 4, 10]))
def test_the_ends_are_what_their_definitions_say(
    data: st.DataObject, scale: list[float], k: int | None
) -> None:
    graded = data.draw(rankings(scale))
    conventions = Settings(data.draw(st.sampled_from(["exponential", "linear"])))
    lowest, highest = scale[0], scale[-1]
    present = ndcg(graded, k, conventions)
    assume(not math.isnan(present))
    holes = sum(
        grade is None and index not in graded.repeated
        for index, grade in enumerate(graded.grades[:k])
    )
    low, high = interval(graded, k, lowest, highest, conventions)
    tried = [
        ndcg(
            judge(graded, k, [lowest] * (holes - deepest) + [highest] * deepest),
            k,
            conventions,
        )
        for deepest in range(holes + 1)
    ]
    # The score is one of the readings: an unjudged result without gain, though the
    # lowest grade has some.
    assert low == pytest.approx(min(*tried, present), rel=0, abs=1e-12)
    # The ideal stays what it is: only the results are judged anew.
    at_best = judge(graded, k, [highest] * holes)
    best = ndcg(GradedRanking(at_best.grades, (), graded.judged), k, conventions)
    if best >= 0:
        assert high == pytest.approx(max(present, min(1.0, best)), rel=0, abs=1e-12)


def test_results_below_the_cutoff_and_later_copies_leave_nothing_open() -> None:
    graded = grade_ranking(["b", "b", "a", "x"], {"a": 3, "b": 1})
    present = ndcg(graded, 3, Settings())
    assert interval(graded, 3, 0, 3, Settings()) == (present, present)


@pytest.mark.parametrize(
    "conventions",
    [Settings(ideal="returned"), Settings(ideal="max"), Settings(unjudged="skip")],
)
def test_other_conventions_have_no_interval(conventions: Settings) -> None:
    graded = grade_ranking(["x", "a"], {"a": 3})
    present = ndcg(graded, 10, conventions)
    assert interval(graded, 10, 0, 3, conventions) == (present, present)


def test_a_query_without_relevant_judgments_has_no_interval() -> None:
    graded = grade_ranking(["x", "a"], {"a": 0})
    assert all(math.isnan(end) for end in interval(graded, 10, 0, 3, Settings()))
    assert interval(graded, 10, 0, 3, Settings(undefined="zero")) == (0.0, 0.0)
